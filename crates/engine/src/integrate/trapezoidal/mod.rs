//! The implicit trapezoidal rule (order 2, A-stable) with variable steps (Hiskens and Pai, section VII).
//!
//! Each step solves `x1 = x + h/2 (f + f1)` by simplified Newton iterations. Its error is the difference to Simpson's rule with
//! the slope at the middle of the interpolant, so that one step needs no other.

mod matrix;
mod step;

use self::matrix::StepMatrix;
use super::newton_stepper::{Convergence, NewtonStepper, RATE_TO_KEEP, Scheme};
use super::{Attempt, Controller, DenseOutput, Flow, Tolerance};
use crate::error::Result;

/// Degree of the interpolant.
const DEGREE: usize = 3;

/// Stepper of the trapezoidal rule; the flow must provide its Jacobian.
pub type TrapezoidalStepper = NewtonStepper<Trapezoidal>;

/// The trapezoidal rule.
#[derive(Clone, Debug)]
pub struct Trapezoidal {
    matrix: StepMatrix,
    /// Rate of convergence of the latest attempt.
    rate: f64,
    /// Scratch of iteration and error estimate.
    change: Vec<f64>,
    stage: Vec<f64>,
}

impl TrapezoidalStepper {
    /// A stepper for `n` components whose Jacobian has equal diagonal blocks of the size `block`.
    pub fn new(n: usize, block: usize) -> Self {
        let scheme = Trapezoidal {
            matrix: StepMatrix::new(block),
            rate: 1.0,
            change: vec![0.0; n],
            stage: vec![0.0; n],
        };
        Self::of(scheme, Controller::of_order_two(), n, DEGREE)
    }
}

impl Scheme for Trapezoidal {
    const AFTER_FIRST_REJECTION: Option<f64> = None;

    fn order(&self) -> u32 {
        2
    }

    fn order_of_estimate(&self) -> u32 {
        3
    }

    fn bytes(&self, n: usize) -> usize {
        self.matrix.bytes() + 2 * n * size_of::<f64>()
    }

    fn scratch(&mut self) -> [&mut [f64]; 2] {
        [&mut self.stage, &mut self.change]
    }

    fn restart(&mut self, _: &mut dyn Flow) -> Result<()> {
        self.matrix.forget();
        Ok(())
    }

    fn enter(&mut self) {
        self.matrix.age(false);
    }

    fn compute(stepper: &mut NewtonStepper<Self>, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Result<Attempt> {
        stepper.compute(flow, h, tol)
    }

    fn convergence(&self) -> Convergence {
        Convergence {
            caution: 1.0,
            rate: self.rate,
        }
    }

    /// The cubic polynomial through states and slopes at both ends, of order 3.
    fn interpolate(stepper: &NewtonStepper<Self>, h: f64, output: &mut DenseOutput) {
        stepper.interpolate(h, output);
    }

    fn advance(&mut self) {
        self.matrix.age(self.rate > RATE_TO_KEEP);
    }
}
