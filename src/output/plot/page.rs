//! Layout of a figure on its page.

use plotters::prelude::{DrawingBackend, RGBColor};

use super::axis::{Axis, extent};
use super::canvas::{Anchor, Canvas};
use super::frame::{EDGE, Frame, INK, LABEL_SIZE, TICK_SIZE, WHITE};
use super::marks::{self, Labels};
use super::{Figure, Mark, Panel, curves, text};
use crate::error::Result;

/// Width of every page.
pub(super) const WIDTH: f64 = 840.0;

/// Space between two panels.
const GAP: f64 = 20.0;

const TITLE_SIZE: f64 = 14.0;
pub(super) const TITLE_HEIGHT: f64 = 36.0;
const SUMMARY_HEIGHT: f64 = 18.0;

/// Space below the last panel: tick labels and the name of the axis.
pub(super) const FOOT: f64 = 46.0;

const MARK_WIDTH: f64 = 0.8;
const MARK: RGBColor = RGBColor(150, 150, 150);

/// Colour of marks so many that they would hide the curves.
const FAINT: RGBColor = RGBColor(205, 205, 205);
const MANY_MARKS: usize = 12;

/// Marks above which lines would fill the panels: short strokes at their upper edge remain.
const DENSE_MARKS: usize = 100;
const STROKE: f64 = 7.0;

/// A figure with the places of all its parts.
pub(super) struct Page<'a> {
    figure: &'a Figure,
    frames: Vec<Frame>,
    labels: Labels,
    /// Places of the mark lines, no two on the same spot.
    lines: Vec<f64>,
    height: f64,
}

impl<'a> Page<'a> {
    /// Places the parts of a figure.
    ///
    /// # Errors
    /// As [`super::render_svg`].
    pub(super) fn plan(figure: &'a Figure) -> Result<Self> {
        figure.check()?;
        let tall = panel_height(figure.panels.len());
        let verticals: Vec<Axis> = figure.panels.iter().map(|panel| vertical(panel, tall)).collect();
        let left = left_edge(&verticals);
        let right = WIDTH - EDGE - curves::legend_width(&figure.panels).max(16.0);
        let horizontal = horizontal(figure, right - left);
        let placed = |mark: &'a Mark| Some((left + horizontal.at(mark.x)? * (right - left), mark));
        let mut marked: Vec<(f64, &Mark)> = figure.marks.iter().filter_map(placed).collect();
        marked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let labels = Labels::arrange(
            &marked,
            verticals.first().map_or(left, |y| Frame::note_end(left, y)),
            WIDTH - EDGE,
        );
        let head = match &labels {
            Labels::Rows(_) => TITLE_HEIGHT + marks::ROW * labels.rows() as f64 + 8.0,
            Labels::Summary(_) => TITLE_HEIGHT + SUMMARY_HEIGHT + 12.0,
        };
        let frame = |(index, y): (usize, Axis)| {
            let top = head + (tall + GAP) * index as f64;
            Frame {
                left,
                right,
                top,
                bottom: top + tall,
                x: horizontal.clone(),
                y,
            }
        };
        let frames: Vec<Frame> = verticals.into_iter().enumerate().map(frame).collect();
        let mut lines: Vec<f64> = marked.iter().map(|(place, _)| *place).collect();
        lines.dedup_by(|a, b| (*a - *b).abs() < 0.5);
        let height = frames.last().map_or(head, |frame| frame.bottom) + FOOT;
        Ok(Self {
            figure,
            frames,
            labels,
            lines,
            height,
        })
    }

    /// Width and height at a number of pixels per unit.
    pub(super) fn pixels(&self, scale: u32) -> (u32, u32) {
        (WIDTH as u32 * scale, self.height.ceil() as u32 * scale)
    }

