//! Rigid bodies in space: their numbers, coordinates, inertia and quantities.

use super::Build;
use super::points::Initial;
use super::quantities::{Entry, entry};
use super::site::Site;
use super::solids::{OF_RIGID, SpacePlan};
use crate::error::Result;
use crate::model::body::{BodyKind, Solid};
use crate::model::constraint::ConstraintKind;
use crate::model::joint::Unit;
use crate::model::quantity::{Quantity, Rate};
use crate::model::{Coordinate, CoordinateKind, Frame, Spin, Start};
use crate::scene::schema::{self, Number, part};

/// Names of the entries of an inertia tensor, in the order of the scene.
const TENSOR: [&str; 6] = ["xx", "yy", "zz", "xy", "xz", "yz"];

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
        let initial = Initial {
            at: solid.at.as_ref(),
            guess: solid.guess.as_ref(),
            hold: &hold,
            velocity: solid.velocity.as_ref(),
        };
        if solid.at.is_some() && solid.hold.len() > hold.len() {
            let message = "`hold` belongs to a `guess`; `at` holds every coordinate";
            return site
                .at("hold")
                .refuse(message, "remove `hold`, or write `guess` in place of `at`");
        }
        let first = self.model.coordinates.len();
        let origin = self.initial(&initial, self.axes(), &[CoordinateKind::Length; 3], site)?;
        let held = solid.at.is_some() || solid.hold.len() > hold.len();
        let turn = self.turn(solid.orientation.as_ref(), held, site)?;
        let spin = self.frame_in_space(solid, first, turn, site)?;
        let plan = SpacePlan {
            origin,
            turn,
            spin,
            body: self.model.bodies.len(),
            centre: match &solid.centre_of_mass {
                Some(centre) => self.vector(site, "centre_of_mass", centre)?,
                None => self.zeros(&site.at("centre_of_mass")),
            },
            zero: None,
            markers: self.markers(&solid.markers, &OF_RIGID, self.axes(), site)?,
        };
        self.inertia_in_space(&plan, solid, site)?;
        Ok(plan)
    }

    /// The coordinates of the quaternion.
    fn turn(&mut self, written: Option<&part::Orientation>, held: bool, site: &Site) -> Result<[usize; 4]> {
        let numbers = self.quaternion(written, site)?;
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
            });
        }
        Ok(turn)
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

    fn inertia_in_space(&mut self, plan: &SpacePlan, solid: &part::Solid, site: &Site) -> Result<()> {
        let mass = self.positive(site, "mass", &solid.mass)?;
        let inertia = self.tensor(&solid.inertia, &site.at("inertia"))?;
        let mut draft = self.draft(true);
        let kind = Solid {
            origin: draft.coordinates(plan.origin),
            turn: plan.turn.map(|coordinate| draft.coordinate(coordinate)),
            velocity: plan.spin - 3,
            mass: draft.number(mass),
            inertia: inertia.map(|number| draft.number(number)),
            centre: draft.numbers(plan.centre),
            gravity: draft.numbers(self.gravity),
        };
        self.add_body(BodyKind::Solid(kind), draft, site);
        Ok(())
    }

    /// The numbers of an inertia tensor, which must be positive definite.
    fn tensor(&mut self, written: &[Number], site: &Site) -> Result<[usize; 6]> {
        self.check_components(written, &TENSOR.map(|name| name), site)?;
        let mut found = [0; 6];
        for (k, (slot, number)) in found.iter_mut().zip(written).enumerate() {
            *slot = self
                .numbers
                .read(number, format!("{}.{}", site.label(), TENSOR[k]), &site.at(k))?;
        }
        let [xx, yy, zz, xy, xz, yz] = found.map(|number| self.numbers.value(number));
        let minor = xx * yy - xy * xy;
        let determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
        if !(xx > 0.0 && minor > 0.0 && determinant > 0.0) {
            return site.refuse(
                format!("`{}` is no inertia tensor: it is not positive definite", site.label()),
                "give the entries [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] of the matrix about the centre of mass; products of inertia \
                 are entries with their minus sign",
            );
        }
        Ok(found)
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
