//! Derivatives of accelerations and of q' along several directions at once, from the factors of the value.

use super::{Formulation, Nullspace, PenaltyFactors, Saddle, Variation};
use crate::linear::{LANES, Lane, pairs, pairs_within};
use crate::model::lanes::{Directions, ResidualLanes};
use crate::model::residual::Instant;
use crate::model::{Mode, Terms};

/// Scratch.
#[derive(Clone, Debug, Default)]
pub struct LaneScratch {
    /// d(C) u and d(M) u - d(C^T) w of the part that removes the violation from q'.
    matrix: ResidualLanes,
    still: Vec<Lane>,
    /// du.
    slope: Vec<Lane>,
    /// One direction: right-hand side and solution.
    force: Vec<f64>,
    rows: Vec<f64>,
    a: Vec<f64>,
    lambda: Vec<f64>,
}

impl Formulation {
    /// da along directions for which the derivatives of the residual are given, and d(lambda) where it is asked for.
    pub fn solve_lanes(
        &mut self,
        place: (&Mode, &Terms),
        residual: &ResidualLanes,
        found: (&mut [Lane], Option<&mut [Lane]>),
        scratch: &mut LaneScratch,
    ) {
        let factors = match self.in_force() {
            Self::Penalty(penalty) => Some(penalty.factors),
            _ => None,
        };
        let right = |row: usize| {
            let stabilization = |factors: PenaltyFactors| {
                let (c, rate) = (residual.c[row], residual.rate[row]);
                Lane::from_fn(|lane, _| factors.stabilization(c[lane], rate[lane]))
            };
            -residual.acceleration[row] - factors.map_or(Lane::zeros(), stabilization)
        };
        self.solve_all(place, (|i| -residual.force[i], right), found, scratch);
    }

    /// Solves K^T [alpha; -beta] = [r1; r2] for several right-hand sides, as [`Formulation::solve_transposed`].
    pub fn solve_transposed_lanes(
        &mut self,
        place: (&Mode, &Terms),
        (r1, r2): (&[Lane], &[Lane]),
        (alpha, beta): (&mut [Lane], &mut [Lane]),
        scratch: &mut LaneScratch,
    ) {
        self.solve_all(place, (|i| r1[i], |row| r2[row]), (alpha, Some(beta)), scratch);
    }

    /// K [a; -lambda] = [r1; r2].
    fn solve_all(
        &mut self,
        (mode, terms): (&Mode, &Terms),
        (r1, r2): (impl Fn(usize) -> Lane, impl Fn(usize) -> Lane),
        (a, lambda): (&mut [Lane], Option<&mut [Lane]>),
        scratch: &mut LaneScratch,
    ) {
        match self.in_force() {
            Self::Nullspace(nullspace) => {
                let panel = nullspace.solve_panel(mode, |i| r1(i).into(), |row| r2(row).into());
                pairs_within(a, panel, |slot, row| *slot = Lane::from(*row));
                if let Some(lambda) = lambda {
                    nullspace.multipliers_panel(mode, |i| r1(i).into(), lambda);
                }
            }
            Self::Saddle(saddle) => saddle.solve_lanes(terms, r1, r2, (a, lambda)),
            Self::Penalty(penalty) => penalty.solve_lanes(terms, r1, r2, (a, lambda)),
            formulation => formulation.solve_one_by_one((mode, terms), (r1, r2), (a, lambda), scratch),
        }
    }

    fn solve_one_by_one(
        &mut self,
        (mode, terms): (&Mode, &Terms),
        (r1, r2): (impl Fn(usize) -> Lane, impl Fn(usize) -> Lane),
        (found, mut multipliers): (&mut [Lane], Option<&mut [Lane]>),
        scratch: &mut LaneScratch,
    ) {
        let LaneScratch {
            force, rows, a, lambda, ..
        } = scratch;
        a.resize(found.len(), 0.0);
        lambda.resize(mode.rows, 0.0);
        for lane in 0..LANES {
            force.clear();
            rows.clear();
            force.extend((0..found.len()).map(|i| r1(i)[lane]));
            rows.extend((0..mode.rows).map(|row| r2(row)[lane]));
            self.solve(mode, terms, force, rows, a, lambda);
            pairs(found, a, |slot, value| slot[lane] = *value);
            if let Some(multipliers) = &mut multipliers {
                pairs_within(multipliers, lambda, |slot, value| slot[lane] = *value);
            }
        }
    }

