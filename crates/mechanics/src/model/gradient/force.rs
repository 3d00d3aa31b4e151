//! Gradient of -alpha.f of one force.

use super::Gradient;
use super::local::{ElementDuals, State};
use crate::model::force::{PointSpring, Stretched};
use crate::model::local::MAX_LOCAL;
use crate::model::marker::{difference, dot};
use crate::model::residual::Instant;
use crate::model::{Model, Terms};
use crate::scalar::{Dual64, each, negated};

impl Model {
    pub(super) fn force_gradient<const D: usize>(
        &self,
        index: usize,
        at: &Instant,
        terms: &Terms,
        alpha: &[f64],
        out: &mut Gradient,
    ) {
        if let Some(spring) = terms.lines[index].as_ref().and_then(PointSpring::of) {
            spring.add_gradient::<D>(at, alpha, &terms.numbers, out);
            return;
        }
        let force = &self.forces[index];
        let local = &force.local;
        let alpha = local.gather::<f64>(alpha);
        let time = Dual64::from(at.t);
        let mut arguments = ElementDuals::new(local, at.q, at.v, &terms.numbers);
        let gradient = arguments.gradient(self, local, State::Motion, |arguments| {
            let mut value = [Dual64::from(0.0); MAX_LOCAL];
            force.apply::<Dual64, D>(time, &arguments.q, &arguments.v, &arguments.numbers, &mut value);
            -(0..local.width()).map(|i| alpha[i] * value[i].eps).sum::<f64>()
        });
        out.add(local, &gradient);
    }
}

impl PointSpring {
    /// By hand: Phi = T u.arm with the tension T = k (l - l0) + c l', the direction u and arm = alpha_b - alpha_a.
    fn add_gradient<const D: usize>(&self, at: &Instant, alpha: &[f64], numbers: &[f64], out: &mut Gradient) {
        let (a, b) = (self.a, self.b);
        let Stretched {
            relative,
            length,
            u,
            rate,
            stretch,
            k,
            c,
        } = self.stretched::<D>(at.q, at.v, numbers);
        let arm: [f64; D] = difference(a.velocity(alpha), b.velocity(alpha));
        let along = dot(u, arm);
        let tension = k * stretch + c * rate;
        // What multiplies du, whose part along u vanishes.
        let turning: [f64; D] = each(|i| c * along * relative[i] + tension * arm[i]);
        let lengthwise = dot(u, turning);
        let of_d: [f64; D] = each(|i| along * k * u[i] + (turning[i] - lengthwise * u[i]) / length);
        out.add_place(a, negated(of_d));
        out.add_place(b, of_d);
        let of_rate: [f64; D] = each(|k| c * along * u[k]);
        a.apply(negated(of_rate), out.v);
        b.apply(of_rate, out.v);
        out.numbers[self.stiffness] += along * stretch;
        out.numbers[self.natural] -= along * k;
        out.numbers[self.damping] += along * rate;
    }
}
