//! How far a motion keeps from the places where its gradient ends: grazed contacts, missed ones, events that change order.

use serde::Serialize;

use super::experiment::Experiment;
use super::probe::{Probe, after, before};
use crate::error::Result;
use crate::hybrid::{At, Crossing, HybridSystem, JumpView, Observer, StepView};
use crate::integrate::{DenseOutput, bracketed_root};
use crate::mechanism::{Mechanism, Watch};
use crate::model::{Mode, Trigger};

/// Fractions of a step at which rates of guards are compared.
const NODES: [f64; 6] = [0.0, 0.15, 0.4, 0.6, 0.85, 1.0];

/// Name of the end of a run among events.
const END: &str = "the end of the run";

/// The slowest approach to a contact that was struck.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Approach {
    /// Contact.
    pub name: String,
    /// Time.
    pub t: f64,
    /// Rate at which the gap closes: m/s, or rad/s for a limit of an angle.
    pub speed: f64,
}

/// A guard that came near zero and turned back.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
        let mut lookout = Lookout::new(mechanism);
        let finish = self.observe(&mut lookout)?;
        lookout.follow(END, finish.t);
        let mut margins = lookout.margins;
        margins.near_misses = lookout.misses.into_iter().flatten().collect();
        margins.near_misses.sort_by(|a, b| a.clearance.total_cmp(&b.clearance));
        Ok(margins)
    }
}

/// Watches the rates of all guards: where one turns from falling to rising, the guard was nearest to zero.
struct Lookout<'a> {
    probe: Probe<'a>,
    x: Vec<f64>,
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
            probe: Probe::new(mechanism, &[]),
            x: vec![0.0; mechanism.dimension()],
            rates: vec![f64::NAN; mechanism.guards()],
            misses: vec![None; mechanism.guards()],
            last: None,
            margins: Margins::default(),
        }
    }

    /// Value of a guard; not a number where it has none.
    fn value(&mut self, guard: usize, at: At<Mode>) -> f64 {
        let Probe {
            mechanism, workspace, ..
        } = &mut self.probe;
        let value = mechanism.guard(guard, at, workspace);
        value.unwrap_or(f64::NAN)
    }

    /// Sign of a guard's value on the side of zero where it fires later; not a number while it sleeps.
    fn side(&mut self, guard: usize, at: At<Mode>) -> f64 {
        match self.probe.mechanism.crossing(guard, at.mode) {
            Some(Crossing::Falling | Crossing::Unilateral) => 1.0,
            Some(Crossing::Rising) => -1.0,
            Some(Crossing::Either) => self.value(guard, at).signum(),
            None => f64::NAN,
        }
    }

    /// Rate of the distance of a guard from zero. Where it cannot be evaluated, or not be missed, it has no margin.
    fn rate(&mut self, guard: usize, at: At<Mode>) -> f64 {
        if can_be_missed(self.probe.mechanism, guard).is_none() {
            return f64::NAN;
        }
        match self.side(guard, at) {
            side if side.is_nan() => side,
            side => side * self.probe.guard_rate(guard, at).unwrap_or(f64::NAN),
        }
    }

    fn rates(&mut self, at: At<Mode>) -> Vec<f64> {
        (0..self.rates.len()).map(|guard| self.rate(guard, at)).collect()
    }

    fn miss(&mut self, guard: usize, at: At<Mode>) {
        let clearance = self.side(guard, at) * self.value(guard, at);
        let Probe {
            mechanism, workspace, ..
        } = &mut self.probe;
        // Contacts that others carry touch all the time.
        let rounding = mechanism.rounding(guard, 0.0, at, workspace);
        let nearest = self.misses[guard].as_ref().map_or(f64::INFINITY, |miss| miss.clearance);
        if let Some((name, kind)) = can_be_missed(self.probe.mechanism, guard)
            && clearance > rounding
            && clearance < nearest
        {
            self.misses[guard] = Some(NearMiss {
                name: name.to_string(),
                kind,
                t: at.t,
                clearance,
            });
        }
    }

    /// Looks for a turn of each guard within a piece of a step.
    fn look(&mut self, (from, to): (f64, f64), mode: &Mode, dense: &DenseOutput) {
        let mut x = std::mem::take(&mut self.x);
        dense.evaluate(to, &mut x);
        let rates = self.rates(At::new(to, mode, &x));
        for (guard, &rate) in rates.iter().enumerate() {
            let before = self.rates[guard];
            if before < 0.0 && rate >= 0.0 {
                let turn = bracketed_root((from, before), (to, rate), |t| {
                    dense.evaluate(t, &mut x);
                    Ok(self.rate(guard, At::new(t, mode, &x)))
                });
                // A guard that cannot be evaluated in between has no margin there.
                if let Ok(turn) = turn {
                    dense.evaluate(turn.t, &mut x);
                    self.miss(guard, At::new(turn.t, mode, &x));
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
        let mechanism = self.probe.mechanism;
        let Watch::Gap(contact) = mechanism.watch(guard) else {
            return;
        };
        // A ratchet without teeth holds where its speed is zero.
        if mechanism.model.slips_along(contact, jump.mode_before) {
            return;
        }
        let rate = self.probe.guard_rate(guard, before(jump));
        let speed = rate.unwrap_or(f64::NAN).abs();
        if self.margins.grazing.as_ref().is_none_or(|least| speed < least.speed) {
            self.margins.grazing = Some(Approach {
                name: mechanism.model.contacts[contact].name.clone(),
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
        self.rates = self.rates(At::new(t, mode, x));
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
        let rates = self.rates(after(jump));
        for (guard, &rate) in rates.iter().enumerate() {
            // A guard that another event turns back is nearest at the event.
            if self.rates[guard] < 0.0 && rate >= 0.0 && !jump.fired.contains(&guard) {
                self.miss(guard, after(jump));
            }
        }
        self.rates = rates;
        if let Some(happening) = jump.happenings.first() {
            self.follow(&happening.name, jump.t);
        }
        Ok(())
    }
}

/// What a guard watches, if it can come near zero and turn back, and what did not happen then.
fn can_be_missed(mechanism: &Mechanism, guard: usize) -> Option<(&str, &'static str)> {
    let model = &mechanism.model;
    match mechanism.watch(guard) {
        Watch::Gap(i) => Some((&model.contacts[i].name, "impact")),
        Watch::Tooth(i) => Some((&model.contacts[i].name, "tooth")),
        Watch::Release(i) => Some((&model.contacts[i].name, "release")),
        Watch::Grip(i) => Some((model.rubbed_name(i), "slip")),
        Watch::Side(i, _) => Some((model.rubbed_name(i), "side")),
        Watch::Spring(i) => Some((&model.forces[i].name, "switch")),
        Watch::Reversal(i) => Some((&model.forces[i].name, "reversal")),
        Watch::Event(i) => match model.events[i].trigger {
            Trigger::At(_) => None,
            Trigger::Crossing { .. } => Some((&model.events[i].name, "switch")),
        },
        Watch::Begun(_)
        | Watch::Ending(_)
        | Watch::Facing(_)
        | Watch::Margin(_)
        | Watch::Kink(_)
        | Watch::Dependent => None,
    }
}
