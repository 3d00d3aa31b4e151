//! Gradient of alpha.(M a - f) of one body, f its weight and inertia forces.

use super::Gradient;
use super::local::{ElementDuals, LocalGradient, State};
use crate::model::body::{Bar, Body, BodyKind, Particle};
use crate::model::local::MAX_LOCAL;
use crate::model::residual::Instant;
use crate::model::{Model, Terms};
use crate::scalar::Dual64;

impl Model {
    /// Adds the gradient of alpha.(M a), less alpha.f when `with_force`.
    pub(super) fn inertia_gradient<const D: usize>(
        &self,
        body: &Body,
        at: &Instant,
        terms: &Terms,
        alpha: &[f64],
        with_force: bool,
        out: &mut Gradient,
    ) {
        let local = &body.local;
        let moves = body.is_configuration_dependent();
        if !moves && !local.numbers.iter().any(|&number| self.is_fed(number)) {
            return;
        }
        let own = local.gather::<f64>(alpha);
        let numbers = local.gather_numbers::<f64>(&terms.numbers);
        let mut gradient = LocalGradient::zero();
        match &body.kind {
            BodyKind::Bar(bar) => {
                bar.momentum_gradient::<D>(&local.gather(at.a), &own, &mut gradient.numbers);
                if with_force {
                    bar.weight_gradient::<D>(&own, &numbers, &mut gradient.numbers);
                }
            }
            BodyKind::Particle(particle) => {
                particle.momentum_gradient::<D>(&local.gather(at.a), &own, &mut gradient.numbers);
                if with_force {
                    particle.weight_gradient::<D>(&own, &numbers, &mut gradient.numbers);
                }
            }
            BodyKind::Rigid(_) => gradient = self.inertia_by_passes::<D>(body, at, terms, &own, with_force),
        }
        out.add(local, &gradient);
    }

    fn inertia_by_passes<const D: usize>(
        &self,
        body: &Body,
        at: &Instant,
        terms: &Terms,
        alpha: &[f64; MAX_LOCAL],
        with_force: bool,
    ) -> LocalGradient {
        let local = &body.local;
        let a = local.gather::<Dual64>(at.a);
        let state = if with_force { State::Motion } else { State::Positions };
        ElementDuals::new(local, at.q, at.v, &terms.numbers).gradient(self, local, state, |arguments| {
            let mut residual = [Dual64::from(0.0); MAX_LOCAL];
            let mut force = [Dual64::from(0.0); MAX_LOCAL];
            body.momentum::<Dual64, D>(&arguments.q, &a, &arguments.numbers, &mut residual);
            if with_force {
                body.force::<Dual64, D>(&arguments.q, &arguments.v, &arguments.numbers, &mut force);
            }
            (0..local.width())
                .map(|i| alpha[i] * (residual[i].eps - force[i].eps))
                .sum()
        })
    }
}

impl Bar {
    /// alpha.(M a) is linear in the mass.
    fn momentum_gradient<const D: usize>(&self, a: &[f64; MAX_LOCAL], alpha: &[f64; MAX_LOCAL], numbers: &mut [f64]) {
        let (start, end): ([f64; D], [f64; D]) = (self.from.velocity(a), self.to.velocity(a));
        let (at_start, at_end): ([f64; D], [f64; D]) = (self.from.velocity(alpha), self.to.velocity(alpha));
        numbers[self.mass] += (0..D)
            .map(|k| at_start[k] * (2.0 * start[k] + end[k]) + at_end[k] * (start[k] + 2.0 * end[k]))
            .sum::<f64>()
            / 6.0;
    }

    /// -alpha.f with half the weight at each end.
    fn weight_gradient<const D: usize>(&self, alpha: &[f64; MAX_LOCAL], own: &[f64; MAX_LOCAL], numbers: &mut [f64]) {
        let (start, end): ([f64; D], [f64; D]) = (self.from.velocity(alpha), self.to.velocity(alpha));
        for k in 0..D {
            let half = 0.5 * (start[k] + end[k]);
            numbers[self.mass] -= half * own[self.gravity[k]];
            numbers[self.gravity[k]] -= half * own[self.mass];
        }
    }
}

impl Particle {
    fn momentum_gradient<const D: usize>(&self, a: &[f64; MAX_LOCAL], alpha: &[f64; MAX_LOCAL], numbers: &mut [f64]) {
        numbers[self.mass] += self.point[..D].iter().map(|&i| alpha[i] * a[i]).sum::<f64>();
    }

    fn weight_gradient<const D: usize>(&self, alpha: &[f64; MAX_LOCAL], own: &[f64; MAX_LOCAL], numbers: &mut [f64]) {
        for k in 0..D {
            numbers[self.mass] -= alpha[self.point[k]] * own[self.gravity[k]];
            numbers[self.gravity[k]] -= alpha[self.point[k]] * own[self.mass];
        }
    }
}
