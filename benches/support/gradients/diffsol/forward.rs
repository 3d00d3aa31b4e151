//! Forward sensitivities.

use std::array::from_fn;

use diffsol::error::DiffsolError;
use diffsol::{
    NalgebraContext, NalgebraMat, NalgebraVec, OdeBuilder, OdeEquationsImplicitSens, OdeSolverMethod, OdeSolverProblem,
    OdeSolverStopReason, Vector, VectorView, VectorViewMut,
};

use super::{FIRST_STEP, Flow};
use crate::by_hand::State;
use crate::gradients::ends::{jump, jump_along};
use crate::gradients::{Outcome, PARAMETERS};
use crate::others::END;

/// Forward sensitivities; the objective is a state, the thirteenth, because outputs are not integrated with them. Their errors do
/// not control the steps, as is the default: where they do, it takes as many calls.
pub fn forward(start: &State, with_ground: bool, tolerance: f64) -> Outcome {
    let flow = Flow::new(start, with_ground);
    let problem = OdeBuilder::<NalgebraMat<f64>>::new()
        .rtol(tolerance)
        .atol([tolerance])
        .h0(FIRST_STEP)
        .p([1.0; PARAMETERS])
        .rhs_sens_implicit(
            |x: &[f64], _: &[f64], _: f64, dx: &mut [f64]| flow.derivative(x, dx),
            |x: &[f64], _: &[f64], _: f64, v: &[f64], out: &mut [f64]| flow.along(x, v, out),
            |x: &[f64], _: &[f64], _: f64, v: &[f64], out: &mut [f64]| flow.along_parameters(x, v, out),
        )
        .init_sens(
            |_: &[f64], _: f64, x: &mut [f64]| x[..12].copy_from_slice(start),
            |_: &[f64], _: f64, v: &[f64], out: &mut [f64]| {
                for (i, out) in out[..12].iter_mut().enumerate() {
                    *out = flow.start_columns.iter().zip(v).map(|(column, v)| column[i] * v).sum();
                }
            },
            13,
        )
        .root_sens_implicit(
            |x: &[f64], _: &[f64], _: f64, g: &mut [f64]| g[0] = x[3] - flow.ground,
            |_: &[f64], _: &[f64], _: f64, v: &[f64], g: &mut [f64]| g[0] = v[3],
            |_: &[f64], _: &[f64], _: f64, _: &[f64], g: &mut [f64]| g[0] = 0.0,
            1,
        )
        .reset_sens_implicit(
            |x: &[f64], _: &[f64], _: f64, after: &mut [f64]| jump(x, after),
            |x: &[f64], _: &[f64], _: f64, v: &[f64], out: &mut [f64]| jump_along(x, v, out),
            |_: &[f64], _: &[f64], _: f64, _: &[f64], out: &mut [f64]| out.fill(0.0),
        )
        .build()
        .expect("the problem is complete");
    Outcome {
        gradient: integrate(&problem, &flow).expect("the motion can be integrated"),
        calls: flow.calls.get(),
    }
}

/// Steps to the end. After a reset, version 0.18 goes on with the derivative of the sensitivities from before it, which
/// leaves an error of first order in the step; here it is set anew.
fn integrate<E>(problem: &OdeSolverProblem<E>, flow: &Flow) -> Result<[f64; PARAMETERS], DiffsolError>
where
    E: OdeEquationsImplicitSens<T = f64, V = NalgebraVec<f64>, M = NalgebraMat<f64>, C = NalgebraContext>,
{
    let mut solver = problem.tsit45_sens()?;
    solver.set_stop_time(END)?;
    loop {
        match solver.step()? {
            OdeSolverStopReason::TstopReached => break,
            OdeSolverStopReason::InternalTimestep => {}
            OdeSolverStopReason::RootFound(t, root) => {
                solver.state_mut_back(t)?;
                solver.apply_reset_with_sens(root)?;
                let state = solver.state_mut();
                for n in 0..PARAMETERS {
                    let s: [f64; 13] = from_fn(|i| state.s.get_batch(n).get_index(i));
                    let unit: [f64; PARAMETERS] = from_fn(|j| f64::from(u8::from(j == n)));
                    let (mut along, mut direct) = ([0.0; 13], [0.0; 13]);
                    let x: [f64; 13] = from_fn(|i| state.y[i]);
                    flow.along(&x, &s, &mut along);
                    flow.along_parameters(&x, &unit, &mut direct);
                    for i in 0..13 {
                        state.ds.get_batch_mut(n).set_index(i, along[i] + direct[i]);
                    }
                }
                solver.set_stop_time(END)?;
            }
        }
    }
    let state = solver.state();
    Ok(from_fn(|n| state.s.get_batch(n).get_index(12)))
}
