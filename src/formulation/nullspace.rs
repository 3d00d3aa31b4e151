//! QR null-space projection (Held and Seifried; theory, 1.4 - 1.6).
//!
//! With C^T = [Q1 Q2] [R; 0] and C+ = Q1 R^-T:
//! a = Q2 (Q2^T M Q2)^-1 Q2^T (f + M C+ gamma) - C+ gamma, lambda = (C+)^T (M a - f), q' = v - C+ c'.
//! The last is Q2 Q2^T v - C+ c_t, since Q2 Q2^T = I - C+ C.

use crate::linear::{Block, Cholesky, Householder, add_scaled_blocks, blocks, dot_blocks, max_abs, padded};
use crate::model::constraint::Direction;
use crate::model::residual::{Instant, ResidualAlong};
use crate::model::{Mode, Model, Terms};

/// Velocity residuals below this fraction of the velocities are rounding: the terms they multiply are left out.
const ON_MANIFOLD: f64 = 1e-13;

/// Vectors that are rotated together with the columns of Q2, before them.
const LEADING: usize = 2;

/// Factors and scratch; vectors are padded.
#[derive(Clone, Debug)]
pub struct Nullspace {
    nv: usize,
    /// Blocks of a vector of nv entries.
    height: usize,
    /// QR of C^T over the independent rows.
    qr: Householder,
    /// C+ c', -C+ gamma, and Q2 by columns; written by `factor`.
    rotated: Vec<Block>,
    /// M by rows; written by `factor`.
    mass: Vec<Block>,
    /// Version of the mass matrix in `mass`.
    mass_version: Option<u64>,
    /// M Q2 by columns; written by `factor`.
    mass_null: Vec<Block>,
    /// Degrees of freedom: columns of Q2.
    dof: usize,
    /// Factor of Q2^T M Q2.
    projected: Cholesky,
    /// A force or right-hand side.
    right: Vec<Block>,
    /// Particular part -C+ gamma of an acceleration, and then the whole.
    solution: Vec<Block>,
    /// Projected right-hand side, nv entries.
    reduced: Vec<f64>,
    scratch: Vec<Block>,
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
    /// Workspace for nv velocities and at most `rows` constraint rows.
    pub fn new(nv: usize, rows: usize) -> Self {
        let vector = padded(nv);
        let matrix = vec![[0.0; 4]; blocks(nv) * nv];
        Self {
            nv,
            height: blocks(nv),
            qr: Householder::new(nv, rows),
            rotated: vec![[0.0; 4]; blocks(nv) * (nv + LEADING)],
            mass: matrix.clone(),
            mass_version: None,
            mass_null: matrix,
            dof: 0,
            projected: Cholesky::new(nv),
            right: vector.clone(),
            solution: vector.clone(),
            reduced: vec![0.0; nv],
            scratch: vector,
            zero: vec![0.0; nv],
            violation: vec![0.0; nv],
            slope: vec![0.0; nv],
            zero_rows: vec![0.0; rows],
            weights: vec![0.0; rows],
            row_slope: vec![0.0; rows],
        }
    }

    /// Column i of Q2 (nv entries). One choice of basis: only products that do not depend on the choice have a meaning.
    pub fn null_vector(&self, i: usize) -> &[f64] {
        &self.null_blocks(i).as_flattened()[..self.nv]
    }

    fn null_blocks(&self, i: usize) -> &[Block] {
        &self.rotated[(LEADING + i) * self.height..(LEADING + i + 1) * self.height]
    }

    /// Degrees of freedom at the factored state: columns of Q2.
    pub fn degrees_of_freedom(&self) -> usize {
        self.dof
    }

    pub(super) fn factor(&mut self, mode: &Mode, terms: &Terms) -> Result<(), Option<usize>> {
        let nv = self.nv;
        self.qr.begin(mode.independent.len());
        for (k, &row) in mode.independent.iter().enumerate() {
            self.qr.set_column(k, &terms.jacobian[row * nv..(row + 1) * nv]);
        }
        self.qr.factor();
        self.rotate(mode, terms);
        self.project_mass(terms);
        self.projected
            .factor()
            .map_err(|column| self.liveliest_coordinate(column))
    }

