//! Layout of a drawing on its page: a heading, panels over one axis, marks through all of them.

use plotters::prelude::{DrawingBackend, RGBColor};
use plotters::style::text_anchor::HPos;

use super::axis::{Axis, extent};
use super::bands::{self, Band};
use super::canvas::Canvas;
use super::frame::{Chart, EDGE, FOOT, Frame, LABEL_SIZE, TITLE_HEIGHT, TOP, WIDTH, left_edge, outline};
use super::marks::{self, Labels};
use super::{Curve, Figure, Mark, Panel, Pattern, curves, map, text};
use crate::error::Result;

/// Space between two panels, and between those of a strip.
const GAP: f64 = 20.0;
const STRIP_GAP: f64 = 18.0;

/// Height of the panels of a strip, and space above them.
const STRIP_PANEL: f64 = 52.0;
const STRIP_HEAD: f64 = 20.0;

const TITLE_SIZE: f64 = 14.0;
const SUMMARY_HEIGHT: f64 = 18.0;

const MARK_WIDTH: f64 = 0.8;
const MARK: RGBColor = RGBColor(150, 150, 150);

/// Colour of marks so many that they would hide the curves.
const FAINT: RGBColor = RGBColor(205, 205, 205);
const MANY_MARKS: usize = 12;

/// Marks above which lines would fill the panels: short strokes at their upper edge remain.
const DENSE_MARKS: usize = 100;
const STROKE: f64 = 7.0;

/// A drawing with the places of all its parts.
#[derive(Default)]
pub(super) struct Page<'a> {
    title: &'a str,
    x_label: &'a str,
    panels: Vec<Placed<'a>>,
    labels: Labels,
    /// Places of the mark lines, no two on the same spot.
    lines: Vec<f64>,
    width: f64,
    is_strip: bool,
}

/// A panel in its place.
struct Placed<'a> {
    frame: Frame,
    label: &'a str,
    content: Content<'a>,
}

