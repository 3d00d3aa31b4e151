//! The gradient of one objective by twelve parameters: this crate beside other solvers on the same mechanism.
//!
//! The integral of (y2 + 2)^2 over 5 s by four lengths, four masses, two stiffnesses and two natural lengths. Start
//! positions depend on the lengths, and all methods include it.

mod diffsol;
mod ends;
mod linearized;
mod order_eight;
pub mod table;

use std::fmt;

use costate::run::{self, Experiment};

use crate::Scene;
use crate::by_hand::{State, start_of};
use crate::parameters::twelve;

/// Number of parameters, in this order: lengths and masses of the bars A-P1, P1-P2, P2-P3, P3-B, stiffnesses, natural
/// lengths.
pub const PARAMETERS: usize = 12;

const NAMES: [&str; PARAMETERS] = [
    "LA1", "L12", "L23", "L3B", "m1", "m2", "m3", "m4", "k1", "k2", "L01", "L02",
];

/// Gradient without the ground: both methods of this crate, both with Dop853 and the forward one of `diffsol` agree to 1e-13
/// of its largest entry at tolerance 1e-14.
const SMOOTH: [f64; PARAMETERS] = [
    0.215_563_679_135_8,
    0.130_487_870_113_1,
    0.188_569_561_689_4,
    -0.005_023_408_390_431,
    0.007_696_368_003_372,
    0.132_868_775_467_9,
    0.257_513_860_859_2,
    0.114_407_973_249_7,
    -0.000_502_968_717_026,
    -0.006_573_814_240_412,
    -0.193_697_417_350_3,
    3.283_972_367_221,
];

/// Gradient with the ground: both methods of this crate and the forward one of `diffsol` agree to 3e-13.
const GROUND: [f64; PARAMETERS] = [
    -0.513_449_893_109_4,
    -0.367_906_578_794_8,
    -0.201_297_936_233_2,
    -0.217_811_684_007_7,
    0.039_568_508_402_32,
    -0.075_720_536_165_14,
    -0.119_035_734_183_7,
    -0.091_934_345_926_56,
    0.002_943_314_028_65,
    0.000_501_688_401_823_8,
    0.158_882_356_732_2,
    -3.281_487_402_3,
];

/// The mechanism with or without the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Smooth,
    Ground,
}

/// Who computes the gradient, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// This crate, from the scene, assembly included.
    Costate(run::Method),
    /// `ode_solvers` Dop853, variational equations.
    Dop853Forward,
    /// `ode_solvers` Dop853, costates with the motion integrated back.
    Dop853Adjoint,
    /// `diffsol` tsit45, its forward sensitivities.
    DiffsolForward,
    /// `diffsol` tsit45, its adjoint.
    DiffsolAdjoint,
}

/// A gradient and what it took.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub gradient: [f64; PARAMETERS],
    /// Evaluations of the flow, with or without its derivatives.
    pub calls: u64,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Costate(run::Method::Adjoint) => "costate, adjoint",
            Self::Costate(_) => "costate, forward",
            Self::Dop853Forward => "Dop853, forward",
            Self::Dop853Adjoint => "Dop853, adjoint",
            Self::DiffsolForward => "diffsol, forward",
            Self::DiffsolAdjoint => "diffsol, adjoint",
        })
    }
}

impl Case {
    /// The methods that can do it: `ode_solvers` locates no events.
    pub fn methods(self) -> &'static [Method] {
        const ALL: [Method; 6] = [
            Method::Costate(run::Method::Adjoint),
            Method::Costate(run::Method::Forward),
            Method::DiffsolForward,
            Method::DiffsolAdjoint,
            Method::Dop853Forward,
            Method::Dop853Adjoint,
        ];
        match self {
            Self::Smooth => &ALL,
            Self::Ground => &ALL[..4],
        }
    }

    fn reference(self) -> &'static [f64; PARAMETERS] {
        match self {
            Self::Smooth => &SMOOTH,
            Self::Ground => &GROUND,
        }
    }

    fn scene(self) -> &'static str {
        match self {
            Self::Smooth => "five_bar_smooth.ron",
            Self::Ground => "five_bar.ron",
        }
    }
}

impl Outcome {
    /// Largest difference from the reference, relative to its largest entry; infinite when it is not a number.
    pub fn error(&self, case: Case) -> f64 {
        let reference = case.reference();
        let size = reference.iter().fold(0.0, |size: f64, slope| size.max(slope.abs()));
        let differences = self
            .gradient
            .iter()
            .zip(reference)
            .map(|(slope, exact)| (slope - exact).abs());
        differences.fold(0.0, |error: f64, difference| {
            if difference.is_nan() {
                f64::INFINITY
            } else {
                error.max(difference / size)
            }
        })
    }
}

/// A method on a case, with everything that does not belong to its time.
pub struct Prepared {
    method: Method,
    case: Case,
    tolerance: f64,
    experiment: Experiment,
    start: State,
}

impl Prepared {
    pub fn new(method: Method, case: Case, tolerance: f64) -> Self {
        let start = start_of(&match case {
            Case::Smooth => Scene::five_bar_smooth(),
            Case::Ground => Scene::five_bar_ground(),
        });
        Self {
            method,
            case,
            tolerance,
            experiment: twelve(case.scene(), tolerance),
            start,
        }
    }

    /// Computes the gradient.
    pub fn run(&self) -> Outcome {
        let (with_ground, tolerance) = (self.case == Case::Ground, self.tolerance);
        match self.method {
            Method::Costate(method) => self.costate(method),
            Method::Dop853Forward => order_eight::forward(&self.start, tolerance),
            Method::Dop853Adjoint => order_eight::adjoint(&self.start, tolerance),
            Method::DiffsolForward => diffsol::forward(&self.start, with_ground, tolerance),
            Method::DiffsolAdjoint => diffsol::adjoint(&self.start, with_ground, tolerance),
        }
    }

    fn costate(&self, method: run::Method) -> Outcome {
        let report = self.experiment.gradient(method).expect("it is differentiable");
        let gradient = NAMES.map(|name| {
            let place = report.parameters.iter().position(|parameter| parameter == name);
            report.objectives[0].gradient[place.expect("the scene has the parameter")]
        });
        Outcome {
            gradient,
            calls: report.forward.evaluations + report.backward.evaluations,
        }
    }
}
