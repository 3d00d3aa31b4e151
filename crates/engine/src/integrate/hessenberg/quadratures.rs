//! Integrals along a step, once its coupled components are known.

use super::system::{Hessenberg, Structure};
use crate::integrate::attempt::{Progress, Tried};
use crate::integrate::tableau::Tableau;
use crate::linear::add_scaled;

/// Rates of the quadratures at the stages, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Quadratures {
    structure: Structure,
    rates: Vec<f64>,
}

impl Quadratures {
    pub fn new(structure: &Structure, tableau: &Tableau) -> Self {
        Self {
            structure: structure.clone(),
            rates: vec![0.0; tableau.stages * structure.quadratures.len()],
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.rates[..])
    }

    /// Evaluates the rates at the state of a stage.
    pub fn evaluate(
        &mut self,
        system: &mut dyn Hessenberg,
        (stage, t): (usize, f64),
        x: &[f64],
        progress: &mut Progress,
    ) -> Tried {
        let count = self.structure.quadratures.len();
        progress.statistics.evaluations += 1;
        let rates = &mut self.rates[stage * count..(stage + 1) * count];
        let done = system.quadrature_rates(t, x, rates);
        progress.survive(t, done)?;
        progress.finite(t, rates, "rate of the quadratures")
    }

    /// Writes the increments.
    pub fn integrate(&self, tableau: &Tableau, h: f64, z: &mut [f64]) {
        let (s, count) = (tableau.stages, self.structure.quadratures.len());
        let n = z.len() / s;
        for (increments, weights) in z.chunks_exact_mut(n.max(1)).zip(tableau.integrals.chunks_exact(s)) {
            let slots = &mut increments[self.structure.quadratures.clone()];
            slots.fill(0.0);
            for (weight, rates) in weights.iter().zip(self.rates.chunks_exact(count.max(1))) {
                add_scaled(slots, h * weight, rates);
            }
        }
    }
}
