//! Gradient of -alpha.f of one force.

use super::local::{ElementDuals, State};
use super::place::Pull;
use super::{Gradient, Place};
use crate::linear::Weight;
use crate::model::force::{Force, ForceKind, LinearSpring, Stretched, Torsion};
use crate::model::local::{Local, MAX_LOCAL};
use crate::model::marker::{difference, dot, scaled};
use crate::model::place::Jet;
use crate::model::residual::Instant;
use crate::model::{Model, Terms};
use crate::scalar::{Dual64, each};

impl Model {
    pub(super) fn force_gradient<T: Weight, const D: usize>(
        &self,
        index: usize,
        at: &Instant,
        terms: &Terms,
        alpha: &[T],
        out: &mut Gradient<T>,
    ) {
        match (&terms.springs[index], self.force_in_velocities(index, terms)) {
            (Some(spring), _) => spring.add_gradient::<T, D>((at, &terms.numbers, alpha), out),
            (None, Some(force)) => self.gradient_of_force::<T, D>(force, at, terms, alpha, out),
            (None, None) => {}
        }
    }

    /// The same of one that is not a spring.
    pub(super) fn gradient_of_force<T: Weight, const D: usize>(
        &self,
        force: &Force,
        at: &Instant,
        terms: &Terms,
        alpha: &[T],
        out: &mut Gradient<T>,
    ) {
        let local = &force.local;
        if let ForceKind::Torsion(torsion) = &force.kind {
            torsion.add_gradient(local, (at, &terms.numbers, alpha), out);
            return;
        }
        let time = Dual64::from(at.t);
        let mut arguments = ElementDuals::new(local, at.q, at.v, &terms.numbers);
        let gradient = arguments.gradient(self, local, State::Motion, |arguments| {
            let mut value = [Dual64::from(0.0); MAX_LOCAL];
            force.apply::<Dual64, D>(time, &arguments.q, &arguments.v, &arguments.numbers, &mut value);
            let mut weighed = T::zero();
            for (&i, value) in local.coordinates.iter().zip(&value) {
                weighed -= alpha[i] * value.eps;
            }
            weighed
        });
        out.add(local, &gradient);
    }
}

impl LinearSpring {
    /// By hand: Phi = T u.arm with the tension T = k (l - l0) + c l', the direction u and arm = alpha_b - alpha_a.
    fn add_gradient<T: Weight, const D: usize>(&self, (at, numbers, alpha): Place<T>, out: &mut Gradient<T>) {
        let ([first, second], stretched) = self.stretched::<D>(at, numbers);
        let Stretched {
            velocity,
            length,
            u,
            rate,
            stretch,
            k,
            c,
        } = stretched;
        let arm: [T; D] = difference(self.a.moved(&first, alpha), self.b.moved(&second, alpha));
        let (along, tension) = (dot(arm, u), stretched.tension());
        // What multiplies du, whose part along u vanishes.
        let turning: [T; D] = each(|i| along * (c * velocity[i]) + arm[i] * tension);
        let lengthwise = dot(turning, u);
        let weights = Pull {
            jet: Jet {
                x: each(|i| along * (k * u[i]) + (turning[i] - lengthwise * u[i]) * (1.0 / length)),
                v: each(|i| along * (c * u[i])),
                a: [T::zero(); D],
            },
            change: scaled(u, tension),
        };
        self.a.pull((at, numbers, alpha), &first, &weights.negated(), out);
        self.b.pull((at, numbers, alpha), &second, &weights, out);
        out.numbers[self.stiffness] += along * stretch;
        out.numbers[self.natural] -= along * (k * stretched.directed());
        out.numbers[self.damping] += along * (rate * stretched.directed());
    }
}

impl Torsion {
    /// By hand: Phi = (k (angle - natural) + c rate) arm with the angle of alpha.
    fn add_gradient<T: Weight>(&self, local: &Local, (at, numbers, alpha): Place<T>, out: &mut Gradient<T>) {
        let [a, b] = self.bodies(local);
        let [stiffness, natural, damping] = [self.stiffness, self.natural, self.damping].map(|i| local.numbers[i]);
        let between = |values: &[f64]| b.of(values) - a.of(values);
        let (k, c, arm) = (numbers[stiffness], numbers[damping], b.of(alpha) - a.of(alpha));
        for (body, sign) in [(a, -1.0), (b, 1.0)] {
            body.apply(arm * (sign * k), out.q);
            body.apply(arm * (sign * c), out.v);
        }
        out.numbers[stiffness] += arm * (between(at.q) - numbers[natural]);
        out.numbers[natural] -= arm * k;
        out.numbers[damping] += arm * between(at.v);
    }
}
