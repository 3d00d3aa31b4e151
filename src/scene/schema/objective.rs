//! Scalars of the whole motion as written.

use serde::Deserialize;

use super::Number;

/// A scalar of the whole motion.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Objective {
    /// Value of an expression at the end.
    Final(String),
    /// Integral of an expression over time; the impulses of impacts do not enter.
    Integral(String),
    /// Linear combination of other objectives: pairs of a factor and an objective.
    Sum(Vec<(Number, Objective)>),
}
