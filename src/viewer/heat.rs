//! Bars coloured by a gradient, and what the colours mean.

use kiss3d::color::Color;
use kiss3d::prelude::Vec2;
use kiss3d::text::Font;
use kiss3d::window::Window;

use super::camera::Area;
use super::palette;
use super::panels::short;
use crate::appearance::{Block, Item, Owner, Shape};
use crate::run::DesignGradient;

/// Steps of the scale that are drawn.
const STEPS: usize = 48;
/// Sizes in pixels of a picture 720 pixels high: the scale, its text, and its place below the title.
const WIDTH: f32 = 210.0;
const HEIGHT: f32 = 12.0;
const TEXT: f32 = 20.0;
const PLACE: Vec2 = Vec2::new(14.0, 78.0);

/// The largest derivative by a length, without its sign.
fn largest(gradient: &DesignGradient) -> f64 {
    gradient
        .bars
        .iter()
        .fold(0.0, |most, bar| f64::max(most, bar.slope.abs()))
}

/// The colour of a block: bars and links by their derivatives if there is a gradient, everything else grey then.
pub fn colour(gradient: Option<&DesignGradient>, items: &[Item], block: &Block) -> Color {
    let Some(gradient) = gradient else {
        return palette::colour(block.material);
    };
    match items.get(block.item).and_then(|item| slope(gradient, item)) {
        Some(slope) => palette::diverging(slope / largest(gradient).max(f64::MIN_POSITIVE)),
        None => palette::muted(block.material),
    }
}

/// The derivative by the length of a bar or link.
fn slope(gradient: &DesignGradient, item: &Item) -> Option<f64> {
    let Shape::Link { .. } = item.shape else {
        return None;
    };
    let mut bars = gradient.bars.iter();
    let bar = bars.find(|bar| match item.owner {
        Owner::Body(body) => bar.body == Some(body),
        Owner::Group(group) => bar.group == group,
        _ => false,
    });
    bar.map(|bar| bar.slope)
}

/// The scale of colours with its numbers.
pub fn draw_legend(window: &mut Window, gradient: &DesignGradient, area: &Area) {
    let (size, unit, font) = (area.size, area.unit(), Font::default());
    let corner = PLACE * unit;
    let text = |window: &mut Window, text: &str, at: Vec2| {
        window.draw_text(text, at, TEXT * unit, &font, palette::INK);
    };
    let title = format!("d {} / d length, per metre", gradient.objective);
    text(window, &title, corner);
    let top = corner.y + 1.15 * TEXT * unit;
    // Lines have their origin in the middle of the picture, upwards.
    let line = |window: &mut Window, from: f32, to: f32, color: Color| {
        let y = size.y / 2.0 - top - HEIGHT * unit / 2.0;
        let [a, b] = [from, to].map(|part| Vec2::new(corner.x + part * WIDTH * unit - size.x / 2.0, y));
        window.draw_line_2d(a, b, color, HEIGHT * unit);
    };
    for step in 0..STEPS {
        let (from, to) = (step as f32 / STEPS as f32, (step + 1) as f32 / STEPS as f32);
        line(window, from, to, palette::diverging(f64::from(from + to) - 1.0));
    }
    let largest = largest(gradient);
    let below = top + (HEIGHT + 4.0) * unit;
    for (part, value) in [(0.0, -largest), (0.5, 0.0), (1.0, largest)] {
        let words = short(value);
        let width = width(&words) * unit;
        text(
            window,
            &words,
            Vec2::new(corner.x + part * (WIDTH * unit - width), below),
        );
    }
}

/// About the width of a number.
fn width(text: &str) -> f32 {
    0.44 * TEXT * text.chars().count() as f32
}
