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

    /// Relative accuracy of the values; zero where they are exact to rounding.
    fn accuracy(&self) -> f64 {
        0.0
    }
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

    /// Gradients at a point by the forward method, and the residuals of a goal that is a sum of squares; those of the first
    /// load case.
    pub(super) fn least_squares(&self, parameters: &[f64]) -> Result<(GradientReport, Residuals)> {
        let mut found = Residuals::default();
        let first = self.at(parameters)?.into_iter().next();
        let experiment = first.ok_or_else(|| missing("optimization"))?;
        let report = self.gradient(&experiment, Method::Forward)?;
        self.add_residuals(&experiment, &report, 1.0, &mut found)?;
        Ok((report, found))
    }

    /// Values of the goal in each load case at a point, by name.
    ///
    /// # Errors
    /// Whatever keeps the point from having a value.
    pub fn goals_by_case(&self, parameters: &[f64]) -> Result<Vec<(String, f64)>> {
        let mut found = Vec::new();
        for (case, experiment) in self.optimization.cases.iter().zip(self.at(parameters)?) {
            let (report, _) = experiment.run(false, &mut |_time| {})?;
            let value = |name: &str| Some(report.objectives.iter().find(|(known, _)| known == name)?.1);
            found.push((case.name.clone(), combine(&self.goal(), value)?));
        }
        Ok(found)
    }

    /// Gradients at a point, which must exist by every variable.
    fn gradient(&self, experiment: &Experiment, method: Method) -> Result<GradientReport> {
        let varied = |name: &str| self.optimization.variable_names().any(|variable| variable == name);
        let found = experiment.refuse_unused();
        let found = found.and_then(|()| experiment.gradient_in_common(method, varied));
        found.map_err(|error| experiment.located(error))
    }

    /// A text that differs between problems with different values at the same point: of the mechanism, its simulation and
    /// its objectives, and whether residuals are asked for. Other methods, bounds and when to stop do not enter.
    pub fn fingerprint(&self) -> String {
        let (experiment, optimization) = (self.experiment, self.optimization);
        let names: Vec<&str> = optimization.variable_names().collect();
        let residuals = optimization.solver == Solver::GaussNewton;
        let written = experiment.recipe().0.scene.optimization.as_ref();
        let text = format!(
            "{:?} {:?} {} {names:?} {:?} {:?} {:?} {residuals}",
            experiment.mechanism,
            experiment.options,
            experiment.start,
            optimization.goal,
            optimization.limits,
            written.map(|written| &written.cases)
        );
        fingerprint(text.bytes())
    }

    /// The experiments at a point, one per load case, with no objectives but those that matter: each costs a costate.
    fn at(&self, parameters: &[f64]) -> Result<Vec<Experiment>> {
        let names = self.optimization.variable_names().map(str::to_string);
        let values: Vec<(String, f64)> = names.zip(parameters.iter().copied()).collect();
        let cases = self.optimization.cases.iter().map(|case| Some(case.name.as_str()));
        let none = self.optimization.cases.is_empty().then_some(None);
        let mut experiments = Vec::new();
        for case in none.into_iter().chain(cases) {
            let mut experiment = self.experiment.in_case(case, &values)?;
            experiment.want_objectives(|name| self.reads(name));
            experiments.push(experiment);
        }
        // One that nothing uses and that is not varied does no harm, nor one that another load case uses.
        let unused = |name: &String| experiments.iter().all(|other| other.unused_parameters.contains(name));
        let varied = self.optimization.variable_names().map(str::to_string);
        let harmful: Vec<String> = varied.filter(unused).collect();
        for experiment in &mut experiments {
            experiment.unused_parameters.clone_from(&harmful);
        }
        Ok(experiments)
    }

    /// Whether goal or limits need an objective.
    fn reads(&self, objective: &str) -> bool {
        let Optimization { goal, limits, .. } = self.optimization;
        goal.iter().any(|(_, name)| name == objective) || limits.iter().any(|limit| limit.objective == objective)
    }

    /// The linear combination of objectives that is minimized in each case.
    fn goal(&self) -> Vec<(f64, &str)> {
        let goal = self.optimization.goal.iter();
        goal.map(|(factor, name)| (*factor, name.as_str())).collect()
    }

    /// Factor of the goal of a load case.
    fn weight(&self, case: usize) -> f64 {
        self.optimization.cases.get(case).map_or(1.0, |case| case.weight)
    }

    /// Adds what an experiment of a load case gives to the values, from those of objectives by name: its share of the goal
    /// and its own limits.
    fn add(&self, case: usize, value_of: impl Fn(&str) -> Option<f64>, values: &mut [f64]) -> Result<()> {
        values[0] += self.weight(case) * combine(&self.goal(), &value_of)?;
        let name = self.optimization.cases.get(case).map(|case| &case.name);
        for (value, limit) in values[1..].iter_mut().zip(&self.optimization.limits) {
            if limit.case.as_ref() == name {
                *value = combine(&[(1.0, limit.objective.as_str())], &value_of)?;
            }
        }
        Ok(())
    }

    /// Adds the residuals of a goal that is a sum of squares with this weight.
    fn add_residuals(
        &self,
        experiment: &Experiment,
        report: &GradientReport,
        weight: f64,
        found: &mut Residuals,
    ) -> Result<()> {
        let places = self.places(report)?;
        let mut add = |weight: f64, value: f64, gradient: &[f64]| {
            found.values.push(weight * value);
            let slopes = places.iter().map(|&place| weight * gradient[place]);
            found.jacobian.push(slopes.collect());
        };
        for (factor, name) in &self.optimization.goal {
            let factor = weight * factor;
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
        Ok(())
    }

    /// Where the variables stand among the parameters of a report.
    fn places(&self, report: &GradientReport) -> Result<Vec<usize>> {
        let place = |variable: &str| {
            let place = report.parameters.iter().position(|name| name == variable);
            place.ok_or_else(|| missing(variable))
        };
        self.optimization.variable_names().map(place).collect()
    }

    /// Adds what a load case gives to values, gradients, events and residuals.
    fn add_gradients(
        &self,
        case: usize,
        experiment: &Experiment,
        method: Method,
        found: &mut Evaluation,
    ) -> Result<()> {
        let report = self.gradient(experiment, method)?;
        let objective = |name: &str| report.objectives.iter().find(|objective| objective.name == name);
        self.add(case, |name| Some(objective(name)?.value), &mut found.values)?;
        for (variable, place) in self.places(&report)?.into_iter().enumerate() {
            let mut column: Vec<f64> = found.gradients.iter().map(|row| row[variable]).collect();
            self.add(case, |name| objective(name)?.gradient.get(place).copied(), &mut column)?;
            for (row, slope) in found.gradients.iter_mut().zip(column) {
                row[variable] = slope;
            }
        }
        found.events.extend(report.events.iter().map(|(event, _)| named(event)));
        if let Some(residuals) = &mut found.residuals {
            self.add_residuals(experiment, &report, self.weight(case), residuals)?;
        }
        Ok(())
    }
}

