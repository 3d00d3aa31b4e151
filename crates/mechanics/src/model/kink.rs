//! Kinks and jumps of the expressions that are integrated over time: events that change a side (theory, 3.3).

use super::expressions::ExpressionOwner;
use super::quantity::Output;

/// A kink of an expression, which is held on one side of it until its guard falls below zero.
#[derive(Clone, Debug)]
pub struct Kink {
    /// Its name in reports; that of no event or contact.
    pub name: String,
    /// What the expression belongs to.
    pub owner: ExpressionOwner,
    /// Name of that in the scene.
    pub of: String,
    /// Memory slot of the side: +1 or -1; where the argument stays at zero, that of [`Rest`].
    pub slot: usize,
    /// What changes its sign at the kink, times the side.
    pub guard: Output,
    /// Of a jump: what is as long as the argument stays at zero.
    pub rest: Option<Rest>,
}

/// A jump whose argument stays at zero.
#[derive(Clone, Copy, Debug)]
pub struct Rest {
    /// Memory slot: one as long as it does, else zero.
    pub slot: usize,
    /// The side that gives the value at zero.
    pub side: f64,
}
