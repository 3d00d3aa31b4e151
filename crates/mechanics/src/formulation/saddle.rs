//! The saddle system by blocks (see [`Blocks`]), for many coordinates: the index-1 system (theory, 1.3), and with q' = v - u
//! the null-space projection without its basis.
//!
//! K [u; -w] = [0; c'] takes off v what violates c' = 0: the projection onto the null space of C in the metric of M, which is
//! H (H^T M H)^-1 H^T M v on the constraints at rest. Accelerations are those of (1.5).

use super::blocks::{Blocks, Lanes};
use super::{Formulation, Multipliers, Nullspace, Variation};
use crate::linear::{LANES, Lane, pairs, pairs_within};
use crate::model::residual::{Instant, ResidualAlong};
use crate::model::{Mode, Terms};

/// Factors and scratch.
#[derive(Clone, Debug)]
pub struct Saddle {
    blocks: Blocks,
    /// Sizes of the velocities, for QR where it stands in.
    units: Vec<f64>,
    /// Whether q' is v without what violates c'; else v.
    corrects: bool,
    /// u and w, and whether they are those of the factors.
    violation: Vec<f64>,
    weights: Vec<f64>,
    is_weighed: bool,
    one: Lanes<1>,
    two: Lanes<2>,
    four: Lanes<LANES>,
    /// d u, and right-hand sides.
    slope: Vec<f64>,
    force: Vec<f64>,
    rows: Vec<f64>,
    /// Zeros, one per row.
    zero_rows: Vec<f64>,
    /// QR or LU, made when first needed, and whether it stands in where the system was factored last: rows depend on each other
    /// there.
    dense: Option<Box<Formulation>>,
    by_dense: bool,
}

impl Saddle {
    /// Workspace for at most `rows` constraint rows over velocities of these sizes; `corrects` asks for the null-space form.
    pub fn new(units: &[f64], rows: usize, corrects: bool) -> Self {
        let nv = units.len();
        Self {
            units: units.to_vec(),
            blocks: Blocks::default(),
            corrects,
            violation: vec![0.0; nv],
            weights: vec![0.0; rows],
            is_weighed: false,
            one: Lanes::default(),
            two: Lanes::default(),
            four: Lanes::default(),
            slope: vec![0.0; nv],
            force: vec![0.0; nv],
            rows: vec![0.0; rows],
            zero_rows: vec![0.0; rows],
            dense: None,
            by_dense: false,
        }
    }

    /// Whether q' is v without what violates c' = 0.
    pub fn corrects(&self) -> bool {
        self.corrects
    }

    /// The factors, unless another stands in.
    pub(super) fn blocks(&self) -> Option<&Blocks> {
        Some(&self.blocks).filter(|_| !self.by_dense)
    }

    /// The same formulation by QR or LU, which stands in from here on.
    pub(super) fn replaced(&mut self) -> &mut Formulation {
        let (units, rows, corrects) = (&self.units, self.zero_rows.len(), self.corrects);
        self.by_dense = true;
        self.dense.get_or_insert_with(|| {
            Box::new(match corrects {
                true => Formulation::Nullspace(Nullspace::new(rows, units)),
                false => Formulation::Multipliers(Multipliers::new(units.len(), rows)),
            })
        })
    }

    /// Whether another stands in where the system was factored last.
    pub fn is_replaced(&self) -> bool {
        self.by_dense
    }

    /// Factors by blocks.
    pub(super) fn factor(&mut self, mode: &Mode, terms: &Terms) -> Result<(), Option<usize>> {
        (self.is_weighed, self.by_dense) = (false, false);
        let working_set = (&mode.constraints[..], &mode.independent[..]);
        self.blocks
            .factor(working_set, (&terms.mass, terms.mass_version), &terms.jacobian)
    }

    /// In the null-space form with u and w, which the flow asks for next.
    pub(super) fn accelerations(&mut self, mode: &Mode, terms: &Terms, a: &mut [f64], lambda: Option<&mut [f64]>) {
        let lambda = lambda.map(|lambda| &mut lambda[..mode.rows]);
        let matrices = (&*terms.mass, &*terms.jacobian);
        if !self.corrects {
            let found = (a, lambda);
            let gamma = |row: usize| -terms.gamma[row];
            return self
                .blocks
                .solve(matrices, Some(&terms.force), gamma, found, &mut self.one);
        }
        let lanes = &mut self.two;
        let rows = |row: usize| [-terms.gamma[row], terms.rate[row]];
        self.blocks
            .solve_lanes(matrices, |i| [terms.force[i], 0.0], rows, lanes);
        self.blocks.take(0, lanes, a, lambda);
        let weights = Some(&mut self.weights[..mode.rows]);
        self.blocks.take(1, lanes, &mut self.violation, weights);
        self.is_weighed = true;
    }

