//! Costs at events: sums of expressions over the events of a run.

use crate::error::Result;
use crate::hybrid::JumpView;
use crate::mechanism::{Mechanism, Workspace};
use crate::model::expressions::{Evaluated, Owner};
use crate::model::{EventSum, Mode, Model, Side, Term};

/// One sum per entry of [`Model::event_sums`].
#[derive(Clone, Debug)]
pub(super) struct EventSums(Vec<f64>);

impl EventSums {
    pub fn new(model: &Model) -> Self {
        Self(vec![0.0; model.event_sums.len()])
    }

    /// Adds what a jump contributes.
    ///
    /// # Errors
    /// Kind `NotFinite` naming an expression without a value; kind `Singular` when accelerations are not determined.
    pub fn add(&mut self, jump: &JumpView<Mode>, mechanism: &Mechanism, workspace: &mut Workspace) -> Result<()> {
        for (sum, term) in self.0.iter_mut().zip(&mechanism.model.event_sums) {
            let meant = |name: &String| term.names.contains(name);
            let events = jump
                .happenings
                .iter()
                .filter(|happening| meant(&happening.name))
                .count();
            if events > 0 {
                *sum += events as f64 * value(term, jump, mechanism, workspace)?;
            }
        }
        Ok(())
    }

    /// Adds the sums, times their coefficients, to the values of the objectives.
    pub fn add_to(&self, model: &Model, objectives: &mut [(String, f64)]) {
        for ((_, value), objective) in objectives.iter_mut().zip(&model.objectives) {
            for term in &objective.terms {
                if let Term::AtEvents { coefficient, sum } = term {
                    let factor: f64 = coefficient.iter().map(|&number| model.numbers[number].value).product();
                    *value += factor * self.0[*sum];
                }
            }
        }
    }
}

fn value(term: &EventSum, jump: &JumpView<Mode>, mechanism: &Mechanism, workspace: &mut Workspace) -> Result<f64> {
    let (mode, x) = match term.side {
        Side::Before => (jump.mode_before, jump.before),
        Side::After => (jump.mode_after, jump.after),
    };
    mechanism.evaluate_motion(jump.t, mode, x, true, workspace)?;
    let value = term
        .value
        .evaluate(&mechanism.model, mode, &mechanism.motion(jump.t, mode, x, workspace));
    if value.is_finite() {
        return Ok(value);
    }
    let found = Evaluated {
        owner: Owner::Objective,
        name: &term.objective,
        text: term.value.expression.text(),
        value,
    };
    Err(found.without_value(jump.t))
}
