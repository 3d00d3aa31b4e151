//! Bars, springs, masses and contacts coloured by the gradient of an objective with respect to their numbers.

use crate::appearance::{Item, Line, Material, Owner, Rgb, Shape};
use crate::run::{DesignGradient, Property, PropertySlope};
use crate::scalar::short;

/// Colours of a scale from the least to the greatest value, at equal distances. Their brightness grows all the way, so that the sign
/// is seen in grey too.
pub const DIVERGING: [Rgb; 5] = [
    [0x0b, 0x25, 0x50],
    [0x2e, 0x62, 0xa3],
    [0x93, 0x95, 0x97],
    [0xd9, 0xa4, 0x41],
    [0xf7, 0xd3, 0x48],
];

/// The numbers at the ends and in the middle of the scale of colours, and what they are of; no numbers where there is no derivative.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatScale {
    /// From the least to the greatest.
    pub numbers: Option<[String; 3]>,
    /// What they are of.
    pub words: String,
}

/// The colour of a value between -1 and 1.
pub fn diverging(value: f64) -> Rgb {
    let place = (value.clamp(-1.0, 1.0) + 1.0) / 2.0 * (DIVERGING.len() - 1) as f64;
    let below = (place.floor() as usize).min(DIVERGING.len() - 2);
    let part = place - below as f64;
    let mix = |k: usize| {
        let [a, b] = [below, below + 1].map(|step| f64::from(DIVERGING[step][k]));
        (a + part * (b - a)).round() as u8
    };
    [mix(0), mix(1), mix(2)]
}

/// The colour of a part of this material whose number a gradient is known by: of bars and links by the derivative by their length, of
/// springs, masses and contacts by the change that one per cent more makes.
pub fn heat(gradient: &DesignGradient, item: &Item, material: Material) -> Option<Rgb> {
    let (value, largest) = match has_length(item) {
        true => (length_slope(gradient, item.owner)?, largest_slope(gradient)),
        false => {
            let own = property_slope(gradient, item.owner).filter(|own| shows(own.property, material))?;
            (own.per_cent(), largest_per_cent(gradient))
        }
    };
    Some(diverging(value / largest.max(f64::MIN_POSITIVE)))
}

/// What the colours mean for lengths and for other numbers, as far as there are any.
pub fn heat_scales(gradient: &DesignGradient) -> Vec<HeatScale> {
    let kinds = [Property::Stiffness, Property::Mass, Property::Restitution];
    let is_there = |kind: &Property| gradient.properties.iter().any(|own| own.property == *kind);
    let names: Vec<&str> = kinds.into_iter().filter(is_there).map(Property::name).collect();
    let scale = |largest: f64, words: String| HeatScale {
        numbers: Some([0.0 - largest, 0.0, largest].map(short)),
        words,
    };
    let lengths = (!gradient.bars.is_empty()).then(|| match gradient.bars.iter().any(|bar| bar.slope.is_finite()) {
        true => scale(largest_slope(gradient), "per unit of length".to_string()),
        false => HeatScale {
            numbers: None,
            words: "no derivative by a length alone".to_string(),
        },
    });
    let others =
        (!names.is_empty()).then(|| scale(largest_per_cent(gradient), format!("per % of {}", names.join(", "))));
    lengths.into_iter().chain(others).collect()
}

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
fn largest_per_cent(gradient: &DesignGradient) -> f64 {
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
fn shows(property: Property, material: Material) -> bool {
    match property {
        Property::Stiffness => material == Material::Spring,
        Property::Mass => material == Material::Mass,
        Property::Restitution => matches!(material, Material::Surface | Material::Ground | Material::Rail),
    }
}
