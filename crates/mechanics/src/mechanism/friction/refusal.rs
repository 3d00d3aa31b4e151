//! What is said where friction has no one answer.

use super::scratch::Rubs;
use super::trial::Trial;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::At;
use crate::linear::dot;
use crate::mechanism::forced::listed;
use crate::mechanism::impact_problem::{ImpactRow, Origin};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::{Grip, Hold, Mode};

/// Impulses below this, over the largest, are rounding.
const NO_IMPULSE: f64 = 1e-9;

impl Mechanism {
    /// The motion of a contact that slips is not unique, or there is none.
    #[cold]
    pub(super) fn jams(&self, grip: &Grip, pivot: f64, at: At<Mode>, rubs: &Rubs, workspace: &Workspace) -> Error {
        let name = self.model.rubbed_name(grip.friction);
        let n = rubs.forces.len();
        let own = self
            .forces_of(at.mode)
            .enumerate()
            .filter(|(_, (other, _))| *other == grip);
        // 1 - A over that without friction, which is proportional to the coefficient.
        let lost: f64 = own.map(|(i, _)| 1.0 - rubs.by_force[i * n + i]).sum();
        let [_, along] = self.model.balances(grip, at.mode, &self.motion(at, workspace));
        let limit = match grip.hold {
            Hold::Slip(_) | Hold::SlipAlong if lost > 0.0 => {
                format!(", which is {:.6} here", dot(&along, &along).sqrt() / lost)
            }
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

    /// No way in which contacts and joints hold agrees with their forces and motions.
    #[cold]
    pub(super) fn no_grip(&self, trial: &Trial, t: f64) -> Error {
        let contact = |k: usize| {
            trial
                .contacts
                .get(k)
                .map(|&contact| self.model.contacts[contact].name.as_str())
        };
        let of_friction = |k: usize| {
            trial
                .friction(k)
                .map_or("", |friction| self.model.rubbed_name(friction))
        };
        let names: Vec<&str> = (0..trial.count())
            .map(|k| contact(k).unwrap_or_else(|| of_friction(k)))
            .collect();
        let message = format!(
            "no way to stick, slip or open is consistent for {}",
            listed(names.iter().copied())
        );
        Error::new(ErrorKind::Event, message)
            .named(names.first().copied().unwrap_or_default())
            .at_time(t)
            .advise("lower the coefficients of friction, or change a length or a time a little")
    }

    /// What presses at a contact that rubs depends on what is stiffer.
    #[cold]
    pub(super) fn load_is_open(&self, friction: usize, t: f64) -> Error {
        let advice = "let a body that joints or other faces hold too stand on no more contacts than can carry it, and others on 16 at most";
        let why = "is carried by others as well, so that its load is not unique";
        self.shared(friction, why, advice, t)
    }

    /// Friction forces that are not unique, or have a direction that nothing tells.
    #[cold]
    pub(super) fn shared(&self, friction: usize, why: &str, advice: &str, t: f64) -> Error {
        let name = self.model.rubbed_name(friction);
        let message = format!("\"{name}\" {why}, which is not possible with friction in space yet");
        Error::new(ErrorKind::Request, message)
            .named(name)
            .at_time(t)
            .advise(advice)
    }

    /// Refuses an impulse at a contact with friction.
    ///
    /// # Errors
    /// Kind `Event`, naming the contact.
    pub(in crate::mechanism) fn check_impulses(
        &self,
        at: At<Mode>,
        joined: &[usize],
        workspace: &Workspace,
    ) -> Result<()> {
        self.check_joint_impulses(at, joined, workspace)?;
        let struck = self.contacts_left_out(workspace);
        let Some(&friction) = struck
            .iter()
            .find(|&&friction| self.coefficient_of(friction, workspace) > 0.0)
        else {
            return Ok(());
        };
        let name = self.model.rubbed_name(friction);
        if let Some(&group) = joined.first() {
            return Err(self.driven_while_rubbing(group, name, "`Restitution` in the place of friction", at.t));
        }
        let message = format!(
            "an impact acts on \"{name}\" together with contacts that stick or flip, or with what an event sets or joins, which is \
             not possible with friction yet"
        );
        let error = Error::new(ErrorKind::Event, message).named(name).at_time(at.t);
        Err(error.advise("let it strike at another time, or take `Restitution` in the place of friction"))
    }

    /// Frictions of contacts that the impact solved last acts on without them.
    pub(super) fn contacts_left_out(&self, workspace: &Workspace) -> Vec<usize> {
        let Some(plan) = workspace.plan.as_ref().filter(|_| !self.model.frictions.is_empty()) else {
            return Vec::new();
        };
        let solution = &plan.solution;
        let reach = |i: usize| solution.impulses[i].abs() * solution.reach(&plan.rows[i].row);
        let momentum: Vec<f64> = workspace.terms.mass.times(&plan.before).collect();
        let largest = (0..plan.rows.len())
            .map(reach)
            .fold(solution.reach_of(&momentum), f64::max);
        let is_struck = |&friction: &usize| {
            let Some(contact) = self.model.frictions[friction].contact() else {
                return false;
            };
            let gap = self.model.contacts[contact].gap;
            let own =
                |row: &ImpactRow| matches!(row.origin, Origin::Constraint { constraint, .. } if constraint == gap);
            (0..plan.rows.len()).any(|i| own(&plan.rows[i]) && reach(i) > NO_IMPULSE * largest)
        };
        (0..self.model.frictions.len()).filter(is_struck).collect()
    }

    /// A driver jumps, or a joint is switched on, while something rubs that it cannot be solved with.
    #[cold]
    pub(super) fn driven_while_rubbing(&self, group: usize, rubbed: &str, instead: &str, t: f64) -> Error {
        let name = &self.model.groups[group].name;
        let message = format!(
            "the velocity of \"{name}\" jumps, or it is switched on, while \"{rubbed}\" rubs, which is not possible here yet"
        );
        let error = Error::new(ErrorKind::Event, message).named(name).at_time(t);
        error.advise(format!(
            "let the motion of \"{name}\" begin and end smoothly, or take {instead} for \"{rubbed}\""
        ))
    }

    /// Refuses to slide along a guard while contacts with friction are closed.
    ///
    /// # Errors
    /// Kind `Event`, naming the contact and the guard.
    pub(in crate::mechanism) fn check_slides(&self, at: At<Mode>) -> Result<()> {
        let (Some(slide), Some(grip)) = (at.mode.slides.first(), at.mode.grips.first()) else {
            return Ok(());
        };
        let (name, contact) = (slide.name(&self.model), self.model.rubbed_name(grip.friction));
        let message = format!(
            "the motion slides along where \"{name}\" changes while \"{contact}\" rubs, which is not possible yet"
        );
        let error = Error::new(ErrorKind::Event, message).named(name).at_time(at.t);
        Err(error.advise("write dry friction that an expression describes as a contact with friction, or leave a gap between the sides"))
    }
}
