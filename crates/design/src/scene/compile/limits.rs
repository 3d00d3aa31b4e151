//! End stops: a lower and an upper limit are two contacts.

use super::Build;
use super::cables::Course;
use super::draft::Draft;
use super::site::Site;
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::contact::{CoordinateLimit, DistanceLimit, Keep};
use crate::model::marker::{Marker, Orientation};
use crate::model::measure::Measure;
use crate::scene::schema::contact::{Limit, Limited};

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
    pub(super) fn measure(self, draft: &mut Draft) -> Measure {
        match self {
            Self::Coordinate { a, b } => Measure::Coordinate {
                a: a.map(|a| draft.coordinate(a)),
                b: draft.coordinate(b),
            },
            Self::Distance(a, b) => Measure::Distance(draft.marker(a), draft.marker(b)),
        }
    }

    /// The gap to a limit, a number of the model: above it for the sign 1, below for -1.
    pub(super) fn gap(self, limit: usize, sign: f64, draft: &mut Draft) -> ConstraintKind {
        let limit = draft.number(limit);
        match self.measure(draft) {
            Measure::Coordinate { a, b } => ConstraintKind::CoordinateLimit(CoordinateLimit { a, b, limit, sign }),
            Measure::Distance(a, b) => ConstraintKind::DistanceLimit(DistanceLimit { a, b, limit, sign }),
        }
    }
}

/// Fields of the limits with the sign of their gap and what tells their contacts apart.
const SIDES: [(&str, f64, &str); 2] = [("at_least", 1.0, "at least"), ("at_most", -1.0, "at most")];

/// What an end stop limits.
enum Stopped {
    Subject(Subject),
    Cable(Course),
}

impl Stopped {
    fn is_length(&self) -> bool {
        matches!(self, Self::Cable(_) | Self::Subject(Subject::Distance(..)))
    }

    fn gap(&self, limit: usize, sign: f64, draft: &mut Draft) -> ConstraintKind {
        match self {
            Self::Subject(subject) => subject.gap(limit, sign, draft),
            Self::Cable(course) => course.gap(limit, sign, draft),
        }
    }
}

impl Build<'_> {
    /// The contacts of an end stop.
    pub(super) fn limit(&mut self, limit: &Limit, site: &Site) -> Result<Vec<usize>> {
        let of = site.at("of");
        let stopped = match &limit.of {
            Limited::Path(path) => Stopped::Cable(self.course(path, &of.at(0))?),
            other => Stopped::Subject(self.subject(other, &of)?),
        };
        let limits = [limit.at_least.as_ref(), limit.at_most.as_ref()];
        let mut numbers = [None; 2];
        for (k, (field, ..)) in SIDES.into_iter().enumerate() {
            numbers[k] = match limits[k] {
                None => None,
                Some(number) if stopped.is_length() => Some(self.positive(site, field, number)?),
                Some(number) => Some(self.field(site, field, number)?),
            };
        }
        self.check_limits(numbers, site)?;
        let law = self.law(&limit.law, Keep::Velocities(Vec::new()), site)?;
        let both = numbers.iter().all(Option::is_some);
        let mut contacts = Vec::new();
        for (number, (_, sign, side)) in numbers.into_iter().zip(SIDES) {
            let Some(number) = number else { continue };
            let name = match both {
                true => format!("{} ({side})", site.element()),
                false => site.element().to_string(),
            };
            let mut draft = self.draft(true);
            let kind = stopped.gap(number, sign, &mut draft);
            let gap = self.constraint(kind, draft, site)?;
            let contact = self.add_contact(name, gap, law.clone());
            self.friction(contact, &limit.law, site)?;
            contacts.push(contact);
        }
        Ok(contacts)
    }

    fn check_limits(&self, numbers: [Option<usize>; 2], site: &Site) -> Result<()> {
        match numbers.map(|number| number.map(|number| self.numbers.value(number))) {
            [None, None] => {
                let message = format!("`{}` has no limit", site.element());
                site.refuse(message, "give `at_least` or `at_most` or both")
            }
            [Some(low), Some(high)] if low >= high => site.at("at_least").refuse(
                format!("the lower limit {low} is not below the upper limit {high}"),
                "exchange the limits, or leave one out",
            ),
            _ => Ok(()),
        }
    }

    pub(super) fn subject(&mut self, of: &Limited, site: &Site) -> Result<Subject> {
        let inner = site.at(0);
        match of {
            Limited::Coordinate(name) => {
                let b = self.coordinate(name, &inner)?;
                Ok(Subject::Coordinate { a: None, b })
            }
            Limited::Angle(name) => {
                let b = self.angle_of(name, &inner)?;
                Ok(Subject::Coordinate { a: None, b })
            }
            Limited::AngleBetween(first, second) => {
                let second_site = site.at(1);
                let b = self.angle_of(second, &second_site)?;
                let a = match self.frame(first, &inner)? {
                    Orientation::Ground => None,
                    Orientation::Turn(_) => {
                        return inner.refuse(format!("`{first}` has no angle"), "name a joint with an angle");
                    }
                    Orientation::Angle(a) if a == b => {
                        let message = format!("the angle of `{second}` to itself is always zero");
                        return second_site.refuse(message, "name two different bodies");
                    }
                    Orientation::Angle(a) => Some(a),
                };
                Ok(Subject::Coordinate { a, b })
            }
            Limited::Path(_) => inner.refuse(
                "the length of a cable is limited only",
                "take the distance of two places, or a `Limit` of the path",
            ),
            Limited::Distance(a, b) => {
                let [a, b] = self.attachments([a, b], [&inner, &site.at(1)])?;
                Ok(Subject::Distance(a.marker, b.marker))
            }
        }
    }
}
