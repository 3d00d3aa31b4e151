//! A linear spring and damper between two places: the line force whose derivatives are written by hand.

use super::line::{LineForce, Tension};
use crate::model::instant::Instant;
use crate::model::local::Local;
use crate::model::marker::{Base, Marker, divided, dot, scaled};
use crate::model::place::{Jet, Placed};

/// A linear [`LineForce`]; the indices are the model's.
#[derive(Clone, Copy, Debug)]
pub struct LinearSpring {
    /// First end.
    pub a: Marker,
    /// Second end.
    pub b: Marker,
    /// Number: stiffness.
    pub stiffness: usize,
    /// Number: natural length.
    pub natural: usize,
    /// Number: damping.
    pub damping: usize,
}

/// Motion of a spring in D dimensions and its constants k, c.
#[derive(Clone, Copy, Debug)]
pub struct Stretched<'a, const D: usize> {
    /// The two ends.
    pub ends: [Placed<'a, D>; 2],
    /// From the first end to the second.
    pub span: Jet<D>,
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

impl LinearSpring {
    /// The spring that a line force of an element is, if it is one.
    pub fn of(force: &LineForce, local: &Local, dimension: usize) -> Option<Self> {
        let Tension::Linear {
            stiffness,
            natural,
            damping,
        } = force.tension
        else {
            return None;
        };
        Some(Self {
            a: force.a.global(local, dimension),
            b: force.b.global(local, dimension),
            stiffness: local.numbers[stiffness],
            natural: local.numbers[natural],
            damping: local.numbers[damping],
        })
    }

    /// The two ends if they are points or ground points.
    pub fn points(&self) -> Option<(Base, Base)> {
        match (self.a, self.b) {
            (Marker::Base(a), Marker::Base(b)) => Some((a, b)),
            _ => None,
        }
    }

    /// The motion at a state.
    #[inline(always)]
    pub fn stretched<'a, const D: usize>(&self, at: &Instant<'a>, numbers: &[f64]) -> Stretched<'a, D> {
        let ends = [self.a.placed::<D>(at, numbers), self.b.placed(at, numbers)];
        let span = ends[0].jet.to(&ends[1].jet);
        let length = dot(span.x, span.x).sqrt();
        let u = divided(span.x, length);
        Stretched {
            ends,
            span,
            length,
            u,
            rate: dot(u, span.v),
            stretch: length - numbers[self.natural],
            k: numbers[self.stiffness],
            c: numbers[self.damping],
        }
    }

    /// Adds the generalized force.
    #[inline]
    pub fn apply<const D: usize>(&self, at: &Instant, numbers: &[f64], f: &mut [f64]) {
        let stretched = self.stretched::<D>(at, numbers);
        let tension = stretched.tension();
        self.a.push(&stretched.ends[0], scaled(stretched.u, tension), f);
        self.b.push(&stretched.ends[1], scaled(stretched.u, -tension), f);
    }
}

impl<const D: usize> Stretched<'_, D> {
    /// What pulls the ends together.
    #[inline]
    pub fn tension(&self) -> f64 {
        self.k * self.stretch + self.c * self.rate
    }
}
