//! Bars coloured by a gradient, and what the colours mean.

use kiss3d::color::Color;
use kiss3d::prelude::Vec2;
use kiss3d::window::Window;

use super::backdrop::Page;
use super::palette;
use super::widgets::short;
use crate::appearance::{Block, Item};
use crate::run::DesignGradient;
use crate::show::{has_length, largest_slope, length_slope};

/// Steps of the scale that are drawn.
const STEPS: usize = 48;
/// Sizes in pixels of a picture 720 pixels high: the scale, its text, and its place below the title.
const WIDTH: f32 = 210.0;
const HEIGHT: f32 = 12.0;
const TEXT: f32 = 20.0;
const PLACE: Vec2 = Vec2::new(14.0, 78.0);

/// The colour of a block: bars and links by their derivatives if there is a gradient, everything else grey then.
pub fn colour(gradient: Option<&DesignGradient>, items: &[Item], block: &Block) -> Color {
    let Some(gradient) = gradient else {
        return palette::lit(block.colour);
    };
    let bar = items.get(block.item).filter(|item| has_length(item));
    match bar.and_then(|item| length_slope(gradient, item.owner)) {
        Some(slope) => palette::diverging(slope / largest_slope(gradient).max(f64::MIN_POSITIVE)),
        None => palette::muted(block),
    }
}

/// The scale of colours with its numbers.
pub(super) fn draw_legend(window: &mut Window, page: &Page, gradient: &DesignGradient) {
    let (unit, corner) = (page.unit, PLACE * page.unit);
    let title = format!("d {} / d length, per metre", gradient.objective);
    page.text(window, &title, corner, TEXT);
    let top = corner.y + 1.15 * TEXT * unit;
    for step in 0..STEPS {
        let [from, to] = [step, step + 1].map(|step| step as f32 / STEPS as f32);
        let middle = top + HEIGHT * unit / 2.0;
        let [a, b] = [from, to].map(|part| Vec2::new(corner.x + part * WIDTH * unit, middle));
        page.line(window, a, b, palette::diverging(f64::from(from + to) - 1.0), HEIGHT);
    }
    let largest = largest_slope(gradient);
    let below = top + (HEIGHT + 4.0) * unit;
    for (part, value) in [(0.0, -largest), (0.5, 0.0), (1.0, largest)] {
        let words = short(value);
        // About the width of a number.
        let width = 0.44 * TEXT * words.chars().count() as f32 * unit;
        let left = corner.x + part * (WIDTH * unit - width);
        page.text(window, &words, Vec2::new(left, below), TEXT);
    }
}
