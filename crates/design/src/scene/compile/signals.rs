//! Values that may depend on time and memory.

use super::Build;
use super::draft::Draft;
use super::site::Site;
use crate::error::Result;
use crate::expression::{Expression, Variable};
use crate::model::function::{Argument, Function, Signal};
use crate::model::local::MAX_LOCAL;
use crate::model::quantity::{Output, Quantity};
use crate::scene::schema::Number;

/// Name of the time in expressions.
pub(super) const TIME: &str = "t";

impl Build<'_> {
    /// A value that may depend on time and memory, in local indices.
    pub(super) fn signal(&mut self, number: &Number, label: String, site: &Site, draft: &mut Draft) -> Result<Signal> {
        if let Number::Text(text) = number {
            let expression = site.expression(text)?;
            let mut names = expression.variables().iter().map(|variable| variable.name.as_str());
            if names.any(|name| name == TIME || self.memory_named(name).is_some()) {
                let function = self.function(expression, &[], site, draft)?;
                return Ok(Signal::Function(function));
            }
        }
        let id = self.numbers.read(number, label, site)?;
        Ok(Signal::Number(draft.number(id)))
    }

    /// A function of time, parameters, memory and the variables that the element supplies.
    pub(super) fn function(
        &mut self,
        expression: Expression,
        supplied: &[(&str, Quantity)],
        site: &Site,
        draft: &mut Draft,
    ) -> Result<Function> {
        let (mut arguments, mut quantities) = (Vec::new(), Vec::new());
        for variable in expression.variables() {
            let name = variable.name.as_str();
            let parameter = self.numbers.parameters.position(name);
            let own = supplied.iter().position(|(known, _)| *known == name);
            let parameter = parameter.map(|parameter| self.numbers.of_parameter(parameter));
            let outside = parameter.or_else(|| self.memory_named(name));
            let (argument, quantity) = match (name, own, outside) {
                (TIME, ..) => (Argument::Time, Quantity::Time),
                (_, Some(position), None) => (Argument::Variable(position), supplied[position].1.clone()),
                (_, None, Some(number)) => (Argument::Number(draft.number(number)), Quantity::Number(number)),
                (_, Some(position), Some(_)) => {
                    let supplied = self.supplied(variable, &supplied[position].1, site)?;
                    (Argument::Variable(position), supplied)
                }
                (_, None, None) => {
                    let supplied: Vec<&str> = supplied.iter().map(|(name, _)| *name).collect();
                    return Err(self.numbers.parameters.unknown(variable, &supplied, site));
                }
            };
            arguments.push(argument);
            quantities.push(quantity);
        }
        check_count(arguments.len(), "variables", site)?;
        let written = Function {
            expression,
            arguments: arguments.clone(),
            written: None,
        };
        let held = Output {
            expression: written.expression.clone(),
            arguments: quantities,
            earlier: Vec::new(),
        };
        let held = self.kinks_held(held, site)?;
        check_count(held.arguments.len(), "variables and kinks", site)?;
        for side in &held.arguments[arguments.len()..] {
            if let Quantity::Number(side) = side {
                arguments.push(Argument::Number(draft.number(*side)));
            }
        }
        if arguments.len() == written.arguments.len() {
            return Ok(written);
        }
        Ok(Function {
            expression: held.expression,
            arguments,
            written: Some(Box::new(written)),
        })
    }

    /// The quantity of its element that a name means, and nothing else.
    pub(super) fn supplied(&self, variable: &Variable, quantity: &Quantity, site: &Site) -> Result<Quantity> {
        let name = variable.name.as_str();
        let parameter = self.numbers.parameters.position(name).map(|_| "parameter");
        let Some(what) = parameter.or_else(|| self.memory_named(name).map(|_| "memory")) else {
            return Ok(quantity.clone());
        };
        let message = format!("`{name}` means both a {what} and a quantity of this element");
        let error = site.error_inside(variable.span.clone(), message);
        Err(error.advise(format!("rename the {what}")))
    }

    /// A value that may depend on time and memory, finite at the start of the simulation if the element acts then.
    pub(super) fn finite_signal(
        &mut self,
        number: &Number,
        label: String,
        site: &Site,
        draft: &mut Draft,
    ) -> Result<Signal> {
        let signal = self.signal(number, label, site, draft)?;
        if draft.active {
            self.require_at_start(&signal, draft, site, f64::is_finite, "finite")?;
        }
        Ok(signal)
    }

    /// The value of a field that may depend on time and memory, as [`Build::finite_signal`].
    pub(super) fn signal_field(
        &mut self,
        site: &Site,
        field: &str,
        number: &Number,
        draft: &mut Draft,
    ) -> Result<Signal> {
        let inner = site.at(field);
        self.finite_signal(number, inner.label(), &inner, draft)
    }

    /// Demands that the value at the start of the simulation lies in its range, given in words as `rule`.
    pub(super) fn require_at_start(
        &self,
        signal: &Signal,
        draft: &Draft,
        site: &Site,
        allowed: fn(f64) -> bool,
        rule: &str,
    ) -> Result<()> {
        let numbers = draft.local.numbers.iter().map(|&number| self.number_value(number));
        let value = signal.evaluate(self.start, &numbers.collect::<Vec<f64>>());
        if value.is_finite() && allowed(value) {
            return Ok(());
        }
        let label = site.label();
        let when = if signal.depends_on_time() { " at the start" } else { "" };
        Err(site
            .error(format!("`{label}` is {value}{when}, but must be {rule}"))
            .with_value(value)
            .advise(format!("give a value that is {rule}")))
    }
}

/// An element has room for so many arguments of an expression.
fn check_count(count: usize, what: &str, site: &Site) -> Result<()> {
    if count <= MAX_LOCAL {
        return Ok(());
    }
    site.refuse(
        format!("the expression has {count} {what}; at most {MAX_LOCAL} are possible"),
        "combine parameters in a parameter of their own",
    )
}
