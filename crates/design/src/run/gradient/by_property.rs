//! The numbers of springs, masses and contacts that a design gradient is taken by, besides lengths.

use crate::model::Model;
use crate::model::body::BodyKind;
use crate::model::force::{ForceKind, Tension};
use crate::model::quantity::Quantity;

/// A number of an element, other than a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// Of a spring.
    Stiffness,
    /// Of a point or a rigid body, whose moments of inertia stay as they are.
    Mass,
    /// Of a contact: the coefficient of restitution.
    Restitution,
}

impl Property {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stiffness => "stiffness",
            Self::Mass => "mass",
            Self::Restitution => "restitution",
        }
    }
}

/// The derivative of an objective with respect to such a number of one element, all others kept.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertySlope {
    /// Name of the force, body or contact, or of its first part.
    pub name: String,
    /// Which of its numbers.
    pub property: Property,
    /// Its forces, bodies or contacts of the model; a contact may have several parts with one number.
    pub elements: Vec<usize>,
    /// The number, never zero.
    pub value: f64,
    /// Its unit; empty for none.
    pub unit: &'static str,
    /// In the unit of the objective per unit of the number; not a number where it cannot change alone.
    pub slope: f64,
}

impl PropertySlope {
    /// By how much a number that is greater by one per cent changes the objective, to first order: so springs, masses and
    /// contacts compare.
    pub fn per_cent(&self) -> f64 {
        0.01 * self.value * self.slope
    }
}

/// All of a model with the index of their number; their slopes are not known yet. Numbers that follow the motion are left out, and
/// zeros, of which a per cent is nothing.
pub(super) fn properties(model: &Model) -> Vec<(usize, PropertySlope)> {
    let stiffnesses = (0..model.forces.len()).filter_map(|force| stiffness(model, force));
    let masses = (0..model.bodies.len()).filter_map(|body| mass(model, body));
    let restitutions = model.contacts.iter().enumerate().filter_map(|(index, contact)| {
        let e = contact.law.restitution()?;
        Some((e, own(model, e, &contact.name, Property::Restitution, (index, ""))))
    });
    let mut found: Vec<(usize, PropertySlope)> = Vec::new();
    for (number, own) in stiffnesses.chain(masses).chain(restitutions) {
        let is_followed = model.feedback.iter().any(|feedback| feedback.number == number);
        match found.iter_mut().find(|(known, _)| *known == number) {
            Some((_, known)) => known.elements.extend(own.elements),
            None if own.value == 0.0 || is_followed => {}
            None => found.push((number, own)),
        }
    }
    found
}

/// The stiffness of a spring along a line or on an angle or coordinate.
fn stiffness(model: &Model, index: usize) -> Option<(usize, PropertySlope)> {
    let force = &model.forces[index];
    let (stiffness, unit) = match &force.kind {
        ForceKind::Line(line) => match line.tension {
            Tension::Linear { stiffness, .. } => (stiffness, "N/m"),
            Tension::Expression { .. } | Tension::Followed { .. } => return None,
        },
        ForceKind::Torsion(torsion) => {
            let turns = Quantity::TorsionAngle(index).unit(model) == Some("rad");
            (torsion.stiffness, if turns { "N m/rad" } else { "N/m" })
        }
        _ => return None,
    };
    let number = force.local.numbers[stiffness];
    Some((
        number,
        own(model, number, &force.name, Property::Stiffness, (index, unit)),
    ))
}

/// The mass of a point or rigid body.
fn mass(model: &Model, index: usize) -> Option<(usize, PropertySlope)> {
    let body = &model.bodies[index];
    // Bars are coloured by their lengths.
    if matches!(body.kind, BodyKind::Bar(_)) {
        return None;
    }
    let number = body.mass();
    Some((number, own(model, number, &body.name, Property::Mass, (index, "kg"))))
}

fn own(
    model: &Model,
    number: usize,
    name: &str,
    property: Property,
    (element, unit): (usize, &'static str),
) -> PropertySlope {
    PropertySlope {
        name: name.to_string(),
        property,
        elements: vec![element],
        value: model.numbers.get(number).map_or(0.0, |number| number.value),
        unit: if model.is_in_si() { unit } else { "" },
        slope: f64::NAN,
    }
}