impl Design for SceneDesign<'_> {
    fn accuracy(&self) -> f64 {
        self.experiment.options.tolerance.rtol()
    }

    fn evaluate(&self, parameters: &[f64], gradient: bool) -> Result<Evaluation> {
        let rows = 1 + self.optimization.limits.len();
        let least_squares = gradient && self.optimization.solver == Solver::GaussNewton;
        let mut found = Evaluation {
            values: vec![0.0; rows],
            gradients: vec![vec![0.0; parameters.len()]; if gradient { rows } else { 0 }],
            events: Vec::new(),
            residuals: least_squares.then(Residuals::default),
        };
        let method = if least_squares {
            Method::Forward
        } else {
            Method::Adjoint
        };
        for (case, experiment) in self.at(parameters)?.iter().enumerate() {
            if gradient {
                self.add_gradients(case, experiment, method, &mut found)?;
                continue;
            }
            let (report, _) = experiment.run(false, &mut |_time| {})?;
            let value = |name: &str| Some(report.objectives.iter().find(|(known, _)| known == name)?.1);
            self.add(case, value, &mut found.values)?;
            found.events.extend(report.events.iter().map(named));
        }
        Ok(found)
    }
}

/// Name and kind of an event.
fn named(event: &EventMark) -> (String, String) {
    (event.name.clone(), event.kind.clone())
}

/// A linear combination of objectives, from their values by name.
fn combine(terms: &[(f64, &str)], value_of: impl Fn(&str) -> Option<f64>) -> Result<f64> {
    let term = |(factor, name): &(f64, &str)| {
        let value = value_of(name).ok_or_else(|| missing(name))?;
        Ok(factor * value)
    };
    terms.iter().map(term).sum()
}

fn missing(name: &str) -> Error {
    Error::new(
        ErrorKind::Request,
        format!("the objective or parameter \"{name}\" was not computed"),
    )
    .named(name)
}
