//! Objectives: sums of final values, time integrals and costs at events.

use super::Build;
use super::fits::{Spread, WrittenFit};
use super::names::Element;
use super::site::Site;
use crate::error::Result;
use crate::model::{EventSum, Objective, Peak, Side, Term};
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
        let term = match objective {
            schema::Objective::Final(text) => {
                let value = self.output(text, &inner)?;
                Term::Final { coefficient, value }
            }
            schema::Objective::Integral(text) => {
                let integrand = self.model.integrands.len();
                let value = self.output(text, &inner)?;
                let value = self.all_kinks_held(value, &inner)?;
                self.model.integrands.push(value);
                Term::Integral { coefficient, integrand }
            }
            schema::Objective::Max(text) | schema::Objective::Min(text) => {
                let value = self.output(text, &inner)?;
                let peak = self.model.peaks.len();
                self.model.peaks.push(Peak {
                    objective: site.element().to_string(),
                    value,
                    greatest: matches!(objective, schema::Objective::Max(_)),
                });
                Term::Peak { coefficient, peak }
            }
            schema::Objective::AtEvents { of, event, side } => {
                let names = self.names_of_events(event, &site.at("event"))?;
                let value = self.output(of, &site.at("of"))?;
                let sum = self.model.event_sums.len();
                self.model.event_sums.push(EventSum {
                    objective: site.element().to_string(),
                    names,
                    side: match side {
                        schema::Side::Before => Side::Before,
                        schema::Side::After => Side::After,
                    },
                    value,
                });
                Term::AtEvents { coefficient, sum }
            }
            schema::Objective::Fit {
                data,
                time,
                columns,
                events,
                sigma,
                weight,
            } => {
                let written = WrittenFit {
                    data,
                    time: time.as_deref(),
                    columns,
                    events,
                    spread: Spread {
                        sigma: sigma.as_ref(),
                        weight: weight.as_ref(),
                    },
                };
                let fit = self.fit(&written, site)?;
                Term::Fit { coefficient, fit }
            }
            schema::Objective::Sum(list) => return self.sum(list, factors, &inner, terms),
        };
        terms.push(term);
        Ok(())
    }

    /// Names that the events of a contact or of a scene event have in reports.
    pub(super) fn names_of_events(&self, name: &str, site: &Site) -> Result<Vec<String>> {
        let mut names = Vec::new();
        if let Some(Element::Contact(index)) = self.names.get(name) {
            let sides = self.contacts[index].iter();
            names.extend(sides.map(|&contact| self.model.contacts[contact].name.clone()));
        }
        if self.scene.events.get(name).is_some() {
            names.push(name.to_string());
        }
        if names.is_empty() {
            let known = self.scene.contacts.names().chain(self.scene.events.names());
            return Err(site.unknown(["contact or event", "contacts and events"], name, known));
        }
        Ok(names)
    }

    fn sum(
        &mut self,
        list: &[(Number, schema::Objective)],
        factors: &Factors,
        site: &Site,
        terms: &mut Vec<Term>,
    ) -> Result<()> {
        if list.is_empty() {
            return site.refuse("the sum has no terms", "write Sum([(factor, objective), ..])");
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
