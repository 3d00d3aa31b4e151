//! Derivative of the projection onto the constraints at a state on them, along a direction and transposed (theory, 8.1).

use super::projection::{factor, least_correction};
use super::{Mechanism, Workspace};
use crate::hybrid::At;
use crate::linear::add_scaled;
use crate::model::Mode;
use crate::model::constraint::Direction;

impl Mechanism {
    /// Factors the constraint Jacobian at a projected state; the next calls of the other two functions refer to it.
    pub(super) fn factor_projection(&self, at: At<Mode>, workspace: &mut Workspace) {
        let At { t, mode, x } = at;
        let Workspace {
            terms,
            projector,
            regularity,
            ..
        } = workspace;
        self.load_memory(x, terms);
        let (q, v) = (&x[self.positions()], &x[self.velocities()]);
        self.model.assemble_constraints(t, q, v, mode, terms);
        *regularity = Some((t, factor(mode, terms, projector)));
    }

    /// dq <- dq - C+ dc, then dv <- dv - C+ d(c') with the new dq: `along` becomes tangent to the constraints, whose numbers
    /// change along `numbers`.
    pub(super) fn make_tangent_to_constraints(
        &self,
        at: At<Mode>,
        along: &mut [f64],
        numbers: &[f64],
        workspace: &mut Workspace,
    ) {
        let mode = at.mode;
        let memory = self.model.memory_start();
        workspace.numbers[..memory].copy_from_slice(numbers);
        workspace.numbers[memory..].copy_from_slice(&along[self.quadratures().end..]);
        for part in [self.positions(), self.velocities()] {
            let Workspace {
                terms,
                projector,
                correction,
                numbers,
                along: residual,
                a,
                lambda,
                ..
            } = workspace;
            let direction = Direction {
                t: 0.0,
                q: &along[self.positions()],
                v: &along[self.velocities()],
                numbers,
            };
            let at = self.instant(at, a, lambda);
            self.model.residual_along(&at, mode, terms, &direction, residual);
            let violation = if part.start == 0 { &residual.c } else { &residual.rate };
            least_correction(mode, projector, violation, correction);
            add_scaled(&mut along[part], -1.0, correction.as_flattened());
        }
    }

    /// The transpose of [`Mechanism::make_tangent_to_constraints`]: `mu` becomes that of the state before the
    /// projection, and the part of the numbers is added to `numbers_bar`.
    pub(super) fn projection_vjp(
        &self,
        at: At<Mode>,
        mu: &mut [f64],
        numbers_bar: &mut [f64],
        workspace: &mut Workspace,
    ) {
        let memory = self.model.memory_start();
        let mut scratch = std::mem::take(&mut workspace.transposed);
        let Workspace {
            terms,
            projector,
            correction,
            a,
            lambda,
            ..
        } = workspace;
        for part in [self.velocities(), self.positions()] {
            let entries = correction.as_flattened_mut();
            entries.fill(0.0);
            entries[..part.len()].copy_from_slice(&mu[part.clone()]);
            projector.apply_transposed(correction);
            let solved = &mut correction.as_flattened_mut()[..projector.rank()];
            projector.solve(solved);
            // The gradient of y.c or y.c' with y = (C+)^T mu over the positions or velocities.
            scratch.clear();
            let y = if part.start == 0 {
                &mut scratch.value
            } else {
                &mut scratch.rate
            };
            for (value, &k) in solved.iter().zip(projector.independent()) {
                y[at.mode.independent[k]] = *value;
            }
            scratch.add_residual_gradient(&self.model, &self.instant(at, a, lambda), at.mode, terms);
            add_scaled(&mut mu[self.positions()], -1.0, &scratch.q);
            add_scaled(&mut mu[self.velocities()], -1.0, &scratch.v);
            add_scaled(numbers_bar, -1.0, &scratch.numbers[..memory]);
            add_scaled(&mut mu[self.quadratures().end..], -1.0, &scratch.numbers[memory..]);
        }
        workspace.transposed = scratch;
    }
}
