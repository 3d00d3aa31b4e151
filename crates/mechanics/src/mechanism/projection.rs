//! Projection of positions and velocities onto the constraints after a step (theory, section 1, drift).

use super::transposed_scratch::TransposedScratch;
use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::At;
use crate::linear::{Weight, add_scaled, pairs, pairs_within};
use crate::model::{Mode, Sizes, Terms};

/// Residuals (over the change that coordinates as large as the mechanism give to their row) below this are left alone: a
/// hundred times the rounding of unit coordinates.
const ENOUGH: f64 = 5e-16;

/// Share of the size of the mechanism that its coordinates and velocities count as at least.
const LEAST: f64 = 0.1;

/// Newton steps of one projection; the residual of an accepted step squares with each.
const MOST_STEPS: usize = 6;

impl Mechanism {
    /// Moves q and v of a state onto the constraints; true if they moved.
    ///
    /// # Errors
    /// Kind `Singular` when the positions do not close although the Jacobian is regular: the step was too long.
    pub(super) fn project_state(&self, t: f64, mode: &Mode, x: &mut [f64], workspace: &mut Workspace) -> Result<bool> {
        let Workspace {
            terms,
            projector,
            regularity,
            correction,
            ..
        } = workspace;
        // Corrections lead to where the joints close with quaternions of this length.
        let lengthened = self.normalize(x);
        if mode.rows == 0 {
            return Ok(lengthened);
        }
        self.load_memory(x, terms);
        let (positions, velocities) = (self.positions(), self.velocities());
        let mut moved = false;
        let mut last = f64::INFINITY;
        for step in 0..=MOST_STEPS {
            let (q, v) = (&x[positions.clone()], &x[velocities.clone()]);
            self.model.assemble_constraints(t, q, v, mode, terms);
            let (position, velocity) = self.worst(mode, terms, q, v);
            // Near a singular position the residual stalls above rounding: it is as small as it gets.
            let closed = position <= ENOUGH || (position >= 0.5 * last && position < 1e-9);
            if closed && (velocity <= ENOUGH || step > 0) {
                let moves = velocity > ENOUGH;
                // Where the state was on the constraints, nothing else has measured it.
                if moves || !moved {
                    *regularity = Some((t, projector.factor(mode, terms)));
                }
                if moves {
                    projector.least_correction(mode, terms, &terms.rate, correction);
                    add_scaled(&mut x[velocities.clone()], -1.0, correction);
                }
                return Ok(moved || moves || lengthened);
            }
            if step == MOST_STEPS || position.is_nan() || (position > last && position > 1e-6) {
                break;
            }
            *regularity = Some((t, projector.factor(mode, terms)));
            if !closed {
                projector.least_correction(mode, terms, &terms.c, correction);
                self.shift(correction, &mut x[positions.clone()]);
                last = position;
            }
            moved = true;
        }
        Err(self.not_closed(At::new(t, mode, x), workspace))
    }

    /// Moves positions by minus Z times a correction.
    fn shift(&self, correction: &[f64], q: &mut [f64]) {
        self.model.displace(q, -1.0, correction);
        self.model.normalize(q);
    }

    /// Gives quaternions their length; true if any of them lacked more than rounding.
    pub(super) fn normalize(&self, x: &mut [f64]) -> bool {
        self.model.normalize(&mut x[self.positions()])
    }

    /// Takes from a change of the state what changes the length of quaternions, or the same from a costate.
    pub(super) fn keep_lengths(&self, at: At<Mode>, change: &mut [f64]) {
        let q = &at.x[self.positions()];
        self.model.remove_lengthening(q, &mut change[self.positions()]);
    }

    /// Whether steps are projected onto the constraints.
    pub(super) fn projects_joints(&self) -> bool {
        self.choices.projection && self.needs_independent_rows()
    }

    /// The transpose of [`Mechanism::project_lanes`], for one costate or as many as there are lanes.
    pub(super) fn joints_vjp<T: Weight>(
        &self,
        at: At<Mode>,
        (mu, numbers_bar): (&mut [f64], &mut [f64]),
        scratch: &mut TransposedScratch<T>,
        workspace: &mut Workspace,
    ) {
        if !self.projects_joints() || at.mode.rows == 0 {
            mu.chunks_exact_mut(at.x.len()).for_each(|mu| self.keep_lengths(at, mu));
            return;
        }
        let (n, memory) = (at.x.len(), self.model.memory_start());
        let Workspace {
            terms,
            projector,
            correction,
            right,
            a,
            lambda,
            ..
        } = workspace;
        for part in [self.velocities(), self.positions()] {
            // The gradient of y.c or y.c' with y = (C+)^T mu over the positions or velocities.
            scratch.clear();
            scratch.clear_weights();
            let y = if part.start == 0 {
                &mut scratch.value
            } else {
                &mut scratch.rate
            };
            for (lane, mu) in mu.chunks_exact_mut(n).enumerate() {
                let own = &mut mu[part.clone()];
                if part.start == 0 && !self.model.frames.is_empty() {
                    self.model.write_transposed(&at.x[part.clone()], own, correction);
                } else {
                    correction.copy_from_slice(own);
                }
                projector.transposed(at.mode, terms, correction, &mut right[..at.mode.rows]);
                pairs_within(y, &right[..at.mode.rows], |slot, value| slot.set_lane(lane, *value));
            }
            scratch.add_residual_gradient(&self.model, &self.instant(at, a, lambda), at.mode, terms);
            for (lane, mu) in mu.chunks_exact_mut(n).enumerate() {
                let subtract = |to: &mut [f64], from: &[T]| pairs(to, from, |to, from| *to -= from.lane(lane));
                subtract(&mut mu[self.positions()], &scratch.q);
                subtract(&mut mu[self.velocities()], &scratch.v);
                subtract(&mut numbers_bar[lane * memory..][..memory], &scratch.numbers[..memory]);
                subtract(&mut mu[self.quadratures().end..], &scratch.numbers[memory..]);
            }
        }
        mu.chunks_exact_mut(n).for_each(|mu| self.keep_lengths(at, mu));
    }

    /// Largest residuals of the independent rows over the change that coordinates and velocities of the size of the state give
    /// to them.
    fn worst(&self, mode: &Mode, terms: &Terms, q: &[f64], v: &[f64]) -> (f64, f64) {
        let Sizes { length, speed } = self.sizes;
        let least = |length: f64, angle: f64| [LEAST * length, LEAST * angle];
        let positions = self.model.spread(q, least(length, 1.0));
        let velocities = self.model.spread_of_rates(v, least(speed, speed / length));
        let mut most = (0.0, 0.0);
        for &row in &mode.independent {
            let reach = |sizes| self.model.reach_of_rates(terms.jacobian.row(row).entries(), sizes);
            let position = terms.c[row].abs() / reach(positions);
            let velocity = terms.rate[row].abs() / reach(velocities);
            if position > most.0 || position.is_nan() {
                most.0 = position;
            }
            if velocity > most.1 || velocity.is_nan() {
                most.1 = velocity;
            }
        }
        most
    }
}
