//! What the guards of a mechanism watch: their order, when each fires, its value and the rounding of that. What it asks for when it
//! has fired stands in `jump.rs`.

use super::guards::{GuardValue, ROUNDING};
use super::{Mechanism, Workspace};
use crate::assembly::Verge;
use crate::hybrid::{At, Crossing};
use crate::model::quantity::{Hysteresis, Latching, Motion, Quantity, Rubbing};
use crate::model::{
    ContactState, CoordinateKind, Event, Grip, Hold, Leader, Mode, Model, Sizes, Slide, Switch, Trigger,
};
use crate::scalar::Scalar;

/// Slip speed at which feet on one face come to their end together, over that at which one does alone.
const TOGETHER: f64 = 2.0;

/// Rates that the joints keep at zero, within a step, over the tolerance of velocities.
pub(super) const WITHIN_STEP: f64 = 10.0;

/// Change of what is on a verge, over its rounding and over the size of such a quantity, that may be that of derivatives.
const LEAVES: f64 = 1e3;
const SAME: f64 = 1e-9;

/// What a guard watches; indices into the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Gap of an open contact.
    Gap(usize),
    /// Normal force of a lasting contact.
    Release(usize),
    /// Whether a closed contact or a joint with friction goes on to stick, or to slip.
    Grip(usize),
    /// On which side a joint with friction is pressed, at an end.
    Side(usize, usize),
    /// Whether a contact in space slips fast enough for its direction to be that of its velocity: where it begins to, and where it ends.
    Begun(usize),
    /// Whether a contact in space slips so slowly that its direction is held.
    Ending(usize),
    /// Engagement of a one-sided spring.
    Spring(usize),
    /// Direction of the elongation of a hysteretic spring.
    Reversal(usize),
    /// Next tooth of a ratchet.
    Tooth(usize),
    /// Borders of the part of a surface that a contact is with.
    Facing(usize),
    /// Whether the row of a constraint still has a meaning.
    Margin(usize),
    /// A scene event.
    Event(usize),
    /// Side of a kink in an expression.
    Kink(usize),
    /// Residual of the rows that are not among the independent ones.
    Dependent,
}

/// The guards of a model, by their indices.
#[derive(Clone, Debug)]
pub(super) struct Guards {
    watches: Vec<Watch>,
    /// The first of those that watch contact forces, events and kinks.
    release: usize,
    event: usize,
    kink: usize,
}

impl Guards {
    /// Those of a model. The ones of contact forces, events and kinks lie side by side.
    pub fn of(model: &Model) -> Self {
        let watches = watches(model);
        let first = |of: Watch| watches.iter().position(|&watch| watch == of).unwrap_or_default();
        Self {
            release: first(Watch::Release(0)),
            event: first(Watch::Event(0)),
            kink: first(Watch::Kink(0)),
            watches,
        }
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.watches.len()
    }

    /// Those that watch neither a gap nor a contact force.
    pub fn beside_contacts(&self) -> impl Iterator<Item = usize> + '_ {
        let of_contact = |watch: &Watch| matches!(watch, Watch::Gap(_) | Watch::Release(_));
        let all = self.watches.iter().enumerate();
        all.filter(move |(_, watch)| !of_contact(watch)).map(|(guard, _)| guard)
    }
}

