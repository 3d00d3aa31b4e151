//! The terms of sums of squares with their gradients, from those of the objectives that they name.

use super::{Experiment, GradientReport};
use crate::model::{FormulaArgument, FormulaPart, Term};

impl Experiment {
    /// The residuals of a sum of squares with their gradients by parameter, from a report that has every objective; none when
    /// the objective is no such sum.
    pub(crate) fn residuals(&self, objective: &str, report: &GradientReport) -> Option<Vec<(f64, Vec<f64>)>> {
        let model = &self.mechanism.model;
        let found = model.objectives.iter().find(|found| found.name == objective)?;
        let [Term::Formula { formula, .. }] = found.terms[..] else {
            return None;
        };
        let (formula, numbers) = (&model.formulas[formula], model.number_values());
        let values: Vec<f64> = report.objectives.iter().map(|found| found.value).collect();
        let residual = |part: &FormulaPart| {
            let mut gradient = vec![0.0; report.parameters.len()];
            for (argument, slope) in part.arguments.iter().zip(part.slopes(&values, &numbers)) {
                match *argument {
                    FormulaArgument::Objective(named) => {
                        let by = gradient.iter_mut().zip(&report.objectives[named].gradient);
                        by.for_each(|(total, derivative)| *total += slope * derivative);
                    }
                    FormulaArgument::Number(number) => {
                        for &(parameter, derivative) in &model.numbers[number].gradient {
                            gradient[parameter] += slope * derivative;
                        }
                    }
                }
            }
            (part.evaluate(&values, &numbers), gradient)
        };
        formula.squared.then(|| formula.parts.iter().map(residual).collect())
    }
}
