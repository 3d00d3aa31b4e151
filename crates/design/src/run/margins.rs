//! How far a motion keeps from the places where its gradient ends: grazed contacts, missed ones, events that change order.

use super::experiment::Experiment;
use crate::error::Result;
use crate::hybrid::{At, Crossing, Differentiable, HybridSystem, JumpView, Observer, StepView, Tangent, simulate};
use crate::integrate::{DenseOutput, bracketed_root};
use crate::mechanism::{Mechanism, Watch, Workspace};
use crate::model::{Mode, Trigger};

/// Fractions of a step at which rates of guards are compared.
const NODES: [f64; 6] = [0.0, 0.15, 0.4, 0.6, 0.85, 1.0];

/// Name of the end of a run among events.
const END: &str = "the end of the run";

/// The slowest approach to a contact that was struck.
#[derive(Clone, Debug, PartialEq)]
pub struct Approach {
    /// Contact.
    pub name: String,
    /// Time.
    pub t: f64,
    /// Rate at which the gap closes: m/s, or rad/s for a limit of an angle.
    pub speed: f64,
}

/// A guard that came near zero and turned back.
#[derive(Clone, Debug, PartialEq)]
pub struct NearMiss {
    /// Contact, force or scene event.
    pub name: String,
    /// What did not happen: `impact`, `release` or `switch`.
    pub kind: &'static str,
    /// Time of the smallest distance.
    pub t: f64,
    /// Smallest distance from zero: gap (m, rad), force (N), stretch (m) or value of the expression.
    pub clearance: f64,
}

/// Two events in a row that belong to different elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// Name of the earlier one.
    pub first: String,
    /// Name of the later one, or the end of the run.
    pub second: String,
    /// Time of the earlier one.
    pub t: f64,
    /// Time between them.
    pub seconds: f64,
}

/// Distances of a motion from the nearest motions without a gradient.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Margins {
    /// Slowest approach to a contact; none without impacts.
    pub grazing: Option<Approach>,
    /// Nearest miss of each guard that came near zero, nearest first.
    pub near_misses: Vec<NearMiss>,
    /// The shortest time in which events could change their order; none without events.
    pub closest_events: Option<Interval>,
}

impl Experiment {
    /// Simulates and measures the margins.
    ///
    /// # Errors
    /// Whatever ends the simulation.
    pub fn margins(&self) -> Result<Margins> {
        let mechanism = &self.mechanism;
        let mut workspace = mechanism.workspace();
        let started = mechanism.start(self.start, &mut workspace)?;
        let mut lookout = Lookout::new(mechanism);
        let start = (self.start, started.mode, started.x);
        let finish = simulate(mechanism, start, &self.options, &mut workspace, &mut lookout)?;
        lookout.follow(END, finish.t);
        let mut margins = lookout.margins;
        margins.near_misses = lookout.misses.into_iter().flatten().collect();
        margins.near_misses.sort_by(|a, b| a.clearance.total_cmp(&b.clearance));
        Ok(margins)
    }
}

/// Watches the rates of all guards: where one turns from falling to rising, the guard was nearest to zero.
struct Lookout<'a> {
    mechanism: &'a Mechanism,
    workspace: Workspace,
    still: Vec<f64>,
    x: Vec<f64>,
    flow: Vec<f64>,
    /// Rate towards (negative) or away from zero at the last time looked at; not a number while a guard sleeps.
    rates: Vec<f64>,
    misses: Vec<Option<NearMiss>>,
    /// Name and time of the last event.
    last: Option<(String, f64)>,
    margins: Margins,
}

impl<'a> Lookout<'a> {
    fn new(mechanism: &'a Mechanism) -> Self {
        Self {
            mechanism,
            workspace: mechanism.workspace(),
            still: vec![0.0; mechanism.numbers()],
            x: vec![0.0; mechanism.dimension()],
            flow: vec![0.0; mechanism.dimension()],
            rates: vec![f64::NAN; mechanism.guards()],
            misses: vec![None; mechanism.guards()],
            last: None,
            margins: Margins::default(),
        }
    }

    /// Distance of an awake guard from zero on the side where it fires later; not a number where it has none.
    fn distance(&mut self, guard: usize, t: f64, mode: &Mode, x: &[f64]) -> f64 {
        let value = self.mechanism.guard(guard, At::new(t, mode, x), &mut self.workspace);
        match (value, self.mechanism.crossing(guard, mode)) {
            (Ok(value), Some(Crossing::Falling | Crossing::Unilateral)) => value,
            (Ok(value), Some(Crossing::Rising)) => -value,
            (Ok(value), Some(Crossing::Either)) => value.abs(),
            _ => f64::NAN,
        }
    }

    /// Rate of the guard's value along the motion; not a number where it has none.
    fn slope(&mut self, guard: usize, t: f64, mode: &Mode, x: &[f64]) -> f64 {
        let (mechanism, workspace) = (self.mechanism, &mut self.workspace);
        let flow = mechanism.flow(At::new(t, mode, x), workspace, &mut self.flow);
        let along = Tangent {
            t: 1.0,
            x: &self.flow,
            numbers: &self.still,
        };
        flow.and_then(|()| mechanism.guard_jvp(guard, At::new(t, mode, x), &along, workspace))
            .unwrap_or(f64::NAN)
    }

    /// Rate of the distance of a guard from zero. Where it cannot be evaluated it has no margin.
    fn rate(&mut self, guard: usize, t: f64, mode: &Mode, x: &[f64]) -> f64 {
        if !can_be_missed(self.mechanism, guard) {
            return f64::NAN;
        }
        let Some(crossing) = self.mechanism.crossing(guard, mode) else {
            return f64::NAN;
        };
        let slope = self.slope(guard, t, mode, x);
        match crossing {
            Crossing::Falling | Crossing::Unilateral => slope,
            Crossing::Rising => -slope,
            Crossing::Either => {
                let value = self.mechanism.guard(guard, At::new(t, mode, x), &mut self.workspace);
                value.map_or(f64::NAN, |value| slope * value.signum())
            }
        }
    }

