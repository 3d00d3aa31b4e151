//! A state with its accelerations and multipliers.

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
}
