//! Objectives: sums of final values and time integrals.

use super::Build;
use super::site::Site;
use crate::error::Result;
use crate::model::{Objective, Term};
use crate::scene::schema::{self, Number};

/// The numbers that a term is multiplied by, and the name of the last one within the objective.
#[derive(Default)]
struct Factors {
    numbers: Vec<usize>,
    label: String,
}

impl Build<'_> {
    pub(super) fn objectives(&mut self) -> Result<()> {
        for (name, objective) in self.scene.objectives.iter() {
            let site = Site::new(self.file, "objectives").at(name);
            let mut terms = Vec::new();
            self.terms(objective, &Factors::default(), &site, &mut terms)?;
            self.model.objectives.push(Objective {
                name: name.to_string(),
                terms,
            });
        }
        Ok(())
    }

    /// Adds the terms of an objective that is multiplied by these numbers.
    fn terms(
        &mut self,
        objective: &schema::Objective,
        factors: &Factors,
        site: &Site,
        terms: &mut Vec<Term>,
    ) -> Result<()> {
        let inner = site.at(0);
        let coefficient = factors.numbers.clone();
        match objective {
            schema::Objective::Final(text) => {
                let value = self.output(text, &inner)?;
                terms.push(Term::Final { coefficient, value });
            }
            schema::Objective::Integral(text) => {
                let integrand = self.model.integrands.len();
                let value = self.output(text, &inner)?;
                self.model.integrands.push(value);
                terms.push(Term::Integral { coefficient, integrand });
            }
            schema::Objective::Sum(list) => {
                self.sum(list, factors, &inner, terms)?;
            }
        }
        Ok(())
    }

    fn sum(
        &mut self,
        list: &[(Number, schema::Objective)],
        factors: &Factors,
        site: &Site,
        terms: &mut Vec<Term>,
    ) -> Result<()> {
        if list.is_empty() {
            return Err(site
                .error("the sum has no terms")
                .advise("write Sum([(factor, objective), ..])"));
        }
        for (k, (factor, part)) in list.iter().enumerate() {
            let pair = site.at(k);
            let label = match factors.label.as_str() {
                "" => format!("factor {}", k + 1),
                outer => format!("{outer}, {}", k + 1),
            };
            let name = format!("{}.{label}", site.element());
            let mut numbers = factors.numbers.clone();
            numbers.push(self.numbers.read(factor, name, &pair.at(0))?);
            let factors = Factors { numbers, label };
            self.terms(part, &factors, &pair.at(1), terms)?;
        }
        Ok(())
    }
}
