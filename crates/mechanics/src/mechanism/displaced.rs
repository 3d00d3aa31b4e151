//! Derivatives of displacements, along a direction and transposed (theory, 4.5).

use super::differentiable::duals;
use super::displacement::Displacement;
use super::{LinearizedJump, Mechanism, Workspace};
use crate::hybrid::Tangent;
use crate::model::Terms;
use crate::model::gradient::{Gradient, RowWeights, Weights};
use crate::model::residual::Instant;
use crate::scalar::Dual64;

impl Mechanism {
    /// Replaces the derivative of the positions before a jump in `slope` by that of the positions after its displacement;
    /// the memory in `slope` is that after the jump.
    pub(super) fn displacement_jvp(
        &self,
        jump: &LinearizedJump,
        along: &Tangent,
        workspace: &mut Workspace,
        slope: &mut [f64],
    ) {
        let Some(moved) = &jump.displacement else { return };
        self.load_written(jump, &mut workspace.terms.numbers);
        let from = duals(&moved.from, &along.x[self.positions()]);
        let slopes = [along.numbers, &slope[self.quadratures().end..]].concat();
        let numbers = duals(&workspace.terms.numbers, &slopes);
        let to = moved.over(&self.model, Dual64::new(jump.t, along.t), &from, &numbers);
        let positions = self.positions();
        slope[positions]
            .iter_mut()
            .zip(to)
            .for_each(|(slot, value)| *slot = value.eps);
    }

    /// Replaces the costate of the positions after a displacement by that of the positions before, and adds to that of the
    /// numbers followed by memory.
    pub(super) fn displacement_vjp(
        &self,
        jump: &LinearizedJump,
        workspace: &mut Workspace,
        x_bar: &mut [f64],
        numbers_bar: &mut [f64],
    ) {
        let Some(moved) = &jump.displacement else { return };
        self.load_written(jump, &mut workspace.terms.numbers);
        let nq = moved.from.len();
        let mut alpha = x_bar[..nq].to_vec();
        alpha.resize(nq + moved.multipliers.len(), 0.0);
        moved.lu.clone().solve(&mut alpha);
        let beta = alpha.split_off(nq);
        let places = (&mut x_bar[..nq], &mut *numbers_bar);
        self.distance_vjp(moved, jump.t, &workspace.terms, &alpha, places);
        let (of_rows, of_targets) = beta.split_at(moved.mode.independent.len());
        self.closing_vjp(moved, jump.t, &workspace.terms, (&alpha, of_rows), numbers_bar);
        for ((_, number), weight) in moved.targets.iter().zip(of_targets) {
            numbers_bar[*number] += weight;
        }
    }

    /// Writes the gradient of -alpha.M (q+ - q-) by q-, and adds that by the numbers.
    fn distance_vjp(
        &self,
        moved: &Displacement,
        t: f64,
        terms: &Terms,
        alpha: &[f64],
        (q_bar, numbers): (&mut [f64], &mut [f64]),
    ) {
        q_bar.copy_from_slice(&self.model.momentum_over(&moved.from, alpha, &terms.numbers));
        let back: Vec<f64> = moved.from.iter().zip(&moved.to).map(|(from, to)| from - to).collect();
        let mut ignored = vec![0.0; alpha.len()];
        let at = Instant {
            t,
            q: &moved.from,
            v: &vec![0.0; alpha.len()],
            a: &back,
            lambda: &[],
            attitudes: None,
        };
        let v = &mut ignored;
        let mut gradient = Gradient { q: q_bar, v, numbers };
        self.model
            .momentum_gradient_by_coordinates(&at, terms, alpha, &mut gradient);
    }

    /// Adds the gradient of -mu.C alpha - beta.c by the numbers, positions after held.
    fn closing_vjp(
        &self,
        moved: &Displacement,
        t: f64,
        terms: &Terms,
        (alpha, beta): (&[f64], &[f64]),
        numbers: &mut [f64],
    ) {
        let (still, none) = (vec![0.0; alpha.len()], vec![0.0; moved.mode.rows]);
        let (mut lambda, mut value) = (none.clone(), none.clone());
        for ((&row, mu), beta) in moved.mode.independent.iter().zip(&moved.multipliers).zip(beta) {
            (lambda[row], value[row]) = (*mu, -beta);
        }
        let weights = Weights {
            alpha,
            beta: &none,
            rate: &none,
            value: &value,
        };
        let at = Instant {
            t,
            q: &moved.to,
            v: &still,
            a: &still,
            lambda: &[],
            attitudes: None,
        };
        let (q, v) = (&mut still.clone(), &mut still.clone());
        let mut gradient = Gradient { q, v, numbers };
        for (&index, &first) in moved.mode.constraints.iter().zip(&moved.mode.offsets) {
            let rows = RowWeights::new(&self.model.constraints[index], first, &lambda, &weights);
            (self.model).constraint_gradient_by_coordinates(index, &at, terms, alpha, &rows, &mut gradient);
        }
    }

    /// The memory after a jump, places of contacts left out, behind the numbers.
    fn load_written(&self, jump: &LinearizedJump, numbers: &mut [f64]) {
        let memory = &jump.x[self.quadratures().end..];
        numbers[self.model.memory_start()..].copy_from_slice(memory);
        for written in &jump.written {
            numbers[self.model.memory_number(written.slot)] = written.value;
        }
    }
}
