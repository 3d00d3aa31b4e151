//! Every expression of a model with its value at an instant, for messages that say which one has no value.

use super::force::{Force, ForceKind, Tension};
use super::function::{Function, Signal};
use super::local::{Local, MAX_LOCAL};
use super::quantity::Motion;
use super::{Mode, Model, Trigger};
use crate::error::{Error, ErrorKind};

/// What an expression belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpressionOwner {
    /// A force.
    Force,
    /// A driver or coupling.
    Joint,
    /// The rate of memory.
    Memory,
    /// The integrand of an objective.
    Objective,
    /// The condition of an event.
    Event,
    /// An output.
    Output,
}

/// An expression of the scene with its value at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluated<'a> {
    /// What it belongs to.
    pub owner: ExpressionOwner,
    /// Name of the owner in the scene.
    pub name: &'a str,
    /// The text as written.
    pub text: &'a str,
    /// Its value.
    pub value: f64,
}

impl Evaluated<'_> {
    /// The expression in words: ``the expression `1/x` of the force "push"``.
    pub fn described(&self) -> String {
        let owner = match self.owner {
            ExpressionOwner::Force => "force",
            ExpressionOwner::Joint => "joint",
            ExpressionOwner::Memory => "memory",
            ExpressionOwner::Objective => "objective",
            ExpressionOwner::Event => "event",
            ExpressionOwner::Output => "output",
        };
        format!("the expression `{}` of the {owner} \"{}\"", self.text, self.name)
    }

    /// Whether the motion depends on it.
    pub fn drives(&self) -> bool {
        matches!(
            self.owner,
            ExpressionOwner::Force | ExpressionOwner::Joint | ExpressionOwner::Memory
        )
    }

    /// Whether the time integration sees it.
    pub fn is_integrated(&self) -> bool {
        self.drives() || self.owner == ExpressionOwner::Objective
    }

    /// Error for an expression without a finite value at a time.
    pub fn without_value(&self, t: f64) -> Error {
        Error::new(ErrorKind::NotFinite, format!("{} is {}", self.described(), self.value))
            .named(self.name)
            .at_time(t)
            .with_value(self.value)
            .advise("look for a division by zero, or a root or logarithm of a negative number, at that time")
    }
}

impl Model {
    /// The expressions that act in a mode: those of forces, of joints, of integrands, then the others.
    ///
    /// Those of objectives, events and outputs read accelerations and multipliers of the motion where they use them.
    pub fn expressions(&self, mode: &Mode, motion: &Motion<f64>) -> Vec<Evaluated<'_>> {
        let mut found = Vec::new();
        for (_, force) in (self.forces.iter().enumerate()).filter(|(index, _)| mode.force_acts(*index)) {
            self.force_expressions(force, motion, &mut found);
        }
        let acting = self.feedback.iter().filter(|feedback| mode.force_acts(feedback.force));
        found.extend(acting.map(|feedback| Evaluated {
            owner: ExpressionOwner::Force,
            name: &self.forces[feedback.force].name,
            text: feedback.value.expression.text(),
            value: feedback.value.evaluate(self, mode, motion),
        }));
        for constraint in mode.constraints.iter().map(|&index| &self.constraints[index]) {
            found.extend(constraint.driven_by().map(|function| {
                let owner = (ExpressionOwner::Joint, constraint.name.as_str());
                evaluated(owner, function, &constraint.local, motion, &[])
            }));
        }
        self.read_expressions(mode, motion, &mut found);
        found
    }

    fn force_expressions<'a>(&'a self, force: &'a Force, motion: &Motion<f64>, found: &mut Vec<Evaluated<'a>>) {
        let of_time = |signal: &'a Signal| {
            written(signal).map(|function| {
                evaluated(
                    (ExpressionOwner::Force, &force.name),
                    function,
                    &force.local,
                    motion,
                    &[],
                )
            })
        };
        match &force.kind {
            ForceKind::Load(load) => found.extend(load.force.iter().filter_map(of_time)),
            ForceKind::Moment(moment) => found.extend(moment.torque.iter().filter_map(of_time)),
            ForceKind::Torque(torque) => found.extend(of_time(&torque.torque)),
            ForceKind::Line(line) => {
                if let Tension::Expression { force: function, .. } = &line.tension {
                    let (q, v) = (force.local.pick(motion.q), motion.rates(&force.local));
                    let numbers = force.local.pick_numbers(motion.numbers);
                    let (length, rate) = in_dimension!(self.dimension, D => {
                        stretch(line.kinematics::<f64, D>(&q, &v, &numbers))
                    });
                    let owner = (ExpressionOwner::Force, force.name.as_str());
                    found.push(evaluated(owner, function, &force.local, motion, &[length, rate]));
                }
            }
            ForceKind::Torsion(_) | ForceKind::Bushing(_) | ForceKind::Drag(_) | ForceKind::Hysteretic(_) => {}
            ForceKind::Tangential(_) | ForceKind::Sliding(_) => {}
        }
    }

    /// Expressions that only read the motion.
    fn read_expressions<'a>(&'a self, mode: &Mode, motion: &Motion<f64>, found: &mut Vec<Evaluated<'a>>) {
        let conditions = self.events.iter().filter_map(|event| match &event.trigger {
            Trigger::Crossing { guard, .. } => Some((ExpressionOwner::Event, event.name.as_str(), guard)),
            Trigger::At(_) => None,
        });
        let rates = self.variables.iter().filter_map(|variable| {
            let rate = variable.rate.as_ref()?;
            Some((ExpressionOwner::Memory, variable.name.as_str(), rate))
        });
        let integrands = self.integrands.iter().enumerate();
        let integrands = integrands.map(|(k, integrand)| (ExpressionOwner::Objective, self.objective_of(k), integrand));
        let outputs = self
            .outputs
            .iter()
            .map(|(name, output)| (ExpressionOwner::Output, name.as_str(), output));
        found.extend(
            rates
                .chain(integrands)
                .chain(conditions)
                .chain(outputs)
                .map(|(owner, name, output)| Evaluated {
                    owner,
                    name,
                    text: output.expression.text(),
                    value: output.evaluate(self, mode, motion),
                }),
        );
    }

    /// Name of the objective that an integrand belongs to; empty for those of the account of energy.
    pub fn objective_of(&self, integrand: usize) -> &str {
        let uses =
            |objective: &&super::Objective| objective.terms.iter().any(|term| term.integrand() == Some(integrand));
        self.objectives
            .iter()
            .find(uses)
            .map_or("", |objective| objective.name.as_str())
    }
}

/// Length and rate alone.
fn stretch<const D: usize>((length, rate, _): (f64, f64, [f64; D])) -> (f64, f64) {
    (length, rate)
}

fn written(signal: &Signal) -> Option<&Function> {
    match signal {
        Signal::Function(function) => Some(function),
        Signal::Number(_) => None,
    }
}

fn evaluated<'a>(
    (owner, name): (ExpressionOwner, &'a str),
    function: &'a Function,
    local: &Local,
    motion: &Motion<f64>,
    variables: &[f64],
) -> Evaluated<'a> {
    let numbers: [f64; MAX_LOCAL] = local.pick_numbers(motion.numbers);
    Evaluated {
        owner,
        name,
        text: function.expression.text(),
        value: function.evaluate(motion.t, &numbers, variables),
    }
}
