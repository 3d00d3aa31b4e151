//! The costate equations of one phase, for several functionals at once (theory, 3.4).

use std::ops::Range;

use crate::error::Result;
use crate::hybrid::{Bars, Differentiable};
use crate::integrate::{DenseOutput, Flow};

/// A direction in the numbers: the numbers that change, each with its slope.
pub type NumberDirection = Vec<(usize, f64)>;

/// Where things stand in y = [mu_1 | mu_2 | ... | dpsi_1 along the directions | ...].
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout<'a> {
    /// States of the system.
    pub n: usize,
    /// Numbers of the system.
    pub count: usize,
    /// Functionals.
    pub functionals: usize,
    /// Directions along which derivatives are wanted.
    pub directions: &'a [NumberDirection],
}

impl Layout<'_> {
    pub fn dimension(&self) -> usize {
        self.functionals * (self.n + self.directions.len())
    }

    /// mu of a functional.
    pub fn costate(&self, functional: usize) -> Range<usize> {
        functional * self.n..(functional + 1) * self.n
    }

    /// Derivatives of a functional along the directions.
    pub fn gradient(&self, functional: usize) -> Range<usize> {
        let start = self.functionals * self.n + functional * self.directions.len();
        start..start + self.directions.len()
    }

    /// Derivatives along the directions from those by the numbers, in their order.
    pub fn along(&self, numbers: &[f64]) -> impl Iterator<Item = f64> {
        let along = |direction: &NumberDirection| direction.iter().map(|&(i, slope)| numbers[i] * slope).sum();
        self.directions.iter().map(along)
    }
}

/// mu' = -F_x^T mu and the integrand -F_theta^T mu of the gradients, with the state from the recorded steps: one
/// linearization serves all functionals.
pub(super) struct Costate<'a, H: Differentiable> {
    system: &'a H,
    mode: &'a H::Mode,
    steps: &'a [DenseOutput],
    layout: &'a Layout<'a>,
    workspace: &'a mut H::Workspace,
    /// State, and gradient with respect to all numbers; written by every evaluation.
    x: Vec<f64>,
    numbers: Vec<f64>,
    /// Step that contained the last time asked for.
    at: usize,
}

impl<'a, H: Differentiable> Costate<'a, H> {
    /// To be told of the steps by [`Costate::enter`].
    pub fn new(system: &'a H, mode: &'a H::Mode, layout: &'a Layout<'a>, workspace: &'a mut H::Workspace) -> Self {
        Self {
            system,
            mode,
            steps: &[],
            workspace,
            x: vec![0.0; layout.n],
            numbers: vec![0.0; layout.count],
            layout,
            at: 0,
        }
    }

    /// Takes the state from these steps, of which there must be one, from now on.
    pub fn enter(&mut self, steps: &'a [DenseOutput]) {
        self.steps = steps;
        self.at = steps.len().saturating_sub(1);
    }

    fn find_state(&mut self, t: f64) {
        while self.at > 0 && t < self.steps[self.at].start() {
            self.at -= 1;
        }
        while self.at + 1 < self.steps.len() && t > self.steps[self.at].end() {
            self.at += 1;
        }
        self.steps[self.at].evaluate(t, &mut self.x);
    }
}

impl<H: Differentiable> Flow for Costate<'_, H> {
    fn dimension(&self) -> usize {
        self.layout.dimension()
    }

    fn evaluate(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<()> {
        self.find_state(t);
        self.system.linearize(t, self.mode, &self.x, self.workspace)?;
        dy.fill(0.0);
        for k in 0..self.layout.functionals {
            self.numbers.fill(0.0);
            let bars = Bars {
                x: &mut dy[self.layout.costate(k)],
                numbers: &mut self.numbers,
            };
            let mu = &y[self.layout.costate(k)];
            self.system
                .flow_transposed(t, self.mode, &self.x, mu, self.workspace, bars);
            let gradient = dy[self.layout.gradient(k)].iter_mut();
            for (slot, value) in gradient.zip(self.layout.along(&self.numbers)) {
                *slot = value;
            }
        }
        for value in dy {
            *value = -*value;
        }
        Ok(())
    }
}
