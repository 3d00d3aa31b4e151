//! Values of the named parameters and their derivatives with respect to one another.
//!
//! The derivative with respect to a parameter shifts that parameter; parameters written as expressions of it follow.

use std::collections::HashMap;

use super::chain::Link;
use super::derivatives::{self, Derivatives, Known};
use super::fixed_kinks::{at_kink, kinked};
use super::overrides::{Overrides, as_request};
use super::site::Site;
use crate::error::{Error, Result};
use crate::expression::suggest;
use crate::expression::{Expression, Variable};
use crate::model::{FixedKink, Parameter};
use crate::scene::SceneFile;
use crate::scene::schema::{self, Finite, Number};

/// The constants and the parameters in the order of the scene, each followed by what a load case makes of it.
pub(super) struct Parameters {
    pub(super) list: Vec<Parameter>,
    /// Whether each is a parameter of the model: something may be differentiated by it.
    pub(super) own: Vec<bool>,
    /// Of first order alone.
    derivatives: Vec<Derivatives>,
    /// What each one is an expression of.
    links: Vec<Link>,
    positions: HashMap<String, usize>,
    /// The objective that what is compiled now is read by alone.
    pub(super) objective: Option<String>,
}

impl Parameters {
    /// Evaluates the parameters; overridden ones become constants.
    pub(super) fn read(file: &SceneFile, overrides: &Overrides) -> Result<Self> {
        let overridden = overrides.checked(file)?;
        let case = overrides.case(file);
        let set_by_case = |name: &str| {
            let (set, site) = case.as_ref()?;
            Some((set.get(name)?, site.at(name)))
        };
        let mut parameters = Self {
            list: Vec::new(),
            own: Vec::new(),
            derivatives: Vec::new(),
            links: Vec::new(),
            positions: HashMap::new(),
            objective: None,
        };
        for (name, written) in file.scene.constants.iter() {
            let site = Site::new(file, "constants").at(name);
            let forced = overridden.get(name).copied();
            let written = schema::Parameter::of(written.clone());
            parameters.add((file, name, false), &written, forced, &site)?;
            parameters.add_case((file, name), set_by_case(name))?;
        }
        for (name, written) in file.scene.parameters.iter() {
            let site = Site::new(file, "parameters").at(name);
            let forced = overridden.get(name).copied();
            parameters.add((file, name, true), written, forced, &site)?;
            parameters
                .check_bounds(&site)
                .map_err(|error| match (forced, parameters.follows(&overridden)) {
                    (None, false) => error,
                    _ => as_request(error, file, forced.is_none()),
                })?;
            parameters.add_case((file, name), set_by_case(name))?;
        }
        Ok(parameters)
    }

    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }

    pub(super) fn value(&self, parameter: usize) -> f64 {
        self.list[parameter].value
    }

    pub(super) fn derivatives(&self, parameter: usize) -> Derivatives {
        Derivatives {
            gradient: self.derivatives[parameter].gradient.clone(),
            curvature: self.curvature(&self.links[parameter]),
        }
    }

    pub(super) fn sources(&self, parameter: usize) -> &[usize] {
        &self.links[parameter].sources
    }

    fn curvature(&self, link: &Link) -> Vec<(usize, usize, f64)> {
        link.curvature(&self.links, |parameter| &self.derivatives[parameter].gradient)
    }

    /// Value and derivatives of an expression whose variables are these parameters.
    pub(super) fn evaluate(
        &self,
        expression: &Expression,
        arguments: &[usize],
        site: &Site,
    ) -> Result<(f64, Derivatives)> {
        let (value, mut derivatives) = self.evaluate_first(expression, arguments, site)?;
        derivatives.curvature = self.curvature(&self.link(expression, arguments.to_vec()));
        Ok((value, derivatives))
    }

    /// Notes which parameters an expression of these has a kink at.
    pub(super) fn mark_kinks(&mut self, expression: &Expression, arguments: &[usize]) {
        let known = arguments.iter().map(|&a| (self.value(a), &self.derivatives[a]));
        if !at_kink(expression, &known.collect::<Vec<_>>(), |p| self.value(p)) {
            return;
        }
        let derivatives: Vec<Derivatives> = arguments.iter().map(|&a| self.derivatives(a)).collect();
        let known = arguments
            .iter()
            .zip(&derivatives)
            .map(|(&a, derivatives)| Some((self.value(a), derivatives)));
        let found = kinked(expression, &known.collect::<Vec<_>>(), |p| self.value(p));
        self.note_kinks(expression, found);
    }

    /// Notes parameters with the orders of the derivatives that an expression has none of by them; lower ones weigh more.
    pub(super) fn note_kinks(&mut self, expression: &Expression, parameters: Vec<(usize, usize)>) {
        for (p, order) in parameters {
            let kinks = &mut self.list[p].kinks;
            let is_known = |known: &FixedKink| known.objective == self.objective && known.order <= order;
            if !kinks.iter().any(is_known) {
                kinks.push(FixedKink {
                    expression: expression.to_string(),
                    order,
                    objective: self.objective.clone(),
                });
            }
        }
    }

    fn link(&self, expression: &Expression, sources: Vec<usize>) -> Link {
        let values: Vec<f64> = sources.iter().map(|&source| self.value(source)).collect();
        Link::new(expression, sources, &values)
    }

    fn evaluate_first(&self, expression: &Expression, arguments: &[usize], site: &Site) -> Result<(f64, Derivatives)> {
        let known = arguments.iter().map(|&a| (self.value(a), &self.derivatives[a]));
        let ([value], [derivatives]) = derivatives::evaluate_first(expression, &known.collect::<Vec<Known>>());
        if !value.is_finite() {
            return Err(self.not_finite(expression, arguments, value, site));
        }
        match derivatives.gradient.iter().find(|(_, slope)| !slope.is_finite()) {
            Some((p, slope)) => Err(self.no_derivative(expression, *p, *slope, site)),
            None => Ok((value, derivatives)),
        }
    }

    fn add(
        &mut self,
        (file, name, own): (&SceneFile, &str, bool),
        written: &schema::Parameter,
        forced: Option<f64>,
        site: &Site,
    ) -> Result<()> {
        check_interval(written, site)?;
        let index = self.list.len();
        let mut link = Link::default();
        let (value, mut derivatives) = match (forced, &written.value) {
            (Some(value), _) | (None, &Number::Literal(value)) => (value, Derivatives::default()),
            (None, Number::Text(text)) => {
                let site = if own { site.at("value") } else { site.clone() };
                let expression = site.expression(text)?;
                let sources = expression
                    .variables()
                    .iter()
                    .map(|variable| self.earlier(file, name, variable, &site));
                let sources = sources.collect::<Result<Vec<usize>>>()?;
                let found = self.evaluate_first(&expression, &sources, &site)?;
                self.mark_kinks(&expression, &sources);
                link = self.link(&expression, sources);
                found
            }
        };
        if own {
            derivatives.push(index, 1.0);
        }
        self.own.push(own);
        self.list.push(Parameter {
            name: name.to_string(),
            value,
            unit: written.unit.clone(),
            bounds: written.bounds.map(Finite::interval),
            about: written.about.clone(),
            kinks: Vec::new(),
        });
        self.derivatives.push(derivatives);
        self.links.push(link);
        self.positions.insert(name.to_string(), index);
        Ok(())
    }

    /// What a load case makes of the entry added last; expressions see that from now on.
    fn add_case(&mut self, (file, name): (&SceneFile, &str), set: Option<(&Number, Site)>) -> Result<()> {
        match set {
            Some((number, site)) => {
                let written = schema::Parameter::of(number.clone());
                self.add((file, name, false), &written, None, &site)
            }
            None => Ok(()),
        }
    }

    /// The parameter itself, whatever a load case makes of it.
    pub(super) fn itself(&self, name: &str) -> Option<&Parameter> {
        self.list.iter().find(|parameter| parameter.name == name)
    }

    /// The earlier parameter that a variable in the value of `name` means.
    fn earlier(&self, file: &SceneFile, name: &str, variable: &Variable, site: &Site) -> Result<usize> {
        let wanted = variable.name.as_str();
        if let Some(position) = self.position(wanted) {
            return Ok(position);
        }
        let error = |message: String| site.error_inside(variable.span.clone(), message);
        if wanted == name {
            return Err(error(format!("the parameter `{name}` uses itself"))
                .advise("a parameter is a number or an expression of parameters before it"));
        }
        if file.scene.constants.get(name).is_some() && file.scene.parameters.get(wanted).is_some() {
            return Err(error(format!("the constant `{name}` uses the parameter `{wanted}`"))
                .advise("a constant is a number or an expression of constants before it; let it be a parameter"));
        }
        if file.scene.parameters.get(wanted).is_some() || file.scene.constants.get(wanted).is_some() {
            return Err(error(format!("`{wanted}` is defined only further down"))
                .advise(format!("move `{wanted}` before `{name}`")));
        }
        Err(self.unknown(variable, &[], site))
    }

    /// The error for a variable that is neither a parameter nor one of the supplied quantities.
    pub(super) fn unknown(&self, variable: &Variable, supplied: &[&str], site: &Site) -> Error {
        let name = &variable.name;
        let error = |message: String| site.error_inside(variable.span.clone(), message);
        if name == "t" {
            return error("this value cannot depend on the time `t`".to_string()).advise(
                "time may be used in `angle`, `distance` and `value` of drivers, `equals` of couplings, loads, torques, \
                 springs, dampers and drags, outputs, objectives and events",
            );
        }
        if site.has_memory(name) {
            return error(format!("this value cannot depend on the memory `{name}`")).advise(
                "memory may be used where time may: in drivers, couplings, loads, torques, springs, dampers and drags, outputs, \
                 objectives and events",
            );
        }
        if name.contains('.') {
            return error(format!("`{name}` cannot be used here")).advise(
                "quantities of the motion are known only in loads, torques, springs, dampers and drags, outputs, \
                     objectives and events; use parameters",
            );
        }
        let parameters = self.list.iter().map(|parameter| parameter.name.as_str());
        let candidates = supplied.iter().copied().chain(parameters);
        error(format!("there is no parameter `{name}`")).advise(suggest(name, candidates, "parameters"))
    }

    /// Whether the parameter added last depends on one of these.
    fn follows(&self, overridden: &HashMap<&str, f64>) -> bool {
        let derivatives = self.derivatives.last();
        derivatives.is_some_and(|derivatives| {
            let mut names = derivatives.gradient.iter().map(|(p, _)| self.list[*p].name.as_str());
            names.any(|name| overridden.contains_key(name))
        })
    }

    /// Whether the parameter added last lies within its bounds.
    fn check_bounds(&self, site: &Site) -> Result<()> {
        let Some(parameter) = self.list.last() else {
            return Ok(());
        };
        let Some((low, high)) = parameter.bounds else {
            return Ok(());
        };
        let (name, value) = (&parameter.name, parameter.value);
        if (low..=high).contains(&value) {
            return Ok(());
        }
        Err(site
            .at("value")
            .error(format!("`{name}` is {value}, outside its bounds {low} to {high}"))
            .with_value(value)
            .advise("change the value or the bounds"))
    }

    fn not_finite(&self, expression: &Expression, arguments: &[usize], value: f64, site: &Site) -> Error {
        let known: Vec<String> = arguments
            .iter()
            .map(|&p| format!("{} = {}", self.list[p].name, self.value(p)))
            .collect();
        site.error(format!("`{expression}` has no finite value (it gives {value})"))
            .with_value(value)
            .advise(format!("it is evaluated with {}", known.join(", ")))
    }

    fn no_derivative(&self, expression: &Expression, p: usize, slope: f64, site: &Site) -> Error {
        let Parameter { name, value, .. } = &self.list[p];
        site.error(format!(
            "`{expression}` has no finite derivative with respect to `{name}` at {name} = {value}"
        ))
        .with_value(slope)
        .advise(format!(
            "move `{name}` away from this value, or write the expression without the singular point"
        ))
    }
}

fn check_interval(written: &schema::Parameter, site: &Site) -> Result<()> {
    match written.bounds.map(Finite::interval) {
        Some((low, high)) if low > high => site.at("bounds").refuse(
            format!("the lower bound {low} is above the upper bound {high}"),
            "write the bounds as (low, high)",
        ),
        _ => Ok(()),
    }
}
