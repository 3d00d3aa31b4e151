//! Cables over places and pulleys.

use super::Build;
use super::draft::Draft;
use super::site::Site;
use crate::error::Result;
use crate::model::constraint::ConstraintKind;
use crate::model::function::Signal;
use crate::model::joint::{self, Path, Wrap};
use crate::model::marker::Marker;
use crate::scene::schema::joint::{Cable, Stop};

/// Where a cable runs, with global indices.
#[derive(Clone)]
pub(super) struct Course {
    stops: Vec<(Marker, Option<Wrap>)>,
}

impl Course {
    /// The gap to a limit of its length, a number of the model: above it for the sign 1, below for -1.
    pub(super) fn gap(&self, limit: usize, sign: f64, draft: &mut Draft) -> ConstraintKind {
        let length = Signal::Number(draft.number(limit));
        self.cable(length, sign, draft)
    }

    fn cable(&self, length: Signal, sign: f64, draft: &mut Draft) -> ConstraintKind {
        let stop = |&(at, pulley): &(Marker, Option<Wrap>)| joint::Stop {
            at: draft.marker(at),
            pulley: pulley.map(|pulley| Wrap {
                radius: draft.number(pulley.radius),
                ..pulley
            }),
        };
        let stops = self.stops.iter().map(stop).collect();
        let path = Path { stops };
        ConstraintKind::Cable(joint::Cable { path, length, sign })
    }
}

impl Build<'_> {
    /// The constraint of a cable that is taut.
    pub(super) fn cable(&mut self, cable: &Cable, site: &Site) -> Result<usize> {
        let course = self.course(&cable.path, &site.at("path"))?;
        let mut draft = self.draft(cable.active);
        let inner = site.at("length");
        let length = self.signal(&cable.length, inner.label(), &inner, &mut draft)?;
        if draft.active || !length.depends_on_time() {
            self.require_at_start(&length, &draft, &inner, |x| x > 0.0, "positive")?;
        }
        let kind = course.cable(length, 1.0, &mut draft);
        self.constraint(kind, draft, site)
    }

    /// Where a cable runs.
    pub(super) fn course(&mut self, path: &[Stop], site: &Site) -> Result<Course> {
        if path.len() < 2 {
            return site.refuse(
                "a cable has two ends",
                "give at least two places, such as `[At(\"A\"), At(\"P\")]`",
            );
        }
        let mut stops: Vec<(Marker, Option<Wrap>)> = Vec::new();
        for (k, stop) in path.iter().enumerate() {
            let inner = site.at(k);
            let (name, pulley) = match stop {
                Stop::At(name) => (name, None),
                Stop::Left(name, radius) => (name, Some((radius, 1.0))),
                Stop::Right(name, radius) => (name, Some((radius, -1.0))),
            };
            let at = self.attachment(name, &inner.at(0))?.marker;
            if stops.last().is_some_and(|(before, _)| *before == at) {
                let message = format!("the cable goes from `{name}` to `{name}`");
                return inner.refuse(message, "let places that differ follow each other");
            }
            let Some((radius, side)) = pulley else {
                stops.push((at, None));
                continue;
            };
            self.require_planar(
                "a pulley with a radius",
                "in space write `At`: the cable passes a place",
                &inner,
            )?;
            if k == 0 || k + 1 == path.len() {
                return inner.refuse("a cable does not end on a pulley", "fix its ends to places with `At`");
            }
            let radius = self
                .numbers
                .read(radius, format!("{}.radius", inner.label()), &inner.at(1))?;
            let radius = self.numbers.require(radius, &inner.at(1), |x| x > 0.0, "positive")?;
            stops.push((at, Some(Wrap { radius, side })));
        }
        Ok(Course { stops })
    }
}
