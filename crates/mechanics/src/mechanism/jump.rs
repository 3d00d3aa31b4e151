//! Jumps of a mechanism: what the fired guards ask for, and the mode they lead to.

use super::watch::Watch;
use super::{Mechanism, Workspace};
use crate::error::{Error, ErrorKind, Result};
use crate::formulation::select_rows;
use crate::hybrid::{At, Happening};
use crate::model::quantity::Latching;
use crate::model::{Assignment, ContactState, Hold, Mode, Reset, Switch};

/// Gap of a joint, over the size of the mechanism, up to which it may be switched on.
pub(super) const CLOSED: f64 = 1e-6;

/// What an event asks for, gathered from the guards that fired.
#[derive(Default)]
pub(super) struct Request {
    /// Contacts that press no more where others share their load, or begin to.
    pub shifted: Vec<usize>,
    /// Contacts whose gap closes.
    pub touching: Vec<usize>,
    /// Contacts whose normal force vanishes.
    pub released: Vec<usize>,
    /// Those of them that stuck: without their hold they may be pressed against the surface, and slide.
    pub unstuck: Vec<usize>,
    /// Contacts with friction that no longer stick, or slip, as they did.
    pub turned: Vec<usize>,
    /// Contacts and joints in space whose slip has become slow.
    pub slowed: Vec<usize>,
    /// How those that stuck begin to slip.
    pub pushes: Vec<(usize, Hold)>,
    /// Contacts with friction whose surfaces jump in their speed.
    pub jolted: Vec<usize>,
    /// Joints with friction of which a normal force has passed zero, and which.
    pub passed_zero: Vec<(usize, usize)>,
    /// Groups switched on.
    pub joined: Vec<usize>,
    /// Forces switched on.
    pub engaged: Vec<usize>,
    /// What goes into memory.
    pub assignments: Vec<Assignment>,
    /// Positions and velocities that are set.
    pub resets: Vec<Reset>,
    /// Contacts that leave a part of a surface, with the contact that goes on from there.
    pub passed: Vec<(usize, Option<usize>)>,
    pub happenings: Vec<Happening>,
}

/// The place that a jump leads to, while it is sought.
pub(super) struct Next<'a> {
    pub t: f64,
    pub mode: &'a mut Mode,
    pub x: &'a mut [f64],
}

impl Next<'_> {
    pub fn at(&self) -> At<'_, Mode> {
        At::new(self.t, self.mode, self.x)
    }
}

impl Request {
    /// Tells of what a happening has turned out to be.
    pub fn rename(&mut self, name: &str, kind: &str) {
        let mut found = self.happenings.iter_mut().filter(|happening| happening.name == name);
        if let Some(happening) = found.next_back() {
            happening.kind = kind.to_string();
        }
    }

    /// Tells nothing of kinks that go along with another.
    pub fn forget_kinks(&mut self, which: impl Fn(usize) -> bool) {
        let forgotten = |happening: &Happening| happening.kind == "kink" && which(happening.part);
        self.happenings.retain(|happening| !forgotten(happening));
    }

    pub fn report(&mut self, name: &str, kind: &str) {
        self.report_part(name, kind, 0);
    }

    /// The same of one of several with that name and kind.
    fn report_part(&mut self, name: &str, kind: &str, part: usize) {
        self.happenings.push(Happening {
            name: name.to_string(),
            kind: kind.to_string(),
            part,
            outcome: None,
        });
    }

    /// Takes resets; of two of one coordinate or velocity the later wins.
    fn set(&mut self, resets: &[Reset]) {
        for reset in resets {
            self.resets.retain(|other| other.of != reset.of);
            self.resets.push(reset.clone());
        }
    }
}

impl Mechanism {
    /// What the fired guards ask for; what they switch is switched in the next mode.
    pub(super) fn requested(
        &self,
        at: At<Mode>,
        next: &mut Mode,
        fired: &[usize],
        workspace: &mut Workspace,
    ) -> Request {
        let At { t, mode, x } = at;
        let mut request = Request::default();
        for &guard in fired {
            if self.slide_of(guard, mode).is_some() {
                continue;
            }
            match self.watch(guard) {
                Watch::Gap(i) => {
                    if self.model.slips_along(i, mode) {
                        request.assignments.extend(self.ratchet_takes(i, Latching::Catch));
                    }
                    next.released.set(i, f64::NEG_INFINITY);
                    request.touching.push(i);
                }
                Watch::Release(i) if mode.footing_of(i).is_some() => request.shifted.push(i),
                Watch::Release(i) => {
                    next.contacts[i] = ContactState::Open;
                    request.released.push(i);
                    match mode.contacts[i] {
                        ContactState::Stuck => request.unstuck.push(i),
                        _ => next.released.set(i, t),
                    }
                }
                Watch::Grip(i) | Watch::Begun(i) => self.turn_grip(i, at, &mut request, workspace),
                Watch::Ending(i) => request.slowed.push(i),
                Watch::Side(i, k) => request.passed_zero.push((i, k)),
                Watch::Spring(i) => {
                    next.slack[i] = !next.slack[i];
                    request.report(&self.model.forces[i].name, "switch");
                }
                Watch::Tooth(i) => {
                    request.assignments.extend(self.ratchet_takes(i, Latching::Next));
                    request.report(&self.model.contacts[i].name, "tooth");
                }
                Watch::Facing(i) => self.pass_border(i, at, next, &mut request, workspace),
                Watch::Reversal(i) => {
                    request.assignments.extend(self.reversal(i, x));
                    request.report(&self.model.forces[i].name, "reversal");
                }
                Watch::Event(i) => self.fire_event(i, t, next, x, &mut request, workspace),
                Watch::Kink(i) => {
                    let kink = &self.model.kinks[i];
                    let side = x[self.quadratures().end + kink.slot];
                    request.assignments.push(Assignment::constant(kink.slot, -side));
                    request.report_part(&kink.name, "kink", i);
                }
                Watch::Margin(_) | Watch::Dependent => {}
            }
        }
        self.shift_loads(at, next, &mut request, workspace);
        request
    }

