//! Collects the numbers of the model, each once, with their derivatives with respect to the parameters.

use super::derivatives::{self, Derivatives, Known, Sum};
use super::fixed_kinks::kinked;
use super::overrides::Overrides;
use super::parameters::Parameters;
use super::site::Site;
use crate::error::Result;
use crate::expression::Expression;
use crate::model;
use crate::scene::SceneFile;
use crate::scene::schema::Number;

/// The numbers so far.
pub(super) struct Numbers {
    pub(super) parameters: Parameters,
    pub(super) list: Vec<model::Number>,
    /// Derivatives of each.
    derivatives: Vec<Derivatives>,
    /// The number that is the parameter itself, where an expression needs it.
    of_parameter: Vec<Option<usize>>,
    used: Vec<bool>,
}

impl Numbers {
    pub(super) fn new(file: &SceneFile, overrides: &Overrides) -> Result<Self> {
        let parameters = Parameters::read(file, overrides)?;
        let count = parameters.list.len();
        Ok(Self {
            parameters,
            list: Vec::new(),
            derivatives: Vec::new(),
            of_parameter: vec![None; count],
            used: vec![false; count],
        })
    }

    /// A number of the scene that does not depend on time.
    pub(super) fn read(&mut self, number: &Number, name: String, site: &Site) -> Result<usize> {
        let (value, derivatives) = self.evaluate(number, site)?;
        Ok(self.add(value, name, derivatives))
    }

    /// The value of a number that is not part of the model.
    pub(super) fn outside(&mut self, number: &Number, site: &Site) -> Result<f64> {
        Ok(self.evaluate(number, site)?.0)
    }

    fn evaluate(&mut self, number: &Number, site: &Site) -> Result<(f64, Derivatives)> {
        let text = match number {
            Number::Literal(value) => return Ok((*value, Derivatives::default())),
            Number::Text(text) => text,
        };
        let expression = site.expression(text)?;
        let mut arguments = Vec::new();
        for variable in expression.variables() {
            let Some(parameter) = self.parameters.position(&variable.name) else {
                return Err(self.parameters.unknown(variable, &[], site));
            };
            self.mark_used(parameter);
            arguments.push(parameter);
        }
        let found = self.parameters.evaluate(&expression, &arguments, site)?;
        self.parameters.mark_kinks(&expression, &arguments);
        Ok(found)
    }

    /// Notes the kinks of an expression of numbers; none stands for what is not known beforehand.
    pub(super) fn mark_kinks(&mut self, expression: &Expression, numbers: &[Option<usize>]) {
        let known: Vec<Option<Known>> = numbers.iter().map(|number| Some(self.known((*number)?))).collect();
        let found = kinked(expression, &known, |p| self.parameters.value(p));
        self.parameters.note_kinks(expression, found);
    }

    /// A number that depends on no parameter.
    pub(super) fn constant(&mut self, value: f64, name: String) -> usize {
        self.add(value, name, Derivatives::default())
    }

    /// The number that is the parameter itself, named as the parameter.
    pub(super) fn of_parameter(&mut self, parameter: usize) -> usize {
        if let Some(number) = self.of_parameter[parameter] {
            return number;
        }
        self.mark_used(parameter);
        let name = self.parameters.list[parameter].name.clone();
        let derivatives = self.parameters.derivatives(parameter);
        let number = self.add(self.parameters.value(parameter), name, derivatives);
        self.of_parameter[parameter] = Some(number);
        number
    }

    /// Sum of factor times number.
    pub(super) fn combination(&mut self, terms: &[(f64, usize)], name: String) -> usize {
        let factors: Vec<f64> = terms.iter().map(|(factor, _)| *factor).collect();
        let known: Vec<Known> = terms.iter().map(|(_, number)| self.known(*number)).collect();
        let ([value], [derivatives]) = derivatives::evaluate(&Sum(&factors), &known);
        self.add(value, name, derivatives)
    }

    /// A number with given derivatives.
    pub(super) fn add(&mut self, value: f64, name: String, derivatives: Derivatives) -> usize {
        self.list.push(model::Number {
            value,
            name,
            gradient: derivatives.gradient.clone(),
            curvature: derivatives.curvature.clone(),
        });
        self.derivatives.push(derivatives);
        self.list.len() - 1
    }

    /// Value and derivatives.
    pub(super) fn known(&self, number: usize) -> Known<'_> {
        (self.value(number), &self.derivatives[number])
    }

    pub(super) fn value(&self, number: usize) -> f64 {
        self.list[number].value
    }

    /// The number itself, which must lie in its range, given in words as `rule`.
    pub(super) fn require(&self, number: usize, site: &Site, allowed: fn(f64) -> bool, rule: &str) -> Result<usize> {
        let model::Number { value, name, .. } = &self.list[number];
        if allowed(*value) {
            return Ok(number);
        }
        Err(site
            .error(format!("`{name}` is {value}, but must be {rule}"))
            .with_value(*value)
            .advise(format!("give a value that is {rule}")))
    }

    /// Demands that a number computed from others is finite, and its derivatives too.
    pub(super) fn require_finite(&self, number: usize, site: &Site) -> Result<usize> {
        let model::Number { name, gradient, .. } = &self.list[number];
        if let Some((_, slope)) = gradient.iter().find(|(_, slope)| !slope.is_finite()) {
            let message = format!("the derivative of `{name}` is too large");
            return Err(site.error(message).with_value(*slope).advise("give smaller values"));
        }
        self.require(number, site, f64::is_finite, "finite")
    }

    /// Names of the parameters that nothing uses, not even through another parameter.
    pub(super) fn unused_parameters(&self) -> Vec<String> {
        let parameters = &self.parameters;
        let list = parameters.list.iter().zip(&parameters.own).zip(&self.used);
        list.filter(|((_, own), used)| **own && !**used)
            .map(|((parameter, _), _)| parameter.name.clone())
            .collect()
    }

    /// The parameters of the model, and the numbers with their derivatives by these.
    pub(super) fn finish(mut self) -> (Vec<model::Parameter>, Vec<model::Number>) {
        let mut count = 0..;
        let own = self.parameters.own.iter();
        let places: Vec<usize> = own
            .map(|own| if *own { count.next().unwrap_or(0) } else { 0 })
            .collect();
        for number in &mut self.list {
            number.gradient.iter_mut().for_each(|(p, _)| *p = places[*p]);
            for (p, r, _) in &mut number.curvature {
                (*p, *r) = (places[*p], places[*r]);
            }
        }
        let parameters = self.parameters.list.into_iter().zip(self.parameters.own);
        let own = parameters.filter(|(_, own)| *own).map(|(parameter, _)| parameter);
        (own.collect(), self.list)
    }

    fn mark_used(&mut self, parameter: usize) {
        let mut waiting = vec![parameter];
        while let Some(parameter) = waiting.pop() {
            if !std::mem::replace(&mut self.used[parameter], true) {
                waiting.extend(self.parameters.sources(parameter));
            }
        }
    }
}
