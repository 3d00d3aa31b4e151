//! Systems of one's own: the equations of a hybrid system written once, over a generic scalar.
//!
//! ```text
//! x' = f_m(t, x, y, p),   0 = g_m(t, x, y, p)                 between events, y only where there are algebraic equations
//! h(t, x, y, p) = 0  =>  x+ = T(t, x-, y-, p), m -> m+        at events, then 0 = g_m+(t, x+, y+, p)
//! psi = integral of r_m(t, x, y, p) dt + sum of l(t, x-, y-, p) + w(t_F, x, y, p)
//! ```
//!
//! Equations 0 = g_m(t, x, p) without y restrict the states, and y keeps the motion on them: see [`Index`].
//!
//! Whoever implements [`Equations`] has everything else from a [`Study`]: the motion, sensitivities of states, algebraic
//! variables and event times by every parameter, gradients of costs forwards and by the adjoint, and predictions for other
//! parameters. Dual numbers differentiate the functions, exactly. A system whose derivatives are written by hand implements
//! [`HybridSystem`](crate::hybrid::HybridSystem) and [`Differentiable`](crate::hybrid::Differentiable) instead.

mod algebraic;
mod closing;
mod consistency;
mod derivatives;
mod differentiable;
mod directional;
mod index;
mod jump;
mod motion;
mod projection;
mod second_order;
mod sensitivities;
mod study;
mod system;

#[cfg(test)]
mod tests;

pub use crate::hybrid::Crossing;
pub use crate::scalar::{DualNum, Scalar};
pub use directional::Directional;
pub use index::Index;
pub use motion::{Event, Motion, Segments};
pub use sensitivities::{Gradients, Sensitivities, Slopes};
pub use study::Study;
pub use system::{System, Workspace};

use std::fmt::Debug;

/// Arguments of the functions of a system.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a, S> {
    /// Time.
    pub t: S,
    /// States.
    pub x: &'a [S],
    /// Algebraic variables, which solve 0 = g, or the derivative of g by time where it is of index 2.
    pub y: &'a [S],
    /// Parameters.
    pub p: &'a [S],
}

/// How many of everything a system has: `Size::of(states).algebraic(1).guards(2).costs(1)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// States x.
    pub states: usize,
    /// Algebraic variables y.
    pub algebraic: usize,
    /// Guards h in any mode.
    pub guards: usize,
    /// Costs psi.
    pub costs: usize,
}

impl Size {
    /// So many states, and nothing else.
    pub fn of(states: usize) -> Self {
        Self {
            states,
            ..Self::default()
        }
    }

    /// With so many algebraic variables.
    #[must_use]
    pub fn algebraic(self, algebraic: usize) -> Self {
        Self { algebraic, ..self }
    }

    /// With so many guards.
    #[must_use]
    pub fn guards(self, guards: usize) -> Self {
        Self { guards, ..self }
    }

    /// With so many costs.
    #[must_use]
    pub fn costs(self, costs: usize) -> Self {
        Self { costs, ..self }
    }
}

/// A hybrid system: flow, algebraic equations, guards, jumps and costs in modes.
///
/// Every function with a scalar `S` is evaluated with numbers and with dual numbers; where it branches, it compares
/// `re()`, the value, and which branch it takes must not change between two events. A discrete variable that decides which
/// equations hold belongs to the mode; a number that is remembered from an event (a tap ratio, a place of reversal) is a
/// state without flow that jumps, so that it has sensitivities too.
pub trait Equations {
    /// Discrete state, constant between events.
    type Mode: Clone + Debug;

    /// Whether there may be algebraic variables; what has none compiles faster when it says so.
    const ALGEBRAIC: bool = true;

    /// How many of everything there are.
    fn size(&self) -> Size;

    /// Writes the states at the start, as functions of the parameters, and returns the mode there. They satisfy the algebraic
    /// equations of index 2, for all parameters.
    fn start<S: Scalar>(&self, p: &[S], x: &mut [S]) -> Self::Mode;

    /// Writes f, one entry per state, into `dx`, which holds zeros.
    fn flow<S: Scalar>(&self, mode: &Self::Mode, at: &Point<S>, dx: &mut [S]);

    /// Writes about where the solution y of 0 = g is at the start, into `y`, which holds zeros.
    fn guess(&self, x: &[f64], p: &[f64], y: &mut [f64]) {
        let _ = (x, p, y);
    }

    /// Writes the residuals g, as many as algebraic variables, into `g`, which holds zeros.
    fn constraint<S: Scalar>(&self, mode: &Self::Mode, at: &Point<S>, g: &mut [S]) {
        let _ = (mode, at, g);
    }

    /// Index of an algebraic equation in a mode. Where it is 2, the equation has no y in it: it restricts the states, and y,
    /// which the flow contains, keeps the motion on it.
    fn index(&self, equation: usize, mode: &Self::Mode) -> Index {
        let _ = (equation, mode);
        Index::One
    }

    /// Name of the event of a guard, for reports and messages.
    fn event_name(&self, guard: usize) -> String {
        format!("event {guard}")
    }

    /// Direction in which a guard fires, or none while it sleeps in this mode.
    fn crossing(&self, guard: usize, mode: &Self::Mode) -> Option<Crossing> {
        let _ = (guard, mode);
        None
    }

    /// Value h of a guard.
    fn guard<S: Scalar>(&self, guard: usize, mode: &Self::Mode, at: &Point<S>) -> S {
        let _ = (guard, mode, at);
        S::zero()
    }

    /// Changes the states from x- to x+ = T and returns the next mode; `before` is the point before the event. Guards that
    /// fire together jump one after the other, in their order, each with what those before have left; where the last one leads
    /// satisfies the algebraic equations of index 2 of the mode there.
    fn jump<S: Scalar>(&self, guard: usize, mode: &Self::Mode, before: &Point<S>, x: &mut [S]) -> Self::Mode {
        let _ = (guard, before, x);
        mode.clone()
    }

    /// Writes the integrands r, one per cost, into `r`, which holds zeros.
    fn running_costs<S: Scalar>(&self, mode: &Self::Mode, at: &Point<S>, r: &mut [S]) {
        let _ = (mode, at, r);
    }

    /// Writes what an event adds to the costs into `l`, which holds zeros; `before` is the point before it.
    fn event_costs<S: Scalar>(&self, guard: usize, mode: &Self::Mode, before: &Point<S>, l: &mut [S]) {
        let _ = (guard, mode, before, l);
    }

    /// Writes what the end of the motion adds to the costs into `w`, which holds zeros.
    fn final_costs<S: Scalar>(&self, mode: &Self::Mode, at: &Point<S>, w: &mut [S]) {
        let _ = (mode, at, w);
    }
}
