//! Values and gradients at a point of the design space.

use crate::error::{Error, ErrorKind, Result};
use crate::run::{Event, Experiment, GradientReport, Method};
use crate::scene::compile::Optimization;

/// What was found at a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// What is minimized, then the limited objectives in the order of the limits.
    pub values: Vec<f64>,
    /// By value and variable, in the unit of the objective per unit of the parameter; empty when not asked for.
    pub gradients: Vec<Vec<f64>>,
    /// The events of the motion, as names and kinds in their order.
    pub events: Vec<(String, String)>,
}

/// Something that can be optimized.
pub trait Design {
    /// Values at a point, one parameter per variable in the order and units of the scene, and their gradients if asked
    /// for.
    ///
    /// # Errors
    /// Whatever keeps the point from having a value or a gradient; the methods back off from it.
    fn evaluate(&self, parameters: &[f64], gradient: bool) -> Result<Evaluation>;
}

/// The mechanism of a scene, with the objectives of its optimization.
#[derive(Clone, Debug)]
pub struct SceneDesign<'a> {
    experiment: &'a Experiment,
    optimization: &'a Optimization,
}

impl<'a> SceneDesign<'a> {
    /// The mechanism of an experiment.
    pub fn new(experiment: &'a Experiment, optimization: &'a Optimization) -> Self {
        Self {
            experiment,
            optimization,
        }
    }

    /// The experiment at a point, with no objectives but those that matter: each costs a costate.
    fn at(&self, parameters: &[f64]) -> Result<Experiment> {
        let names = self.optimization.variables.iter().map(|variable| variable.name.clone());
        let values: Vec<(String, f64)> = names.zip(parameters.iter().copied()).collect();
        let mut experiment = self.experiment.with_parameters(&values)?;
        let needed = |name: &str| self.rows().iter().flatten().any(|(_, wanted)| *wanted == name);
        experiment
            .mechanism
            .model
            .objectives
            .retain(|objective| needed(&objective.name));
        Ok(experiment)
    }

    /// The linear combinations of objectives that make the values.
    fn rows(&self) -> Vec<Vec<(f64, &str)>> {
        let goal = self
            .optimization
            .goal
            .iter()
            .map(|(factor, name)| (*factor, name.as_str()));
        let limits = self
            .optimization
            .limits
            .iter()
            .map(|limit| vec![(1.0, limit.objective.as_str())]);
        std::iter::once(goal.collect()).chain(limits).collect()
    }

    fn combine(&self, value_of: impl Fn(&str) -> Option<f64>) -> Result<Vec<f64>> {
        let term = |(factor, name): &(f64, &str)| {
            let value = value_of(name).ok_or_else(|| missing(name))?;
            Ok(factor * value)
        };
        self.rows().iter().map(|row| row.iter().map(term).sum()).collect()
    }

    fn gradients(&self, report: &GradientReport) -> Result<Vec<Vec<f64>>> {
        let mut rows = vec![Vec::new(); 1 + self.optimization.limits.len()];
        for variable in &self.optimization.variables {
            let position = report.parameters.iter().position(|name| *name == variable.name);
            let slope = |name: &str| {
                let objective = report.objectives.iter().find(|objective| objective.name == name)?;
                objective.gradient.get(position?).copied()
            };
            for (row, slope) in rows.iter_mut().zip(self.combine(slope)?) {
                row.push(slope);
            }
        }
        Ok(rows)
    }
}

impl Design for SceneDesign<'_> {
    fn evaluate(&self, parameters: &[f64], gradient: bool) -> Result<Evaluation> {
        let experiment = self.at(parameters)?;
        let named = |event: &Event| (event.name.clone(), event.kind.clone());
        if !gradient {
            let (report, _) = experiment.run(false, &mut |_time| {})?;
            let value = |name: &str| Some(report.objectives.iter().find(|(known, _)| known == name)?.1);
            return Ok(Evaluation {
                values: self.combine(value)?,
                gradients: Vec::new(),
                events: report.events.iter().map(named).collect(),
            });
        }
        let report = experiment
            .gradient(Method::Adjoint)
            .map_err(|error| experiment.located(error))?;
        let value = |name: &str| Some(report.objectives.iter().find(|objective| objective.name == name)?.value);
        Ok(Evaluation {
            values: self.combine(value)?,
            gradients: self.gradients(&report)?,
            events: report.events.iter().map(|(event, _)| named(event)).collect(),
        })
    }
}

fn missing(name: &str) -> Error {
    Error::new(
        ErrorKind::Request,
        format!("the objective or parameter \"{name}\" was not computed"),
    )
    .named(name)
}
