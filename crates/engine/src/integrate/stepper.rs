//! One stepper for all methods: both ends of a step, the protocol, and how the size of steps follows from attempts.

use std::fmt::Debug;

use super::attempt::{Progress, Trial, check_advance, check_length};
use super::collocation::Collocation;
use super::explicit::DormandPrince;
use super::hessenberg::Projected;
use super::implicit::Radau;
use super::initial::initial_step;
use super::outlook::Outlook;
use super::trapezoidal::Trapezoidal;
use super::{Attempt, Controller, DenseOutput, Flow, Statistics, Tolerance, Verdict};
use crate::error::Result;

/// Convergence rate below which the matrices are kept for the next step.
pub(super) const RATE_TO_KEEP: f64 = 1e-3;

/// Factor of the step size when an iteration does not converge and nothing better is known.
pub(super) const AFTER_DIVERGENCE: f64 = 0.5;

/// A proposed growth up to this factor is not worth a new factorisation.
const GROWTH_TO_IGNORE: f64 = 1.2;

/// Methods of integration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Explicit Runge-Kutta method of order 8(5,3) of Dormand and Prince, for smooth, non-stiff motion at any accuracy.
    #[default]
    DormandPrince,
    /// Implicit Runge-Kutta method Radau IIA of order 5, for stiff systems.
    Radau,
    /// Implicit trapezoidal rule of order 2.
    Trapezoidal,
}

/// How the iteration of an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outcome {
    /// Solved in this many iterations with this rate of convergence.
    Converged { iterations: u32, rate: f64 },
    /// Not solved; a step size smaller by this factor should do.
    Failed { factor: f64 },
    /// The equations could not be evaluated, or a matrix is singular.
    NotFinite,
}

/// What the size of the next step owes to the iteration of an attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Convergence {
    /// Factor for the step size, at most one.
    pub caution: f64,
    /// Rate of convergence.
    pub rate: f64,
    /// Factor of the step size after a rejected first step; that of the controller when none.
    pub after_first_rejection: Option<f64>,
}

impl Convergence {
    /// Of a step that was not found by iteration.
    pub const NONE: Self = Self::of_rate(f64::INFINITY);

    /// An iteration whose length does not matter.
    pub const fn of_rate(rate: f64) -> Self {
        Self {
            caution: 1.0,
            rate,
            after_first_rejection: None,
        }
    }

    /// After so many iterations of at most so many (Hairer and Wanner, equation IV.8.24).
    pub fn after(iterations: u32, most: u32, rate: f64) -> Self {
        let most = f64::from(2 * most);
        Self {
            caution: ((1.0 + most) / (f64::from(iterations) + most)).min(1.0),
            rate,
            after_first_rejection: Some(0.1),
        }
    }
}

/// Both ends of a step.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    /// Number of components.
    pub n: usize,
    pub progress: Progress,
    /// Time of the start of the step.
    pub t: f64,
    /// Whether `dx` is the derivative at `(t, x)`.
    known: bool,
    /// Whether no step has been accepted since the last restart.
    pub first: bool,
    pub x: Vec<f64>,
    pub dx: Vec<f64>,
    /// Written by `attempt`: state and, if acceptable, derivative at the end.
    pub x_new: Vec<f64>,
    pub dx_new: Vec<f64>,
    /// Interpolant of the last accepted step, unless `first` or the method takes no interest in it.
    pub before: DenseOutput,
}

impl Ends {
    /// Ends with so many components, and an interpolant of this degree where the method extrapolates it.
    fn new(n: usize, controller: Controller, degree: Option<usize>) -> Self {
        let zeros = || vec![0.0; n];
        let mut before = DenseOutput::new();
        if let Some(degree) = degree {
            before.resize(0.0, 1.0, n, degree);
        }
        Self {
            n,
            progress: Progress::new(controller),
            t: 0.0,
            known: false,
            first: true,
            x: zeros(),
            dx: zeros(),
            x_new: zeros(),
            dx_new: zeros(),
            before,
        }
    }

    fn bytes(&self) -> usize {
        (4 * self.n + self.before.coefficients().len()) * size_of::<f64>()
    }

