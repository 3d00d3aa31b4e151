//! What touching contacts do: bounce, stick, come to rest, lift off.

use super::friction::impact::Part;
use super::impact_problem::ImpactPlan;
use super::jump::{CLOSED, Next, Request};
use super::{Mechanism, Workspace};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::At;
use crate::model::contact::Law;
use crate::model::over::RowOver;
use crate::model::quantity::Quantity;
use crate::model::{ContactState, CoordinateKind, Mode, Shared};

/// Fraction of the largest approach speed at a contact below which a bounce that is pressed back comes to rest: a little more
/// than 1e-7, which bounces by a tenth or a hundredth meet exactly, so that rounding would decide which of them is the last.
const REST_FRACTION: f64 = 1.001e-7;

/// Gap, over the size of the mechanism, at which a contact counts as touching.
pub(super) const TOUCHING: f64 = 1e-10;

impl Mechanism {
    /// Velocities, contact states and memory after whatever touches, sticks, rests or is joined; `before` are the states
    /// before the event.
    pub(super) fn resolve_contacts(
        &self,
        before: &Shared<ContactState>,
        next: &mut Next,
        request: &mut Request,
        workspace: &mut Workspace,
    ) -> Result<Vec<String>> {
        let collapsed = self.collapse(next, request, workspace);
        let mut remarks = Vec::new();
        let mut struck = Vec::new();
        let lasting: Vec<usize> = (next.mode.having(ContactState::lasts))
            .filter(|i| !request.touching.contains(i))
            .collect();
        // What has stuck until now may slip, and press what it has blocked.
        let mut blocked = std::mem::take(&mut next.mode.blocked);
        blocked.retain(|i| next.mode.contacts[*i] == ContactState::Open && !request.touching.contains(i));
        let mut candidates = [&lasting[..], &request.unstuck].concat();
        if !request.touching.is_empty() || !request.joined.is_empty() || !request.resets.is_empty() {
            let pressed = self.pressed(next, &lasting, workspace)?;
            remarks = self.impact(next, request, [&pressed, &collapsed], &mut candidates, workspace)?;
            for &contact in lasting.iter().filter(|i| !candidates.contains(i)) {
                next.mode.contacts[contact] = ContactState::Open;
                if self.speed(contact, next.at(), workspace) < 0.0 {
                    struck.push(contact);
                }
            }
        }
        self.close_contacts(next.t, next.mode, next.x, (&candidates, &request.unstuck), workspace)?;
        if self.stop_closed(next, workspace) {
            // Where those that rest stop the others as well, these lie there too.
            let stopped = self.stopped(next.at(), &request.touching, &candidates, workspace);
            candidates.extend(stopped);
            self.close_contacts(next.t, next.mode, next.x, (&candidates, &request.unstuck), workspace)?;
        }
        self.check_let_go(next.at(), &request.unstuck, workspace)?;
        let (grips, footings) = (
            std::mem::take(&mut next.mode.grips),
            std::mem::take(&mut next.mode.footings),
        );
        let grips = self.grips_handed_over(&grips, request);
        // What moves after an impact is struck itself.
        let still: Vec<usize> = (blocked.iter().copied())
            .filter(|&i| self.is_still(i, next.at(), workspace))
            .collect();
        let freed = self.pressed_by_slip((&grips, &footings), next, request, (&candidates, &still), workspace)?;
        if !freed.is_empty() {
            candidates.extend(freed);
            self.close_contacts(next.t, next.mode, next.x, (&candidates, &request.unstuck), workspace)?;
        }
        self.grip((&grips, &footings), next, request, &candidates, workspace)?;
        // Not before it is known what slips: that depends on the last digits of positions.
        blocked.retain(|i| next.mode.contacts[*i] == ContactState::Open);
        self.close_blocked(next, &blocked, workspace)?;
        next.mode.blocked = self.blocked(next.at(), workspace);
        let states = before.iter().zip(next.mode.contacts.iter()).enumerate();
        let concerned: Vec<usize> = (states.filter(|(i, (before, after))| before != after || candidates.contains(i)))
            .map(|(i, _)| i)
            .collect();
        for contact in concerned {
            let element = &self.model.contacts[contact];
            let open = next.mode.contacts[contact] == ContactState::Open;
            let touched = matches!(
                before[contact],
                ContactState::Sliding | ContactState::Carried | ContactState::Stuck
            );
            let away = next.mode.contacts[contact] == ContactState::Away;
            let slips = before[contact] == ContactState::Stuck && next.mode.contacts[contact].lasts();
            if touched && (open || away || slips) && !struck.contains(&contact) {
                request.report(&element.name, "release");
            } else if !touched && next.mode.contacts[contact].lasts() && next.mode.released[contact] != next.t {
                request.report(&element.name, "rest");
            } else if !touched && open && candidates.contains(&contact) {
                request.report(&element.name, "impact");
            }
        }
        self.note_outcomes(next, request, workspace);
        Ok(remarks)
    }