/// What a panel shows.
pub(super) enum Content<'a> {
    Curves(&'a [Curve]),
    Colours(map::Layer<'a>),
    Pattern(&'a Pattern),
    Bands(&'a [Band]),
}

impl<'a> Page<'a> {
    /// A page with one panel.
    pub(super) fn single(title: &'a str, names: (&'a str, &'a str), frame: Frame, content: Content<'a>) -> Self {
        let (x_label, label) = names;
        let panels = vec![Placed { frame, label, content }];
        Self {
            title,
            x_label,
            panels,
            width: WIDTH,
            ..Self::default()
        }
    }

    /// Places the parts of a figure.
    ///
    /// # Errors
    /// As [`super::render_svg`].
    pub(super) fn plan(figure: &'a Figure) -> Result<Self> {
        figure.check()?;
        let width = figure.strip.unwrap_or(WIDTH);
        let (tall, gap) = match figure.strip {
            Some(_) => (STRIP_PANEL, STRIP_GAP),
            None => (panel_height(figure.panels.len()), GAP),
        };
        let verticals: Vec<Axis> = figure.panels.iter().map(|panel| vertical(panel, tall)).collect();
        let left = left_edge(&verticals).max(bands::left_edge(&figure.bands));
        let legends = figure.panels.iter().map(|panel| panel.curves.as_slice());
        let right = width - EDGE - curves::legend_width(legends).max(16.0);
        let horizontal = horizontal(figure, right - left);
        let placed = |mark: &'a Mark| Some((left + horizontal.at(mark.x)? * (right - left), mark));
        let mut marked: Vec<(f64, &Mark)> = figure.marks.iter().filter_map(placed).collect();
        marked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let free = verticals.first().map_or(left, |y| Frame::note_end(left, y));
        let labels = match figure.strip {
            Some(_) => Labels::default(),
            None => Labels::arrange(&marked, free, width - EDGE),
        };
        let head = match &labels {
            _ if figure.strip.is_some() => STRIP_HEAD,
            Labels::Rows(_) => TITLE_HEIGHT + marks::ROW * labels.rows() as f64 + 8.0,
            Labels::Summary(_) => TITLE_HEIGHT + SUMMARY_HEIGHT + 12.0,
        };
        let panels = figure
            .panels
            .iter()
            .zip(verticals)
            .enumerate()
            .map(|(index, (panel, y))| {
                let top = head + (tall + gap) * index as f64;
                Placed {
                    frame: Frame {
                        left,
                        right,
                        top,
                        bottom: top + tall,
                        x: horizontal.clone(),
                        y,
                    },
                    label: &panel.label,
                    content: Content::Curves(&panel.curves),
                }
            });
        let mut panels: Vec<Placed> = panels.collect();
        if let (Some(above), false) = (panels.last(), figure.bands.is_empty()) {
            let top = above.frame.bottom + 0.4 * GAP;
            panels.push(Placed {
                frame: bands::plan(&figure.bands, [left, right, top], horizontal.clone()),
                label: "",
                content: Content::Bands(&figure.bands),
            });
        }
        let mut lines: Vec<f64> = marked.iter().map(|(place, _)| *place).collect();
        lines.dedup_by(|a, b| (*a - *b).abs() < 0.5);
        Ok(Self {
            title: &figure.title,
            x_label: &figure.x_label,
            panels,
            labels,
            lines,
            width,
            is_strip: figure.strip.is_some(),
        })
    }

    /// Width and height at a number of pixels per unit.
    pub(super) fn pixels(&self, scale: u32) -> (u32, u32) {
        let bottom = self.panels.last().map_or(TOP, |panel| panel.frame.bottom);
        let width = (self.width * f64::from(scale)).round();
        (width as u32, (bottom + FOOT).ceil() as u32 * scale)
    }

    /// The first of the panels and the last.
    pub(super) fn ends(&self) -> Option<[&Frame; 2]> {
        Some([&self.panels.first()?.frame, &self.panels.last()?.frame])
    }

    /// Draws everything.
    pub(super) fn draw<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<()> {
        let left = self.panels.first().map_or(EDGE, |panel| panel.frame.left);
        let title = text::shorten(self.title, TITLE_SIZE, self.width - EDGE - left);
        canvas.text(&title, (left, 20.0), HPos::Left, TITLE_SIZE)?;
        let last = self.panels.len().saturating_sub(1);
        let chart = |(k, panel): (usize, &Placed)| {
            let x_name = (k == last).then_some(self.x_label);
            // Beside the low panels of a strip there is no room for names.
            let (above, beside) = match self.is_strip {
                true => (panel.label, ""),
                false => ("", panel.label),
            };
            panel.frame.name_above(canvas, above)?;
            panel.frame.chart(canvas, x_name, beside)
        };
        let charts: Result<Vec<Chart<B>>> = self.panels.iter().enumerate().map(chart).collect();
        let mut charts = charts?;
        match charts.first() {
            Some(chart) => self.draw_marks(canvas, chart)?,
            None => canvas.text("nothing to draw", (left, TITLE_HEIGHT + 20.0), HPos::Left, LABEL_SIZE)?,
        }
        for (panel, chart) in self.panels.iter().zip(&mut charts) {
            match &panel.content {
                Content::Curves(curves) => curves::draw(canvas, curves, &panel.frame, chart)?,
                Content::Pattern(pattern) => pattern.draw(canvas, &panel.frame, chart)?,
                Content::Colours(layer) => layer.draw(canvas, &panel.frame, chart)?,
                Content::Bands(bands) => bands::draw(canvas, bands, &panel.frame, chart)?,
            }
            outline(canvas, chart)?;
        }
        Ok(())
    }

    fn draw_marks<B: DrawingBackend>(&self, canvas: &Canvas<B>, chart: &Chart<B>) -> Result<()> {
        let (Some(first), Some(last)) = (self.panels.first(), self.panels.last()) else {
            return Ok(());
        };
        let Frame { left, right, top, .. } = first.frame;
        // Where the chart has the place, to the step of the medium.
        let across = |line: f64| {
            let steps = chart.backend_coord(&((line - left) / (right - left), 0.0)).0;
            f64::from(steps) / f64::from(canvas.medium.scale)
        };
        let stroke = |x: f64, from: f64, to: f64, colour| canvas.line([(x, from), (x, to)], colour, MARK_WIDTH);
        match &self.labels {
            Labels::Summary(summary) => {
                let dense = self.lines.len() > DENSE_MARKS;
                let colour = if self.lines.len() > MANY_MARKS { FAINT } else { MARK };
                for Placed { frame, .. } in &self.panels {
                    let end = if dense { frame.top + STROKE } else { frame.bottom };
                    self.lines
                        .iter()
                        .try_for_each(|&line| stroke(across(line), frame.top, end, colour))?;
                }
                let summary = text::shorten(summary, LABEL_SIZE, self.width - EDGE - left);
                canvas.text(&summary, (left, TITLE_HEIGHT + 6.0), HPos::Left, LABEL_SIZE)
            }
            Labels::Rows(labels) => {
                self.lines
                    .iter()
                    .try_for_each(|&line| stroke(across(line), top, last.frame.bottom, MARK))?;
                labels.iter().try_for_each(|label| {
                    let below = top - 4.0 - marks::ROW * label.row as f64;
                    stroke(across(label.line), top, below, MARK)?;
                    canvas.text(
                        &label.text,
                        (label.left, below - marks::ROW / 2.0),
                        HPos::Left,
                        marks::SIZE,
                    )
                })
            }
        }
    }
}

/// Height of each of a number of panels.
fn panel_height(count: usize) -> f64 {
    match count {
        0 | 1 => 330.0,
        2 => 210.0,
        3 => 165.0,
        _ => 125.0,
    }
}

fn vertical(panel: &Panel, height: f64) -> Axis {
    let most = ((height / 25.0) as usize).clamp(3, 8);
    let segments = panel.curves.iter().flat_map(|curve| &curve.segments);
    let values = segments.flatten().map(|point| point.1);
    let positive = extent(values.clone().filter(|value| *value > 0.0));
    match positive.filter(|_| panel.log_y) {
        Some(range) => Axis::logarithmic(range, most),
        None => Axis::linear(extent(values).map(|range| settled(range, panel.noise)), false, most),
    }
}

/// A range that is one value where its ends do not differ by more than noise.
fn settled((low, high): (f64, f64), noise: f64) -> (f64, f64) {
    let middle = low.midpoint(high);
    match high - low <= noise {
        true if middle.abs() <= noise => (0.0, 0.0),
        true => (middle, middle),
        false => (low, high),
    }
}

/// The shared axis, with as many ticks as there is room for their labels; between whole numbers none.
fn horizontal(figure: &Figure, width: f64) -> Axis {
    let curves = figure.panels.iter().flat_map(|panel| &panel.curves);
    let points = curves.flat_map(|curve| &curve.segments).flatten().map(|point| point.0);
    let places = || points.clone().chain(figure.marks.iter().map(|mark| mark.x));
    let range = extent(places());
    // Numbers of iterations and of events.
    let are_whole = places().all(|x| x.fract() == 0.0);
    let mut most = 11;
    loop {
        let axis = match range.filter(|(low, _)| figure.log_x && *low > 0.0) {
            Some(range) => Axis::logarithmic(range, most),
            None => Axis::linear(range, true, most),
        };
        let have_room = (axis.label_width() + 16.0) * axis.ticks.len() as f64 <= width;
        if most <= 2 || (have_room && (!are_whole || axis.step() >= 1.0)) {
            return axis;
        }
        most -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::horizontal;
    use crate::output::{Curve, Figure, Panel};

    fn ticks(points: &[f64]) -> Vec<String> {
        let figure = Figure {
            panels: vec![Panel {
                curves: vec![Curve {
                    segments: vec![points.iter().map(|x| (*x, 0.0)).collect()],
                    ..Curve::default()
                }],
                ..Panel::default()
            }],
            ..Figure::default()
        };
        let ticks = horizontal(&figure, 500.0).ticks;
        ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn whole_numbers_have_no_ticks_between_them() {
        assert_eq!(ticks(&[0.0, 1.0]), ["0", "1"]);
        assert_eq!(ticks(&[1.0, 2.0, 3.0]), ["1", "2", "3"]);
        assert_eq!(ticks(&[0.0, 0.5, 1.0]).len(), 11);
        assert!(!ticks(&[3.0]).is_empty());
    }
}
