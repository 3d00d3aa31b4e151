//! QR null-space projection (Held and Seifried; theory, 1.4 - 1.6).
//!
//! With Sigma C^T = [Q1 Q2] [R; 0], H = Sigma Q2 and C+ = Sigma Q1 R^-T:
//! a = H (H^T M H)^-1 H^T (f + M C+ gamma) - C+ gamma, lambda = (C+)^T (M a - f), q' = v - C+ c'.
//! The last is H H^T Sigma^-2 v - C+ c_t, since H H^T Sigma^-2 = I - C+ C.

mod columns;
mod derivatives;

pub use derivatives::{Bases, TermSlopes};

use std::ops::Range;

use super::{Variation, Wanted};
use crate::linear::{
    Block, Cholesky, Householder, Sparse, blocks, dot_column, dot_panel, padded, pairs, pairs_within, panel_rows,
};
use crate::model::residual::{Instant, ResidualAlong};
use crate::model::{Mode, Model, Terms};

/// Columns that are rotated together with those of H, after them: C+ c' and -C+ gamma. Those of the rows that press follow.
const EXTRA: usize = 2;

/// Columns of a panel.
const LANES: usize = 4;

/// Factors and scratch; vectors are padded.
#[derive(Clone, Debug)]
pub struct Nullspace {
    nv: usize,
    /// The diagonal of Sigma; empty for Sigma = 1.
    units: Vec<f64>,
    /// QR of Sigma C^T over the independent rows.
    qr: Householder,
    /// H, C+ c', -C+ gamma and columns of C+ in panels; written by `factor`.
    rotated: Vec<Block>,
    /// M times each column of `rotated`; written by `factor`.
    mass_rotated: Vec<Block>,
    /// M; written by `factor` when it has changed.
    mass: Sparse,
    /// Version of the mass matrix in `mass`.
    mass_version: Option<u64>,
    /// The factors are those of M in `mass` without any row.
    free: bool,
    /// Degrees of freedom: columns of H.
    dof: usize,
    /// Rows whose columns of C+ are in `rotated`, and whether friction reads no other multipliers; written by `factor`.
    pressing: Vec<usize>,
    reads_no_others: bool,
    /// Factor of H^T M H.
    projected: Cholesky,
    /// What is left of a right-hand side.
    right: Vec<Block>,
    /// Particular part p of an acceleration, and then the whole.
    solution: Vec<Block>,
    /// Projected right-hand side, one entry per column of `rotated`.
    reduced: Vec<Block>,
    scratch: Vec<Block>,
    /// Four columns of a solution, M times them, and their shares of the columns of H; written by `solve_panel`.
    panel: Vec<Block>,
    mass_panel: Vec<Block>,
    shares: Vec<Block>,
    column_shares: Vec<f64>,
    /// Written by `velocity_slopes` off the manifold: nv zeros, C+ c', and d(C^T w).
    zero: Vec<f64>,
    violation: Vec<f64>,
    slope: Vec<f64>,
    /// Likewise, one entry per row: zeros, (C+)^T C+ c', and d(c_t).
    zero_rows: Vec<f64>,
    weights: Vec<f64>,
    row_slope: Vec<f64>,
}

impl Nullspace {
    /// Workspace for at most `rows` constraint rows over velocities of these sizes.
    pub fn new(rows: usize, units: &[f64]) -> Self {
        let nv = units.len();
        let vector = padded(nv);
        let panels = vec![[0.0; LANES]; panel_rows(nv) * blocks(nv + EXTRA)];
        Self {
            nv,
            units: Some(units)
                .filter(|units| units.iter().any(|&unit| unit != 1.0))
                .unwrap_or_default()
                .to_vec(),
            qr: Householder::new(nv, rows),
            rotated: panels.clone(),
            mass_rotated: panels,
            mass: Sparse::with_capacity(nv, nv * nv),
            mass_version: None,
            free: false,
            dof: 0,
            pressing: Vec::with_capacity(rows),
            reads_no_others: false,
            projected: Cholesky::new(nv),
            right: vector.clone(),
            solution: vector.clone(),
            reduced: padded(nv + EXTRA),
            scratch: vector,
            panel: vec![[0.0; LANES]; panel_rows(nv)],
            mass_panel: vec![[0.0; LANES]; panel_rows(nv)],
            shares: vec![[0.0; LANES]; nv],
            column_shares: vec![0.0; nv],
            zero: vec![0.0; nv],
            violation: vec![0.0; nv],
            slope: vec![0.0; nv],
            zero_rows: vec![0.0; rows],
            weights: vec![0.0; rows],
            row_slope: vec![0.0; rows],
        }
    }

