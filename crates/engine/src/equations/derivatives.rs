//! Derivatives of the functions of a system along many directions at once, by dual numbers.

use num_dual::{Derivative, DualSVec64};

use super::Point;

/// Directions of one evaluation: more share the work on the values, fewer waste less where there are few.
const WIDTH: usize = 8;

/// A number with its derivatives along some of the directions.
pub(super) type Wide = DualSVec64<WIDTH>;

/// How numbers vary along the directions.
#[derive(Clone, Copy)]
pub(super) enum Variation<'a> {
    /// Not at all.
    Constant,
    /// Each by one, along the first directions in turn.
    Units,
    /// By these derivatives: row-major, one row per number and one column per direction.
    Rows(&'a [f64]),
}

/// A point whose parts vary; the parameters vary along the directions from `first_parameter` on, and time along the one after
/// them.
#[derive(Clone, Copy)]
pub(super) struct VariedPoint<'a> {
    pub point: Point<'a, f64>,
    pub x: Variation<'a>,
    pub y: Variation<'a>,
    /// Number of directions.
    pub count: usize,
    /// None where parameters and time are constant.
    pub first_parameter: Option<usize>,
}

impl<'a> VariedPoint<'a> {
    /// A point that varies along all directions [x | p | t].
    pub fn along_all(point: Point<'a, f64>, x: Variation<'a>, y: Variation<'a>) -> Self {
        Self {
            point,
            x,
            y,
            count: point.x.len() + point.p.len() + 1,
            first_parameter: Some(point.x.len()),
        }
    }

    /// A point of which y alone varies, along one direction each.
    pub fn along_y(point: Point<'a, f64>) -> Self {
        Self {
            point,
            x: Variation::Constant,
            y: Variation::Units,
            count: point.y.len(),
            first_parameter: None,
        }
    }
}

/// Values of a function, and their derivatives: row-major, one column per direction.
#[derive(Debug, Default)]
pub(super) struct Differentiated {
    pub values: Vec<f64>,
    pub slopes: Vec<f64>,
}

impl Differentiated {
    /// For so many values and directions.
    pub fn new(values: usize, directions: usize) -> Self {
        Self {
            values: vec![0.0; values],
            slopes: vec![0.0; values * directions],
        }
    }
}

/// Scratch: the point and the results over dual numbers.
#[derive(Debug)]
pub(super) struct Sweep {
    x: Vec<Wide>,
    y: Vec<Wide>,
    p: Vec<Wide>,
    out: Vec<Wide>,
}

impl Sweep {
    /// Scratch for nx states, ny algebraic variables, np parameters and at most so many results.
    pub fn new((nx, ny, np): (usize, usize, usize), results: usize) -> Self {
        let zeros = |count| vec![Wide::from_re(0.0); count];
        Self {
            x: zeros(nx),
            y: zeros(ny),
            p: zeros(np),
            out: zeros(results),
        }
    }

    /// Writes the values of a function and its derivatives, row-major with one column per direction. The results hold zeros
    /// when the function is called.
    pub fn run(
        &mut self,
        at: &VariedPoint,
        mut function: impl FnMut(&Point<Wide>, &mut [Wide]),
        values: &mut [f64],
        slopes: &mut [f64],
    ) {
        for first in (0..at.count).step_by(WIDTH) {
            lift(at.point.x, at.x, at.count, first, &mut self.x);
            lift(at.point.y, at.y, at.count, first, &mut self.y);
            let parameter = |k: usize| at.first_parameter.map(|start| start + k);
            for (k, &value) in at.point.p.iter().enumerate() {
                self.p[k] = unit(value, parameter(k), first);
            }
            let point = Point {
                t: unit(at.point.t, parameter(at.point.p.len()), first),
                x: &self.x,
                y: &self.y,
                p: &self.p,
            };
            let out = &mut self.out[..values.len()];
            out.fill(Wide::from_re(0.0));
            function(&point, out);
            let width = WIDTH.min(at.count - first);
            for (k, wide) in out.iter().enumerate() {
                values[k] = wide.re;
                let slots = &mut slopes[k * at.count + first..][..width];
                match &wide.eps.0 {
                    None => slots.fill(0.0),
                    Some(eps) => slots.copy_from_slice(&eps.as_slice()[..width]),
                }
            }
        }
    }
}

/// A number that varies along one direction by one.
#[inline]
fn unit(value: f64, direction: Option<usize>, first: usize) -> Wide {
    let wide = Wide::from_re(value);
    match direction.and_then(|direction| direction.checked_sub(first)) {
        Some(index) if index < WIDTH => wide.derivative(index),
        _ => wide,
    }
}

/// A number with its first derivatives.
#[inline]
fn joined(value: f64, slopes: &[f64]) -> Wide {
    let mut wide = Wide::from_re(value);
    if slopes.iter().any(|slope| *slope != 0.0) {
        let mut eps = nalgebra::SVector::<f64, WIDTH>::zeros();
        eps.as_mut_slice()[..slopes.len()].copy_from_slice(slopes);
        wide.eps = Derivative::some(eps);
    }
    wide
}

/// Dual numbers over the directions from `first` on. Those without derivatives are cheaper than those with zeros.
fn lift(values: &[f64], variation: Variation, count: usize, first: usize, out: &mut [Wide]) {
    let width = WIDTH.min(count - first);
    for (k, (&value, out)) in values.iter().zip(out).enumerate() {
        *out = match variation {
            Variation::Constant => Wide::from_re(value),
            Variation::Units => unit(value, Some(k), first),
            Variation::Rows(rows) => joined(value, &rows[k * count + first..][..width]),
        };
    }
}
