//! How a motion is computed, with every default filled in.

use crate::scene::schema::{Elimination, FormulationKind, Integrator};

/// The settings of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Number of the model: simulated time in seconds, positive.
    pub duration: usize,
    /// Number of the model: time at the start in seconds.
    pub start: usize,
    /// Formulation of the equations of motion.
    pub formulation: FormulationKind,
    /// How its linear systems are solved.
    pub by: Elimination,
    /// Integration method.
    pub integrator: Integrator,
    /// Relative tolerance per step, positive.
    pub rtol: f64,
    /// Absolute tolerance per step, positive.
    pub atol: Option<f64>,
    /// Longest step in seconds; unbounded when `None`.
    pub max_step: Option<f64>,
    /// Most steps before the run is given up.
    pub max_steps: u64,
    /// Whether positions and velocities are projected onto the constraints after each step.
    pub projection: bool,
    /// Factors of the penalty formulation.
    pub penalty: PenaltySettings,
    /// Speed of separation in metres per second below which a bouncing contact comes to rest.
    pub rest_speed: Option<f64>,
    /// Number of intervals in the recorded outputs.
    pub samples: u32,
}

/// Factors of the penalty formulation (theory, section 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltySettings {
    /// Penalty factor alpha relative to the masses, positive.
    pub factor: f64,
    /// Natural frequency omega of a constraint error in radians per second, positive.
    pub frequency: f64,
    /// Damping ratio xi of a constraint error, not negative.
    pub damping: f64,
    /// Number of augmented-Lagrangian iterations per evaluation.
    pub augmented: u32,
}

impl Default for PenaltySettings {
    fn default() -> Self {
        Self {
            factor: 1e7,
            frequency: 20.0,
            damping: 0.7,
            augmented: 1,
        }
    }
}
