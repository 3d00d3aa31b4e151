//! C+ = U^2 C^T (C U^2 C^T)^-1 of the independent rows, with the sizes of the velocities on the diagonal of U so that lengths and
//! angles can be compared: by QR of U C^T or, for many coordinates, by blocks.

use crate::formulation::{Blocks, Elimination, Lanes};
use crate::linear::{Block, Householder, LANES, Lane, padded, pairs_within, panel_rows};
use crate::model::{Matrix, Mode, Terms};

/// Factors and scratch.
#[derive(Clone, Debug)]
pub struct Projector {
    rows: usize,
    /// The diagonal of U.
    units: Vec<f64>,
    /// Those of few or of many coordinates; QR beside these, once it was needed, and whether that stands in where C was factored
    /// last.
    factors: Vec<Factors>,
    by_qr: bool,
}

#[derive(Clone, Debug)]
enum Factors {
    /// QR of U C^T, a panel, and a padded vector.
    Qr(Householder, Vec<Block>, Vec<Block>),
    /// [[U^-2, C^T], [C, 0]], U^-2, a vector, and scratch.
    Blocks(Box<Blocks>, Matrix, Vec<f64>, Lanes<1>, Lanes<LANES>),
}

impl Factors {
    fn dense(nv: usize, rows: usize) -> Self {
        let panel = vec![[0.0; LANES]; panel_rows(nv)];
        Self::Qr(Householder::new(nv, rows), panel, padded(nv))
    }
}

impl Projector {
    /// Workspace for at most `rows` constraint rows over velocities of these sizes.
    pub fn new(rows: usize, units: &[f64], by: Elimination) -> Self {
        let nv = units.len();
        let factors = match by.is_by_blocks(nv) {
            true => {
                let (one, several) = Default::default();
                Factors::Blocks(Box::default(), Matrix::metric(units), vec![0.0; nv], one, several)
            }
            false => Factors::dense(nv, rows),
        };
        Self {
            rows,
            units: units.to_vec(),
            factors: vec![factors],
            by_qr: false,
        }
    }

    /// Factors the independent rows; the smallest part of a row outside the span of those before it, over its length.
    pub fn factor(&mut self, mode: &Mode, terms: &Terms) -> f64 {
        self.by_qr = false;
        if let Factors::Blocks(blocks, metric, ..) = &mut self.factors[0] {
            let rows = (&mode.constraints[..], &mode.independent[..]);
            if blocks.factor(rows, (metric, 0), &terms.jacobian).is_ok() {
                return blocks.regularity();
            }
            // Near a singular position QR still tells the rows that count.
            if self.factors.len() == 1 {
                self.factors.push(Factors::dense(self.units.len(), self.rows));
            }
            self.by_qr = true;
        }
        let (Factors::Qr(qr, ..), units) = self.in_force() else {
            return 0.0;
        };
        qr.begin(mode.independent.len());
        for (k, row) in terms.jacobian.rows(&mode.independent).enumerate() {
            qr.set_column(k, row.entries().map(|(j, entry)| (j, entry * units[j])));
        }
        qr.factor();
        qr.regularity()
    }

    fn in_force(&mut self) -> (&mut Factors, &[f64]) {
        (&mut self.factors[usize::from(self.by_qr)], &self.units)
    }

    /// out = C+ y, `y` by the row of the mode.
    pub fn least_correction(&mut self, mode: &Mode, terms: &Terms, y: &[f64], out: &mut [f64]) {
        match self.in_force() {
            (Factors::Qr(qr, _, padded), units) => {
                let entries = padded.as_flattened_mut();
                entries.fill(0.0);
                for (slot, &k) in entries.iter_mut().zip(qr.independent()) {
                    *slot = y[mode.independent[k]];
                }
                qr.solve_transposed(&mut entries[..qr.rank()]);
                qr.apply(padded);
                for ((slot, entry), unit) in out.iter_mut().zip(padded.as_flattened()).zip(units) {
                    *slot = entry * unit;
                }
            }
            (Factors::Blocks(blocks, metric, _, lanes, _), _) => {
                blocks.solve((metric, &terms.jacobian), None, |row| y[row], (out, None), lanes);
            }
        }
    }

    /// The same for several directions.
    pub fn least_corrections(&mut self, mode: &Mode, terms: &Terms, y: &[Lane], out: &mut [Lane]) {
        match self.in_force() {
            (Factors::Qr(qr, panel, _), units) => {
                panel.fill([0.0; LANES]);
                pairs_within(panel, qr.independent(), |slot, &k| {
                    *slot = y[mode.independent[k]].into()
                });
                qr.solve_transposed_panel(&mut panel[..qr.rank()]);
                qr.apply_panel(panel);
                for ((slot, row), unit) in out.iter_mut().zip(panel).zip(units) {
                    *slot = Lane::from(*row) * *unit;
                }
            }
            (Factors::Blocks(blocks, metric, _, _, lanes), _) => {
                let rows = |row: usize| y[row].into();
                blocks.solve_lanes((metric, &terms.jacobian), |_| [0.0; LANES], rows, lanes);
                blocks.take_all(lanes, out, None);
            }
        }
    }

    /// y = (C+)^T x by the row of the mode, zero for dependent rows.
    pub fn transposed(&mut self, mode: &Mode, terms: &Terms, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        match self.in_force() {
            (Factors::Qr(qr, _, padded), units) => {
                let entries = padded.as_flattened_mut();
                entries.fill(0.0);
                for ((slot, x), unit) in entries.iter_mut().zip(x).zip(units) {
                    *slot = x * unit;
                }
                qr.apply_transposed(padded);
                let solved = &mut padded.as_flattened_mut()[..qr.rank()];
                qr.solve(solved);
                for (value, &k) in solved.iter().zip(qr.independent()) {
                    y[mode.independent[k]] = *value;
                }
            }
            (Factors::Blocks(blocks, metric, rest, lanes, _), _) => {
                let found = (&mut rest[..], Some(&mut *y));
                blocks.solve((metric, &terms.jacobian), Some(x), |_| 0.0, found, lanes);
                y.iter_mut().for_each(|value| *value = -*value);
            }
        }
    }
}
