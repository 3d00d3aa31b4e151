//! Greatest and least values of expressions over a run, and where they are (theory, 3.4).
//!
//! Within a phase an extreme value lies where the rate of the expression, e_t + e_x F, passes through zero; the derivative
//! of that instant does not enter that of the value, since the rate vanishes there. At the start, at the end and on the
//! sides of jumps the rate need not vanish, and the value moves with the time of the start, the end or the event.

use super::Collected;
use super::refine::{Fault, Sample, extremes};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::At;
use crate::integrate::{DenseOutput, bracketed_root};
use crate::model::expressions::ExpressionOwner;
use crate::model::{Mode, Model, Peak, Term};
use crate::run::probe::{Probe, check_value};

/// Parts of a step that are searched, each further where its middle is not what its ends foretell.
const PARTS: u32 = 4;

/// Part of the largest values, and of the relative tolerance, below which differences are not looked into.
const NOISE: f64 = 1e-6;

/// Where an extreme value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// At the start.
    Start,
    /// Within a phase.
    Within,
    /// Just before the jump with this index.
    Before(usize),
    /// Just after the jump with this index.
    After(usize),
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
        let (rtol, atol) = (probe.mechanism.choices.rtol, probe.mechanism.choices.atol);
        for &peak in &self.used {
            dense.evaluate(end, &mut x);
            let value = &probe.mechanism.model.peaks[peak].value;
            let error = probe.error_of(value, At::new(end, mode, &x), [1e3 * atol, 10.0 * rtol]);
            let known = self.found[peak].as_ref().map_or(0.0, |extreme| extreme.value.abs());
            let noise = |size: f64| (10.0 * rtol).max(NOISE) * size.max(known) + error;
            let mut before = sample(peak, start, (dense, mode), &mut x, probe)?;
            for part in 1..=PARTS {
                let t = start + f64::from(part) / f64::from(PARTS) * (end - start);
                let after = sample(peak, t, (dense, mode), &mut x, probe)?;
                let mut at = |t: f64| sample(peak, t, (dense, mode), &mut x, probe);
                let found = extremes(&mut at, (before, after), noise)?;
                let roots = found.brackets.iter().map(|(a, b)| {
                    let root = bracketed_root((a.t, a.rate), (b.t, b.rate), |t| Ok(at(t)?.rate))?;
                    Ok(root.t)
                });
                let roots = roots.collect::<Result<Vec<f64>>>()?;
                if let Some(fault) = found.fault {
                    return Err(refused(&probe.mechanism.model.peaks[peak], fault));
                }
                for t in roots {
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
                    known.slopes = probe.slopes((&peak.objective, &peak.value), extreme.state(), &extreme.times)?;
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

/// Value and rate e_t + e_x F at a time within a step, with the sign that makes the extreme value a greatest one; no rate where
/// it has none, as the size of something that stands still. `x` is written.
fn sample(
    peak: usize,
    t: f64,
    (dense, mode): (&DenseOutput, &Mode),
    x: &mut [f64],
    probe: &mut Probe,
) -> Result<Sample> {
    let model = &probe.mechanism.model;
    let wanted = &model.peaks[peak];
    dense.evaluate(t, x);
    let mut value = f64::NAN;
    let rate = probe.rates(At::new(t, mode, x), |motion, _| {
        value = wanted.value.evaluate(model, mode, motion).re;
        wanted.value.along(model, mode, motion, false)
    })?;
    check_value((ExpressionOwner::Objective, &wanted.objective), &wanted.value, value, t)?;
    let sign = wanted.sign();
    Ok(Sample {
        t,
        value: sign * value,
        rate: if rate.is_finite() { sign * rate } else { 0.0 },
    })
}

/// The error for an expression without an extreme value.
fn refused(peak: &Peak, fault: Fault) -> Error {
    let text = peak.value.expression.text();
    let (t, what, advice) = match fault {
        Fault::Pole(t) => (
            t,
            "goes to infinity",
            "look for a division by zero or a logarithm of zero, and write a bounded expression",
        ),
        Fault::Jump(t) => (
            t,
            "jumps",
            "make the jump an event: then the values on both sides of it count",
        ),
        Fault::Unresolved(t) => (
            t,
            "changes too often within a step to be searched",
            "set `max_step` to a few of its oscillations",
        ),
    };
    Error::new(
        ErrorKind::NotFinite,
        format!("`{text}` {what}: it has no extreme value that could be located"),
    )
    .named(peak.objective.clone())
    .at_time(t)
    .advise(advice)
}