    fn rates(&mut self, t: f64, mode: &Mode, x: &[f64]) -> Vec<f64> {
        (0..self.rates.len())
            .map(|guard| self.rate(guard, t, mode, x))
            .collect()
    }

    fn miss(&mut self, guard: usize, t: f64, mode: &Mode, x: &[f64]) {
        let clearance = self.distance(guard, t, mode, x);
        let nearest = self.misses[guard].as_ref().map_or(f64::INFINITY, |miss| miss.clearance);
        if clearance > 0.0 && clearance < nearest {
            let (name, kind) = described(self.mechanism, guard);
            self.misses[guard] = Some(NearMiss {
                name,
                kind,
                t,
                clearance,
            });
        }
    }

    /// Looks for a turn of each guard within a piece of a step.
    fn look(&mut self, (from, to): (f64, f64), mode: &Mode, dense: &DenseOutput) {
        let mut x = std::mem::take(&mut self.x);
        dense.evaluate(to, &mut x);
        let rates = self.rates(to, mode, &x);
        for (guard, &rate) in rates.iter().enumerate() {
            let before = self.rates[guard];
            if before < 0.0 && rate >= 0.0 {
                let turn = bracketed_root((from, before), (to, rate), |t| {
                    dense.evaluate(t, &mut x);
                    Ok(self.rate(guard, t, mode, &x))
                });
                // A guard that cannot be evaluated in between has no margin there.
                if let Ok(turn) = turn {
                    dense.evaluate(turn.t, &mut x);
                    self.miss(guard, turn.t, mode, &x);
                }
            }
        }
        self.rates = rates;
        self.x = x;
    }

    /// Notes an event, and the time since the last one when that was another element's.
    fn follow(&mut self, name: &str, t: f64) {
        if let Some((first, earlier)) = self.last.take().filter(|(first, _)| first != name) {
            let seconds = t - earlier;
            let closest = self.margins.closest_events.as_ref();
            if closest.is_none_or(|closest| seconds < closest.seconds) {
                self.margins.closest_events = Some(Interval {
                    first,
                    second: name.to_string(),
                    t: earlier,
                    seconds,
                });
            }
        }
        self.last = Some((name.to_string(), t));
    }

    fn approach(&mut self, guard: usize, jump: &JumpView<Mode>) {
        let Watch::Gap(contact) = self.mechanism.watch(guard) else {
            return;
        };
        // A ratchet without teeth holds where its speed is zero.
        if self.mechanism.model.slips_along(contact, jump.mode_before) {
            return;
        }
        let speed = self.slope(guard, jump.t, jump.mode_before, jump.before).abs();
        if self.margins.grazing.as_ref().is_none_or(|least| speed < least.speed) {
            self.margins.grazing = Some(Approach {
                name: self.mechanism.model.contacts[contact].name.clone(),
                t: jump.t,
                speed,
            });
        }
    }
}

impl Observer<Mode> for Lookout<'_> {
    fn wants_dense(&self) -> bool {
        true
    }

    fn start(&mut self, t: f64, mode: &Mode, x: &[f64]) -> Result<()> {
        self.rates = self.rates(t, mode, x);
        Ok(())
    }

    fn step(&mut self, step: &StepView<Mode>) -> Result<()> {
        let Some(dense) = step.dense else { return Ok(()) };
        let at = |node: f64| step.start + node * (step.end - step.start);
        for pair in NODES.windows(2) {
            self.look((at(pair[0]), at(pair[1])), step.mode, dense);
        }
        Ok(())
    }

    fn jump(&mut self, jump: &JumpView<Mode>) -> Result<()> {
        for &guard in jump.fired {
            self.approach(guard, jump);
        }
        let rates = self.rates(jump.t, jump.mode_after, jump.after);
        for (guard, &rate) in rates.iter().enumerate() {
            // A guard that another event turns back is nearest at the event.
            if self.rates[guard] < 0.0 && rate >= 0.0 && !jump.fired.contains(&guard) {
                self.miss(guard, jump.t, jump.mode_after, jump.after);
            }
        }
        self.rates = rates;
        if let Some(happening) = jump.happenings.first() {
            self.follow(&happening.name, jump.t);
        }
        Ok(())
    }
}

/// Whether a guard can come near zero and turn back.
fn can_be_missed(mechanism: &Mechanism, guard: usize) -> bool {
    match mechanism.watch(guard) {
        Watch::Gap(_) | Watch::Tooth(_) | Watch::Release(_) | Watch::Spring(_) | Watch::Reversal(_) => true,
        Watch::Event(event) => !matches!(mechanism.model.events[event].trigger, Trigger::At(_)),
        Watch::Dependent => false,
    }
}

/// Name of what a guard watches, and what it leads to.
fn described(mechanism: &Mechanism, guard: usize) -> (String, &'static str) {
    let model = &mechanism.model;
    match mechanism.watch(guard) {
        Watch::Gap(i) => (model.contacts[i].name.clone(), "impact"),
        Watch::Tooth(i) => (model.contacts[i].name.clone(), "tooth"),
        Watch::Release(i) => (model.contacts[i].name.clone(), "release"),
        Watch::Spring(i) => (model.forces[i].name.clone(), "switch"),
        Watch::Reversal(i) => (model.forces[i].name.clone(), "reversal"),
        Watch::Event(i) => (model.events[i].name.clone(), "switch"),
        Watch::Dependent => ("redundant joints".to_string(), "switch"),
    }
}
