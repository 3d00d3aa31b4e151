//! How the motion is computed, as written.

use serde::Deserialize;

use super::{Finite, Number};

/// How constraints enter the equations of motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum FormulationKind {
    /// QR projection onto the null space of the constraint Jacobian.
    #[default]
    Nullspace,
    /// Index-1 system with Lagrange multipliers.
    Multipliers,
    /// Penalty formulation.
    Penalty,
    /// Differential-algebraic equations of index 2, positions and velocities constrained (Gear, Gupta and Leimkuhler).
    Stabilized,
    /// Differential-algebraic equations of index 3, positions constrained.
    Index3,
}

/// How linear systems are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Elimination {
    /// What is faster: `Blocks` for many coordinates.
    #[default]
    Auto,
    /// QR of the constraint Jacobian; LU for all formulations but the null space.
    Qr,
    /// Elimination by blocks.
    Blocks,
}

/// Time integration method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Integrator {
    /// Explicit Dormand-Prince 8(5,3).
    #[default]
    DormandPrince,
    /// Implicit Radau IIA of order 5, 9 or 13 as the tolerance asks for, for stiff scenes.
    Radau,
    /// Implicit trapezoidal rule of order 2.
    Trapezoidal,
}

/// Factors of the penalty formulation (theory, section 1). A field left out takes its default value.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Penalty {
    /// Penalty factor alpha relative to the masses; 1e7 when left out.
    pub factor: Option<Finite>,
    /// Natural frequency omega of a constraint error in radians per second; 20 when left out.
    pub frequency: Option<Finite>,
    /// Damping ratio xi of a constraint error; 0.7 when left out.
    pub damping: Option<Finite>,
    /// Number of augmented-Lagrangian iterations per evaluation; 1 when left out, 0 is the plain penalty.
    pub augmented: Option<u32>,
}

/// The `simulation` part of a scene.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Simulation {
    /// Simulated time.
    pub duration: Number,
    /// Time at the start; zero when left out.
    pub start: Option<Number>,
    /// Formulation.
    #[serde(default)]
    pub formulation: FormulationKind,
    /// How its linear systems are solved.
    #[serde(default)]
    pub by: Elimination,
    /// Integration method.
    #[serde(default)]
    pub integrator: Integrator,
    /// Relative tolerance per step; 1e-9 when left out.
    pub rtol: Option<Finite>,
    /// Absolute tolerance per step; 1e-11 when left out.
    pub atol: Option<Finite>,
    /// Longest step; unbounded when left out.
    pub max_step: Option<Finite>,
    /// Most steps before the run is given up; ten million when left out.
    pub max_steps: Option<u64>,
    /// Whether positions and velocities are projected onto the constraints after each step; true when left out.
    pub projection: Option<bool>,
    /// Factors of the penalty formulation.
    pub penalty: Option<Penalty>,
    /// Speed of separation below which a bouncing contact comes to rest.
    pub rest_speed: Option<Finite>,
    /// Number of intervals in the recorded outputs; 500 when left out.
    pub samples: Option<u32>,
}