    /// Column i of H (nv entries). One choice of basis: only products that do not depend on the choice have a meaning.
    pub fn null_vector(&self, i: usize) -> Vec<f64> {
        self.entries(i).collect()
    }

    /// Index in `rotated` of the first entry of a column, and its place in the blocks.
    fn column(&self, column: usize) -> (usize, usize) {
        (column / LANES * panel_rows(self.nv), column % LANES)
    }

    /// Entries of a column of `rotated`.
    fn entries(&self, column: usize) -> impl Iterator<Item = f64> {
        let (start, lane) = self.column(column);
        self.rotated[start..][..self.nv].iter().map(move |row| row[lane])
    }

    /// Degrees of freedom at the factored state: columns of H.
    pub fn degrees_of_freedom(&self) -> usize {
        self.dof
    }

    pub(super) fn factor(&mut self, model: &Model, mode: &Mode, terms: &Terms) -> Result<(), Option<usize>> {
        let free = mode.independent.is_empty();
        if free && self.free && self.mass_version == Some(terms.mass_version) {
            return Ok(());
        }
        self.free = false;
        self.qr.begin(mode.independent.len());
        for (k, row) in terms.jacobian.rows(&mode.independent).enumerate() {
            match self.units.is_empty() {
                true => self.qr.set_column(k, row.entries()),
                false => (self.qr).set_column(k, row.entries().map(|(j, entry)| (j, entry * self.units[j]))),
            }
        }
        self.qr.factor();
        self.find_pressing(model, mode);
        self.rotate(mode, terms);
        self.project_mass(terms);
        self.projected
            .factor()
            .map_err(|column| self.liveliest_coordinate(column))?;
        self.free = free;
        Ok(())
    }

    /// The rows whose multipliers are read off columns of C+: none where friction reads those of others too, or of dependent ones.
    fn find_pressing(&mut self, model: &Model, mode: &Mode) {
        let is_independent = |row: &usize| mode.independent.binary_search(row).is_ok();
        self.reads_no_others = model.pressing_rows(mode, &mut self.pressing)
            && self.qr.rank() == mode.independent.len()
            && self.pressing.iter().all(is_independent);
        if !self.reads_no_others {
            self.pressing.clear();
        }
    }

    /// Columns of `rotated` in use.
    fn columns(&self) -> usize {
        self.dof + EXTRA + self.pressing.len()
    }

    /// Applies Q at once to the unit vectors beyond the rank, R^-T c', -R^-T gamma and columns of R^-T: H, C+ c', -C+ gamma and columns of C+.
    fn rotate(&mut self, mode: &Mode, terms: &Terms) {
        let (panel, rank) = (panels(self.nv), self.qr.rank());
        self.dof = self.nv - rank;
        let (violation, particular) = (self.column(self.dof), self.column(self.dof + 1));
        let count = blocks(self.columns());
        self.rotated[..count * panel_rows(self.nv)].as_flattened_mut().fill(0.0);
        for i in 0..self.dof {
            let (start, lane) = self.column(i);
            self.rotated[start + rank + i][lane] = 1.0;
        }
        for (i, &k) in self.qr.independent().iter().enumerate() {
            let row = mode.independent[k];
            self.rotated[violation.0 + i][violation.1] = terms.rate[row];
            self.rotated[particular.0 + i][particular.1] = -terms.gamma[row];
            if let Some(k) = self.pressing.iter().position(|&own| own == row) {
                let (start, lane) = self.column(self.dof + EXTRA + k);
                self.rotated[start + i][lane] = 1.0;
            }
        }
        for p in 0..count {
            let panel = &mut self.rotated[panel(p)];
            if (p + 1) * LANES > self.dof {
                self.qr.solve_transposed_panel(&mut panel[..rank]);
            }
            self.qr.apply_panel(panel);
            scale_panel(panel, &self.units);
        }
    }

