//! Rigid bodies in space: their numbers, coordinates, inertia and quantities.

use super::Build;
use super::parts::Properties;
use super::points::Initial;
use super::quantities::{Entry, entry};
use super::site::Site;
use super::solids::{OF_RIGID, SpacePlan};
use crate::error::Result;
use crate::model::body::{BodyKind, Solid};
use crate::model::constraint::ConstraintKind;
use crate::model::joint::Unit;
use crate::model::marker::Place;
use crate::model::quantity::{Quantity, Rate};
use crate::model::{Coordinate, CoordinateKind, Frame, Spin, Start};
use crate::scene::schema::{self, part};

/// Names of the components of a quaternion.
const QUATERNION: [&str; 4] = ["q0", "q1", "q2", "q3"];

/// Names of the components of the angular velocity in body axes, and of their rates.
const SPIN: [(&str, Rate); 2] = [("omega", Rate::Velocity), ("alpha", Rate::Acceleration)];

impl Build<'_> {
    pub(super) fn in_space(&mut self, solid: &part::Solid, site: &Site) -> Result<SpacePlan> {
        self.require_spatial("a `Solid`", "write `Rigid`, a rigid body in the plane", site)?;
        let is_orientation = |name: &schema::Coordinate| *name == schema::Coordinate::Orientation;
        let hold: Vec<_> = solid
            .hold
            .iter()
            .copied()
            .filter(|name| !is_orientation(name))
            .collect();
        if solid.at.is_some() && solid.hold.len() > hold.len() {
            let message = "`hold` belongs to a `guess`; `at` holds every coordinate";
            return site
                .at("hold")
                .refuse(message, "remove `hold`, or write `guess` in place of `at`");
        }
        let (start, quaternion) = self.start_in_space(solid, site)?;
        let initial = Initial {
            at: solid.at.as_ref(),
            guess: solid.guess.as_ref(),
            hold: &hold,
            velocity: solid.velocity.as_ref(),
            start,
        };
        let first = self.model.coordinates.len();
        let origin = self.initial(&initial, self.axes(), &[CoordinateKind::Length; 3], site)?;
        let held = solid.at.is_some() || solid.hold.len() > hold.len();
        let turn = self.turn(quaternion, held, site);
        let spin = self.frame_in_space(solid, first, turn, site)?;
        let properties = self.mass_of(solid, site)?;
        let plan = SpacePlan {
            origin,
            turn,
            spin,
            body: self.model.bodies.len(),
            centre: properties.centre,
            zero: None,
            markers: self.markers(&solid.markers, &OF_RIGID, self.axes(), site)?,
        };
        self.inertia_in_space(&plan, &properties, site);
        Ok(plan)
    }

    /// The numbers of the initial quaternion, and of the position where it is given in a frame of its own.
    fn start_in_space(&mut self, solid: &part::Solid, site: &Site) -> Result<(Option<Place>, [usize; 4])> {
        let quaternion = self.quaternion(solid.orientation.as_ref(), site)?;
        let written = match (&solid.at, &solid.guess) {
            (Some(at), None) => ("at", at),
            (None, Some(guess)) => ("guess", guess),
            _ => return Ok((None, quaternion)),
        };
        let Some(outer) = &solid.within else {
            return Ok((None, quaternion));
        };
        let place = self.vector(site, written.0, written.1)?;
        let (place, quaternion) = self.within(place, Some(quaternion), outer, site)?;
        Ok((Some(place), quaternion))
    }

    /// The coordinates of the quaternion.
    fn turn(&mut self, numbers: [usize; 4], held: bool, site: &Site) -> [usize; 4] {
        let mut turn = [0; 4];
        for (k, slot) in turn.iter_mut().enumerate() {
            *slot = self.model.coordinates.len();
            self.model.coordinates.push(Coordinate {
                name: format!("{}.{}", site.element(), QUATERNION[k]),
                kind: CoordinateKind::Quaternion,
                start: Start::Number(numbers[k]),
                held,
                velocity: None,
                weight: 1.0,
                measured: None,
            });
        }
        turn
    }

    /// Adds the frame with the length of its quaternion; returns its first angular velocity.
    fn frame_in_space(&mut self, solid: &part::Solid, first: usize, turn: [usize; 4], site: &Site) -> Result<usize> {
        let held = self.held_rates(solid.angular_velocity.as_ref(), "angular_velocity", self.axes(), site)?;
        let mut draft = self.draft(true);
        let unit = Unit {
            turn: turn.map(|coordinate| draft.coordinate(coordinate)),
        };
        let unit = self.constraint(ConstraintKind::Unit(unit), draft, site)?;
        let axes = self.axes();
        let spin = std::array::from_fn(|k| Spin {
            name: format!("{}.omega_{}", site.element(), axes[k]),
            held: held[k],
        });
        self.model.frames.push(Frame { first, spin, unit });
        Ok(first - (self.model.frames.len() - 1) + 3)
    }

    fn inertia_in_space(&mut self, plan: &SpacePlan, properties: &Properties, site: &Site) {
        let mut draft = self.draft(true);
        let kind = Solid {
            origin: draft.coordinates(plan.origin),
            turn: plan.turn.map(|coordinate| draft.coordinate(coordinate)),
            velocity: plan.spin - 3,
            mass: draft.number(properties.mass),
            inertia: properties.inertia.map(|number| draft.number(number)),
            centre: draft.numbers(plan.centre),
            gravity: draft.numbers(self.gravity),
        };
        self.add_body(BodyKind::Solid(kind), draft, site);
    }

    /// The quantities of a rigid body in space as a whole.
    pub(super) fn of_body_in_space(&self, plan: &SpacePlan) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (prefix, rate) in [("", Rate::Position), ("v", Rate::Velocity), ("a", Rate::Acceleration)] {
            let component = |(axis, coordinate): (&&str, usize)| {
                entry(format!("{prefix}{axis}"), Quantity::Coordinate(coordinate, rate))
            };
            entries.extend(self.axes().iter().zip(plan.origin).map(component));
        }
        for (name, coordinate) in QUATERNION.iter().zip(plan.turn) {
            entries.push(entry(name, Quantity::Coordinate(coordinate, Rate::Position)));
        }
        for (k, axis) in self.axes().iter().enumerate() {
            for (name, rate) in SPIN {
                entries.push(entry(format!("{name}_{axis}"), Quantity::Speed(plan.spin + k, rate)));
            }
            for (name, angular) in [("p", false), ("l", true)] {
                let momentum = Quantity::Momentum {
                    body: plan.body,
                    angular,
                    axis: k,
                };
                entries.push(entry(format!("{name}_{axis}"), momentum));
            }
        }
        entries
    }
}