    /// Applies Q at once to R^-T c', -R^-T gamma and the unit vectors beyond the rank: C+ c', -C+ gamma and Q2.
    fn rotate(&mut self, mode: &Mode, terms: &Terms) {
        let (height, rank) = (self.height, self.qr.rank());
        self.dof = self.nv - rank;
        let used = &mut self.rotated[..(LEADING + self.dof) * height];
        used.as_flattened_mut().fill(0.0);
        let (leading, null) = used.split_at_mut(LEADING * height);
        let (violation, particular) = leading.split_at_mut(height);
        let slots = violation
            .as_flattened_mut()
            .iter_mut()
            .zip(particular.as_flattened_mut());
        for ((violation, particular), &k) in slots.zip(self.qr.independent()) {
            let row = mode.independent[k];
            *violation = terms.rate[row];
            *particular = -terms.gamma[row];
        }
        self.qr.solve_transposed(&mut violation.as_flattened_mut()[..rank]);
        self.qr.solve_transposed(&mut particular.as_flattened_mut()[..rank]);
        for (i, column) in null.chunks_exact_mut(height).enumerate() {
            column.as_flattened_mut()[rank + i] = 1.0;
        }
        self.qr.apply(used);
    }

    fn project_mass(&mut self, terms: &Terms) {
        match self.height {
            1 => self.project_mass_columns(1, terms),
            2 => self.project_mass_columns(2, terms),
            3 => self.project_mass_columns(3, terms),
            height => self.project_mass_columns(height, terms),
        }
    }

    #[inline(always)]
    fn project_mass_columns(&mut self, height: usize, terms: &Terms) {
        let dof = self.dof;
        if self.mass_version != Some(terms.mass_version) {
            for (padded, row) in self.mass.chunks_exact_mut(height).zip(terms.mass.chunks_exact(self.nv)) {
                padded.as_flattened_mut()[..self.nv].copy_from_slice(row);
            }
            self.mass_version = Some(terms.mass_version);
        }
        let null = &self.rotated[LEADING * height..(LEADING + dof) * height];
        for (null, product) in null.chunks_exact(height).zip(self.mass_null.chunks_exact_mut(height)) {
            for (slot, row) in product
                .as_flattened_mut()
                .iter_mut()
                .zip(self.mass.chunks_exact(height))
            {
                *slot = dot_blocks(row, null);
            }
        }
        let projected = self.projected.matrix_mut(dof);
        for (i, product) in self.mass_null.chunks_exact(height).take(dof).enumerate() {
            for (j, null) in null.chunks_exact(height).take(i + 1).enumerate() {
                projected[i * dof + j] = dot_blocks(product, null);
            }
        }
    }

    /// The coordinate that moves most along a null-space column, to name a missing inertia.
    fn liveliest_coordinate(&self, column: usize) -> Option<usize> {
        let null = self.null_vector(column);
        (0..self.nv).max_by(|&i, &j| null[i].abs().total_cmp(&null[j].abs()))
    }

    pub(super) fn accelerations(&mut self, terms: &Terms, a: &mut [f64]) {
        self.solution
            .copy_from_slice(&self.rotated[self.height..2 * self.height]);
        self.complete(&terms.force, a);
    }

    pub(super) fn solve(&mut self, mode: &Mode, r1: &[f64], r2: &[f64], a: &mut [f64]) {
        pseudo_inverse(&self.qr, mode, |row| r2[row], &mut self.solution);
        self.complete(r1, a);
    }

    /// a = p + Q2 (Q2^T M Q2)^-1 Q2^T (r1 - M p) with the particular part p in place.
    fn complete(&mut self, r1: &[f64], a: &mut [f64]) {
        let (nv, height, dof) = (self.nv, self.height, self.dof);
        self.right.as_flattened_mut()[..nv].copy_from_slice(r1);
        let null = &self.rotated[LEADING * height..(LEADING + dof) * height];
        let products = self.mass_null.chunks_exact(height);
        for (slot, (null, product)) in self.reduced.iter_mut().zip(null.chunks_exact(height).zip(products)) {
            *slot = dot_blocks(null, &self.right) - dot_blocks(product, &self.solution);
        }
        self.projected.solve(&mut self.reduced[..dof]);
        for (null, &share) in null.chunks_exact(height).zip(&self.reduced) {
            add_scaled_blocks(&mut self.solution, share, null);
        }
        a.copy_from_slice(&self.solution.as_flattened()[..nv]);
    }

    /// lambda = (C+)^T (M a - r1) for the `a` of the last solution.
    pub(super) fn multipliers(&mut self, mode: &Mode, r1: &[f64], lambda: &mut [f64]) {
        let entries = self.scratch.as_flattened_mut();
        for ((slot, row), force) in entries.iter_mut().zip(self.mass.chunks_exact(self.height)).zip(r1) {
            *slot = dot_blocks(row, &self.solution) - force;
        }
        spread(&self.qr, mode, &mut self.scratch, &mut lambda[..mode.rows]);
    }

    /// q' <- q' - C+ c'.
    pub(super) fn remove_violation(&self, q_dot: &mut [f64]) {
        for (x, s) in q_dot.iter_mut().zip(self.rotated[..self.height].as_flattened()) {
            *x -= s;
        }
    }

