//! What is not possible with rigid bodies in space yet, said by name before anything moves.

use super::{FormulationChoice, Mechanism};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Event, Model};

impl Mechanism {
    /// Refuses what is not possible with rigid bodies in space.
    ///
    /// # Errors
    /// Kind `Request`, naming what it is.
    pub(super) fn check_in_space(&self) -> Result<()> {
        if self.model.frames.is_empty() {
            return Ok(());
        }
        let formulation = match self.choices.formulation {
            FormulationChoice::Stabilized => "the formulation Stabilized",
            FormulationChoice::Index3 => "the formulation Index3",
            FormulationChoice::Nullspace | FormulationChoice::Multipliers | FormulationChoice::Penalty(_) => "",
        };
        if !formulation.is_empty() {
            let advice = "take the formulation Nullspace, Multipliers or Penalty";
            return Err(refused(formulation.to_string(), advice));
        }
        match in_the_way(&self.model) {
            Some((name, what, advice)) => Err(refused(format!("\"{name}\", {what},"), advice).named(name)),
            None => Ok(()),
        }
    }
}

/// The first element that is not possible: its name, what it is, and what to do.
fn in_the_way(model: &Model) -> Option<(&str, &'static str, &'static str)> {
    let sets_positions = |event: &&Event| event.resets.iter().any(|reset| !reset.velocity);
    let event = model.events.iter().find(sets_positions)?;
    Some((
        &event.name,
        "an event that sets positions",
        "let the event set velocities or memory only",
    ))
}

fn refused(what: String, advice: &str) -> Error {
    let message = format!("{what} is not possible with rigid bodies in space yet");
    Error::new(ErrorKind::Request, message).advise(advice)
}
