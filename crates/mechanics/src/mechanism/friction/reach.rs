//! What an impact reaches: the velocities that hang together with what is struck (theory, 4.11).

use super::joining::Joining;
use crate::linear::Entries;
use crate::mechanism::impact_system::ImpactSystem;

/// Change of a rate by an impact, over the rates that the fastest velocity could give it, up to which it is rounding. Where joints drift, as
/// under a penalty, whatever they hold counts as reached.
const CHANGED: f64 = 1e-10;

/// Velocities in groups, each with its first as the leader; masses and rows couple none to those of another.
struct Groups(Vec<usize>);

impl Groups {
    /// By the masses, and by the rows that hold.
    fn held(system: &ImpactSystem, count: usize) -> Self {
        let mut groups = Self((0..count).collect());
        (0..count).for_each(|i| groups.join(system.mass.row(i).entries().map(|(j, _)| j).chain([i])));
        let rows = system.rows.iter();
        rows.for_each(|row| groups.join(row.row.iter().map(|(i, _)| i)));
        groups
    }

    fn of(&self, mut i: usize) -> usize {
        while self.0[i] != i {
            i = self.0[i];
        }
        i
    }

    fn join(&mut self, mut row: impl Iterator<Item = usize>) {
        let Some(first) = row.next() else { return };
        for other in row {
            let (a, b) = (self.of(first), self.of(other));
            self.0[a.max(b)] = a.min(b);
        }
    }
}

/// Of each velocity whether an impact reaches it: it hangs together, by masses and rows that hold, with one of these rows of contacts or
/// with a row whose rate the impact changes. Where it does not, impulses are rounding, and so is whatever is in proportion to them.
pub(super) fn reached<'a>(
    system: &ImpactSystem<'a>,
    contacts: impl Iterator<Item = &'a Entries<f64>>,
    v: &[f64],
) -> Vec<bool> {
    let groups = Groups::held(system, v.len());
    let units = system.mass.units();
    let fastest = v
        .iter()
        .zip(units)
        .fold(0.0, |most: f64, (v, unit)| most.max(v.abs() / unit));
    let changes = |row: &Entries<f64>, target: f64| {
        let could = row.iter().map(|(i, slope)| (slope * units[i]).abs()).sum::<f64>();
        (row.dot(v) - target).abs() > CHANGED * (could * fastest + target.abs())
    };
    let driven = system.rows.iter().filter(|row| changes(&row.row, row.target));
    let struck = contacts.chain(driven.map(|row| &row.row));
    let struck: Vec<usize> = struck.flat_map(Entries::iter).map(|(i, _)| groups.of(i)).collect();
    (0..v.len()).map(|i| struck.contains(&groups.of(i))).collect()
}

/// Of each contact whether it hangs together with one whose gap closes, by masses, rows that hold and other contacts; all of them where no gap
/// does.
pub(super) fn struck_together(system: &ImpactSystem, contacts: &[Joining], v: &[f64], rounding: f64) -> Vec<bool> {
    let mut groups = Groups::held(system, v.len());
    for contact in contacts {
        groups.join(contact.rows.iter().flat_map(Entries::iter).map(|(i, _)| i));
    }
    let of = |contact: &Joining| contact.rows[0].iter().next().map(|(i, _)| groups.of(i));
    let strikes = |contact: &&Joining| contact.rates(v)[0] < -rounding;
    let struck: Vec<Option<usize>> = contacts.iter().filter(strikes).map(of).collect();
    let hangs = |contact: &Joining| struck.is_empty() || struck.contains(&of(contact));
    contacts.iter().map(hangs).collect()
}
