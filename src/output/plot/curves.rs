//! Curves: line styles, reduction to what is visible, legend.

use plotters::element::{Circle, DashedPathElement, DynElement, IntoDynElement, PathElement};
use plotters::prelude::{DrawingBackend, RGBColor, ShapeStyle};
use plotters::style::text_anchor::HPos;

use super::Curve;
use super::canvas::{Canvas, failed};
use super::frame::{Chart, Frame};
use super::text;
use crate::error::Result;

/// Size of the text of legends.
const SIZE: f64 = 11.0;

/// Length of the line in a legend.
const SAMPLE: f64 = 26.0;

/// Height of a legend entry.
const ROW: f64 = 17.0;

/// Widest name in a legend.
const NAME: f64 = 160.0;

/// Width of the columns of a curve within which only the extremes are drawn.
const COLUMN: f64 = 0.25;

/// Points of a segment above which it is reduced.
const MANY: usize = 2000;

/// Radius of a dot relative to the width of its line.
const DOT: f64 = 1.3;

/// Look of a curve: colour (of Okabe and Ito's palette), weight, lengths of dash and gap.
type Style = (RGBColor, f64, Option<(f64, f64)>);

/// Styles in order; they differ in weight and dashes too, so that they remain distinct without colour.
const STYLES: [Style; 6] = [
    (RGBColor(0, 114, 178), 1.6, None),
    (RGBColor(213, 94, 0), 1.6, Some((7.0, 3.0))),
    (RGBColor(30, 30, 30), 0.9, None),
    (RGBColor(0, 158, 115), 1.6, Some((13.0, 3.0))),
    (RGBColor(204, 121, 167), 2.4, None),
    (RGBColor(86, 180, 233), 2.0, Some((2.5, 2.5))),
];

/// A style in steps of a medium.
#[derive(Clone, Copy)]
struct Pen {
    style: ShapeStyle,
    dot: i32,
    dash: Option<(i32, i32)>,
    spikes: bool,
}

impl Pen {
    fn new<B: DrawingBackend>(canvas: &Canvas<B>, (colour, width, dash): Style) -> Self {
        Self {
            style: canvas.pen(colour, width).filled(),
            dot: canvas.steps(DOT * width),
            dash: dash.map(|(dash, gap)| (canvas.steps(dash), canvas.steps(gap))),
            spikes: canvas.medium.spikes,
        }
    }

    /// A connected line; a single point is a dot.
    fn strokes<B: DrawingBackend, P: Clone + 'static>(&self, points: Vec<P>) -> Vec<DynElement<'static, B, P>> {
        let line = |points: Vec<P>| PathElement::new(points, self.style).into_dyn();
        let dot = |point: &P, radius: i32| Circle::new(point.clone(), radius, self.style).into_dyn();
        match (points.as_slice(), self.dash) {
            ([only], _) => vec![dot(only, self.dot)],
            (_, Some((dash, gap))) => {
                vec![DashedPathElement::new(points.into_iter(), dash, gap, self.style).into_dyn()]
            }
            ([_, inner @ .., _], None) if self.spikes => {
                let radius = self.style.stroke_width as i32 / 2;
                let joints = inner.iter().map(|point| dot(point, radius));
                points
                    .windows(2)
                    .map(|pair| line(pair.to_vec()))
                    .chain(joints)
                    .collect()
            }
            _ => vec![line(points)],
        }
    }
}

/// Draws the curves of a panel and, beside it, the legend.
pub(super) fn draw<B: DrawingBackend>(
    canvas: &Canvas<B>,
    curves: &[Curve],
    frame: &Frame,
    chart: &mut Chart<B>,
) -> Result<()> {
    for (curve, style) in curves.iter().zip(STYLES.into_iter().cycle()) {
        let pen = Pen::new(canvas, style);
        for mut piece in curve.segments.iter().flat_map(|segment| pieces(segment, frame)) {
            piece.dedup_by_key(|point| chart.backend_coord(point));
            chart.draw_series(pen.strokes(piece)).map_err(failed)?;
        }
    }
    legend(canvas, curves, frame)
}

/// A segment on the axes, interrupted where they have no place for a value.
fn pieces(segment: &[(f64, f64)], frame: &Frame) -> Vec<Vec<(f64, f64)>> {
    let places: Vec<Option<(f64, f64)>> = segment.iter().map(|&point| frame.place(point)).collect();
    let pieces = places.split(Option::is_none).filter(|piece| !piece.is_empty());
    pieces
        .map(|piece| reduced(piece.iter().copied().flatten().collect(), frame.right - frame.left))
        .collect()
}

/// The same line to the eye with at most four points per column: first, lowest, highest, last.
fn reduced(points: Vec<(f64, f64)>, width: f64) -> Vec<(f64, f64)> {
    if points.len() <= MANY {
        return points;
    }
    let column = |point: &(f64, f64)| (point.0 * width / COLUMN).floor();
    let mut kept = Vec::new();
    for column in points.chunk_by(|a, b| column(a) == column(b)) {
        let by_height = |a: &usize, b: &usize| column[*a].1.total_cmp(&column[*b].1);
        let lowest = (0..column.len()).min_by(by_height).unwrap_or(0);
        let highest = (0..column.len()).max_by(by_height).unwrap_or(0);
        let mut indices = [0, lowest.min(highest), lowest.max(highest), column.len() - 1].to_vec();
        indices.dedup();
        kept.extend(indices.into_iter().map(|k| column[k]));
    }
    kept
}

/// Width that the legends beside panels with these curves need; zero without legends.
pub(super) fn legend_width<'a>(panels: impl IntoIterator<Item = &'a [Curve]>) -> f64 {
    let names = panels.into_iter().filter(|curves| curves.len() > 1).flatten();
    names
        .map(|curve| SAMPLE + 18.0 + text::width(&curve.name, SIZE).min(NAME))
        .fold(0.0, f64::max)
}

/// Names beside the panel; those of the library lie on the curves.
fn legend<B: DrawingBackend>(canvas: &Canvas<B>, curves: &[Curve], frame: &Frame) -> Result<()> {
    if curves.len() < 2 {
        return Ok(());
    }
    let rows = (frame.height() / ROW) as usize;
    let left = frame.right + 10.0;
    for (row, (curve, style)) in curves.iter().zip(STYLES.into_iter().cycle()).take(rows).enumerate() {
        let y = frame.top + 9.0 + ROW * row as f64;
        if row + 1 == rows && curves.len() > rows {
            return canvas.text(&format!("… {} more", curves.len() - row), (left, y), HPos::Left, SIZE);
        }
        let is_dots = !curve.segments.is_empty() && curve.segments.iter().all(|segment| segment.len() == 1);
        let ends = if is_dots { vec![0.5] } else { vec![0.0, 1.0] };
        let place = |part: f64| (canvas.steps(left + part * SAMPLE), canvas.steps(y));
        for stroke in Pen::new(canvas, style).strokes(ends.into_iter().map(place).collect()) {
            canvas.root.draw(&stroke).map_err(failed)?;
        }
        let name = text::shorten(&curve.name, SIZE, NAME);
        canvas.text(&name, (left + SAMPLE + 6.0, y), HPos::Left, SIZE)?;
    }
    Ok(())
}
