//! A guard at a state: its value, its rates on both sides, and what follows for the motion (theory, section 3.1).

use super::surface::{Slopes, Surface};
use crate::error::Result;
use crate::hybrid::At;
use crate::mechanism::{Mechanism, Workspace};
use crate::model::quantity::Output;
use crate::model::{Mode, Slide};

/// Rounding of a state, in units of what noise of velocities and positions is measured by.
const ROUNDING_OF_STATE: f64 = 10.0;

/// What the motion does at a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    /// It is not on the guard.
    Off,
    /// It passes the guard, or the guard stays zero by itself.
    Passes,
    /// Both sides lead back to the guard.
    Slides,
    /// One side leads back to it, and the flow of the other is along it: the least change decides whether it leaves.
    Verges,
    /// Both sides lead away from it.
    Parts,
}

/// A guard at a state.
pub(super) struct Survey {
    pub value: f64,
    /// Rates above and below.
    pub rates: [f64; 2],
    pub course: Course,
}

impl Mechanism {
    /// Value of a guard that is rounding at a state, with a rate there.
    pub(super) fn tolerance_of(&self, guard: &Slopes, rate: f64, at: At<Mode>) -> f64 {
        let of_state = self.rounding_of_state((&guard.q, &guard.v, &guard.numbers), at);
        ROUNDING_OF_STATE * (of_state + f64::EPSILON * at.t.abs() * (rate + guard.t.abs()))
    }

    /// Value of a guard, and its rates on both sides.
    pub(super) fn survey(&self, slide: &Slide, at: At<Mode>, workspace: &mut Workspace) -> Result<Survey> {
        let (memory, mut x) = (self.quadratures().end, at.x.to_vec());
        let (mut rates, mut value, mut noise) = ([0.0; 2], 0.0, 0.0);
        let mut surface = Surface::default();
        for side in 0..2 {
            self.load_memory(at.x, &mut workspace.terms);
            for k in 0..slide.count(&self.model) {
                let (slot, sides) = slide.mixed(k, &self.model, at.mode, &workspace.terms.numbers);
                x[memory + slot] = sides[side];
            }
            let there = At::new(at.t, at.mode, &x);
            self.evaluate_motion(there, self.integrands_need_multipliers, workspace)?;
            let of_memory = self.memory_rates(there, workspace);
            let motion = self.motion(there, workspace);
            (value, rates[side]) = surface.load((&self.model, at.mode), slide, &motion, &of_memory);
            surface.differentiate((&self.model, at.mode), slide);
            noise = f64::max(noise, self.rounding_of_accelerations(&surface.guard.v, workspace));
        }
        let [above, below] = rates;
        let tolerance = self.tolerance_of(&surface.guard, above.abs() + below.abs(), at);
        let course = match () {
            () if value.abs() > tolerance => Course::Off,
            () if above < -noise && below > noise => Course::Slides,
            () if above > noise && below < -noise => Course::Parts,
            () if above.abs() <= noise && below > noise => Course::Verges,
            () if below.abs() <= noise && above < -noise => Course::Verges,
            () => Course::Passes,
        };
        match course {
            Course::Slides if self.reads_rated_memory(slide) => Err(self.slides_with_memory(slide, at.t)),
            _ => Ok(Survey { value, rates, course }),
        }
    }

    /// Numbers of memory that has rates, with these at the motion evaluated last.
    pub(super) fn memory_rates(&self, at: At<Mode>, workspace: &Workspace) -> Vec<(usize, f64)> {
        let motion = self.motion(at, workspace);
        let rate = |rate: &Output| rate.evaluate(&self.model, at.mode, &motion);
        let all = self.model.memory_rates();
        all.map(|(slot, of)| (self.model.memory_number(slot), rate(of)))
            .collect()
    }

    /// Whether a guard depends on memory that has a rate, through what follows the motion too.
    fn reads_rated_memory(&self, slide: &Slide) -> bool {
        let model = &self.model;
        let mut numbers: Vec<usize> = (model.memory_rates())
            .map(|(slot, _)| model.memory_number(slot))
            .collect();
        for feedback in &model.feedback {
            if feedback.value.reads(model, &numbers) {
                numbers.push(feedback.number);
            }
        }
        let condition = slide.condition(model);
        condition.is_some_and(|condition| condition.reads(model, &numbers))
    }
}