    /// x <- x - C+ y for `y` given by the row of the mode.
    fn subtract_pseudo_inverse(&mut self, mode: &Mode, y: impl Fn(usize) -> f64, x: &mut [f64]) {
        if mode.independent.is_empty() {
            return;
        }
        pseudo_inverse(&self.qr, mode, y, &mut self.scratch);
        for (x, s) in x.iter_mut().zip(self.scratch.as_flattened()) {
            *x -= s;
        }
    }

    /// dq' = dv - C+ d(c') - d(C+) c', with d(C+) c' = -C+ dC u + Q2 Q2^T dC^T w, u = C+ c', w = (C+)^T u (theory, 1.7).
    ///
    /// `along` holds the residual derivative of the direction; it is overwritten off the manifold.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn velocity_slopes(
        &mut self,
        model: &Model,
        mode: &Mode,
        terms: &Terms,
        at: &Instant,
        direction: &Direction,
        along: &mut ResidualAlong,
        q_dot: &mut [f64],
    ) {
        self.subtract_pseudo_inverse(mode, |row| along.rate[row], q_dot);
        if max_abs(&terms.rate[..mode.rows]) <= ON_MANIFOLD * max_abs(at.v) {
            return;
        }
        self.weigh_violation(mode);
        let (zero, zero_rows) = (&self.zero, &self.zero_rows[..mode.rows]);
        let still = Direction { v: zero, ..*direction };
        let base = Instant {
            v: zero,
            a: zero,
            lambda: zero_rows,
            ..*at
        };
        // Without velocity the rate is c_t, and without multipliers the force lacks -C^T w: differences isolate both terms.
        model.residual_along(&base, mode, terms, &still, along);
        self.row_slope[..mode.rows].copy_from_slice(&along.rate[..mode.rows]);
        let weighted = Instant {
            v: &self.violation,
            lambda: &self.weights[..mode.rows],
            ..base
        };
        model.residual_along(&weighted, mode, terms, &still, along);
        for (slot, rate) in self.row_slope[..mode.rows].iter_mut().zip(&along.rate) {
            *slot -= rate;
        }
        let unweighted = Instant {
            lambda: zero_rows,
            ..weighted
        };
        self.slope.copy_from_slice(&along.force);
        model.residual_along(&unweighted, mode, terms, &still, along);
        for (slot, force) in self.slope.iter_mut().zip(&along.force) {
            *slot = force - *slot;
        }
        let row_slope = std::mem::take(&mut self.row_slope);
        self.subtract_pseudo_inverse(mode, |row| row_slope[row], q_dot);
        self.row_slope = row_slope;
        self.subtract_null_part(q_dot);
    }

    /// rows = (C+)^T x: the transpose of the correction that removes the violation from q'.
    pub fn transposed_correction(&mut self, mode: &Mode, x: &[f64], rows: &mut [f64]) {
        self.scratch.as_flattened_mut()[..self.nv].copy_from_slice(x);
        spread(&self.qr, mode, &mut self.scratch, rows);
    }

    /// u = C+ c' and w = (C+)^T u into `violation` and `weights`.
    fn weigh_violation(&mut self, mode: &Mode) {
        self.scratch.copy_from_slice(&self.rotated[..self.height]);
        self.violation.copy_from_slice(&self.scratch.as_flattened()[..self.nv]);
        spread(&self.qr, mode, &mut self.scratch, &mut self.weights[..mode.rows]);
    }

    /// x <- x - Q2 Q2^T slope.
    fn subtract_null_part(&mut self, x: &mut [f64]) {
        self.right.as_flattened_mut()[..self.nv].copy_from_slice(&self.slope);
        for i in 0..self.dof {
            let null = self.null_blocks(i);
            let share = dot_blocks(null, &self.right);
            for (x, n) in x.iter_mut().zip(null.as_flattened()) {
                *x -= share * n;
            }
        }
    }
}

/// out = C+ y over the independent rows, for `y` given by the row of the mode.
fn pseudo_inverse(qr: &Householder, mode: &Mode, y: impl Fn(usize) -> f64, out: &mut [Block]) {
    let entries = out.as_flattened_mut();
    entries.fill(0.0);
    for (slot, &k) in entries.iter_mut().zip(qr.independent()) {
        *slot = y(mode.independent[k]);
    }
    qr.solve_transposed(&mut entries[..qr.rank()]);
    qr.apply(out);
}

/// rows = (C+)^T x, with zero in dependent rows; x is overwritten.
fn spread(qr: &Householder, mode: &Mode, x: &mut [Block], rows: &mut [f64]) {
    qr.apply_transposed(x);
    let entries = x.as_flattened_mut();
    qr.solve(&mut entries[..qr.rank()]);
    rows.fill(0.0);
    for (&k, &value) in qr.independent().iter().zip(&*entries) {
        rows[mode.independent[k]] = value;
    }
}
