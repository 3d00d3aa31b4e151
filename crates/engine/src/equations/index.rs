//! Index of algebraic equations, and the equations of index 1 that determine y.

use super::{Equations, Point};
use crate::scalar::{Dual, Scalar};

/// Index of an algebraic equation: how often it is differentiated by time until it is a differential equation of y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// 0 = g(t, x, y, p) itself determines y.
    One,
    /// 0 = g(t, x, p) restricts the states; its derivative along the motion, the hidden constraint 0 = g_x f + g_t,
    /// determines y, which f contains.
    Two,
}

/// Whether an algebraic equation of a mode is of index 2.
#[inline]
pub(super) fn is_hidden<E: Equations>(equations: &E, equation: usize, mode: &E::Mode) -> bool {
    equations.index(equation, mode) == Index::Two
}

/// Whether any of so many algebraic equations of a mode is of index 2.
#[inline]
pub(super) fn any_hidden<E: Equations>(equations: &E, count: usize, mode: &E::Mode) -> bool {
    (0..count).any(|equation| is_hidden(equations, equation, mode))
}

/// Scratch for the equations that determine y: g where it is of index 1, g_x f + g_t where it is of index 2 (theory, 3.10).
#[derive(Debug)]
pub(super) struct Reduction<S> {
    f: Vec<S>,
    x: Vec<Dual<S>>,
    y: Vec<Dual<S>>,
    p: Vec<Dual<S>>,
    g: Vec<Dual<S>>,
}

impl<S: Scalar> Reduction<S> {
    /// For nx states, ny algebraic variables and np parameters.
    pub fn new((nx, ny, np): (usize, usize, usize)) -> Self {
        let zero = S::constant(0.0);
        let zeros = |count| vec![Dual::new(zero, zero); count];
        Self {
            f: vec![zero; nx],
            x: zeros(nx),
            y: zeros(ny),
            p: zeros(np),
            g: zeros(ny),
        }
    }

    /// Writes the residuals into `out`, which holds zeros.
    pub fn residuals<E: Equations>(&mut self, equations: &E, mode: &E::Mode, at: &Point<S>, out: &mut [S]) {
        if !any_hidden(equations, out.len(), mode) {
            return equations.constraint(mode, at, out);
        }
        let (zero, one) = (S::constant(0.0), S::constant(1.0));
        self.f.fill(zero);
        equations.flow(mode, at, &mut self.f);
        for ((x, value), f) in self.x.iter_mut().zip(at.x).zip(&self.f) {
            *x = Dual::new(*value, *f);
        }
        let still = self.y.iter_mut().zip(at.y).chain(self.p.iter_mut().zip(at.p));
        still.for_each(|(dual, value)| *dual = Dual::new(*value, zero));
        self.g.fill(Dual::new(zero, zero));
        let moving = Point {
            t: Dual::new(at.t, one),
            x: &self.x,
            y: &self.y,
            p: &self.p,
        };
        equations.constraint(mode, &moving, &mut self.g);
        for (equation, (out, g)) in out.iter_mut().zip(&self.g).enumerate() {
            *out = if is_hidden(equations, equation, mode) {
                g.eps
            } else {
                g.re
            };
        }
    }
}
