//! The immutable model: bodies, constraints, forces and contacts with resolved indices, and every number they use.
//!
//! A number is a value that an expression of the scene gives to an element. Gradients are accumulated with respect to
//! numbers and mapped to named parameters once (theory, section 6).

/// Evaluates an expression with the dimension of a model, 2 or 3, as the constant of a name: `in_dimension!(2, D => f::<D>())`.
#[macro_export]
macro_rules! in_dimension {
    ($dimension:expr, $name:ident => $value:expr) => {
        match $dimension {
            2 => {
                const $name: usize = 2;
                $value
            }
            _ => {
                const $name: usize = 3;
                $value
            }
        }
    };
}

pub mod attitude;
pub mod body;
pub mod by_hand;
mod by_velocities;
pub mod constraint;
pub mod contact;
mod departure;
mod descriptor;
mod driven;
pub mod expressions;
mod feedback;
mod fit;
pub mod force;
mod formula;
mod friction;
mod friction_state;
pub mod function;
pub mod gradient;
pub mod instant;
pub mod jacobian;
mod jet;
pub mod joint;
mod kinematic;
mod kink;
pub mod lanes;
mod lift;
mod lifted;
mod limit_surface;
pub mod local;
pub mod marker;
mod matrix;
pub mod measure;
mod memory;
pub mod mode;
mod moved;
mod objective;
pub mod over;
pub mod place;
pub mod quantity;
pub mod quaternion;
pub mod residual;
mod shared;
mod sizes;
mod slide;
pub mod tangential;
pub mod terms;
pub mod touch;

use body::Body;
use constraint::Constraint;
use contact::Contact;
use force::Force;
use local::Local;
use marker::Orientation;
use quantity::Output;

pub use crate::in_dimension;
pub use departure::Departure;
pub use feedback::Feedback;
pub use fit::{Channel, Datum, Due, Fit, FitDatum, Measured, MeasuredAt};
pub use formula::{Formula, FormulaArgument, FormulaPart};
pub use friction::{Bearing, Bristles, Carrying, Friction, Hypothesis, Press, Rubbed};
pub use friction_state::{FrictionCone, FrictionState};
pub use kinematic::{Frame, POSE, Speed, Spin, TWIST, rate as coordinate_rate};
pub use kink::{Kink, Rest};
pub use limit_surface::{Feet, MOST_FEET, Yielding};
pub use matrix::Matrix;
pub use memory::{Assignment, Remembered, Reset, Settable, Variable};
pub use mode::{ContactState, Footing, Grip, Hold, Leader, Mode, Slide};
pub use objective::{EventSum, Objective, Occurrence, Peak, Reading, Side, Term};
pub use shared::Shared;
pub use sizes::Sizes;
pub use terms::Terms;

/// A named parameter with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name in the scene.
    pub name: String,
    /// Value.
    pub value: f64,
    /// Unit, for reports.
    pub unit: String,
    /// Least and greatest sensible value.
    pub bounds: Option<(f64, f64)>,
    /// What it is, for reports.
    pub about: String,
    /// Expressions that have a kink at its value.
    pub kinks: Vec<FixedKink>,
}

/// A kink at the values of parameters alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedKink {
    /// The expression that has it.
    pub expression: String,
    /// Lowest order of the derivatives that differ on its sides: of this order and beyond there are none.
    pub order: usize,
    /// The objective that alone reads the expression.
    pub objective: Option<String>,
}

/// A number of the model: its value, where it stands, and how it depends on the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// Value.
    pub value: f64,
    /// Element and field, such as `left rod.length`.
    pub name: String,
    /// d(value)/d(parameter), pairs of a parameter index and a non-zero derivative.
    pub gradient: Vec<(usize, f64)>,
    /// Second derivatives by two parameters: their indices, the second not before the first, and a non-zero derivative.
    pub curvature: Vec<(usize, usize, f64)>,
}

/// Unit of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordinateKind {
    /// Metres.
    Length,
    /// Radians.
    Angle,
    /// A fraction of a length.
    Fraction,
    /// A component of a unit quaternion.
    Quaternion,
}

/// Where the assembly of a coordinate starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// At a number.
    Number(usize),
    /// At the direction that the angle constraint with this index reads.
    Angle(usize),
    /// Where the sliding constraint with this index puts it.
    Position(usize),
    /// At the foot of the perpendicular on the line whose constraint has this index.
    LineFraction(usize),
}

/// A coordinate q_i and, unless it belongs to a quaternion, its velocity.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinate {
    /// Name such as `P2.x` or `crank.angle`.
    pub name: String,
    /// Unit.
    pub kind: CoordinateKind,
    /// Guess or held value.
    pub start: Start,
    /// Whether the assembly holds the value.
    pub held: bool,
    /// Number: the held initial velocity.
    pub velocity: Option<usize>,
    /// Weight of the deviation from the guess in the assembly; zero for coordinates without mass of their own.
    pub weight: f64,
    /// Where sizes are measured, if not where the assembly starts.
    pub measured: Option<f64>,
}

