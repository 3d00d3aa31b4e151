//! Where a matrix has entries.

use std::collections::BTreeSet;

use plotters::element::Rectangle;
use plotters::prelude::{Color, DrawingBackend, RGBColor};
use plotters::style::text_anchor::HPos;

use super::axis::{Axis, TICK_SIZE};
use super::canvas::{Canvas, failed};
use super::frame::{Chart, EDGE, Frame, TOP, WIDTH, left_edge};
use crate::error::Result;

/// Width and height of the matrix on the page.
const SIDE: f64 = 640.0;

/// Most cells along a side: entries of larger matrices share them.
const MOST_CELLS: usize = 640;

/// Colours of the groups.
const COLOURS: [RGBColor; 2] = [RGBColor(0, 114, 178), RGBColor(213, 94, 0)];

/// The pattern of a square matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pattern {
    /// Heading.
    pub title: String,
    /// What its rows and columns are.
    pub label: String,
    /// Number of rows.
    pub size: usize,
    /// Entries (row, column) in one or two groups with a name each. Where they share a cell, the first group shows.
    pub groups: Vec<(String, Vec<(usize, usize)>)>,
}

impl Pattern {
    /// Place and axes of the matrix; rows are counted downwards.
    pub(super) fn plan(&self) -> Frame {
        let size = self.size.max(1) as f64;
        let x = Axis::linear(Some((0.0, size)), true, 8);
        let mut y = Axis::linear(Some((-size, 0.0)), true, 8);
        for tick in &mut y.ticks {
            tick.label = tick.label.trim_start_matches(['-', '\u{2212}']).to_string();
        }
        let left = left_edge([&y]);
        Frame {
            left,
            right: (left + SIDE).min(WIDTH - EDGE),
            top: TOP,
            bottom: TOP + SIDE,
            x,
            y,
        }
    }

    pub(super) fn draw<B: DrawingBackend>(
        &self,
        canvas: &Canvas<B>,
        frame: &Frame,
        chart: &mut Chart<B>,
    ) -> Result<()> {
        let entries_of_cell = self.size.div_ceil(MOST_CELLS).max(1);
        let cell = entries_of_cell as f64;
        let mut taken = BTreeSet::new();
        for ((_, entries), colour) in self.groups.iter().zip(COLOURS) {
            let cells = entries.iter().map(|(i, j)| (i / entries_of_cell, j / entries_of_cell));
            let free: BTreeSet<_> = cells.filter(|cell| !taken.contains(cell)).collect();
            let bars = runs(&free).into_iter().filter_map(|(row, from, to)| {
                let (top, bottom) = (-cell * row as f64, -cell * (row + 1) as f64);
                let [left, right] = [from, to].map(|column| cell * column as f64);
                let limit = self.size as f64;
                let corner = frame.place((left, top))?;
                let opposite = frame.place((right.min(limit), bottom.max(-limit)))?;
                Some(Rectangle::new([corner, opposite], colour.filled()))
            });
            chart.draw_series(bars).map_err(failed)?;
            taken.extend(free);
        }
        self.legend(canvas, frame)
    }

    fn legend<B: DrawingBackend>(&self, canvas: &Canvas<B>, frame: &Frame) -> Result<()> {
        let x = frame.right + 16.0;
        for (k, ((name, _), colour)) in self.groups.iter().zip(COLOURS).enumerate() {
            let y = frame.top + 12.0 + 18.0 * k as f64;
            canvas.fill((x, y - 5.0), (x + 10.0, y + 5.0), colour)?;
            canvas.text(name, (x + 16.0, y), HPos::Left, TICK_SIZE)?;
        }
        Ok(())
    }
}

/// Neighbouring cells of a row as one: the row, the first column, and the one behind the last.
fn runs(cells: &BTreeSet<(usize, usize)>) -> Vec<(usize, usize, usize)> {
    let mut runs: Vec<(usize, usize, usize)> = Vec::new();
    for &(row, column) in cells {
        match runs.last_mut() {
            Some((last, _, end)) if *last == row && *end == column => *end += 1,
            _ => runs.push((row, column, column + 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::super::{Drawing, render_png, render_svg};
    use super::{BTreeSet, Pattern, runs};

    #[test]
    fn neighbours_of_a_row_are_one_bar() {
        let cells = BTreeSet::from([(0, 0), (0, 1), (0, 3), (1, 0)]);
        assert_eq!(runs(&cells), [(0, 0, 2), (0, 3, 4), (1, 0, 1)]);
    }

    #[test]
    fn an_entry_stands_where_its_row_and_column_say() {
        let pattern = |entries: Vec<(usize, usize)>| {
            Drawing::Pattern(Pattern {
                size: 4,
                groups: vec![("K".to_string(), entries)],
                ..Pattern::default()
            })
        };
        let place = |entry| {
            let svg = render_svg(&pattern(vec![entry])).unwrap();
            // The swatch of the legend comes last.
            let line = svg.lines().find(|line| line.contains("#0072B2")).unwrap().to_string();
            let number = |name: &str| -> f64 {
                let text = line.split(&format!(" {name}=\"")).nth(1).unwrap();
                text.split('"').next().unwrap().parse().unwrap()
            };
            (number("x"), number("y"))
        };
        let (x, y) = place((0, 0));
        let (right, same) = place((0, 3));
        let (left, below) = place((3, 0));
        assert!(right > x && (same - y).abs() < 1.0, "{x} {y} {right} {same}");
        assert!((left - x).abs() < 1.0 && below > y, "{x} {y} {left} {below}");
        assert!(render_png(&pattern(Vec::new())).is_ok());
    }
}
