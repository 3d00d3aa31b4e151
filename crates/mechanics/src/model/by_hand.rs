//! Constraints whose derivatives are written by hand.

use super::constraint::{Constraint, ConstraintKind};
use super::joint::{PointAngle, PointDistance};

/// Constraints of the hot path, with the model's indices: their derivatives are written by hand.
#[derive(Clone, Debug)]
pub enum ByHand {
    /// Constant distance of two points.
    Distance(PointDistance),
    /// Angle of a bar.
    Angle(PointAngle),
}

impl ByHand {
    /// What a constraint is, if it is one of them.
    pub fn of(constraint: &Constraint, dimension: usize) -> Option<Self> {
        match &constraint.kind {
            ConstraintKind::Distance(distance) => {
                let found = distance.between_points(&constraint.local, dimension);
                found.map(Self::Distance)
            }
            ConstraintKind::BarAngle(angle) => Some(Self::Angle(angle.between_points(&constraint.local))),
            _ => None,
        }
    }

    /// Value, rate and acceleration term; adds the Jacobian row, one entry per coordinate of the element.
    #[inline]
    pub fn evaluate<const D: usize>(&self, q: &[f64], v: &[f64], numbers: &[f64], row: &mut [f64]) -> (f64, f64, f64) {
        match self {
            Self::Distance(distance) => distance.evaluate::<D>(q, v, numbers, row),
            Self::Angle(angle) => angle.evaluate(q, v, numbers, row),
        }
    }
}
