//! The scene as written: plain data, one struct or variant per thing a user can write.
//!
//! Nothing here is checked beyond its shape; names and numbers are resolved by the compile step.
//! Every field is documented for users in `docs/scene-format.md`.

pub mod contact;
mod finite;
pub mod force;
pub mod joint;
mod kinds;
mod measured;
mod number;
mod objective;
mod optimization;
pub mod part;
pub mod robot;
mod shorthand;
mod simulation;
mod view;

pub use contact::{Action, Contact, Event, Law, Limited, Surface, Trigger, Way};
pub use finite::Finite;
pub use force::{Force, Frame, OneSided};
pub use joint::{Joint, Line};
pub use measured::{Cells, Measured};
pub use number::{Memory, Named, Number, Parameter};
pub use objective::{EventKind, Objective, Side, Which};
pub use optimization::{Case, Goal, Limit, Optimization, Solver, SolverOptions, Stopping, Variable};
pub use part::{Body, Coordinate, Placement, Point};
pub use robot::{Base, JointStart, Robot};
pub use simulation::{Elimination, FormulationKind, Integrator, Penalty, Simulation};
pub use view::{Camera, Look, Shape, View};

use serde::Deserialize;

/// Dimension of the space that the mechanism moves in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Space {
    /// Two coordinates per point, angles counter-clockwise.
    Planar,
    /// Three coordinates per point.
    Spatial,
}

impl Space {
    /// Number of coordinates of a point.
    pub fn dimension(self) -> usize {
        match self {
            Self::Planar => 2,
            Self::Spatial => 3,
        }
    }
}

/// A whole scene file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// What the mechanism is.
    pub name: String,
    /// Where the model comes from.
    #[serde(default)]
    pub source: String,
    /// Anything the reader should know.
    #[serde(default)]
    pub about: String,
    /// Planar or spatial.
    pub space: Space,
    /// Named numbers that are not differentiated, in order: a constant may use those before it.
    #[serde(default)]
    pub constants: Named<Number>,
    /// Named numbers, in order: a parameter may use those before it, and constants.
    #[serde(default)]
    pub parameters: Named<Parameter>,
    /// Acceleration of free fall, one component per dimension; zero when left out.
    #[serde(default)]
    pub gravity: Vec<Number>,
    /// Points fixed in the ground, one coordinate per dimension.
    #[serde(default)]
    pub ground: Named<Placement>,
    /// Moving points, with or without mass.
    #[serde(default)]
    pub points: Named<Point>,
    /// Bars and rigid bodies.
    #[serde(default)]
    pub bodies: Named<Body>,
    /// Robots of URDF files, which become bodies and joints.
    #[serde(default)]
    pub robots: Named<Robot>,
    /// Constraints and drivers.
    #[serde(default)]
    pub joints: Named<Joint>,
    /// Springs, dampers and applied loads.
    #[serde(default)]
    pub forces: Named<Force>,
    /// Unilateral contacts and end stops.
    #[serde(default)]
    pub contacts: Named<Contact>,
    /// Switches at a time or when an expression crosses zero.
    #[serde(default)]
    pub events: Named<Event>,
    /// Named values that events change or that follow a rate, each with its value at the start.
    #[serde(default)]
    pub memory: Named<Memory>,
    /// Named expressions that are recorded over time; one may use those before it.
    #[serde(default)]
    pub outputs: Named<String>,
    /// Scalars of the whole motion.
    #[serde(default)]
    pub objectives: Named<Objective>,
    /// Duration, formulation, tolerances.
    pub simulation: Simulation,
    /// What to minimize over which parameters.
    pub optimization: Option<Optimization>,
    /// What pictures show.
    #[serde(default)]
    pub view: View,
}