    pub(super) fn solve(
        &mut self,
        mode: &Mode,
        terms: &Terms,
        r1: &[f64],
        r2: &[f64],
        a: &mut [f64],
        lambda: &mut [f64],
    ) {
        let matrices = (&*terms.mass, &*terms.jacobian);
        let found = (a, Some(&mut lambda[..mode.rows]));
        self.blocks
            .solve(matrices, Some(r1), |row| r2[row], found, &mut self.one);
    }

    /// Solves K [a; -lambda] = [r1; r2] for several right-hand sides.
    pub(super) fn solve_lanes(
        &mut self,
        terms: &Terms,
        r1: impl Fn(usize) -> Lane,
        r2: impl Fn(usize) -> Lane,
        (a, lambda): (&mut [Lane], Option<&mut [Lane]>),
    ) {
        let matrices = (&*terms.mass, &*terms.jacobian);
        let (r1, r2) = (|i: usize| r1(i).into(), |row: usize| r2(row).into());
        self.blocks.solve_lanes(matrices, r1, r2, &mut self.four);
        self.blocks.take_all(&self.four, a, lambda);
    }

    /// u and w, where q' is v - u.
    pub(super) fn violation(&mut self, mode: &Mode, terms: &Terms) -> Option<(&[f64], &[f64])> {
        if !self.corrects {
            return None;
        }
        self.weigh_violation(mode, terms);
        Some((&self.violation, &self.weights[..mode.rows]))
    }

    /// q' <- q' - u.
    pub(super) fn remove_violation(&mut self, mode: &Mode, terms: &Terms, q_dot: &mut [f64]) {
        if self.corrects {
            self.weigh_violation(mode, terms);
            pairs(q_dot, &self.violation, |x, u| *x -= u);
        }
    }

    fn weigh_violation(&mut self, mode: &Mode, terms: &Terms) {
        if !std::mem::replace(&mut self.is_weighed, true) {
            let matrices = (&*terms.mass, &*terms.jacobian);
            let found = (&mut self.violation[..], Some(&mut self.weights[..mode.rows]));
            self.blocks
                .solve(matrices, None, |row| terms.rate[row], found, &mut self.one);
        }
    }

    /// dq' = dv - du with K [du; -dw] = [-(dM u - dC^T w); d(c') - dC u].
    ///
    /// `along` holds the residual derivative of the direction; it is overwritten off the manifold.
    pub(super) fn velocity_slopes(&mut self, variation: &Variation, along: &mut ResidualAlong, q_dot: &mut [f64]) {
        if !self.corrects {
            return;
        }
        let (mode, terms) = (variation.mode, variation.terms);
        pairs_within(&mut self.rows[..mode.rows], &along.rate, |slot, rate| *slot = *rate);
        self.force.fill(0.0);
        if !variation.is_on_manifold() {
            self.weigh_violation(mode, terms);
            self.subtract_matrix_slopes(variation, along);
        }
        let matrices = (&*terms.mass, &*terms.jacobian);
        let rows = &self.rows;
        let found = (&mut self.slope[..], None);
        self.blocks
            .solve(matrices, Some(&self.force), |row| rows[row], found, &mut self.one);
        pairs(q_dot, &self.slope, |x, du| *x -= du);
    }

    /// Subtracts dM u - dC^T w and dC u from the right-hand sides: what the residual without velocity gains by the accelerations
    /// u and the multipliers w.
    fn subtract_matrix_slopes(&mut self, variation: &Variation, along: &mut ResidualAlong) {
        let (rows, still) = (variation.mode.rows, &variation.terms.still);
        let resting = Instant {
            v: still,
            a: still,
            lambda: &self.zero_rows[..rows],
            ..variation.at
        };
        let violating = Instant {
            a: &self.violation,
            lambda: &self.weights[..rows],
            ..resting
        };
        for (instant, sign) in [(violating, -1.0), (resting, 1.0)] {
            variation.residual_along(&instant, along);
            pairs(&mut self.force, &along.force, |slot, force| *slot += sign * force);
            pairs_within(&mut self.rows[..rows], &along.acceleration, |slot, acceleration| {
                *slot += sign * acceleration;
            });
        }
    }

    /// Weights of c' in the transposed derivative of -u, for a costate of the positions.
    pub fn transposed_correction(&mut self, mode: &Mode, terms: &Terms, mu: &[f64], rows: &mut [f64]) {
        if self.corrects {
            let matrices = (&*terms.mass, &*terms.jacobian);
            let found = (&mut self.slope[..], Some(&mut rows[..mode.rows]));
            self.blocks.solve(matrices, Some(mu), |_| 0.0, found, &mut self.one);
        }
    }

    /// The same for several costates.
    pub(super) fn transposed_correction_lanes(&mut self, terms: &Terms, mu: &[Lane], rows: &mut [Lane]) {
        if self.corrects {
            let matrices = (&*terms.mass, &*terms.jacobian);
            let zero = |_| [0.0; LANES];
            self.blocks
                .solve_lanes(matrices, |i| mu[i].into(), zero, &mut self.four);
            self.blocks.take_multipliers(&self.four.unknowns[mu.len()..], rows);
        }
    }
}
