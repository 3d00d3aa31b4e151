//! Collocation in the mean at Gauss-Legendre nodes, for single long steps over a place near which the flow carries noise
//! (theory, 8.1; collocation: Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.7).
//!
//! The derivative of the solution is the polynomial of degree 19 that is nearest to the flow at 24 nodes, each weighted by
//! how far from the place it lies. The stages are found by fixed-point iteration, each from the newest derivatives. The
//! highest coefficients of the polynomial tell the error: a derivative that is not resolved and noise in it show there.

mod legendre;
mod stages;
mod tables;

use self::legendre::{DEGREE, NODES, TERMS};
use self::stages::{Sweeps, integrate};
use self::tables::Tables;
use super::attempt::{Progress, check_advance};
use super::{Attempt, Controller, DenseOutput, Flow, Statistics, Tolerance, Verdict};
use crate::error::Result;
use crate::linear::add_scaled;

/// Coefficients of noise are of one size; those of a smooth flow that is resolved fall by more than this over two degrees.
const FALL: f64 = 4.0;

/// Factor of the step size after a step that was not acceptable.
const SHORTER: f64 = 0.7;

/// The method; the protocol is that of the steppers.
#[derive(Clone, Debug)]
pub(super) struct CollocationStepper {
    n: usize,
    tables: Box<Tables>,
    progress: Progress,
    /// Start and size of the latest attempt.
    t: f64,
    h: f64,
    /// Written by `attempt`: state at the start and at the end of the step.
    x: Vec<f64>,
    x_new: Vec<f64>,
    /// Written by `attempt`: what the projection changed at the end.
    shift: Vec<f64>,
    /// Written by `attempt`: derivatives at the start and, if acceptable, at the end.
    dx: Vec<f64>,
    dx_new: Vec<f64>,
    /// Written by `attempt`: states and derivatives of the stages, stage i at i * n.
    stages: Vec<f64>,
    slopes: Vec<f64>,
    /// Written by `attempt`: regularity of the flow at each stage, or NaN.
    regularity: [f64; NODES],
    /// Written by `attempt`: what the two highest coefficients contribute to the error, and the two below them.
    contributions: [f64; 2],
    /// Rough place in the next attempts, in seconds.
    place: Option<f64>,
    /// Scratch: a state.
    state: Vec<f64>,
}

