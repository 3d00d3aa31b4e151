//! Bands under the panels: over which times contacts and joints with dry friction stick and slip.

use plotters::element::Rectangle;
use plotters::prelude::{Color, DrawingBackend, RGBColor};
use plotters::style::text_anchor::HPos;

use super::axis::{Axis, TICK_SIZE};
use super::canvas::{Canvas, failed};
use super::frame::{Chart, EDGE, FOOT, Frame};
use super::text;
use crate::error::Result;
use crate::run::{FrictionCourse, FrictionState, Recording};

/// Height of a band, and how much of it is coloured.
const ROW: f64 = 17.0;
const FILLED: f64 = 0.7;

/// Most bands of a figure, and widest name.
const MOST: usize = 12;
const NAME: f64 = 110.0;

/// What one of them does over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Band {
    /// What sticks and slips.
    pub name: String,
    /// Beginning, end and state of each piece, in order.
    pub pieces: Vec<(f64, f64, FrictionState)>,
}

/// Colours as in pictures (`appearance/material.rs`); what is open stays white.
const fn colour(state: FrictionState) -> Option<RGBColor> {
    match state {
        FrictionState::Stick => Some(RGBColor(0, 158, 115)),
        FrictionState::Slip => Some(RGBColor(201, 60, 150)),
        FrictionState::Open => None,
    }
}

/// The bands of a recording; neighbouring phases of one state are one piece.
pub(super) fn bands(recording: &Recording) -> Vec<Band> {
    let band = |course: &FrictionCourse| {
        let mut pieces: Vec<(f64, f64, FrictionState)> = Vec::new();
        for (range, &state) in recording.phase_ranges().zip(&course.states) {
            let Some([from, to]) = recording
                .times
                .get(range)
                .and_then(|times| Some([*times.first()?, *times.last()?]))
            else {
                continue;
            };
            match pieces.last_mut() {
                Some((_, end, last)) if *last == state => *end = to,
                _ => pieces.push((from, to, state)),
            }
        }
        let name = course.name.clone();
        Band { name, pieces }
    };
    recording.frictions.iter().map(band).collect()
}

/// Room for the names at the left of the panel.
pub(super) fn left_edge(bands: &[Band]) -> f64 {
    let widths = bands.iter().map(|band| text::width(&band.name, TICK_SIZE).min(NAME));
    widths.fold(0.0, |most: f64, width| most.max(EDGE + width + 8.0))
}

/// The place of the bands below panels with this horizontal axis.
pub(super) fn plan(bands: &[Band], [left, right, top]: [f64; 3], x: Axis) -> Frame {
    let rows = bands.len().min(MOST) as f64;
    let mut y = Axis::linear(Some((0.0, rows)), true, 2);
    y.ticks.clear();
    Frame {
        left,
        right,
        top,
        bottom: top + ROW * rows,
        x,
        y,
    }
}

pub(super) fn draw<B: DrawingBackend>(
    canvas: &Canvas<B>,
    bands: &[Band],
    frame: &Frame,
    chart: &mut Chart<B>,
) -> Result<()> {
    let rows = bands.len().min(MOST);
    for (row, band) in bands.iter().take(rows).enumerate() {
        let middle = frame.top + ROW * (row as f64 + 0.5);
        let name = |name: &str| canvas.text(name, (frame.left - 6.0, middle), HPos::Right, TICK_SIZE);
        if row + 1 == rows && bands.len() > rows {
            return name(&format!("… {} more", bands.len() - row)).and_then(|()| legend(canvas, frame));
        }
        name(&text::shorten(&band.name, TICK_SIZE, NAME))?;
        let centre = 1.0 - (row as f64 + 0.5) / rows as f64;
        let half = 0.5 * FILLED / rows as f64;
        for &(from, to, state) in &band.pieces {
            let (Some(colour), Some(from), Some(to)) = (colour(state), frame.x.at(from), frame.x.at(to)) else {
                continue;
            };
            let corners = [(from, centre + half), (to, centre - half)];
            chart
                .draw_series([Rectangle::new(corners, colour.filled())])
                .map_err(failed)?;
        }
    }
    legend(canvas, frame)
}

/// What the colours mean, beside the name of the axis.
fn legend<B: DrawingBackend>(canvas: &Canvas<B>, frame: &Frame) -> Result<()> {
    let y = frame.bottom + FOOT - 16.0;
    let mut x = frame.left;
    for state in FrictionState::ALL {
        if let Some(colour) = colour(state) {
            canvas.fill((x, y - 5.0), (x + 10.0, y + 5.0), colour)?;
            canvas.text(state.name(), (x + 15.0, y), HPos::Left, TICK_SIZE)?;
            x += 15.0 + text::width(state.name(), TICK_SIZE) + 14.0;
        }
    }
    canvas.text("blank: open", (x, y), HPos::Left, TICK_SIZE)
}
