//! Values that may depend on time and memory.

use super::Build;
use super::site::Site;
use crate::error::Result;
use crate::expression::Expression;
use crate::model::function::{Argument, Function, Signal};
use crate::model::local::{Local, MAX_LOCAL};
use crate::scene::schema::Number;

/// Name of the time in expressions.
pub(super) const TIME: &str = "t";

impl Build<'_> {
    /// A value that may depend on time and memory, in local indices.
    pub(super) fn signal(&mut self, number: &Number, label: String, site: &Site, local: &mut Local) -> Result<Signal> {
        if let Number::Text(text) = number {
            let expression = site.expression(text)?;
            let mut names = expression.variables().iter().map(|variable| variable.name.as_str());
            if names.any(|name| name == TIME || self.memory_named(name).is_some()) {
                let function = self.function(expression, &[], site, local)?;
                return Ok(Signal::Function(function));
            }
        }
        let id = self.numbers.read(number, label, site)?;
        Ok(Signal::Number(local.number(id)))
    }

    /// A function of time, parameters, memory and the variables that the element supplies.
    pub(super) fn function(
        &mut self,
        expression: Expression,
        supplied: &[&str],
        site: &Site,
        local: &mut Local,
    ) -> Result<Function> {
        let mut arguments = Vec::new();
        for variable in expression.variables() {
            let name = variable.name.as_str();
            let parameter = self.numbers.parameters.position(name);
            let own = supplied.iter().position(|known| *known == name);
            let parameter = parameter.map(|parameter| self.numbers.of_parameter(parameter));
            let outside = parameter.or_else(|| self.memory_named(name));
            arguments.push(match (name, own, outside) {
                (TIME, ..) => Argument::Time,
                (_, Some(position), None) => Argument::Variable(position),
                (_, None, Some(number)) => Argument::Number(local.number(number)),
                (_, Some(_), Some(_)) => {
                    let what = if parameter.is_some() { "parameter" } else { "memory" };
                    let message = format!("`{name}` means both a {what} and a quantity of this element");
                    return Err(site
                        .error_inside(variable.span.clone(), message)
                        .advise(format!("rename the {what}")));
                }
                (_, None, None) => return Err(self.numbers.parameters.unknown(variable, supplied, site)),
            });
        }
        if arguments.len() > MAX_LOCAL {
            let message = format!(
                "the expression has {} variables; at most {MAX_LOCAL} are possible",
                arguments.len()
            );
            return Err(site
                .error(message)
                .advise("combine parameters in a parameter of their own"));
        }
        Ok(Function { expression, arguments })
    }

    /// Demands that the value at the start of the simulation lies in its range, given in words as `rule`.
    pub(super) fn require_at_start(
        &self,
        signal: &Signal,
        local: &Local,
        site: &Site,
        allowed: fn(f64) -> bool,
        rule: &str,
    ) -> Result<()> {
        let numbers: Vec<f64> = local.numbers.iter().map(|&number| self.number_value(number)).collect();
        let value = signal.evaluate(self.start, &numbers);
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

    /// Demands a finite value at the start of the simulation from what acts from the start.
    pub(super) fn require_finite(&self, signal: &Signal, local: &Local, active: bool, site: &Site) -> Result<()> {
        if !active {
            return Ok(());
        }
        self.require_at_start(signal, local, site, f64::is_finite, "finite")
    }
}
