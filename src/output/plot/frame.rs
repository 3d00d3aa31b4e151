//! The frame of a panel: box, grid, ticks, labels.

use plotters::prelude::{DrawingBackend, RGBColor};

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, Point};
use super::text;
use crate::error::Result;

/// Colour of text.
pub(super) const INK: RGBColor = RGBColor(40, 40, 40);

/// Colour of the box around a panel and its ticks.
const BOX: RGBColor = RGBColor(110, 110, 110);

const GRID: RGBColor = RGBColor(228, 228, 228);

/// Size of tick labels.
pub(super) const TICK_SIZE: f64 = 10.5;

/// Size of the names of axes.
pub(super) const LABEL_SIZE: f64 = 11.5;

/// Free space at the edges of the page.
pub(super) const EDGE: f64 = 10.0;

pub(super) const WHITE: RGBColor = RGBColor(255, 255, 255);

/// Length of a tick.
const TICK: f64 = 4.0;

/// Place of a panel on the page with its axes.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) x: Axis,
    pub(super) y: Axis,
}

impl Frame {
    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    fn across(&self, part: f64) -> f64 {
        self.left + part * (self.right - self.left)
    }

    fn up(&self, part: f64) -> f64 {
        self.bottom - part * self.height()
    }

    /// Place of a point on the page; `None` where the vertical axis has no such value.
    pub(super) fn place(&self, (x, y): (f64, f64)) -> Option<Point> {
        Some((self.across(self.x.at(x)?), self.up(self.y.at(y)?)))
    }

    /// Draws the grid lines.
    pub(super) fn draw_grid<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<()> {
        for tick in &self.x.ticks {
            let x = self.across(tick.at);
            canvas.line(&[(x, self.top), (x, self.bottom)], GRID, 0.7)?;
        }
        for tick in &self.y.ticks {
            let y = self.up(tick.at);
            canvas.line(&[(self.left, y), (self.right, y)], GRID, 0.7)?;
        }
        Ok(())
    }

    /// Draws box, ticks and vertical axis, with its name at the given distance from the left edge.
    pub(super) fn draw_box<B: DrawingBackend>(&self, canvas: &Canvas<B>, name: &str, name_at: f64) -> Result<()> {
        let corners = [
            (self.left, self.top),
            (self.right, self.top),
            (self.right, self.bottom),
            (self.left, self.bottom),
        ];
        for (from, to) in corners.iter().zip(corners.iter().cycle().skip(1)) {
            canvas.line(&[*from, *to], BOX, 0.9)?;
        }
        for tick in &self.x.ticks {
            let x = self.across(tick.at);
            canvas.line(&[(x, self.bottom), (x, self.bottom - TICK)], BOX, 0.9)?;
        }
        for tick in &self.y.ticks {
            let y = self.up(tick.at);
            canvas.line(&[(self.left, y), (self.left + TICK, y)], BOX, 0.9)?;
            canvas.text(&tick.label, (self.left - 6.0, y), Anchor::Right, TICK_SIZE, INK)?;
        }
        let name = text::shorten(name, LABEL_SIZE, self.height());
        canvas.upright(&name, (name_at, (self.top + self.bottom) / 2.0), LABEL_SIZE, INK)?;
        self.note(canvas)
    }

    /// Factor and offset of the tick labels, above the axis.
    fn note<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<()> {
        let y = self.top - 9.0;
        let width = text::width(&self.y.note, TICK_SIZE);
        if width + EDGE < self.left {
            return canvas.text(&self.y.note, (self.left - 4.0, y), Anchor::Right, TICK_SIZE, INK);
        }
        canvas.fill((self.left - 2.0, y - 7.0), (EDGE + width + 2.0, y + 7.0), WHITE)?;
        canvas.text(&self.y.note, (EDGE, y), Anchor::Left, TICK_SIZE, INK)
    }

    /// Right end of the note above the vertical axis, or the left end of the panel when that is further right.
    pub(super) fn note_end(left: f64, y: &Axis) -> f64 {
        left.max(EDGE + text::width(&y.note, TICK_SIZE) + EDGE)
    }

    /// Draws tick labels and name of the horizontal axis.
    pub(super) fn draw_x_labels<B: DrawingBackend>(&self, canvas: &Canvas<B>, name: &str) -> Result<()> {
        let y = self.bottom + 12.0;
        for tick in &self.x.ticks {
            canvas.text(&tick.label, (self.across(tick.at), y), Anchor::Centre, TICK_SIZE, INK)?;
        }
        let noted = text::width(&self.x.note, TICK_SIZE);
        let room = (self.right - self.left) - 2.0 * (noted + 12.0);
        let name = text::shorten(name, LABEL_SIZE, room);
        canvas.text(
            &name,
            ((self.left + self.right) / 2.0, y + 18.0),
            Anchor::Centre,
            LABEL_SIZE,
            INK,
        )?;
        canvas.text(&self.x.note, (self.right, y + 18.0), Anchor::Right, TICK_SIZE, INK)
    }
}
