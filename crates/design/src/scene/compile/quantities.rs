//! The quantities of elements by name, such as `P2.vy`, `left rod.force` or `crank.tip.x`: one table says which there are.

use super::Build;
use super::freedoms::{Freedom, freedoms};
use super::names::Element;
use super::site::Site;
use super::solids::Solid;
use crate::error::Result;
use crate::model::marker::Marker;
use crate::model::quantity::{Latching, Placed, Quantity, Rate, ReactionPart, Rubbing};

/// What a field of an element means.
// A few at a time, while a scene is compiled.
#[expect(clippy::large_enum_variant)]
pub(super) enum Meaning {
    Is(Quantity),
    /// The angle of a bar or rigid body; that of a bar is made when something uses it.
    Angle(usize, Rate),
    /// A coordinate of a joint in space, made when something uses it.
    Joint(usize, Freedom, Rate),
    /// A component of the motion of a marker, whose numbers are made when something uses them.
    Marker(usize, String, usize, Rate),
}

/// A field with its meaning.
pub(super) type Entry = (String, Meaning);

/// What stands before the axis in the name of a component, and the name of the angle, by how often it is differentiated.
const MOTION: [(&str, &str, Rate); 3] = [
    ("", "angle", Rate::Position),
    ("v", "omega", Rate::Velocity),
    ("a", "alpha", Rate::Acceleration),
];

const ENERGY: [(&str, Quantity); 3] = [
    ("kinetic", Quantity::Kinetic),
    ("potential", Quantity::Potential),
    ("total", Quantity::Total),
];

/// A field that means a quantity.
pub(super) fn entry(field: impl ToString, quantity: Quantity) -> Entry {
    (field.to_string(), Meaning::Is(quantity))
}

