//! Sliding along a guard: numbers of the memory between the values that its two sides give them (theory, section 3.1).

use super::gradient::{MotionDuals, MotionGradient, MotionView};
use super::mode::{Leader, Slide};
use super::quantity::{Motion, Output, Quantity};
use super::{Assignment, Mode, Model, Remembered, Trigger};
use crate::scalar::Scalar;

impl Model {
    /// The condition of an event with its direction; none at a time.
    pub fn condition(&self, event: usize) -> Option<(&Output, i8)> {
        match &self.events[event].trigger {
            Trigger::Crossing { guard, direction } => Some((guard, *direction)),
            Trigger::At(_) => None,
        }
    }
}

impl Slide {
    /// The guard of a kink or an event alone, with nothing on it yet.
    pub fn along(leader: Leader) -> Self {
        Self {
            leader,
            kinks: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Name in reports.
    pub fn name<'a>(&self, model: &'a Model) -> &'a str {
        match self.leader {
            Leader::Kink(i) => &model.kinks[i].name,
            Leader::Event(i) => &model.events[i].name,
        }
    }

    /// Whether what a leader stands for is on the guard.
    pub fn has(&self, leader: Leader) -> bool {
        match leader {
            Leader::Kink(i) => self.has_kink(i),
            Leader::Event(i) => self.has_event(i),
        }
    }

    /// Whether a kink is on the guard.
    pub fn has_kink(&self, kink: usize) -> bool {
        self.kinks.iter().any(|(other, _)| *other == kink)
    }

    /// Whether an event is.
    pub fn has_event(&self, event: usize) -> bool {
        self.events.as_flattened().contains(&event)
    }

