//! Radau IIA with 3, 5 or 7 stages on differential-algebraic systems in Hessenberg form of index 2 or 3 (theory, 8.2;
//! Hairer and Wanner, Solving Ordinary Differential Equations II, sections VII.4 to VII.6).
//!
//! | step | where |
//! | --- | --- |
//! | stages of the coupled components and multipliers, by simplified Newton iterations | `stages` |
//! | rates with their order and digits, in index 3 | `refine` |
//! | quadratures, and variations, which are linear, at the stages found | `tail` |
//! | error estimate, interpolant | `step` |
//!
//! The polynomial through the stages has the accuracy of the tolerance everywhere within the step, since adjoints and
//! events read it; the end of the step is more accurate by far.

mod factors;
mod refine;
mod stages;
mod step;
mod system;
mod tableau;
mod tail;

pub use system::{Hessenberg, Place, Structure};

use self::stages::Stages;
use self::tableau::Tableau;
use self::tail::Tail;
use super::newton_stepper::{Convergence, NewtonStepper, Scheme};
use super::{Attempt, Controller, DenseOutput, Flow, Tolerance};
use crate::error::{Error, ErrorKind, Result};
use crate::linear::add_scaled;

/// Stepper of differential-algebraic systems; the flow must be a [`Hessenberg`] system, and what is integrated a state on its
/// manifold.
pub type HessenbergStepper = NewtonStepper<Projected>;

/// Radau IIA on a system in Hessenberg form, whose steps end on the manifold.
#[derive(Clone, Debug)]
pub struct Projected {
    tableau: Box<Tableau>,
    structure: Structure,
    /// Stages of the coupled components; sized by `restart` for the mode.
    stages: Stages,
    /// Quadratures and variations; likewise.
    tail: Tail,
    /// Iterations and rate of convergence of the latest attempt.
    convergence: (u32, f64),
    /// Size and error of the first attempt from `(t, x)` whose error was too large.
    too_large: Option<(f64, f64)>,
    /// Written by `attempt`: stage increments, stage i at i * n.
    z: Vec<f64>,
    /// Scratch: slopes of the rates at the stages across the constraints, stage i at i * their number.
    slopes: Vec<f64>,
    /// Written by `attempt`: inverse of the error allowed per component.
    weights: Vec<f64>,
    /// Scratch: a state and an error.
    state: Vec<f64>,
    error: Vec<f64>,
    /// Written by `attempt`: error of the coupled components across the constraints.
    across: Vec<f64>,
}

impl HessenbergStepper {
    /// A stepper for `n` components with an order that suits a relative tolerance.
    pub fn new(n: usize, rtol: f64) -> Self {
        Self::with_stages(n, Tableau::stages_for(rtol))
    }

    /// A stepper for `n` components with 3, 5 or 7 stages.
    pub(super) fn with_stages(n: usize, stages: usize) -> Self {
        let zeros = || vec![0.0; n];
        let structure = Structure::default();
        let tableau = Box::new(Tableau::with_stages(stages));
        let scheme = Projected {
            stages: Stages::new(&structure, &tableau),
            tail: Tail::new(&structure, &tableau),
            convergence: (0, 1.0),
            too_large: None,
            z: vec![0.0; n * stages],
            weights: zeros(),
            state: zeros(),
            error: zeros(),
            across: Vec::new(),
            slopes: Vec::new(),
            tableau,
            structure,
        };
        Self::of(scheme, Controller::predictive_of(stages as u32), n, stages)
    }
}

impl Projected {
    /// Sizes for a structure.
    fn fit(&mut self, structure: Structure) {
        self.across.resize(structure.coupled, 0.0);
        let repaired = if structure.repaired { structure.rates.len() } else { 0 };
        self.slopes.resize(repaired * self.tableau.stages, 0.0);
        self.stages = Stages::new(&structure, &self.tableau);
        self.tail = Tail::new(&structure, &self.tableau);
        self.structure = structure;
    }

    /// Writes the state of a stage, with the coupled components only moved.
    fn load_stage(&mut self, i: usize, x: &[f64]) {
        let moved = &self.z[i * x.len()..][..self.structure.coupled];
        self.state.copy_from_slice(x);
        add_scaled(&mut self.state[..moved.len()], 1.0, moved);
    }
}

impl Scheme for Projected {
    const AFTER_FIRST_REJECTION: Option<f64> = Some(0.1);

    /// 5, 9 or 13.
    fn order(&self) -> u32 {
        self.tableau.order()
    }

    fn order_of_estimate(&self) -> u32 {
        self.tableau.stages as u32
    }

    fn bytes(&self, n: usize) -> usize {
        let vectors = (self.tableau.stages + 3) * n * size_of::<f64>() + size_of_val(&self.slopes[..]);
        vectors + self.stages.bytes() + self.tail.bytes()
    }

    fn scratch(&mut self) -> [&mut [f64]; 2] {
        [&mut self.state, &mut self.error]
    }

    fn restart(&mut self, flow: &mut dyn Flow) -> Result<()> {
        let structure = algebraic(flow)?.structure();
        if structure != self.structure {
            self.fit(structure);
        }
        self.stages.forget();
        Ok(())
    }

    fn enter(&mut self) {
        self.too_large = None;
    }

    /// Multipliers at the start of the step.
    fn start(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64]) -> Result<()> {
        self.stages.start_at(algebraic(flow)?, t, x)
    }

    fn compute(stepper: &mut NewtonStepper<Self>, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Result<Attempt> {
        stepper.compute(flow, h, tol)
    }

    fn convergence(&self) -> Convergence {
        let (iterations, rate) = self.convergence;
        Convergence::after(iterations, stages::most_iterations(&self.tableau), rate)
    }

    /// The collocation polynomial.
    fn interpolate(stepper: &NewtonStepper<Self>, h: f64, output: &mut DenseOutput) {
        stepper.collocate(h, output);
    }

    fn advance(&mut self) {
        self.too_large = None;
        self.stages.pass(self.convergence.1);
    }
}

/// The flow as a differential-algebraic system.
fn algebraic(flow: &mut dyn Flow) -> Result<&mut dyn Hessenberg> {
    flow.hessenberg().ok_or_else(|| {
        Error::new(
            ErrorKind::Request,
            "this system has no differential-algebraic equations",
        )
        .advise("use the explicit or the implicit integrator")
    })
}
