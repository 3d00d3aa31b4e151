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

/// The colour of a material.
pub fn colour(material: Material) -> Color {
    match material {
        Material::Body => rgb(0x35, 0x6a, 0x9c),
        Material::Link => rgb(0x7a, 0x8b, 0x9c),
        Material::Mass => rgb(0x1f, 0x2d, 0x3d),
        Material::Rim => rgb(0x1f, 0x2d, 0x3d),
        Material::Pin => rgb(0xff, 0xff, 0xff),
        Material::Ground => rgb(0x8a, 0x80, 0x74),
        Material::Spring => rgb(0xd9, 0x82, 0x1f),
        Material::Damper => rgb(0x4f, 0x9d, 0x8f),
        Material::Rail => rgb(0xa9, 0xb2, 0xbc),
        Material::Surface => rgb(0xb5, 0xad, 0xa2),
        Material::Load => rgb(0xb8, 0x2f, 0x3a),
    }
}

const fn rgb(red: u8, green: u8, blue: u8) -> Color {
    Color::new(red as f32 / 255.0, green as f32 / 255.0, blue as f32 / 255.0, 1.0)
}
