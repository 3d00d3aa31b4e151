//! Objectives: sums of final values, time integrals and costs at events.

use super::Build;
use super::fits::{Spread, WrittenFit};
use super::names::Element;
use super::site::Site;
use crate::error::Result;
use crate::expression::Bend;
use crate::model::quantity::{Output, Quantity};
use crate::model::{EventSum, Friction, Objective, Occurrence, Peak, Reading, Rubbed, Side, Term};
use crate::scene::schema::{self, EventKind, Number, Which};

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
            self.numbers.parameters.objective = Some(name.to_string());
            self.terms(objective, &Factors::default(), &site, &mut terms)?;
            self.numbers.parameters.objective = None;
            self.model.objectives.push(Objective {
                name: name.to_string(),
                terms,
                wanted: true,
            });
        }
        self.refuse_circles()
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
        terms.push(match objective {
            schema::Objective::Final(text) => Term::Final {
                coefficient,
                value: self.output(text, &inner)?,
            },
            schema::Objective::Integral(text) => Term::Integral {
                coefficient,
                integrand: self.integrand(text, &inner)?,
            },
            schema::Objective::Max(text) | schema::Objective::Min(text) => Term::Peak {
                coefficient,
                peak: self.peak(text, matches!(objective, schema::Objective::Max(_)), &inner)?,
            },
            schema::Objective::At { time, of } => Term::At {
                coefficient,
                reading: self.reading(time, of, site)?,
            },
            schema::Objective::AtEvents { .. } => Term::AtEvents {
                coefficient,
                sum: self.event_sum(objective, site)?,
            },
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
            schema::Objective::Formula(text) => Term::Formula {
                coefficient,
                formula: self.formula(&[(text, inner)], false, site)?,
            },
            schema::Objective::SumOfSquares(texts) => Term::Formula {
                coefficient,
                formula: self.sum_of_squares(texts, site)?,
            },
            schema::Objective::Sum(list) => return self.sum(list, factors, &inner, terms),
        });
        Ok(())
    }

    fn integrand(&mut self, text: &str, site: &Site) -> Result<usize> {
        let integrand = self.model.integrands.len();
        let value = self.output(text, site)?;
        let value = self.all_kinks_held(value, site)?;
        self.model.integrands.push(value);
        Ok(integrand)
    }

    fn peak(&mut self, text: &str, greatest: bool, site: &Site) -> Result<usize> {
        let mut value = self.output(text, site)?;
        if !self.is_bent_away(&value, greatest) {
            value = self.all_kinks_held(value, site)?;
        }
        self.model.peaks.push(Peak {
            objective: site.element().to_string(),
            value,
            greatest,
        });
        Ok(self.model.peaks.len() - 1)
    }

    /// Whether a value has no greatest, or least, one at any of its kinks.
    fn is_bent_away(&self, value: &Output, greatest: bool) -> bool {
        let away = if greatest { Bend::Up } else { Bend::Down };
        [Bend::Smooth, away].contains(&self.bend(value))
    }

    /// How its kinks bend an expression, with those of the outputs that it builds on.
    fn bend(&self, output: &Output) -> Bend {
        let signed = self.with_signed_reactions(output.clone());
        signed.expression.bend(|variable| match &signed.arguments[variable] {
            quantity if !self.varying(quantity) => None,
            Quantity::Output(index) => Some(self.bend(&self.model.outputs[*index].1)),
            _ => Some(Bend::Smooth),
        })
    }

    fn reading(&mut self, time: &Number, of: &str, site: &Site) -> Result<usize> {
        let value = self.output(of, &site.at("of"))?;
        let time_site = site.at("time");
        let time = self.numbers.read(time, time_site.label(), &time_site)?;
        self.model.readings.push(Reading {
            objective: site.element().to_string(),
            time,
            value,
        });
        Ok(self.model.readings.len() - 1)
    }

    fn event_sum(&mut self, written: &schema::Objective, site: &Site) -> Result<usize> {
        let schema::Objective::AtEvents {
            of,
            event,
            side,
            kind,
            which,
        } = written
        else {
            return site.refuse("no expression at events", "write AtEvents(of: \"..\", event: \"..\")");
        };
        let names = self.names_of_events(event, &site.at("event"))?;
        let value = self.output(of, &site.at("of"))?;
        self.model.event_sums.push(EventSum {
            objective: site.element().to_string(),
            names,
            kind: kind
                .map(|kind| self.kind_of_events(event, kind, &site.at("kind")))
                .transpose()?,
            occurrence: match which {
                Which::All => None,
                Which::First => Some(Occurrence::Number(1)),
                Which::Last => Some(Occurrence::Last),
                Which::Number(0) => {
                    return site
                        .at("which")
                        .refuse("events are counted from 1", "write `which: Number(1)`, or `First`");
                }
                Which::Number(number) => Some(Occurrence::Number(*number as usize)),
            },
            side: match side {
                schema::Side::Before => Side::Before,
                schema::Side::After => Side::After,
            },
            value,
        });
        Ok(self.model.event_sums.len() - 1)
    }

    /// The kind of events in reports, which a contact or a scene event must have.
    fn kind_of_events(&self, name: &str, kind: EventKind, site: &Site) -> Result<String> {
        let is_contact = !self.contacts_named(name).is_empty();
        let happens = match kind {
            EventKind::Switch => self.scene.events.get(name).is_some(),
            EventKind::Side => self.rubs(name),
            EventKind::Stick | EventKind::Slip | EventKind::Reverse => is_contact || self.rubs(name),
            EventKind::Impact | EventKind::Rest | EventKind::Release | EventKind::Tooth => is_contact,
        };
        if !happens {
            let message = format!("`{name}` has no events of the kind {kind:?}");
            let advice = "contacts have Impact, Stick, Slip, Reverse, Rest, Release and Tooth, joints with friction Stick, Slip, Reverse \
                          and Side, events of the scene Switch";
            return site.refuse(message, advice);
        }
        Ok(format!("{kind:?}").to_lowercase())
    }

    /// Whether a name is that of a joint with friction, or of one of its axes.
    fn rubs(&self, name: &str) -> bool {
        self.frictions_named(name).next().is_some()
    }

    /// The frictions of a joint of a name, or that about one of its axes.
    fn frictions_named<'n>(&'n self, name: &'n str) -> impl Iterator<Item = &'n Friction> {
        let group = match self.names.get(name) {
            Some(Element::Joint(index)) => self.joints.get(index).copied(),
            _ => None,
        };
        let is_named = move |friction: &&Friction| match friction.rubbed {
            Rubbed::Joint(own, _) => Some(own) == group || friction.name == name,
            Rubbed::Contact(_) => false,
        };
        self.model.frictions.iter().filter(is_named)
    }

    /// Names that the events of a contact, of a joint with friction or of a scene event have in reports.
    pub(super) fn names_of_events(&self, name: &str, site: &Site) -> Result<Vec<String>> {
        let contacts = self.contacts_named(name).into_iter();
        let mut names: Vec<String> = contacts
            .map(|contact| self.model.contacts[contact].name.clone())
            .collect();
        if self.scene.events.get(name).is_some() {
            names.push(name.to_string());
        }
        names.extend(self.frictions_named(name).map(|friction| friction.name.clone()));
        if names.is_empty() {
            let known = self.scene.contacts.names().chain(self.scene.events.names());
            let known = known.chain(self.parts_of_contacts());
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
