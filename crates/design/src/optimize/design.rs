//! Values and gradients at a point of the design space.

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};
use crate::files::fingerprint;
use crate::run::{EventMark, Experiment, GradientReport, Method};
use crate::scene::compiled::Optimization;
use crate::scene::schema::Solver;

/// What was found at a point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// What is minimized, then the limited objectives in the order of the limits.
    pub values: Vec<f64>,
    /// By value and variable, in the unit of the objective per unit of the parameter; empty when not asked for.
    pub gradients: Vec<Vec<f64>>,
    /// The events of the motion, as names and kinds in their order.
    pub events: Vec<(String, String)>,
    /// The residuals that make up what is minimized, for methods of least squares.
    pub residuals: Option<Residuals>,
}

/// Weighted differences from measured data, or the terms of sums of squares; the sum of their squares is what is minimized.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Residuals {
    /// The residuals, as many at every point.
    pub values: Vec<f64>,
    /// Derivatives by residual and variable, per unit of the parameter.
    pub jacobian: Vec<Vec<f64>>,
}

impl Evaluation {
    /// Whether all values, gradients and residuals are finite.
    pub fn is_finite(&self) -> bool {
        self.not_finite().is_none()
    }

    /// A value, an entry of a gradient or a residual that is not finite.
    pub(super) fn not_finite(&self) -> Option<f64> {
        let residuals = self.residuals.iter();
        let residuals = residuals.flat_map(|found| found.values.iter().chain(found.jacobian.iter().flatten()));
        let numbers = self.values.iter().chain(self.gradients.iter().flatten());
        numbers.chain(residuals).copied().find(|number| !number.is_finite())
    }
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

    /// What is optimized.
    pub(super) fn optimization(&self) -> &Optimization {
        self.optimization
    }

    /// Gradients at a point by the forward method, and the residuals of a goal that is a sum of squares.
    pub(super) fn least_squares(&self, parameters: &[f64]) -> Result<(GradientReport, Residuals)> {
        let experiment = self.at(parameters)?;
        let report = self.gradient(&experiment, Method::Forward)?;
        let residuals = self.residuals(&experiment, &report)?;
        Ok((report, residuals))
    }

    /// Gradients at a point, which must exist by every variable.
    fn gradient(&self, experiment: &Experiment, method: Method) -> Result<GradientReport> {
        let varied = |name: &str| self.optimization.variable_names().any(|variable| variable == name);
        let found = experiment.refuse_unused().and_then(|()| experiment.gradient(method));
        let found = found.and_then(|report| report.refuse_undetermined(varied).map(|()| report));
        found.map_err(|error| experiment.located(error))
    }

    /// A text that differs between problems with different values at the same point: of the mechanism, its simulation and
    /// its objectives, and whether residuals are asked for. Other methods, bounds and when to stop do not enter.
    pub fn fingerprint(&self) -> String {
        let (experiment, optimization) = (self.experiment, self.optimization);
        let names: Vec<&str> = optimization.variable_names().collect();
        let residuals = optimization.solver == Solver::GaussNewton;
        let text = format!(
            "{:?} {:?} {} {names:?} {:?} {:?} {residuals}",
            experiment.mechanism, experiment.options, experiment.start, optimization.goal, optimization.limits
        );
        fingerprint(text.bytes())
    }

    /// The experiment at a point, with no objectives but those that matter: each costs a costate.
    fn at(&self, parameters: &[f64]) -> Result<Experiment> {
        let names = self.optimization.variable_names().map(str::to_string);
        let values: Vec<(String, f64)> = names.zip(parameters.iter().copied()).collect();
        let mut experiment = self.experiment.with_parameters(&values)?;
        let needed = |name: &str| self.rows().iter().flatten().any(|(_, wanted)| *wanted == name);
        experiment.mechanism.model.want_objectives(needed);
        // One that nothing uses and that is not varied does no harm.
        let varied = |name: &String| self.optimization.variable_names().any(|variable| variable == name);
        experiment.unused_parameters.retain(varied);
        Ok(experiment)
    }

    /// The linear combinations of objectives that make the values.
    fn rows(&self) -> Vec<Vec<(f64, &str)>> {
        let Optimization { goal, limits, .. } = self.optimization;
        let goal = goal.iter().map(|(factor, name)| (*factor, name.as_str()));
        let limits = limits.iter().map(|limit| vec![(1.0, limit.objective.as_str())]);
        std::iter::once(goal.collect()).chain(limits).collect()
    }

    fn combine(&self, value_of: impl Fn(&str) -> Option<f64>) -> Result<Vec<f64>> {
        let term = |(factor, name): &(f64, &str)| {
            let value = value_of(name).ok_or_else(|| missing(name))?;
            Ok(factor * value)
        };
        self.rows().iter().map(|row| row.iter().map(term).sum()).collect()
    }

    /// The residuals of a goal that is a sum of squares.
    fn residuals(&self, experiment: &Experiment, report: &GradientReport) -> Result<Residuals> {
        let mut found = Residuals::default();
        let places = self.places(report)?;
        let mut add = |weight: f64, value: f64, gradient: &[f64]| {
            found.values.push(weight * value);
            let slopes = places.iter().map(|&place| weight * gradient[place]);
            found.jacobian.push(slopes.collect());
        };
        for (factor, name) in &self.optimization.goal {
            if let Some(fit) = report.fits.iter().find(|fit| fit.objective == *name) {
                for point in &fit.points {
                    add((factor * point.weight).sqrt(), point.residual(), &point.gradient);
                }
                continue;
            }
            for (value, gradient) in experiment.residuals(name, report).ok_or_else(|| missing(name))? {
                add(factor.sqrt(), value, &gradient);
            }
        }
        Ok(found)
    }

    /// Where the variables stand among the parameters of a report.
    fn places(&self, report: &GradientReport) -> Result<Vec<usize>> {
        let place = |variable: &str| {
            let place = report.parameters.iter().position(|name| name == variable);
            place.ok_or_else(|| missing(variable))
        };
        self.optimization.variable_names().map(place).collect()
    }

    fn gradients(&self, report: &GradientReport) -> Result<Vec<Vec<f64>>> {
        let mut rows = vec![Vec::new(); 1 + self.optimization.limits.len()];
        for place in self.places(report)? {
            let slope = |name: &str| {
                let objective = report.objectives.iter().find(|objective| objective.name == name)?;
                objective.gradient.get(place).copied()
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
        let named = |event: &EventMark| (event.name.clone(), event.kind.clone());
        if !gradient {
            let (report, _) = experiment.run(false, &mut |_time| {})?;
            let value = |name: &str| Some(report.objectives.iter().find(|(known, _)| known == name)?.1);
            return Ok(Evaluation {
                values: self.combine(value)?,
                gradients: Vec::new(),
                events: report.events.iter().map(named).collect(),
                residuals: None,
            });
        }
        let least_squares = self.optimization.solver == Solver::GaussNewton;
        let method = if least_squares {
            Method::Forward
        } else {
            Method::Adjoint
        };
        let report = self.gradient(&experiment, method)?;
        let value = |name: &str| Some(report.objectives.iter().find(|objective| objective.name == name)?.value);
        Ok(Evaluation {
            values: self.combine(value)?,
            gradients: self.gradients(&report)?,
            events: report.events.iter().map(|(event, _)| named(event)).collect(),
            residuals: match least_squares {
                true => Some(self.residuals(&experiment, &report)?),
                false => None,
            },
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
