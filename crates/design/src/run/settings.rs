//! Settings that depend on the mechanism, and those that cannot be served.

use crate::assembly::assemble;
use crate::error::{Error, ErrorKind, Result};
use crate::formulation::{PenaltyFactors, penalty_scale};
use crate::hybrid::Options;
use crate::model::{Mode, Model, Terms};
use crate::scalar::shortest;
use crate::scene::PenaltySettings;

/// Factors of the penalty formulation from those of the scene, which are relative to the mechanism at the start.
///
/// # Errors
/// As [`assemble`].
pub(super) fn penalty_factors(settings: &PenaltySettings, model: &Model, t: f64) -> Result<PenaltyFactors> {
    let assembled = assemble(model, t)?;
    let (mode, mut terms) = (Mode::initial(model), Terms::new(model));
    model.assemble(t, &assembled.q, &assembled.v, &mode, &mut terms);
    Ok(PenaltyFactors {
        alpha: settings.factor * penalty_scale(&terms),
        omega: settings.frequency,
        xi: settings.damping,
        augmented: settings.augmented,
    })
}

/// Refuses a longest step with which the duration takes more steps than are allowed.
pub(super) fn check_step_count(options: &Options, duration: f64) -> Result<()> {
    let steps = duration / options.max_step;
    if steps <= options.max_steps as f64 {
        return Ok(());
    }
    let message = format!(
        "a duration of {} s with steps of at most {} s takes {steps:.1e} steps, more than the {} that are allowed",
        shortest(duration),
        shortest(options.max_step),
        options.max_steps
    );
    Err(Error::new(ErrorKind::Request, message)
        .named("max_step")
        .with_value(options.max_step)
        .advise("raise max_step or leave it out, shorten the duration, or raise max_steps"))
}

/// Refuses a value of a setting that is not positive.
pub(super) fn positive(name: &str, value: f64) -> Result<f64> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(
        Error::new(ErrorKind::Request, format!("{name} must be positive, not {value}"))
            .named(name)
            .with_value(value),
    )
}