    /// Makes `(t, x)` the start of the step.
    fn place(&mut self, t: f64, x: &[f64]) {
        if !(self.known && self.t == t && self.x == x) {
            self.known = false;
            self.t = t;
            self.x.copy_from_slice(x);
        }
    }

    /// Evaluates the derivative at the start.
    ///
    /// # Errors
    /// Any failure, since no smaller step avoids the start.
    pub fn evaluate_start(&mut self, flow: &mut dyn Flow) -> Result<()> {
        let finite = self.progress.all_finite(self.t, &self.x, "state");
        if !finite || !self.progress.evaluate(flow, self.t, &self.x, &mut self.dx)? {
            return Err(self.progress.failed(self.t));
        }
        Ok(())
    }

    /// Makes the end the extrapolated interpolant of the step before, or the start.
    pub fn extrapolate(&mut self, h: f64) {
        if self.first {
            self.x_new.copy_from_slice(&self.x);
        } else {
            self.before.evaluate(self.before.end() + h, &mut self.x_new);
        }
    }

    /// Makes the end `x + z`; false if that is not finite.
    pub fn move_by(&mut self, h: f64, z: &[f64]) -> bool {
        for ((x_new, x), z) in self.x_new.iter_mut().zip(&self.x).zip(z) {
            *x_new = x + z;
        }
        self.progress.all_finite(self.t + h, &self.x_new, "state")
    }

    /// Outcome of an attempt with this error: if it is acceptable, the end is projected and its derivative evaluated.
    pub fn conclude(&mut self, flow: &mut dyn Flow, h: f64, error: f64) -> Result<Attempt> {
        let t_new = self.t + h;
        let ended = error.is_finite()
            && (error >= 1.0
                || self.progress.project(flow, t_new, &mut self.x_new)?
                    && self.progress.evaluate(flow, t_new, &self.x_new, &mut self.dx_new)?);
        Ok(if ended {
            Attempt::Done { error }
        } else {
            Attempt::NotFinite
        })
    }

    /// Writes the cubic polynomial through states and slopes at both ends into the leading rows of an interpolant.
    pub fn fill_cubic(&self, h: f64, coefficients: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let change = self.x_new[i] - self.x[i];
            let curved = h * self.dx[i] - change;
            coefficients[i] = self.x[i];
            coefficients[n + i] = change;
            coefficients[2 * n + i] = curved;
            coefficients[3 * n + i] = change - h * self.dx_new[i] - curved;
        }
    }

    /// Factor of the step size after an attempt.
    fn factor_after(&self, trial: Trial, convergence: Convergence) -> f64 {
        let Convergence {
            caution,
            rate,
            after_first_rejection,
        } = convergence;
        let controller = &self.progress.controller;
        match (trial.attempt, after_first_rejection) {
            (Attempt::Done { error }, _) if error < 1.0 => {
                let factor = controller.after_success(trial.h, error, caution);
                let keep = rate <= RATE_TO_KEEP && (1.0..=GROWTH_TO_IGNORE).contains(&factor);
                if keep { 1.0 } else { factor }
            }
            (Attempt::Done { .. }, Some(factor)) if self.first => factor,
            (Attempt::Done { error }, _) => controller.after_rejection(error, caution),
            (failed, _) => Progress::after_failure(failed),
        }
    }
}

/// A method: its stages, its matrices and its interpolant.
pub(super) trait Scheme: Debug {
    /// Order of the method.
    fn order(&self) -> u32;

    /// Order of the error estimate.
    fn order_of_estimate(&self) -> u32 {
        self.order()
    }

    /// Bytes held for `n` components, apart from both ends of the step.
    fn bytes(&self, n: usize) -> usize;

    /// Forgets the past, matrices included, and suits itself to the flow.
    ///
    /// # Errors
    /// Kind `Request` for a flow that the method cannot integrate.
    fn restart(&mut self, flow: &mut dyn Flow) -> Result<()> {
        let _ = flow;
        Ok(())
    }

    /// Evaluates what the method needs at the start of a step that is not the end of the step before.
    ///
    /// # Errors
    /// As [`Ends::evaluate_start`].
    fn start(&mut self, ends: &mut Ends, flow: &mut dyn Flow) -> Result<()> {
        ends.evaluate_start(flow)
    }

