//! Gradient of alpha.(M a - f) of one body, f its weight and inertia forces.

use super::local::{ElementDuals, LocalGradient, State};
use super::place::Pull;
use super::{Gradient, Place};
use crate::linear::{Weight, pairs_within};
use crate::model::attitude::cross_weight;
use crate::model::body::{Bar, Body, BodyKind, Particle, Rigid, Solid};
use crate::model::local::{Local, MAX_LOCAL};
use crate::model::marker::{dot, scaled};
use crate::model::place::Jet;
use crate::model::residual::Instant;
use crate::model::{Model, Terms};
use crate::scalar::{Dual64, each};

impl Model {
    /// Adds the gradient of alpha.(M a), less alpha.f when `with_force`.
    pub(super) fn inertia_gradient<T: Weight, const D: usize>(
        &self,
        body: &Body,
        at: &Instant,
        terms: &Terms,
        alpha: &[T],
        with_force: bool,
        out: &mut Gradient<T>,
    ) {
        let local = &body.local;
        let moves = body.is_configuration_dependent();
        if !moves && !local.numbers.iter().any(|&number| self.is_fed(number)) {
            return;
        }
        let place = (at, &terms.numbers[..], alpha);
        if let BodyKind::Rigid(rigid) = &body.kind {
            rigid.add_gradient(local, place, with_force, out);
            return;
        }
        if let (BodyKind::Solid(solid), Some(_), true) = (&body.kind, at.attitudes, with_force) {
            if D == 3 {
                solid.add_gradient(local, place, out);
            }
            return;
        }
        if let BodyKind::Solid(_) = &body.kind {
            let gradient = self.inertia_gradient_by_passes::<T, D>(body, at, terms, alpha, with_force);
            out.add(local, &gradient);
            return;
        }
        let mut own = [T::zero(); MAX_LOCAL];
        pairs_within(&mut own, &local.coordinates, |slot, &i| *slot = alpha[i]);
        let numbers = local.gather_numbers::<f64>(&terms.numbers);
        let mut gradient = LocalGradient::zero();
        match &body.kind {
            BodyKind::Bar(bar) => {
                bar.momentum_gradient::<T, D>(&local.gather(at.a), &own, &mut gradient.numbers);
                if with_force {
                    bar.weight_gradient::<T, D>(&own, &numbers, &mut gradient.numbers);
                }
            }
            BodyKind::Particle(particle) => {
                particle.momentum_gradient::<T, D>(&local.gather(at.a), &own, &mut gradient.numbers);
                if with_force {
                    particle.weight_gradient::<T, D>(&own, &numbers, &mut gradient.numbers);
                }
            }
            BodyKind::Rigid(_) | BodyKind::Solid(_) => {}
        }
        out.add(local, &gradient);
    }

    fn inertia_gradient_by_passes<T: Weight, const D: usize>(
        &self,
        body: &Body,
        at: &Instant,
        terms: &Terms,
        alpha: &[T],
        with_force: bool,
    ) -> LocalGradient<T> {
        let local = &body.local;
        let a = local.gather::<Dual64>(at.a);
        let mut arguments = ElementDuals::new(local, at.q, at.v, &terms.numbers);
        arguments.gradient(self, local, State::Motion, |ElementDuals { q, v, numbers }| {
            let (mut momentum, mut force) = ([Dual64::from(0.0); MAX_LOCAL], [Dual64::from(0.0); MAX_LOCAL]);
            body.momentum::<Dual64, D>(q, &a, numbers, &mut momentum);
            if with_force {
                body.force::<Dual64, D>(q, v, numbers, &mut force);
            }
            let mut weighed = T::zero();
            for (k, &i) in local.coordinates.iter().enumerate() {
                weighed += alpha[i] * (momentum[k].eps - force[k].eps);
            }
            weighed
        })
    }
}

impl Rigid {
    /// m dG.(G'' - g) + I (angle of alpha) angle'', with the centre of mass G and its change dG along alpha.
    fn add_gradient<T: Weight>(
        &self,
        local: &Local,
        (at, numbers, alpha): Place<T>,
        with_force: bool,
        out: &mut Gradient<T>,
    ) {
        let number = |i: usize| local.numbers[i];
        let (centre, angle) = (self.centre().global(local, 2), local.coordinates[self.body[2]]);
        let mut placed = centre.placed::<2>(at, numbers);
        if !with_force {
            placed.leave_out_centrifugal();
        }
        let (mass, change) = (numbers[number(self.mass)], centre.moved::<T, 2>(&placed, alpha));
        let has_weight = if with_force { 1.0 } else { 0.0 };
        let load: [f64; 2] = each(|k| placed.jet.a[k] - has_weight * numbers[number(self.gravity[k])]);
        let mut weights = Pull {
            jet: Jet::fixed([T::zero(); 2]),
            change: scaled(load, mass),
        };
        weights.jet.a = scaled(change, mass);
        centre.pull((at, numbers, alpha), &placed, &weights, out);
        out.numbers[number(self.mass)] += dot(change, load);
        out.numbers[number(self.inertia)] += alpha[angle] * at.a[angle];
        for (&component, change) in self.gravity.iter().zip(change) {
            out.numbers[number(component)] -= change * (has_weight * mass);
        }
    }
}

