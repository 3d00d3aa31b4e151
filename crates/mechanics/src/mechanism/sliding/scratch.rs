//! Both sides of a guard that the motion slides along.

use super::surface::Surface;
use crate::linear::pairs_within;
use crate::model::constraint::Direction;

/// Scratch of a motion along a guard, allocated when first used.
#[derive(Clone, Debug, Default)]
pub(in crate::mechanism) struct Sliding {
    /// Accelerations, multipliers and integrands above and below the guard; written by [`Mechanism::evaluate_motion`].
    pub a: [Vec<f64>; 2],
    pub lambda: [Vec<f64>; 2],
    pub integrands: [Vec<f64>; 2],
    /// Rates of the guard there.
    pub rates: [f64; 2],
    /// Share of the side below.
    pub share: f64,
    /// The guard there, and whether its gradients have been written since.
    pub value: f64,
    pub surface: Surface,
    pub differentiated: bool,
}

impl Sliding {
    /// Change of the share along a direction, with what it does to the accelerations added to theirs.
    pub fn along(&self, direction: &Direction, da: &mut [f64]) -> f64 {
        let [above, below] = self.rates;
        let share = self.surface.rate.along(direction, da) / (above - below);
        self.add_difference(&self.a, share, da);
        share
    }

    /// Adds a weight times what lies between the two sides.
    pub fn add_difference(&self, [above, below]: &[Vec<f64>; 2], weight: f64, to: &mut [f64]) {
        pairs_within(to, below, |to, below| *to += weight * below);
        pairs_within(to, above, |to, above| *to -= weight * above);
    }
}
