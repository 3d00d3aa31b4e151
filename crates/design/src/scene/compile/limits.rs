//! End stops: a lower and an upper limit are two contacts.

use super::Build;
use super::localize;
use super::site::Site;
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::contact::{CoordinateLimit, DistanceLimit, Keep};
use crate::model::local::Local;
use crate::model::marker::{Marker, Orientation};
use crate::model::measure::Measure;
use crate::scene::schema::{Law, Limited, Number};

/// What is limited, with global indices.
#[derive(Clone, Copy)]
pub(super) enum Subject {
    /// The coordinate `b`, minus the coordinate `a`.
    Coordinate {
        a: Option<usize>,
        b: usize,
    },
    Distance(Marker, Marker),
}

impl Subject {
    /// The same in local indices.
    pub(super) fn measure(self, dimension: usize, local: &mut Local) -> Measure {
        match self {
            Self::Coordinate { a, b } => Measure::Coordinate {
                a: a.map(|a| local.coordinate(a)),
                b: local.coordinate(b),
            },
            Self::Distance(a, b) => Measure::Distance(
                localize::marker(a, dimension, local),
                localize::marker(b, dimension, local),
            ),
        }
    }

    /// The gap to a limit, a number of the model: above it for the sign 1, below for -1.
    pub(super) fn gap(self, limit: usize, sign: f64, dimension: usize, local: &mut Local) -> ConstraintKind {
        let limit = local.number(limit);
        match self.measure(dimension, local) {
            Measure::Coordinate { a, b } => ConstraintKind::CoordinateLimit(CoordinateLimit { a, b, limit, sign }),
            Measure::Distance(a, b) => ConstraintKind::DistanceLimit(DistanceLimit { a, b, limit, sign }),
        }
    }
}

/// Fields of the limits with the sign of their gap and what tells their contacts apart.
const SIDES: [(&str, f64, &str); 2] = [("at_least", 1.0, "at least"), ("at_most", -1.0, "at most")];

impl Build<'_> {
    /// The contacts of an end stop.
    pub(super) fn limit(
        &mut self,
        of: &Limited,
        limits: [Option<&Number>; 2],
        law: &Law,
        site: &Site,
    ) -> Result<Vec<usize>> {
        let subject = self.subject(of, &site.at("of"))?;
        let mut numbers = [None; 2];
        for (k, (field, ..)) in SIDES.into_iter().enumerate() {
            numbers[k] = match (limits[k], subject) {
                (None, _) => None,
                (Some(number), Subject::Distance(..)) => Some(self.positive(site, field, number)?),
                (Some(number), _) => Some(self.field(site, field, number)?),
            };
        }
        self.check_limits(numbers, site)?;
        let law = self.law(law, Keep::Coordinates(Vec::new()), site)?;
        let both = numbers.iter().all(Option::is_some);
        let mut contacts = Vec::new();
        for (number, (_, sign, side)) in numbers.into_iter().zip(SIDES) {
            let Some(number) = number else { continue };
            let name = site.element();
            let name = if both {
                format!("{name} ({side})")
            } else {
                name.to_string()
            };
            let gap = self.limit_gap(subject, number, sign, site)?;
            contacts.push(self.add_contact(name, gap, law.clone()));
        }
        Ok(contacts)
    }

    fn check_limits(&self, numbers: [Option<usize>; 2], site: &Site) -> Result<()> {
        match numbers {
            [None, None] => Err(site
                .error(format!("`{}` has no limit", site.element()))
                .advise("give `at_least` or `at_most` or both")),
            [Some(low), Some(high)] if self.numbers.value(low) >= self.numbers.value(high) => {
                let (low, high) = (self.numbers.value(low), self.numbers.value(high));
                Err(site
                    .at("at_least")
                    .error(format!("the lower limit {low} is not below the upper limit {high}"))
                    .advise("exchange the limits, or leave one out"))
            }
            _ => Ok(()),
        }
    }

    fn limit_gap(&mut self, subject: Subject, limit: usize, sign: f64, site: &Site) -> Result<usize> {
        let mut local = Local::default();
        let kind = subject.gap(limit, sign, self.dimension, &mut local);
        self.constraint(kind, local, site)
    }

    pub(super) fn subject(&mut self, of: &Limited, site: &Site) -> Result<Subject> {
        let inner = site.at(0);
        match of {
            Limited::Coordinate(name) => {
                let b = self.coordinate(name, &inner)?;
                Ok(Subject::Coordinate { a: None, b })
            }
            Limited::Angle(name) => {
                let solid = self.solid(name, &inner)?;
                let b = self.solid_angle(solid, &inner)?;
                Ok(Subject::Coordinate { a: None, b })
            }
            Limited::AngleBetween(first, second) => {
                let second_site = site.at(1);
                let solid = self.solid(second, &second_site)?;
                let b = self.solid_angle(solid, &second_site)?;
                let a = match self.frame(first, &inner)? {
                    Orientation::Ground => None,
                    Orientation::Angle(a) if a == b => {
                        return Err(second_site
                            .error(format!("the angle of `{second}` to itself is always zero"))
                            .advise("name two different bodies"));
                    }
                    Orientation::Angle(a) => Some(a),
                };
                Ok(Subject::Coordinate { a, b })
            }
            Limited::Distance(a, b) => {
                let [a, b] = self.attachments([a, b], [&inner, &site.at(1)])?;
                Ok(Subject::Distance(a.marker, b.marker))
            }
        }
    }
}