/// What the guards of a model watch; a last one watches the rows left out. Those of gaps come first.
fn watches(model: &Model) -> Vec<Watch> {
    let contacts = || 0..model.contacts.len();
    let frictions = || 0..model.frictions.len();
    let has_teeth = |&i: &usize| model.ratchet(i).is_some_and(|ratchet| ratchet.teeth.is_some());
    let has_margin = |&i: &usize| model.constraints[i].kind.has_margin();
    let sides = |i: usize| (0..model.frictions[i].ends()).map(move |k| Watch::Side(i, k));
    let in_space = || frictions().filter(|_| model.dimension > 2);
    let of_force = |force| match model.hysteretic(force) {
        Some(_) => Watch::Reversal(force),
        None => Watch::Spring(force),
    };
    (contacts().map(Watch::Gap))
        .chain(contacts().map(Watch::Release))
        .chain(contacts().filter(has_teeth).map(Watch::Tooth))
        .chain(
            contacts()
                .filter(|&i| model.contacts[i].face.is_some())
                .map(Watch::Facing),
        )
        .chain((0..model.constraints.len()).filter(has_margin).map(Watch::Margin))
        .chain(frictions().map(Watch::Grip))
        .chain(frictions().flat_map(sides))
        .chain(in_space().map(Watch::Begun))
        .chain(in_space().map(Watch::Ending))
        .chain((0..model.forces.len()).map(of_force))
        .chain((0..model.events.len()).map(Watch::Event))
        .chain((0..model.kinks.len()).map(Watch::Kink))
        .chain([Watch::Dependent])
        .collect()
}

/// Whether all that an event does is to switch joints on which hold already: what they hold is rounding to its condition.
pub(super) fn only_holds(event: &Event, mode: &Mode) -> bool {
    let holds = |&(switch, on): &(Switch, bool)| matches!(switch, Switch::Group(i) if on && mode.groups[i]);
    !event.actions.is_empty() && event.assignments.is_empty() && event.actions.iter().all(holds)
}

/// Whether the motion slides along a guard that leads.
fn leads(leader: Leader, mode: &Mode) -> bool {
    mode.slides.iter().any(|slide| slide.leader == leader)
}

impl Mechanism {
    /// What the guard of an index watches.
    pub fn watch(&self, guard: usize) -> Watch {
        self.guards.watches[guard]
    }

    /// The guard that watches the gap of a contact.
    pub fn gap_guard(&self, contact: usize) -> usize {
        contact
    }

    /// The guard that watches the force of a contact.
    pub(super) fn release_guard(&self, contact: usize) -> usize {
        self.guards.release + contact
    }

    /// The guard that watches the side of a kink.
    pub(super) fn kink_guard(&self, kink: usize) -> usize {
        self.guards.kink + kink
    }

    /// The guard that watches for the end of a slide.
    pub(super) fn slide_guard(&self, slide: &Slide) -> usize {
        match slide.leader {
            Leader::Kink(i) => self.kink_guard(i),
            Leader::Event(i) => self.guards.event + i,
        }
    }

