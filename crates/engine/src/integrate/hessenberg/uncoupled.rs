//! Quadratures and variations at the stages of a step, once its coupled components are known.

use super::factors::Factors;
use super::system::{Hessenberg, Structure};
use super::tableau::Tableau;
use crate::integrate::attempt::{Progress, Tried};
use crate::linear::{add_scaled, dot};

/// Most iterations for the variations.
const MOST_ITERATIONS: u32 = 30;

/// Increments over the tolerance at which the iteration stops.
const PRECISION: f64 = 1e-2;

/// Increments over the tolerance that may be rounding where they do not fall any more.
const STALLED: f64 = 0.5;

/// Factors and scratch; sizes as in [`Structure`].
#[derive(Clone, Debug)]
pub(super) struct Uncoupled {
    structure: Structure,
    /// Of the variations: unit mass, and minus the mean of J over the stages.
    pub factors: Factors,
    /// J and b of the stages, one after the other.
    jacobians: Vec<f64>,
    sources: Vec<f64>,
    /// Rates of the quadratures at the stages.
    rates: Vec<f64>,
    /// Residuals and increments of one variation at the stages.
    residuals: Vec<f64>,
    increments: Vec<f64>,
}

impl Uncoupled {
    pub fn new(structure: &Structure, tableau: &Tableau) -> Self {
        let (s, n, count) = (tableau.stages, structure.block, structure.variations);
        let size = if count == 0 { 0 } else { n };
        let mut factors = Factors::new(size, tableau);
        let mass = &mut factors.dense().mass;
        mass.iter_mut().step_by(size + 1).for_each(|entry| *entry = 1.0);
        Self {
            factors,
            jacobians: vec![0.0; s * size * size],
            sources: vec![0.0; s * n * count],
            rates: vec![0.0; s * structure.quadratures.len()],
            residuals: vec![0.0; s * size],
            increments: vec![0.0; s * size],
            structure: structure.clone(),
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let vectors = [
            &self.jacobians,
            &self.sources,
            &self.rates,
            &self.residuals,
            &self.increments,
        ];
        self.factors.bytes() + vectors.map(|vector| size_of_val(&vector[..])).iter().sum::<usize>()
    }

    /// Evaluates everything that depends on a stage at its state.
    pub fn evaluate(
        &mut self,
        system: &mut dyn Hessenberg,
        (stage, t): (usize, f64),
        x: &[f64],
        progress: &mut Progress,
    ) -> Tried {
        let n = self.structure.block;
        let count = self.structure.quadratures.len();
        if count > 0 {
            progress.statistics.evaluations += 1;
            let rates = &mut self.rates[stage * count..(stage + 1) * count];
            let done = system.quadrature_rates(t, x, rates);
            progress.survive(t, done)?;
            progress.finite(t, rates, "rate of the quadratures")?;
        }
        if self.structure.variations > 0 {
            let size = n * self.structure.variations;
            progress.statistics.evaluations += 1;
            let jacobian = &mut self.jacobians[stage * n * n..(stage + 1) * n * n];
            let sources = &mut self.sources[stage * size..(stage + 1) * size];
            let done = system.variation(t, x, jacobian, sources);
            progress.survive(t, done)?;
            progress.finite(t, jacobian, "derivative of the flow")?;
            progress.finite(t, sources, "derivative of the flow")?;
        }
        Ok(())
    }

    /// Writes the increments of the quadratures, whose rates are known.
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

    /// Solves for the increments of the variations of the state `x`, from those in `z`; false if the iteration fails.
    pub fn vary(&mut self, tableau: &Tableau, h: f64, x: &[f64], weights: &[f64], z: &mut [f64]) -> bool {
        if self.structure.variations == 0 {
            return true;
        }
        let size = self.structure.block * self.structure.block;
        let mean = &mut self.factors.dense().jacobian;
        mean.fill(0.0);
        for jacobian in self.jacobians.chunks_exact(size) {
            add_scaled(mean, -1.0 / tableau.stages as f64, jacobian);
        }
        self.factors.factor(tableau, h)
            && (1..=self.structure.variations).all(|k| self.vary_one(tableau, h, k, (x, weights), z))
    }

    /// Solves D z / h = J (s + z) + b for one variation s.
    fn vary_one(&mut self, tableau: &Tableau, h: f64, k: usize, (x, weights): (&[f64], &[f64]), z: &mut [f64]) -> bool {
        let (stages, n, total) = (tableau.stages, self.structure.block, x.len());
        let first = k * n;
        let mut before = f64::INFINITY;
        for _ in 0..MOST_ITERATIONS {
            self.find_residuals(tableau, h, k, x, z);
            self.factors.solve(tableau, &self.residuals, &mut self.increments);
            let mut square = 0.0;
            for (stage, increment) in self.increments.chunks_exact(n).enumerate() {
                for (j, d) in increment.iter().enumerate() {
                    z[stage * total + first + j] -= d;
                    square += (d * weights[first + j]) * (d * weights[first + j]);
                }
            }
            let size = (square / (stages * n) as f64).sqrt();
            if size <= PRECISION || (size <= STALLED && size >= 0.5 * before) {
                return true;
            }
            if !size.is_finite() || size >= 2.0 * before {
                return false;
            }
            before = size;
        }
        false
    }

    fn find_residuals(&mut self, tableau: &Tableau, h: f64, k: usize, x: &[f64], z: &[f64]) {
        let (s, n, total, count) = (tableau.stages, self.structure.block, x.len(), self.structure.variations);
        let first = k * n;
        for i in 0..s {
            let residual = &mut self.residuals[i * n..(i + 1) * n];
            let sources = &self.sources[(i * count + k - 1) * n..][..n];
            let jacobian = &self.jacobians[i * n * n..(i + 1) * n * n];
            let (increment, state) = (&z[i * total + first..][..n], &x[first..first + n]);
            for ((slot, source), row) in residual.iter_mut().zip(sources).zip(jacobian.chunks_exact(n)) {
                *slot = -source - dot(row, state) - dot(row, increment);
            }
            for (weight, other) in tableau.slopes[i * s..(i + 1) * s].iter().zip(z.chunks_exact(total)) {
                add_scaled(residual, weight / h, &other[first..first + n]);
            }
        }
    }
}
