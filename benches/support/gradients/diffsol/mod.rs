//! Gradients by `diffsol` tsit45, with and without the ground: its forward sensitivities, and its adjoint.
//!
//! Without the ground the root is never crossed.

mod adjoint;
mod forward;

use std::array::from_fn;
use std::cell::{Cell, RefCell};

pub use adjoint::adjoint;
pub use forward::forward;

use super::PARAMETERS;
use super::ends::{GROUND, start_along};
use super::linearized::Linearized;
use crate::by_hand::{ByHand, State};

/// First step of a run.
const FIRST_STEP: f64 = 1e-3;

/// The flow, and its linearization at the latest state, which is computed once for all directions.
struct Flow {
    system: ByHand,
    latest: RefCell<([f64; 12], Linearized)>,
    calls: Cell<u64>,
    start_columns: [State; PARAMETERS],
    /// Height of the ground, far below where there is none.
    ground: f64,
}

impl Flow {
    fn new(start: &State, with_ground: bool) -> Self {
        let system = ByHand::default();
        Self {
            system,
            latest: RefCell::new((*start, Linearized::new(&system, start))),
            calls: Cell::new(1),
            start_columns: start_along(start),
            ground: if with_ground { GROUND } else { -1e3 },
        }
    }

    /// x', with the objective's integrand behind it where it is a state.
    fn derivative(&self, x: &[f64], dx: &mut [f64]) {
        self.calls.set(self.calls.get() + 1);
        self.system.derivative(x, dx);
        if let Some(integrand) = dx.get_mut(12) {
            *integrand = (x[3] + 2.0).powi(2);
        }
    }

    fn linearized(&self, x: &[f64], mut then: impl FnMut(&Linearized)) {
        let (at, linear) = &mut *self.latest.borrow_mut();
        if at[..] != x[..12] {
            self.calls.set(self.calls.get() + 1);
            at.copy_from_slice(&x[..12]);
            *linear = Linearized::new(&self.system, x);
        }
        then(linear);
    }

    fn along(&self, x: &[f64], dx: &[f64], out: &mut [f64]) {
        self.linearized(x, |linear| {
            let (dq, dv) = (from_fn(|i| [dx[i]]), from_fn(|i| [dx[6 + i]]));
            let mut acceleration = [[0.0]; 6];
            linear.along(&dq, &dv, &mut [[0.0]; 6], &mut acceleration);
            out[..6].copy_from_slice(&dx[6..12]);
            out[6..12].copy_from_slice(acceleration.as_flattened());
        });
        if let Some(integrand) = out.get_mut(12) {
            *integrand = 2.0 * (x[3] + 2.0) * dx[3];
        }
    }

    fn along_parameters(&self, x: &[f64], dp: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.linearized(x, |linear| {
            let (mut force, mut acceleration) = ([[0.0]; 6], [[0.0]; 6]);
            linear.parameter_forces(|point, parameter, [x, y]| {
                force[2 * point][0] += x * dp[parameter];
                force[2 * point + 1][0] += y * dp[parameter];
            });
            linear.along(&[[0.0]; 6], &[[0.0]; 6], &mut force, &mut acceleration);
            out[6..12].copy_from_slice(acceleration.as_flattened());
        });
    }
}

fn negate(values: &mut [f64]) {
    values.iter_mut().for_each(|value| *value = -*value);
}
