//! Scratch of the derivatives along several directions.

use crate::formulation::LaneScratch;
use crate::linear::Lane;
use crate::model::lanes::ResidualLanes;

/// Scratch, sized when first used.
#[derive(Clone, Debug, Default)]
pub(super) struct TangentScratch {
    /// dx.
    pub x: Vec<Lane>,
    /// dq at the indices of the velocities.
    pub turned: Vec<Lane>,
    pub residual: ResidualLanes,
    pub formulation: LaneScratch,
    /// dq', da and d(lambda).
    pub q_dot: Vec<Lane>,
    /// d(u), of which q' = Z u.
    pub u_dot: Vec<Lane>,
    pub da: Vec<Lane>,
    pub dlambda: Vec<Lane>,
    pub integrands: Vec<IntegrandGradient>,
    /// Numbers that do not change.
    pub still: Vec<Lane>,
    /// Derivatives along several directions, one after another.
    pub block: Vec<f64>,
}

/// Gradient of an integrand by positions, velocities, accelerations, multipliers and numbers with memory: what is not zero.
pub(super) type IntegrandGradient = [Vec<(usize, f64)>; 5];
