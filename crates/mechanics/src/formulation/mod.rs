//! Formulations: from (M, f, C, gamma) to velocities, accelerations and multipliers, each with its derivative.
//!
//! | formulation | equations (theory) | q' |
//! | --- | --- | --- |
//! | [`Nullspace`] | 1.4 - 1.6 | v - C+ c' |
//! | [`Multipliers`] | 1.3 | v |
//! | [`Penalty`] | 1.8 | v |
//! | [`Saddle`] | 1.3 or 1.5 | v, or v - M^-1 C^T (C M^-1 C^T)^-1 c' |
//!
//! The formulations `Stabilized` and `Index3` (theory, 1.11 and 1.12) are ways to integrate, not to solve at a state; what is
//! evaluated at their states is [`Multipliers`]. See `mechanism/hessenberg.rs`.
//!
//! All solve a symmetric system K [a; -lambda] = [r1; r2]; the factors serve the value, every tangent and the
//! adjoint (theory, section 2).

mod blocks;
mod corrections;
mod lanes;
mod multipliers;
mod nullspace;
mod paired;
mod penalty;
mod saddle;

pub use blocks::{Blocks, Lanes};
pub use corrections::Corrections;
pub use lanes::LaneScratch;
pub use multipliers::Multipliers;
pub use nullspace::{Bases, Nullspace, TermSlopes};
pub use penalty::{Penalty, PenaltyFactors, penalty_scale};
pub use saddle::Saddle;

use crate::error::{Error, ErrorKind, Result};
use crate::linear::{Lu, MANY, independent_rows_of, max_abs};
use crate::model::constraint::Direction;
use crate::model::residual::{Instant, ResidualAlong};
use crate::model::{Matrix, Mode, Model, Terms};

/// Rows whose direction differs from the span of the others by less than this count as dependent: far above the rounding
/// of an assembled Jacobian (1e-15), far below what distinct joints of a sound mechanism differ by.
pub const INDEPENDENCE: f64 = 1e-9;

/// How the formulations solve their linear systems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Elimination {
    /// By blocks where there are many coordinates.
    #[default]
    Auto,
    /// QR of C^T, or LU for multipliers and penalties.
    Qr,
    /// By blocks ([`Blocks`]).
    Blocks,
}

impl Elimination {
    /// Whether systems of this many coordinates are eliminated by blocks.
    pub fn is_by_blocks(self, nv: usize) -> bool {
        match self {
            Self::Auto => nv >= MANY,
            Self::Qr => false,
            Self::Blocks => true,
        }
    }
}

/// Which multipliers are wanted beside accelerations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// None.
    Nothing,
    /// Those that friction is in proportion to ([`Model::pressing_rows`]); others may be written too, or be no numbers.
    Pressing,
    /// All.
    All,
}

impl Wanted {
    /// All of them, or none.
    pub fn all_if(all: bool) -> Self {
        if all { Self::All } else { Self::Nothing }
    }
}

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
    /// Either of the first two by blocks, for many coordinates.
    Saddle(Saddle),
}

impl Formulation {
    /// What solves where the system was factored last: itself, unless another stands in there.
    pub fn in_force(&mut self) -> &mut Self {
        if matches!(self, Self::Saddle(saddle) if saddle.is_replaced()) {
            let Self::Saddle(saddle) = self else { return self };
            return saddle.replaced();
        }
        self
    }

    /// The factors by blocks, where these solve.
    pub fn blocks(&self) -> Option<&Blocks> {
        match self {
            Self::Saddle(saddle) => saddle.blocks(),
            Self::Penalty(penalty) => penalty.blocks(),
            Self::Nullspace(_) | Self::Multipliers(_) => None,
        }
    }

    /// Factors the system at the assembled terms.
    ///
    /// # Errors
    /// Kind [`ErrorKind::Singular`] when the accelerations are not determined: a coordinate without mass or constraint.
    pub fn factor(&mut self, model: &Model, mode: &Mode, terms: &Terms) -> Result<()> {
        match self {
            Self::Nullspace(formulation) => formulation.factor(model, mode, terms),
            Self::Multipliers(formulation) => formulation.factor(mode, terms),
            Self::Penalty(formulation) => formulation.factor(mode, terms),
            Self::Saddle(formulation) => match formulation.factor(mode, terms) {
                // Rows depend on each other, if only here: QR and pivoting tell those that count.
                Err(None) => return formulation.replaced().factor(model, mode, terms),
                factored => factored,
            },
        }
        .map_err(|coordinate| without_inertia(model, coordinate))
    }

    /// Solves K [a; -lambda] = [r1; r2] with the current factors.
    ///
    /// `r1` and `a` have nv entries, `r2` and `lambda` one per row; multipliers of dependent rows are zero.
    pub fn solve(&mut self, mode: &Mode, terms: &Terms, r1: &[f64], r2: &[f64], a: &mut [f64], lambda: &mut [f64]) {
        match self.in_force() {
            Self::Nullspace(formulation) => {
                formulation.solve(mode, r1, r2, a);
                formulation.multipliers(mode, r1, lambda);
            }
            Self::Multipliers(formulation) => formulation.solve(mode, r1, r2, a, lambda),
            Self::Penalty(formulation) => formulation.solve(terms, r1, r2, a, lambda),
            Self::Saddle(formulation) => formulation.solve(mode, terms, r1, r2, a, lambda),
        }
    }

