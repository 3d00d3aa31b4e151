//! Constraints whose rows lose their meaning at some places: rims of discs that lie flat, cables that leave their pulleys,
//! shafts that a joint of constant velocity folds back onto each other.

use super::watch::Watch;
use super::{Mechanism, Workspace};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::At;
use crate::model::constraint::ConstraintKind;
use crate::model::quantity::Quantity;
use crate::model::{ContactState, Mode};

impl Mechanism {
    /// Whether a constraint may lose its meaning in a mode: while it is in force, a cable also while it is slack.
    pub(super) fn watches_margin(&self, constraint: usize, mode: &Mode) -> bool {
        let contact = || self.model.contacts.iter().position(|contact| contact.gap == constraint);
        mode.row_of(constraint).is_some()
            || contact().is_some_and(|contact| match mode.contacts[contact] {
                ContactState::Sliding | ContactState::Stuck => true,
                ContactState::Open | ContactState::Carried => self.is_cable(constraint),
                _ => false,
            })
    }

    fn is_cable(&self, constraint: usize) -> bool {
        matches!(self.model.constraints[constraint].kind, ConstraintKind::Cable(_))
    }

    /// Refuses to go on where a constraint has lost its meaning.
    pub(super) fn check_margins(&self, t: f64, fired: &[usize]) -> Result<()> {
        fired.iter().try_for_each(|&guard| match self.watch(guard) {
            Watch::Margin(constraint) => Err(self.without_meaning(constraint, t)),
            _ => Ok(()),
        })
    }

    /// Refuses constraints that have no meaning where they act, or where contacts touch.
    pub(super) fn check_meaning(&self, at: At<Mode>, touching: &[usize], workspace: &mut Workspace) -> Result<()> {
        let touches = |i: usize| touching.iter().any(|&contact| self.model.contacts[contact].gap == i);
        for i in 0..self.model.constraints.len() {
            let kind = &self.model.constraints[i].kind;
            if !kind.has_margin() || !(self.watches_margin(i, at.mode) || touches(i)) {
                continue;
            }
            self.load(at, &mut workspace.terms);
            let margin = Quantity::Margin(i).evaluate(&self.model, at.mode, &self.motion(at, workspace));
            if margin.is_nan() || margin <= 0.0 {
                return Err(self.without_meaning(i, at.t));
            }
        }
        Ok(())
    }

    #[cold]
    fn without_meaning(&self, constraint: usize, t: f64) -> Error {
        let name = &self.model.constraints[constraint].name;
        let (message, advice) = match self.model.constraints[constraint].kind {
            ConstraintKind::Cable(_) => (
                format!(
                    "the cable \"{name}\" leaves a pulley or wraps around more than three quarters of it, or two of its places meet"
                ),
                "let it run over a point where it leaves the pulley, or end the motion, or stop it by a `Limit` of a distance, before",
            ),
            ConstraintKind::Across(_) => (
                format!(
                    "the shafts of \"{name}\" bend by more than 170 degrees: folded back, they could twist against each other"
                ),
                "stop them before, by a `Limit` of the distance of two markers on the shafts",
            ),
            ConstraintKind::PlaneGap(_) => (
                format!("the disc of \"{name}\" lies flat: its rim touches all round, which has no derivative"),
                "tilt the disc, or let spheres or markers along its rim touch",
            ),
            _ => (
                format!("\"{name}\" has come to where it has no meaning"),
                "end the motion or switch it off before",
            ),
        };
        Error::new(ErrorKind::Event, message)
            .named(name.clone())
            .at_time(t)
            .advise(advice)
    }
}
