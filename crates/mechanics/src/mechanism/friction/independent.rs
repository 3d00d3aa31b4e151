//! Rows of an impact that no others imply (theory, 4.11).

use crate::linear::{Entries, dot};

/// Part of a row beside others, over its length in the metric of the masses, up to which they imply it.
pub(super) const IMPLIED: f64 = 1e-10;

/// A row, and what a unit impulse along it does to the velocities.
pub(super) type Line<'a> = (&'a Entries<f64>, &'a [f64]);

/// Rows that none of the others implies, with what their impulses do.
#[derive(Default)]
pub(super) struct Independent<'a> {
    rows: Vec<Line<'a>>,
    /// Cholesky factor of the responses along the rows.
    factor: Vec<Vec<f64>>,
}

impl<'a> Independent<'a> {
    /// What of a row the others do not imply, over its square, and its line of the factor.
    pub(super) fn rest(&self, (row, response): Line) -> (f64, Vec<f64>) {
        let mut line: Vec<f64> = Vec::new();
        for (j, (_, other)) in self.rows.iter().enumerate() {
            let known = dot(&self.factor[j][..j], &line);
            line.push((row.dot(other) - known) / self.factor[j][j]);
        }
        let own = row.dot(response);
        let rest = own - dot(&line, &line);
        line.push(rest.sqrt());
        (rest / own, line)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds a row if the others do not imply it.
    pub(super) fn add(&mut self, row: Line<'a>) -> bool {
        let (rest, line) = self.rest(row);
        if rest.is_nan() || rest <= IMPLIED {
            return false;
        }
        self.factor.push(line);
        self.rows.push(row);
        true
    }
}
