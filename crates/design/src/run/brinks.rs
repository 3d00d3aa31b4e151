//! Places of a motion at which nearby motions may have other events: where guards come nearest to zero without firing, and
//! where those that fire touch zero instead.

use super::probe::{Probe, RunMode, after, before};
use crate::error::Result;
use crate::hybrid::{At, Crossing, HybridSystem, JumpView, Observer, StepView};
use crate::integrate::{DenseOutput, bracketed_root};
use crate::mechanism::{Mechanism, Watch};
use crate::model::{Mode, Trigger};

/// Fractions of a step at which rates of guards are compared.
const NODES: [f64; 6] = [0.0, 0.15, 0.4, 0.6, 0.85, 1.0];

/// Part of its size by which a value on the other side of an event may differ by rounding.
const SAME: f64 = 1e-9;

/// Where a place lies in its phase, and so what it moves with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// At the event before the phase.
    Start,
    /// Between events.
    Within,
    /// At the event after the phase.
    End,
}

/// A place at which nearby motions may have another sequence of events.
#[derive(Clone, Debug)]
pub(super) struct Brink {
    /// The guard.
    pub guard: usize,
    /// Number of the phase, 0 up to the first event.
    pub phase: usize,
    pub place: Place,
    /// Time, s.
    pub t: f64,
    /// Of a guard that does not fire, its value, least in size about here; of one that fires, its rate there.
    pub value: f64,
    /// Whether the guard fires.
    pub fires: bool,
    /// Whether the motion turns the guard back here, within a phase or by an event of another.
    pub turns: bool,
}

/// The side of zero on which a guard is, and its rate towards zero (negative) or away from it; not numbers where it has none.
type Heading = (f64, f64);

/// Watches the rates of all guards of a motion, plain or with sensitivities.
pub(super) struct Brinks<'a> {
    pub probe: Probe<'a>,
    x: Vec<f64>,
    phase: usize,
    /// Of each guard at the last time looked at.
    headings: Vec<Heading>,
    pub found: Vec<Brink>,
}

impl<'a> Brinks<'a> {
    pub fn new(mechanism: &'a Mechanism) -> Self {
        Self {
            probe: Probe::new(mechanism, &[]),
            x: Vec::new(),
            phase: 0,
            headings: vec![(f64::NAN, f64::NAN); mechanism.guards()],
            found: Vec::new(),
        }
    }

    /// Looks at the end of the motion.
    pub fn end(&mut self, at: At<Mode>) {
        for guard in 0..self.headings.len() {
            if self.headings[guard].1 < 0.0 {
                self.note((guard, Place::End, false), at);
            }
        }
    }

    /// Value of a guard; not a number where it has none.
    fn value(&mut self, guard: usize, at: At<Mode>) -> f64 {
        self.probe.guard_value(guard, at).unwrap_or(f64::NAN)
    }

    /// Where all guards head. Those that sleep, cannot be evaluated or not be missed head nowhere.
    fn headings(&mut self, at: At<Mode>) -> Vec<Heading> {
        let moves = self.probe.flow(at).is_ok();
        let guards = 0..self.headings.len();
        guards
            .map(|guard| match self.side(guard, at) {
                side if moves && !side.is_nan() => {
                    let rate = self.probe.guard_rate_by_flow(guard, at);
                    (side, side * rate.unwrap_or(f64::NAN))
                }
                side => (side, f64::NAN),
            })
            .collect()
    }

    /// The side of zero on which a guard is, as far as it may leave that; not a number where it has none.
    fn side(&mut self, guard: usize, at: At<Mode>) -> f64 {
        let mechanism = self.probe.mechanism;
        match mechanism.crossing(guard, at.mode) {
            Some(_) if can_be_missed(mechanism, guard).is_none() => f64::NAN,
            Some(Crossing::Unilateral) => 1.0,
            Some(_) => self.value(guard, at).signum(),
            None => f64::NAN,
        }
    }

    /// Notes a place unless the guard is at zero there, or beyond, or where it could cross zero only the way it does not fire.
    fn note(&mut self, (guard, place, turns): (usize, Place, bool), at: At<Mode>) {
        let value = self.value(guard, at);
        let Probe {
            mechanism, workspace, ..
        } = &mut self.probe;
        let is_beyond = match (mechanism.crossing(guard, at.mode), place) {
            (Some(Crossing::Unilateral), _) | (Some(Crossing::Falling), Place::End) => value < 0.0,
            (Some(Crossing::Rising), Place::Start) => value < 0.0,
            (Some(Crossing::Falling), Place::Start) | (Some(Crossing::Rising), Place::End) => value > 0.0,
            _ => false,
        };
        // Contacts that others carry touch all the time.
        let at = At::new(at.t, at.mode, &at.x[..mechanism.dimension()]);
        if !is_beyond && value.abs() > mechanism.rounding(guard, 0.0, at, workspace) {
            self.found.push(Brink {
                guard,
                phase: self.phase,
                place,
                t: at.t,
                value,
                fires: false,
                turns,
            });
        }
    }

