//! Gradient of the weighted residual: the transpose of the derivatives in [`super::residual`] (theory, 2.3).
//!
//! Phi = alpha.(M a - f - C^T lambda) + beta.(C a + gamma) + rate.c' + value.c with all weights, a and lambda held.

use super::body::BodyKind;
use super::constraint::{Constraint, ConstraintKind, MAX_ROWS};
use super::joint::Distance;
use super::local::{Local, MAX_LOCAL};
use super::marker::{Base, Marker, difference};
use super::residual::Instant;
use super::{Mode, Model, Terms};
use crate::scalar::{Dual, Dual2, Dual64};

/// Weights of the parts of the residual; one entry per velocity or per row of the mode.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    /// Of M a - f - C^T lambda, nv.
    pub alpha: &'a [f64],
    /// Of C a + gamma.
    pub beta: &'a [f64],
    /// Of c'.
    pub rate: &'a [f64],
    /// Of c.
    pub value: &'a [f64],
}

/// Gradient with respect to positions, velocities and numbers (with memory); added to.
#[derive(Debug)]
pub struct Gradient<'a> {
    /// nq.
    pub q: &'a mut [f64],
    /// nv.
    pub v: &'a mut [f64],
    /// Numbers and memory.
    pub numbers: &'a mut [f64],
}

impl Gradient<'_> {
    fn add(&mut self, local: &Local, gradient: &LocalGradient) {
        local.scatter_add(&gradient.q, self.q);
        local.scatter_add(&gradient.v, self.v);
        for (&i, value) in local.numbers.iter().zip(&gradient.numbers) {
            self.numbers[i] += value;
        }
    }
}

/// Gradient with respect to an element's own arguments.
struct LocalGradient {
    q: [f64; MAX_LOCAL],
    v: [f64; MAX_LOCAL],
    numbers: [f64; MAX_LOCAL],
}

impl LocalGradient {
    fn zero() -> Self {
        Self {
            q: [0.0; MAX_LOCAL],
            v: [0.0; MAX_LOCAL],
            numbers: [0.0; MAX_LOCAL],
        }
    }
}

/// An element's arguments as dual numbers, one of which is seeded at a time.
struct Arguments {
    q: [Dual64; MAX_LOCAL],
    v: [Dual64; MAX_LOCAL],
    numbers: [Dual64; MAX_LOCAL],
}

impl Arguments {
    fn new(local: &Local, at: &Instant, numbers: &[f64]) -> Self {
        Self {
            q: local.gather(at.q),
            v: local.gather(at.v),
            numbers: local.gather_numbers(numbers),
        }
    }

    /// Gradient of a scalar function by one pass per argument.
    fn gradient(&mut self, local: &Local, of_state: bool, value: impl Fn(&Self) -> f64) -> LocalGradient {
        let mut gradient = LocalGradient::zero();
        if of_state {
            for i in 0..local.width() {
                self.q[i].eps = 1.0;
                gradient.q[i] = value(self);
                self.q[i].eps = 0.0;
                self.v[i].eps = 1.0;
                gradient.v[i] = value(self);
                self.v[i].eps = 0.0;
            }
        }
        for i in 0..local.numbers.len() {
            self.numbers[i].eps = 1.0;
            gradient.numbers[i] = value(self);
            self.numbers[i].eps = 0.0;
        }
        gradient
    }
}

impl Model {
    /// Adds the gradient of the weighted residual; `terms` supplies the numbers.
    pub fn residual_gradient(&self, at: &Instant, mode: &Mode, terms: &Terms, weights: &Weights, out: &mut Gradient) {
        match self.dimension {
            2 => self.residual_gradient_in::<2>(at, mode, terms, weights, out),
            _ => self.residual_gradient_in::<3>(at, mode, terms, weights, out),
        }
    }

    fn residual_gradient_in<const D: usize>(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        weights: &Weights,
        out: &mut Gradient,
    ) {
        for body in &self.bodies {
            let local = &body.local;
            let (a, alpha) = (local.gather::<Dual64>(at.a), local.gather::<f64>(weights.alpha));
            let moves = matches!(body.kind, BodyKind::Rigid(_));
            let gradient = Arguments::new(local, at, &terms.numbers).gradient(local, moves, |arguments| {
                let mut residual = [Dual64::from(0.0); MAX_LOCAL];
                let mut force = [Dual64::from(0.0); MAX_LOCAL];
                body.momentum::<Dual64, D>(&arguments.q, &a, &arguments.numbers, &mut residual);
                body.force::<Dual64, D>(&arguments.q, &arguments.v, &arguments.numbers, &mut force);
                (0..local.width())
                    .map(|i| alpha[i] * (residual[i].eps - force[i].eps))
                    .sum()
            });
            out.add(local, &gradient);
        }
        for (index, force) in self.forces.iter().enumerate() {
            if mode.force_acts(index) {
                let local = &force.local;
                let alpha = local.gather::<f64>(weights.alpha);
                let gradient = Arguments::new(local, at, &terms.numbers).gradient(local, true, |arguments| {
                    let mut value = [Dual64::from(0.0); MAX_LOCAL];
                    force.apply::<Dual64, D>(
                        Dual64::from(at.t),
                        &arguments.q,
                        &arguments.v,
                        &arguments.numbers,
                        &mut value,
                    );
                    -(0..local.width()).map(|i| alpha[i] * value[i].eps).sum::<f64>()
                });
                out.add(local, &gradient);
            }
        }
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            let constraint = &self.constraints[index];
            let rows = RowWeights::new(constraint, first, at.lambda, weights);
            let gradient = match constraint.points() {
                Some(distance) => {
                    gradient_of_points::<D>(constraint, distance, at, weights.alpha, &terms.numbers, &rows)
                }
                None => constraint.weighted_gradient::<D>(at, weights.alpha, &terms.numbers, &rows),
            };
            out.add(&constraint.local, &gradient);
        }
    }
}

