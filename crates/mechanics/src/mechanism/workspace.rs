//! Scratch of a mechanism, allocated once.

use super::Mechanism;
use super::displacement::Displacement;
use super::friction::scratch::Rubs;
use super::friction::stage::Stage;
use super::impact_problem::ImpactPlan;
use super::most_rows;
use super::nearness::NearScratch;
use super::projector::Projector;
use super::sliding::scratch::Sliding;
use super::tangent_scratch::TangentScratch;
use super::transposed_scratch::TransposedScratch;
use crate::formulation::Formulation;
use crate::hybrid::HybridSystem;
use crate::linear::Lane;
use crate::model::gradient::MotionDuals;
use crate::model::jacobian::ResidualJacobian;
use crate::model::residual::ResidualAlong;
use crate::model::{Assignment, Model, Terms};
use crate::scalar::Dual64;

/// Scratch; every field says which stage writes it.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Terms of the equations of motion; written by every evaluation.
    pub terms: Terms,
    /// Formulation and its factors; written by every evaluation.
    pub formulation: Formulation,
    /// Accelerations (nv); written by [`Mechanism::evaluate_motion`] and the flow.
    pub a: Vec<f64>,
    /// Multipliers (one per row); written where they are asked for.
    pub lambda: Vec<f64>,
    /// Derivative of q' along a direction (nq); written by the tangent.
    pub q_dot: Vec<f64>,
    /// Velocities that positions move with, and their derivative along a direction (nv); written where there are rigid bodies in
    /// space.
    pub(super) u: Vec<f64>,
    pub(super) du: Vec<f64>,
    /// Residual derivative along a direction; written by the tangent.
    pub along: ResidualAlong,
    /// Factors of the constraint Jacobian; written by the projection.
    pub(super) projector: Projector,
    /// Time and regularity of the latest factors of the projection.
    pub(super) regularity: Option<(f64, f64)>,
    /// A correction of positions or velocities; written by the projection.
    pub(super) correction: Vec<f64>,
    /// A state between the ends of a step with the joints closed; written by the guards of carried contacts.
    pub(super) closed: Vec<f64>,
    /// Direction in the numbers and memory; written by the tangent.
    pub(super) numbers: Vec<f64>,
    /// Right-hand side over the rows; written by the tangent and the transposed derivative.
    pub(super) right: Vec<f64>,
    /// Derivatives of accelerations and multipliers along a direction; written by the tangent.
    pub(super) da: Vec<f64>,
    pub(super) dlambda: Vec<f64>,
    /// Accelerations and multipliers with these derivatives; written by the tangent.
    pub(super) a_dual: Vec<Dual64>,
    pub(super) lambda_dual: Vec<Dual64>,
    /// The last impact; written by the jump.
    pub(super) plan: Option<ImpactPlan>,
    /// Stages of the last impact with friction; written by the jump.
    pub(super) stages: Vec<Stage>,
    /// How the last jump moved the mechanism; written by the jump.
    pub(super) displacement: Option<Displacement>,
    /// What the last jump put into memory, apart from places; written by the jump.
    pub(super) assignments: Vec<Assignment>,
    /// Columns of the residual's Jacobian, allocated when first used; written by the flow's Jacobian.
    pub(super) jacobian: ResidualJacobian,
    /// Places of the rows among those in use; written by the flow's Jacobian in descriptor form.
    pub(super) places: Vec<usize>,
    /// Likewise of what removes the violation of c' from q', with and without its velocity.
    pub(super) violation_jacobian: [ResidualJacobian; 2],
    /// Both sides of the guard that the motion slides along, written by every evaluation there.
    pub(super) sliding: Sliding,
    /// What friction forces do; written by every evaluation where contacts with friction are closed.
    pub(super) rubs: Rubs,
    /// Contacts that may touch; written by the search for guards.
    pub(super) near: NearScratch,
    /// Written by the transposed derivatives of the flow, of outputs and of the projection.
    pub(super) transposed: TransposedScratch,
    pub(super) duals: MotionDuals,
    /// Written by the transposed derivatives of the flow for several functionals, with their costates of the positions.
    pub(super) transposed_lanes: TransposedScratch<Lane>,
    pub(super) mu: Vec<Lane>,
    /// Written by the derivatives of the flow along several directions.
    pub(super) tangents: TangentScratch,
    /// A unit direction in x, a column of the Jacobian, and a zero direction in the numbers; used by the Jacobian.
    pub(super) unit: Vec<f64>,
    pub(super) column: Vec<f64>,
    pub(super) still: Vec<f64>,
}

impl Workspace {
    /// Scratch for a mechanism.
    pub fn new(mechanism: &Mechanism) -> Self {
        let model: &Model = &mechanism.model;
        let (nv, rows, mut terms) = (model.nv(), most_rows(model), Terms::new(model));
        let leverage = model.leverage(&mut terms);
        Self {
            formulation: mechanism.formulation(&leverage),
            a: vec![0.0; nv],
            lambda: vec![0.0; rows],
            q_dot: vec![0.0; model.nq()],
            u: vec![0.0; nv],
            du: vec![0.0; nv],
            along: ResidualAlong::new(model),
            projector: Projector::new(rows, terms.jacobian.units(), mechanism.choices.by),
            terms,
            regularity: None,
            correction: vec![0.0; nv],
            closed: Vec::with_capacity(mechanism.dimension()),
            numbers: vec![0.0; model.numbers.len() + model.memory.len()],
            right: vec![0.0; rows],
            da: vec![0.0; nv],
            dlambda: vec![0.0; rows],
            a_dual: vec![Dual64::from(0.0); nv],
            lambda_dual: vec![Dual64::from(0.0); rows],
            plan: None,
            stages: Vec::new(),
            displacement: None,
            assignments: Vec::new(),
            jacobian: ResidualJacobian::default(),
            places: Vec::new(),
            violation_jacobian: Default::default(),
            sliding: Sliding::default(),
            rubs: Rubs::default(),
            near: NearScratch::default(),
            transposed: TransposedScratch::new(model, rows),
            duals: MotionDuals::new(model, rows),
            transposed_lanes: TransposedScratch::default(),
            mu: Vec::new(),
            tangents: TangentScratch::default(),
            unit: vec![0.0; mechanism.dimension()],
            column: vec![0.0; mechanism.dimension()],
            still: vec![0.0; model.numbers.len()],
        }
    }
}
