//! Coordinates without mass that one row alone has, such as the angle of a joint: each is eliminated with its row before all else.
//!
//! The equation of such a coordinate has only the multiplier of the row, and the row then gives its acceleration.

use crate::linear::{Sparse, Unknown};

/// Smallest factor of a coordinate in its row.
const PIVOT: f64 = 1e-2;

/// A coordinate with its row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub coordinate: usize,
    /// The place among the rows in use, and the row.
    pub place: usize,
    row: usize,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Paired {
    /// Whether they are looked for.
    pub are_possible: bool,
    pub list: Vec<Pair>,
    /// The other rows: their places among those in use, ascending, and the rows.
    pub kept: Vec<usize>,
    pub kept_rows: Vec<usize>,
}

impl Paired {
    /// Finds them among the rows in use of which these touch coordinates without mass.
    pub fn find(
        &mut self,
        (rows, touching): (&[usize], &[(usize, usize)]),
        light: &[bool],
        mass: &Sparse,
        jacobian: &Sparse,
    ) {
        self.list.clear();
        let mut rows_of = vec![0; light.len()];
        for &(_, row) in touching {
            jacobian.row(row).columns.iter().for_each(|&j| rows_of[j] += 1);
        }
        for &(place, row) in touching.iter().filter(|_| self.are_possible) {
            let is_alone = |j: &usize| light[*j] && rows_of[*j] == 1 && stands_alone(mass, *j);
            if let Some(&coordinate) = jacobian.row(row).columns.iter().find(|j| is_alone(j)) {
                self.list.push(Pair { coordinate, place, row });
            }
        }
        let is_kept = |place: &usize| self.list.iter().all(|pair| pair.place != *place);
        self.kept = (0..rows.len()).filter(is_kept).collect();
        self.kept_rows = self.kept.iter().map(|&k| rows[k]).collect();
    }

    /// Whether each row still gives its coordinate.
    pub fn are_regular(&self, mass: &Sparse, jacobian: &Sparse) -> bool {
        let gives = |pair: &Pair| jacobian.row(pair.row).entry(pair.coordinate).abs() >= PIVOT;
        (self.list.iter()).all(|pair| gives(pair) && stands_alone(mass, pair.coordinate))
    }

    /// x <- K^-1 x with a function that solves for the coordinates and the rows that are kept; `kept` is scratch, and rows give way by
    /// the compliance.
    pub fn solve<T: Unknown>(
        &self,
        (jacobian, compliance): (&Sparse, f64),
        nv: usize,
        x: &mut [T],
        kept: &mut Vec<T>,
        solve: impl FnOnce(&mut [T]),
    ) {
        if self.list.is_empty() {
            return solve(x);
        }
        let factor = |pair: &Pair| jacobian.row(pair.row).entry(pair.coordinate);
        for pair in &self.list {
            let multiplier = x[pair.coordinate].times(1.0 / factor(pair));
            x[pair.coordinate] = multiplier;
            for (j, entry) in pair.others(jacobian) {
                x[j] = x[j].less(entry, multiplier);
            }
        }
        kept.clear();
        kept.extend_from_slice(&x[..nv]);
        kept.extend(self.kept.iter().map(|&k| x[nv + k]));
        for pair in &self.list {
            kept[pair.coordinate] = x[pair.coordinate].times(0.0);
        }
        solve(kept);
        for pair in &self.list {
            let multiplier = x[pair.coordinate];
            let mut value = x[nv + pair.place].less(-compliance, multiplier);
            for (j, entry) in pair.others(jacobian) {
                value = value.less(entry, kept[j]);
            }
            x[nv + pair.place] = multiplier;
            kept[pair.coordinate] = value.times(1.0 / factor(pair));
        }
        x[..nv].copy_from_slice(&kept[..nv]);
        for (&k, value) in self.kept.iter().zip(&kept[nv..]) {
            x[nv + k] = *value;
        }
    }
}

impl Pair {
    /// The other entries of the row.
    fn others<'a>(&self, jacobian: &'a Sparse) -> impl Iterator<Item = (usize, f64)> + 'a {
        let coordinate = self.coordinate;
        jacobian.row(self.row).entries().filter(move |&(j, _)| j != coordinate)
    }
}

/// Whether a coordinate has no mass and is coupled with none.
fn stands_alone(mass: &Sparse, coordinate: usize) -> bool {
    let row = mass.row(coordinate);
    row.columns == [coordinate] && row.values == [0.0]
}
