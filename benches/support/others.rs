//! The smooth motion of 5 s by several integrators on the same straight-line code.

use std::cell::Cell;
use std::fmt;

use costate::hybrid::{HybridSystem, Options, simulate};
use costate::integrate::Tolerance;
use diffsol::{NalgebraMat, OdeBuilder, OdeSolverMethod, OdeSolverStopReason};
use ode_solvers::{Dop853, Dopri5, OutputType, SVector, System};

use super::REFERENCE;
use super::by_hand::{ByHand, State};

/// Duration of the motion.
pub const END: f64 = 5.0;

/// An integrator.
#[derive(Clone, Copy, Debug)]
pub enum Method {
    /// This crate's, order 8.
    Costate,
    /// `ode_solvers`, order 8.
    Dop853,
    /// `ode_solvers`, order 5.
    Dopri5,
    /// `diffsol`, order 5.
    Tsit45,
}

/// Where a run ended and what it took.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// x and y of P2.
    pub p2: [f64; 2],
    /// Right-hand sides.
    pub evaluations: u64,
}

impl Outcome {
    /// Distance of P2 from its reference; infinite when it is not a number.
    pub fn error(&self) -> f64 {
        let error = (self.p2[0] - REFERENCE[0]).hypot(self.p2[1] - REFERENCE[1]);
        if error.is_nan() { f64::INFINITY } else { error }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Costate => "costate",
            Self::Dop853 => "ode_solvers Dop853",
            Self::Dopri5 => "ode_solvers Dopri5",
            Self::Tsit45 => "diffsol tsit45",
        })
    }
}

impl Method {
    pub const ALL: [Self; 4] = [Self::Costate, Self::Dop853, Self::Dopri5, Self::Tsit45];

    pub fn run(self, start: &State, tolerance: f64) -> Outcome {
        match self {
            Self::Costate => costate(start, tolerance),
            Self::Dop853 => dop853(start, tolerance),
            Self::Dopri5 => dopri5(start, tolerance),
            Self::Tsit45 => tsit45(start, tolerance),
        }
    }
}

fn costate(start: &State, tolerance: f64) -> Outcome {
    let system = ByHand::default();
    let options = Options {
        end: END,
        tolerance: Tolerance::uniform(tolerance, tolerance, system.dimension()).expect("the tolerance is positive"),
        method: costate::integrate::Method::DormandPrince,
        max_step: f64::INFINITY,
        max_steps: 1_000_000,
    };
    let finish =
        simulate(&system, (0.0, (), start.to_vec()), &options, &mut (), &mut ()).expect("the motion is smooth");
    Outcome {
        p2: [finish.x[2], finish.x[3]],
        evaluations: finish.statistics.evaluations,
    }
}

type Vector = SVector<f64, 12>;

impl System<f64, Vector> for ByHand {
    fn system(&self, _t: f64, x: &Vector, dx: &mut Vector) {
        self.derivative(x.as_slice(), dx.as_mut_slice());
    }
}

/// Runs one method of `ode_solvers`, both of which have the same interface but share no trait.
macro_rules! ode_solvers {
    ($name:ident, $method:ident) => {
        fn $name(start: &State, tolerance: f64) -> Outcome {
            let (system, start) = (ByHand::default(), Vector::from(*start));
            let mut stepper = $method::new(system, 0.0, END, END, start, tolerance, tolerance);
            stepper.set_output(OutputType::Sparse);
            let statistics = stepper.integrate().expect("the motion is smooth");
            let last = stepper.y_out().last().expect("there is an end");
            Outcome {
                p2: [last[2], last[3]],
                evaluations: u64::from(statistics.num_eval),
            }
        }
    };
}

ode_solvers!(dop853, Dop853);
ode_solvers!(dopri5, Dopri5);

fn tsit45(start: &State, tolerance: f64) -> Outcome {
    let (system, calls) = (ByHand::default(), Cell::new(0));
    let problem = OdeBuilder::<NalgebraMat<f64>>::new()
        .rtol(tolerance)
        .atol([tolerance])
        .h0(1e-3)
        .rhs(|x: &[f64], _p: &[f64], _t: f64, dx: &mut [f64]| {
            calls.set(calls.get() + 1);
            system.derivative(x, dx);
        })
        .init(|_p: &[f64], _t: f64, x: &mut [f64]| x.copy_from_slice(start), 12)
        .build()
        .expect("the problem is complete");
    let mut solver = problem.tsit45().expect("the method is explicit");
    solver.set_stop_time(END).expect("the end is ahead");
    while !matches!(
        solver.step().expect("the motion is smooth"),
        OdeSolverStopReason::TstopReached
    ) {}
    let x = solver.state().y;
    Outcome {
        p2: [x[2], x[3]],
        evaluations: calls.get(),
    }
}