    pub(super) fn fire_event(
        &self,
        event: usize,
        t: f64,
        mode: &mut Mode,
        x: &[f64],
        request: &mut Request,
        workspace: &mut Workspace,
    ) {
        mode.fired[event] = true;
        let element = &self.model.events[event];
        request.report(&element.name, "switch");
        request.assignments.extend(element.assignments.iter().cloned());
        request.set(&element.resets);
        for &(switch, on) in &element.actions {
            match switch {
                Switch::Group(i) => {
                    if on && !mode.groups[i] {
                        request.joined.push(i);
                    }
                    mode.groups[i] = on;
                }
                Switch::Force(i) => {
                    match (mode.forces[i], on) {
                        (false, true) => {
                            request.engaged.push(i);
                            request.assignments.extend(self.without_history(i));
                        }
                        (true, false) => request.assignments.extend(self.history(i)),
                        _ => {}
                    }
                    mode.forces[i] = on;
                    mode.slack[i] = self.is_slack(i, At::new(t, mode, x), workspace);
                }
                Switch::Contact(i) => {
                    if !on {
                        mode.contacts[i] = ContactState::Disabled;
                    } else if mode.contacts[i] == ContactState::Disabled {
                        mode.contacts[i] = self.faced(i, At::new(t, mode, x), workspace);
                        request.assignments.extend(self.ratchet_takes(i, Latching::Catch));
                    }
                }
            }
        }
    }

    /// Joints whose values an event sets are joined anew.
    pub(super) fn join_again(&self, mode: &Mode, request: &mut Request) {
        let set: Vec<usize> = (request.assignments.iter())
            .map(|assignment| self.model.memory_number(assignment.slot))
            .collect();
        for (group, element) in self.model.groups.iter().enumerate() {
            let mut constraints = element.constraints.iter().map(|&i| &self.model.constraints[i].local);
            let reads = constraints.any(|local| local.numbers.iter().any(|number| set.contains(number)));
            if mode.groups[group] && reads && !request.joined.contains(&group) {
                request.joined.push(group);
            }
        }
    }

    /// A joint can be switched on, and its value set, only where it is closed.
    pub(super) fn check_joined(&self, at: At<Mode>, request: &Request, workspace: &Workspace) -> Result<()> {
        let size = self.model.spread(&at.x[self.positions()], [self.sizes.length, 1.0]);
        for &group in &request.joined {
            for &constraint in &self.model.groups[group].constraints {
                for row in self.rows_at(constraint, at, workspace) {
                    let open = row.c.abs() / row.row.max_abs().max(f64::MIN_POSITIVE);
                    if row.c.abs() > CLOSED * self.model.reach_of_rates(row.row.iter(), size) {
                        let name = &self.model.groups[group].name;
                        return Err(Error::new(
                            ErrorKind::Event,
                            format!("\"{name}\" cannot be switched on or set: it is open by {open:.3e}"),
                        )
                        .named(name.clone())
                        .at_time(at.t)
                        .with_value(open)
                        .advise("switch it on when an expression says that it is closed, and set it to where it is"));
                    }
                }
            }
        }
        Ok(())
    }

    /// Independent rows and projection for a new mode.
    pub(super) fn settle(&self, next: &mut Next, workspace: &mut Workspace) -> Result<()> {
        next.mode.refresh(&self.model);
        self.load_memory(next.x, &mut workspace.terms);
        if let Some(departure) = next.mode.departure_at(next.t) {
            next.mode.independent = departure.beside.clone();
            return Ok(());
        }
        self.assemble_constraints(next.at(), &mut workspace.terms);
        select_rows(next.mode, &workspace.terms);
        // Other formulations let constraints be violated.
        if self.needs_independent_rows() {
            self.project_state(next.t, next.mode, next.x, workspace)?;
        }
        Ok(())
    }
}
