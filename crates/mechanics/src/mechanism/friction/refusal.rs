//! What is said where friction has no one answer.

use super::scratch::Rubs;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::At;
use crate::mechanism::forced::listed;
use crate::mechanism::impact_problem::{ImpactRow, Origin};
use crate::mechanism::{FormulationChoice, Mechanism, Workspace};
use crate::model::{Grip, Hold, Mode};

/// Impulses below this, over the largest, are rounding.
const NO_IMPULSE: f64 = 1e-9;

impl Mechanism {
    /// Name of the contact of a friction.
    pub(super) fn rubbing_name(&self, friction: usize) -> &str {
        &self.model.contacts[self.model.frictions[friction].contact].name
    }

    /// The motion of a contact that slips is not unique, or there is none.
    #[cold]
    pub(super) fn jams(&self, grip: &Grip, pivot: f64, at: At<Mode>, rubs: &Rubs, workspace: &Workspace) -> Error {
        let name = self.rubbing_name(grip.friction);
        let k = at.mode.grips.iter().position(|other| other == grip).unwrap_or(0);
        let own = rubs.by_force[k * at.mode.grips.len() + k];
        let coefficient = self
            .model
            .friction_by_normal_force(grip, &self.motion(at, workspace))
            .abs();
        let limit = match grip.hold {
            Hold::Slip(_) if own < 1.0 => format!(", which is {:.6} here", coefficient / (1.0 - own)),
            _ => String::new(),
        };
        let message = format!(
            "\"{name}\" jams: its friction turns the mechanism into the surface, and the motion is not unique (Painlevé, A = \
             {pivot:.3e})"
        );
        Error::new(ErrorKind::Singular, message)
            .named(name)
            .at_time(at.t)
            .with_value(pivot)
            .advise(format!("lower the coefficient of friction below the limit{limit}"))
    }

    /// No way in which the contacts hold agrees with their forces and motions.
    #[cold]
    pub(super) fn no_grip(&self, contacts: &[usize], t: f64) -> Error {
        let names = listed(
            contacts
                .iter()
                .map(|&contact| self.model.contacts[contact].name.as_str()),
        );
        let name = contacts
            .first()
            .map_or("", |&contact| &self.model.contacts[contact].name);
        Error::new(
            ErrorKind::Event,
            format!("no way to stick, slip or open is consistent for {names}"),
        )
        .named(name)
        .at_time(t)
        .advise("lower the coefficients of friction, or change a length or a time a little")
    }

    /// Refuses an impulse at a contact with friction.
    ///
    /// # Errors
    /// Kind `Event`, naming the contact.
    pub(in crate::mechanism) fn check_impulses(&self, t: f64, workspace: &Workspace) -> Result<()> {
        let Some(plan) = workspace.plan.as_ref().filter(|_| !self.model.frictions.is_empty()) else {
            return Ok(());
        };
        let solution = &plan.solution;
        let reach = |i: usize| solution.impulses[i].abs() * solution.reach(&plan.rows[i].row);
        let momentum: Vec<f64> = workspace.terms.mass.times(&plan.before).collect();
        let largest = (0..plan.rows.len())
            .map(reach)
            .fold(solution.reach_of(&momentum), f64::max);
        for friction in &self.model.frictions {
            let contact = &self.model.contacts[friction.contact];
            let of_contact = |row: &ImpactRow| matches!(row.origin, Origin::Constraint { constraint, .. } if constraint == contact.gap);
            let struck = (0..plan.rows.len()).any(|i| of_contact(&plan.rows[i]) && reach(i) > NO_IMPULSE * largest);
            let own = friction.local.gather_numbers::<f64>(&workspace.terms.numbers);
            if struck && own[friction.coefficients[1]] > 0.0 {
                let name = &contact.name;
                let message = format!(
                    "an impact acts on \"{name}\" together with contacts that stick or flip, or with what an event sets or joins, which is \
                     not possible with friction yet"
                );
                let error = Error::new(ErrorKind::Event, message).named(name).at_time(t);
                return Err(
                    error.advise("let it strike at another time, or take `Restitution` in the place of friction")
                );
            }
        }
        Ok(())
    }

    /// Refuses what is not possible with friction.
    ///
    /// # Errors
    /// Kind `Request`, naming what it is.
    pub(in crate::mechanism) fn check_friction(&self) -> Result<()> {
        let formulation = match self.choices.formulation {
            FormulationChoice::Stabilized => "Stabilized",
            FormulationChoice::Index3 => "Index3",
            _ => return Ok(()),
        };
        let Some(friction) = self.model.frictions.first() else {
            return Ok(());
        };
        let name = &self.model.contacts[friction.contact].name;
        let message = format!("friction, as at \"{name}\", is not possible under the formulation {formulation} yet");
        let error = Error::new(ErrorKind::Request, message).named(name);
        Err(error.advise("take the formulation Nullspace, Multipliers or Penalty"))
    }

    /// Refuses to slide along a guard while contacts with friction are closed.
    ///
    /// # Errors
    /// Kind `Event`, naming the contact and the guard.
    pub(in crate::mechanism) fn check_slides(&self, at: At<Mode>) -> Result<()> {
        let (Some(slide), Some(grip)) = (at.mode.slides.first(), at.mode.grips.first()) else {
            return Ok(());
        };
        let (name, contact) = (slide.name(&self.model), self.rubbing_name(grip.friction));
        let message = format!(
            "the motion slides along where \"{name}\" changes while \"{contact}\" is closed with friction, which is not possible yet"
        );
        let error = Error::new(ErrorKind::Event, message).named(name).at_time(at.t);
        Err(error.advise("write dry friction that an expression describes as a contact with friction, or leave a gap between the sides"))
    }
}