    /// Opens the lasting contacts that carry no force and returns the others: in an impact an unpressed contact takes part
    /// only when it is struck itself, one after the other as in a row of balls.
    fn pressed(&self, next: &mut Next, lasting: &[usize], workspace: &mut Workspace) -> Result<Vec<usize>> {
        if !lasting.iter().any(|&i| next.mode.contacts[i] == ContactState::Sliding) {
            return Ok(lasting.to_vec());
        }
        let copy = &mut Next {
            t: next.t,
            mode: next.mode,
            x: &mut next.x.to_vec(),
        };
        self.settle(copy, workspace)?;
        self.evaluate_motion(next.at(), true, workspace)?;
        let noise = self.force_noise(workspace);
        let motion = self.motion(next.at(), workspace);
        let (pressed, unpressed): (Vec<usize>, Vec<usize>) = lasting.iter().partition(|&&i| {
            next.mode.contacts[i] == ContactState::Carried
                || Quantity::ContactForce(i).evaluate(&self.model, next.mode, &motion) > noise
        });
        for contact in unpressed {
            next.mode.contacts[contact] = ContactState::Open;
        }
        next.mode.refresh(&self.model);
        Ok(pressed)
    }

    /// Adds open contacts that touch and approach at this very instant to those that fired, if they act on them; all of them
    /// when more than impacts happens.
    pub(super) fn gather_touching(&self, at: At<Mode>, request: &mut Request, workspace: &mut Workspace) -> Result<()> {
        let known: Vec<usize> = (request.touching.iter().chain(&request.released).copied()).collect();
        let mut found = self.approaching(at, &known, workspace)?;
        let nothing_else = request.happenings.is_empty() && request.released.is_empty() && request.joined.is_empty();
        if nothing_else && !request.touching.is_empty() && !found.is_empty() {
            self.assemble(at, &mut workspace.terms);
            found = self.acting_on(at, &request.touching, &found, workspace)?;
            request.touching.clear();
        }
        request.touching.extend(found);
        request.touching.sort_unstable();
        Ok(())
    }

    /// Open contacts, but for those known, that touch and approach.
    pub(super) fn approaching(&self, at: At<Mode>, known: &[usize], workspace: &Workspace) -> Result<Vec<usize>> {
        let waits = |&i: &usize| {
            matches!(at.mode.contacts[i], ContactState::Open | ContactState::Carried) && !known.contains(&i)
        };
        let size = self.farthest(at.x, CoordinateKind::Length);
        let near = self.near_contacts(at.x, TOUCHING * size, workspace);
        let waiting = near.into_iter().filter(waits);
        let found = self
            .touching(at, waiting, [TOUCHING, CLOSED], workspace)
            .map_err(|(i, gap)| {
                let name = &self.model.contacts[i].name;
                let message = format!("\"{name}\" is switched on while it penetrates by {:.3e}", -gap);
                Error::new(ErrorKind::Event, message)
                    .named(name.clone())
                    .at_time(at.t)
                    .with_value(gap)
            })?;
        let approach = found
            .iter()
            .filter(|(i, rate)| *rate < -self.noise_of(at.x, self.gap_kind(*i)));
        Ok(approach.map(|(i, _)| *i).collect())
    }

    /// Those of some contacts that touch, with the rates of their gaps; the first that penetrates deeper is an error. Both
    /// bounds are over the size of the mechanism.
    pub(super) fn touching(
        &self,
        at: At<Mode>,
        contacts: impl Iterator<Item = usize>,
        [reach, depth]: [f64; 2],
        workspace: &Workspace,
    ) -> std::result::Result<Vec<(usize, f64)>, (usize, f64)> {
        let mut found = Vec::new();
        let [length, other] = [CoordinateKind::Length, CoordinateKind::Angle].map(|kind| self.farthest(at.x, kind));
        for i in contacts {
            let size = match self.gap_kind(i) {
                CoordinateKind::Length => length,
                CoordinateKind::Angle => other,
                kind => self.farthest(at.x, kind),
            };
            let row = self.gap_row(i, at, workspace);
            if row.c < -depth * size {
                return Err((i, row.c));
            }
            if row.c <= reach * size {
                found.push((i, row.rate));
            }
        }
        Ok(found)
    }

