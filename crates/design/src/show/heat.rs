//! Bars, springs, masses and contacts coloured by the gradient of an objective with respect to their numbers.

use crate::appearance::{Item, Line, Material, Owner, Rgb, Shape};
use crate::run::{DesignGradient, Property, PropertySlope};

/// Colours of a scale from the least to the greatest value, at equal distances. Their brightness grows all the way, so that the sign
/// is seen in grey too.
pub const DIVERGING: [Rgb; 5] = [
    [0x0b, 0x25, 0x50],
    [0x2e, 0x62, 0xa3],
    [0x93, 0x95, 0x97],
    [0xd9, 0xa4, 0x41],
    [0xf7, 0xd3, 0x48],
];

/// The largest derivative by a length, without its sign: the ends of the scale.
pub fn largest_slope(gradient: &DesignGradient) -> f64 {
    let slopes = gradient.bars.iter().map(|bar| bar.slope.abs());
    slopes.fold(0.0, f64::max)
}

/// Whether a shape is that of a bar or link, whose length can be differentiated by.
pub fn has_length(item: &Item) -> bool {
    matches!(item.shape, Shape::Line(Line::Bar | Line::Link, _))
}

/// The derivative by the length of a bar or link, if there is one.
pub fn length_slope(gradient: &DesignGradient, owner: Owner) -> Option<f64> {
    let mut bars = gradient.bars.iter();
    let bar = bars.find(|bar| match owner {
        Owner::Body(body) => bar.body == Some(body),
        Owner::Group(group) => bar.group == group,
        _ => false,
    });
    bar.map(|bar| bar.slope).filter(|slope| slope.is_finite())
}

/// The largest change of the objective by one per cent more of a stiffness, mass or restitution, without its sign: the ends of their scale.
pub fn largest_per_cent(gradient: &DesignGradient) -> f64 {
    let changes = gradient.properties.iter().map(|own| own.per_cent().abs());
    changes.fold(0.0, f64::max)
}

/// The derivative by the stiffness of a spring, the mass of a point or rigid body or the restitution of a contact, if there is one.
pub fn property_slope(gradient: &DesignGradient, owner: Owner) -> Option<&PropertySlope> {
    let (property, element) = match owner {
        Owner::Force(force) => (Property::Stiffness, force),
        Owner::Body(body) => (Property::Mass, body),
        Owner::Contact(contact) => (Property::Restitution, contact),
        Owner::Point(_) | Owner::Ground(_) | Owner::Group(_) => return None,
    };
    let mut known = gradient.properties.iter();
    let own = known.find(|own| own.property == property && own.elements.contains(&element));
    own.filter(|own| own.slope.is_finite())
}

/// What of an element shows this number: coils of springs, discs and balls of masses, surfaces, stops and threads of contacts.
pub fn shows(property: Property, material: Material) -> bool {
    match property {
        Property::Stiffness => material == Material::Spring,
        Property::Mass => material == Material::Mass,
        Property::Restitution => matches!(material, Material::Surface | Material::Ground | Material::Rail),
    }
}