/// Weights and multipliers of one constraint's rows.
struct RowWeights {
    lambda: [f64; MAX_ROWS],
    beta: [f64; MAX_ROWS],
    rate: [f64; MAX_ROWS],
    value: [f64; MAX_ROWS],
}

impl RowWeights {
    fn new(constraint: &Constraint, first: usize, lambda: &[f64], weights: &Weights) -> Self {
        let pick = |values: &[f64]| std::array::from_fn(|k| if k < constraint.rows { values[first + k] } else { 0.0 });
        Self {
            lambda: pick(lambda),
            beta: pick(weights.beta),
            rate: pick(weights.rate),
            value: pick(weights.value),
        }
    }
}

impl Constraint {
    /// The distance of two points, when the constraint is one of constant length.
    fn points(&self) -> Option<&Distance> {
        match &self.kind {
            ConstraintKind::Distance(kind) if self.is_fast() => Some(kind),
            _ => None,
        }
    }

    /// Gradient of -lambda.(C alpha) + beta.(C a + gamma) + rate.c' + value.c by one pass per argument.
    fn weighted_gradient<const D: usize>(
        &self,
        at: &Instant,
        alpha: &[f64],
        numbers: &[f64],
        rows: &RowWeights,
    ) -> LocalGradient {
        let (a, alpha) = (self.local.gather::<f64>(at.a), self.local.gather::<f64>(alpha));
        Arguments::new(&self.local, at, numbers).gradient(&self.local, true, |arguments| {
            type Path = Dual2<Dual64>;
            let zero = Dual64::from(0.0);
            let path: [Path; MAX_LOCAL] =
                std::array::from_fn(|i| Path::new(arguments.q[i], arguments.v[i], Dual64::from(a[i])));
            let mut c = [Path::from_re(zero); MAX_ROWS];
            let time = Path::new(Dual64::from(at.t), Dual64::from(1.0), zero);
            self.value::<Path, D>(time, &path, &arguments.numbers.map(Path::from_re), &mut c);
            let virtual_path: [Dual<Dual64>; MAX_LOCAL] =
                std::array::from_fn(|i| Dual::new(arguments.q[i], Dual64::from(alpha[i])));
            let mut d = [Dual::from_re(zero); MAX_ROWS];
            let still = Dual::from_re(Dual64::from(at.t));
            self.value::<Dual<Dual64>, D>(still, &virtual_path, &arguments.numbers.map(Dual::from_re), &mut d);
            (0..self.rows)
                .map(|k| {
                    rows.beta[k] * c[k].v2.eps + rows.rate[k] * c[k].v1.eps + rows.value[k] * c[k].re.eps
                        - rows.lambda[k] * d[k].eps.eps
                })
                .sum()
        })
    }
}

/// The same by hand for c = |d|^2 - L^2 between points: Phi = -2 lambda d.alpha_d + 2 beta (d'.d' + d.d'') + 2 rate d.d' + value c.
fn gradient_of_points<const D: usize>(
    constraint: &Constraint,
    kind: &Distance,
    at: &Instant,
    alpha: &[f64],
    numbers: &[f64],
    rows: &RowWeights,
) -> LocalGradient {
    let mut gradient = LocalGradient::zero();
    let (Marker::Base(a), Marker::Base(b)) = (kind.a, kind.b) else {
        return gradient;
    };
    let local = &constraint.local;
    let own = local.gather_numbers::<f64>(numbers);
    let relative = |values: &[f64]| -> [f64; D] {
        let values = local.gather::<f64>(values);
        difference(a.velocity(&values), b.velocity(&values))
    };
    let q = local.gather::<f64>(at.q);
    let d: [f64; D] = difference(a.position(&q, &own), b.position(&q, &own));
    let (rate, acceleration, arm) = (relative(at.v), relative(at.a), relative(alpha));
    let (lambda, beta, weight, value) = (rows.lambda[0], rows.beta[0], rows.rate[0], rows.value[0]);
    let of_position: [f64; D] =
        std::array::from_fn(|k| 2.0 * (beta * acceleration[k] - lambda * arm[k] + weight * rate[k] + value * d[k]));
    let of_rate: [f64; D] = std::array::from_fn(|k| 4.0 * beta * rate[k] + 2.0 * weight * d[k]);
    spread(a, of_position.map(|x| -x), &mut gradient.q, &mut gradient.numbers);
    spread(b, of_position, &mut gradient.q, &mut gradient.numbers);
    a.apply(of_rate.map(|x| -x), &mut gradient.v);
    b.apply(of_rate, &mut gradient.v);
    if let super::function::Signal::Number(length) = &kind.length {
        gradient.numbers[*length] -= 2.0 * value * own[*length];
    }
    gradient
}

/// Adds a gradient with respect to a place to the coordinates or numbers that it consists of.
fn spread<const D: usize>(base: Base, gradient: [f64; D], q: &mut [f64], numbers: &mut [f64]) {
    let (place, target) = match base {
        Base::Ground(place) => (place, numbers),
        Base::Point(place) => (place, q),
    };
    for k in 0..D {
        target[place[k]] += gradient[k];
    }
}
