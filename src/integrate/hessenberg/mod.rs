//! Radau IIA with 3, 5 or 7 stages on differential-algebraic systems in Hessenberg form of index 2 or 3 (theory, 8.2;
//! Hairer and Wanner, Solving Ordinary Differential Equations II, sections VII.4 to VII.6).
//!
//! | step | where |
//! | --- | --- |
//! | stages of the coupled components and multipliers, by simplified Newton iterations | `stages` |
//! | quadratures, and variations, which are linear, at the stages found | `tail` |
//! | error estimate, interpolant | `step` |
//!
//! The polynomial through the stages has the accuracy of the tolerance everywhere within the step, since adjoints and
//! events read it; the end of the step is more accurate by far.

mod factors;
mod stages;
mod step;
mod system;
mod tableau;
mod tail;

pub use system::{Hessenberg, Place, Structure};

use self::stages::{RATE_TO_KEEP, Stages};
use self::tableau::Tableau;
use self::tail::Tail;
use super::attempt::{Progress, check_advance, check_length};
use super::initial::{Start, initial_step};
use super::{Attempt, Controller, DenseOutput, Flow, Statistics, Tolerance, Verdict};
use crate::error::{Error, ErrorKind, Result};

/// Factor of the step size after a rejected first step.
const AFTER_FIRST_REJECTION: f64 = 0.1;

/// A proposed growth up to this factor is not worth a new factorisation.
const GROWTH_TO_IGNORE: f64 = 1.2;

