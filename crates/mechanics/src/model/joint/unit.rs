//! A quaternion keeps its length: c = (|Q|^2 - 1) / 2. The assembly alone counts it among the constraints.

use crate::model::quaternion::square;
use crate::scalar::Scalar;

/// Length of the quaternion of a rigid body in space.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Coordinates of the quaternion.
    pub turn: [usize; 4],
}

impl Unit {
    /// Constraint value without unit.
    pub fn value<S: Scalar>(&self, q: &[S], c: &mut [S]) {
        c[0] = (square(self.turn.map(|i| q[i])) - 1.0) * 0.5;
    }
}
