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
