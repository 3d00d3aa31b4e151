//! Both sides of the guards that the motion slides along.

use super::surface::Surface;
use crate::linear::pairs_within;
use crate::model::constraint::Direction;

/// Difference of the rates of the two sides, over the larger, up to which the share between them is not determined.
pub(super) const LEAST_DIFFERENCE: f64 = 1e-12;

/// Accelerations, multipliers, and the rates of the state behind the velocities.
#[derive(Clone, Debug, Default)]
pub(in crate::mechanism) struct Part {
    pub a: Vec<f64>,
    pub lambda: Vec<f64>,
    pub rest: Vec<f64>,
}

/// One of the guards.
#[derive(Clone, Debug, Default)]
pub(in crate::mechanism) struct Guard {
    /// The motion below it, and above all others.
    pub below: Part,
    /// Its rate above all guards.
    pub above: f64,
    /// Share of the side below.
    pub share: f64,
    /// Its value there, and its gradients once they have been written.
    pub value: f64,
    pub surface: Surface,
}

/// Scratch of a motion along guards, allocated when first used; written by [`Mechanism::evaluate_motion`].
#[derive(Clone, Debug, Default)]
pub(in crate::mechanism) struct Sliding {
    /// The motion above all guards.
    pub above: Part,
    pub guards: Vec<Guard>,
    /// Derivatives of the rates by the shares, by rows, and the inverse.
    pub by_share: Vec<f64>,
    inverse: Vec<f64>,
    /// Whether the gradients of the guards have been written since.
    pub differentiated: bool,
    /// Changes of the shares along a direction.
    pub changes: Vec<f64>,
}

impl Sliding {
    /// Makes room for so many guards.
    pub fn resize(&mut self, count: usize) {
        self.guards.resize_with(count, Guard::default);
        for matrix in [&mut self.by_share, &mut self.inverse] {
            matrix.resize(count * count, 0.0);
        }
        self.changes.resize(count, 0.0);
    }

    /// Inverts the derivatives of the rates by the shares, without exchanges: where the motion is unique all pivots are positive.
    ///
    /// # Errors
    /// The guard whose sides do not lead back to it.
    pub fn invert(&mut self) -> Result<(), usize> {
        let n = self.guards.len();
        let (inverse, matrix) = (&mut self.inverse, &self.by_share);
        inverse.copy_from_slice(matrix);
        for k in 0..n {
            let (above, own) = (self.guards[k].above, matrix[k * n + k]);
            let pivot = inverse[k * n + k];
            let counts = pivot > LEAST_DIFFERENCE * above.abs().max((above + own).abs());
            if !counts {
                return Err(k);
            }
            inverse[k * n + k] = 1.0;
            inverse[k * n..(k + 1) * n].iter_mut().for_each(|x| *x /= pivot);
            for i in (0..n).filter(|&i| i != k) {
                let factor = std::mem::take(&mut inverse[i * n + k]);
                for j in 0..n {
                    inverse[i * n + j] -= factor * inverse[k * n + j];
                }
            }
        }
        Ok(())
    }

    /// What a share has to change by for the rates or values of the guards to become zero.
    pub fn share_against(&self, guard: usize, values: impl Fn(usize) -> f64) -> f64 {
        let n = self.guards.len();
        -(0..n).map(|j| self.inverse[guard * n + j] * values(j)).sum::<f64>()
    }

    /// The transpose: what belongs to the value of a guard, from what belongs to the shares.
    pub fn value_against(&self, guard: usize, shares: impl Fn(usize) -> f64) -> f64 {
        let n = self.guards.len();
        -(0..n).map(|j| self.inverse[j * n + guard] * shares(j)).sum::<f64>()
    }

    /// What the shares have to change by for what the guards have to become zero.
    pub fn shifts(&self, value: impl Fn(&Guard) -> f64) -> Vec<f64> {
        let shift = |i: usize| self.share_against(i, |j| value(&self.guards[j]));
        (0..self.guards.len()).map(shift).collect()
    }

    /// Changes of the shares along a direction, with what they do to the accelerations added to theirs.
    pub fn along(&mut self, direction: &Direction, da: &mut [f64]) {
        let mut changes = std::mem::take(&mut self.changes);
        for (i, slot) in changes.iter_mut().enumerate() {
            *slot = self.share_against(i, |j| self.guards[j].surface.rate.along(direction, da));
        }
        self.add_between(|part| &part.a, &changes, da);
        self.changes = changes;
    }

    /// Adds what lies between the sides of each guard, times a weight.
    pub fn add_between(&self, of: impl Fn(&Part) -> &Vec<f64>, weights: &[f64], to: &mut [f64]) {
        for (guard, &weight) in self.guards.iter().zip(weights) {
            pairs_within(to, of(&guard.below), |to, below| *to += weight * below);
            pairs_within(to, of(&self.above), |to, above| *to -= weight * above);
        }
    }
}