/// Stepper of differential-algebraic systems; see the module documentation of `integrate` for the protocol. The flow must
/// be a [`Hessenberg`] system.
#[derive(Clone, Debug)]
pub struct HessenbergStepper {
    n: usize,
    tableau: Box<Tableau>,
    progress: Progress,
    structure: Structure,
    /// Stages of the coupled components; sized by `restart` for the mode.
    stages: Stages,
    /// Quadratures and variations; likewise.
    tail: Tail,
    /// Iterations and rate of convergence of the latest attempt.
    convergence: (u32, f64),
    /// Time of the start of the step.
    t: f64,
    /// Whether `dx` is the derivative at `(t, x)`.
    known: bool,
    /// Whether no step has been accepted since the last restart.
    first: bool,
    /// Size and error of the first attempt from `(t, x)` whose error was too large.
    too_large: Option<(f64, f64)>,
    x: Vec<f64>,
    dx: Vec<f64>,
    /// Written by `attempt`: state and, if acceptable, derivative at the end.
    x_new: Vec<f64>,
    dx_new: Vec<f64>,
    /// Written by `attempt`: stage increments, stage i at i * n.
    z: Vec<f64>,
    /// Written by `attempt`: inverse of the error allowed per component.
    weights: Vec<f64>,
    /// Scratch: a state and an error.
    state: Vec<f64>,
    error: Vec<f64>,
    /// Written by `attempt`: error of the coupled components across the constraints.
    across: Vec<f64>,
    /// Interpolant of the last accepted step, unless `first`.
    before: DenseOutput,
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
        let mut before = DenseOutput::new();
        before.resize(0.0, 1.0, n, stages);
        Self {
            n,
            progress: Progress::new(Controller::predictive_of(stages as u32)),
            stages: Stages::new(&structure, &tableau),
            tail: Tail::new(&structure, &tableau),
            convergence: (0, 1.0),
            t: 0.0,
            known: false,
            first: true,
            too_large: None,
            x: zeros(),
            dx: zeros(),
            x_new: zeros(),
            dx_new: zeros(),
            z: vec![0.0; n * stages],
            weights: zeros(),
            state: zeros(),
            error: zeros(),
            across: Vec::new(),
            before,
            tableau,
            structure,
        }
    }

    /// Sizes for a structure.
    fn fit(&mut self, structure: Structure) {
        self.across.resize(structure.coupled, 0.0);
        self.stages = Stages::new(&structure, &self.tableau);
        self.tail = Tail::new(&structure, &self.tableau);
        self.structure = structure;
    }

    /// Number of components.
    pub fn dimension(&self) -> usize {
        self.n
    }

    /// Bytes held: factors, stages and the last interpolant.
    pub fn bytes(&self) -> usize {
        let vectors = (2 * self.tableau.stages + 8) * self.n * size_of::<f64>();
        size_of::<Self>() + vectors + self.stages.bytes() + self.tail.bytes()
    }

    /// Order of the method: 5, 9 or 13.
    pub fn order(&self) -> u32 {
        self.tableau.order()
    }

    /// Work done so far; evaluations are those of the residual and of the flow.
    pub fn statistics(&self) -> Statistics {
        self.progress.statistics
    }

    /// Starts anew from `(t, x)`, the only call that may allocate: at the start, after a jump and after a change of the flow.
    ///
    /// # Errors
    /// Whatever the flow reports; kind [`ErrorKind::Request`] if it is no [`Hessenberg`] system; kind
    /// [`ErrorKind::NotFinite`] if the state or the derivative is not finite.
    pub fn restart<F: Flow + ?Sized>(&mut self, flow: &mut F, t: f64, x: &[f64]) -> Result<()> {
        self.progress.reset();
        self.first = true;
        let structure = algebraic(flow)?.structure();
        if structure != self.structure {
            self.fit(structure);
        }
        self.stages.forget();
        self.load(flow, t, x)
    }

    /// Derivative at the start of the step (`n` components), after `restart` or `attempt`.
    pub fn derivative(&self) -> &[f64] {
        &self.dx
    }

    /// End of the latest attempt, in seconds; start of the next step after `accept`.
    pub fn t_new(&self) -> f64 {
        self.t + self.progress.trial.map_or(0.0, |trial| trial.h)
    }

    /// State at the end of the latest attempt (`n` components).
    pub fn x_new(&self) -> &[f64] {
        &self.x_new
    }

    /// Derivative at the end of the latest attempt (`n` components), if that attempt is acceptable.
    pub fn derivative_new(&self) -> &[f64] {
        &self.dx_new
    }

    /// A first step size from `(t, x)`, signed as `max_step` (in seconds) and not longer.
    ///
    /// # Errors
    /// As [`HessenbergStepper::restart`].
    pub fn initial_step<F: Flow + ?Sized>(
        &mut self,
        flow: &mut F,
        t: f64,
        x: &[f64],
        tol: &Tolerance,
        max_step: f64,
    ) -> Result<f64> {
        tol.check_dimension(self.n, x)?;
        self.know(flow, t, x)?;
        let start = Start {
            t,
            x,
            dx: &self.dx,
            order: self.tableau.stages as u32,
            max_step,
        };
        initial_step(flow, &mut self.progress, &start, tol, &mut self.state, &mut self.error)
    }

    /// Computes a step of size `h` (signed) from `(t, x)`, a state on the manifold, without committing to it.
    ///
    /// # Errors
    /// Failures that a smaller step may avoid make the attempt [`Attempt::NotFinite`]; other failures of the flow, and any
    /// at `(t, x)` itself, are returned, as are wrong dimensions and a step that does not advance time.
    pub fn attempt<F: Flow + ?Sized>(
        &mut self,
        flow: &mut F,
        t: f64,
        x: &[f64],
        h: f64,
        tol: &Tolerance,
    ) -> Result<Attempt> {
        tol.check_dimension(self.n, x)?;
        check_advance(t, h)?;
        self.know(flow, t, x)?;
        self.progress.trial = None;
        let attempt = self.compute(flow, h, tol)?;
        Ok(self.progress.finish(t, h, attempt))
    }

    /// Judges the latest attempt.
    ///
    /// # Errors
    /// If no smaller step is possible: the remembered failure of the flow, or kind [`ErrorKind::StepSize`].
    pub fn judge(&mut self) -> Result<Verdict> {
        let trial = self.progress.latest()?;
        let (iterations, rate) = self.convergence;
        let most = f64::from(2 * stages::most_iterations(&self.tableau));
        let caution = ((1.0 + most) / (f64::from(iterations) + most)).min(1.0);
        let controller = &self.progress.controller;
        let factor = match trial.attempt {
            Attempt::Done { error } if error < 1.0 => {
                let factor = controller.after_success(trial.h, error, caution);
                let keep = rate <= RATE_TO_KEEP && (1.0..=GROWTH_TO_IGNORE).contains(&factor);
                if keep { 1.0 } else { factor }
            }
            Attempt::Done { .. } if self.first => AFTER_FIRST_REJECTION,
            Attempt::Done { error } => controller.after_rejection(error, caution),
            failed => Progress::after_failure(failed),
        };
        self.progress.decide(trial, factor)
    }

    /// Writes the interpolant of the latest attempt, which must be acceptable and not yet accepted: the collocation
    /// polynomial. Costs no evaluation of the flow.
    ///
    /// # Errors
    /// Kind [`ErrorKind::Request`] if there is no acceptable attempt.
    pub fn dense<F: Flow + ?Sized>(&mut self, flow: &mut F, output: &mut DenseOutput) -> Result<()> {
        let _ = flow;
        let trial = self.progress.acceptable()?;
        self.collocate(trial.h, output);
        Ok(())
    }

    /// Commits to the latest attempt, which must be acceptable: its end is the start of the next step.
    ///
    /// # Errors
    /// Kind [`ErrorKind::Request`] if there is no acceptable attempt.
    pub fn accept(&mut self) -> Result<()> {
        let trial = self.progress.accept()?;
        let mut before = std::mem::take(&mut self.before);
        self.collocate(trial.h, &mut before);
        self.before = before;
        self.first = false;
        self.too_large = None;
        self.t = trial.t + trial.h;
        self.x.copy_from_slice(&self.x_new);
        self.dx.copy_from_slice(&self.dx_new);
        self.stages.pass(self.convergence.1);
        Ok(())
    }

    /// Forgets what was attempted since the last accepted step.
    pub(super) fn forget(&mut self) {
        self.progress.forget();
    }

    /// Makes `dx` the derivative, and the multipliers those, at `(t, x)`.
    fn know<F: Flow + ?Sized>(&mut self, flow: &mut F, t: f64, x: &[f64]) -> Result<()> {
        if self.known && self.t == t && self.x == x {
            return Ok(());
        }
        self.load(flow, t, x)
    }

    fn load<F: Flow + ?Sized>(&mut self, flow: &mut F, t: f64, x: &[f64]) -> Result<()> {
        check_length(self.n, x)?;
        self.known = false;
        self.too_large = None;
        self.t = t;
        self.x.copy_from_slice(x);
        let finite = self.progress.all_finite(t, x, "state");
        if !finite || !self.progress.evaluate(flow, t, x, &mut self.dx)? {
            return Err(self.progress.failed(t));
        }
        self.stages.start_at(algebraic(flow)?, t, x)?;
        self.known = true;
        Ok(())
    }
}

/// The flow as a differential-algebraic system.
fn algebraic<F: Flow + ?Sized>(flow: &mut F) -> Result<&mut dyn Hessenberg> {
    flow.hessenberg().ok_or_else(|| {
        Error::new(
            ErrorKind::Request,
            "this system has no differential-algebraic equations",
        )
        .advise("use the explicit or the implicit integrator")
    })
}
