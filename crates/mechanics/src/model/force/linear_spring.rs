//! A linear spring and damper between two places: the line force whose derivatives are written by hand.

use super::line::{LineForce, Tension};
use crate::model::instant::Instant;
use crate::model::local::Local;
use crate::model::marker::{Base, Marker, difference, divided, dot, scaled};
use crate::model::place::Placed;
use crate::scalar::negated;

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
pub struct Stretched<const D: usize> {
    /// Velocity of the second end beyond that of the first.
    pub velocity: [f64; D],
    /// Distance of the ends.
    pub length: f64,
    /// Unit vector from the first to the second end; zeros where they meet and the force does not depend on it.
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

    /// The two ends and the motion at a state.
    #[inline(always)]
    pub fn stretched<'a, const D: usize>(
        &self,
        at: &Instant<'a>,
        numbers: &[f64],
    ) -> ([Placed<'a, D>; 2], Stretched<D>) {
        let ends = [self.a.placed::<D>(at, numbers), self.b.placed(at, numbers)];
        let [a, b] = [&ends[0].jet, &ends[1].jet];
        let stretched = self.along(difference(a.x, b.x), difference(a.v, b.v), numbers);
        (ends, stretched)
    }

    /// The motion between two points.
    #[inline(always)]
    pub fn between<const D: usize>(&self, (a, b): (Base, Base), at: &Instant, numbers: &[f64]) -> Stretched<D> {
        let span = difference(a.position(at.q, numbers), b.position(at.q, numbers));
        self.along(span, difference(a.velocity(at.v), b.velocity(at.v)), numbers)
    }

    /// The motion with this vector from the first to the second end and its rate.
    #[inline(always)]
    fn along<const D: usize>(&self, span: [f64; D], velocity: [f64; D], numbers: &[f64]) -> Stretched<D> {
        let length = dot(span, span).sqrt();
        let (natural, k, c) = (numbers[self.natural], numbers[self.stiffness], numbers[self.damping]);
        if length == 0.0 && natural == 0.0 && c == 0.0 {
            // k times the span, with its derivatives by that and by k: of length one in no direction.
            return Stretched {
                velocity,
                length: 1.0,
                u: [0.0; D],
                rate: 0.0,
                stretch: 1.0,
                k,
                c,
            };
        }
        let u = divided(span, length);
        Stretched {
            velocity,
            length,
            u,
            rate: dot(u, velocity),
            stretch: length - natural,
            k,
            c,
        }
    }

    /// Adds the generalized force.
    #[inline]
    pub fn apply<const D: usize>(&self, at: &Instant, numbers: &[f64], f: &mut [f64]) {
        // Points carry nothing but their places, and most springs are between them.
        if let Some((a, b)) = self.points() {
            let pull = self.between::<D>((a, b), at, numbers).pull();
            a.apply(pull, f);
            b.apply(negated(pull), f);
            return;
        }
        let ([first, second], stretched) = self.stretched::<D>(at, numbers);
        let pull = stretched.pull();
        self.a.push(&first, pull, f);
        self.b.push(&second, negated(pull), f);
    }
}

impl<const D: usize> Stretched<D> {
    /// The force on the first end.
    #[inline]
    fn pull(&self) -> [f64; D] {
        scaled(self.u, self.tension())
    }

    /// One; not a number where the ends meet, and nothing has a derivative by natural length and damping.
    #[inline]
    pub fn directed(&self) -> f64 {
        if self.u == [0.0; D] { f64::NAN } else { 1.0 }
    }

    /// What pulls the ends together.
    #[inline]
    pub fn tension(&self) -> f64 {
        self.k * self.stretch + self.c * self.rate
    }
}
