//! Cable of a length over places and pulleys that it passes without friction: c = +-(length of the path - length(t)).

use crate::expression::atan2;
use crate::model::function::Signal;
use crate::model::marker::{Marker, difference, dot};
use crate::model::place::perp;
use crate::scalar::{Scalar, each};

/// Shortest straight part of a path, over all of it.
const SHORTEST: f64 = 1e-4;

/// A cable that is taut, or a limit of its length.
#[derive(Clone, Debug)]
pub struct Cable {
    /// Where it runs.
    pub path: Path,
    /// Its length.
    pub length: Signal,
    /// +1 for a joint or a lower limit, -1 for an upper one.
    pub sign: f64,
}

/// The straight parts and arcs of a cable.
#[derive(Clone, Debug)]
pub struct Path {
    /// The places in order; the ends are no pulleys.
    pub stops: Box<[Stop]>,
}

/// A place that a cable is fixed to or passes.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// The place, or the centre of the pulley.
    pub at: Marker,
    /// The pulley there (planar).
    pub pulley: Option<Wrap>,
}

/// A pulley.
#[derive(Clone, Copy, Debug)]
pub struct Wrap {
    /// Number: its radius.
    pub radius: usize,
    /// +1 where it is to the left of the cable, which turns to the left around it; -1 to the right.
    pub side: f64,
}

/// A straight part of a path, and the arc before it.
#[derive(Clone, Copy, Debug)]
struct Span<S, const D: usize> {
    /// Square of its length.
    square: S,
    /// Length.
    length: S,
    /// Unit vector along it.
    along: [S; D],
    /// Angle of the arc about the pulley that it leaves, and its radius.
    arc: Option<(S, S)>,
}

impl Cable {
    /// Constraint value in metres.
    pub fn value<S: Scalar, const D: usize>(&self, t: S, q: &[S], numbers: &[S], c: &mut [S]) {
        c[0] = (self.path.length::<S, D>(q, numbers) - self.length.evaluate(t, numbers)) * self.sign;
    }
}

impl Stop {
    /// Distance of its centre to the left of the cable.
    fn offset<S: Scalar>(&self, numbers: &[S]) -> Option<S> {
        self.pulley.map(|pulley| numbers[pulley.radius] * pulley.side)
    }
}

impl Path {
    /// Length of the straight parts and of the arcs.
    pub fn length<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> S {
        let mut sum = S::from(0.0);
        self.each_span::<S, D>(q, numbers, |span| {
            sum += span.length;
            if let Some((angle, radius)) = span.arc {
                sum += angle * radius;
            }
        });
        sum
    }

    /// Unit vector along the last straight part.
    pub fn last_direction<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> [S; D] {
        let mut last = [S::from(f64::NAN); D];
        self.each_span(q, numbers, |span| last = span.along);
        last
    }

    /// Unit vectors along the straight parts.
    pub fn directions<const D: usize>(&self, q: &[f64], numbers: &[f64]) -> Vec<[f64; D]> {
        let mut found = Vec::with_capacity(self.stops.len());
        self.each_span(q, numbers, |span| found.push(span.along));
        found
    }

    /// The least of what must be positive: straight parts over the whole less the shortest allowed, and the angles of arcs, and those to
    /// three quarters of a turn, over which they are not told from turns the other way.
    pub fn margin<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> S {
        let (mut least, length) = (S::from(1.0), self.length::<S, D>(q, numbers));
        let mut take = |value: S| {
            if value.re().is_nan() || value.re() < least.re() {
                least = value;
            }
        };
        self.each_span::<S, D>(q, numbers, |span| {
            let square = length * length * (SHORTEST * SHORTEST);
            match span.square.re() > square.re() {
                true => take(span.length / length - SHORTEST),
                false => take(span.square / square - 1.0),
            }
            if let Some((angle, _)) = span.arc {
                take(angle);
                take(-angle + 1.5 * std::f64::consts::PI);
            }
        });
        least
    }

    fn each_span<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S], mut visit: impl FnMut(Span<S, D>)) {
        let mut before: Option<[S; D]> = None;
        for pair in self.stops.windows(2) {
            let d: [S; D] = difference(pair[0].at.position(q, numbers), pair[1].at.position(q, numbers));
            let offsets = [0, 1].map(|k: usize| pair[k].offset(numbers));
            let span = Span::new(d, offsets);
            let arc = match (before, pair[0].pulley) {
                (Some(before), Some(pulley)) => Some((turn(before, span.along, pulley.side), numbers[pulley.radius])),
                _ => None,
            };
            visit(Span { arc, ..span });
            before = Some(span.along);
        }
    }
}

impl<S: Scalar, const D: usize> Span<S, D> {
    /// Tangent to two circles whose centres are `d` apart and to the left of it by the offsets: d = length u + rise perp(u).
    fn new(d: [S; D], offsets: [Option<S>; 2]) -> Self {
        let whole = dot(d, d);
        let rise = match offsets {
            [None, None] => None,
            [a, b] => Some(b.unwrap_or(S::from(0.0)) - a.unwrap_or(S::from(0.0))),
        };
        let square = rise.map_or(whole, |rise| whole - rise * rise);
        let length = square.sqrt();
        let along = match rise {
            None => each(|k| d[k] / length),
            Some(rise) => {
                let left = perp([d[0], d[1]]);
                each(|k| {
                    if k < 2 {
                        (d[k] * length - left[k] * rise) / whole
                    } else {
                        S::from(0.0)
                    }
                })
            }
        };
        Self {
            square,
            length,
            along,
            arc: None,
        }
    }
}

/// Angle by which a direction turns to the given side into another, from a quarter of a turn the other way to three quarters.
fn turn<S: Scalar, const D: usize>(from: [S; D], to: [S; D], side: f64) -> S {
    let angle = atan2((from[0] * to[1] - from[1] * to[0]) * side, dot(from, to));
    if angle.re() < -std::f64::consts::FRAC_PI_2 {
        angle + std::f64::consts::TAU
    } else {
        angle
    }
}