    /// [`Formulation::transposed_correction`] for several costates.
    pub fn transposed_correction_lanes(&mut self, (mode, terms): (&Mode, &Terms), mu: &[Lane], rows: &mut [Lane]) {
        match self.in_force() {
            Self::Nullspace(nullspace) => nullspace.spread_panel(mode, |i| (-mu[i]).into(), rows),
            Self::Saddle(saddle) => saddle.transposed_correction_lanes(terms, mu, rows),
            Self::Multipliers(_) | Self::Penalty(_) => {}
        }
    }

    /// Adds to `q_dot` = dv what else dq' consists of.
    pub fn velocity_lanes(
        &mut self,
        variation: &Variation<&Directions>,
        residual: &ResidualLanes,
        q_dot: &mut [Lane],
        scratch: &mut LaneScratch,
    ) {
        match self.in_force() {
            Self::Nullspace(nullspace) => nullspace.velocity_lanes(variation, residual, q_dot, scratch),
            Self::Saddle(saddle) => saddle.velocity_lanes(variation, residual, q_dot, scratch),
            Self::Multipliers(_) | Self::Penalty(_) => {}
        }
    }
}

impl Variation<'_, &Directions<'_>> {
    /// Writes d(C) u and d(C^T) w, and d(M) u `with_mass`, to the scratch.
    fn matrix_lanes(&self, (u, w): (&[f64], &[f64]), with_mass: bool, scratch: &mut LaneScratch) {
        scratch.still.resize(u.len(), Lane::zeros());
        let directions = Directions {
            v: &scratch.still,
            ..*self.direction
        };
        let at = Instant {
            v: u,
            lambda: w,
            ..self.at
        };
        let place = (self.mode, self.terms);
        (self.model).matrix_lanes(&at, place, &directions, with_mass, &mut scratch.matrix);
    }
}

impl Nullspace {
    /// dq' = dv - C+ (d(c') - dC u) - H H^T dC^T w, as [`Formulation::velocity_slopes`].
    fn velocity_lanes(
        &mut self,
        variation: &Variation<&Directions>,
        residual: &ResidualLanes,
        q_dot: &mut [Lane],
        scratch: &mut LaneScratch,
    ) {
        let (mode, rate) = (variation.mode, &residual.rate);
        let panel = if variation.is_on_manifold() {
            self.pseudo_inverse_panel(mode, |row| rate[row].into())
        } else {
            variation.matrix_lanes(self.violation(mode), false, scratch);
            let matrix = &scratch.matrix;
            self.correction_panel(
                mode,
                |row| (rate[row] - matrix.rate[row]).into(),
                |i| (-matrix.force[i]).into(),
            )
        };
        pairs_within(q_dot, panel, |slot, row| *slot -= Lane::from(*row));
    }
}

impl Saddle {
    /// dq' = dv - du with K [du; -dw] = [-(dM u - dC^T w); d(c') - dC u].
    fn velocity_lanes(
        &mut self,
        variation: &Variation<&Directions>,
        residual: &ResidualLanes,
        q_dot: &mut [Lane],
        scratch: &mut LaneScratch,
    ) {
        let (terms, rate) = (variation.terms, &residual.rate);
        let Some(violation) = self.violation(variation.mode, terms) else {
            return;
        };
        let mut slope = std::mem::take(&mut scratch.slope);
        slope.resize(q_dot.len(), Lane::zeros());
        if variation.is_on_manifold() {
            self.solve_lanes(terms, |_| Lane::zeros(), |row| rate[row], (&mut slope, None));
        } else {
            variation.matrix_lanes(violation, true, scratch);
            let matrix = &scratch.matrix;
            self.solve_lanes(
                terms,
                |i| -matrix.force[i],
                |row| rate[row] - matrix.rate[row],
                (&mut slope, None),
            );
        }
        pairs(q_dot, &slope, |x, du| *x -= du);
        scratch.slope = slope;
    }
}
