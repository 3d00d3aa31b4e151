//! The place of a panel on the page, and its chart: grid, ticks, labels and names of the axes.

use plotters::prelude::{Cartesian2d, ChartBuilder, ChartContext, DrawingBackend, PathElement, RGBColor, WHITE};
use plotters::style::text_anchor::HPos;

use super::axis::{Axis, TICK_SIZE};
use super::canvas::{Canvas, failed};
use super::text;
use crate::error::Result;

/// Colour of the box around a panel and its ticks, and width of their lines.
pub(super) const BOX: RGBColor = RGBColor(110, 110, 110);
pub(super) const BOX_WIDTH: f64 = 0.9;

const GRID: RGBColor = RGBColor(228, 228, 228);
const GRID_WIDTH: f64 = 0.7;

/// Size of the names of axes.
pub(super) const LABEL_SIZE: f64 = 11.5;

/// Width of every page.
pub(super) const WIDTH: f64 = 840.0;

/// Room of the heading, and top of a panel below a heading without marks.
pub(super) const TITLE_HEIGHT: f64 = 36.0;
pub(super) const TOP: f64 = TITLE_HEIGHT + 12.0;

/// Free space at the edges of the page.
pub(super) const EDGE: f64 = 10.0;

/// Space below the last panel: tick labels and the name of the axis.
pub(super) const FOOT: f64 = 46.0;

/// Length of a tick; labels are twice as far away.
pub(super) const TICK: f64 = 4.0;

/// A chart whose coordinates are those of its axes, 0 to 1.
pub(super) type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<Axis, Axis>>;

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

    /// Place of a point on the axes; `None` where one of them has no such value.
    pub(super) fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        Some((self.x.at(x)?, self.y.at(y)?))
    }

    /// The chart with its grid and labels; without a name, the horizontal axis has no labels.
    pub(super) fn chart<'a, B: DrawingBackend>(
        &self,
        canvas: &Canvas<B>,
        x_name: Option<&str>,
        y_name: &str,
    ) -> Result<Chart<'a, B>> {
        let steps = |length: f64| canvas.steps(length);
        let foot = if x_name.is_some() { FOOT - EDGE } else { 0.0 };
        let size = (steps(self.right - EDGE), steps(self.height() + foot));
        let area = canvas.root.clone().shrink((steps(EDGE), steps(self.top)), size);
        let mut builder = ChartBuilder::on(&area);
        builder
            .y_label_area_size(steps(self.left - EDGE))
            .x_label_area_size(steps(foot));
        let mut chart = builder
            .build_cartesian_2d(self.x.clone(), self.y.clone())
            .map_err(failed)?;
        let (labels, drop) = canvas.style(TICK_SIZE);
        let mut mesh = chart.configure_mesh();
        mesh.bold_line_style(canvas.pen(GRID, GRID_WIDTH))
            .axis_style(canvas.pen(BOX, BOX_WIDTH))
            .set_all_tick_mark_size(steps(TICK))
            .label_style(labels)
            .axis_desc_style(canvas.style(LABEL_SIZE).0)
            .y_label_offset(drop)
            .y_desc(text::shorten(y_name, LABEL_SIZE, self.height()));
        if let Some(name) = x_name {
            let noted = text::width(&self.x.note, TICK_SIZE);
            mesh.x_desc(text::shorten(
                name,
                LABEL_SIZE,
                self.right - self.left - 2.0 * (noted + 12.0),
            ));
            canvas.text(
                &self.x.note,
                (self.right, self.bottom + FOOT - 16.0),
                HPos::Right,
                TICK_SIZE,
            )?;
        }
        mesh.draw().map_err(failed)?;
        self.note(canvas)?;
        Ok(chart)
    }

    /// Factor and offset of the tick labels, above the axis.
    fn note<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<()> {
        let y = self.top - 9.0;
        let width = text::width(&self.y.note, TICK_SIZE);
        if width + EDGE < self.left {
            return canvas.text(&self.y.note, (self.left - 4.0, y), HPos::Right, TICK_SIZE);
        }
        canvas.fill((self.left - 2.0, y - 7.0), (EDGE + width + 2.0, y + 7.0), WHITE)?;
        canvas.text(&self.y.note, (EDGE, y), HPos::Left, TICK_SIZE)
    }

    /// The name of the vertical axis above the panel, beside the note.
    pub(super) fn name_above<B: DrawingBackend>(&self, canvas: &Canvas<B>, name: &str) -> Result<()> {
        let left = Self::note_end(self.left + 4.0, &self.y);
        let name = text::shorten(name, LABEL_SIZE, self.right - left);
        canvas.text(&name, (left, self.top - 9.0), HPos::Left, LABEL_SIZE)
    }

    /// Right end of the note above the vertical axis, or the left end of the panel when that is further right.
    pub(super) fn note_end(left: f64, y: &Axis) -> f64 {
        left.max(EDGE + text::width(&y.note, TICK_SIZE) + EDGE)
    }
}

/// Draws the box around a chart.
pub(super) fn outline<B: DrawingBackend>(canvas: &Canvas<B>, chart: &mut Chart<B>) -> Result<()> {
    let corners = vec![(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)];
    let path = PathElement::new(corners, canvas.pen(BOX, BOX_WIDTH));
    chart.draw_series([path]).map(|_| ()).map_err(failed)
}

/// Left end of panels with these vertical axes: beside their labels and names.
pub(super) fn left_edge<'a>(verticals: impl IntoIterator<Item = &'a Axis>) -> f64 {
    let widths = verticals.into_iter().map(Axis::label_width);
    EDGE + 30.0 + widths.fold(26.0, f64::max)
}
