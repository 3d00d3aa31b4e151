//! The methods behind one interface.

use super::collocation::CollocationStepper;
use super::outlook::Outlook;
use super::{
    Attempt, DenseOutput, ExplicitStepper, Flow, HessenbergStepper, ImplicitStepper, Statistics, Tolerance,
    TrapezoidalStepper, Verdict,
};
use crate::error::Result;

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

/// A stepper of either kind, with collocation for single steps over a place that the method does not pass; see the module
/// documentation for the protocol, and the kinds for the details.
#[derive(Clone, Debug)]
pub struct Stepper {
    steps: Steps,
    /// Made when it is first needed: few motions have such places.
    leap: Option<Box<CollocationStepper>>,
    /// Whether attempts are made by collocation.
    leaping: bool,
    /// Work of collocation before [`Stepper::light`].
    earlier: Statistics,
    /// Where the flow becomes rough.
    pub(super) outlook: Outlook,
}

/// The stepper of ordinary steps.
#[derive(Clone, Debug)]
enum Steps {
    /// Dormand-Prince 8(5,3).
    Explicit(Box<ExplicitStepper>),
    /// Radau IIA of order 5; the flow must provide its Jacobian.
    Implicit(Box<ImplicitStepper>),
    /// Trapezoidal rule of order 2; the flow must provide its Jacobian.
    Trapezoidal(Box<TrapezoidalStepper>),
    /// Radau IIA on differential-algebraic equations, which the flow must provide.
    Hessenberg(Box<HessenbergStepper>),
}

