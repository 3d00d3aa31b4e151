//! The quantities of elements by name, such as `P2.vy`, `left rod.force` or `crank.tip.x`.

use super::Build;
use super::bodies::Solid;
use super::localize;
use super::names::Element;
use crate::error::Result;
use crate::model::force::ForceKind;
use crate::model::local::Local;
use crate::model::marker::Marker;
use crate::model::quantity::{Hysteresis, Latching, Part, Placed, Quantity, Rate};
use crate::scene::schema::Joint;

/// Fields of an angle with how often it is differentiated.
const ANGLES: [(&str, Rate); 3] = [
    ("angle", Rate::Position),
    ("omega", Rate::Velocity),
    ("alpha", Rate::Acceleration),
];

/// Fields of a hysteretic spring.
pub(super) const HYSTERETIC: [(&str, Hysteresis); 4] = [
    ("elongation", Hysteresis::Elongation),
    ("force", Hysteresis::Tension),
    ("work", Hysteresis::Work),
    ("loss", Hysteresis::Loss),
];

impl Build<'_> {
    /// The quantity `element.field`; `None` when there is none of that name.
    pub(super) fn element_quantity(&mut self, element: &str, field: &str) -> Result<Option<Quantity>> {
        if element == "energy" {
            return Ok(energy(field));
        }
        Ok(match self.names.get(element) {
            None => self.limit_quantity(element, field),
            Some(Element::Ground(index)) => {
                let axis = self.axes().iter().position(|axis| *axis == field);
                axis.map(|axis| Quantity::Number(self.ground[index][axis]))
            }
            Some(Element::Point(index)) => {
                let motion = self.motion_field(field);
                motion.map(|(axis, rate)| Quantity::Coordinate(self.points[index][axis], rate))
            }
            Some(Element::Bar(index) | Element::Rigid(index)) => {
                return self.solid_quantity(index, field);
            }
            Some(Element::Joint(index)) => {
                let part = self
                    .scene
                    .joints
                    .0
                    .get(index)
                    .and_then(|(_, joint)| self.joint_part(joint, field));
                part.map(|part| Quantity::Reaction(self.joints[index], part))
            }
            Some(Element::Force(index)) => self.force_quantity(index, field),
            Some(Element::Contact(index)) => match self.contacts[index].as_slice() {
                [contact] if field == "position" && self.model.ratchet(*contact).is_some() => {
                    Some(Quantity::Ratchet(*contact, Latching::Held))
                }
                [contact] => contact_quantity(*contact, field),
                _ => None,
            },
        })
    }

    /// The axis and rate of a field such as `vx`.
    pub(super) fn motion_field(&self, field: &str) -> Option<(usize, Rate)> {
        let (rate, axis) = match field.strip_prefix('v') {
            Some(axis) => (Rate::Velocity, axis),
            None => match field.strip_prefix('a') {
                Some(axis) => (Rate::Acceleration, axis),
                None => (Rate::Position, field),
            },
        };
        let axis = self.axes().iter().position(|known| *known == axis)?;
        Some((axis, rate))
    }

    /// The reaction of a joint that a field means.
    pub(super) fn joint_part(&self, joint: &Joint, field: &str) -> Option<Part> {
        let component = || {
            let axis = self
                .axes()
                .iter()
                .position(|axis| field.strip_prefix('f') == Some(axis));
            axis.map(Part::Component)
        };
        match (joint, field) {
            (Joint::Coupling { .. } | Joint::DriveCoordinate { .. }, "force" | "torque") => Some(Part::Torque),
            (Joint::Gear { .. } | Joint::DriveAngle { .. }, "torque") => Some(Part::Torque),
            (
                Joint::Coupling { .. } | Joint::DriveCoordinate { .. } | Joint::Gear { .. } | Joint::DriveAngle { .. },
                _,
            ) => None,
            (Joint::Prismatic { .. } | Joint::Weld { .. }, "torque") => Some(Part::Torque),
            (Joint::Link { .. } | Joint::DriveDistance { .. }, "force") => Some(Part::Tension),
            (_, "force") => Some(Part::Magnitude),
            _ => component(),
        }
    }

    fn solid_quantity(&mut self, index: usize, field: &str) -> Result<Option<Quantity>> {
        if let Some((marker, field)) = field.split_once('.') {
            let Some((axis, rate)) = self.motion_field(field) else {
                return Ok(None);
            };
            let placed = self.marker(index, marker).map(|marker| self.placed(marker));
            return Ok(placed.map(|placed| Quantity::Marker(placed, axis, rate)));
        }
        if let Some((_, rate)) = ANGLES.iter().find(|(name, _)| *name == field) {
            if !self.is_planar() {
                return Ok(None);
            }
            let own = super::site::Site::new(self.file, "bodies");
            return Ok(Some(Quantity::Coordinate(self.solid_angle(index, &own)?, *rate)));
        }
        let motion = self.motion_field(field);
        Ok(match (self.solids.get(index), field, motion) {
            (Some(Solid::Rigid(plan)), _, Some((axis, rate))) => {
                Some(Quantity::Coordinate(plan.coordinates[axis], rate))
            }
            (Some(Solid::Bar(plan)), "force", _) => Some(Quantity::Reaction(plan.group, Part::Tension)),
            (Some(Solid::Bar(plan)), "length", _) => {
                let (from, to) = (Marker::Base(plan.from), Marker::Base(plan.to));
                Some(Quantity::Distance(self.placed(from), self.placed(to)))
            }
            _ => None,
        })
    }

    fn force_quantity(&self, index: usize, field: &str) -> Option<Quantity> {
        let force = self.model.forces.get(index)?;
        match (&force.kind, field) {
            (ForceKind::Line(_), "force") => Some(Quantity::SpringForce(index)),
            (ForceKind::Line(line), "length") => {
                let placed = |marker| Placed {
                    marker,
                    local: force.local.clone(),
                };
                Some(Quantity::Distance(placed(line.a), placed(line.b)))
            }
            (ForceKind::Hysteretic(_), _) => HYSTERETIC
                .iter()
                .find(|(name, _)| *name == field)
                .map(|(_, part)| Quantity::Hysteretic(index, *part)),
            (ForceKind::Torsion(_), "angle") => Some(Quantity::TorsionAngle(index)),
            (ForceKind::Torsion(_), "torque") => Some(Quantity::TorsionTorque(index)),
            _ => None,
        }
    }

    /// A quantity of one side of an end stop with two: `'stop (at least)'.gap`.
    fn limit_quantity(&self, name: &str, field: &str) -> Option<Quantity> {
        let contact = self.model.contacts.iter().position(|contact| contact.name == name)?;
        contact_quantity(contact, field)
    }

    fn placed(&self, marker: Marker) -> Placed {
        let mut local = Local::default();
        let marker = localize::marker(marker, self.dimension, &mut local);
        Placed { marker, local }
    }
}

fn energy(field: &str) -> Option<Quantity> {
    match field {
        "kinetic" => Some(Quantity::Kinetic),
        "potential" => Some(Quantity::Potential),
        "total" => Some(Quantity::Total),
        _ => None,
    }
}

fn contact_quantity(contact: usize, field: &str) -> Option<Quantity> {
    match field {
        "gap" => Some(Quantity::Gap(contact)),
        "force" => Some(Quantity::ContactForce(contact)),
        _ => None,
    }
}
