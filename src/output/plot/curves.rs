//! Curves: line styles, reduction to what is visible, dashes, legend.

use plotters::prelude::{DrawingBackend, RGBColor};

use super::canvas::{Anchor, Canvas, Point};
use super::frame::Frame;
use super::text;
use super::{Curve, Panel};
use crate::error::Result;

/// Size of the text of legends.
const SIZE: f64 = 11.0;

/// Length of the line in a legend.
const SAMPLE: f64 = 26.0;

/// Height of a legend entry.
const ROW: f64 = 17.0;

/// Widest name in a legend.
const NAME: f64 = 130.0;

/// Width of the columns of a curve within which only the extremes are drawn.
const COLUMN: f64 = 0.25;

/// Points of a segment above which it is reduced.
const MANY: usize = 2000;

/// Look of a curve: colour (of Okabe and Ito's palette), weight, lengths of dashes and gaps in turn.
struct Style {
    colour: RGBColor,
    width: f64,
    dashes: &'static [f64],
}

/// Styles in order; they differ in weight and dashes too, so that they remain distinct without colour.
const STYLES: [Style; 6] = [
    Style {
        colour: RGBColor(0, 114, 178),
        width: 1.6,
        dashes: &[],
    },
    Style {
        colour: RGBColor(213, 94, 0),
        width: 1.6,
        dashes: &[7.0, 3.0],
    },
    Style {
        colour: RGBColor(30, 30, 30),
        width: 0.9,
        dashes: &[],
    },
    Style {
        colour: RGBColor(0, 158, 115),
        width: 1.6,
        dashes: &[9.0, 3.0, 2.0, 3.0],
    },
    Style {
        colour: RGBColor(204, 121, 167),
        width: 2.4,
        dashes: &[],
    },
    Style {
        colour: RGBColor(86, 180, 233),
        width: 2.0,
        dashes: &[2.5, 2.5],
    },
];

/// Draws the curves of a panel and, beside it, the legend.
pub(super) fn draw<B: DrawingBackend>(canvas: &Canvas<B>, panel: &Panel, frame: &Frame) -> Result<()> {
    for (curve, style) in panel.curves.iter().zip(STYLES.iter().cycle()) {
        for segment in &curve.segments {
            for visible in pieces(segment, frame) {
                stroke(canvas, &reduced(visible), style)?;
            }
        }
    }
    legend(canvas, &panel.curves, frame)
}

/// A segment on the page, interrupted where the axis has no place for a value.
fn pieces(segment: &[(f64, f64)], frame: &Frame) -> Vec<Vec<Point>> {
    let places: Vec<Option<Point>> = segment.iter().map(|&point| frame.place(point)).collect();
    places
        .split(Option::is_none)
        .filter(|piece| !piece.is_empty())
        .map(|piece| piece.iter().copied().flatten().collect())
        .collect()
}

/// The same line to the eye with at most four points per column: first, lowest, highest, last.
fn reduced(points: Vec<Point>) -> Vec<Point> {
    if points.len() <= MANY {
        return points;
    }
    let mut kept = Vec::new();
    for column in points.chunk_by(|a, b| (a.0 / COLUMN).floor() == (b.0 / COLUMN).floor()) {
        let by_height = |a: &usize, b: &usize| column[*a].1.total_cmp(&column[*b].1);
        let lowest = (0..column.len()).min_by(by_height).unwrap_or(0);
        let highest = (0..column.len()).max_by(by_height).unwrap_or(0);
        let mut indices = [0, lowest.min(highest), lowest.max(highest), column.len() - 1].to_vec();
        indices.dedup();
        kept.extend(indices.into_iter().map(|k| column[k]));
    }
    kept
}

fn stroke<B: DrawingBackend>(canvas: &Canvas<B>, points: &[Point], style: &Style) -> Result<()> {
    if style.dashes.is_empty() || points.len() < 2 {
        return canvas.line(points, style.colour, style.width);
    }
    // A dash that ends with the line where it begins would be drawn as a dot.
    dashed(points, style.dashes)
        .iter()
        .filter(|dash| dash.len() > 1)
        .try_for_each(|dash| canvas.line(dash, style.colour, style.width))
}

/// Cuts a line into dashes.
fn dashed(points: &[Point], pattern: &[f64]) -> Vec<Vec<Point>> {
    let mut lengths = pattern.iter().copied().cycle();
    let mut left = lengths.next().unwrap_or(f64::INFINITY);
    let mut pen = true;
    let mut dashes = vec![points[..1].to_vec()];
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        let mut length = (to.0 - from.0).hypot(to.1 - from.1);
        while length > left {
            let part = left / length;
            from = (from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1));
            length -= left;
            left = lengths.next().unwrap_or(f64::INFINITY);
            match (pen, dashes.last_mut()) {
                (true, Some(dash)) => dash.push(from),
                _ => dashes.push(vec![from]),
            }
            pen = !pen;
        }
        left -= length;
        if let (true, Some(dash)) = (pen, dashes.last_mut()) {
            dash.push(to);
        }
    }
    dashes
}

/// Width that the legends of a figure need; zero without legends.
pub(super) fn legend_width(panels: &[Panel]) -> f64 {
    let names = panels
        .iter()
        .filter(|panel| panel.curves.len() > 1)
        .flat_map(|panel| &panel.curves);
    names
        .map(|curve| SAMPLE + 18.0 + text::width(&curve.name, SIZE).min(NAME))
        .fold(0.0, f64::max)
}

fn legend<B: DrawingBackend>(canvas: &Canvas<B>, curves: &[Curve], frame: &Frame) -> Result<()> {
    if curves.len() < 2 {
        return Ok(());
    }
    let rows = (frame.height() / ROW) as usize;
    let shown = if curves.len() <= rows {
        curves.len()
    } else {
        rows.saturating_sub(1)
    };
    let left = frame.right + 10.0;
    for (row, (curve, style)) in curves.iter().take(shown).zip(STYLES.iter().cycle()).enumerate() {
        let y = frame.top + 9.0 + ROW * row as f64;
        let is_dots = !curve.segments.is_empty() && curve.segments.iter().all(|segment| segment.len() == 1);
        match is_dots {
            true => stroke(canvas, &[(left + 0.5 * SAMPLE, y)], style)?,
            false => stroke(canvas, &[(left, y), (left + SAMPLE, y)], style)?,
        }
        let name = text::shorten(&curve.name, SIZE, NAME);
        canvas.text(&name, (left + SAMPLE + 6.0, y), Anchor::Left, SIZE, super::frame::INK)?;
    }
    if shown < curves.len() {
        let rest = format!("… {} more", curves.len() - shown);
        canvas.text(
            &rest,
            (left, frame.top + 9.0 + ROW * shown as f64),
            Anchor::Left,
            SIZE,
            super::frame::INK,
        )?;
    }
    Ok(())
}
