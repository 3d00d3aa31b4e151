//! What elements see and give by coordinates while terms are assembled, where there are rigid bodies in space.

use super::attitude::Attitudes;
use super::body::Body;
use super::force::Force;
use super::{Matrix, Model};

/// Scratch of the terms: what elements see and give, by coordinates.
#[derive(Clone, Debug)]
pub struct Lift {
    /// Z v.
    pub(super) rates: Vec<f64>,
    /// Z' v.
    pub(super) drift: Vec<f64>,
    /// f_q.
    pub(super) force: Vec<f64>,
    /// Rows of C_q of the constraint at hand.
    pub(super) jacobian: Matrix,
    /// Velocities of each constraint, in the order of the columns of its rows.
    pub(super) columns: Vec<Vec<usize>>,
    /// The part of f that is mapped from coordinates.
    pub(super) mapped: Vec<f64>,
    /// Weight of the bodies whose inertia never changes, by velocities.
    pub(super) constant_force: Vec<f64>,
    /// The bodies along the motion, for what is written by hand.
    pub(super) attitudes: Attitudes,
    /// Points and bars with the indices of their velocities.
    pub(super) bodies: Vec<Body>,
    /// Forces on coordinates that do not turn a body, with the indices of their velocities.
    pub(super) forces: Vec<Option<Force>>,
    /// Whether nothing is mapped from coordinates.
    pub(super) by_hand: bool,
}

impl Lift {
    pub(super) fn new(model: &Model) -> Self {
        let zeros = vec![0.0; model.nq()];
        let columns = model.constraints.iter();
        Self {
            rates: zeros.clone(),
            drift: zeros.clone(),
            force: zeros.clone(),
            jacobian: Matrix::of_constraints(model),
            columns: columns
                .map(|constraint| model.velocities_of(&constraint.local.coordinates))
                .collect(),
            mapped: vec![0.0; model.nv()],
            constant_force: vec![0.0; model.nv()],
            attitudes: Attitudes::new(model),
            bodies: model.bodies.iter().map(|body| model.body_by_velocities(body)).collect(),
            forces: model
                .forces
                .iter()
                .map(|force| model.force_by_velocities(force))
                .collect(),
            by_hand: false,
        }
    }
}
