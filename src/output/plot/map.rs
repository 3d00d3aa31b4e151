//! Values over two coordinates, as colours.

mod colours;
#[cfg(test)]
mod tests;

use plotters::element::{Circle, Rectangle};
use plotters::prelude::{ChartBuilder, Color, DrawingBackend, RGBColor};
use plotters::style::text_anchor::HPos;

use super::axis::{Axis, TICK_SIZE, extent};
use super::canvas::{Canvas, failed};
use super::finite;
use super::frame::{BOX, BOX_WIDTH, Chart, EDGE, Frame, LABEL_SIZE, TICK, TOP, WIDTH, left_edge};
use super::text;
use crate::error::{Error, ErrorKind, Result};
use colours::viridis;

/// Height of the map.
const HEIGHT: f64 = 420.0;

/// Width of the colour bar, and its distance from the map.
const BAR: f64 = 18.0;
const GAP: f64 = 26.0;

/// Steps of the colour bar.
const SHADES: usize = 210;

/// How far a tile reaches over its right and lower neighbour: edges that only touch would shine through.
const OVERLAP: f64 = 0.4;

/// Radius of the dot for a point of a sample.
const DOT: f64 = 5.2;

/// Ratio of the largest to the least value from which colours follow the logarithm.
const DECADES: f64 = 1e2;

/// Colour where there is no value.
const MISSING: RGBColor = RGBColor(222, 222, 222);

/// A value at each of many places, as colours.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// Heading.
    pub title: String,
    /// Name and unit of the horizontal axis.
    pub x_label: String,
    /// Name and unit of the vertical axis.
    pub y_label: String,
    /// Name of the value.
    pub label: String,
    /// Where the values are.
    pub places: Places,
    /// One per place; none where there is no value.
    pub values: Vec<Option<f64>>,
}

/// Where the values of a map are.
#[derive(Clone, Debug, PartialEq)]
pub enum Places {
    /// At all pairs of increasing coordinates, all vertical ones of the first horizontal one first.
    Grid {
        /// Horizontal.
        x: Vec<f64>,
        /// Vertical.
        y: Vec<f64>,
    },
    /// At points (x, y).
    Points(Vec<(f64, f64)>),
}

impl Map {
    fn check(&self) -> Result<()> {
        let (coordinates, count): (Vec<f64>, usize) = match &self.places {
            Places::Grid { x, y } => ([x.as_slice(), y].concat(), x.len() * y.len()),
            Places::Points(points) => (points.iter().flat_map(|(x, y)| [*x, *y]).collect(), points.len()),
        };
        if count != self.values.len() {
            let message = format!(
                "the map \"{}\" has {} values at {count} places",
                self.label,
                self.values.len()
            );
            return Err(Error::new(ErrorKind::Request, message).named(&self.label));
        }
        let mut values = coordinates.iter().chain(self.values.iter().flatten());
        values.try_for_each(|value| finite(&self.label, *value))
    }
}

/// The colours of a map and their axis.
pub(super) struct Layer<'a> {
    map: &'a Map,
    colours: Axis,
}

impl Map {
    /// Place and axes of the map, and its colours.
    ///
    /// # Errors
    /// As [`super::render_svg`].
    pub(super) fn plan(&self) -> Result<(Frame, Layer<'_>)> {
        self.check()?;
        let (x, y) = match &self.places {
            Places::Grid { x, y } => (extent(edges(x)), extent(edges(y))),
            Places::Points(points) => (extent(points.iter().map(|p| p.0)), extent(points.iter().map(|p| p.1))),
        };
        let tight = matches!(self.places, Places::Grid { .. });
        let (x, y) = (Axis::linear(x, tight, 9), Axis::linear(y, tight, 8));
        let colours = match extent(self.values.iter().flatten().copied()) {
            Some((low, high)) if low > 0.0 && high / low > DECADES => Axis::logarithmic((low, high), 8),
            range => Axis::linear(range, true, 8),
        };
        let frame = Frame {
            left: left_edge([&y]),
            right: WIDTH - EDGE - GAP - BAR - beside(&colours),
            top: TOP,
            bottom: TOP + HEIGHT,
            x,
            y,
        };
        Ok((frame, Layer { map: self, colours }))
    }
}

/// Room beside the bar: its ticks with labels, and the name of the value upright.
fn beside(colours: &Axis) -> f64 {
    2.0 * TICK + colours.label_width().max(20.0) + LABEL_SIZE + 14.0
}

