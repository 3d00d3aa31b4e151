//! The derivatives of the residual as the sparse matrices of a [`Descriptor`]: patterns from what the elements couple, and their
//! entries.

use super::jacobian::ResidualEntries;
use super::residual::{Instant, ResidualAlong};
use super::{Mode, Model, Terms};
use crate::linear::{Descriptor, Sparse};

/// Marks rows of the mode that are not in use.
const NOWHERE: usize = usize::MAX;

impl Model {
    /// Writes M, these rows of C and the derivatives of the residual; `terms` supplies numbers and matrices, `along` and `places` are scratch.
    pub fn write_descriptor(
        &self,
        at: &Instant,
        (mode, rows): (&Mode, &[usize]),
        terms: &Terms,
        (along, places): (&mut ResidualAlong, &mut Vec<usize>),
        out: &mut Descriptor,
    ) {
        self.prepare_descriptor((mode, rows), terms, out);
        out.mass.values_mut().fill(0.0);
        for i in 0..terms.mass.len() {
            for (j, value) in terms.mass.row(i).entries() {
                out.mass.add(i, j, value);
            }
        }
        out.rows.copy_rows(&terms.jacobian, rows);
        places.clear();
        places.resize(mode.rows, NOWHERE);
        for (k, &row) in rows.iter().enumerate() {
            places[row] = k;
        }
        let [by_q, by_v] = &mut out.acceleration;
        for slot in [by_q, by_v, &mut out.rate] {
            slot.copy_rows(&terms.jacobian, rows);
            slot.values_mut().fill(0.0);
        }
        out.force.iter_mut().for_each(|force| force.values_mut().fill(0.0));
        let nv = self.nv();
        self.add_residual_jacobian(at, mode, terms, along, &mut Entries { nv, places, out });
    }

    /// Makes the patterns those of a mode, unless they are.
    fn prepare_descriptor(&self, (mode, rows): (&Mode, &[usize]), terms: &Terms, out: &mut Descriptor) {
        let acting = || (0..self.forces.len()).filter(|&index| mode.force_acts(index));
        let key = || {
            let rows = rows.iter().copied().chain([NOWHERE]);
            let constraints = mode.constraints.iter().copied().chain([NOWHERE]);
            rows.chain(constraints).chain(acting())
        };
        if !out.key.is_empty() && key().eq(out.key.iter().copied()) {
            return;
        }
        out.key = key().collect();
        let mut columns: Vec<Vec<usize>> = (0..self.nv()).map(|i| terms.mass.row(i).columns.to_vec()).collect();
        let forces = acting().map(|index| &self.forces[index].local);
        let constraints = mode.constraints.iter().map(|&index| &self.constraints[index].local);
        for local in forces.chain(constraints) {
            for &i in &local.coordinates {
                columns[i].extend(&local.coordinates);
            }
        }
        for (feedback, followed) in self.feedback.iter().zip(self.followed_coordinates()) {
            if mode.force_acts(feedback.force) {
                let moved = &self.forces[feedback.force].local.coordinates;
                moved.iter().for_each(|&i| columns[i].extend(&followed));
                followed.iter().for_each(|&j| columns[j].extend(moved));
            }
        }
        for (i, columns) in columns.iter_mut().enumerate() {
            columns.push(i);
            columns.sort_unstable();
            columns.dedup();
        }
        out.mass = Sparse::with_columns(columns.into_iter());
        out.force = [out.mass.clone(), out.mass.clone()];
    }
}

/// Takes the entries of the rows in use.
struct Entries<'a> {
    nv: usize,
    places: &'a [usize],
    out: &'a mut Descriptor,
}

impl Entries<'_> {
    /// Whether a column is that of a velocity, and its coordinate.
    fn split(&self, column: usize) -> (usize, usize) {
        (usize::from(column >= self.nv), column % self.nv)
    }
}

impl ResidualEntries for Entries<'_> {
    fn add_force(&mut self, coordinate: usize, column: usize, value: f64) {
        let (by, column) = self.split(column);
        // Elements may write zeros to coordinates that they do not couple.
        if value != 0.0 {
            self.out.force[by].add(coordinate, column, value);
        }
    }

    fn add_acceleration(&mut self, row: usize, column: usize, value: f64) {
        let (by, column) = self.split(column);
        if self.places[row] != NOWHERE && value != 0.0 {
            self.out.acceleration[by].add(self.places[row], column, value);
        }
    }

    fn add_rate(&mut self, row: usize, column: usize, value: f64) {
        if self.places[row] != NOWHERE && column < self.nv && value != 0.0 {
            self.out.rate.add(self.places[row], column, value);
        }
    }
}
