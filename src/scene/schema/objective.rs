//! Scalars of the whole motion as written.

use serde::Deserialize;

use super::Number;

/// Side of an event; velocities and forces differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Side {
    /// Just before it.
    #[default]
    Before,
    /// Just after it.
    After,
}

/// A scalar of the whole motion.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Objective {
    /// Value of an expression at the end.
    Final(String),
    /// Integral of an expression over time; the impulses of impacts do not enter.
    Integral(String),
    /// Sum of an expression over the events of a contact or of a scene event.
    AtEvents {
        /// The expression.
        of: String,
        /// The contact or event.
        event: String,
        /// Whether the expression is taken just before or just after the event.
        #[serde(default)]
        side: Side,
    },
    /// Linear combination of other objectives: pairs of a factor and an objective.
    Sum(Vec<(Number, Objective)>),
}
