//! Bars, springs, masses and contacts coloured by a gradient, and what the colours mean.

use kiss3d::color::Color;
use kiss3d::prelude::Vec2;
use kiss3d::window::Window;

use super::backdrop::Page;
use super::palette;
use crate::appearance::{Block, Item};
use crate::run::DesignGradient;
use crate::show::{HeatScale, heat, heat_scales};

/// Steps of the scale that are drawn.
const STEPS: usize = 48;
/// Sizes in pixels of a picture 720 pixels high: the scale, its text, and its place below the title.
const WIDTH: f32 = 210.0;
const HEIGHT: f32 = 12.0;
const TEXT: f32 = 20.0;
/// From one line to the next.
pub(super) const LINE: f32 = 22.0;
const PLACE: Vec2 = Vec2::new(14.0, 78.0);

/// The colour of a block whose number a gradient is known by.
pub fn tint(gradient: Option<&DesignGradient>, items: &[Item], block: &Block) -> Option<Color> {
    heat(gradient?, items.get(block.item)?, block.material).map(palette::lit)
}

/// The colour of any other block: grey if there is a gradient.
pub fn colour(gradient: Option<&DesignGradient>, block: &Block) -> Color {
    match gradient {
        Some(_) => palette::muted(block),
        None => palette::lit(block.colour),
    }
}

/// Lines below the scale of colours: numbers, and what they are of.
pub(super) fn lines(gradient: Option<&DesignGradient>) -> usize {
    gradient.map_or(0, |gradient| 2 * heat_scales(gradient).len())
}

/// Where the scale with its lines ends, as part of the height of the picture.
pub(super) fn bottom(gradient: Option<&DesignGradient>) -> f32 {
    let text = LINE * lines(gradient) as f32;
    gradient.map_or(0.0, |_| (PLACE.y + 1.15 * TEXT + HEIGHT + 4.0 + text) / 720.0)
}

/// The scale of colours with its numbers.
pub(super) fn draw_legend(window: &mut Window, page: &Page, gradient: &DesignGradient) {
    let (unit, corner) = (page.unit, PLACE * page.unit);
    page.text(window, &format!("change of {}", gradient.objective), corner, TEXT);
    let top = corner.y + 1.15 * TEXT * unit;
    for step in 0..STEPS {
        let [from, to] = [step, step + 1].map(|step| step as f32 / STEPS as f32);
        let middle = top + HEIGHT * unit / 2.0;
        let [a, b] = [from, to].map(|part| Vec2::new(corner.x + part * WIDTH * unit, middle));
        page.line(window, a, b, palette::diverging(f64::from(from + to) - 1.0), HEIGHT);
    }
    for (row, HeatScale { numbers, words }) in heat_scales(gradient).into_iter().enumerate() {
        let below = top + (HEIGHT + 4.0 + 2.0 * LINE * row as f32) * unit;
        let Some(numbers) = numbers else {
            page.text(window, &words, Vec2::new(corner.x, below), TEXT);
            continue;
        };
        for (part, number) in [0.0, 0.5, 1.0].into_iter().zip(numbers) {
            // About the width of a number.
            let width = 0.44 * TEXT * number.chars().count() as f32 * unit;
            let left = corner.x + part * (WIDTH * unit - width);
            page.text(window, &number, Vec2::new(left, below), TEXT);
        }
        page.text(window, &words, Vec2::new(corner.x, below + LINE * unit), TEXT);
    }
}