    /// Velocities after the impact; contacts that may come to rest are added to the candidates.
    fn impact(
        &self,
        next: &mut Next,
        request: &mut Request,
        [sliding, collapsed]: [&[usize]; 2],
        candidates: &mut Vec<usize>,
        workspace: &mut Workspace,
    ) -> Result<Vec<String>> {
        let at: Vec<RowOver<f64>> = request
            .touching
            .iter()
            .map(|&i| self.gap_row(i, next.at(), workspace))
            .collect();
        for (&contact, at) in request.touching.iter().zip(&at) {
            let fastest = next.mode.fastest[contact].max(-at.rate);
            next.mode.fastest.set(contact, fastest);
        }
        let mut resting: Vec<bool> = request
            .touching
            .iter()
            .zip(&at)
            .map(|(&i, at)| collapsed.contains(&i) || self.may_rest(i, at, next.mode, workspace))
            .collect();
        let before = next.x[self.velocities()].to_vec();
        let stuck: Vec<usize> = next.mode.having(|state| state == ContactState::Stuck).collect();
        let (mut let_go, mut slipping) = (Vec::new(), Vec::new());
        for _ in 0..2 {
            let velocities = self.velocities();
            next.x[velocities].copy_from_slice(&before);
            self.set_contacts(next.mode, &stuck, ContactState::Stuck);
            let plan = match self.strikes_with_friction(next.mode, request, sliding) {
                true => {
                    let parts = Part::all(request, &resting, sliding);
                    self.strike_with_friction(next.at(), &parts, workspace)?
                }
                false => self.solve_touching(next.at(), request, (&at, &resting, sliding), &mut slipping, workspace)?,
            };
            let velocities = self.velocities();
            next.x[velocities].copy_from_slice(&plan.solution.v);
            let_go.clone_from(&plan.solution.let_go);
            self.set_contacts(next.mode, &let_go, ContactState::Open);
            workspace.plan = Some(plan);
            // A slow bounce rests only where it is pressed back; elsewhere it goes on with its law.
            let may_lift = resting.contains(&true) && collapsed.is_empty();
            if !may_lift || !self.lift_unpressed(next.at(), request, &mut resting, workspace) {
                break;
            }
        }
        self.check_impulses(next.at(), &request.joined, workspace)?;
        // Without their hold they may be pressed against the surface.
        candidates.extend_from_slice(&let_go);
        request.unstuck.extend_from_slice(&let_go);
        candidates.retain(|&contact| self.is_still(contact, next.at(), workspace));
        for (k, &contact) in request.touching.clone().iter().enumerate() {
            if candidates.contains(&contact) {
                continue;
            }
            if slipping.contains(&contact) {
                candidates.push(contact);
            } else if let_go.contains(&contact) {
                request.report(&self.model.contacts[contact].name, "impact");
            } else {
                self.settle_contact(contact, resting[k], next, request, candidates, workspace);
            }
        }
        self.order_remark(next.at(), &at, request, workspace)
    }

    /// The impact of what touches. Where contacts that are to stick would pull, but be penetrated without their hold, these slip: they
    /// are held in the normal direction alone.
    fn solve_touching(
        &self,
        at: At<Mode>,
        request: &Request,
        (gaps, resting, sliding): (&[RowOver<f64>], &[bool], &[usize]),
        slipping: &mut Vec<usize>,
        workspace: &mut Workspace,
    ) -> Result<ImpactPlan> {
        let before = at.x[self.velocities()].to_vec();
        let mut solve = |slipping: &[usize]| -> Result<ImpactPlan> {
            let rows = self.impact_rows(at, request, gaps, (resting, slipping), sliding, workspace);
            self.assemble(at, &mut workspace.terms);
            let solution = self.solve_impact(at.t, &workspace.terms.mass, &before, &rows)?;
            Ok(ImpactPlan {
                rows,
                before: before.clone(),
                solution,
            })
        };
        let sticks = |contact: &&usize| self.model.contacts[**contact].law.pull_off().is_some();
        let sticking: Vec<usize> = request.touching.iter().filter(sticks).copied().collect();
        let error = match solve(slipping) {
            Err(error) if error.kind() == ErrorKind::Event && slipping.is_empty() => error,
            found => return found,
        };
        let each = sticking.iter().map(|&contact| vec![contact]);
        for those in each.chain((sticking.len() > 1).then(|| sticking.clone())) {
            if let Ok(plan) = solve(&those) {
                *slipping = those;
                return Ok(plan);
            }
        }
        Err(error)
    }

