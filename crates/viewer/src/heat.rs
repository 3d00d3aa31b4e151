//! Bars coloured by a gradient, and what the colours mean.

use kiss3d::color::Color;
use kiss3d::prelude::Vec2;
use kiss3d::window::Window;

use super::backdrop::Page;
use super::palette;
use super::widgets::short;
use crate::appearance::{Block, Item, Line, Owner, Shape};
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
    let slopes = gradient.bars.iter().map(|bar| bar.slope.abs());
    slopes.fold(0.0, f64::max)
}

/// The colour of a block: bars and links by their derivatives if there is a gradient, everything else grey then.
pub fn colour(gradient: Option<&DesignGradient>, items: &[Item], block: &Block) -> Color {
    let Some(gradient) = gradient else {
        return palette::lit(block.colour);
    };
    match items.get(block.item).and_then(|item| slope(gradient, item)) {
        Some(slope) => palette::diverging(slope / largest(gradient).max(f64::MIN_POSITIVE)),
        None => palette::muted(block),
    }
}

/// The derivative by the length of a bar or link, if there is one.
fn slope(gradient: &DesignGradient, item: &Item) -> Option<f64> {
    let Shape::Line(Line::Bar | Line::Link, _) = item.shape else {
        return None;
    };
    let mut bars = gradient.bars.iter();
    let bar = bars.find(|bar| match item.owner {
        Owner::Body(body) => bar.body == Some(body),
        Owner::Group(group) => bar.group == group,
        _ => false,
    });
    bar.map(|bar| bar.slope).filter(|slope| slope.is_finite())
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
    let largest = largest(gradient);
    let below = top + (HEIGHT + 4.0) * unit;
    for (part, value) in [(0.0, -largest), (0.5, 0.0), (1.0, largest)] {
        let words = short(value);
        // About the width of a number.
        let width = 0.44 * TEXT * words.chars().count() as f32 * unit;
        let left = corner.x + part * (WIDTH * unit - width);
        page.text(window, &words, Vec2::new(left, below), TEXT);
    }
}
