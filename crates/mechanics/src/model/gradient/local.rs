//! Gradients with respect to one element's own arguments, by one pass with dual numbers per argument.

use crate::linear::Weight;
use crate::model::Model;
use crate::model::local::{Local, MAX_LOCAL};
use crate::scalar::Dual64;

/// Gradient with respect to an element's own arguments.
pub struct LocalGradient<T = f64> {
    pub q: [T; MAX_LOCAL],
    pub v: [T; MAX_LOCAL],
    pub numbers: [T; MAX_LOCAL],
}

impl<T: Weight> LocalGradient<T> {
    pub fn zero() -> Self {
        let zero = [T::zero(); MAX_LOCAL];
        Self {
            q: zero,
            v: zero,
            numbers: zero,
        }
    }
}

/// What a function of an element's arguments depends on besides the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Neither positions nor velocities.
    Nothing,
    /// Positions only.
    Positions,
    /// Positions and velocities.
    Motion,
}

/// An element's arguments as dual numbers, one of which is seeded at a time.
pub struct ElementDuals {
    pub q: [Dual64; MAX_LOCAL],
    pub v: [Dual64; MAX_LOCAL],
    pub numbers: [Dual64; MAX_LOCAL],
}

impl ElementDuals {
    pub fn new(local: &Local, q: &[f64], v: &[f64], numbers: &[f64]) -> Self {
        Self {
            q: local.gather(q),
            v: local.gather(v),
            numbers: local.gather_numbers(numbers),
        }
    }

    /// Gradient of a function whose slopes by a position and its velocity are both found from the seeded position.
    pub fn paired_gradient<T: Weight>(
        &mut self,
        model: &Model,
        local: &Local,
        slopes: impl Fn(&Self) -> (T, T),
    ) -> LocalGradient<T> {
        let mut gradient = self.gradient(model, local, State::Nothing, |arguments| slopes(arguments).0);
        for i in 0..local.width() {
            self.q[i].eps = 1.0;
            (gradient.q[i], gradient.v[i]) = slopes(self);
            self.q[i].eps = 0.0;
        }
        gradient
    }

    /// Gradient of the derivative part of a scalar function.
    pub fn gradient<T: Weight>(
        &mut self,
        model: &Model,
        local: &Local,
        state: State,
        value: impl Fn(&Self) -> T,
    ) -> LocalGradient<T> {
        let mut gradient = LocalGradient::zero();
        for i in 0..local.width() {
            if state != State::Nothing {
                self.q[i].eps = 1.0;
                gradient.q[i] = value(self);
                self.q[i].eps = 0.0;
            }
            if state == State::Motion {
                self.v[i].eps = 1.0;
                gradient.v[i] = value(self);
                self.v[i].eps = 0.0;
            }
        }
        for (i, _) in local
            .numbers
            .iter()
            .enumerate()
            .filter(|(_, number)| model.is_fed(**number))
        {
            self.numbers[i].eps = 1.0;
            gradient.numbers[i] = value(self);
            self.numbers[i].eps = 0.0;
        }
        gradient
    }
}
