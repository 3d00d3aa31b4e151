//! Colours: quiet, and apart in brightness, so that a picture stays readable in grey.

use kiss3d::color::Color;

use crate::appearance::{Block, Material, Rgb};
use crate::show;

/// Paper.
pub const BACKGROUND: Rgb = [0xf6, 0xf7, 0xf9];
/// Paths of points.
pub const TRACE: Rgb = [0x7f, 0xa8, 0xcf];
/// Grid lines.
pub const GRID: Rgb = [0xd3, 0xd8, 0xde];
/// What was clicked.
pub const SELECTED: Rgb = [0xff, 0xc4, 0x1f];
/// What the colours of a ghost are multiplied by.
pub const GHOST: Color = Color::new(1.0, 1.0, 1.0, 0.35);

/// What a ghost of something dark looks like on paper, for legends.
pub const PREDICTED: Rgb = [0xa9, 0xb4, 0xc0];

/// The colour of a value between -1 and 1.
pub fn diverging(value: f64) -> Color {
    lit(show::diverging(value))
}

/// The colour of a block beside bars that are coloured by a gradient: grey, of the same brightness, and paler.
pub fn muted(block: &Block) -> Color {
    let own = lit(block.colour);
    let grey = 0.4 + 0.6 * (0.3 * own.r + 0.6 * own.g + 0.1 * own.b);
    match block.material {
        // Arrows have colours with a meaning.
        Material::Rim
        | Material::Pin
        | Material::Mass
        | Material::Floor
        | Material::Arrow(_)
        | Material::Friction(_)
        | Material::Cone => own,
        _ => Color::new(grey, grey, grey, 1.0),
    }
}

/// What text is drawn with: the graphics library shows it as it is.
pub fn plain(colour: Rgb) -> Color {
    let [r, g, b] = colour.map(|channel| f32::from(channel) / 255.0);
    Color::new(r, g, b, 1.0)
}

/// What everything else is drawn with: the graphics library takes it as linear light.
pub fn lit(colour: Rgb) -> Color {
    let [r, g, b] = colour.map(|channel| linear(f64::from(channel) / 255.0));
    Color::new(r, g, b, 1.0)
}

/// From sRGB to linear light (IEC 61966-2-1).
fn linear(channel: f64) -> f32 {
    let light = match channel <= 0.04045 {
        true => channel / 12.92,
        false => ((channel + 0.055) / 1.055).powf(2.4),
    };
    light as f32
}

#[cfg(test)]
mod tests {
    use super::diverging;

    #[test]
    fn the_brightness_of_the_scale_grows_all_the_way() {
        let brightness = |k: i32| {
            let colour = diverging(f64::from(k) / 50.0);
            0.2126 * colour.r + 0.7152 * colour.g + 0.0722 * colour.b
        };
        for k in -50..50 {
            assert!(brightness(k + 1) > brightness(k), "at {k}");
        }
        assert_eq!(brightness(60), brightness(50), "beyond its ends it stays");
    }
}
