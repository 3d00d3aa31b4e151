//! What an impact reaches: the velocities that hang together with what is struck (theory, 4.11).

use crate::linear::Entries;
use crate::mechanism::impact_system::ImpactSystem;

/// Change of a rate by an impact, over the rates that the fastest velocity could give it, up to which it is rounding. Where joints drift, as
/// under a penalty, whatever they hold counts as reached.
const CHANGED: f64 = 1e-10;

/// Velocities in groups, each with its first as the leader; masses and rows couple none to those of another.
struct Groups(Vec<usize>);

impl Groups {
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
    let mut groups = Groups((0..v.len()).collect());
    (0..v.len()).for_each(|i| groups.join(system.mass.row(i).entries().map(|(j, _)| j).chain([i])));
    system
        .rows
        .iter()
        .for_each(|row| groups.join(row.row.iter().map(|(i, _)| i)));
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
