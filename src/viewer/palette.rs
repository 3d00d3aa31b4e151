//! Colours: quiet, and apart in brightness, so that a picture stays readable in grey.

use kiss3d::color::Color;

use crate::appearance::Material;

/// Paper.
pub const BACKGROUND: Color = rgb(0xf6, 0xf7, 0xf9);
/// Text, which is drawn as it is given.
pub const INK: Color = plain(0x2b, 0x33, 0x3d);
/// Paths of points.
pub const TRACE: Color = rgb(0x7f, 0xa8, 0xcf);
/// Grid lines.
pub const GRID: Color = rgb(0xd3, 0xd8, 0xde);

/// Colours of a scale from the least to the greatest value. Their brightness grows all the way, so that the sign is seen in
/// grey too.
const SCALE: [Color; 5] = [
    plain(0x0b, 0x25, 0x50),
    plain(0x2e, 0x62, 0xa3),
    plain(0x93, 0x95, 0x97),
    plain(0xd9, 0xa4, 0x41),
    plain(0xf7, 0xd3, 0x48),
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
    let grey = 0.4 + 0.6 * (0.3 * r + 0.6 * g + 0.1 * b);
    match material {
        Material::Rim | Material::Pin | Material::Mass | Material::Floor => colour(material),
        // Arrows have colours with a meaning.
        Material::Velocity
        | Material::Acceleration
        | Material::SpringForce
        | Material::Reaction
        | Material::ContactForce => colour(material),
        _ => Color::new(grey, grey, grey, 1.0),
    }
}

/// What the colours of a ghost are multiplied by.
pub const GHOST: Color = Color::new(1.0, 1.0, 1.0, 0.35);

/// What was clicked.
pub const SELECTED: Color = rgb(0xff, 0xc4, 0x1f);

/// The colour of a material.
pub fn colour(material: Material) -> Color {
    let [red, green, blue] = material.colour();
    rgb(red, green, blue)
}

/// A colour in sRGB.
const fn plain(red: u8, green: u8, blue: u8) -> Color {
    Color::new(red as f32 / 255.0, green as f32 / 255.0, blue as f32 / 255.0, 1.0)
}

/// A colour in sRGB for what is drawn but text, which the graphics library takes in the linear scale.
pub const fn rgb(red: u8, green: u8, blue: u8) -> Color {
    Color::new(linear(red), linear(green), linear(blue), 1.0)
}

/// From sRGB to the linear scale (IEC 61966-2-1).
const fn linear(channel: u8) -> f32 {
    let value = channel as f64 / 255.0;
    if value <= 0.04045 {
        return (value / 12.92) as f32;
    }
    let base = (value + 0.055) / 1.055;
    // The fifth root of the twelfth power by Newton's method: constants know no powers with fractions.
    let square = base * base;
    let power = square * square * square * square * square * square;
    let mut root = 1.0;
    let mut step = 0;
    while step < 60 {
        let fourth = root * root * root * root;
        root -= (root * fourth - power) / (5.0 * fourth);
        step += 1;
    }
    root as f32
}

#[cfg(test)]
mod tests {
    use super::{diverging, linear};

    #[test]
    fn the_linear_scale_is_that_of_the_norm() {
        for channel in 0..=255_u8 {
            let value = f64::from(channel) / 255.0;
            let expected = if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            };
            assert!((f64::from(linear(channel)) - expected).abs() < 1e-7, "{channel}");
        }
    }

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