    /// Puts contacts into a state.
    fn set_contacts(&self, mode: &mut Mode, contacts: &[usize], state: ContactState) {
        for &contact in contacts {
            mode.contacts[contact] = state;
        }
        mode.refresh(&self.model);
    }

    /// State of a contact after its impact; a contact without normal velocity left is a candidate for lasting contact.
    fn settle_contact(
        &self,
        contact: usize,
        resting: bool,
        next: &mut Next,
        request: &mut Request,
        candidates: &mut Vec<usize>,
        workspace: &mut Workspace,
    ) {
        let element = &self.model.contacts[contact];
        match element.law {
            Law::Stick { .. } => {
                next.mode.contacts[contact] = ContactState::Stuck;
                let start = self.quadratures().end;
                let marks = self.marks(&[contact], &next.x[self.positions()], &mut workspace.terms.numbers);
                for (slot, value) in marks {
                    next.x[start + slot] = value;
                }
                request.report(&element.name, "stick");
            }
            Law::Restitution { .. } if resting => candidates.push(contact),
            Law::Restitution { .. } => {
                if self.does_not_separate(contact, next.at(), workspace) {
                    candidates.push(contact);
                } else {
                    request.report(&element.name, "impact");
                }
            }
            Law::Flip { .. } => request.report(&element.name, "impact"),
        }
    }

    /// Whether the rate of a gap at a state is rounding, or negative.
    fn does_not_separate(&self, contact: usize, at: At<Mode>, workspace: &Workspace) -> bool {
        self.speed(contact, at, workspace) <= self.noise_of(at.x, self.gap_kind(contact))
    }

    /// Whether the rate of a gap at a state is rounding.
    fn is_still(&self, contact: usize, at: At<Mode>, workspace: &Workspace) -> bool {
        self.speed(contact, at, workspace).abs() <= self.noise_of(at.x, self.gap_kind(contact))
    }

    /// Rate of a gap at a state.
    fn speed(&self, contact: usize, at: At<Mode>, workspace: &Workspace) -> f64 {
        let row = self.gap_row(contact, at, workspace);
        row.row.dot(&at.x[self.velocities()]) + row.c_t
    }

    /// Whether the speed of separation is so low that the contact may come to rest.
    fn may_rest(&self, contact: usize, at: &RowOver<f64>, mode: &Mode, workspace: &Workspace) -> bool {
        let Some(e) = self.model.contacts[contact].law.restitution() else {
            return false;
        };
        let e = workspace.terms.numbers[e];
        let slowest = self.allowed.velocity(self.gap_kind(contact));
        let threshold = self
            .choices
            .rest_speed
            .unwrap_or_else(|| (REST_FRACTION * mode.fastest[contact]).max(10.0 * self.choices.atol * slowest));
        e < 1.0 && e * -at.rate <= threshold
    }

    /// Takes back the rest of contacts that are not pressed, by friction either; true if there were any.
    fn lift_unpressed(&self, at: At<Mode>, request: &Request, resting: &mut [bool], workspace: &mut Workspace) -> bool {
        let At { t, mode, x } = at;
        let mut trial = mode.clone();
        // Contacts that go on sliding push back as well.
        let still = |&i: &usize| self.is_still(i, at, workspace);
        let mut candidates: Vec<usize> = mode.having(ContactState::lasts).filter(still).collect();
        let rest = request.touching.iter().zip(resting.iter()).filter(|(_, rests)| **rests);
        candidates.extend(rest.map(|(&i, _)| i));
        let Ok(mut unpressed) = self.close_contacts(t, &mut trial, x, (&candidates, &[]), workspace) else {
            return false;
        };
        let (grips, footings) = (std::mem::take(&mut trial.grips), std::mem::take(&mut trial.footings));
        let (held, place) = ((&grips[..], &footings[..]), At::new(t, &trial, x));
        if let Ok(Some(rubbing)) = self.rubbing(held, place, request, &candidates, workspace) {
            (trial, unpressed) = (rubbing, Vec::new());
        }
        let mut lifted = false;
        for (&contact, rests) in request.touching.iter().zip(resting.iter_mut()) {
            if *rests && (!trial.contacts[contact].lasts() || unpressed.contains(&contact)) {
                *rests = false;
                lifted = true;
            }
        }
        lifted
    }
}
