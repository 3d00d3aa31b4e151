//! Guards of a mechanism: gaps, contact forces, one-sided springs, scene events, and the watch on dropped rows.

use super::nearness::NearScratch;
use super::{FormulationChoice, Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::{At, HybridSystem};
use crate::model::contact::Law;
use crate::model::force::ForceKind;
use crate::model::gradient::{MotionDuals, MotionGradient, MotionView};
use crate::model::quantity::{Hysteresis, Latching, Motion, Output, Quantity, Rubbing};
use crate::model::{ContactState, Event, Hold, Leader, Mode, Model, Slide, Switch, Trigger};
use crate::scalar::Scalar;

/// Residual, over the length of its row, at which a row taken for redundant is found to be needed.
pub(super) const NEEDED: f64 = 1e-9;

/// Rounding of the values of guards, over the size of what they consist of: a few hundred units in the last place.
pub(super) const ROUNDING: f64 = 1e-13;

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

/// Whether all that an event does is to switch joints on which hold already: what they hold is rounding to its condition.
pub(super) fn only_holds(event: &Event, mode: &Mode) -> bool {
    let holds = |&(switch, on): &(Switch, bool)| matches!(switch, Switch::Group(i) if on && mode.groups[i]);
    !event.actions.is_empty() && event.assignments.is_empty() && event.actions.iter().all(holds)
}

/// The value of a guard: all that is said of it, its derivatives follow.
// Made where it is evaluated, never kept.
#[expect(clippy::large_enum_variant)]
pub(super) enum GuardValue<'a> {
    /// A quantity, plus a number.
    Quantity(Quantity, Option<usize>),
    /// An expression.
    Expression(&'a Output),
    /// The share of either side of a guard that the motion slides along.
    Slide(&'a Slide),
    /// The time less a number.
    Since(usize),
    /// [`Mechanism::spare`]. When rows are chosen anew does not matter to the motion: the instant counts as a fixed time.
    Dependent,
}

impl GuardValue<'_> {
    /// Whether accelerations or multipliers are needed.
    pub fn needs_dynamics(&self, model: &Model) -> bool {
        match self {
            Self::Quantity(quantity, _) => quantity.needs_dynamics(),
            Self::Expression(output) => output.needs_dynamics(model),
            Self::Slide(_) => true,
            Self::Since(_) | Self::Dependent => false,
        }
    }

    /// Value at an instant, of rows left out that of a fixed time that is zero.
    pub fn evaluate<S: Scalar>(&self, model: &Model, mode: &Mode, motion: &Motion<S>) -> S {
        match self {
            Self::Quantity(quantity, None) => quantity.evaluate(model, mode, motion),
            Self::Quantity(quantity, Some(number)) => quantity.evaluate(model, mode, motion) + motion.numbers[*number],
            Self::Expression(output) => output.evaluate(model, mode, motion),
            Self::Slide(slide) => slide.margin(model, mode, motion.numbers),
            Self::Since(number) => motion.t - motion.numbers[*number],
            Self::Dependent => motion.t,
        }
    }

    /// Adds the gradient, time held.
    pub fn add_gradient(&self, at: &MotionView, duals: &mut MotionDuals, out: &mut MotionGradient) {
        match self {
            Self::Quantity(quantity, number) => {
                quantity.add_gradient(1.0, at, duals, out);
                number.iter().for_each(|number| out.numbers[*number] += 1.0);
            }
            Self::Expression(output) => output.add_gradient(1.0, at, duals, out),
            Self::Slide(slide) => slide.add_margin_gradient(at, duals, out),
            Self::Since(number) => out.numbers[*number] -= 1.0,
            Self::Dependent => {}
        }
    }
}

/// What the guards of a model watch, by their indices; a last one watches the rows left out.
pub(super) fn watches(model: &Model) -> Vec<Watch> {
    let of_force = |force| match model.hysteretic(force) {
        Some(_) => Watch::Reversal(force),
        None => Watch::Spring(force),
    };
    let contacts = || 0..model.contacts.len();
    let in_space = || (0..model.frictions.len()).filter(|_| model.dimension > 2);
    (contacts().map(Watch::Gap))
        .chain(contacts().map(Watch::Release))
        .chain(contacts().map(Watch::Tooth))
        .chain(contacts().map(Watch::Facing))
        .chain(
            (0..model.constraints.len())
                .filter(|&i| model.constraints[i].kind.has_margin())
                .map(Watch::Margin),
        )
        .chain((0..model.frictions.len()).map(Watch::Grip))
        .chain(sides(model))
        .chain(in_space().map(Watch::Begun))
        .chain(in_space().map(Watch::Ending))
        .chain((0..model.forces.len()).map(of_force))
        .chain((0..model.events.len()).map(Watch::Event))
        .chain((0..model.kinks.len()).map(Watch::Kink))
        .chain([Watch::Dependent])
        .collect()
}

/// The normal forces of joints with friction that may change their signs.
fn sides(model: &Model) -> impl Iterator<Item = Watch> + '_ {
    let of = |i: usize| (0..model.frictions[i].ends()).map(move |k| Watch::Side(i, k));
    (0..model.frictions.len()).flat_map(of)
}

