//! Verges of a motion, where a guard is zero without firing. It stays on some: what sticks by all that it can or by nothing, what touches
//! without force, one-sided springs at their length. On others it begins: the condition of an event, a one-sided damper.

use super::probe::{Probe, alone};
use crate::assembly::Verge;
use crate::error::Result;
use crate::hybrid::{At, Crossing, HybridSystem};
use crate::linear::max_abs;
use crate::mechanism::{Mechanism, Watch};
use crate::model::quantity::Quantity;
use crate::model::{ContactState, Hold, Mode, Trigger};

/// Part of a flow, or of what a guard changes by where the state changes by its sizes, that is rounding.
const SAME: f64 = 1e-9;

/// A guard that is zero without firing.
#[derive(Clone, Debug)]
struct OnVerge {
    guard: usize,
    /// Change by a parameter from which it leaves the verge.
    least: f64,
    /// Of what sticks by nothing.
    idle: Option<usize>,
}

/// The verges of a motion.
#[derive(Default)]
pub(super) struct Verges {
    /// Those that it has been on since the last step or event.
    on: Vec<OnVerge>,
}

impl Verges {
    /// At the start or after an event, where these guards may be on one.
    pub fn begin(&mut self, candidates: &[usize], at: At<Mode>, probe: &mut Probe) {
        self.on = found(candidates, at, probe);
    }

    /// Whether there is any that a step has stayed on; those parameters that move the motion off it are added to `moved`, each of which
    /// has a size.
    pub fn step(
        &mut self,
        at: At<Mode>,
        probe: &mut Probe,
        sizes: &[f64],
        moved: &mut Vec<(usize, Verge)>,
    ) -> Result<bool> {
        if self.on.is_empty() {
            return Ok(false);
        }
        let before: Vec<usize> = self.on.iter().map(|known| known.guard).collect();
        self.on = found(&before, at, probe);
        let (mechanism, on) = (probe.mechanism, &self.on);
        probe.each_jvp(at, &[], |parameter, motion, _| {
            for found in on {
                let slope = match found.idle {
                    Some(friction) => {
                        let force = mechanism.model.friction_numbers(friction, motion);
                        max_abs(&force.map(|part| part.eps))
                    }
                    None => mechanism.guard_over(found.guard, at.mode, motion).eps,
                };
                if slope.abs() * sizes[parameter] > found.least {
                    moved.extend(mechanism.verge(found.guard).map(|verge| (parameter, verge)));
                }
            }
        })?;
        Ok(!self.on.is_empty())
    }
}

/// Guards of a mode that may stay at zero. Where contacts carry others, what one bears may pass on to another without a change of the motion.
pub(super) fn candidates(mechanism: &Mechanism, mode: &Mode) -> Vec<usize> {
    let carries = mode.contacts.iter().any(|&state| state == ContactState::Carried);
    let may = |guard: &usize| match mechanism.watch(*guard) {
        Watch::Spring(_) => true,
        Watch::Release(i) => !carries && matches!(mode.contacts[i], ContactState::Sliding | ContactState::Stuck),
        Watch::Grip(i) => mode.grip(i).is_some_and(|grip| grip.hold == Hold::Stick),
        _ => false,
    };
    let guards = (0..mechanism.guards()).filter(may);
    guards
        .filter(|&guard| mechanism.crossing(guard, mode).is_some())
        .collect()
}

/// Those of some guards that are on one at a state.
fn found(guards: &[usize], at: At<Mode>, probe: &mut Probe) -> Vec<OnVerge> {
    let mechanism = probe.mechanism;
    if guards.is_empty() || probe.motion(at).is_err() {
        return Vec::new();
    }
    let alone = At::new(at.t, at.mode, &at.x[..mechanism.dimension()]);
    let is_on = |&guard: &usize| {
        let rounding = mechanism.rounding(guard, 0.0, alone, &mut probe.workspace);
        let motion = mechanism.motion(alone, &probe.workspace);
        let value = mechanism.guard_over(guard, at.mode, &motion);
        let idle = match mechanism.watch(guard) {
            Watch::Grip(i) if max_abs(&mechanism.model.friction_numbers(i, &motion)) <= rounding => Some(i),
            _ => None,
        };
        let least = mechanism.leaves(guard, alone, &probe.workspace);
        (value.abs() <= rounding).then_some(OnVerge { guard, least, idle })
    };
    guards.iter().filter_map(is_on).collect()
}

/// A guard that is zero at the start and leads over to another motion at once.
pub(super) struct Beginning {
    pub guard: usize,
    /// Change of the guard by a parameter from which it is no rounding.
    pub least: f64,
}

/// Those at the start: conditions of events that change something and that the motion leaves the way they fire, and one-sided dampers.
pub(super) fn beginnings(at: At<Mode>, duration: f64, probe: &mut Probe) -> Vec<Beginning> {
    let guards = 0..probe.mechanism.guards();
    let begins = |guard: usize| {
        let least = least_change(guard, at, duration, probe)?;
        Some(Beginning { guard, least })
    };
    guards.filter_map(begins).collect()
}

/// What a guard has to change by, if it begins.
fn least_change(guard: usize, at: At<Mode>, duration: f64, probe: &mut Probe) -> Option<f64> {
    let mechanism = probe.mechanism;
    let crossing = mechanism.crossing(guard, at.mode)?;
    let output = match mechanism.watch(guard) {
        Watch::Spring(force) => alone(Quantity::Engagement(force)),
        Watch::Event(i) => {
            let event = &mechanism.model.events[i];
            let changes = !(event.actions.is_empty() && event.assignments.is_empty() && event.resets.is_empty());
            match &event.trigger {
                Trigger::Crossing { guard, .. } if changes => guard.clone(),
                _ => return None,
            }
        }
        _ => return None,
    };
    let value = probe.guard_value(guard, at).ok()?;
    if value.abs() > mechanism.rounding(guard, 0.0, at, &mut probe.workspace) {
        return None;
    }
    let least = SAME * probe.error_of(&output, at, [1.0, 0.0]);
    let moved = duration * probe.guard_rate(guard, at).ok()?;
    let begins = match (mechanism.watch(guard), crossing) {
        (Watch::Spring(force), _) => jumps(force, at, probe),
        (_, Crossing::Rising) => moved > least,
        (_, Crossing::Falling) => moved < -least,
        _ => moved.abs() > least,
    };
    begins.then_some(least)
}

/// Whether the flow is another where a one-sided spring acts from where it does not, as soon as it moves.
fn jumps(force: usize, at: At<Mode>, probe: &mut Probe) -> bool {
    let mechanism = probe.mechanism;
    let mut other = at.mode.clone();
    other.slack[force] = !other.slack[force];
    let (mut x, sizes) = (at.x.to_vec(), mechanism.allowed());
    mechanism.velocities().for_each(|k| x[k] += sizes[k] * (k as f64).sin());
    let mut flow = |mode: &Mode| {
        let mut dx = vec![0.0; mechanism.dimension()];
        let done = mechanism.flow(At { mode, x: &x, ..at }, &mut probe.workspace, &mut dx);
        done.map(|()| dx)
    };
    let (Ok(here), Ok(there)) = (flow(at.mode), flow(&other)) else {
        return false;
    };
    let most = max_abs(&here).max(max_abs(&there));
    here.iter().zip(&there).any(|(a, b)| (a - b).abs() > SAME * most)
}
