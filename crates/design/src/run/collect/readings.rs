//! Values of expressions at given times, which may follow parameters (theory, 3.4).
//!
//! They are read off the interpolants and do not disturb the steps. With the time the value moves at the rate of the expression,
//! e_t + e_x F.

use super::Collected;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, JumpView};
use crate::model::expressions::ExpressionOwner;
use crate::model::{Due, Mode, Model, Reading};
use crate::run::probe::{Probe, RunMode, after, before, check_value};

/// Difference of values or derivatives on both sides of an event, over the relative tolerance, at which they jump.
const JUMPS: f64 = 1e4;

/// Collects the values of a run.
#[derive(Clone, Debug)]
pub(super) struct Readings {
    /// By entry of [`Model::readings`]; not a number before the motion gets there.
    pub values: Vec<Collected>,
    /// Rates of the expressions at these times, where these follow parameters.
    pub rates: Vec<f64>,
}

impl Readings {
    /// For a run along so many directions.
    pub fn new(model: &Model, directions: usize) -> Self {
        Self {
            values: vec![Collected::constant(f64::NAN, directions); model.readings.len()],
            rates: vec![0.0; model.readings.len()],
        }
    }

    /// Takes the values that are due at a state, with their derivatives and rates.
    ///
    /// # Errors
    /// As [`Probe::value`] and for the flow.
    pub fn take(&mut self, due: &[Due], at: At<Mode>, probe: &mut Probe) -> Result<()> {
        let model = &probe.mechanism.model;
        for due in due {
            let Due::Reading(index) = *due else { continue };
            let reading = &model.readings[index];
            self.values[index] = collected(reading, at, probe)?;
            if model.is_fed(reading.time) {
                self.rates[index] = probe.rates(at, |motion, _| reading.value.evaluate(model, at.mode, motion).eps)?;
            }
        }
        Ok(())
    }
}

/// Value of a reading at a state, with its derivatives when the time moves as that of the reading.
fn collected(reading: &Reading, at: At<Mode>, probe: &mut Probe) -> Result<Collected> {
    let model = &probe.mechanism.model;
    let value = reading.value.evaluate(model, at.mode, &probe.motion(at)?);
    check_value(
        (ExpressionOwner::Objective, &reading.objective),
        &reading.value,
        value,
        at.t,
    )?;
    let mut found = Collected::constant(value, probe.directions.len());
    let times: Vec<f64> = probe.directions.iter().map(|numbers| numbers[reading.time]).collect();
    found.slopes = probe.slopes((&reading.objective, &reading.value), at, &times)?;
    Ok(found)
}

/// Whether values on both sides of an event differ by more than a relative and an absolute tolerance explain.
pub(in crate::run) fn jumps([a, b]: [f64; 2], (rtol, atol): (f64, f64)) -> bool {
    (a - b).abs() > JUMPS * (rtol * a.abs().max(b.abs()) + atol)
}

/// Refuses a value at the very time of an event where it jumps, or where its derivatives do.
///
/// # Errors
/// Kind `Event` naming the objective; as [`Probe::value`].
pub(super) fn refuse_jump<M: RunMode>(reading: &Reading, jump: &JumpView<M>, probe: &mut Probe) -> Result<()> {
    let (before, after) = (
        collected(reading, before(jump), probe)?,
        collected(reading, after(jump), probe)?,
    );
    let rtol = probe.mechanism.choices.rtol;
    let sides = [self::before(jump), self::after(jump)];
    let atol = sides.map(|at| probe.atol_of(&reading.value, at));
    let atol = atol[0].max(atol[1]);
    let event = jump.happenings.first().map_or("an event", |found| found.name.as_str());
    let refused = |message: String, advice: &str| {
        Err(Error::new(ErrorKind::Event, message)
            .named(reading.objective.clone())
            .at_time(jump.t)
            .advise(advice))
    };
    if jumps([before.value, after.value], (rtol, atol)) {
        let message = format!(
            "`{}` jumps from {} to {} at the very time of `At`, at which \"{event}\" happens",
            reading.value.expression.text(),
            before.value,
            after.value
        );
        return refused(
            message,
            "write `AtEvents` with a `side`, or a time a moment earlier or later",
        );
    }
    let slopes = before.slopes.iter().zip(&after.slopes).zip(probe.directions);
    let mut kinks = slopes.map(|((before, after), numbers)| {
        let along = probe.mechanism.allowed_along(numbers.iter().copied().enumerate());
        jumps([*before, *after], (rtol, atol / along))
    });
    if kinks.any(|kink| kink) {
        let message = format!(
            "`{}` has a kink at the very time of `At`, at which \"{event}\" happens: it has no derivative there",
            reading.value.expression.text()
        );
        return refused(message, "write `AtEvents`, or a time a moment earlier or later");
    }
    Ok(())
}