    /// Solves a step from its start and estimates its error.
    ///
    /// # Errors
    /// Failures of the flow that no smaller step avoids.
    fn compute(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Result<Attempt>;

    /// How the iteration of the latest attempt converged.
    fn convergence(&self) -> Convergence {
        Convergence::NONE
    }

    /// Evaluates what the interpolant of an acceptable attempt needs beyond the step.
    ///
    /// # Errors
    /// As the flow.
    fn extend(&mut self, ends: &mut Ends, flow: &mut dyn Flow, h: f64) -> Result<()> {
        let _ = (ends, flow, h);
        Ok(())
    }

    /// Writes the interpolant of the latest attempt, which is acceptable.
    fn interpolate(&mut self, ends: &Ends, h: f64, output: &mut DenseOutput);

    /// The end of the latest attempt becomes the start of the next step.
    fn advance(&mut self) {}
}

/// The methods.
#[derive(Clone, Debug)]
enum Schemes {
    Explicit(Box<DormandPrince>),
    Radau(Box<Radau>),
    Trapezoidal(Box<Trapezoidal>),
    Hessenberg(Box<Projected>),
}

impl Schemes {
    fn get(&self) -> &dyn Scheme {
        match self {
            Self::Explicit(scheme) => &**scheme,
            Self::Radau(scheme) => &**scheme,
            Self::Trapezoidal(scheme) => &**scheme,
            Self::Hessenberg(scheme) => &**scheme,
        }
    }

    fn get_mut(&mut self) -> &mut dyn Scheme {
        match self {
            Self::Explicit(scheme) => &mut **scheme,
            Self::Radau(scheme) => &mut **scheme,
            Self::Trapezoidal(scheme) => &mut **scheme,
            Self::Hessenberg(scheme) => &mut **scheme,
        }
    }
}

/// A stepper of any method, with collocation for single steps over a place that the method does not pass; see the module
/// documentation for the protocol.
#[derive(Clone, Debug)]
pub struct Stepper {
    ends: Ends,
    schemes: Schemes,
    /// Made when it is first needed: few motions have such places.
    leap: Option<Box<Collocation>>,
    /// Whether attempts are made by collocation.
    leaping: bool,
    /// Where the flow becomes rough.
    pub(super) outlook: Outlook,
}

impl Stepper {
    /// The explicit method for `n` components.
    pub fn explicit(n: usize) -> Self {
        Self::new(Method::DormandPrince, n, n)
    }

    /// The implicit method for `n` components.
    pub fn implicit(n: usize) -> Self {
        Self::new(Method::Radau, n, n)
    }

    /// Radau IIA for differential-algebraic systems with `n` components, of the order that suits a relative tolerance; what is
    /// integrated is a state on their manifold.
    pub fn hessenberg(n: usize, rtol: f64) -> Self {
        Self::hessenberg_with_stages(n, Projected::stages_for(rtol))
    }

    /// The same with 3, 5 or 7 stages.
    pub(super) fn hessenberg_with_stages(n: usize, stages: usize) -> Self {
        let scheme = Schemes::Hessenberg(Box::new(Projected::new(n, stages)));
        Self::of(
            scheme,
            Ends::new(n, Controller::predictive(stages as u32), Some(stages)),
        )
    }

    /// A method for `n` components, whose Jacobian has equal blocks of a size on its diagonal; the implicit methods need flows that
    /// provide it. Allocates everything it will ever need.
    pub fn new(method: Method, n: usize, block: usize) -> Self {
        match method {
            Method::DormandPrince => {
                let ends = Ends::new(n, Controller::of_order_eight(), None);
                Self::of(Schemes::Explicit(Box::new(DormandPrince::new(n))), ends)
            }
            Method::Radau => {
                let ends = Ends::new(n, Controller::predictive(3), Some(Radau::DEGREE));
                Self::of(Schemes::Radau(Box::new(Radau::new(n, block))), ends)
            }
            Method::Trapezoidal => {
                let ends = Ends::new(n, Controller::of_order_two(), Some(Trapezoidal::DEGREE));
                Self::of(Schemes::Trapezoidal(Box::new(Trapezoidal::new(n, block))), ends)
            }
        }
    }