    fn project_mass(&mut self, terms: &Terms) {
        let (panel, dof) = (panels(self.nv), self.dof);
        if self.mass_version != Some(terms.mass_version) {
            self.mass.copy_from(&terms.mass);
            self.mass_version = Some(terms.mass_version);
        }
        for p in 0..blocks(self.columns()) {
            let range = panel(p);
            self.mass
                .product_panel(&self.rotated[range.clone()], &mut self.mass_rotated[range]);
        }
        let projected = self.projected.matrix_mut(dof);
        for i in 0..dof {
            let column = &self.rotated[panel(i / LANES)];
            for p in 0..=i / LANES {
                let along = dot_column(column, i % LANES, &self.mass_rotated[panel(p)]);
                let row = &mut projected[i * dof..][..=i];
                pairs_within(&mut row[p * LANES..], &along, |slot, value| *slot = *value);
            }
        }
    }

    /// The coordinate that moves most along a null-space column, to name a missing inertia.
    fn liveliest_coordinate(&self, column: usize) -> Option<usize> {
        let null = self.null_vector(column);
        (0..self.nv).max_by(|&i, &j| null[i].abs().total_cmp(&null[j].abs()))
    }

    pub(super) fn accelerations(&mut self, terms: &Terms, a: &mut [f64]) {
        let (start, lane) = self.column(self.dof + 1);
        let rows = start..start + self.nv;
        let solution = self.solution.as_flattened_mut();
        pairs_within(solution, &self.rotated[rows.clone()], |slot, row| *slot = row[lane]);
        let right = self.right.as_flattened_mut();
        right[..self.nv].copy_from_slice(&terms.force[..self.nv]);
        pairs_within(right, &self.mass_rotated[rows], |slot, row| *slot -= row[lane]);
        self.complete(a);
    }

    pub(super) fn solve(&mut self, mode: &Mode, r1: &[f64], r2: &[f64], a: &mut [f64]) {
        pseudo_inverse((&self.qr, &self.units), mode, |row| r2[row], &mut self.solution);
        let right = &mut self.right.as_flattened_mut()[..self.nv];
        self.mass.product(self.solution.as_flattened(), right);
        pairs_within(right, r1, |right, r1| *right = r1 - *right);
        self.complete(a);
    }

    /// The same with r2 = 0.
    pub(super) fn respond(&mut self, r1: &[f64], a: &mut [f64]) {
        self.solution.as_flattened_mut().fill(0.0);
        self.right.as_flattened_mut()[..self.nv].copy_from_slice(&r1[..self.nv]);
        self.complete(a);
    }

    /// a = p + H (H^T M H)^-1 H^T (r1 - M p), with p in `solution` and r1 - M p in `right`.
    fn complete(&mut self, a: &mut [f64]) {
        let (panel, dof, count) = (panels(self.nv), self.dof, blocks(self.dof));
        let right = &self.right.as_flattened()[..panel_rows(self.nv)];
        for p in 0..count {
            self.reduced[p] = dot_panel(right, &self.rotated[panel(p)]);
        }
        let reduced = self.reduced[..count].as_flattened_mut();
        // Columns after those of H take no part.
        reduced[dof..].fill(0.0);
        self.projected.solve(&mut reduced[..dof]);
        for p in 0..count {
            let [s0, s1, s2, s3] = self.reduced[p];
            let solution = self.solution.as_flattened_mut();
            pairs_within(solution, &self.rotated[panel(p)], |x, [r0, r1, r2, r3]| {
                *x += (s0 * r0 + s2 * r2) + (s1 * r1 + s3 * r3);
            });
        }
        a.copy_from_slice(&self.solution.as_flattened()[..self.nv]);
    }

