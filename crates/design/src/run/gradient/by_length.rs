//! The gradient of an objective with respect to the lengths of bars and other numbers of elements, besides that by parameter.

use super::by_property::{PropertySlope, properties};
use super::{Method, ObjectiveGradient};
use crate::error::{Error, ErrorKind, Result};
use crate::expression::suggest;
use crate::model::constraint::ConstraintKind;
use crate::model::function::Signal;
use crate::model::{GroupKind, Model, Parameter};
use crate::run::Experiment;

/// How an objective depends on the design.
#[derive(Clone, Debug, PartialEq)]
pub struct DesignGradient {
    /// Name of the objective.
    pub objective: String,
    /// Its value.
    pub value: f64,
    /// By parameter of the scene, in the unit of the objective per unit of the parameter; none where nothing uses it, or it
    /// cannot change alone.
    pub parameters: Vec<(String, Option<f64>)>,
    /// By the length of each bar and link.
    pub bars: Vec<BarSlope>,
    /// By the stiffness of each spring, the mass of each point and rigid body and the restitution of each contact.
    pub properties: Vec<PropertySlope>,
}

/// The derivative of an objective with respect to the length of one bar, all others kept.
#[derive(Clone, Debug, PartialEq)]
pub struct BarSlope {
    /// Name of the bar or link.
    pub name: String,
    /// Its group of constraints.
    pub group: usize,
    /// Its body, if it has mass.
    pub body: Option<usize>,
    /// In the unit of the objective per metre; not a number where the length cannot change alone.
    pub slope: f64,
}

impl Experiment {
    /// Gradient of one objective by every parameter and, whether or not these depend on parameters, by the lengths of bars
    /// and links, and by stiffnesses, masses and restitutions, with one backward pass. Lengths that are functions of time are left out.
    ///
    /// # Errors
    /// Kind `Request` for an objective that the scene does not have; else as for the gradient by the adjoint method.
    pub fn design_gradient(&self, objective: &str) -> Result<DesignGradient> {
        let found = self.design_gradients(|name| name == objective)?;
        found.into_iter().next().ok_or_else(|| {
            let names = self.mechanism.model.objectives.iter().map(|found| found.name.as_str());
            Error::new(ErrorKind::Request, format!("the scene has no objective `{objective}`"))
                .named(objective)
                .advise(suggest(objective, names, "objectives"))
        })
    }

    /// The same for all wanted objectives, with one backward pass for all.
    ///
    /// # Errors
    /// As for the gradient by the adjoint method.
    pub fn design_gradients(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<DesignGradient>> {
        let mut seeded = self.clone();
        seeded.want_objectives(is_wanted);
        let model = &mut seeded.mechanism.model;
        if model.objectives.is_empty() {
            return Ok(Vec::new());
        }
        let (count, bars, properties) = (model.parameters.len(), bars(model), properties(model));
        add_lengths(model, &bars);
        for (number, own) in &properties {
            add_parameter(
                model,
                *number,
                format!("{} of {}", own.property.name(), own.name),
                own.unit,
            );
        }
        let unused = std::mem::take(&mut seeded.unused_parameters);
        let report = seeded.gradient(Method::Adjoint).map_err(|error| self.located(error))?;
        let names = report.parameters;
        let gradient = |found: ObjectiveGradient| {
            let (own, rest) = found.gradient.split_at(count.min(found.gradient.len()));
            let (lengths, others) = rest.split_at(bars.len().min(rest.len()));
            let parameter = |(name, slope): (&String, &f64)| {
                let known = !unused.contains(name) && slope.is_finite();
                (name.clone(), known.then_some(*slope))
            };
            let bar = |((_, bar), &slope): (&(usize, BarSlope), &f64)| BarSlope { slope, ..bar.clone() };
            let property = |((_, own), &slope): (&(usize, PropertySlope), &f64)| PropertySlope { slope, ..own.clone() };
            DesignGradient {
                objective: found.name,
                value: found.value,
                parameters: names.iter().zip(own).map(parameter).collect(),
                bars: bars.iter().zip(lengths).map(bar).collect(),
                properties: properties.iter().zip(others).map(property).collect(),
            }
        };
        Ok(report.objectives.into_iter().map(gradient).collect())
    }
}

/// Bars and links whose length is a number, with its index; their slopes are not known yet.
fn bars(model: &Model) -> Vec<(usize, BarSlope)> {
    let length = |constraint: usize| {
        let constraint = model.constraints.get(constraint)?;
        match &constraint.kind {
            ConstraintKind::Distance(distance) => match distance.length {
                Signal::Number(number) => Some(constraint.local.numbers[number]),
                Signal::Function(_) => None,
            },
            _ => None,
        }
    };
    let bar = |(group, found): (usize, &crate::model::Group)| match (found.kind, &found.constraints[..]) {
        (GroupKind::Bar | GroupKind::Joint, &[constraint]) => {
            let slope = BarSlope {
                name: found.name.clone(),
                group,
                body: model.bodies.iter().position(|body| body.name == found.name),
                slope: f64::NAN,
            };
            Some((length(constraint)?, slope))
        }
        _ => None,
    };
    model.groups.iter().enumerate().filter_map(bar).collect()
}

/// Makes the length of each bar a parameter of its own; its middle follows.
fn add_lengths(model: &mut Model, bars: &[(usize, BarSlope)]) {
    for (length, bar) in bars {
        let parameter = add_parameter(model, *length, format!("length of {}", bar.name), "m");
        let centre = format!("{}.centre", bar.name);
        let middle = model.numbers.iter_mut().filter(|number| number.name == centre);
        middle.for_each(|number| number.gradient.push((parameter, 0.5)));
    }
}

/// Makes a number a parameter of its own, on top of those that it depends on; returns which.
fn add_parameter(model: &mut Model, number: usize, name: String, unit: &str) -> usize {
    let parameter = model.parameters.len();
    if let Some(number) = model.numbers.get_mut(number) {
        number.gradient.push((parameter, 1.0));
    }
    model.parameters.push(Parameter {
        name,
        value: model.numbers.get(number).map_or(f64::NAN, |number| number.value),
        unit: unit.to_string(),
        bounds: None,
        about: String::new(),
        kinks: Vec::new(),
    });
    parameter
}
