//! What an impact reaches: the velocities that hang together with what is struck (theory, 4.11).

use super::joining::Joining;
use crate::linear::Entries;
use crate::mechanism::impact_system::ImpactSystem;

/// Change of a rate by an impact, over the rates that the fastest velocity could give it, up to which it is rounding. Where joints drift, as
/// under a penalty, whatever they hold counts as reached.
const CHANGED: f64 = 1e-10;

/// Velocities in groups, each with its first as the leader; masses and rows couple none to those of another.
pub(super) struct Groups(Vec<usize>);

impl Groups {
    /// By the masses, and by the rows that hold.
    pub(super) fn held(system: &ImpactSystem, count: usize) -> Self {
        let mut groups = Self((0..count).collect());
        (0..count).for_each(|i| groups.join(system.mass.row(i).entries().map(|(j, _)| j).chain([i])));
        let rows = system.rows.iter();
        rows.for_each(|row| groups.join(row.row.iter().map(|(i, _)| i)));
        groups
    }

    pub(super) fn of(&self, mut i: usize) -> usize {
        while self.0[i] != i {
            i = self.0[i];
        }
        i
    }

    pub(super) fn join(&mut self, mut row: impl Iterator<Item = usize>) {
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
    let of = |row: &Entries<f64>| row.iter().map(|(i, _)| groups.of(i)).collect::<Vec<usize>>();
    let mut struck: Vec<usize> = contacts.flat_map(of).collect();
    struck.extend(driven(system, v).flat_map(of));
    (0..v.len()).map(|i| struck.contains(&groups.of(i))).collect()
}

/// Rows that hold whose rates the impact changes.
fn driven<'a>(system: &'a ImpactSystem, v: &'a [f64]) -> impl Iterator<Item = &'a Entries<f64>> {
    let units = system.mass.units();
    let speeds = v.iter().zip(units).map(|(v, unit)| v.abs() / unit);
    let fastest = speeds.fold(0.0, f64::max);
    let changes = move |row: &Entries<f64>, target: f64| {
        let could = row.iter().map(|(i, slope)| (slope * units[i]).abs()).sum::<f64>();
        (row.dot(v) - target).abs() > CHANGED * (could * fastest + target.abs())
    };
    let rows = system.rows.iter().filter(move |row| changes(&row.row, row.target));
    rows.map(|row| &row.row)
}

/// Of each contact whether it hangs together with one whose gap closes, or with a row whose rate the impact changes, by masses, rows that
/// hold and other contacts.
pub(super) fn struck_together(system: &ImpactSystem, contacts: &[Joining], v: &[f64], rounding: f64) -> Vec<bool> {
    let mut groups = Groups::held(system, v.len());
    for contact in contacts {
        groups.join(contact.rows.iter().flat_map(Entries::iter).map(|(i, _)| i));
    }
    let of = |contact: &Joining| contact.rows[0].iter().next().map(|(i, _)| groups.of(i));
    let strikes = |contact: &&Joining| contact.rates(v)[0] < -rounding;
    let first = |row: &Entries<f64>| row.iter().next().map(|(i, _)| groups.of(i));
    let mut struck: Vec<Option<usize>> = contacts.iter().filter(strikes).map(of).collect();
    struck.extend(driven(system, v).map(first));
    contacts.iter().map(|contact| struck.contains(&of(contact))).collect()
}