    /// Looks for a turn of each guard within a piece of a step.
    fn look(&mut self, (from, to): (f64, f64), mode: &Mode, dense: &DenseOutput) {
        let mut x = std::mem::take(&mut self.x);
        dense.evaluate(to, &mut x);
        let headings = self.headings(At::new(to, mode, &x));
        for (guard, &(side, rate)) in headings.iter().enumerate() {
            let (side_before, before) = self.headings[guard];
            if side == side_before && before < 0.0 && rate >= 0.0 {
                let turn = bracketed_root((from, before), (to, rate), |t| {
                    dense.evaluate(t, &mut x);
                    Ok(side * self.probe.guard_rate(guard, At::new(t, mode, &x))?)
                });
                // A guard that cannot be evaluated in between has no margin there.
                if let Ok(turn) = turn {
                    dense.evaluate(turn.t, &mut x);
                    self.note((guard, Place::Within, true), At::new(turn.t, mode, &x));
                }
            }
        }
        self.headings = headings;
        self.x = x;
    }
}

impl Brinks<'_> {
    /// Looks at a guard at a jump that it does not cause.
    fn pass<M: RunMode>(
        &mut self,
        guard: usize,
        ((side, earlier), (side_after, later)): (Heading, Heading),
        jump: &JumpView<M>,
    ) {
        let (falls, rises) = (earlier < 0.0, later >= 0.0);
        let [from, to] = [before(jump), after(jump)];
        // What goes on past the event is nearest to zero elsewhere.
        let (was, is) = (self.value(guard, from).abs(), self.value(guard, to).abs());
        let slack = SAME * was.max(is);
        if falls && !(later < 0.0 && is <= was + slack) {
            self.note((guard, Place::End, false), from);
        }
        let mechanism = self.probe.mechanism;
        let begins = matches!(mechanism.watch(guard), Watch::Gap(_) | Watch::Grip(_))
            && can_be_missed(mechanism, guard)
                .is_some_and(|(name, _)| jump.happenings.iter().any(|found| found.name == name));
        // What an event lets go of is at zero there by nature.
        if rises && !begins && !(earlier >= 0.0 && was <= is + slack) {
            self.phase += 1;
            self.note((guard, Place::Start, falls && side == side_after), to);
            self.phase -= 1;
        }
    }

    fn strike(&mut self, guard: usize, at: At<Mode>) {
        let rate = self.probe.guard_rate(guard, at).unwrap_or(f64::NAN);
        if can_be_missed(self.probe.mechanism, guard).is_some() && rate.abs() > 0.0 {
            self.found.push(Brink {
                guard,
                phase: self.phase,
                place: Place::End,
                t: at.t,
                value: rate,
                fires: true,
                turns: false,
            });
        }
    }
}

impl<M: RunMode> Observer<M> for Brinks<'_> {
    fn wants_dense(&self) -> bool {
        true
    }

    fn start(&mut self, t: f64, mode: &M, x: &[f64]) -> Result<()> {
        self.x = x.to_vec();
        let at = At::new(t, mode.mode(), x);
        self.headings = self.headings(at);
        for guard in 0..self.headings.len() {
            if self.headings[guard].1 >= 0.0 {
                self.note((guard, Place::Start, false), at);
            }
        }
        Ok(())
    }

    fn step(&mut self, step: &StepView<M>) -> Result<()> {
        let Some(dense) = step.dense else { return Ok(()) };
        let at = |node: f64| step.start + node * (step.end - step.start);
        for pair in NODES.windows(2) {
            self.look((at(pair[0]), at(pair[1])), step.mode.mode(), dense);
        }
        Ok(())
    }

    fn jump(&mut self, jump: &JumpView<M>) -> Result<()> {
        let headings = self.headings(after(jump));
        let earlier = std::mem::replace(&mut self.headings, headings);
        // Events of one instant are not missed at each other.
        let fires = |brink: &Brink| brink.t == jump.t && !brink.fires && jump.fired.contains(&brink.guard);
        self.found.retain(|brink| !fires(brink));
        for (guard, earlier) in earlier.into_iter().enumerate() {
            match jump.fired.contains(&guard) {
                true if !jump.follows => self.strike(guard, before(jump)),
                true => {}
                false => self.pass(guard, (earlier, self.headings[guard]), jump),
            }
        }
        self.phase += 1;
        Ok(())
    }
}

/// What a guard watches, if it can come near zero and turn back, and what did not happen then.
pub(super) fn can_be_missed(mechanism: &Mechanism, guard: usize) -> Option<(&str, &'static str)> {
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