    /// The slide whose end a guard watches for.
    pub(super) fn slide_of<'a>(&self, guard: usize, mode: &'a Mode) -> Option<&'a Slide> {
        mode.slides.iter().find(|slide| self.slide_guard(slide) == guard)
    }

    /// When a guard fires in a mode, if it watches at all.
    pub(super) fn crossing_of(&self, guard: usize, mode: &Mode) -> Option<Crossing> {
        let watch = self.watch(guard);
        let crossing = || match watch {
            Watch::Event(i) if self.slide_of(guard, mode).is_none() => match self.model.events[i].trigger {
                Trigger::At(_) | Trigger::Crossing { direction: 1, .. } => Crossing::Rising,
                Trigger::Crossing { direction: -1, .. } => Crossing::Falling,
                Trigger::Crossing { .. } => Crossing::Either,
            },
            _ => Crossing::Unilateral,
        };
        self.is_awake(watch, mode).then(crossing)
    }

    fn is_awake(&self, watch: Watch, mode: &Mode) -> bool {
        match watch {
            // Under a penalty a carried contact gives way as much as those that carry it.
            Watch::Gap(i) => match mode.contacts[i] {
                ContactState::Carried => self.needs_independent_rows(),
                state => state == ContactState::Open && !mode.blocked.contains(&i),
            },
            Watch::Release(i) => match mode.contacts[i] {
                ContactState::Sliding | ContactState::Stuck => true,
                ContactState::Carried => mode.footing_of(i).is_some(),
                _ => false,
            },
            Watch::Side(i, k) => {
                let mut grips = mode.grips.iter();
                grips.any(|grip| grip.friction == i && grip.hold.slips() && grip.sides[k] != 0)
            }
            Watch::Grip(i) | Watch::Begun(i) | Watch::Ending(i) => {
                let changes = !self.model.frictions[i].is_smooth();
                changes
                    && mode
                        .grips
                        .iter()
                        .any(|grip| grip.friction == i && self.may_turn(watch, grip, mode))
            }
            Watch::Spring(i) => mode.forces[i] && self.is_one_sided(i),
            Watch::Reversal(i) => mode.forces[i],
            Watch::Tooth(i) => matches!(mode.contacts[i], ContactState::Open | ContactState::Carried),
            Watch::Facing(i) => self.watches_borders(i, mode),
            Watch::Margin(i) => self.watches_margin(i, mode),
            Watch::Event(i) if mode.slides.iter().any(|slide| slide.has_event(i)) => leads(Leader::Event(i), mode),
            Watch::Event(i) => {
                let event = &self.model.events[i];
                let over = mode.fired[i] && (event.once || matches!(event.trigger, Trigger::At(_)));
                !over && !only_holds(event, mode)
            }
            Watch::Kink(i) if mode.slides.iter().any(|slide| slide.has_kink(i)) => leads(Leader::Kink(i), mode),
            Watch::Kink(_) => true,
            Watch::Dependent => mode.independent.len() < mode.rows && self.needs_independent_rows(),
        }
    }

    /// Whether a guard of friction watches a grip, where its law changes between stick and slip.
    fn may_turn(&self, watch: Watch, grip: &Grip, mode: &Mode) -> bool {
        match (watch, grip.hold) {
            (Watch::Grip(_), hold) => grip.leads() && hold != Hold::Spare,
            (Watch::Begun(_), Hold::SlipBegins | Hold::SlipEnds) => grip.leads(),
            (Watch::Begun(_), Hold::SlipAlong) => grip.leads() && self.model.is_foot(grip, mode),
            (Watch::Ending(_), hold) => hold == Hold::SlipAlong,
            _ => false,
        }
    }

    /// What the value of a guard is.
    pub(super) fn guard_value<'a>(&'a self, guard: usize, mode: &'a Mode) -> GuardValue<'a> {
        let of = |quantity| GuardValue::Quantity(quantity, None);
        if let Some(slide) = self.slide_of(guard, mode) {
            return GuardValue::Slide(slide);
        }
        match self.watch(guard) {
            Watch::Gap(i) if self.model.slips_along(i, mode) => of(Quantity::Ratchet(i, Latching::Advance)),
            Watch::Gap(i) => of(Quantity::Gap(i)),
            Watch::Release(i) => {
                let sticks = mode.contacts[i] == ContactState::Stuck;
                let pull_off = self.model.contacts[i].law.pull_off().filter(|_| sticks);
                let idle = mode.footing_of(i).is_some_and(|footing| !footing.presses(i));
                let force = if idle { Quantity::Relief } else { Quantity::ContactForce };
                GuardValue::Quantity(force(i), pull_off)
            }
            Watch::Grip(i) => of(Quantity::Friction(
                i,
                match mode.grip(i).map(|grip| grip.hold) {
                    Some(Hold::Stick) => Rubbing::Cone,
                    Some(Hold::SlipEnds) => Rubbing::OnwardHeld,
                    Some(Hold::SlipBegins) => Rubbing::OnwardByForce,
                    _ => Rubbing::Onward,
                },
            )),
            Watch::Side(i, k) => of(Quantity::Friction(i, Rubbing::Side(k))),
            Watch::Ending(i) => of(Quantity::Friction(i, Rubbing::Above(self.slip_speeds(i)[0]))),
            Watch::Begun(i) => {
                let [end, begun] = self.slip_speeds(i);
                let slow = mode.grip(i).is_some_and(|grip| grip.hold == Hold::SlipAlong);
                let part = if slow {
                    Rubbing::AboveTogether(TOGETHER * end)
                } else {
                    Rubbing::Below(begun)
                };
                of(Quantity::Friction(i, part))
            }
            Watch::Spring(i) => of(Quantity::Engagement(i)),
            Watch::Reversal(i) => of(Quantity::Hysteretic(i, Hysteresis::Loading)),
            Watch::Facing(i) => of(Quantity::Facing(i)),
            Watch::Margin(i) => of(Quantity::Margin(i)),
            Watch::Tooth(i) => of(Quantity::Ratchet(i, Latching::Ahead)),
            Watch::Event(i) => match &self.model.events[i].trigger {
                Trigger::At(number) => GuardValue::Since(*number),
                Trigger::Crossing { guard, .. } => GuardValue::Expression(guard),
            },
            Watch::Kink(i) => GuardValue::Expression(&self.model.kinks[i].guard),
            Watch::Dependent => GuardValue::Dependent,
        }
    }

    /// Value of a guard over any scalar.
    pub fn guard_over<S: Scalar>(&self, guard: usize, mode: &Mode, motion: &Motion<S>) -> S {
        self.guard_value(guard, mode).evaluate(&self.model, mode, motion)
    }

    /// What is on the verge of happening where a guard is zero without firing, if that bends the motion.
    pub fn verge(&self, guard: usize) -> Option<Verge> {
        Some(match self.watch(guard) {
            Watch::Spring(i) => Verge::Acts(self.model.forces[i].name.clone()),
            Watch::Release(i) => Verge::LiftsOff(self.model.contacts[i].name.clone()),
            Watch::Grip(i) => Verge::Slips(self.model.rubbed_name(i).to_string()),
            Watch::Event(i) => Verge::Fires(self.model.events[i].name.clone()),
            _ => return None,
        })
    }

    /// Change of a guard that is on a verge from which it is no rounding, at the motion evaluated last.
    pub fn leaves(&self, guard: usize, at: At<Mode>, workspace: &Workspace) -> f64 {
        let Sizes { length, speed } = self.sizes;
        let pull = workspace.terms.mass.max_abs() * speed * speed / length;
        let size = match self.watch(guard) {
            Watch::Spring(_) => length,
            Watch::Grip(i) if self.model.turns(i) => pull * length,
            _ => pull,
        };
        (LEAVES * self.rounding_of_guard(guard, at, workspace)).max(SAME * size)
    }

    /// Rounding of a guard: of lengths by the size of the mechanism, of forces by the forces that balance.
    pub(super) fn rounding_of_guard(&self, guard: usize, at: At<Mode>, workspace: &Workspace) -> f64 {
        let At { mode, x, .. } = at;
        if self.slide_of(guard, mode).is_some() {
            return ROUNDING;
        }
        match self.watch(guard) {
            Watch::Gap(i) if self.model.slips_along(i, mode) => self.noise(x),
            // The smallest bounces are hardly higher than the tolerance.
            Watch::Gap(i) if mode.contacts[i] == ContactState::Open => self.open_noise(self.gap_kind(i)),
            Watch::Gap(i) => ROUNDING * self.farthest(x, self.gap_kind(i)),
            Watch::Tooth(_) | Watch::Spring(_) | Watch::Facing(_) => {
                ROUNDING * self.farthest(x, CoordinateKind::Length)
            }
            // A rate that the joints keep at zero is no smaller within a step than the tolerance makes it.
            Watch::Reversal(_) => {
                self.noise(x) + WITHIN_STEP * self.choices.rtol * self.fastest(x, CoordinateKind::Length)
            }
            Watch::Release(_) | Watch::Side(..) => self.force_noise(workspace),
            Watch::Grip(i) => match mode.grip(i).map(|grip| grip.hold) {
                Some(Hold::Stick) => self.rub_noise(i, workspace),
                _ => self.slip_noise(i, x),
            },
            // The speeds are no rounding.
            Watch::Begun(_) | Watch::Ending(_) => ROUNDING * self.sizes.speed,
            Watch::Margin(_) => ROUNDING,
            // Expressions are in units of their own.
            Watch::Event(_) | Watch::Kink(_) | Watch::Dependent => 0.0,
        }
    }
}
