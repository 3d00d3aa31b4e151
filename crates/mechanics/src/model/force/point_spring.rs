//! A linear spring and damper between points or ground points: the line force whose derivatives are written by hand.

use super::line::{LineForce, Tension};
use crate::model::marker::{Base, Marker, difference, divided, dot};

/// A linear [`LineForce`] between base markers; the indices are the model's.
#[derive(Clone, Copy, Debug)]
pub struct PointSpring {
    /// First end.
    pub a: Base,
    /// Second end.
    pub b: Base,
    /// Number: stiffness.
    pub stiffness: usize,
    /// Number: natural length.
    pub natural: usize,
    /// Number: damping.
    pub damping: usize,
}

/// Motion of a spring in D dimensions and its constants k, c.
#[derive(Clone, Copy, Debug)]
pub struct Stretched<const D: usize> {
    /// Velocity of the second end relative to the first.
    pub relative: [f64; D],
    /// Distance of the ends.
    pub length: f64,
    /// Unit vector from the first to the second end.
    pub u: [f64; D],
    /// Rate of the length.
    pub rate: f64,
    /// Length less the natural length.
    pub stretch: f64,
    /// Stiffness.
    pub k: f64,
    /// Damping.
    pub c: f64,
}

impl PointSpring {
    /// The spring that a line force with the model's indices is, if it is one.
    pub fn of(force: &LineForce) -> Option<Self> {
        match (force.a, force.b, &force.tension) {
            (
                Marker::Base(a),
                Marker::Base(b),
                &Tension::Linear {
                    stiffness,
                    natural,
                    damping,
                },
            ) => Some(Self {
                a,
                b,
                stiffness,
                natural,
                damping,
            }),
            _ => None,
        }
    }

    /// The motion at q, v.
    #[inline(always)]
    pub fn stretched<const D: usize>(&self, q: &[f64], v: &[f64], numbers: &[f64]) -> Stretched<D> {
        let d: [f64; D] = difference(self.a.position(q, numbers), self.b.position(q, numbers));
        let relative: [f64; D] = difference(self.a.velocity(v), self.b.velocity(v));
        let length = dot(d, d).sqrt();
        let u = divided(d, length);
        Stretched {
            relative,
            length,
            u,
            rate: dot(u, relative),
            stretch: length - numbers[self.natural],
            k: numbers[self.stiffness],
            c: numbers[self.damping],
        }
    }
}