impl Build<'_> {
    /// The quantity `element.field`; `None` when there is none of that name.
    pub(super) fn element_quantity(&mut self, element: &str, field: &str) -> Result<Option<Quantity>> {
        let entries = match self.names.get(element) {
            _ if element == "energy" => ENERGY.map(|(name, quantity)| entry(name, quantity)).into(),
            Some(found) if self.sides(found).is_some() => Vec::new(),
            Some(found) => self.table(found),
            // One side of an end stop with two: `'stop (at least)'.gap`.
            None => match self.contacts_named(element).first() {
                Some(contact) => self.of_contact(*contact),
                None => Vec::new(),
            },
        };
        let found = entries.into_iter().find(|(name, _)| name == field);
        Ok(match found.map(|(_, meaning)| meaning) {
            Some(Meaning::Is(quantity)) => Some(quantity),
            Some(Meaning::Angle(solid, rate)) => {
                let own = Site::new(self.file, "bodies");
                Some(Quantity::Coordinate(self.solid_angle(solid, &own)?, rate))
            }
            Some(Meaning::Joint(index, freedom, rate)) => {
                let own = Site::new(self.file, "joints");
                Some(Quantity::Coordinate(self.joint_coordinate(index, freedom, &own)?, rate))
            }
            Some(Meaning::Marker(solid, marker, axis, rate)) => {
                let placed = self.marker(solid, &marker).map(|marker| self.placed(marker));
                placed.map(|placed| Quantity::Marker(placed, axis, rate))
            }
            None => None,
        })
    }

    /// The quantities of an element, without its name.
    pub(super) fn fields(&self, element: Element) -> Vec<String> {
        self.table(element).into_iter().map(|(name, _)| name).collect()
    }

    /// Those of them that are coordinates.
    pub(super) fn coordinate_fields(&self, element: Element) -> Vec<String> {
        let coordinates = self.table(element).into_iter().filter(|(_, meaning)| {
            use Meaning::{Angle, Is, Joint};
            matches!(
                meaning,
                Is(Quantity::Coordinate(_, Rate::Position)) | Angle(_, Rate::Position) | Joint(_, _, Rate::Position)
            )
        });
        coordinates.map(|(name, _)| name).collect()
    }

    /// Those that an event can set: coordinates but for those of quaternions, and velocities.
    pub(super) fn settable_fields(&self, element: Element) -> Vec<String> {
        let can_be_set = |meaning: &Meaning| match meaning {
            Meaning::Is(Quantity::Coordinate(i, rate)) => *rate != Rate::Acceleration && !self.model.is_turning(&[*i]),
            Meaning::Is(Quantity::Speed(_, rate)) | Meaning::Angle(_, rate) | Meaning::Joint(_, _, rate) => {
                *rate != Rate::Acceleration
            }
            _ => false,
        };
        let settable = self
            .table(element)
            .into_iter()
            .filter(|(_, meaning)| can_be_set(meaning));
        settable.map(|(name, _)| name).collect()
    }

    fn table(&self, element: Element) -> Vec<Entry> {
        match element {
            Element::Ground(index) => {
                let axes = self.axes().iter().zip(self.ground[index]);
                axes.map(|(axis, number)| entry(axis, Quantity::Number(number)))
                    .collect()
            }
            Element::Point(index) => self.motion("", |axis, rate| {
                Meaning::Is(Quantity::Coordinate(self.points[index][axis], rate))
            }),
            Element::Bar(index) | Element::Rigid(index) => {
                let mut entries = self.of_solid(index);
                for marker in self.marker_names(index) {
                    let meaning = |axis, rate| Meaning::Marker(index, marker.to_string(), axis, rate);
                    entries.extend(self.motion(&format!("{marker}."), meaning));
                }
                entries
            }
            Element::Joint(index) => self.of_joint(index),
            Element::Force(index) => self.of_force(index),
            Element::Contact(index) => {
                let contact = self.contacts.get(index).and_then(|sides| sides.first());
                contact.map_or(Vec::new(), |contact| self.of_contact(*contact))
            }
        }
    }

    /// The reactions of a joint, once it is built, and in space its coordinates.
    fn of_joint(&self, index: usize) -> Vec<Entry> {
        let Some((_, joint)) = self.scene.joints.0.get(index) else {
            return Vec::new();
        };
        let mut entries = Vec::new();
        for &freedom in freedoms(joint).iter().filter(|_| !self.is_planar()) {
            let named = freedom.names().into_iter();
            entries.extend(named.map(|(name, rate)| (name.to_string(), Meaning::Joint(index, freedom, rate))));
        }
        if let Some(&group) = self.joints.get(index) {
            let parts = self.joint_parts(joint).into_iter();
            entries.extend(parts.map(|(field, part)| entry(field, Quantity::Reaction(group, part))));
            let in_frames = self.parts_in_frames(joint, group).into_iter();
            entries.extend(in_frames.map(|(field, part)| entry(field, Quantity::Reaction(group, part))));
            let own: Vec<usize> = self.model.frictions_of_joint(group).collect();
            match own[..] {
                [only] => entries.extend(of_friction(only, "")),
                _ => entries.extend(
                    (1..)
                        .zip(own)
                        .flat_map(|(k, friction)| of_friction(friction, &format!("_{k}"))),
                ),
            }
        }
        entries
    }

    /// Position, velocity and acceleration along every axis.
    fn motion(&self, before: &str, meaning: impl Fn(usize, Rate) -> Meaning) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (prefix, _, rate) in MOTION {
            let axes = self.axes().iter().enumerate();
            entries.extend(axes.map(|(k, axis)| (format!("{before}{prefix}{axis}"), meaning(k, rate))));
        }
        entries
    }

    /// The quantities of a bar or rigid body as a whole.
    fn of_solid(&self, index: usize) -> Vec<Entry> {
        let angle = |name: &str, rate| (name.to_string(), Meaning::Angle(index, rate));
        match self.solids.get(index) {
            Some(Solid::Bar(plan)) => {
                let [from, to] = [plan.from, plan.to].map(|end| self.placed(Marker::Base(end)));
                let mut entries = vec![
                    entry("length", Quantity::Distance(from, to)),
                    entry("force", Quantity::Reaction(plan.group, ReactionPart::Tension)),
                ];
                let angles = MOTION.iter().filter(|_| self.is_planar());
                entries.extend(angles.map(|(_, name, rate)| angle(name, *rate)));
                entries
            }
            Some(Solid::Rigid(plan)) => {
                let mut entries = Vec::new();
                for (prefix, name, rate) in MOTION {
                    let axes = self.axes().iter().zip(plan.coordinates);
                    let component = |(axis, coordinate): (&&str, usize)| {
                        entry(format!("{prefix}{axis}"), Quantity::Coordinate(coordinate, rate))
                    };
                    entries.extend(axes.map(component));
                    entries.push(angle(name, rate));
                }
                entries
            }
            Some(Solid::InSpace(plan)) => self.of_body_in_space(plan),
            None => Vec::new(),
        }
    }

    /// The quantities of a contact of the model.
    pub(super) fn of_contact(&self, contact: usize) -> Vec<Entry> {
        let mut entries = vec![
            entry("gap", Quantity::Gap(contact)),
            entry("force", Quantity::ContactForce(contact)),
        ];
        entries.extend(
            self.model
                .friction_of(contact)
                .into_iter()
                .flat_map(|own| of_friction(own, "")),
        );
        if let Some(friction) = self.model.friction_of(contact).filter(|_| !self.is_planar()) {
            for (axis, name) in self.axes().iter().enumerate() {
                let component =
                    |of: &str, part: Rubbing| entry(format!("{of}_{name}"), Quantity::Friction(friction, part));
                entries.push(component("friction", Rubbing::ForceComponent(axis)));
                entries.push(component("slip", Rubbing::SlipComponent(axis)));
            }
        }
        if self.model.ratchet(contact).is_some() {
            entries.push(entry("position", Quantity::Ratchet(contact, Latching::Held)));
        }
        entries
    }

    fn placed(&self, marker: Marker) -> Placed {
        let mut draft = self.draft(true);
        let marker = draft.marker(marker);
        let local = draft.local;
        Placed { marker, local }
    }
}

/// What can be read of a friction, by names that end with an axis.
fn of_friction(friction: usize, axis: &str) -> [Entry; 3] {
    let parts = [
        ("friction", Rubbing::Force),
        ("slip", Rubbing::Slip),
        ("heat", Rubbing::Heat),
    ];
    parts.map(|(name, part)| entry(format!("{name}{axis}"), Quantity::Friction(friction, part)))
}