    /// Draws everything.
    pub(super) fn draw<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<()> {
        let left = self.frames.first().map_or(EDGE, |frame| frame.left);
        draw_title(canvas, &self.figure.title, left, self.pixels(1).1)?;
        self.frames.iter().try_for_each(|frame| frame.draw_grid(canvas))?;
        self.draw_marks(canvas)?;
        for (panel, frame) in self.figure.panels.iter().zip(&self.frames) {
            frame.draw_box(canvas, &panel.label, EDGE + LABEL_SIZE / 2.0)?;
            curves::draw(canvas, panel, frame)?;
        }
        match self.frames.last() {
            Some(frame) => frame.draw_x_labels(canvas, &self.figure.x_label),
            None => canvas.text(
                "nothing to draw",
                (left, TITLE_HEIGHT + 20.0),
                Anchor::Left,
                LABEL_SIZE,
                INK,
            ),
        }
    }

    fn draw_marks<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<()> {
        let (Some(first), Some(last)) = (self.frames.first(), self.frames.last()) else {
            return Ok(());
        };
        match &self.labels {
            Labels::Summary(summary) => {
                self.draw_bare_marks(canvas)?;
                let summary = text::shorten(summary, LABEL_SIZE, WIDTH - EDGE - first.left);
                canvas.text(
                    &summary,
                    (first.left, TITLE_HEIGHT + 6.0),
                    Anchor::Left,
                    LABEL_SIZE,
                    INK,
                )
            }
            Labels::Rows(labels) => {
                for &x in &self.lines {
                    canvas.line(&[(x, first.top), (x, last.bottom)], MARK, MARK_WIDTH)?;
                }
                labels.iter().try_for_each(|label| {
                    let below = first.top - 4.0 - marks::ROW * label.row as f64;
                    canvas.line(&[(label.line, first.top), (label.line, below)], MARK, MARK_WIDTH)?;
                    canvas.text(
                        &label.text,
                        (label.left, below - marks::ROW / 2.0),
                        Anchor::Left,
                        marks::SIZE,
                        INK,
                    )
                })
            }
        }
    }

    /// Marks without labels, within the panels.
    fn draw_bare_marks<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Result<()> {
        let (colour, dense) = match self.lines.len() {
            0..=MANY_MARKS => (MARK, false),
            count => (FAINT, count > DENSE_MARKS),
        };
        for frame in &self.frames {
            let end = if dense { frame.top + STROKE } else { frame.bottom };
            for &x in &self.lines {
                canvas.line(&[(x, frame.top), (x, end)], colour, MARK_WIDTH)?;
            }
        }
        Ok(())
    }
}

/// Draws the background of a page of this height, and its heading.
pub(super) fn draw_title<B: DrawingBackend>(canvas: &Canvas<B>, title: &str, left: f64, height: u32) -> Result<()> {
    canvas.fill((0.0, 0.0), (WIDTH, f64::from(height)), WHITE)?;
    let title = text::shorten(title, TITLE_SIZE, WIDTH - EDGE - left);
    canvas.text(&title, (left, 20.0), Anchor::Left, TITLE_SIZE, INK)
}

/// Left end of panels with these vertical axes: beside their labels and names.
pub(super) fn left_edge(verticals: &[Axis]) -> f64 {
    let ticks = verticals.iter().flat_map(|axis| &axis.ticks);
    let labels = ticks.map(|tick| text::width(&tick.label, TICK_SIZE));
    EDGE + 30.0 + labels.fold(26.0, f64::max)
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
    let values = || {
        panel
            .curves
            .iter()
            .flat_map(|curve| &curve.segments)
            .flatten()
            .map(|point| point.1)
    };
    if panel.log_y
        && let Some(range) = extent(values().filter(|value| *value > 0.0))
    {
        return Axis::logarithmic(range, most);
    }
    Axis::linear(extent(values()), false, most)
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
        let axis = Axis::linear(range, true, most);
        let widest = axis
            .ticks
            .iter()
            .map(|tick| text::width(&tick.label, TICK_SIZE))
            .fold(0.0, f64::max);
        let have_room = (widest + 16.0) * axis.ticks.len() as f64 <= width;
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
