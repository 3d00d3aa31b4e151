//! Forces and torques given as functions of time.

use crate::model::function::Signal;
use crate::model::marker::{Marker, Orientation};
use crate::scalar::{Scalar, each};

/// Force at a marker, in the ground frame or in the frame of a bar or body.
#[derive(Clone, Debug)]
pub struct Load {
    /// Where it acts.
    pub at: Marker,
    /// Components (D of them).
    pub force: Vec<Signal>,
    /// Frame of the components.
    pub frame: Orientation,
}

impl Load {
    /// The force in the ground frame.
    pub fn force<S: Scalar, const D: usize>(&self, t: S, q: &[S], numbers: &[S]) -> [S; D] {
        self.frame.turn(q, each(|k| self.force[k].evaluate(t, numbers)))
    }

    /// Adds the generalized force.
    pub fn apply<S: Scalar, const D: usize>(&self, t: S, q: &[S], numbers: &[S], f: &mut [S]) {
        self.at.apply::<S, D>(q, numbers, self.force(t, q, numbers), f);
    }
}

/// Torque on a body, with the opposite on another one or on the ground.
#[derive(Clone, Debug)]
pub struct Torque {
    /// The body it acts on.
    pub on: Orientation,
    /// The one that takes the reaction.
    pub from: Orientation,
    /// The torque.
    pub torque: Signal,
}

impl Torque {
    /// Adds the generalized force.
    pub fn apply<S: Scalar>(&self, t: S, numbers: &[S], f: &mut [S]) {
        let torque = self.torque.evaluate(t, numbers);
        self.on.apply(torque, f);
        self.from.apply(-torque, f);
    }
}

/// Torque on a body in space, in the ground frame or in that of a body, with the opposite on another body or on the ground.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The body it acts on.
    pub on: Orientation,
    /// The one that takes the reaction.
    pub from: Orientation,
    /// Components.
    pub torque: [Signal; 3],
    /// Frame of the components.
    pub frame: Orientation,
}

impl Moment {
    /// Adds the generalized force.
    pub fn apply<S: Scalar>(&self, t: S, q: &[S], numbers: &[S], f: &mut [S]) {
        let torque = self.frame.turn(q, each(|k| self.torque[k].evaluate(t, numbers)));
        self.on.twist(torque, q, f);
        self.from.twist(torque.map(|x| -x), q, f);
    }
}