    fn of(schemes: Schemes, ends: Ends) -> Self {
        Self {
            ends,
            schemes,
            leap: None,
            leaping: false,
            outlook: Outlook::default(),
        }
    }

    /// From now on attempts by collocation, which passes places where the flow carries noise in long steps, or by the
    /// method again. What was attempted and not accepted is forgotten.
    pub fn leap(&mut self, on: bool) {
        if self.leaping != on {
            self.ends.progress.forget();
            self.leaping = on;
        }
    }

    /// Whether attempts are made by collocation.
    pub fn leaps(&self) -> bool {
        self.leaping
    }

    /// The method by which rough places are passed.
    pub(super) fn collocation(&mut self) -> &mut Collocation {
        let n = self.ends.n;
        self.leap.get_or_insert_with(|| Box::new(Collocation::new(n)))
    }

    /// Time at which the flow is rough within a step of size `h` from (t, x), as collocation first sees it, at the price of one
    /// evaluation per node.
    pub(super) fn find_rough_place(
        &mut self,
        flow: &mut dyn Flow,
        (t, x): (f64, &[f64]),
        h: f64,
    ) -> Result<Option<f64>> {
        check_advance(t, h)?;
        self.ends.place(t, x);
        self.collocation();
        match &mut self.leap {
            Some(leap) => leap.find_rough_place(&mut self.ends, flow, h),
            None => Ok(None),
        }
    }

    /// A copy between two steps that holds nothing of collocation, and takes the same steps.
    pub fn light(&self) -> Self {
        let mut copy = Self {
            ends: self.ends.clone(),
            schemes: self.schemes.clone(),
            leap: None,
            leaping: false,
            outlook: self.outlook,
        };
        if self.leaping {
            copy.ends.progress.forget();
        }
        copy
    }

    /// Both ends of the step, and the method of the attempts.
    fn parts(&mut self) -> (&mut Ends, &mut dyn Scheme) {
        let scheme = match &mut self.leap {
            Some(leap) if self.leaping => &mut **leap,
            _ => self.schemes.get_mut(),
        };
        (&mut self.ends, scheme)
    }

    /// Number of components.
    pub fn dimension(&self) -> usize {
        self.ends.n
    }

    /// Bytes held, without collocation.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.ends.bytes() + self.schemes.get().bytes(self.ends.n)
    }

    /// Order of the method.
    pub fn order(&self) -> u32 {
        self.schemes.get().order()
    }

    /// Work done so far.
    pub fn statistics(&self) -> Statistics {
        self.ends.progress.statistics
    }

