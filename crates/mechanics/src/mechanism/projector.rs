//! C+ of the independent rows, by QR or, for many coordinates, by blocks.

use crate::formulation::{Blocks, Elimination, Lanes};
use crate::linear::{Block, Householder, LANES, Lane, Sparse, padded, pairs_within, panel_rows};
use crate::model::{Mode, Terms};

/// Factors and scratch.
#[derive(Clone, Debug)]
pub struct Projector {
    nv: usize,
    rows: usize,
    /// Those of few or of many coordinates; QR beside these, once it was needed, and whether that stands in where C was factored
    /// last.
    factors: Vec<Factors>,
    by_qr: bool,
}

#[derive(Clone, Debug)]
enum Factors {
    /// QR of C^T, a panel, and a padded vector.
    Qr(Householder, Vec<Block>, Vec<Block>),
    /// [[1, C^T], [C, 0]], the unit matrix, a vector, and scratch.
    Blocks(Box<Blocks>, Sparse, Vec<f64>, Lanes<1>, Lanes<LANES>),
}

impl Factors {
    fn dense(nv: usize, rows: usize) -> Self {
        let panel = vec![[0.0; LANES]; panel_rows(nv)];
        Self::Qr(Householder::new(nv, rows), panel, padded(nv))
    }
}

impl Projector {
    /// Workspace for nv coordinates and at most `rows` constraint rows.
    pub fn new(nv: usize, rows: usize, by: Elimination) -> Self {
        let factors = match by.is_by_blocks(nv) {
            true => {
                let (one, several) = Default::default();
                Factors::Blocks(Box::default(), Sparse::identity(nv), vec![0.0; nv], one, several)
            }
            false => Factors::dense(nv, rows),
        };
        Self {
            nv,
            rows,
            factors: vec![factors],
            by_qr: false,
        }
    }

    /// Factors the independent rows; the smallest part of a row outside the span of those before it, over its length.
    pub fn factor(&mut self, mode: &Mode, terms: &Terms) -> f64 {
        self.by_qr = false;
        if let Factors::Blocks(blocks, unit, ..) = &mut self.factors[0] {
            let rows = (&mode.constraints[..], &mode.independent[..]);
            if blocks.factor(rows, (unit, 0), &terms.jacobian).is_ok() {
                return blocks.regularity();
            }
            // Near a singular position QR still tells the rows that count.
            if self.factors.len() == 1 {
                self.factors.push(Factors::dense(self.nv, self.rows));
            }
            self.by_qr = true;
        }
        let Factors::Qr(qr, ..) = self.in_force() else {
            return 0.0;
        };
        qr.begin(mode.independent.len());
        for (k, row) in terms.jacobian.rows(&mode.independent).enumerate() {
            qr.set_column(k, row.entries());
        }
        qr.factor();
        qr.regularity()
    }

    fn in_force(&mut self) -> &mut Factors {
        &mut self.factors[usize::from(self.by_qr)]
    }

    /// out = C+ y, `y` by the row of the mode.
    pub fn least_correction(&mut self, mode: &Mode, terms: &Terms, y: &[f64], out: &mut [f64]) {
        let nv = self.nv;
        match self.in_force() {
            Factors::Qr(qr, _, padded) => {
                let entries = padded.as_flattened_mut();
                entries.fill(0.0);
                for (slot, &k) in entries.iter_mut().zip(qr.independent()) {
                    *slot = y[mode.independent[k]];
                }
                qr.solve_transposed(&mut entries[..qr.rank()]);
                qr.apply(padded);
                out.copy_from_slice(&padded.as_flattened()[..nv]);
            }
            Factors::Blocks(blocks, unit, _, lanes, _) => {
                blocks.solve((unit, &terms.jacobian), None, |row| y[row], (out, None), lanes);
            }
        }
    }

    /// The same for several directions.
    pub fn least_corrections(&mut self, mode: &Mode, terms: &Terms, y: &[Lane], out: &mut [Lane]) {
        match self.in_force() {
            Factors::Qr(qr, panel, _) => {
                panel.fill([0.0; LANES]);
                pairs_within(panel, qr.independent(), |slot, &k| {
                    *slot = y[mode.independent[k]].into()
                });
                qr.solve_transposed_panel(&mut panel[..qr.rank()]);
                qr.apply_panel(panel);
                pairs_within(out, panel, |slot, row| *slot = Lane::from(*row));
            }
            Factors::Blocks(blocks, unit, _, _, lanes) => {
                let rows = |row: usize| y[row].into();
                blocks.solve_lanes((unit, &terms.jacobian), |_| [0.0; LANES], rows, lanes);
                blocks.take_all(lanes, out, None);
            }
        }
    }

    /// y = (C+)^T x by the row of the mode, zero for dependent rows.
    pub fn transposed(&mut self, mode: &Mode, terms: &Terms, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        let nv = self.nv;
        match self.in_force() {
            Factors::Qr(qr, _, padded) => {
                let entries = padded.as_flattened_mut();
                entries.fill(0.0);
                entries[..nv].copy_from_slice(x);
                qr.apply_transposed(padded);
                let solved = &mut padded.as_flattened_mut()[..qr.rank()];
                qr.solve(solved);
                for (value, &k) in solved.iter().zip(qr.independent()) {
                    y[mode.independent[k]] = *value;
                }
            }
            Factors::Blocks(blocks, unit, rest, lanes, _) => {
                let found = (&mut rest[..], Some(&mut *y));
                blocks.solve((unit, &terms.jacobian), Some(x), |_| 0.0, found, lanes);
                y.iter_mut().for_each(|value| *value = -*value);
            }
        }
    }
}
