//! Greatest and least values of expressions over a run, and where they are (theory, 3.4).
//!
//! Within a phase an extreme value lies where the rate of the expression, e_t + e_x F, passes through zero; the derivative
//! of that instant does not enter that of the value, since the rate vanishes there. At the start, at the end and on the
//! sides of jumps the rate need not vanish, and the value moves with the time of the start, the end or the event.

use super::Collected;
use crate::error::Result;
use crate::hybrid::At;
use crate::integrate::{DenseOutput, bracketed_root};
use crate::model::expressions::ExpressionOwner;
use crate::model::{Mode, Model, Peak, Term};
use crate::run::probe::{Probe, check_value};

/// Parts of a step in which the rate is taken to change its sign at most once; a step of order 8 spans at most about half
/// an oscillation.
const PARTS: u32 = 8;

/// Where an extreme value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// At the start.
    Start,
    /// Within a phase.
    Within,
    /// Just before a jump.
    Before,
    /// Just after a jump.
    After,
    /// At the end.
    End,
}

/// A value that none so far exceeds.
#[derive(Clone, Debug)]
pub(super) struct Extreme {
    pub t: f64,
    pub value: f64,
    pub moment: Moment,
    pub mode: Mode,
    /// State X.
    pub x: Vec<f64>,
    /// Derivatives of its time by direction; none where it does not move or that does not matter.
    times: Vec<f64>,
}

impl Extreme {
    pub fn state(&self) -> At<'_, Mode> {
        At::new(self.t, &self.mode, &self.x)
    }

    /// Whether it is at an instant of its own, rather than at an event or the end.
    pub fn is_at_instant(&self) -> bool {
        matches!(self.moment, Moment::Within | Moment::Start)
    }
}

/// The extreme values of a run so far.
#[derive(Clone, Debug)]
pub(super) struct Peaks {
    /// By entry of [`Model::peaks`]; none where no objective uses it.
    pub found: Vec<Option<Extreme>>,
    /// Those that objectives use.
    used: Vec<usize>,
}

impl Peaks {
    pub fn new(model: &Model) -> Self {
        let terms = model.objectives.iter().flat_map(|objective| &objective.terms);
        let used = terms.filter_map(|term| match term {
            Term::Peak { peak, .. } => Some(*peak),
            _ => None,
        });
        Self {
            found: vec![None; model.peaks.len()],
            used: used.collect(),
        }
    }

    /// Whether the steps need interpolants.
    pub fn wants_dense(&self) -> bool {
        !self.used.is_empty()
    }

    /// Times of those at instants.
    pub fn times(&self) -> impl Iterator<Item = f64> {
        let found = self.found.iter().flatten();
        found.filter(|extreme| extreme.is_at_instant()).map(|extreme| extreme.t)
    }

    /// Compares with the values at a moment, whose time has these derivatives by direction.
    ///
    /// # Errors
    /// As [`Probe::value`].
    pub fn visit(&mut self, at: At<Mode>, moment: Moment, times: &[f64], probe: &mut Probe) -> Result<()> {
        let used = &self.used;
        used.iter()
            .try_for_each(|&peak| compare(&mut self.found[peak], peak, at, (moment, times), probe))
    }

    /// Looks for extreme values within a step.
    ///
    /// # Errors
    /// As [`Probe::value`].
    pub fn step(&mut self, dense: &DenseOutput, mode: &Mode, probe: &mut Probe) -> Result<()> {
        let (start, end) = (dense.start(), dense.end());
        let mut x = if self.used.is_empty() {
            Vec::new()
        } else {
            vec![0.0; probe.entries()]
        };
        for &peak in &self.used {
            let mut before = (start, rate(peak, start, (dense, mode), &mut x, probe)?);
            for part in 1..=PARTS {
                let t = start + f64::from(part) / f64::from(PARTS) * (end - start);
                let after = (t, rate(peak, t, (dense, mode), &mut x, probe)?);
                if before.1 > 0.0 && after.1 <= 0.0 {
                    let t = bracketed_root(before, after, |t| rate(peak, t, (dense, mode), &mut x, probe))?.t;
                    dense.evaluate(t, &mut x);
                    let at = At::new(t, mode, &x);
                    compare(&mut self.found[peak], peak, at, (Moment::Within, &[]), probe)?;
                }
                before = after;
            }
        }
        Ok(())
    }

    /// Compares with the values at the end, and returns all with their derivatives; none for those at the end.
    ///
    /// # Errors
    /// As [`Probe::value`] and for the flow.
    pub fn finish(&mut self, end: At<Mode>, probe: &mut Probe) -> Result<Vec<Option<Collected>>> {
        self.visit(end, Moment::End, &[], probe)?;
        let model = &probe.mechanism.model;
        let known = |(extreme, peak): (&Option<Extreme>, &Peak)| {
            let mut known = Collected::constant(0.0, probe.directions.len());
            match extreme {
                Some(extreme) if extreme.moment == Moment::End => return Ok(None),
                Some(extreme) => {
                    known.value = extreme.value;
                    probe.each_jvp(extreme.state(), &extreme.times, |k, motion, _| {
                        known.slopes[k] = peak.value.evaluate(model, &extreme.mode, motion).eps;
                    })?;
                }
                None => {}
            }
            Ok(Some(known))
        };
        self.found.iter().zip(&model.peaks).map(known).collect()
    }
}

/// Keeps the value at a state if it exceeds what was found.
fn compare(
    found: &mut Option<Extreme>,
    peak: usize,
    at: At<Mode>,
    (moment, times): (Moment, &[f64]),
    probe: &mut Probe,
) -> Result<()> {
    let wanted = &probe.mechanism.model.peaks[peak];
    let value = probe.value(&wanted.objective, &wanted.value, at)?;
    let exceeds = |known: &Extreme| wanted.sign() * (value - known.value) > 0.0;
    if found.as_ref().is_none_or(exceeds) {
        *found = Some(Extreme {
            t: at.t,
            value,
            moment,
            mode: at.mode.clone(),
            x: at.x.to_vec(),
            times: times.to_vec(),
        });
    }
    Ok(())
}

/// e_t + e_x F towards the extreme value, at a time within a step; zero where it has none, as the size of something that
/// stands still. `x` is written.
fn rate(peak: usize, t: f64, (dense, mode): (&DenseOutput, &Mode), x: &mut [f64], probe: &mut Probe) -> Result<f64> {
    let model = &probe.mechanism.model;
    let wanted = &model.peaks[peak];
    dense.evaluate(t, x);
    let mut value = f64::NAN;
    let rate = probe.rates(At::new(t, mode, x), |motion, _| {
        value = wanted.value.evaluate(model, mode, motion).re;
        wanted.value.along(model, mode, motion)
    })?;
    check_value((ExpressionOwner::Objective, &wanted.objective), &wanted.value, value, t)?;
    Ok(if rate.is_finite() { wanted.sign() * rate } else { 0.0 })
}
