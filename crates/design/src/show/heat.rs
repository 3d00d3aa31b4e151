//! Bars coloured by the gradient of an objective with respect to their lengths.

use crate::appearance::{Item, Line, Owner, Rgb, Shape};
use crate::run::DesignGradient;

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