    /// What a force alone does: solves K [a; -lambda] = [r1; 0]; of `lambda` what is wanted, and `zeros` are as many as rows.
    pub fn respond(
        &mut self,
        mode: &Mode,
        terms: &Terms,
        (r1, zeros): (&[f64], &[f64]),
        a: &mut [f64],
        (wanted, lambda): (Wanted, &mut [f64]),
    ) {
        match self.in_force() {
            Self::Nullspace(formulation) => {
                formulation.respond(r1, a);
                formulation.wanted_multipliers(mode, r1, (wanted, lambda));
            }
            other => other.solve(mode, terms, r1, zeros, a, lambda),
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

    /// Weights of c' in the transposed derivative of what [`Formulation::velocities`] takes off v, for a costate of the
    /// positions; `rows` has zeros before.
    pub fn transposed_correction(&mut self, mode: &Mode, terms: &Terms, mu: &[f64], rows: &mut [f64]) {
        match self.in_force() {
            Self::Nullspace(nullspace) => {
                nullspace.transposed_correction(mode, mu, rows);
                for value in rows {
                    *value = -*value;
                }
            }
            Self::Saddle(saddle) => saddle.transposed_correction(mode, terms, mu, rows),
            Self::Multipliers(_) | Self::Penalty(_) => {}
        }
    }

    /// Accelerations, and the multipliers that are wanted, from the factors at the assembled terms.
    pub fn accelerations(&mut self, mode: &Mode, terms: &Terms, a: &mut [f64], (wanted, lambda): (Wanted, &mut [f64])) {
        let lambda = Some(lambda).filter(|_| wanted != Wanted::Nothing);
        match self.in_force() {
            Self::Nullspace(formulation) => {
                formulation.accelerations(terms, a);
                if let Some(lambda) = lambda {
                    formulation.wanted_multipliers(mode, &terms.force, (wanted, lambda));
                }
            }
            Self::Multipliers(formulation) => formulation.accelerations(mode, terms, a, lambda),
            Self::Penalty(formulation) => formulation.accelerations(terms, a, lambda),
            Self::Saddle(formulation) => formulation.accelerations(mode, terms, a, lambda),
        }
    }

    /// The velocities u that positions move with at the factored terms, q' = Z u: v less what violates c' = 0.
    pub fn velocities(&mut self, mode: &Mode, terms: &Terms, v: &[f64], u: &mut [f64]) {
        u.copy_from_slice(v);
        match self.in_force() {
            Self::Nullspace(formulation) => formulation.remove_violation(u),
            Self::Saddle(formulation) => formulation.remove_violation(mode, terms, u),
            Self::Multipliers(_) | Self::Penalty(_) => {}
        }
    }

    /// Adds to `u` = dv what else the derivative of u along a direction consists of, at the factored state.
    ///
    /// `along` holds the residual derivative of that direction and is overwritten.
    pub fn velocity_slopes(&mut self, variation: &Variation, along: &mut ResidualAlong, u: &mut [f64]) {
        match self.in_force() {
            Self::Nullspace(formulation) => formulation.velocity_slopes(variation, along, u),
            Self::Saddle(formulation) => formulation.velocity_slopes(variation, along, u),
            Self::Multipliers(_) | Self::Penalty(_) => {}
        }
    }

    /// Whether the formulation needs independent rows.
    pub fn needs_independent_rows(&self) -> bool {
        !matches!(self, Self::Penalty(_))
    }
}

/// A direction at a factored state.
#[derive(Clone, Copy, Debug)]
pub struct Variation<'a, D = Direction<'a>> {
    /// The model.
    pub model: &'a Model,
    /// What acts.
    pub mode: &'a Mode,
    /// The terms at the state.
    pub terms: &'a Terms,
    /// The state.
    pub at: Instant<'a>,
    /// The direction.
    pub direction: D,
}

impl<D> Variation<'_, D> {
    /// Whether c' is rounding, so that q' = v and what would remove it has no effect on the derivative.
    fn is_on_manifold(&self) -> bool {
        is_on_manifold(self.mode, self.terms, self.at.v)
    }
}

impl Variation<'_> {
    /// Derivative of the residual at this instant instead, with the velocities held.
    fn residual_along(&self, at: &Instant, along: &mut ResidualAlong) {
        let still = Direction {
            v: &self.terms.still,
            ..self.direction
        };
        self.model.residual_along(at, self.mode, self.terms, &still, along);
    }
}

/// Velocity residuals below this fraction of the velocities are rounding: the terms they multiply are left out.
const ON_MANIFOLD: f64 = 1e-13;

/// Whether c' at the terms is rounding.
pub fn is_on_manifold(mode: &Mode, terms: &Terms, v: &[f64]) -> bool {
    max_abs(&terms.rate[..mode.rows]) <= ON_MANIFOLD * max_abs(v)
}

/// Sets the independent rows of a mode from the constraint Jacobian in the terms.
pub fn select_rows(mode: &mut Mode, terms: &Terms) {
    let jacobian = &terms.jacobian;
    mode.independent = independent_rows_of(jacobian, jacobian.units(), INDEPENDENCE);
}

/// Writes [[M, R^T], [R, 0]] over these rows, to be factored; returns it row-major.
pub fn saddle_mut<'l>(
    lu: &'l mut Lu,
    mass: &Matrix,
    rows: impl ExactSizeIterator<Item = impl Iterator<Item = (usize, f64)>>,
) -> &'l mut [f64] {
    let (nv, n) = (mass.width(), mass.width() + rows.len());
    let matrix = lu.matrix_mut(n);
    for i in 0..nv {
        mass.row(i).add_to(1.0, &mut matrix[i * n..][..nv]);
    }
    for (k, row) in rows.enumerate() {
        for (j, value) in row {
            matrix[(nv + k) * n + j] = value;
            matrix[j * n + nv + k] = value;
        }
    }
    matrix
}

fn without_inertia(model: &Model, coordinate: Option<usize>) -> Error {
    let name = coordinate
        .filter(|&i| i < model.nv())
        .map(|i| model.speed(i).name.to_string());
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