    /// lambda = (C+)^T (M a - r1) for the `a` of the last solution.
    pub(super) fn multipliers(&mut self, mode: &Mode, r1: &[f64], lambda: &mut [f64]) {
        let entries = self.scratch.as_flattened_mut();
        entries.fill(0.0);
        self.mass.product(self.solution.as_flattened(), entries);
        pairs_within(entries, r1, |slot, force| *slot -= force);
        spread(
            (&self.qr, &self.units),
            mode,
            &mut self.scratch,
            &mut lambda[..mode.rows],
        );
    }

    /// Those that are wanted. What presses is read off the columns of C+ either way, so that friction is the same to the last digit.
    pub(super) fn wanted_multipliers(&mut self, mode: &Mode, r1: &[f64], (wanted, lambda): (Wanted, &mut [f64])) {
        match wanted {
            Wanted::Nothing => return,
            Wanted::Pressing if self.reads_no_others => lambda.fill(f64::NAN),
            Wanted::Pressing | Wanted::All => self.multipliers(mode, r1, lambda),
        }
        let a = &self.solution.as_flattened()[..self.nv];
        for (k, &row) in self.pressing.iter().enumerate() {
            let (start, lane) = self.column(self.dof + EXTRA + k);
            let columns = self.mass_rotated[start..].iter().zip(&self.rotated[start..]);
            let shares = columns.zip(a.iter().zip(r1));
            lambda[row] = shares.fold(0.0, |sum, ((mass, column), (a, force))| {
                sum + (mass[lane] * a - column[lane] * force)
            });
        }
    }

    /// q' <- q' - C+ c'.
    pub(super) fn remove_violation(&self, q_dot: &mut [f64]) {
        let (start, lane) = self.column(self.dof);
        pairs(q_dot, &self.rotated[start..][..self.nv], |x, row| *x -= row[lane]);
    }

    /// x <- x - C+ y for `y` given by the row of the mode.
    fn subtract_pseudo_inverse(&mut self, mode: &Mode, y: impl Fn(usize) -> f64, x: &mut [f64]) {
        if mode.independent.is_empty() {
            return;
        }
        pseudo_inverse((&self.qr, &self.units), mode, y, &mut self.scratch);
        pairs_within(x, self.scratch.as_flattened(), |x, s| *x -= s);
    }

    /// dq' = dv - C+ d(c') - d(C+) c', with d(C+) c' = -C+ dC u + H H^T dC^T w, u = C+ c', w = (C+)^T Sigma^-2 u (theory, 1.7).
    ///
    /// `along` holds the residual derivative of the direction; it is overwritten off the manifold.
    pub(super) fn velocity_slopes(&mut self, variation: &Variation, along: &mut ResidualAlong, q_dot: &mut [f64]) {
        let mode = variation.mode;
        self.subtract_pseudo_inverse(mode, |row| along.rate[row], q_dot);
        if variation.is_on_manifold() {
            return;
        }
        self.weigh_violation(mode);
        let (zero, zero_rows) = (&self.zero, &self.zero_rows[..mode.rows]);
        let base = Instant {
            v: zero,
            a: zero,
            lambda: zero_rows,
            ..variation.at
        };
        // Without velocity the rate is c_t, and without multipliers the force lacks -C^T w: differences isolate both terms.
        variation.residual_along(&base, along);
        self.row_slope[..mode.rows].copy_from_slice(&along.rate[..mode.rows]);
        let weighted = Instant {
            v: &self.violation,
            lambda: &self.weights[..mode.rows],
            ..base
        };
        variation.residual_along(&weighted, along);
        pairs_within(&mut self.row_slope[..mode.rows], &along.rate, |slot, rate| {
            *slot -= rate
        });
        let unweighted = Instant {
            lambda: zero_rows,
            ..weighted
        };
        self.slope.copy_from_slice(&along.force);
        variation.residual_along(&unweighted, along);
        pairs(&mut self.slope, &along.force, |slot, force| *slot = force - *slot);
        let row_slope = std::mem::take(&mut self.row_slope);
        self.subtract_pseudo_inverse(mode, |row| row_slope[row], q_dot);
        self.row_slope = row_slope;
        self.subtract_null_part(q_dot);
    }

