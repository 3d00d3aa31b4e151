//! Scalars of the whole motion as written.

use serde::Deserialize;

use super::{Cells, Measured, Named, Number};

/// Side of an event; velocities and forces differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Side {
    /// Just before it.
    #[default]
    Before,
    /// Just after it.
    After,
}

/// What happens at an event of a contact, or of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum EventKind {
    /// A contact is struck.
    Impact,
    /// A contact, or a joint with friction, sticks.
    Stick,
    /// A contact or joint with friction begins to slip.
    Slip,
    /// A contact or joint with friction slips the other way at once.
    Reverse,
    /// A guide with friction is pressed on its other side.
    Side,
    /// A contact comes to rest.
    Rest,
    /// A lasting contact ends.
    Release,
    /// A ratchet passes a tooth.
    Tooth,
    /// An event of the scene.
    Switch,
}

/// Which of several events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Which {
    /// All of them.
    #[default]
    All,
    /// The first one.
    First,
    /// The last one of the motion.
    Last,
    /// The one with this number, counted from 1.
    Number(u32),
}

/// A scalar of the whole motion.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Objective {
    /// Value of an expression at the end.
    Final(String),
    /// Integral of an expression over time; the impulses of impacts do not enter.
    Integral(String),
    /// Greatest value of an expression over the motion, both sides of events included.
    Max(String),
    /// Least value of an expression over the motion, both sides of events included.
    Min(String),
    /// Value of an expression at a given time.
    At {
        /// The time (s), which may follow parameters.
        time: Number,
        /// The expression.
        of: String,
    },
    /// Sum of an expression over the events of a contact or of a scene event.
    AtEvents {
        /// The expression.
        of: String,
        /// The contact or event.
        event: String,
        /// Whether the expression is taken just before or just after the event.
        #[serde(default)]
        side: Side,
        /// The kind of these events; any when left out.
        kind: Option<EventKind>,
        /// Which of them; the sum over all when left out.
        #[serde(default)]
        which: Which,
    },
    /// Weighted sum of the squared differences between the motion and measured data.
    Fit {
        /// Path of a table with a header, relative to the folder of the scene; or, with line breaks, the table itself.
        data: String,
        /// The column of the times.
        time: Option<String>,
        /// Columns with values at the times, and what they measure; all columns, named as outputs, when left out.
        #[serde(default)]
        columns: Named<Measured>,
        /// Columns with the times at which an event occurred for the first, second, .. time.
        #[serde(default)]
        events: Named<Measured>,
        /// Standard deviation of the measured values.
        sigma: Option<Cells>,
        /// Weight of the squared differences, where standard deviations are not known.
        weight: Option<Cells>,
    },
    /// Linear combination of other objectives: pairs of a factor and an objective.
    Sum(Vec<(Number, Objective)>),
    /// An expression of other objectives by their names, and of parameters.
    Formula(String),
    /// The sum of the squares of such expressions.
    SumOfSquares(Vec<String>),
}
