//! A state with its accelerations and multipliers.

use super::attitude::Attitudes;

/// State at which a residual is differentiated; slices are global, `lambda` has one entry per row of the mode.
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// Time.
    pub t: f64,
    /// Positions.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Accelerations.
    pub a: &'a [f64],
    /// Multipliers.
    pub lambda: &'a [f64],
    /// Where elements by hand read it in a model with rigid bodies in space: `q` then has the indices of the velocities.
    pub attitudes: Option<&'a Attitudes>,
}
