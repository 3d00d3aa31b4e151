//! The implicit method Radau IIA of order 5 with three stages, for stiff systems
//! (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.8).

mod iteration_matrix;
mod newton;
mod radau;
mod step;

use self::iteration_matrix::IterationMatrix;
use self::newton::{MOST_ITERATIONS, Newton};
use self::step::DEGREE;
use super::newton_stepper::{Convergence, NewtonStepper, RATE_TO_KEEP, Scheme};
use super::{Attempt, Controller, DenseOutput, Flow, Tolerance};
use crate::error::Result;

/// Stepper of the implicit method of order 5; the flow must provide its Jacobian.
pub type ImplicitStepper = NewtonStepper<Radau>;

/// Radau IIA with three stages.
#[derive(Clone, Debug)]
pub struct Radau {
    matrix: IterationMatrix,
    newton: Newton,
    /// Iterations and rate of convergence of the latest attempt.
    convergence: (u32, f64),
    /// Written by `attempt`: inverse of the error allowed per component.
    weights: Vec<f64>,
    /// Scratch of the error estimate.
    error: Vec<f64>,
    stage: Vec<f64>,
}

impl ImplicitStepper {
    /// A stepper for `n` components; allocates everything it will ever need.
    pub fn new(n: usize) -> Self {
        Self::of_blocks(n, n)
    }

    /// A stepper for `n` components whose Jacobian has equal diagonal blocks of the size `block`.
    pub fn of_blocks(n: usize, block: usize) -> Self {
        let zeros = || vec![0.0; n];
        let scheme = Radau {
            matrix: IterationMatrix::new(block),
            newton: Newton::new(n),
            convergence: (0, 1.0),
            weights: zeros(),
            error: zeros(),
            stage: zeros(),
        };
        Self::of(scheme, Controller::predictive(), n, DEGREE)
    }
}

impl Scheme for Radau {
    const AFTER_FIRST_REJECTION: Option<f64> = Some(0.1);

    fn order(&self) -> u32 {
        5
    }

    fn order_of_estimate(&self) -> u32 {
        4
    }

    fn bytes(&self, n: usize) -> usize {
        self.matrix.bytes() + 18 * n * size_of::<f64>()
    }

    fn scratch(&mut self) -> [&mut [f64]; 2] {
        [&mut self.stage, &mut self.error]
    }

    fn restart(&mut self, _: &mut dyn Flow) -> Result<()> {
        self.newton.reset();
        self.matrix.due = true;
        Ok(())
    }

    fn enter(&mut self) {
        self.matrix.fresh = false;
    }

    fn compute(stepper: &mut NewtonStepper<Self>, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Result<Attempt> {
        stepper.compute(flow, h, tol)
    }

    fn convergence(&self) -> Convergence {
        let (iterations, rate) = self.convergence;
        Convergence::after(iterations, MOST_ITERATIONS, rate)
    }

    /// The collocation polynomial of degree 3: order 3 within the step, order 5 at its end.
    fn interpolate(stepper: &NewtonStepper<Self>, h: f64, output: &mut DenseOutput) {
        stepper.collocate(h, output);
    }

    fn advance(&mut self) {
        self.matrix.fresh = false;
        self.matrix.due = self.convergence.1 > RATE_TO_KEEP;
    }
}