impl Layer<'_> {
    pub(super) fn draw<B: DrawingBackend>(
        &self,
        canvas: &Canvas<B>,
        frame: &Frame,
        chart: &mut Chart<B>,
    ) -> Result<()> {
        let colour = |value: &Option<f64>| {
            let part = value.and_then(|value| self.colours.at(value));
            part.map_or(MISSING, viridis).filled()
        };
        match &self.map.places {
            Places::Grid { x, y } => {
                let (columns, rows) = (edges(x), edges(y));
                let tiles = columns
                    .windows(2)
                    .flat_map(|column| rows.windows(2).map(move |row| (column, row)));
                let overlap = (OVERLAP / (frame.right - frame.left), OVERLAP / frame.height());
                let tile = |((column, row), value): ((&[f64], &[f64]), &Option<f64>)| {
                    let (left, bottom) = frame.place((column[0], row[0]))?;
                    let (right, top) = frame.place((column[1], row[1]))?;
                    let end = ((right + overlap.0).min(1.0), (bottom - overlap.1).max(0.0));
                    Some(Rectangle::new([(left, top), end], colour(value)))
                };
                chart
                    .draw_series(tiles.zip(&self.map.values).filter_map(tile))
                    .map_err(failed)?;
            }
            Places::Points(points) => {
                let dot = |(point, value): (&(f64, f64), &Option<f64>)| {
                    Some(Circle::new(frame.place(*point)?, canvas.steps(DOT), colour(value)))
                };
                chart
                    .draw_series(points.iter().zip(&self.map.values).filter_map(dot))
                    .map_err(failed)?;
            }
        }
        self.draw_bar(canvas, frame)
    }

    /// The colours with their values, and the colour of places without a value if there are any.
    fn draw_bar<B: DrawingBackend>(&self, canvas: &Canvas<B>, frame: &Frame) -> Result<()> {
        let steps = |length: f64| canvas.steps(length);
        let left = frame.right + GAP;
        let size = (steps(BAR + beside(&self.colours)), steps(frame.height()));
        let area = canvas.root.clone().shrink((steps(left), steps(frame.top)), size);
        let mut bar = ChartBuilder::on(&area)
            .right_y_label_area_size(steps(beside(&self.colours)))
            .build_cartesian_2d(0.0..1.0, self.colours.clone())
            .map_err(failed)?;
        let part = |k: usize| k as f64 / SHADES as f64;
        let shade = |k: usize| {
            let below = (part(k) - OVERLAP / frame.height()).max(0.0);
            Rectangle::new(
                [(0.0, part(k + 1)), (1.0, below)],
                viridis(part(k) + part(1) / 2.0).filled(),
            )
        };
        bar.draw_series((0..SHADES).map(shade)).map_err(failed)?;
        let (labels, drop) = canvas.style(TICK_SIZE);
        bar.configure_mesh()
            .disable_mesh()
            .axis_style(canvas.pen(BOX, BOX_WIDTH))
            .set_all_tick_mark_size(steps(TICK))
            .label_style(labels)
            .axis_desc_style(canvas.style(LABEL_SIZE).0)
            .y_label_offset(drop)
            .y_desc(text::shorten(&self.map.label, LABEL_SIZE, frame.height()))
            .draw()
            .map_err(failed)?;
        canvas.text(&self.colours.note, (left, frame.top - 9.0), HPos::Left, TICK_SIZE)?;
        if self.map.values.iter().any(Option::is_none) {
            let y = frame.bottom + 18.0;
            canvas.fill((left, y - 5.0), (left + 10.0, y + 5.0), MISSING)?;
            canvas.text("no value", (left + 15.0, y), HPos::Left, TICK_SIZE)?;
        }
        Ok(())
    }
}

/// Edges of the tiles around increasing coordinates: half-way between neighbours, and as far beyond both ends.
fn edges(values: &[f64]) -> Vec<f64> {
    let half = |pair: &[f64]| pair[1] / 2.0 - pair[0] / 2.0;
    let (Some(first), Some(last)) = (values.first(), values.last()) else {
        return Vec::new();
    };
    let (before, after) = (
        values.windows(2).next().map_or(0.5, half),
        values.windows(2).next_back().map_or(0.5, half),
    );
    let inner = values.windows(2).map(|pair| pair[0] + half(pair));
    std::iter::once(first - before)
        .chain(inner)
        .chain(std::iter::once(last + after))
        .collect()
}