    /// Expression that the guard reads.
    pub fn condition<'a>(&self, model: &'a Model) -> Option<&'a Output> {
        match self.leader {
            Leader::Kink(i) => Some(&model.kinks[i].guard),
            Leader::Event(i) => model.condition(i).map(|(guard, _)| guard),
        }
    }

    /// Value of the guard, positive above. A kink's own side among the numbers must be 1: see [`Slide::prepare`].
    pub fn guard<S: Scalar>(&self, model: &Model, mode: &Mode, motion: &Motion<S>) -> S {
        match self.leader {
            Leader::Kink(i) => model.kinks[i].guard.evaluate_over(model, mode, motion),
            Leader::Event(i) => model.condition(i).map_or(S::from(f64::NAN), |(guard, direction)| {
                guard.evaluate_over(model, mode, motion) * f64::from(direction)
            }),
        }
    }

    /// Makes numbers ready for [`Slide::guard`].
    pub fn prepare<S: Scalar>(&self, model: &Model, numbers: &mut [S]) {
        if let Leader::Kink(i) = self.leader {
            numbers[model.memory_number(model.kinks[i].slot)] = S::from(1.0);
        }
    }

    /// Number of memory slots that are mixed.
    pub fn count(&self, model: &Model) -> usize {
        let of_events = self
            .events
            .iter()
            .map(|[above, _]| model.events[*above].assignments.len());
        self.kinks.len() + of_events.sum::<usize>()
    }

    /// One of the memory slots that are mixed, with its values above and below the guard.
    pub fn mixed<S: Scalar>(&self, k: usize, model: &Model, mode: &Mode, numbers: &[S]) -> (usize, [S; 2]) {
        if let Some(&(kink, above)) = self.kinks.get(k) {
            return (model.kinks[kink].slot, [S::from(above), S::from(-above)]);
        }
        let motion = Motion {
            t: S::from(0.0),
            q: &[],
            v: &[],
            a: &[],
            lambda: &[],
            numbers,
            frames: &model.frames,
        };
        let value = |assignment: &Assignment| assignment.value.evaluate(model, mode, &motion);
        self.assigned(k, model)
            .map_or((0, [S::from(f64::NAN); 2]), |[above, below]| {
                (above.slot, [value(above), value(below)])
            })
    }

    /// What the events of a pair assign to one of the memory slots.
    fn assigned<'a>(&self, k: usize, model: &'a Model) -> Option<[&'a Assignment; 2]> {
        let mut k = k.checked_sub(self.kinks.len())?;
        for &[above, below] in &self.events {
            let assignments = &model.events[above].assignments;
            if let Some(found) = assignments.get(k) {
                let mut others = model.events[below].assignments.iter();
                return others
                    .find(|other| other.slot == found.slot)
                    .map(|other| [found, other]);
            }
            k -= assignments.len();
        }
        None
    }

    /// The assignments with which the motion leaves to one side.
    pub fn left(&self, model: &Model, above: bool) -> Vec<Assignment> {
        let side = |&(kink, side): &(usize, f64)| {
            Assignment::constant(model.kinks[kink].slot, if above { side } else { -side })
        };
        let of_event = |pair: &[usize; 2]| model.events[pair[usize::from(!above)]].assignments.clone();
        (self.kinks.iter().map(side))
            .chain(self.events.iter().flat_map(of_event))
            .collect()
    }

    /// Puts the values for a share of the side below among the numbers.
    pub fn put(&self, share: f64, model: &Model, mode: &Mode, numbers: &mut [f64]) {
        for k in 0..self.count(model) {
            let (slot, [above, below]) = self.mixed(k, model, mode, numbers);
            numbers[model.memory_number(slot)] = (1.0 - share) * above + share * below;
        }
    }

    /// Adds a weight times the gradient of the value of a slot, with the share held.
    pub fn add_gradient(
        &self,
        (k, share, weight): (usize, f64, f64),
        at: &MotionView,
        duals: &mut MotionDuals,
        out: &mut MotionGradient,
    ) {
        if let Some([above, below]) = self.assigned(k, at.model) {
            above.value.add_gradient(weight * (1.0 - share), at, duals, out);
            below.value.add_gradient(weight * share, at, duals, out);
        }
    }

    /// The share of the side below, from the value of the first slot.
    fn share<S: Scalar>(&self, model: &Model, mode: &Mode, numbers: &[S]) -> S {
        let (slot, [above, below]) = self.mixed(0, model, mode, numbers);
        (numbers[model.memory_number(slot)] - above) / (below - above)
    }

    /// What falls below zero where the motion leaves: the product of the shares of both sides.
    pub fn margin<S: Scalar>(&self, model: &Model, mode: &Mode, numbers: &[S]) -> S {
        let share = self.share(model, mode, numbers);
        share * (S::from(1.0) - share)
    }

    /// Adds the gradient of [`Slide::margin`].
    pub fn add_margin_gradient(&self, at: &MotionView, duals: &mut MotionDuals, out: &mut MotionGradient) {
        let numbers = at.motion.numbers;
        let (slot, [above, below]) = self.mixed(0, at.model, at.mode, numbers);
        let share = self.share(at.model, at.mode, numbers);
        let weight = (1.0 - 2.0 * share) / (below - above);
        out.numbers[at.model.memory_number(slot)] += weight;
        self.add_gradient((0, share, -weight), at, duals, out);
    }
}

impl Remembered {
    /// Whether it is a function of numbers that do not change while the motion slides.
    pub fn is_steady(&self, model: &Model, slots: &[usize]) -> bool {
        let steady = |quantity: &Quantity| match quantity {
            Quantity::Number(i) => !slots.iter().any(|&slot| model.memory_number(slot) == *i) && !model.follows(*i),
            _ => false,
        };
        match self {
            Self::Constant(_) => true,
            Self::Quantity(quantity) => steady(quantity),
            Self::Expression(output) => output.arguments.iter().all(steady),
        }
    }
}

impl Output {
    /// Whether one of these numbers is read, also through earlier outputs and the numbers of forces.
    pub fn reads(&self, model: &Model, numbers: &[usize]) -> bool {
        let reads = |quantity: &Quantity| match quantity {
            Quantity::Number(i) => numbers.contains(i),
            Quantity::Output(i) => model.outputs[*i].1.reads(model, numbers),
            quantity => {
                let mut found = false;
                quantity.each_local(model, |local| {
                    found |= local.numbers.iter().any(|i| numbers.contains(i))
                });
                found
            }
        };
        let arguments = self.arguments.iter().enumerate();
        arguments
            .filter(|(k, _)| self.expression.uses(*k))
            .any(|(_, quantity)| reads(quantity))
    }
}
