//! Bars and rigid bodies by their global indices, and the markers that they have without being given any.

use crate::model::marker::{Base, Marker, OnBar, Place};

/// Markers that every rigid body has.
pub(super) const OF_RIGID: [&str; 2] = ["origin", "centre"];
/// Markers that every bar has.
pub(super) const OF_BAR: [&str; 3] = ["from", "to", "centre"];

/// A bar or rigid body, with global indices.
pub(super) enum Solid {
    Bar(BarPlan),
    Rigid(RigidPlan),
    InSpace(SpacePlan),
}

/// A rigid body.
pub(super) struct RigidPlan {
    /// Coordinates x, y, angle.
    pub(super) coordinates: Place,
    /// Numbers: centre of mass in the body frame.
    pub(super) centre: [usize; 2],
    /// Numbers: the origin in the body frame, once something attaches there.
    pub(super) origin: Option<[usize; 2]>,
    /// Numbers of the markers, in the order of the scene.
    pub(super) markers: Vec<Place>,
}

/// A rigid body in space.
pub(super) struct SpacePlan {
    /// Coordinates x, y, z.
    pub(super) origin: Place,
    /// Coordinates of its quaternion.
    pub(super) turn: [usize; 4],
    /// Velocity of the model: its first angular one.
    pub(super) spin: usize,
    /// Body of the model.
    pub(super) body: usize,
    /// Numbers: centre of mass in the body frame.
    pub(super) centre: Place,
    /// Numbers: the origin in the body frame, once something attaches there.
    pub(super) zero: Option<Place>,
    /// Numbers of the markers, in the order of the scene, and of their quaternions.
    pub(super) markers: Vec<(Place, Option<[usize; 4]>)>,
}

/// A bar.
pub(super) struct BarPlan {
    pub(super) from: Base,
    pub(super) to: Base,
    /// Number: length.
    pub(super) length: usize,
    /// Number: half of the length, once something attaches to the centre.
    pub(super) centre: Option<usize>,
    /// Numbers of the markers (along, across), in the order of the scene.
    pub(super) markers: Vec<Place>,
    /// Coordinate: the angle, once something uses it.
    pub(super) angle: Option<usize>,
    /// Coordinates of the ends that are points of the program's own: start and end.
    pub(super) own: [Option<Place>; 2],
    /// The group of the length constraint.
    pub(super) group: usize,
}

impl BarPlan {
    /// The marker at a place given by numbers along and across the bar.
    pub(super) fn marker(&self, along: usize, across: Option<usize>) -> Marker {
        Marker::OnBar(OnBar {
            from: self.from,
            to: self.to,
            length: self.length,
            along,
            across,
        })
    }
}