impl Solid {
    /// m dG.(G'' - g) + phi.(I omega' + omega x I omega), with the centre of mass G, its change dG along alpha and the turn phi of that.
    fn add_gradient<T: Weight>(&self, local: &Local, (at, numbers, alpha): Place<T>, out: &mut Gradient<T>) {
        let number = |i: usize| local.numbers[i];
        let (centre, spin) = (self.centre(local), self.velocity + 3);
        let placed = centre.placed::<3>(at, numbers);
        let (mass, change) = (numbers[number(self.mass)], centre.moved::<T, 3>(&placed, alpha));
        let load: [f64; 3] = each(|k| placed.jet.a[k] - numbers[number(self.gravity[k])]);
        let mut weights = Pull {
            jet: Jet::fixed([T::zero(); 3]),
            change: scaled(load, mass),
        };
        weights.jet.a = scaled(change, mass);
        centre.pull((at, numbers, alpha), &placed, &weights, out);
        out.numbers[number(self.mass)] += dot(change, load);
        for (&component, change) in self.gravity.iter().zip(change) {
            out.numbers[number(component)] -= change * mass;
        }
        let Some(attitude) = placed.attitude else { return };
        let (omega, spun, phi): (_, _, [T; 3]) = (attitude.omega, attitude.alpha, each(|k| alpha[spin + k]));
        let tensor = self.tensor(local, numbers);
        // phi.(omega x I omega) = (phi x omega).(I omega).
        let bent = cross_weight(omega, phi).map(|x| -x);
        let of_spin = cross_weight(tensor.map(|row| dot(row, omega)), phi);
        for k in 0..3 {
            out.v[spin + k] += of_spin[k] + dot(bent, tensor[k]);
        }
        for (entry, (i, j)) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
            let mut slope = phi[i] * spun[j] + bent[i] * omega[j];
            if i != j {
                slope += phi[j] * spun[i] + bent[j] * omega[i];
            }
            out.numbers[number(self.inertia[entry])] += slope;
        }
    }
}

impl Bar {
    /// alpha.(M a) is linear in the mass.
    fn momentum_gradient<T: Weight, const D: usize>(
        &self,
        a: &[f64; MAX_LOCAL],
        alpha: &[T; MAX_LOCAL],
        numbers: &mut [T],
    ) {
        let (start, end): ([f64; D], [f64; D]) = (self.from.velocity(a), self.to.velocity(a));
        let (at_start, at_end): ([T; D], [T; D]) = (self.from.velocity(alpha), self.to.velocity(alpha));
        for k in 0..D {
            numbers[self.mass] += at_start[k] * ((2.0 * start[k] + end[k]) / 6.0);
            numbers[self.mass] += at_end[k] * ((start[k] + 2.0 * end[k]) / 6.0);
        }
    }

    /// -alpha.f with half the weight at each end.
    fn weight_gradient<T: Weight, const D: usize>(
        &self,
        alpha: &[T; MAX_LOCAL],
        own: &[f64; MAX_LOCAL],
        numbers: &mut [T],
    ) {
        let (start, end): ([T; D], [T; D]) = (self.from.velocity(alpha), self.to.velocity(alpha));
        for k in 0..D {
            let half = (start[k] + end[k]) * 0.5;
            numbers[self.mass] -= half * own[self.gravity[k]];
            numbers[self.gravity[k]] -= half * own[self.mass];
        }
    }
}

impl Particle {
    fn momentum_gradient<T: Weight, const D: usize>(
        &self,
        a: &[f64; MAX_LOCAL],
        alpha: &[T; MAX_LOCAL],
        numbers: &mut [T],
    ) {
        for &i in &self.point[..D] {
            numbers[self.mass] += alpha[i] * a[i];
        }
    }

    fn weight_gradient<T: Weight, const D: usize>(
        &self,
        alpha: &[T; MAX_LOCAL],
        own: &[f64; MAX_LOCAL],
        numbers: &mut [T],
    ) {
        for k in 0..D {
            numbers[self.mass] -= alpha[self.point[k]] * own[self.gravity[k]];
            numbers[self.gravity[k]] -= alpha[self.point[k]] * own[self.mass];
        }
    }
}
