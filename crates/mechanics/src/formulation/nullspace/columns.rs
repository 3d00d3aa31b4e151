//! Solves for four columns at a time, for Jacobians.

use super::{LANES, Nullspace, panels, scale_panel};
use crate::linear::{Block, Lane, dot_column, pairs, pairs_within};
use crate::model::Mode;
use crate::scalar::each;

impl Nullspace {
    /// C+ Y for four columns, given by the row of the mode; nv rows of a panel, padded.
    pub fn pseudo_inverse_panel(&mut self, mode: &Mode, y: impl Fn(usize) -> Block) -> &[Block] {
        let rank = self.qr.rank();
        self.panel.fill([0.0; LANES]);
        pairs_within(&mut self.panel, self.qr.independent(), |slot, &k| {
            *slot = y(mode.independent[k]);
        });
        self.qr.solve_transposed_panel(&mut self.panel[..rank]);
        self.qr.apply_panel(&mut self.panel);
        scale_panel(&mut self.panel, &self.units);
        &self.panel
    }

    /// Accelerations of [`Formulation::solve`](crate::formulation::Formulation::solve) for four right-hand sides at a
    /// time: nv rows of a panel, padded.
    pub fn solve_panel(&mut self, mode: &Mode, r1: impl Fn(usize) -> Block, r2: impl Fn(usize) -> Block) -> &[Block] {
        self.pseudo_inverse_panel(mode, r2);
        self.mass.product_panel(&self.panel, &mut self.mass_panel);
        for (i, slot) in self.mass_panel.iter_mut().enumerate().take(self.nv) {
            let r1 = r1(i);
            *slot = each(|lane| r1[lane] - slot[lane]);
        }
        self.take_shares();
        for lane in 0..LANES {
            pairs_within(&mut self.column_shares, &self.shares[..self.dof], |slot, share| {
                *slot = share[lane]
            });
            self.projected.solve(&mut self.column_shares[..self.dof]);
            pairs_within(&mut self.shares[..self.dof], &self.column_shares, |share, slot| {
                share[lane] = *slot
            });
        }
        self.add_shares();
        &self.panel
    }

    /// lambda = (C+)^T (M A - R1) for the columns A of the last [`Nullspace::solve_panel`].
    pub fn multipliers_panel(&mut self, mode: &Mode, r1: impl Fn(usize) -> Block, lambda: &mut [Lane]) {
        self.mass.product_panel(&self.panel, &mut self.mass_panel);
        let left = std::mem::take(&mut self.mass_panel);
        self.spread_panel(
            mode,
            |i| {
                let r1 = r1(i);
                each(|lane| left[i][lane] - r1[lane])
            },
            lambda,
        );
        self.mass_panel = left;
    }

    /// rows = (C+)^T X for four columns, with zero in dependent rows.
    pub fn spread_panel(&mut self, mode: &Mode, x: impl Fn(usize) -> Block, rows: &mut [Lane]) {
        self.panel.fill([0.0; LANES]);
        for (i, slot) in self.panel.iter_mut().enumerate().take(self.nv) {
            *slot = x(i);
        }
        scale_panel(&mut self.panel, &self.units);
        self.qr.apply_transposed_panel(&mut self.panel);
        let rank = self.qr.rank();
        self.qr.solve_panel(&mut self.panel[..rank]);
        rows.fill(Lane::zeros());
        for (value, &k) in self.panel.iter().zip(self.qr.independent()) {
            rows[mode.independent[k]] = Lane::from(*value);
        }
    }

    /// C+ Y + H H^T X for four columns.
    pub fn correction_panel(
        &mut self,
        mode: &Mode,
        y: impl Fn(usize) -> Block,
        x: impl Fn(usize) -> Block,
    ) -> &[Block] {
        self.pseudo_inverse_panel(mode, y);
        for (i, slot) in self.mass_panel.iter_mut().enumerate().take(self.nv) {
            *slot = x(i);
        }
        self.take_shares();
        self.add_shares();
        &self.panel
    }

    /// Products of the columns of H with what is left in `mass_panel`.
    fn take_shares(&mut self) {
        let panel = panels(self.nv);
        for i in 0..self.dof {
            self.shares[i] = dot_column(&self.rotated[panel(i / LANES)], i % LANES, &self.mass_panel);
        }
    }

    /// panel += H shares.
    fn add_shares(&mut self) {
        let panel = panels(self.nv);
        for i in 0..self.dof {
            let (share, place) = (self.shares[i], i % LANES);
            pairs(&mut self.panel, &self.rotated[panel(i / LANES)], |slot, row| {
                *slot = each(|lane| slot[lane] + row[place] * share[lane]);
            });
        }
    }
}