impl CollocationStepper {
    /// A stepper for `n` components; allocates everything it will ever need.
    pub fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self {
            n,
            tables: Box::new(Tables::new()),
            progress: Progress::new(Controller::predictive()),
            t: 0.0,
            h: 0.0,
            x: zeros(),
            x_new: zeros(),
            shift: zeros(),
            dx: zeros(),
            dx_new: zeros(),
            stages: vec![0.0; n * NODES],
            slopes: vec![0.0; n * NODES],
            regularity: [f64::NAN; NODES],
            contributions: [0.0; 2],
            place: None,
            state: zeros(),
        }
    }

    /// Number of components.
    pub fn dimension(&self) -> usize {
        self.n
    }

    /// Order at the end of a step.
    pub fn order(&self) -> u32 {
        TERMS as u32
    }

    /// Sets the time of the rough place, where known, for the next attempts.
    pub fn around(&mut self, place: Option<f64>) {
        self.place = place;
    }

    /// The time set by [`CollocationStepper::around`].
    pub fn place(&self) -> Option<f64> {
        self.place
    }

    /// Looks for a rough place within a step of size `h` from `(t, x)`, at the price of one evaluation per node.
    ///
    /// # Errors
    /// As for [`CollocationStepper::attempt`].
    pub fn scout(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64], h: f64) -> Result<Option<f64>> {
        check_advance(t, h)?;
        self.load(t, x, h);
        Ok(if self.predict(flow, h)? { self.located() } else { None })
    }

    /// Whether noise, rather than its length, limits the latest attempt: a step from nearer would not be better.
    pub fn meets_noise(&self) -> bool {
        let [highest, below] = self.contributions;
        highest.is_finite() && below < FALL * highest
    }

    /// Time within the latest attempt at which the regularity of the flow vanishes, from lines through two nodes on either
    /// side.
    pub fn located(&self) -> Option<f64> {
        let h = self.h;
        let (nodes, value) = (&self.tables.nodes, &self.regularity);
        let least = (0..NODES).min_by(|&i, &j| value[i].total_cmp(&value[j]))?;
        if !(2..NODES - 2).contains(&least) {
            return None;
        }
        let zero = |i: usize, j: usize| nodes[i] - value[i] * (nodes[j] - nodes[i]) / (value[j] - value[i]);
        let (left, right) = (zero(least - 2, least - 1), zero(least + 2, least + 1));
        let gap = nodes[least + 1] - nodes[least - 1];
        ((left - right).abs() < gap).then_some(self.t + 0.5 * (left + right) * h)
    }

    /// Work done so far.
    pub fn statistics(&self) -> Statistics {
        self.progress.statistics
    }

    /// Derivative at the start of the step.
    pub fn derivative(&self) -> &[f64] {
        &self.dx
    }

    /// End of the latest attempt, in seconds.
    pub fn t_new(&self) -> f64 {
        self.progress.end_from(self.t)
    }

    /// State at the end of the latest attempt.
    pub fn x_new(&self) -> &[f64] {
        &self.x_new
    }

    /// Derivative at the end of the latest attempt, if that attempt is acceptable.
    pub fn derivative_new(&self) -> &[f64] {
        &self.dx_new
    }

    /// Computes a step of size `h` (signed) from `(t, x)` without committing to it.
    ///
    /// # Errors
    /// As for the steppers.
    pub fn attempt(&mut self, flow: &mut dyn Flow, t: f64, x: &[f64], h: f64, tol: &Tolerance) -> Result<Attempt> {
        tol.check_dimension(self.n, x)?;
        check_advance(t, h)?;
        self.progress.trial = None;
        self.load(t, x, h);
        let attempt = self.compute(flow, h, tol)?;
        Ok(self.progress.finish(t, h, attempt))
    }

    /// Judges the latest attempt.
    ///
    /// # Errors
    /// As for the steppers.
    pub fn judge(&mut self) -> Result<Verdict> {
        let trial = self.progress.latest()?;
        let factor = if trial.attempt.acceptable() { 1.0 } else { SHORTER };
        self.progress.decide(trial, factor)
    }

    /// Commits to the latest attempt, which must be acceptable.
    ///
    /// # Errors
    /// As for the steppers.
    pub fn accept(&mut self) -> Result<()> {
        self.progress.accept().map(|_| ())
    }

    /// Forgets what was attempted since the last accepted step.
    pub fn forget(&mut self) {
        self.progress.forget();
    }

    fn load(&mut self, t: f64, x: &[f64], h: f64) {
        (self.t, self.h) = (t, h);
        self.x.copy_from_slice(x);
        let place = self.place.map(|place| (place - t) / h);
        self.tables
            .weigh_around(place.filter(|place| (0.0..=1.0).contains(place)));
    }

    fn compute(&mut self, flow: &mut dyn Flow, h: f64, tol: &Tolerance) -> Result<Attempt> {
        self.contributions = [f64::NAN; 2];
        if !self.predict(flow, h)? {
            return Ok(Attempt::NotFinite);
        }
        let Sweeps::Done { change } = self.sweeps(flow, h, tol)? else {
            return Ok(Attempt::NotFinite);
        };
        integrate(&self.x, h, &self.tables.to_end, &self.slopes, &mut self.x_new);
        let pairs = &self.tables.highest;
        self.contributions = [
            self.contribution(&pairs[0], h, tol),
            self.contribution(&pairs[1], h, tol),
        ];
        let error = change.max(self.contributions[0]);
        self.finish(flow, self.t + h, error)
    }

    /// Projects the end and evaluates its derivative, if the error is acceptable.
    fn finish(&mut self, flow: &mut dyn Flow, t_new: f64, error: f64) -> Result<Attempt> {
        if !error.is_finite() || !self.progress.all_finite(t_new, &self.x_new, "state") {
            return Ok(Attempt::NotFinite);
        }
        if error < 1.0 {
            self.shift.copy_from_slice(&self.x_new);
            if !self.progress.project(flow, t_new, &mut self.x_new)?
                || !self.progress.evaluate(flow, t_new, &self.x_new, &mut self.dx_new)?
            {
                return Ok(Attempt::NotFinite);
            }
            for (shift, x) in self.shift.iter_mut().zip(&self.x_new) {
                *shift = x - *shift;
            }
        }
        Ok(Attempt::Done { error })
    }

    /// What noise as large as two coefficients of the derivative does to the end of the step, over the tolerance.
    fn contribution(&self, pair: &[[f64; NODES]; 2], h: f64, tol: &Tolerance) -> f64 {
        let coefficient = |row: &[f64; NODES], i: usize| -> f64 {
            let slopes = self.slopes.iter().skip(i).step_by(self.n);
            row.iter().zip(slopes).map(|(weight, slope)| weight * slope).sum()
        };
        let [second, last] = pair;
        let scale = h * std::f64::consts::FRAC_1_SQRT_2;
        tol.norm(&self.x_new, |i| {
            scale * coefficient(second, i).hypot(coefficient(last, i))
        })
    }

    /// Writes the interpolant of the latest attempt, which must be acceptable; costs no evaluation of the flow.
    ///
    /// # Errors
    /// As for the steppers.
    pub fn dense(&mut self, flow: &mut dyn Flow, output: &mut DenseOutput) -> Result<()> {
        let _ = flow;
        let h = self.progress.acceptable()?.h;
        let n = self.n;
        let coefficients = output.resize(self.t, h, n, DEGREE);
        coefficients.fill(0.0);
        coefficients[..n].copy_from_slice(&self.x);
        coefficients[n..2 * n].copy_from_slice(&self.shift);
        for (weights, nested) in self.tables.spectrum.iter().zip(&self.tables.nested) {
            self.state.fill(0.0);
            for (weight, slope) in weights.iter().zip(self.slopes.chunks_exact(n.max(1))) {
                add_scaled(&mut self.state, *weight, slope);
            }
            for (row, factor) in coefficients.chunks_exact_mut(n.max(1)).zip(nested) {
                add_scaled(row, h * factor, &self.state);
            }
        }
        Ok(())
    }
}
