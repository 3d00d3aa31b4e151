//! How far a prediction may be trusted: what estimates say, held to simulations.

use super::Ghost;
use crate::error::{ErrorKind, Result};
use crate::run::{Cause, EventMark, Interruption, TrustCurve};

/// Residual, and deviation over the extent of the mechanism, up to which a prediction counts as good.
pub const TRUSTED: f64 = 0.1;

/// Intervals between states of a simulation at which the prediction is held to it.
const INTERVALS: u32 = 400;
/// Most simulations on either side of a value.
const TRIES: usize = 6;
/// Part of a range up to which its end is sought.
const NEAR: f64 = 0.25;

impl Ghost {
    /// How far the prediction may be trusted over the values of one parameter; none for one that the scene does not use. The
    /// ends of the range are simulated, and drawn in until the simulated motion has the predicted events there and is no
    /// farther from the prediction than [`TRUSTED`].
    ///
    /// # Errors
    /// As [`Prediction::trust_curve`](crate::run::Prediction::trust_curve).
    pub fn trust_curve(
        &self,
        parameter: &str,
        ends: (f64, f64),
        interruption: &Interruption,
    ) -> Result<Option<TrustCurve>> {
        let (Some(index), Some(value)) = (self.index(parameter), self.value(parameter)) else {
            return Ok(None);
        };
        let mut curve = self.prediction.trust_curve(index, ends, TRUSTED, interruption)?;
        let ends = [&mut curve.range.0, &mut curve.range.1];
        for (end, cause) in ends.into_iter().zip(&mut curve.causes) {
            let objection = |at: f64| self.objection(parameter, at, interruption);
            *cause = draw_in(value, end, objection)?.or(cause.take());
        }
        Ok(Some(curve))
    }

    /// What is wrong with the prediction for a value of a parameter, if anything.
    fn objection(&self, parameter: &str, value: f64, interruption: &Interruption) -> Result<Option<Cause>> {
        let Some(dp) = self.change(parameter, value) else {
            return Ok(None);
        };
        let simulated = self.experiment.with_parameter(parameter, value).and_then(|changed| {
            let changed = changed.interruptible(interruption);
            changed.film(INTERVALS, &mut |_| ()).map(|found| (changed, found))
        });
        let (changed, (report, _, film)) = match simulated {
            Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
            Err(_) => return Ok(Some(Cause::Failure)),
            Ok(simulated) => simulated,
        };
        if let Some(other) = other_event(&self.events(&dp)?, &report.events) {
            return Ok(Some(other));
        }
        let deviation = self.deviation_from(&dp, (&changed, &film));
        let is_near = deviation.is_some_and(|deviation| deviation <= TRUSTED);
        Ok((!is_near).then_some(Cause::Error))
    }
}

/// Draws an end in towards a value until nothing is objected to it, and returns the last objection.
fn draw_in(
    value: f64,
    end: &mut f64,
    mut objection: impl FnMut(f64) -> Result<Option<Cause>>,
) -> Result<Option<Cause>> {
    let change = *end - value;
    // Parts of the change that hold, that do not, and that comes next.
    let (mut good, mut bad, mut next) = (0.0, 1.0, 1.0);
    let mut last = None;
    for _ in 0..TRIES {
        if change == 0.0 || bad - good <= NEAR * good {
            break;
        }
        match objection(value + next * change)? {
            None => good = next,
            found => (bad, last) = (next, found),
        }
        next = 0.5 * (good + bad);
    }
    *end = value + good * change;
    Ok(last)
}

/// The first event that only one of two motions has.
fn other_event(predicted: &[EventMark], simulated: &[EventMark]) -> Option<Cause> {
    let is_same = |(a, b): &(&EventMark, &EventMark)| (&a.name, &a.kind) == (&b.name, &b.kind);
    let same = predicted.iter().zip(simulated).take_while(is_same).count();
    let is_lost = predicted.len() > simulated.len();
    let event = if is_lost { predicted } else { simulated }.get(same)?;
    let (name, kind, t) = (event.name.clone(), event.kind.clone(), event.t);
    Some(match is_lost {
        true => Cause::Lost { name, kind, t },
        false => Cause::New { name, kind, t },
    })
}