/// Indices of the guards of a model that are ever awake, but for those of gaps and of contact forces.
pub(super) fn watching(model: &Model) -> Vec<usize> {
    let may_wake = |watch: &Watch| match *watch {
        Watch::Gap(_) | Watch::Release(_) => false,
        Watch::Tooth(i) => model.ratchet(i).is_some_and(|ratchet| ratchet.teeth.is_some()),
        Watch::Facing(i) => model.contacts[i].face.is_some(),
        Watch::Grip(_) | Watch::Begun(_) | Watch::Ending(_) | Watch::Side(..) => true,
        Watch::Spring(_) | Watch::Reversal(_) | Watch::Margin(_) => true,
        Watch::Event(_) | Watch::Kink(_) | Watch::Dependent => true,
    };
    let all = watches(model).into_iter().enumerate();
    all.filter(|(_, watch)| may_wake(watch))
        .map(|(guard, _)| guard)
        .collect()
}

/// Slip speed at which feet on one face come to their end together, over that at which one does alone.
const TOGETHER: f64 = 2.0;

impl Mechanism {
    /// What the guard of an index watches.
    pub fn watch(&self, guard: usize) -> Watch {
        self.watches[guard]
    }

    /// The guard that watches the gap of a contact.
    pub fn gap_guard(&self, contact: usize) -> usize {
        contact
    }

    /// The guard that watches the force of a contact.
    pub(super) fn release_guard(&self, contact: usize) -> usize {
        self.model.contacts.len() + contact
    }

    /// Contacts whose gaps may be no larger than `reach` at a state, with the numbers loaded; at least these.
    pub(super) fn near_contacts(&self, x: &[f64], reach: f64, workspace: &Workspace) -> Vec<usize> {
        let mut scratch = NearScratch::default();
        let within = |i: usize| [x[i]; 2];
        self.nearness
            .find(&self.model, &workspace.terms.numbers, &within, reach, &mut scratch);
        scratch.found
    }

    /// The guard that watches the side of a kink.
    pub(super) fn kink_guard(&self, kink: usize) -> usize {
        // Those of kinks come last but for one.
        self.guards() - 1 - self.model.kinks.len() + kink
    }

    /// What the value of a guard is.
    pub(super) fn guard_value<'a>(&'a self, guard: usize, mode: &'a Mode) -> GuardValue<'a> {
        let of = |quantity| GuardValue::Quantity(quantity, None);
        if let Some(slide) = mode.slides.iter().find(|slide| self.slide_guard(slide) == guard) {
            return GuardValue::Slide(slide);
        }
        match self.watch(guard) {
            Watch::Gap(i) if self.model.slips_along(i, mode) => of(Quantity::Ratchet(i, Latching::Advance)),
            Watch::Gap(i) => of(Quantity::Gap(i)),
            Watch::Release(i) => {
                let pull_off = match self.model.contacts[i].law {
                    Law::Stick { pull_off } if mode.contacts[i] == ContactState::Stuck => Some(pull_off),
                    _ => None,
                };
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
            Watch::Ending(i) => of(Quantity::Friction(i, Rubbing::Above(self.slip_speeds()[0]))),
            Watch::Begun(i) => {
                let [end, begun] = self.slip_speeds();
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

    /// The guard that watches for the end of a slide.
    pub(super) fn slide_guard(&self, slide: &Slide) -> usize {
        match slide.leader {
            Leader::Kink(i) => self.kink_guard(i),
            // Those of events come before those of kinks.
            Leader::Event(i) => self.kink_guard(0) - self.model.events.len() + i,
        }
    }

    pub(super) fn is_one_sided(&self, force: usize) -> bool {
        matches!(&self.model.forces[force].kind, ForceKind::Line(line) if line.side != 0.0)
    }

    /// Whether a one-sided spring is beyond its acting side.
    pub(super) fn is_slack(&self, force: usize, at: At<Mode>, workspace: &mut Workspace) -> bool {
        self.load(at, &mut workspace.terms);
        let motion = self.motion(at, workspace);
        let beyond = Quantity::Engagement(force).evaluate(&self.model, at.mode, &motion);
        let engagement = if at.mode.slack[force] { -beyond } else { beyond };
        self.is_one_sided(force) && engagement < 0.0
    }

    pub(super) fn needs_independent_rows(&self) -> bool {
        !matches!(self.choices.formulation, FormulationChoice::Penalty(_))
    }

    /// The gap of a carried contact, where what carries it is closed: between the ends of a step the interpolant leaves that open by
    /// the tolerance.
    pub(super) fn carried_gap(&self, value: &GuardValue, at: At<Mode>, workspace: &mut Workspace) -> Result<f64> {
        let (mut x, regularity) = (std::mem::take(&mut workspace.closed), workspace.regularity);
        x.clear();
        x.extend_from_slice(at.x);
        let found = self.project_state(at.t, at.mode, &mut x, workspace).map(|_| {
            let closed = At::new(at.t, at.mode, &x);
            self.load(closed, &mut workspace.terms);
            value.evaluate(&self.model, at.mode, &self.motion(closed, workspace))
        });
        (workspace.closed, workspace.regularity) = (x, regularity);
        found
    }

    /// How far the rows left out are from being needed.
    pub(super) fn spare(&self, at: At<Mode>, workspace: &mut Workspace) -> f64 {
        let (mode, terms) = (at.mode, &mut workspace.terms);
        self.assemble_constraints(at, terms);
        let residual = (0..mode.rows)
            .filter(|row| mode.independent.binary_search(row).is_err())
            .fold(0.0, |most, row| {
                f64::max(most, terms.c[row].abs() / terms.jacobian.row_size(row))
            });
        NEEDED - residual
    }
}
