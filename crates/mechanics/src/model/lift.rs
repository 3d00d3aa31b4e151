//! What elements see and give by coordinates while terms are assembled, where there are rigid bodies in space.

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
    /// C_q, and then C.
    pub(super) jacobian: Matrix,
    /// Velocities of each constraint, in the order of the columns of its rows.
    pub(super) columns: Vec<Vec<usize>>,
    /// Weight of the bodies whose inertia never changes, by coordinates.
    pub(super) constant_force: Vec<f64>,
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
            constant_force: zeros,
        }
    }
}
