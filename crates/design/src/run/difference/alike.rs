//! Whether the same things happen in two runs.

use std::ops::Range;

use crate::run::recording::EventMark;

/// Whether the same things happen in the same order, and the same ones at once.
pub(in crate::run) fn same_events(a: &[EventMark], b: &[EventMark]) -> bool {
    corresponding(a, b).is_some()
}

/// For each event of a run the one of another run that it corresponds to; none where other things happen, in another order,
/// or other ones at once: a bounce that rests as soon as it starts is not one that lands first. What happens at one instant,
/// but each in its own time, has no order.
pub(super) fn corresponding(base: &[EventMark], other: &[EventMark]) -> Option<Vec<usize>> {
    let (ours, theirs) = (jumps(base), jumps(other));
    let alike = |a: &Range<usize>, b: &Range<usize>| {
        let named = |event: &EventMark| (event.name.clone(), event.kind.clone(), event.part);
        base[a.clone()].iter().map(named).eq(other[b.clone()].iter().map(named))
    };
    let mut order = Vec::with_capacity(base.len());
    let mut first = 0;
    while first < ours.len() {
        let at_same_time = |jump: &&Range<usize>| base[jump.start].t == base[ours[first].start].t;
        let count = ours[first..].iter().take_while(at_same_time).count();
        let mut left = theirs.get(first..first + count)?.to_vec();
        for jump in &ours[first..first + count] {
            let found = left.iter().position(|candidate| alike(jump, candidate))?;
            order.extend(left.remove(found));
        }
        first += count;
    }
    (order.len() == other.len()).then_some(order)
}

/// The order of events that are the same, one by one.
pub(super) fn in_this_order(base: &[EventMark], other: &[EventMark]) -> Option<Vec<usize>> {
    let named = |event: &EventMark| (event.name.clone(), event.kind.clone(), event.part);
    let same = base.iter().map(named).eq(other.iter().map(named));
    same.then(|| (0..base.len()).collect())
}

/// Ranges of events that happen as one.
fn jumps(events: &[EventMark]) -> Vec<Range<usize>> {
    let starts: Vec<usize> = (0..events.len()).filter(|&i| i == 0 || !events[i].at_once).collect();
    let ends = starts.iter().skip(1).copied().chain([events.len()]);
    starts.iter().zip(ends).map(|(&start, end)| start..end).collect()
}
