//! Colours: quiet, and apart in brightness, so that a picture stays readable in grey.

use kiss3d::color::Color;

use crate::appearance::Material;

/// Paper.
pub const BACKGROUND: Color = rgb(0xf6, 0xf7, 0xf9);
/// Text and lines of the frame.
pub const INK: Color = rgb(0x2b, 0x33, 0x3d);
/// Paths of points.
pub const TRACE: Color = rgb(0x7f, 0xa8, 0xcf);
/// Grid lines.
pub const GRID: Color = rgb(0xd3, 0xd8, 0xde);

/// Colours of a scale from the least to the greatest value. Their brightness grows all the way, so that the sign is seen in
/// grey too.
const SCALE: [Color; 5] = [
    rgb(0x0b, 0x25, 0x50),
    rgb(0x2e, 0x62, 0xa3),
    rgb(0x93, 0x95, 0x97),
    rgb(0xd9, 0xa4, 0x41),
    rgb(0xf7, 0xd3, 0x48),
];

/// The colour of a value between -1 and 1.
pub fn diverging(value: f64) -> Color {
    let place = (value.clamp(-1.0, 1.0) + 1.0) / 2.0 * (SCALE.len() - 1) as f64;
    let below = (place.floor() as usize).min(SCALE.len() - 2);
    let part = (place - below as f64) as f32;
    let (a, b) = (SCALE[below], SCALE[below + 1]);
    let mix = |a: f32, b: f32| a + part * (b - a);
    lit(Color::new(mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b), 1.0))
}

/// What the graphics library needs to show this colour: it takes colours as linear light.
fn lit(colour: Color) -> Color {
    let linear = |x: f32| match x <= 0.04045 {
        true => x / 12.92,
        false => ((x + 0.055) / 1.055).powf(2.4),
    };
    Color::new(linear(colour.r), linear(colour.g), linear(colour.b), colour.a)
}

/// The colour of a material beside bars that are coloured by a gradient: grey, of the same brightness, and paler.
pub fn muted(material: Material) -> Color {
    let Color { r, g, b, .. } = colour(material);
    let grey = 0.3 + 0.7 * (0.3 * r + 0.6 * g + 0.1 * b);
    match material {
        Material::Rim | Material::Pin | Material::Mass => colour(material),
        _ => Color::new(grey, grey, grey, 1.0),
    }
}

/// What the colours of a ghost are multiplied by.
pub const GHOST: Color = Color::new(1.0, 1.0, 1.0, 0.35);

/// The colour of a material.
pub fn colour(material: Material) -> Color {
    let [red, green, blue] = material.colour();
    rgb(red, green, blue)
}

const fn rgb(red: u8, green: u8, blue: u8) -> Color {
    Color::new(red as f32 / 255.0, green as f32 / 255.0, blue as f32 / 255.0, 1.0)
}