/// What a group of constraints is, for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// The length of a bar.
    Bar,
    /// A joint or driver of the scene.
    Joint,
    /// A constraint that the program added: the angle coordinate of a bar, or the pin of a bar end on a marker.
    Internal,
}

/// Constraints that belong together under one name.
#[derive(Clone, Debug)]
pub struct Group {
    /// Name in the scene.
    pub name: String,
    /// What it is.
    pub kind: GroupKind,
    /// Indices of the constraints.
    pub constraints: Vec<usize>,
    /// Frames of both attachments in space, where they have one.
    pub frames: [Option<AttachedFrame>; 2],
    /// Whether it acts at the start.
    pub active: bool,
}

/// The frame of an attachment.
#[derive(Clone, Debug)]
pub struct AttachedFrame {
    /// What it turns with, in local indices.
    pub carrier: Orientation,
    /// Numbers (local): its own quaternion there, where it has one.
    pub turn: Option<[usize; 4]>,
    /// Global indices.
    pub local: Local,
}

/// When a scene event fires.
#[derive(Clone, Debug)]
pub enum Trigger {
    /// At the time given by this number.
    At(usize),
    /// When the output expression crosses zero; +1 upwards, -1 downwards, 0 either way.
    Crossing {
        /// The expression.
        guard: Output,
        /// Direction.
        direction: i8,
    },
}

/// What an event switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// A group of constraints.
    Group(usize),
    /// A force.
    Force(usize),
    /// A contact.
    Contact(usize),
}

/// A scene event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Name in the scene.
    pub name: String,
    /// When it fires.
    pub trigger: Trigger,
    /// What it switches, and whether on.
    pub actions: Vec<(Switch, bool)>,
    /// What it puts into memory.
    pub assignments: Vec<Assignment>,
    /// Positions and velocities that it sets to what it has put into memory.
    pub resets: Vec<Reset>,
    /// Whether it fires only once.
    pub once: bool,
}

/// The mechanism.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// 2 or 3.
    pub dimension: usize,
    /// Parameters in the order of the scene.
    pub parameters: Vec<Parameter>,
    /// Numbers; memory slots follow them in every vector of numbers.
    pub numbers: Vec<Number>,
    /// Initial values of the memory slots.
    pub memory: Vec<f64>,
    /// Memory slots with names.
    pub variables: Vec<Variable>,
    /// Coordinates.
    pub coordinates: Vec<Coordinate>,
    /// Rigid bodies in space, in the order of their coordinates.
    pub frames: Vec<Frame>,
    /// Bodies.
    pub bodies: Vec<Body>,
    /// Constraints of joints, bars, gaps and pins.
    pub constraints: Vec<Constraint>,
    /// Groups of constraints that act in every mode unless switched.
    pub groups: Vec<Group>,
    /// Forces.
    pub forces: Vec<Force>,
    /// Whether each force acts at the start.
    pub force_active: Vec<bool>,
    /// Numbers of forces that follow the motion; those that others read come before them.
    pub feedback: Vec<Feedback>,
    /// Contacts.
    pub contacts: Vec<Contact>,
    /// Friction at contacts, then in joints.
    pub frictions: Vec<Friction>,
    /// Events.
    pub events: Vec<Event>,
    /// Kinks of expressions that are integrated; those within others come before them.
    pub kinks: Vec<Kink>,
    /// Outputs by name, in the order of the scene.
    pub outputs: Vec<(String, Output)>,
    /// Expressions that are integrated over time.
    pub integrands: Vec<Output>,
    /// Expressions that are summed over events.
    pub event_sums: Vec<EventSum>,
    /// Expressions whose extreme values are taken.
    pub peaks: Vec<Peak>,
    /// Expressions whose values at given times are taken.
    pub readings: Vec<Reading>,
    /// Measured data of objectives.
    pub fits: Vec<Fit>,
    /// Formulas of objectives.
    pub formulas: Vec<Formula>,
    /// Objectives.
    pub objectives: Vec<Objective>,
}

impl Model {
    /// Values of the numbers followed by the initial memory.
    pub fn number_values(&self) -> Vec<f64> {
        self.numbers
            .iter()
            .map(|number| number.value)
            .chain(self.memory.iter().copied())
            .collect()
    }

    /// Index of the first memory slot in a vector of numbers.
    pub fn memory_start(&self) -> usize {
        self.numbers.len()
    }

    /// The value of a number in a message-friendly way: its name.
    pub fn number_name(&self, number: usize) -> &str {
        self.numbers.get(number).map_or("memory", |number| number.name.as_str())
    }
}
