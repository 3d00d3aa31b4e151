//! Which arrows are shown, and what their lengths mean.

use kiss3d::prelude::Vec2;
use kiss3d::window::Window;

use super::backdrop::Page;
use super::camera::Sight;
use super::{heat, palette};
use crate::appearance::{Block, Material, Rgb, arrow_blocks, cone_blocks};
use crate::error::Result;
use crate::show::{Arrows, FrictionState, Legend, Show, VectorKind};

/// Distance between the rows of the legend, and size of its text, in pixels of a picture 720 pixels high.
const ROW: f32 = 24.0;
const TEXT: f32 = 22.0;
/// Where its first row is.
const TOP: f32 = 84.0;
const LEFT: f32 = 14.0;
/// Height of the scale of colours.
const SCALE: f32 = 72.0;
/// Side of a square that shows a colour.
const SWATCH: f32 = 13.0;
/// Size of an arrow's head.
const HEAD: f32 = 9.0;

/// The arrows that are switched on.
#[derive(Debug, Default)]
pub(super) struct ShownArrows {
    pub(super) kinds: Vec<VectorKind>,
    /// Made when arrows are first shown of a motion.
    arrows: Option<Arrows>,
    /// Why there are none.
    pub(super) failure: Option<String>,
}

impl ShownArrows {
    /// Of these kinds.
    pub(super) fn new(kinds: Vec<VectorKind>) -> Self {
        Self {
            kinds,
            ..Self::default()
        }
    }

    /// Shows a kind, or no longer.
    pub(super) fn toggle(&mut self, kind: VectorKind) {
        let count = self.kinds.len();
        self.kinds.retain(|known| *known != kind);
        if self.kinds.len() == count {
            self.kinds.push(kind);
        }
    }

    /// Another motion is shown.
    pub(super) fn clear(&mut self) {
        (self.arrows, self.failure) = (None, None);
    }

    /// The blocks at a time; without accelerations and forces that are determined there are none, and the reason is kept.
    pub(super) fn blocks(&mut self, show: &Show, t: f64) -> Vec<Block> {
        let found = self.try_blocks(show, t);
        self.failure = found.as_ref().err().map(|error| error.message().to_string());
        found.unwrap_or_default()
    }

    /// As [`ShownArrows::blocks`].
    ///
    /// # Errors
    /// As [`Arrows::at`].
    pub(super) fn try_blocks(&mut self, show: &Show, t: f64) -> Result<Vec<Block>> {
        if self.kinds.is_empty() {
            return Ok(Vec::new());
        }
        let arrows = match &mut self.arrows {
            Some(arrows) => arrows,
            none => none.insert(Arrows::new(show)?),
        };
        let mut blocks = arrow_blocks(&arrows.at(show, t, &self.kinds)?, &show.scale);
        blocks.extend(cone_blocks(&arrows.cones(show, t, &self.kinds)?, &show.scale));
        Ok(blocks)
    }

    /// Draws the legend under the title, or under the scale of colours with so many lines: an arrow of every kind with its value. Returns where it ends.
    pub(super) fn draw_legend(&self, window: &mut Window, page: &Page, sight: &Sight, scales: usize) -> f32 {
        let mut top = match scales {
            0 => TOP,
            lines => TOP + SCALE + heat::LINE * (lines - 1) as f32,
        };
        let legends = self.arrows.iter().flat_map(|arrows| arrows.legends(&self.kinds));
        let pixel = 2.0 * sight.half_height() / page.size.y;
        for legend in legends {
            let at = Vec2::new(LEFT, top) * page.unit;
            draw_row(window, page, legend, at, sight.placing.length(legend.length) / pixel);
            top += ROW;
        }
        if let Some(failure) = self.failure.as_ref().filter(|_| !self.kinds.is_empty()) {
            page.text(window, failure, Vec2::new(LEFT, top) * page.unit, TEXT);
            top += ROW;
        }
        top
    }
}

/// Draws what the colours of dry friction mean, below `top`. Returns where it ends.
pub(super) fn draw_states(window: &mut Window, page: &Page, top: f32) -> f32 {
    let states = FrictionState::ALL.into_iter();
    let states = states.map(|state| (Material::Friction(state).colour(), state.name()));
    draw_swatches(window, page, top, states)
}

/// Draws squares of colours with what they mean, one below the other. Returns where they end.
pub(super) fn draw_swatches<'a>(
    window: &mut Window,
    page: &Page,
    mut top: f32,
    entries: impl Iterator<Item = (Rgb, &'a str)>,
) -> f32 {
    for (colour, words) in entries {
        let at = Vec2::new(LEFT, top) * page.unit;
        let middle = at.y + 0.45 * TEXT * page.unit;
        let ends = [0.0, SWATCH].map(|along| Vec2::new(at.x + along * page.unit, middle));
        page.line(window, ends[0], ends[1], palette::lit(colour), SWATCH);
        let beside = Vec2::new(at.x + (SWATCH + 8.0) * page.unit, at.y);
        page.text(window, words, beside, TEXT);
        top += ROW;
    }
    top
}

/// An arrow of a length in pixels at a place, with its name and value behind it.
fn draw_row(window: &mut Window, page: &Page, legend: &Legend, at: Vec2, length: f32) {
    let colour = palette::lit(Material::Arrow(legend.kind).colour());
    let middle = at.y + 0.45 * TEXT * page.unit;
    // Longer than this it would leave the picture; the value shrinks with it.
    let part = (0.3 * page.size.x / length).min(1.0);
    let length = part * length;
    let mut line = |from: Vec2, to: Vec2| page.line(window, from, to, colour, 2.5);
    let (start, tip) = (Vec2::new(at.x, middle), Vec2::new(at.x + length, middle));
    let head = HEAD.min(length) * page.unit;
    line(start, tip);
    for side in [-0.5, 0.5] {
        line(tip, tip + Vec2::new(-head, side * head));
    }
    page.text(
        window,
        &legend.words(f64::from(part)),
        Vec2::new(at.x + length + 8.0 * page.unit, at.y),
        TEXT,
    );
}
