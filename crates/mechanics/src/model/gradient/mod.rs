//! Gradient of the weighted residual: the transpose of the derivatives in [`super::residual`] (theory, 2.3).
//!
//! Phi = alpha.(M a - f - C^T lambda) + beta.(C a + gamma) + rate.c' + value.c with all weights, a and lambda held.
//! Bars, points, rigid bodies, linear springs and most joints are differentiated by hand, everything else by one pass
//! with dual numbers per argument. Numbers that no parameter feeds are passed over: see [`Model::is_fed`].

mod body;
mod constraint;
mod force;
mod lifted;
mod local;
mod output;
mod place;
mod rows;
mod side;

pub use constraint::RowWeights;
pub use output::{MotionDuals, MotionGradient, MotionView};

use super::local::Local;
use super::marker::Base;
use super::residual::Instant;
use super::{Mode, Model, Terms};
use crate::linear::Weight;
use local::LocalGradient;

/// Weights of the parts of the residual, for one functional or for several side by side; one entry per velocity or per row
/// of the mode.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a, T = f64> {
    /// Of M a - f - C^T lambda, nv.
    pub alpha: &'a [T],
    /// Of C a + gamma.
    pub beta: &'a [T],
    /// Of c'.
    pub rate: &'a [T],
    /// Of c.
    pub value: &'a [T],
}

/// The state, the numbers and alpha.
type Place<'a, T> = (&'a Instant<'a>, &'a [f64], &'a [T]);

/// Gradient with respect to positions, velocities and numbers (with memory); added to.
#[derive(Debug)]
pub struct Gradient<'a, T = f64> {
    /// nq.
    pub q: &'a mut [T],
    /// nv.
    pub v: &'a mut [T],
    /// Numbers and memory.
    pub numbers: &'a mut [T],
}

impl<T: Weight> Gradient<'_, T> {
    fn add(&mut self, local: &Local, gradient: &LocalGradient<T>) {
        local.scatter_add(&gradient.q, self.q);
        local.scatter_add(&gradient.v, self.v);
        for (k, &i) in local.numbers.iter().enumerate() {
            self.numbers[i] += gradient.numbers[k];
        }
    }

    /// Adds a gradient with respect to a place, given by the model's indices, to what the place consists of.
    fn add_place<const D: usize>(&mut self, base: Base, gradient: [T; D]) {
        let (place, target) = match base {
            Base::Ground(place) => (place, &mut *self.numbers),
            Base::Point(place) => (place, &mut *self.q),
        };
        for k in 0..D {
            target[place[k]] += gradient[k];
        }
    }
}

impl Model {
    /// Whether a number depends on a parameter, or is memory, which earlier motion determines, or follows from the motion.
    /// Gradients with respect to other numbers have no use and may be left out.
    pub fn is_fed(&self, number: usize) -> bool {
        self.numbers
            .get(number)
            .is_none_or(|number| !number.gradient.is_empty())
            || self.follows(number)
            || self.frictions.iter().any(|friction| friction.numbers.contains(&number))
    }

    /// Adds the gradient of the weighted residual; `terms` supplies the numbers.
    pub fn residual_gradient<T: Weight>(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        weights: &Weights<T>,
        out: &mut Gradient<T>,
    ) {
        in_dimension!(self.dimension, D => match self.frames.is_empty() {
            true => self.elements_gradient::<T, D>(at, mode, terms, weights, out),
            false => self.residual_gradient_lifted::<T, D>(at, mode, terms, weights, out),
        })
    }

    /// The same element by element; in a model with rigid bodies in space, of those that are written by hand.
    pub(super) fn elements_gradient<T: Weight, const D: usize>(
        &self,
        at: &Instant,
        mode: &Mode,
        terms: &Terms,
        weights: &Weights<T>,
        out: &mut Gradient<T>,
    ) {
        // Without alpha, as in projections, only constraints have a part.
        if weights.alpha.iter().any(|alpha| !alpha.is_nothing()) {
            for body in self.bodies_by_velocities(terms) {
                self.inertia_gradient::<T, D>(body, at, terms, weights.alpha, true, out);
            }
            for index in (0..self.forces.len()).filter(|&index| mode.force_acts(index)) {
                self.force_gradient::<T, D>(index, at, terms, weights.alpha, out);
            }
        }
        for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
            if terms.lift.is_some() && terms.by_hand[index].is_none() {
                continue;
            }
            let rows = RowWeights::new(&self.constraints[index], first, at.lambda, weights);
            self.constraint_gradient_in::<T, D>(index, at, terms, weights.alpha, &rows, out);
        }
    }

    /// Adds the gradient of alpha.(M a) with a and alpha held.
    pub fn momentum_gradient(&self, at: &Instant, terms: &Terms, alpha: &[f64], out: &mut Gradient) {
        in_dimension!(self.dimension, D => match self.frames.is_empty() {
            true => self.momentum_gradient_in::<D>(at, terms, alpha, out),
            false => self.momentum_gradient_lifted::<D>(at, terms, alpha, out),
        })
    }

    /// The same by coordinates and their second derivatives.
    pub fn momentum_gradient_by_coordinates(&self, at: &Instant, terms: &Terms, alpha: &[f64], out: &mut Gradient) {
        in_dimension!(self.dimension, D => self.momentum_gradient_in::<D>(at, terms, alpha, out))
    }

    /// The same by coordinates and their second derivatives.
    pub(super) fn momentum_gradient_in<const D: usize>(
        &self,
        at: &Instant,
        terms: &Terms,
        alpha: &[f64],
        out: &mut Gradient,
    ) {
        for body in &self.bodies {
            self.inertia_gradient::<f64, D>(body, at, terms, alpha, false, out);
        }
    }

    /// As [`Model::constraint_gradient`], by coordinates and their rates.
    pub fn constraint_gradient_by_coordinates(
        &self,
        index: usize,
        at: &Instant,
        terms: &Terms,
        alpha: &[f64],
        rows: &RowWeights,
        out: &mut Gradient,
    ) {
        in_dimension!(self.dimension, D => match self.frames.is_empty() {
            true => self.constraint_gradient_in::<f64, D>(index, at, terms, alpha, rows, out),
            false => self.constraint_gradient_by_passes::<f64, D>(index, at, terms, alpha, rows, out),
        })
    }

    /// Adds the gradient of one constraint's part, whether or not the constraint acts; `at.lambda` is not used.
    pub fn constraint_gradient(
        &self,
        index: usize,
        at: &Instant,
        terms: &Terms,
        alpha: &[f64],
        rows: &RowWeights,
        out: &mut Gradient,
    ) {
        in_dimension!(self.dimension, D => match self.frames.is_empty() {
            true => self.constraint_gradient_in::<f64, D>(index, at, terms, alpha, rows, out),
            false => self.constraint_gradient_lifted::<D>(index, at, terms, alpha, rows, out),
        })
    }
}
