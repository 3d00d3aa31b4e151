//! A point of the design space, and what can be in the way of one.

use std::fmt;

use super::design::Evaluation;
use crate::error::Error;

/// Why a method is not given another point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The caller asked for an end.
    Interrupted,
    /// All simulations that were allowed are done.
    NoSimulationsLeft,
    /// The method asks for the gradient at a point without a value.
    NoGradient,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interrupted => "it was interrupted",
            Self::NoSimulationsLeft => "no simulations are left",
            Self::NoGradient => "there is no gradient at this point",
        })
    }
}

impl std::error::Error for Refusal {}

/// A point without a value, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The iteration that tried it, counted from 1.
    pub iteration: u32,
    /// Values of the variables, in their units.
    pub parameters: Vec<f64>,
    /// Why it has no value.
    pub error: Error,
}

/// A point that was evaluated.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// Scaled variables.
    pub x: Vec<f64>,
    /// Values of the variables, in their units.
    pub parameters: Vec<f64>,
    /// None when the evaluation failed.
    pub evaluation: Option<Evaluation>,
}

/// Work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub simulations: u32,
    pub gradients: u32,
    /// Points that a method asked the value of.
    pub evaluations: u32,
}
