//! How far the order of the recorded events holds.

use super::Linearization;

/// The smallest change in a direction at which a prediction is of another sequence of events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overtaking {
    /// Change as a multiple of dp, greater than zero.
    pub fraction: f64,
    /// What comes first in the recorded motion.
    pub first: Neighbour,
    /// What comes at the same time after that change.
    pub second: Neighbour,
}

/// What a predicted event may run into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbour {
    /// Start of the recorded time.
    Start,
    /// Event by number.
    Event(usize),
    /// End of the recorded time.
    End,
}

impl<M> Linearization<M> {
    /// The smallest multiple of dp at which two predicted events coincide, or one leaves the recorded time; none when no
    /// multiple does (theory, 3.7). Events that happen at once on another keep its time and cannot overtake it.
    pub fn overtaking(&self, dp: &[f64]) -> Option<Overtaking> {
        let (start, end) = self.span();
        let events = self.events.iter().enumerate();
        let middle = events.map(|(k, event)| (Neighbour::Event(k), event.t, event.shift(dp)));
        let line = std::iter::once((Neighbour::Start, start, 0.0))
            .chain(middle)
            .chain([(Neighbour::End, end, 0.0)]);
        let following = line.clone().skip(1);
        let crossings = line
            .zip(following)
            .filter_map(|((first, t, shift), (second, next, shift_of_next))| {
                let closing = shift - shift_of_next;
                (closing > 0.0 && next > t).then(|| Overtaking {
                    fraction: (next - t) / closing,
                    first,
                    second,
                })
            });
        crossings.min_by(|a, b| a.fraction.total_cmp(&b.fraction))
    }
}
