//! What is not possible with rigid bodies in space yet, said by name before anything moves.

use super::{FormulationChoice, Mechanism};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Model, Switch, Trigger};

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
            FormulationChoice::Penalty(_) => "the formulation Penalty",
            FormulationChoice::Stabilized => "the formulation Stabilized",
            FormulationChoice::Index3 => "the formulation Index3",
            FormulationChoice::Nullspace | FormulationChoice::Multipliers => "",
        };
        if !formulation.is_empty() {
            let advice = "take the formulation Nullspace or Multipliers";
            return Err(refused(formulation.to_string(), advice));
        }
        match in_the_way(&self.model) {
            Some((name, what, advice)) => Err(refused(format!("\"{name}\", {what},"), advice).named(name)),
            None => Ok(()),
        }
    }
}

impl Mechanism {
    /// Refuses a joint that begins to act, or whose value an event sets, where there are rigid bodies in space.
    ///
    /// # Errors
    /// Kind `Event`, naming the joint.
    pub(super) fn refuse_joining(&self, joint: &str, t: f64) -> Result<()> {
        if self.model.frames.is_empty() {
            return Ok(());
        }
        let message =
            format!("to switch on \"{joint}\", or set its value, is not possible with rigid bodies in space yet");
        let error = Error::new(ErrorKind::Event, message).named(joint).at_time(t);
        Err(error.advise("let the joint act from the start, with a value that no event sets"))
    }
}

/// The first element that is not possible: its name, what it is, and what to do.
fn in_the_way(model: &Model) -> Option<(&str, &'static str, &'static str)> {
    if let Some(kink) = model.kinks.first() {
        let advice =
            "write the integrand without abs, sign, min, max and the like, or replace the body by points and bars";
        return Some((&kink.name, "a kink of an integrand", advice));
    }
    let switches_joints = |(switch, _): &(Switch, bool)| !matches!(switch, Switch::Force(_));
    for event in &model.events {
        if event.actions.iter().any(switches_joints) {
            return Some((
                &event.name,
                "an event that switches joints",
                "let the event switch forces only",
            ));
        }
        if !event.resets.is_empty() {
            return Some((
                &event.name,
                "an event that sets positions or velocities",
                "let the event set memory only",
            ));
        }
        if matches!(event.trigger, Trigger::Crossing { .. }) && !event.assignments.is_empty() && !event.once {
            let advice = "let it fire once, or at a time: Once or At";
            return Some((&event.name, "an event that sets memory again and again", advice));
        }
    }
    None
}

fn refused(what: String, advice: &str) -> Error {
    let message = format!("{what} is not possible with rigid bodies in space yet");
    Error::new(ErrorKind::Request, message).advise(advice)
}
