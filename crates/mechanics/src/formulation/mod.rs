//! Formulations: from (M, f, C, gamma) to velocities, accelerations and multipliers, each with its derivative.
//!
//! | formulation | equations (theory) | q' |
//! | --- | --- | --- |
//! | [`Nullspace`] | 1.4 - 1.6 | v - C+ c' |
//! | [`Multipliers`] | 1.3 | v |
//! | [`Penalty`] | 1.8 | v |
//!
//! The formulations `Stabilized` and `Index3` (theory, 1.11 and 1.12) are ways to integrate, not to solve at a state; what is
//! evaluated at their states is [`Multipliers`]. See `mechanism/hessenberg.rs`.
//!
//! All three solve a symmetric system K [a; -lambda] = [r1; r2]; the factors serve the value, every tangent and the
//! adjoint (theory, section 2).

mod multipliers;
mod nullspace;
mod penalty;

pub use multipliers::Multipliers;
pub use nullspace::{Bases, Nullspace, TermSlopes};
pub use penalty::{Penalty, PenaltyFactors, penalty_scale};

use crate::error::{Error, ErrorKind, Result};
use crate::linear::{Lu, in_units, independent_rows};
use crate::model::constraint::Direction;
use crate::model::residual::{Instant, ResidualAlong};
use crate::model::{Matrix, Mode, Model, Terms};

/// Rows whose direction differs from the span of the others by less than this count as dependent: far above the rounding
/// of an assembled Jacobian (1e-15), far below what distinct joints of a sound mechanism differ by.
pub const INDEPENDENCE: f64 = 1e-9;

/// A formulation with its workspace.
// One value lives in each workspace and is never moved: the difference in size costs nothing.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Formulation {
    /// QR null-space projection.
    Nullspace(Nullspace),
    /// Index-1 system with multipliers.
    Multipliers(Multipliers),
    /// Penalty.
    Penalty(Penalty),
}

impl Formulation {
    /// Factors the system at the assembled terms.
    ///
    /// # Errors
    /// Kind [`ErrorKind::Singular`] when the accelerations are not determined: a coordinate without mass or constraint.
    pub fn factor(&mut self, model: &Model, mode: &Mode, terms: &Terms) -> Result<()> {
        match self {
            Self::Nullspace(formulation) => formulation.factor(mode, terms),
            Self::Multipliers(formulation) => formulation.factor(mode, terms),
            Self::Penalty(formulation) => formulation.factor(terms),
        }
        .map_err(|coordinate| without_inertia(model, coordinate))
    }

    /// Solves K [a; -lambda] = [r1; r2] with the current factors.
    ///
    /// `r1` and `a` have nv entries, `r2` and `lambda` one per row; multipliers of dependent rows are zero.
    pub fn solve(&mut self, mode: &Mode, terms: &Terms, r1: &[f64], r2: &[f64], a: &mut [f64], lambda: &mut [f64]) {
        match self {
            Self::Nullspace(formulation) => {
                formulation.solve(mode, r1, r2, a);
                formulation.multipliers(mode, r1, lambda);
            }
            Self::Multipliers(formulation) => formulation.solve(mode, r1, r2, a, lambda),
            Self::Penalty(formulation) => formulation.solve(terms, r1, r2, a, lambda),
        }
    }

    /// Solves K^T [alpha; -beta] = [r1; r2] likewise: the same solution, as long as no force makes K unsymmetric.
    pub fn solve_transposed(
        &mut self,
        mode: &Mode,
        terms: &Terms,
        r1: &[f64],
        r2: &[f64],
        alpha: &mut [f64],
        beta: &mut [f64],
    ) {
        self.solve(mode, terms, r1, r2, alpha, beta);
    }

    /// Accelerations, and multipliers when asked for, from the factors at the assembled terms.
    pub fn accelerations(&mut self, mode: &Mode, terms: &Terms, a: &mut [f64], lambda: Option<&mut [f64]>) {
        match self {
            Self::Nullspace(formulation) => {
                formulation.accelerations(terms, a);
                if let Some(lambda) = lambda {
                    formulation.multipliers(mode, &terms.force, lambda);
                }
            }
            Self::Multipliers(formulation) => formulation.accelerations(mode, terms, a, lambda),
            Self::Penalty(formulation) => formulation.accelerations(terms, a, lambda),
        }
    }

    /// q' at the factored terms (kinematic matrix the identity).
    pub fn velocities(&self, v: &[f64], q_dot: &mut [f64]) {
        q_dot.copy_from_slice(v);
        if let Self::Nullspace(formulation) = self {
            formulation.remove_violation(q_dot);
        }
    }

    /// Adds to `q_dot` = dv what else the derivative of q' along a direction consists of, at the factored state.
    ///
    /// `along` holds the residual derivative of that direction and is overwritten.
    #[allow(clippy::too_many_arguments)]
    pub fn velocity_slopes(
        &mut self,
        model: &Model,
        mode: &Mode,
        terms: &Terms,
        at: &Instant,
        direction: &Direction,
        along: &mut ResidualAlong,
        q_dot: &mut [f64],
    ) {
        if let Self::Nullspace(formulation) = self {
            formulation.velocity_slopes(model, mode, terms, at, direction, along, q_dot);
        }
    }

    /// Whether the formulation needs independent rows.
    pub fn needs_independent_rows(&self) -> bool {
        !matches!(self, Self::Penalty(_))
    }
}

/// Sets the independent rows of a mode from the constraint Jacobian in the terms.
pub fn select_rows(mode: &mut Mode, terms: &Terms) {
    let jacobian = &terms.jacobian;
    let rows: Vec<f64> = jacobian.first_rows(mode.rows).flatten().copied().collect();
    mode.independent = independent_rows(&in_units(&rows, jacobian.units()), jacobian.width(), INDEPENDENCE);
}

/// Writes [[M, R^T], [R, 0]] over these rows, to be factored; returns it row-major.
pub fn saddle_mut<'r, 'l>(
    lu: &'l mut Lu,
    mass: &Matrix,
    rows: impl ExactSizeIterator<Item = &'r [f64]>,
) -> &'l mut [f64] {
    let (nv, n) = (mass.width(), mass.width() + rows.len());
    let matrix = lu.matrix_mut(n);
    for (i, row) in mass.first_rows(nv).enumerate() {
        matrix[i * n..][..nv].copy_from_slice(row);
    }
    for (k, row) in rows.enumerate() {
        for (j, &value) in row.iter().enumerate() {
            matrix[(nv + k) * n + j] = value;
            matrix[j * n + nv + k] = value;
        }
    }
    matrix
}

fn without_inertia(model: &Model, coordinate: Option<usize>) -> Error {
    let name = coordinate
        .and_then(|i| model.coordinates.get(i))
        .map(|c| c.name.clone());
    let message = match &name {
        Some(name) => {
            format!("the acceleration of {name} is not determined: it has neither mass nor a constraint that moves it")
        }
        None => "the accelerations are not determined: some motion has neither mass nor a constraint".to_string(),
    };
    let error = Error::new(ErrorKind::Singular, message).advise("give the point or body a mass, or attach it");
    match name {
        Some(name) => error.named(name),
        None => error,
    }
}
