//! Forces along the line between two markers: linear springs and dampers, and springs given by an expression.

use crate::model::function::Function;
use crate::model::marker::{Marker, difference, divided, dot, scaled};
use crate::scalar::{Scalar, negated};

/// Position of the rate among the variables of a [`Tension::Expression`]; the length comes first.
const RATE: usize = 1;

/// Law of the tension.
#[derive(Clone, Debug)]
pub enum Tension {
    /// stiffness (length - natural) + damping rate.
    Linear {
        /// Number: stiffness.
        stiffness: usize,
        /// Number: natural length.
        natural: usize,
        /// Number: damping.
        damping: usize,
    },
    /// An expression of length, rate and time.
    Expression {
        /// The tension.
        force: Function,
        /// Number: length at which the stored energy counts as zero.
        natural: usize,
    },
    /// A number that follows the motion, as a whole.
    Followed {
        /// Number: the tension.
        force: usize,
        /// Number: natural length, which nothing depends on.
        natural: usize,
    },
}

/// A force along the line between two markers; positive tension pulls them together.
#[derive(Clone, Debug)]
pub struct LineForce {
    /// First marker.
    pub a: Marker,
    /// Second marker.
    pub b: Marker,
    /// Law.
    pub tension: Tension,
    /// +1: acts only when longer than natural; -1: only when shorter; 0: always.
    pub side: f64,
}

/// Nodes and weights of the 8-point Gauss-Legendre rule on [-1, 1], positive half.
const GAUSS: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

/// Panels of the energy integral of an expression.
const PANELS: usize = 8;

/// Most halvings of a panel with a kink.
const MOST_HALVINGS: u32 = 40;

/// Change of the energy, over its size, that is rounding.
const ROUNDING: f64 = 1e-14;

impl LineForce {
    /// The vector from the first to the second marker.
    pub fn span<const D: usize>(&self, q: &[f64], numbers: &[f64]) -> [f64; D] {
        difference(self.a.position(q, numbers), self.b.position(q, numbers))
    }

    /// Whether the force depends on the direction where the ends meet: not that of a spring without natural length and damping.
    pub fn turns_round(&self, numbers: &[f64]) -> bool {
        match &self.tension {
            Tension::Linear { natural, damping, .. } => numbers[*natural] != 0.0 || numbers[*damping] != 0.0,
            Tension::Expression { .. } | Tension::Followed { .. } => true,
        }
    }

    /// Length, its rate, and the unit vector from the first to the second marker.
    #[inline(always)]
    pub fn kinematics<S: Scalar, const D: usize>(&self, q: &[S], v: &[S], numbers: &[S]) -> (S, S, [S; D]) {
        let d: [S; D] = difference(self.a.position(q, numbers), self.b.position(q, numbers));
        let length = dot(d, d).sqrt();
        let direction = divided(d, length);
        let relative = difference(self.a.velocity(q, v, numbers), self.b.velocity(q, v, numbers));
        (length, dot(direction, relative), direction)
    }

    /// Tension at a length and rate.
    pub fn tension<S: Scalar>(&self, t: S, length: S, rate: S, numbers: &[S]) -> S {
        match &self.tension {
            Tension::Linear {
                stiffness,
                natural,
                damping,
            } => {
                let elastic = numbers[*stiffness] * (length - numbers[*natural]);
                // The rate is not a number where the ends meet.
                match numbers[*damping].vanishes() {
                    true => elastic,
                    false => elastic + numbers[*damping] * rate,
                }
            }
            Tension::Expression { force, .. } => force.evaluate(t, numbers, &[length, rate]),
            Tension::Followed { force, .. } => numbers[*force],
        }
    }

    /// How far the length is on the acting side of a one-sided spring; the guard of its switch.
    pub fn engagement<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> S {
        let d: [S; D] = difference(self.a.position(q, numbers), self.b.position(q, numbers));
        (dot(d, d).sqrt() - numbers[self.natural()]) * self.side
    }

    /// Number: the natural length.
    pub fn natural(&self) -> usize {
        match &self.tension {
            Tension::Linear { natural, .. }
            | Tension::Expression { natural, .. }
            | Tension::Followed { natural, .. } => *natural,
        }
    }

    /// Adds the generalized force.
    #[inline]
    pub fn apply<S: Scalar, const D: usize>(&self, t: S, q: &[S], v: &[S], numbers: &[S], f: &mut [S]) {
        let (length, rate, direction) = self.kinematics::<S, D>(q, v, numbers);
        let pull = match self.proportional(numbers) {
            Some(stiffness) if length.re() == 0.0 => scaled(
                difference(self.a.position(q, numbers), self.b.position(q, numbers)),
                stiffness,
            ),
            _ => scaled(direction, self.tension(t, length, rate, numbers)),
        };
        self.a.apply(q, numbers, pull, f);
        self.b.apply(q, numbers, negated(pull), f);
    }

    /// The stiffness, where the force is that times the span.
    fn proportional<S: Scalar>(&self, numbers: &[S]) -> Option<S> {
        match &self.tension {
            Tension::Linear {
                stiffness,
                natural,
                damping,
            } if numbers[*natural].vanishes() && numbers[*damping].vanishes() => Some(numbers[*stiffness]),
            _ => None,
        }
    }

    /// Stored energy.
    pub fn potential<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> S {
        let d: [S; D] = difference(self.a.position(q, numbers), self.b.position(q, numbers));
        let length = dot(d, d).sqrt();
        match &self.tension {
            Tension::Linear { stiffness, natural, .. } if numbers[*natural].vanishes() => {
                dot(d, d) * numbers[*stiffness] * 0.5
            }
            Tension::Linear { stiffness, natural, .. } => {
                let stretch = length - numbers[*natural];
                stretch * stretch * numbers[*stiffness] * 0.5
            }
            Tension::Expression { force, natural } => {
                if force.depends_on_time() || force.depends_on_variable(RATE) {
                    return S::from(0.0);
                }
                let tension = |length: S| {
                    force
                        .as_written()
                        .evaluate(S::from(0.0), numbers, &[length, S::from(0.0)])
                };
                work(tension, numbers[*natural], length, force.written.is_some())
            }
            Tension::Followed { .. } => S::from(0.0),
        }
    }
}

/// Integral of the tension over the length by Gauss-Legendre quadrature; between two lengths with a kink panels are halved
/// until that changes nothing.
fn work<S: Scalar>(tension: impl Fn(S) -> S, start: S, end: S, kinked: bool) -> S {
    let width = (end - start) / PANELS as f64;
    let mut sum = S::from(0.0);
    for panel in 0..PANELS {
        let mut left = vec![(start + width * panel as f64, width, 0)];
        while let Some((from, width, depth)) = left.pop() {
            let (half, whole) = (width * 0.5, gauss(&tension, from, width));
            let halves = || gauss(&tension, from, half) + gauss(&tension, from + half, half);
            let rounding = ROUNDING * (sum + whole).re().abs();
            if kinked && depth < MOST_HALVINGS && (halves() - whole).re().abs() > rounding {
                left.extend([(from + half, half, depth + 1), (from, half, depth + 1)]);
            } else {
                sum += whole;
            }
        }
    }
    sum
}

/// Integral over a panel by the rule of [`GAUSS`].
fn gauss<S: Scalar>(tension: &impl Fn(S) -> S, from: S, width: S) -> S {
    let half = width * 0.5;
    let mut sum = S::from(0.0);
    for (node, weight) in GAUSS {
        for sign in [-1.0, 1.0] {
            sum += tension(from + half * (1.0 + sign * node)) * weight;
        }
    }
    sum * half
}
