//! Formulas of objectives: their names resolved.

use super::Build;
use super::site::Site;
use crate::error::{Error, Result};
use crate::expression::{Variable, suggest};
use crate::model::{Formula, FormulaArgument, FormulaPart};

impl Build<'_> {
    pub(super) fn sum_of_squares(&mut self, texts: &[String], site: &Site) -> Result<usize> {
        if texts.is_empty() {
            return site.refuse("the sum has no terms", "write SumOfSquares([\"expression\", ..])");
        }
        let list = site.at(0);
        let parts = texts.iter().enumerate().map(|(k, text)| (text, list.at(k)));
        self.formula(&parts.collect::<Vec<_>>(), true, site)
    }

    /// A formula of these expressions, each with its place.
    pub(super) fn formula(&mut self, parts: &[(&String, Site)], squared: bool, site: &Site) -> Result<usize> {
        let parts = parts.iter().map(|(text, site)| self.formula_part(text, site));
        let formula = Formula {
            objective: site.element().to_string(),
            parts: parts.collect::<Result<_>>()?,
            squared,
        };
        self.model.formulas.push(formula);
        Ok(self.model.formulas.len() - 1)
    }

    fn formula_part(&mut self, text: &str, site: &Site) -> Result<FormulaPart> {
        let expression = site.expression(text)?;
        let arguments = expression.variables().iter();
        let arguments = arguments.map(|variable| self.formula_argument(variable, site));
        let arguments = arguments.collect::<Result<_>>()?;
        Ok(FormulaPart { expression, arguments })
    }

    fn formula_argument(&mut self, variable: &Variable, site: &Site) -> Result<FormulaArgument> {
        let name = variable.name.as_str();
        let objective = self.scene.objectives.names().position(|known| known == name);
        let parameter = self.numbers.parameters.position(name);
        match (objective, parameter) {
            (Some(_), Some(_)) => {
                let message = format!("`{name}` is both an objective and a parameter or constant");
                Err(site
                    .error_inside(variable.span.clone(), message)
                    .advise("a formula could not tell them apart; rename one of them"))
            }
            (Some(objective), None) => Ok(FormulaArgument::Objective(objective)),
            (None, Some(parameter)) => Ok(FormulaArgument::Number(self.numbers.of_parameter(parameter))),
            (None, None) => Err(self.unknown_in_formula(variable, site)),
        }
    }

    fn unknown_in_formula(&self, variable: &Variable, site: &Site) -> Error {
        let name = variable.name.as_str();
        let error = |message: String| site.error_inside(variable.span.clone(), message);
        let of_motion = name == super::signals::TIME
            || name.contains('.')
            || self.scene.outputs.get(name).is_some()
            || self.scene.memory.get(name).is_some();
        if of_motion {
            return error(format!(
                "`{name}` changes during the motion: a formula knows objectives and parameters"
            ))
            .advise(format!(
                "name an objective, such as `Final(\"{name}\")`, and write its name here"
            ));
        }
        let numbers = self.scene.parameters.names().chain(self.scene.constants.names());
        let known = self.scene.objectives.names().chain(numbers);
        error(format!("there is no objective or parameter `{name}`")).advise(suggest(
            name,
            known,
            "objectives and parameters",
        ))
    }

    /// Refuses objectives that lead back to themselves: names some that do.
    pub(super) fn refuse_circles(&self) -> Result<()> {
        let order = self.model.objective_order();
        let left = |user: &usize| !order.contains(user);
        let mut way = Vec::new();
        let mut next = (0..self.model.objectives.len()).find(left);
        while let Some(user) = next.filter(|user| !way.contains(user)) {
            way.push(user);
            next = self.model.named_by(user).find(left);
        }
        let Some(first) = way.iter().position(|&user| Some(user) == next) else {
            return Ok(());
        };
        let circle = way[first..].iter().chain(next.iter());
        let names: Vec<String> = circle
            .map(|&k| format!("`{}`", self.model.objectives[k].name))
            .collect();
        let name = &self.model.objectives[way[first]].name;
        Site::new(self.file, "objectives").at(name).refuse(
            format!("the objective `{name}` is made of itself: {}", names.join(" names ")),
            "let a formula name objectives that do not lead back to it",
        )
    }
}
