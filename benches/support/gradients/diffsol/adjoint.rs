//! The adjoint.

use std::array::from_fn;

use diffsol::{AdjointOdeSolverMethod, NalgebraMat, OdeBuilder, OdeSolverMethod, OdeSolverState, Vector, VectorView};

use super::{FIRST_STEP, Flow, negate};
use crate::by_hand::State;
use crate::gradients::ends::{jump, jump_along, jump_transposed};
use crate::gradients::{Outcome, PARAMETERS};
use crate::others::END;

/// Steps between checkpoints: more than there are, so that none is computed again.
const STEPS: Option<usize> = Some(1_000_000);

/// Costates of the integrated output; between the recorded steps the motion is interpolated by cubic polynomials.
/// Transposed products have a minus sign in this interface.
pub fn adjoint(start: &State, with_ground: bool, tolerance: f64) -> Outcome {
    let flow = Flow::new(start, with_ground);
    let problem = OdeBuilder::<NalgebraMat<f64>>::new()
        .rtol(tolerance)
        .atol([tolerance])
        .h0(FIRST_STEP)
        .p([1.0; PARAMETERS])
        .rhs_adjoint_implicit(
            |x: &[f64], _: &[f64], _: f64, dx: &mut [f64]| flow.derivative(x, dx),
            |x: &[f64], _: &[f64], _: f64, v: &[f64], out: &mut [f64]| flow.along(x, v, out),
            |x: &[f64], _: &[f64], _: f64, mu: &[f64], out: &mut [f64]| flow.back_to_state(x, mu, out),
            |x: &[f64], _: &[f64], _: f64, mu: &[f64], out: &mut [f64]| flow.back_to_parameters(x, mu, out),
        )
        .init_adjoint(
            |_: &[f64], _: f64, x: &mut [f64]| x.copy_from_slice(start),
            |_: &[f64], _: f64, mu: &[f64], out: &mut [f64]| flow.back_to_start(mu, out),
            12,
        )
        .integrate_out(true)
        .out_adjoint_implicit(
            |x: &[f64], _: &[f64], _: f64, g: &mut [f64]| g[0] = (x[3] + 2.0).powi(2),
            |x: &[f64], _: &[f64], _: f64, v: &[f64], g: &mut [f64]| g[0] = 2.0 * (x[3] + 2.0) * v[3],
            |x: &[f64], _: &[f64], _: f64, mu: &[f64], out: &mut [f64]| height(-2.0 * (x[3] + 2.0) * mu[0], out),
            |_: &[f64], _: &[f64], _: f64, _: &[f64], out: &mut [f64]| out.fill(0.0),
            1,
        )
        .root_adjoint_implicit(
            |x: &[f64], _: &[f64], _: f64, g: &mut [f64]| g[0] = x[3] - flow.ground,
            |_: &[f64], _: &[f64], _: f64, v: &[f64], g: &mut [f64]| g[0] = v[3],
            |_: &[f64], _: &[f64], _: f64, mu: &[f64], out: &mut [f64]| height(-mu[0], out),
            |_: &[f64], _: &[f64], _: f64, _: &[f64], out: &mut [f64]| out.fill(0.0),
            1,
        )
        .reset_adjoint_implicit(
            |x: &[f64], _: &[f64], _: f64, after: &mut [f64]| jump(x, after),
            |x: &[f64], _: &[f64], _: f64, v: &[f64], out: &mut [f64]| jump_along(x, v, out),
            |x: &[f64], _: &[f64], _: f64, mu: &[f64], out: &mut [f64]| {
                jump_transposed(x, mu, out);
                negate(out);
            },
            |_: &[f64], _: &[f64], _: f64, _: &[f64], out: &mut [f64]| out.fill(0.0),
        )
        .build()
        .expect("the problem is complete");
    let mut solver = problem.tsit45().expect("the method is explicit");
    let (recording, ..) = solver
        .solve_with_checkpointing(END, STEPS)
        .expect("the motion can be integrated");
    let (state, _) = problem
        .tsit45_solver_adjoint(recording, Some(solver), None)
        .and_then(|backward| backward.solve_adjoint_backwards_pass(&[], &[]))
        .expect("the costates can be integrated");
    Outcome {
        gradient: from_fn(|n| state.as_ref().sg.get_batch(0).get_index(n)),
        calls: flow.calls.get(),
    }
}

/// A gradient by y2 alone.
fn height(value: f64, out: &mut [f64]) {
    out.fill(0.0);
    out[3] = value;
}

impl Flow {
    fn back_to_state(&self, x: &[f64], mu: &[f64], out: &mut [f64]) {
        self.linearized(x, |linear| out.copy_from_slice(&linear.transposed(mu).0));
        negate(out);
    }

    fn back_to_parameters(&self, x: &[f64], mu: &[f64], out: &mut [f64]) {
        self.linearized(x, |linear| out.copy_from_slice(&linear.transposed(mu).1));
        negate(out);
    }

    fn back_to_start(&self, mu: &[f64], out: &mut [f64]) {
        for (out, column) in out.iter_mut().zip(&self.start_columns) {
            *out = -column.iter().zip(mu).map(|(dx, mu)| dx * mu).sum::<f64>();
        }
    }
}