    /// u = C+ c' and w = (C+)^T Sigma^-2 u, one entry per row of the mode, for d(C+) c' = -C+ dC u + H H^T dC^T w.
    pub fn violation(&mut self, mode: &Mode) -> (&[f64], &[f64]) {
        self.weigh_violation(mode);
        (&self.violation, &self.weights[..mode.rows])
    }

    /// rows = (C+)^T x: the transpose of the correction that removes the violation from q'.
    pub fn transposed_correction(&mut self, mode: &Mode, x: &[f64], rows: &mut [f64]) {
        let entries = self.scratch.as_flattened_mut();
        entries.fill(0.0);
        entries[..self.nv].copy_from_slice(x);
        spread((&self.qr, &self.units), mode, &mut self.scratch, rows);
    }

    /// u = C+ c' and w = (C+)^T Sigma^-2 u into `violation` and `weights`.
    fn weigh_violation(&mut self, mode: &Mode) {
        let (start, lane) = self.column(self.dof);
        pairs_within(&mut self.violation, &self.rotated[start..], |slot, row| {
            *slot = row[lane]
        });
        let entries = self.scratch.as_flattened_mut();
        entries.fill(0.0);
        entries[..self.nv].copy_from_slice(&self.violation);
        pairs_within(entries, &self.units, |x, unit| *x /= unit * unit);
        spread(
            (&self.qr, &self.units),
            mode,
            &mut self.scratch,
            &mut self.weights[..mode.rows],
        );
    }

    /// x <- x - H H^T slope.
    fn subtract_null_part(&mut self, x: &mut [f64]) {
        for i in 0..self.dof {
            let (start, lane) = self.column(i);
            let column = &self.rotated[start..][..self.nv];
            let mut share = 0.0;
            for (row, slope) in column.iter().enumerate() {
                share += slope[lane] * self.slope[row];
            }
            pairs(x, column, |x, row| *x -= share * row[lane]);
        }
    }
}

/// Ranges of the rows of each panel.
fn panels(nv: usize) -> impl Fn(usize) -> Range<usize> {
    let rows = panel_rows(nv);
    move |p| p * rows..(p + 1) * rows
}

fn scale_panel(panel: &mut [Block], units: &[f64]) {
    pairs_within(panel, units, |row, unit| {
        row.iter_mut().for_each(|entry| *entry *= unit)
    });
}

/// out = C+ y over the independent rows, for `y` given by the row of the mode.
fn pseudo_inverse((qr, units): (&Householder, &[f64]), mode: &Mode, y: impl Fn(usize) -> f64, out: &mut [Block]) {
    let entries = out.as_flattened_mut();
    entries.fill(0.0);
    pairs_within(entries, qr.independent(), |slot, &k| *slot = y(mode.independent[k]));
    qr.solve_transposed(&mut entries[..qr.rank()]);
    qr.apply(out);
    pairs_within(out.as_flattened_mut(), units, |x, unit| *x *= unit);
}

/// rows = (C+)^T x, with zero in dependent rows; x is overwritten.
fn spread((qr, units): (&Householder, &[f64]), mode: &Mode, x: &mut [Block], rows: &mut [f64]) {
    pairs_within(x.as_flattened_mut(), units, |x, unit| *x *= unit);
    qr.apply_transposed(x);
    let entries = x.as_flattened_mut();
    qr.solve(&mut entries[..qr.rank()]);
    rows.fill(0.0);
    for (i, &k) in qr.independent().iter().enumerate() {
        rows[mode.independent[k]] = entries[i];
    }
}
