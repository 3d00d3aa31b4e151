//! Gradients by `ode_solvers` Dop853: variational equations with the motion, or costates with the motion gone back over.

use std::array::from_fn;
use std::cell::Cell;

use ode_solvers::{Dop853, OutputType, SVector, System};

use super::ends::start_along;
use super::linearized::Linearized;
use super::{Outcome, PARAMETERS};
use crate::by_hand::{ByHand, State};
use crate::others::END;

/// State, objective, derivatives of the state by all parameters (entry by entry), of the objective.
const VARIATIONAL: usize = 13 + 12 * PARAMETERS + PARAMETERS;
/// State and objective.
const MOTION: usize = 13;
/// State, costate, gradient.
const BACKWARD: usize = 24 + PARAMETERS;

struct Counted<'a> {
    system: ByHand,
    calls: &'a Cell<u64>,
}

/// The motion with its sensitivities.
struct Variational<'a>(Counted<'a>);

/// The motion with its objective.
struct Motion<'a>(Counted<'a>);

/// The motion with the costates of its objective.
struct Backward<'a>(Counted<'a>);

impl System<f64, SVector<f64, VARIATIONAL>> for Variational<'_> {
    fn system(&self, _t: f64, y: &SVector<f64, VARIATIONAL>, dy: &mut SVector<f64, VARIATIONAL>) {
        self.0.calls.set(self.0.calls.get() + 1);
        let (y, dy) = (y.as_slice(), dy.as_mut_slice());
        let linear = Linearized::new(&self.0.system, y);
        dy[..6].copy_from_slice(&y[6..12]);
        dy[6..12].copy_from_slice(linear.acceleration().as_flattened());
        let height = y[3] + 2.0;
        dy[12] = height * height;
        let rows = y[13..].as_chunks::<PARAMETERS>().0.as_chunks::<6>();
        let slopes = dy[13..].as_chunks_mut::<PARAMETERS>().0.as_chunks_mut::<6>();
        let (([dq, dv], _), ([position, velocity], [objective])) = (rows, slopes) else {
            unreachable!("there are six positions, six velocities and an objective");
        };
        let mut force = [[0.0; PARAMETERS]; 6];
        linear.parameter_forces(|point, parameter, [x, y]| {
            force[2 * point][parameter] += x;
            force[2 * point + 1][parameter] += y;
        });
        *position = *dv;
        linear.along(dq, dv, &mut force, velocity);
        for (objective, y2) in objective.iter_mut().zip(&dq[3]) {
            *objective = 2.0 * height * y2;
        }
    }
}

impl System<f64, SVector<f64, MOTION>> for Motion<'_> {
    fn system(&self, _t: f64, y: &SVector<f64, MOTION>, dy: &mut SVector<f64, MOTION>) {
        self.0.calls.set(self.0.calls.get() + 1);
        self.0.system.derivative(y.as_slice(), dy.as_mut_slice());
        dy[12] = (y[3] + 2.0).powi(2);
    }
}

impl System<f64, SVector<f64, BACKWARD>> for Backward<'_> {
    fn system(&self, _t: f64, y: &SVector<f64, BACKWARD>, dy: &mut SVector<f64, BACKWARD>) {
        self.0.calls.set(self.0.calls.get() + 1);
        let (y, dy) = (y.as_slice(), dy.as_mut_slice());
        let linear = Linearized::new(&self.0.system, y);
        let (by_state, by_parameter) = linear.transposed(&y[12..24]);
        dy[..6].copy_from_slice(&y[6..12]);
        dy[6..12].copy_from_slice(linear.acceleration().as_flattened());
        for (dy, bar) in dy[12..].iter_mut().zip(by_state.iter().chain(&by_parameter)) {
            *dy = -bar;
        }
        dy[15] -= 2.0 * (y[3] + 2.0);
    }
}

fn last<const N: usize, F: System<f64, SVector<f64, N>>>(
    system: F,
    from: f64,
    to: f64,
    start: SVector<f64, N>,
    tolerance: f64,
) -> SVector<f64, N> {
    let mut stepper = Dop853::new(system, from, to, to - from, start, tolerance, tolerance);
    stepper.set_output(OutputType::Sparse);
    stepper.integrate().expect("the motion is smooth");
    *stepper.y_out().last().expect("there is an end")
}

/// Sensitivities integrated with the motion, in one error norm.
pub fn forward(start: &State, tolerance: f64) -> Outcome {
    let calls = Cell::new(0);
    let system = Variational(Counted {
        system: ByHand::default(),
        calls: &calls,
    });
    let mut y = SVector::<f64, VARIATIONAL>::zeros();
    y.as_mut_slice()[..12].copy_from_slice(start);
    for (n, column) in start_along(start).iter().enumerate() {
        for (i, value) in column.iter().enumerate() {
            y[13 + PARAMETERS * i + n] = *value;
        }
    }
    let y = last(system, 0.0, END, y, tolerance);
    Outcome {
        gradient: from_fn(|n| y[13 + 12 * PARAMETERS + n]),
        calls: calls.get(),
    }
}

/// Costates, integrated back with the motion, which is computed again backwards instead of recorded.
pub fn adjoint(start: &State, tolerance: f64) -> Outcome {
    let calls = Cell::new(0);
    let counted = || Counted {
        system: ByHand::default(),
        calls: &calls,
    };
    let mut y = SVector::<f64, MOTION>::zeros();
    y.as_mut_slice()[..12].copy_from_slice(start);
    let end = last(Motion(counted()), 0.0, END, y, tolerance);
    let mut y = SVector::<f64, BACKWARD>::zeros();
    y.as_mut_slice()[..12].copy_from_slice(&end.as_slice()[..12]);
    let y = last(Backward(counted()), END, 0.0, y, tolerance);
    let columns = start_along(start);
    let gradient = from_fn(|n| {
        let through_start: f64 = columns[n]
            .iter()
            .zip(&y.as_slice()[12..24])
            .map(|(dx, mu)| dx * mu)
            .sum();
        y[24 + n] + through_start
    });
    Outcome {
        gradient,
        calls: calls.get(),
    }
}
