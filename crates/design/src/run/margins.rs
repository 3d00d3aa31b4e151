//! How far a motion keeps from the places where its gradient ends: grazed contacts, missed ones, events that change order.

use serde::Serialize;

use super::brinks::{Brink, Brinks, can_be_missed};
use super::experiment::Experiment;
use super::probe::{Probe, before};
use crate::error::Result;
use crate::hybrid::{HybridSystem, JumpView, Observer};
use crate::mechanism::{Mechanism, Watch};
use crate::model::Mode;

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
        let mut brinks = Brinks::new(&self.mechanism);
        let mut lookout = Lookout::new(&self.mechanism);
        let finish = self.observe(&mut (&mut brinks, &mut lookout))?;
        lookout.follow(END, finish.t);
        let mut margins = lookout.margins;
        margins.near_misses = near_misses(&self.mechanism, &brinks.found);
        Ok(margins)
    }
}

/// The nearest miss of each guard, nearest first.
fn near_misses(mechanism: &Mechanism, brinks: &[Brink]) -> Vec<NearMiss> {
    let mut nearest: Vec<Option<&Brink>> = vec![None; mechanism.guards()];
    for brink in brinks.iter().filter(|brink| brink.turns) {
        let known = &mut nearest[brink.guard];
        if known.is_none_or(|known| brink.value.abs() < known.value.abs()) {
            *known = Some(brink);
        }
    }
    let found = nearest.into_iter().flatten().filter_map(|brink| {
        let (name, kind) = can_be_missed(mechanism, brink.guard)?;
        Some(NearMiss {
            name: name.to_string(),
            kind,
            t: brink.t,
            clearance: brink.value.abs(),
        })
    });
    let mut found: Vec<NearMiss> = found.collect();
    found.sort_by(|a, b| a.clearance.total_cmp(&b.clearance));
    found
}

/// Watches approaches and the order of events.
struct Lookout<'a> {
    probe: Probe<'a>,
    /// Name and time of the last event.
    last: Option<(String, f64)>,
    margins: Margins,
}

impl<'a> Lookout<'a> {
    fn new(mechanism: &'a Mechanism) -> Self {
        Self {
            probe: Probe::new(mechanism, &[]),
            last: None,
            margins: Margins::default(),
        }
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
    fn jump(&mut self, jump: &JumpView<Mode>) -> Result<()> {
        for &guard in jump.fired {
            self.approach(guard, jump);
        }
        if let Some(happening) = jump.happenings.first() {
            self.follow(&happening.name, jump.t);
        }
        Ok(())
    }
}
