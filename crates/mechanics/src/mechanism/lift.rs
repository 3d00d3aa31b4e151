//! Contacts that an impact would leave at rest, though nothing presses them.

use super::jump::{Next, Request};
use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::At;
use crate::model::{ContactState, Mode};

impl Mechanism {
    /// Takes back the rest of contacts that are not pressed, by friction either; true if there were any.
    ///
    /// # Errors
    /// Those of friction with these contacts at rest, unless they stay open by themselves.
    pub(super) fn lift_unpressed(
        &self,
        at: At<Mode>,
        request: &Request,
        resting: &mut [bool],
        workspace: &mut Workspace,
    ) -> Result<bool> {
        let At { t, mode, x } = at;
        let mut trial = mode.clone();
        // Contacts that go on sliding push back as well.
        let mut candidates = self.still_contacts(at, workspace);
        let touching = request.touching.iter().zip(resting.iter());
        let rest: Vec<usize> = touching.filter(|(_, rests)| **rests).map(|(&i, _)| i).collect();
        candidates.extend(&rest);
        let Ok(mut unpressed) = self.close_contacts(t, &mut trial, x, (&candidates, &[]), workspace) else {
            return Ok(false);
        };
        let (grips, footings) = (std::mem::take(&mut trial.grips), std::mem::take(&mut trial.footings));
        let (held, place) = ((&grips[..], &footings[..]), At::new(t, &trial, x));
        match self.rubbing(held, place, request, &candidates, workspace) {
            Ok(Some(rubbing)) => (trial, unpressed) = (rubbing, Vec::new()),
            Ok(None) => {}
            Err(error) => match self.stay_open(at, request, &rest, workspace) {
                Ok(true) => unpressed = rest,
                _ => return Err(error),
            },
        }
        let mut lifted = false;
        for (&contact, rests) in request.touching.iter().zip(resting.iter_mut()) {
            if *rests && (!trial.contacts[contact].lasts() || unpressed.contains(&contact)) {
                *rests = false;
                lifted = true;
            }
        }
        Ok(lifted)
    }

    /// Whether contacts that touch stay open by themselves, whatever rubs.
    fn stay_open(
        &self,
        at: At<Mode>,
        request: &Request,
        contacts: &[usize],
        workspace: &mut Workspace,
    ) -> Result<bool> {
        let (mut open, mut x) = (at.mode.clone(), at.x.to_vec());
        let others = self.still_contacts(at, workspace);
        self.close_contacts(at.t, &mut open, at.x, (&others, &[]), workspace)?;
        let (grips, footings) = (std::mem::take(&mut open.grips), std::mem::take(&mut open.footings));
        let next = Next {
            t: at.t,
            mode: &mut open,
            x: &mut x,
        };
        let pressed = self.pressed_by_slip((&grips, &footings), &next, request, (&others, contacts), workspace)?;
        Ok(pressed.is_empty())
    }

    /// Contacts that last and go on to.
    fn still_contacts(&self, at: At<Mode>, workspace: &Workspace) -> Vec<usize> {
        let still = |&i: &usize| self.is_still(i, at, workspace);
        at.mode.having(ContactState::lasts).filter(still).collect()
    }
}
