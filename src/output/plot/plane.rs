//! Curves in a plane, with the same scale in both directions.

use super::axis::{Axis, extent};
use super::frame::{EDGE, Frame, TOP, WIDTH, left_edge};
use super::{Curve, check, curves};
use crate::error::Result;

/// Least and greatest height of the drawing.
const LEAST: f64 = 160.0;
const GREATEST: f64 = 640.0;

/// Part of the range left free around the curves.
const PADDING: f64 = 0.04;

/// Room for labels of the vertical axis before they are known.
const LABELS: f64 = 26.0;

/// Curves in a plane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plane {
    /// Heading.
    pub title: String,
    /// Name and unit of the horizontal axis.
    pub x_label: String,
    /// Name and unit of the vertical axis.
    pub y_label: String,
    /// Drawn in order; a legend appears when there are several.
    pub curves: Vec<Curve>,
}

impl Plane {
    /// Place and axes of the curves.
    ///
    /// # Errors
    /// As [`super::render_svg`].
    pub(super) fn plan(&self) -> Result<Frame> {
        check(&self.curves)?;
        let points = self.curves.iter().flat_map(|curve| &curve.segments).flatten();
        let x = padded(extent(points.clone().map(|point| point.0)));
        let y = padded(extent(points.map(|point| point.1)));
        let right = WIDTH - EDGE - curves::legend_width([self.curves.as_slice()]).max(16.0);
        let width = right - EDGE - 30.0 - LABELS;
        let height = (width * (y.1 - y.0) / (x.1 - x.0)).clamp(LEAST, GREATEST);
        // The scale at which both directions fit; the range of the other one is widened.
        let unit = ((x.1 - x.0) / width).max((y.1 - y.0) / height);
        let x = Axis::linear(Some(widened(x, unit * width)), true, 10);
        let y = Axis::linear(Some(widened(y, unit * height)), true, ((height / 40.0) as usize).max(3));
        let left = left_edge([&y]);
        // Wider labels than foreseen take from the height, so that the scales stay equal.
        let bottom = TOP + height * (right - left) / width;
        Ok(Frame {
            left,
            right,
            top: TOP,
            bottom,
            x,
            y,
        })
    }
}

fn padded(range: Option<(f64, f64)>) -> (f64, f64) {
    let (low, high) = range.unwrap_or((0.0, 1.0));
    // A line along an axis, or a point, gets a range of the order of its place.
    let least = 1e-6 * low.abs().max(high.abs()).max(1e-300);
    let span = (high - low).max(least);
    (low - PADDING * span, high + PADDING * span)
}

fn widened((low, high): (f64, f64), span: f64) -> (f64, f64) {
    let middle = low / 2.0 + high / 2.0;
    (middle - span / 2.0, middle + span / 2.0)
}

#[cfg(test)]
mod tests {
    use super::super::{Curve, Drawing, render_png, render_svg};
    use super::Plane;

    fn plane(points: Vec<(f64, f64)>) -> Drawing {
        let curve = Curve {
            name: "before".to_string(),
            segments: vec![points],
        };
        Drawing::Plane(Plane {
            curves: vec![curve],
            ..Plane::default()
        })
    }

    /// Width and height of the first polyline in the colour of curves.
    fn size(svg: &str) -> (f64, f64) {
        let line = svg
            .lines()
            .find(|line| line.starts_with("<polyline") && line.contains("#0072B2"))
            .unwrap();
        let points = line.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        let number = |text: &str| text.parse::<f64>().unwrap();
        let points: Vec<(f64, f64)> = points
            .split_whitespace()
            .map(|pair| pair.split_once(',').unwrap())
            .map(|(x, y)| (number(x), number(y)))
            .collect();
        let span = |values: Vec<f64>| {
            values.iter().copied().fold(f64::MIN, f64::max) - values.iter().copied().fold(f64::MAX, f64::min)
        };
        (
            span(points.iter().map(|p| p.0).collect()),
            span(points.iter().map(|p| p.1).collect()),
        )
    }

    #[test]
    fn a_circle_is_round_whatever_is_beside_it() {
        let circle: Vec<(f64, f64)> = (0..=100)
            .map(|k| f64::from(k) * 0.0628318)
            .map(|a| (a.cos(), a.sin()))
            .collect();
        for beside in [vec![], vec![(9.0, 0.0)], vec![(0.0, 30.0)], vec![(-1e4, 0.0)]] {
            let Drawing::Plane(mut drawing) = plane(circle.clone()) else {
                unreachable!()
            };
            drawing.curves.push(Curve {
                name: "after".to_string(),
                segments: vec![beside.clone()],
            });
            let (width, height) = size(&render_svg(&Drawing::Plane(drawing)).unwrap());
            assert!(
                (width / height - 1.0).abs() < 0.02 || width < 60.0,
                "{beside:?} {width} {height}"
            );
        }
    }

    #[test]
    fn a_point_and_nothing_are_drawn_and_what_is_not_finite_is_named() {
        for points in [
            vec![],
            vec![(0.0, 0.0)],
            vec![(1e300, -1e300), (1e300, 1e300)],
            vec![(2.0, 3.0); 4],
        ] {
            let svg = render_svg(&plane(points.clone())).unwrap();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{points:?}");
            assert!(render_png(&plane(points)).is_ok());
        }
        assert_eq!(
            render_svg(&plane(vec![(0.0, f64::NAN)])).unwrap_err().name(),
            Some("before")
        );
    }
}
