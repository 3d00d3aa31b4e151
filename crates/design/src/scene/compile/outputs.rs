//! Expressions of quantities of the motion: outputs, and what events and objectives use.

use std::collections::BTreeSet;

use super::Build;
use super::names::Element;
use super::signals::TIME;
use super::site::Site;
use crate::error::{Error, Result};
use crate::expression::Variable;
use crate::expression::suggest;
use crate::model::quantity::{MAX_EARLIER, Output, Quantity};

impl Build<'_> {
    pub(super) fn outputs(&mut self) -> Result<()> {
        for (name, text) in self.scene.outputs.iter() {
            let site = Site::new(self.file, "outputs").at(name);
            let output = self.output(text, &site)?;
            let varies = self.varies(&output);
            self.outputs_vary.push(varies);
            self.model.outputs.push((name.to_string(), output));
        }
        Ok(())
    }

    /// An expression of the time, parameters, earlier outputs and quantities of elements.
    pub(super) fn output(&mut self, text: &str, site: &Site) -> Result<Output> {
        self.output_with(text, &[], site)
    }

    /// The same, with names that mean quantities of the element where the expression stands.
    pub(super) fn output_with(&mut self, text: &str, supplied: &[(&str, Quantity)], site: &Site) -> Result<Output> {
        let expression = site.expression(text)?;
        let arguments = expression.variables().iter().map(|variable| {
            match supplied.iter().find(|(name, _)| *name == variable.name) {
                Some((_, quantity)) => self.supplied(variable, quantity, site),
                None => self.quantity(variable, site),
            }
        });
        let arguments: Vec<Quantity> = arguments.collect::<Result<_>>()?;
        let earlier = self.earlier(&arguments);
        if earlier.len() > MAX_EARLIER {
            let count = earlier.len();
            let message = format!("the expression builds on {count} outputs; at most {MAX_EARLIER} are possible");
            return site.refuse(message, "write some of them into one expression");
        }
        let output = Output {
            expression,
            arguments,
            earlier,
        };
        self.mark_kinks(&output);
        Ok(output)
    }

    /// The outputs that these quantities name, with all that those build on; ascending.
    fn earlier(&self, arguments: &[Quantity]) -> Vec<usize> {
        let mut earlier = BTreeSet::new();
        for quantity in arguments {
            if let Quantity::Output(index) = quantity {
                earlier.extend(&self.model.outputs[*index].1.earlier);
                earlier.insert(*index);
            }
        }
        earlier.into_iter().collect()
    }

    /// Whether an expression can change during the motion.
    pub(super) fn varies(&self, output: &Output) -> bool {
        output.arguments.iter().any(|quantity| self.varying(quantity))
    }

    /// Whether a quantity can change between events.
    pub(super) fn varying(&self, quantity: &Quantity) -> bool {
        match quantity {
            Quantity::Number(number) => self.has_rate(*number),
            Quantity::Output(index) => self.outputs_vary.get(*index).copied().unwrap_or(true),
            _ => true,
        }
    }

    fn quantity(&mut self, variable: &Variable, site: &Site) -> Result<Quantity> {
        let name = variable.name.as_str();
        if name == TIME {
            return Ok(Quantity::Time);
        }
        if let Some(parameter) = self.numbers.parameters.position(name) {
            return Ok(Quantity::Number(self.numbers.of_parameter(parameter)));
        }
        if let Some(memory) = self.memory_named(name) {
            return Ok(Quantity::Number(memory));
        }
        if let Some(output) = self.model.outputs.iter().position(|(known, _)| known == name) {
            return Ok(Quantity::Output(output));
        }
        match self.names.split(name) {
            Some((element, field)) => match self.element_quantity(element, field)? {
                Some(quantity) => Ok(quantity),
                None => Err(self.unknown_quantity(element, field, variable, site)),
            },
            None => Err(self.unknown_variable(variable, site)),
        }
    }

    fn unknown_variable(&self, variable: &Variable, site: &Site) -> Error {
        let name = variable.name.as_str();
        let error = |message: String| site.error_inside(variable.span.clone(), message);
        if self.scene.outputs.get(name).is_some() {
            return error(format!("the output `{name}` is not defined before this place"))
                .advise(format!("move `{name}` up: an output may use those before it"));
        }
        if let Some(element) = self.names.get(name) {
            let fields = self.fields(element);
            let example = fields.first().map_or("", String::as_str);
            return error(format!("`{name}` is {}, not a number", element.described()))
                .advise(format!("name one of its quantities, such as `{name}.{example}`"));
        }
        let outputs = self.model.outputs.iter().map(|(name, _)| name.as_str());
        let (parameters, memory) = (self.scene.parameters.names(), self.scene.memory.names());
        let candidates = parameters
            .chain(self.scene.constants.names())
            .chain(outputs)
            .chain(memory);
        let advice = suggest(name, candidates, "parameters and outputs");
        error(format!("there is no parameter or earlier output `{name}`")).advise(advice)
    }

    fn unknown_quantity(&self, element: &str, field: &str, variable: &Variable, site: &Site) -> Error {
        let name = variable.name.as_str();
        let error = |message: String| site.error_inside(variable.span.clone(), message);
        if element == "energy" {
            return error(format!("there is no energy `{name}`"))
                .advise("write `energy.kinetic`, `energy.potential` or `energy.total`");
        }
        let found = self.names.get(element);
        if let Some(sides) = found.and_then(|found| self.sides(found)) {
            let advice = format!("write `'{}'.{field}` or `'{}'.{field}`", sides[0], sides[1]);
            let parts = if sides.len() == 2 { "two sides" } else { "several parts" };
            return error(format!("`{element}` has {parts}, each with quantities of its own")).advise(advice);
        }
        let (described, fields, written) = match (found, self.contacts_named(element).first()) {
            (Some(found), _) => (found.described(), self.fields(found), element.to_string()),
            (None, Some(part)) => {
                let fields = self.of_contact(*part).into_iter().map(|(name, _)| name);
                ("a contact", fields.collect(), format!("'{element}'"))
            }
            (None, None) => {
                let names = self.names.iter().map(|(name, _)| name).chain(self.parts_of_contacts());
                return error(format!("there is no element `{element}`")).advise(suggest(element, names, "elements"));
            }
        };
        let listed: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
        let nearest = crate::expression::nearest_name(field, fields.iter().map(String::as_str));
        let meant = nearest.map_or(String::new(), |near| format!("did you mean `{written}.{near}`? "));
        let message = format!("`{element}` is {described} and has no quantity `{field}`");
        error(message).advise(format!("{meant}It has {}", listed.join(", ")))
    }

    /// Names of the contacts that an end stop with two sides, or a surface of several parts, became.
    pub(super) fn sides(&self, element: Element) -> Option<Vec<&str>> {
        let Element::Contact(index) = element else {
            return None;
        };
        let sides = self.contacts.get(index).filter(|sides| sides.len() > 1)?;
        Some(
            sides
                .iter()
                .map(|&side| self.model.contacts[side].name.as_str())
                .collect(),
        )
    }

    /// The names of all of these.
    pub(super) fn parts_of_contacts(&self) -> impl Iterator<Item = &str> + Clone {
        let several = self.contacts.iter().filter(|parts| parts.len() > 1).flatten();
        several.map(|&part| self.model.contacts[part].name.as_str())
    }

    /// The contacts of the model that a name means: all parts of a contact of the scene, or one of them, by its name in reports.
    pub(super) fn contacts_named(&self, name: &str) -> Vec<usize> {
        match self.names.get(name) {
            Some(Element::Contact(index)) => self.contacts.get(index).cloned().unwrap_or_default(),
            Some(_) => Vec::new(),
            None => {
                let part = self.model.contacts.iter().position(|contact| contact.name == name);
                part.into_iter().collect()
            }
        }
    }
}
