//! Scalars of the configuration that forces act along: a coordinate, the difference of two, or a distance.

use super::local::MAX_LOCAL;
use super::marker::{Marker, difference, dot, norm, scaled};
use crate::scalar::{Dual2, Scalar, each};

/// A scalar s(q), in local indices; in metres or radians.
#[derive(Clone, Copy, Debug)]
pub enum Measure {
    /// q_b, or q_b - q_a.
    Coordinate {
        /// Coordinate that is subtracted.
        a: Option<usize>,
        /// Coordinate.
        b: usize,
    },
    /// |b - a|.
    Distance(Marker, Marker),
}

impl Measure {
    /// s.
    pub fn value<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> S {
        match self {
            Self::Coordinate { a, b } => subtracted(q, *a, *b),
            Self::Distance(a, b) => norm(difference::<S, D>(a.position(q, numbers), b.position(q, numbers))),
        }
    }

    /// s' along the motion.
    pub fn rate<S: Scalar, const D: usize>(&self, q: &[S], v: &[S], numbers: &[S]) -> S {
        match self {
            Self::Coordinate { a, b } => subtracted(v, *a, *b),
            Self::Distance(a, b) => {
                let d: [S; D] = difference(a.position(q, numbers), b.position(q, numbers));
                let relative = difference(a.velocity(q, v, numbers), b.velocity(q, v, numbers));
                dot(d, relative) / norm(d)
            }
        }
    }

    /// s'' along the motion.
    pub fn acceleration<const D: usize>(&self, q: &[f64], v: &[f64], a: &[f64], numbers: &[f64]) -> f64 {
        let path: [Dual2<f64>; MAX_LOCAL] = each(|i| Dual2::new(q[i], v[i], a[i]));
        let numbers: [Dual2<f64>; MAX_LOCAL] = each(|i| Dual2::from_re(numbers[i]));
        self.value::<Dual2<f64>, D>(&path, &numbers).v2
    }

    /// Adds the generalized force of a tension, which makes s smaller: f -= s_q^T tension.
    pub fn pull<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S], tension: S, f: &mut [S]) {
        match self {
            Self::Coordinate { a, b } => {
                f[*b] -= tension;
                if let Some(a) = a {
                    f[*a] += tension;
                }
            }
            Self::Distance(a, b) => {
                let d: [S; D] = difference(a.position(q, numbers), b.position(q, numbers));
                let share = tension / norm(d);
                a.apply(q, numbers, scaled(d, share), f);
                b.apply(q, numbers, d.map(|x| -x * share), f);
            }
        }
    }
}

fn subtracted<S: Scalar>(values: &[S], a: Option<usize>, b: usize) -> S {
    values[b] - a.map_or(S::from(0.0), |a| values[a])
}
