//! The torsional pendulum of `scenes/torsional_pendulum.ron` in straight-line code, and the closed form of its gradient.
//!
//! y = l sin(alpha) after 10 s with alpha'' = -k alpha and k = c/(m l^2), by l, m, c and the initial angle.

use std::array::from_fn;
use std::cell::Cell;

use diffsol::{NalgebraMat, OdeBuilder, OdeSolverMethod, OdeSolverStopReason, Vector, VectorView};
use ode_solvers::{Dop853, OutputType, SVector, System};

/// Time of the gradient.
pub const END: f64 = 10.0;

/// The parameters.
pub const NAMES: [&str; 4] = ["l", "m", "c_r", "alpha0"];

const L: f64 = 1.0;
const M: f64 = 1.0;
const C: f64 = 1.0;
const START: f64 = std::f64::consts::FRAC_PI_4;

/// A gradient and what it took.
#[derive(Clone, Copy, Debug)]
pub struct Gradient {
    pub entries: [f64; 4],
    /// Evaluations of the flow, with or without its derivatives.
    pub calls: u64,
}

/// Largest difference from the closed form, relative to its largest entry; infinite where it is not a number.
pub fn error(found: &Gradient) -> f64 {
    let w = rate().sqrt();
    let (sin, cos) = (w * END).sin_cos();
    let alpha = START * cos;
    let by_rate = -L * alpha.cos() * START * END * sin;
    let exact = [
        alpha.sin() - by_rate * w / L,
        -by_rate * w / (2.0 * M),
        by_rate * w / (2.0 * C),
        L * alpha.cos() * cos,
    ];
    let size = exact.iter().fold(0.0, |size: f64, slope| size.max(slope.abs()));
    let differences = found
        .entries
        .iter()
        .zip(exact)
        .map(|(slope, exact)| (slope - exact).abs() / size);
    differences.fold(
        0.0,
        |most, error| if error > most || error.is_nan() { error } else { most },
    )
}

fn rate() -> f64 {
    C / (M * L * L)
}

/// dk by l, m and c.
fn slopes_of_rate() -> [f64; 3] {
    let k = rate();
    [-2.0 * k / L, -k / M, k / C]
}

/// Gradient from alpha at the end, its derivative by the start, and that by k.
fn gradient(alpha: f64, by_start: f64, by_rate: f64, calls: u64) -> Gradient {
    let slope = L * alpha.cos();
    let [l, m, c] = slopes_of_rate().map(|dk| slope * by_rate * dk);
    Gradient {
        entries: [alpha.sin() + l, m, c, slope * by_start],
        calls,
    }
}

/// The motion; with the derivatives of alpha by the start and by k behind it, or with its costates and their product with the
/// derivative of the flow by k.
struct Flow<'a, const N: usize> {
    calls: &'a Cell<u64>,
    is_back: bool,
}

impl<const N: usize> System<f64, SVector<f64, N>> for Flow<'_, N> {
    fn system(&self, _t: f64, y: &SVector<f64, N>, dy: &mut SVector<f64, N>) {
        self.calls.set(self.calls.get() + 1);
        let k = rate();
        (dy[0], dy[1]) = (y[1], -k * y[0]);
        if N > 2 && self.is_back {
            (dy[2], dy[3], dy[4]) = (k * y[3], -y[2], y[3] * y[0]);
        } else if N > 2 {
            (dy[2], dy[3]) = (y[3], -k * y[2]);
            (dy[4], dy[5]) = (y[5], -k * y[4] - y[0]);
        }
    }
}

fn last<const N: usize>(flow: Flow<N>, (from, to): (f64, f64), start: [f64; N], tolerance: f64) -> SVector<f64, N> {
    let mut stepper = Dop853::new(flow, from, to, to - from, SVector::from(start), tolerance, tolerance);
    stepper.set_output(OutputType::Sparse);
    stepper.integrate().expect("the motion is smooth");
    *stepper.y_out().last().expect("there is an end")
}

/// Costates by `ode_solvers` Dop853, with the motion integrated back.
pub fn by_costates(tolerance: f64) -> Gradient {
    let calls = Cell::new(0);
    let forth = Flow {
        calls: &calls,
        is_back: false,
    };
    let end = last::<2>(forth, (0.0, END), [START, 0.0], tolerance);
    let back = Flow {
        calls: &calls,
        is_back: true,
    };
    let y = last::<5>(back, (END, 0.0), [end[0], end[1], 1.0, 0.0, 0.0], tolerance);
    gradient(end[0], y[2], y[4], calls.get())
}

/// Variational equations by `ode_solvers` Dop853.
pub fn by_variation(tolerance: f64) -> Gradient {
    let calls = Cell::new(0);
    let flow = Flow {
        calls: &calls,
        is_back: false,
    };
    let y = last::<6>(flow, (0.0, END), [START, 0.0, 1.0, 0.0, 0.0, 0.0], tolerance);
    gradient(y[0], y[2], y[4], calls.get())
}

/// Forward sensitivities by `diffsol` tsit45, by the initial angle and k.
pub fn by_diffsol(tolerance: f64) -> Gradient {
    let calls = Cell::new(0);
    let count = || calls.set(calls.get() + 1);
    let problem = OdeBuilder::<NalgebraMat<f64>>::new()
        .rtol(tolerance)
        .atol([tolerance])
        .sens_rtol(tolerance)
        .sens_atol([tolerance])
        .p([START, rate()])
        .rhs_sens_implicit(
            |x: &[f64], p: &[f64], _: f64, dx: &mut [f64]| {
                count();
                (dx[0], dx[1]) = (x[1], -p[1] * x[0]);
            },
            |_: &[f64], p: &[f64], _: f64, v: &[f64], out: &mut [f64]| (out[0], out[1]) = (v[1], -p[1] * v[0]),
            |x: &[f64], _: &[f64], _: f64, v: &[f64], out: &mut [f64]| (out[0], out[1]) = (0.0, -x[0] * v[1]),
        )
        .init_sens(
            |p: &[f64], _: f64, x: &mut [f64]| (x[0], x[1]) = (p[0], 0.0),
            |_: &[f64], _: f64, v: &[f64], out: &mut [f64]| (out[0], out[1]) = (v[0], 0.0),
            2,
        )
        .build()
        .expect("the problem is complete");
    let mut solver = problem.tsit45_sens().expect("the method is explicit");
    solver.set_stop_time(END).expect("the end is ahead");
    while solver.step().expect("the motion is smooth") != OdeSolverStopReason::TstopReached {}
    let state = solver.state();
    let [by_start, by_rate] = from_fn(|n| state.s.get_batch(n).get_index(0));
    gradient(state.y[0], by_start, by_rate, calls.get())
}