macro_rules! delegate {
    ($self:ident, $stepper:ident => $call:expr) => {
        match &$self.leap {
            Some($stepper) if $self.leaping => $call,
            _ => delegate!(method &$self.steps, $stepper => $call),
        }
    };
    (mut $self:ident, $stepper:ident => $call:expr) => {
        match &mut $self.leap {
            Some($stepper) if $self.leaping => $call,
            _ => delegate!(method &mut $self.steps, $stepper => $call),
        }
    };
    (method $method:expr, $stepper:ident => $call:expr) => {
        match $method {
            Steps::Explicit($stepper) => $call,
            Steps::Implicit($stepper) => $call,
            Steps::Trapezoidal($stepper) => $call,
            Steps::Hessenberg($stepper) => $call,
        }
    };
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

    /// The method for differential-algebraic systems with `n` components, of the order that suits a relative tolerance.
    pub fn hessenberg(n: usize, rtol: f64) -> Self {
        Self::of(Steps::Hessenberg(Box::new(HessenbergStepper::new(n, rtol))))
    }

    /// A method for `n` components, whose Jacobian has equal blocks of a size on its diagonal; the implicit methods need flows that
    /// provide it.
    pub fn new(method: Method, n: usize, block: usize) -> Self {
        Self::of(match method {
            Method::DormandPrince => Steps::Explicit(Box::new(ExplicitStepper::new(n))),
            Method::Radau => Steps::Implicit(Box::new(ImplicitStepper::of_blocks(n, block))),
            Method::Trapezoidal => Steps::Trapezoidal(Box::new(TrapezoidalStepper::new(n, block))),
        })
    }

    fn of(steps: Steps) -> Self {
        Self {
            steps,
            leap: None,
            leaping: false,
            earlier: Statistics::default(),
            outlook: Outlook::default(),
        }
    }

    /// From now on attempts by collocation, which passes places where the flow carries noise in long steps, or by the
    /// method again. What was attempted and not accepted is forgotten.
    pub fn leap(&mut self, on: bool) {
        if self.leaping != on {
            self.collocation().forget();
            self.leaping = on;
            delegate!(method &mut self.steps, stepper => stepper.forget());
        }
    }

    fn collocation(&mut self) -> &mut CollocationStepper {
        let n = delegate!(method &self.steps, stepper => stepper.dimension());
        self.leap.get_or_insert_with(|| Box::new(CollocationStepper::new(n)))
    }

    /// A copy between two steps that holds nothing of collocation, and takes the same steps.
    pub fn light(&self) -> Self {
        let work = self.leap.as_ref().map(|leap| leap.statistics());
        let mut copy = Self {
            steps: self.steps.clone(),
            leap: None,
            leaping: false,
            earlier: self.earlier + work.unwrap_or_default(),
            outlook: self.outlook,
        };
        if self.leaping {
            delegate!(method &mut copy.steps, stepper => stepper.forget());
        }
        copy
    }

    /// Sets the time of the rough place, where known, for attempts by collocation.
    pub(super) fn around(&mut self, place: Option<f64>) {
        self.collocation().around(place);
    }

    /// The time set by [`Stepper::around`].
    pub(super) fn place(&self) -> Option<f64> {
        self.leap.as_ref()?.place()
    }

    /// Time at which the flow is rough within a step of size `h` from (t, x), as collocation first sees it.
    pub(super) fn scout(&mut self, flow: &mut dyn Flow, (t, x): (f64, &[f64]), h: f64) -> Result<Option<f64>> {
        let leap = self.collocation();
        leap.around(None);
        leap.scout(flow, t, x, h)
    }

    /// Whether noise, rather than its length, limits the latest attempt by collocation.
    pub(super) fn meets_noise(&self) -> bool {
        self.leap.as_ref().is_some_and(|leap| leap.meets_noise())
    }

    /// Time within the latest attempt by collocation at which the flow is rough.
    pub(super) fn located(&self) -> Option<f64> {
        self.leap.as_ref()?.located()
    }

    /// Whether attempts are made by collocation.
    pub fn leaps(&self) -> bool {
        self.leaping
    }

    /// Number of components.
    pub fn dimension(&self) -> usize {
        delegate!(self, stepper => stepper.dimension())
    }

    /// Bytes held, without collocation.
    pub fn bytes(&self) -> usize {
        delegate!(method &self.steps, stepper => stepper.bytes())
    }

    /// Order of the method.
    pub fn order(&self) -> u32 {
        delegate!(self, stepper => stepper.order())
    }

    /// Work done so far.
    pub fn statistics(&self) -> Statistics {
        let leaps = self.leap.as_ref().map(|leap| leap.statistics());
        delegate!(method &self.steps, stepper => stepper.statistics()) + self.earlier + leaps.unwrap_or_default()
    }

    /// Starts anew from `(t, x)` at the start, after a jump and after a change of the flow.
    ///
    /// # Errors
    /// Whatever the flow reports; kind [`ErrorKind::NotFinite`](crate::error::ErrorKind) if the state or the derivative
    /// is not finite.
    pub fn restart(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64]) -> Result<()> {
        self.leap(false);
        self.outlook = Outlook::default();
        delegate!(method &mut self.steps, stepper => stepper.restart(flow, t, x))
    }

    /// Derivative at the start of the step (`n` components), after `restart` or `attempt`.
    pub fn derivative(&self) -> &[f64] {
        delegate!(self, stepper => stepper.derivative())
    }

    /// End of the latest attempt, in seconds; start of the next step after `accept`.
    pub fn t_new(&self) -> f64 {
        delegate!(self, stepper => stepper.t_new())
    }

    /// State at the end of the latest attempt (`n` components).
    pub fn x_new(&self) -> &[f64] {
        delegate!(self, stepper => stepper.x_new())
    }

    /// Derivative at the end of the latest attempt (`n` components), if that attempt is acceptable.
    pub fn derivative_new(&self) -> &[f64] {
        delegate!(self, stepper => stepper.derivative_new())
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
        self.leap(false);
        delegate!(method &mut self.steps, stepper => stepper.initial_step(flow, t, x, tol, max_step))
    }

    /// Computes a step of size `h` (signed) from `(t, x)` without committing to it.
    ///
    /// # Errors
    /// Failures of the flow that no smaller step avoids, wrong dimensions, a step that does not advance time.
    pub fn attempt(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64], h: f64, tol: &Tolerance) -> Result<Attempt> {
        delegate!(mut self, stepper => stepper.attempt(flow, t, x, h, tol))
    }

    /// Judges the latest attempt.
    ///
    /// # Errors
    /// If no smaller step is possible: the remembered failure of the flow, or kind
    /// [`ErrorKind::StepSize`](crate::error::ErrorKind).
    pub fn judge(&mut self) -> Result<Verdict> {
        delegate!(mut self, stepper => stepper.judge())
    }

    /// Writes the interpolant of the latest attempt, which must be acceptable and not yet accepted.
    ///
    /// # Errors
    /// Kinds `Singular` and `NotFinite` if the flow fails within the step: a smaller step may avoid the place.
    pub fn dense(&mut self, flow: &mut dyn Flow, output: &mut DenseOutput) -> Result<()> {
        delegate!(mut self, stepper => stepper.dense(flow, output))
    }

    /// Commits to the latest attempt, which must be acceptable: its end is the start of the next step.
    ///
    /// # Errors
    /// Kind [`ErrorKind::Request`](crate::error::ErrorKind) if there is no acceptable attempt.
    pub fn accept(&mut self) -> Result<()> {
        delegate!(mut self, stepper => stepper.accept())
    }
}
