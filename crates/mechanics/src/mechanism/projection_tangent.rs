//! Derivative of the projection onto the constraints at a state on them, along a direction and transposed (theory, 8.1).

use super::projection::{factor, least_correction};
use super::{Mechanism, Workspace};
use crate::hybrid::At;
use crate::linear::add_scaled;
use crate::model::Mode;
use crate::model::constraint::Direction;
use crate::model::gradient::{Gradient, Weights};

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

    /// The transpose of [`Mechanism::make_tangent_to_constraints`]: `mu` becomes that of the state before the projection, and the part of
    /// the numbers is added to `numbers_bar`.
    pub(super) fn projection_vjp(
        &self,
        at: At<Mode>,
        mu: &mut [f64],
        numbers_bar: &mut [f64],
        workspace: &mut Workspace,
    ) {
        for part in [self.velocities(), self.positions()] {
            self.transpose_part(at, part.start == 0, mu, workspace);
            let scratch = &workspace.projection;
            add_scaled(&mut mu[self.positions()], -1.0, &scratch.q);
            add_scaled(&mut mu[self.velocities()], -1.0, &scratch.v);
            let (numbers, memory) = scratch.numbers.split_at(self.model.memory_start());
            add_scaled(numbers_bar, -1.0, numbers);
            add_scaled(&mut mu[self.quadratures().end..], -1.0, memory);
        }
    }

    /// Gradient of y.c or y.c' with y = (C+)^T mu over the positions or velocities, into the scratch.
    fn transpose_part(&self, at: At<Mode>, of_positions: bool, mu: &[f64], workspace: &mut Workspace) {
        let mode = at.mode;
        let Workspace {
            terms,
            projector,
            correction,
            projection,
            a,
            lambda,
            ..
        } = workspace;
        let part = if of_positions {
            self.positions()
        } else {
            self.velocities()
        };
        let entries = correction.as_flattened_mut();
        entries.fill(0.0);
        entries[..part.len()].copy_from_slice(&mu[part]);
        projector.apply_transposed(correction);
        let solved = &mut correction.as_flattened_mut()[..projector.rank()];
        projector.solve(solved);
        let ProjectionScratch {
            y,
            zero_rows,
            zero,
            q,
            v,
            numbers,
        } = projection;
        y.fill(0.0);
        for (value, &k) in solved.iter().zip(projector.independent()) {
            y[mode.independent[k]] = *value;
        }
        let (y, none) = (&y[..mode.rows], &zero_rows[..mode.rows]);
        let (rate, value) = if of_positions { (none, y) } else { (y, none) };
        let weights = Weights {
            alpha: zero,
            beta: none,
            rate,
            value,
        };
        for slots in [&mut *q, v, numbers] {
            slots.fill(0.0);
        }
        let at = self.instant(at, a, lambda);
        self.model
            .residual_gradient(&at, mode, terms, &weights, &mut Gradient { q, v, numbers });
    }
}

/// Scratch of the transposed projection.
#[derive(Clone, Debug, Default)]
pub(super) struct ProjectionScratch {
    /// Weights of the rows.
    y: Vec<f64>,
    /// Weights that stay zero.
    zero_rows: Vec<f64>,
    zero: Vec<f64>,
    /// Gradients with respect to positions, velocities and numbers with memory.
    q: Vec<f64>,
    v: Vec<f64>,
    numbers: Vec<f64>,
}

impl ProjectionScratch {
    pub fn new(nv: usize, rows: usize, numbers: usize) -> Self {
        Self {
            y: vec![0.0; rows],
            zero_rows: vec![0.0; rows],
            zero: vec![0.0; nv],
            q: vec![0.0; nv],
            v: vec![0.0; nv],
            numbers: vec![0.0; numbers],
        }
    }
}
