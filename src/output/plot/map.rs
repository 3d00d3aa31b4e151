//! Values over two coordinates, as colours.

mod colours;
#[cfg(test)]
mod tests;

use plotters::prelude::{DrawingBackend, RGBColor};

use super::axis::{Axis, extent};
use super::canvas::{Anchor, Canvas};
use super::finite;
use super::frame::{EDGE, Frame, INK, LABEL_SIZE, TICK_SIZE};
use super::page::{FOOT, TITLE_HEIGHT, WIDTH, draw_title, left_edge};
use super::text;
use crate::error::{Error, ErrorKind, Result};
use colours::viridis;

/// Height of the map.
const HEIGHT: f64 = 420.0;

/// Width of the colour bar, its distance from the map, and the length of its ticks.
const BAR: f64 = 18.0;
const GAP: f64 = 26.0;
const TICK: f64 = 4.0;

/// Steps of the colour bar.
const SHADES: usize = 210;

/// How far a tile reaches over its right and lower neighbour: edges that only touch would shine through.
const OVERLAP: f64 = 0.4;

/// Line width that makes a dot for a point of a sample.
const DOT: f64 = 4.0;

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
        let count = match &self.places {
            Places::Grid { x, y } => {
                x.iter().chain(y).try_for_each(|value| finite(&self.label, *value))?;
                x.len() * y.len()
            }
            Places::Points(points) => {
                points
                    .iter()
                    .try_for_each(|(x, y)| finite(&self.label, *x).and(finite(&self.label, *y)))?;
                points.len()
            }
        };
        if count != self.values.len() {
            let message = format!(
                "the map \"{}\" has {} values at {count} places",
                self.label,
                self.values.len()
            );
            return Err(Error::new(ErrorKind::Request, message).named(&self.label));
        }
        self.values
            .iter()
            .flatten()
            .try_for_each(|value| finite(&self.label, *value))
    }
}

/// A map with the places of its parts.
pub(super) struct Layout<'a> {
    map: &'a Map,
    frame: Frame,
    colours: Axis,
}

impl<'a> Layout<'a> {
    /// # Errors
    /// As [`super::render_svg`].
    pub(super) fn plan(map: &'a Map) -> Result<Self> {
        map.check()?;
        let (x, y) = match &map.places {
            Places::Grid { x, y } => (outline(x), outline(y)),
            Places::Points(points) => (extent(points.iter().map(|p| p.0)), extent(points.iter().map(|p| p.1))),
        };
        let tight = matches!(map.places, Places::Grid { .. });
        let (horizontal, vertical) = (Axis::linear(x, tight, 9), Axis::linear(y, tight, 8));
        let colours = match extent(map.values.iter().flatten().copied()) {
            Some((low, high)) if low > 0.0 && high / low > DECADES => Axis::logarithmic((low, high), 8),
            range => Axis::linear(range, true, 8),
        };
        let labels = colours
            .ticks
            .iter()
            .map(|tick| text::width(&tick.label, TICK_SIZE))
            .fold(20.0, f64::max);
        let top = TITLE_HEIGHT + 12.0;
        let frame = Frame {
            left: left_edge(std::slice::from_ref(&vertical)),
            // Beside the map: the bar, its ticks with labels, and the name of the value upright.
            right: WIDTH - EDGE - GAP - BAR - TICK - labels - LABEL_SIZE - 18.0,
            top,
            bottom: top + HEIGHT,
            x: horizontal,
            y: vertical,
        };
        Ok(Self { map, frame, colours })
    }

    pub(super) fn pixels(&self, scale: u32) -> (u32, u32) {
        (WIDTH as u32 * scale, (self.frame.bottom + FOOT).ceil() as u32 * scale)
    }

    pub(super) fn draw<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<()> {
        let frame = &self.frame;
        draw_title(canvas, &self.map.title, frame.left, self.pixels(1).1)?;
        match &self.map.places {
            Places::Grid { x, y } => self.draw_tiles(canvas, x, y)?,
            Places::Points(points) => self.draw_dots(canvas, points)?,
        }
        frame.draw_box(canvas, &self.map.y_label, EDGE + LABEL_SIZE / 2.0)?;
        frame.draw_x_labels(canvas, &self.map.x_label)?;
        self.draw_bar(canvas)
    }

    fn colour(&self, value: Option<f64>) -> RGBColor {
        value.and_then(|value| self.colours.at(value)).map_or(MISSING, viridis)
    }

    fn draw_tiles<B: DrawingBackend>(&self, canvas: &Canvas<B>, x: &[f64], y: &[f64]) -> Result<()> {
        let frame = &self.frame;
        let (columns, rows) = (edges(x), edges(y));
        let tiles = columns
            .windows(2)
            .flat_map(|column| rows.windows(2).map(move |row| (column, row)));
        for ((column, row), value) in tiles.zip(&self.map.values) {
            // The upper edge of a tile is at its greater coordinate.
            let corners = (frame.place((column[0], row[1])), frame.place((column[1], row[0])));
            let (Some((left, top)), Some((right, bottom))) = corners else {
                continue;
            };
            let end = ((right + OVERLAP).min(frame.right), (bottom + OVERLAP).min(frame.bottom));
            canvas.fill((left, top), end, self.colour(*value))?;
        }
        Ok(())
    }

    fn draw_dots<B: DrawingBackend>(&self, canvas: &Canvas<B>, points: &[(f64, f64)]) -> Result<()> {
        self.frame.draw_grid(canvas)?;
        for (point, value) in points.iter().zip(&self.map.values) {
            let Some(place) = self.frame.place(*point) else {
                continue;
            };
            canvas.line(&[place], self.colour(*value), DOT)?;
        }
        Ok(())
    }

    /// The colours with their values, and the colour of places without a value if there are any.
    fn draw_bar<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<()> {
        let Frame { right, top, bottom, .. } = self.frame;
        let (left, end) = (right + GAP, right + GAP + BAR);
        let up = |part: f64| bottom - part * (bottom - top);
        for shade in 0..SHADES {
            let part = |k: usize| k as f64 / SHADES as f64;
            let below = (up(part(shade)) + OVERLAP).min(bottom);
            canvas.fill(
                (left, up(part(shade + 1))),
                (end, below),
                viridis(part(shade) + part(1) / 2.0),
            )?;
        }
        let mut widest: f64 = 0.0;
        for tick in &self.colours.ticks {
            let y = up(tick.at);
            canvas.line(&[(end, y), (end + TICK, y)], INK, 0.9)?;
            canvas.text(&tick.label, (end + TICK + 3.0, y), Anchor::Left, TICK_SIZE, INK)?;
            widest = widest.max(text::width(&tick.label, TICK_SIZE));
        }
        canvas.text(&self.colours.note, (left, top - 9.0), Anchor::Left, TICK_SIZE, INK)?;
        let name = text::shorten(&self.map.label, LABEL_SIZE, bottom - top);
        let beside = end + TICK + widest.max(20.0) + 6.0 + LABEL_SIZE;
        canvas.upright(&name, (beside, (top + bottom) / 2.0), LABEL_SIZE, INK)?;
        if self.map.values.iter().any(Option::is_none) {
            let y = bottom + 18.0;
            canvas.fill((left, y - 5.0), (left + 10.0, y + 5.0), MISSING)?;
            canvas.text("no value", (left + 15.0, y), Anchor::Left, TICK_SIZE, INK)?;
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

fn outline(values: &[f64]) -> Option<(f64, f64)> {
    extent(edges(values).into_iter())
}