    /// Starts anew from `(t, x)`: evaluates the derivative there and forgets the past, Jacobian included. To be called at
    /// the start, after a jump and after a change of the flow; the only call that may allocate. (A small correction of the
    /// state between steps needs no restart: it is noticed, and only the derivative is evaluated again.)
    ///
    /// # Errors
    /// Whatever the flow reports; kind [`ErrorKind::NotFinite`](crate::error::ErrorKind) if the state or the derivative
    /// is not finite; kind [`ErrorKind::Request`](crate::error::ErrorKind) for a flow that the method cannot integrate.
    pub fn restart(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64]) -> Result<()> {
        check_length(self.ends.n, x)?;
        self.leap(false);
        self.outlook = Outlook::default();
        let (ends, scheme) = self.parts();
        ends.progress.reset();
        (ends.first, ends.known) = (true, false);
        scheme.restart(flow)?;
        self.know(flow, t, x)
    }

    /// Makes `(t, x)` the start of the step, with what the method needs there.
    fn know(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64]) -> Result<()> {
        let leaping = self.leaping;
        let (ends, scheme) = self.parts();
        ends.place(t, x);
        if !ends.known && !leaping {
            scheme.start(ends, flow)?;
            ends.known = true;
        }
        Ok(())
    }

    /// Derivative at the start of the step (`n` components), after `restart` or `attempt`.
    pub fn derivative(&self) -> &[f64] {
        &self.ends.dx
    }

    /// End of the latest attempt, in seconds; start of the next step after `accept`.
    pub fn t_new(&self) -> f64 {
        self.ends.progress.end_from(self.ends.t)
    }

    /// State at the end of the latest attempt (`n` components).
    pub fn x_new(&self) -> &[f64] {
        &self.ends.x_new
    }

    /// Derivative at the end of the latest attempt (`n` components), if that attempt is acceptable.
    pub fn derivative_new(&self) -> &[f64] {
        &self.ends.dx_new
    }

    /// A first step size from `(t, x)`, signed as `max_step` (in seconds) and not longer.
    ///
    /// # Errors
    /// As [`Stepper::restart`].
    pub fn initial_step(
        &mut self,
        flow: &mut dyn Flow,
        t: f64,
        x: &[f64],
        tol: &Tolerance,
        max_step: f64,
    ) -> Result<f64> {
        tol.check_dimension(self.ends.n, x)?;
        self.leap(false);
        self.know(flow, t, x)?;
        self.ends.progress.trial = None;
        initial_step(
            flow,
            &mut self.ends,
            self.schemes.get().order_of_estimate(),
            tol,
            max_step,
        )
    }

    /// Computes a step of size `h` (signed) from `(t, x)` without committing to it. Derivative, Jacobian and factors are
    /// reused where they serve.
    ///
    /// # Errors
    /// Failures that a smaller step may avoid make the attempt [`Attempt::NotFinite`]; other failures of the flow, and any
    /// at `(t, x)` itself, are returned, as are wrong dimensions and a step that does not advance time.
    pub fn attempt(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64], h: f64, tol: &Tolerance) -> Result<Attempt> {
        tol.check_dimension(self.ends.n, x)?;
        check_advance(t, h)?;
        self.know(flow, t, x)?;
        let (ends, scheme) = self.parts();
        ends.progress.trial = None;
        let attempt = scheme.compute(ends, flow, h, tol)?;
        Ok(ends.progress.finish(t, h, attempt))
    }

    /// Judges the latest attempt.
    ///
    /// # Errors
    /// If no smaller step is possible: the remembered failure of the flow, or kind
    /// [`ErrorKind::StepSize`](crate::error::ErrorKind).
    pub fn judge(&mut self) -> Result<Verdict> {
        let (ends, scheme) = self.parts();
        let trial = ends.progress.latest()?;
        let factor = ends.factor_after(trial, scheme.convergence());
        ends.progress.decide(trial, factor)
    }

    /// Writes the interpolant of the latest attempt, which must be acceptable and not yet accepted. The explicit method
    /// evaluates the flow three more times for it, once per attempt.
    ///
    /// # Errors
    /// Kinds `Singular` and `NotFinite` if the flow fails within the step: a smaller step may avoid the place.
    pub fn dense(&mut self, flow: &mut dyn Flow, output: &mut DenseOutput) -> Result<()> {
        let (ends, scheme) = self.parts();
        let trial = ends.progress.acceptable()?;
        scheme.extend(ends, flow, trial.h)?;
        scheme.interpolate(ends, trial.h, output);
        Ok(())
    }

    /// Commits to the latest attempt, which must be acceptable: its end is the start of the next step.
    ///
    /// # Errors
    /// Kind [`ErrorKind::Request`](crate::error::ErrorKind) if there is no acceptable attempt.
    pub fn accept(&mut self) -> Result<()> {
        let leaping = self.leaping;
        let (ends, scheme) = self.parts();
        let trial = ends.progress.accept()?;
        if !leaping {
            ends.progress.record(trial);
            if !ends.before.coefficients().is_empty() {
                let mut before = std::mem::take(&mut ends.before);
                scheme.interpolate(ends, trial.h, &mut before);
                ends.before = before;
            }
            ends.first = false;
            ends.dx.copy_from_slice(&ends.dx_new);
            scheme.advance();
        }
        // The method starts anew from the end of a step by collocation.
        ends.known = !leaping;
        ends.t = trial.t + trial.h;
        ends.x.copy_from_slice(&ends.x_new);
        Ok(())
    }
}
