//! What the stepper asks of a differential-algebraic system.

use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};
use crate::linear::Descriptor;

/// What the components of a state are, as long as the mode lasts.
///
/// `x = [coupled | quadratures and constants | variation 1 | variation 2 | ...]`, the first two together `block` components,
/// as many as each variation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// Leading components, which the equations couple.
    pub coupled: usize,
    /// Multipliers: as many as constraint equations.
    pub multipliers: usize,
    /// Coupled components that are rates of the others, such as velocities: the rounding of each is that of the largest.
    pub rates: Range<usize>,
    /// Whether the rates lose an order within a step, since their constraints are hidden (index 3).
    pub weakened: bool,
    /// Whether [`Hessenberg::make_consistent`] gives weakened rates their order back; if not, their errors count times the
    /// step size.
    pub repaired: bool,
    /// Components whose rates depend on the coupled ones alone. Those of the first block in neither range stay constant.
    pub quadratures: Range<usize>,
    /// Components of the state proper.
    pub block: usize,
    /// Variations of the state that follow it.
    pub variations: usize,
}

impl Structure {
    /// What the error of a component counts times: the step size where a rate is weakened.
    pub(super) fn weakening(&self, component: usize, h: f64) -> f64 {
        if self.weakened && self.rates.contains(&component) {
            h
        } else {
            1.0
        }
    }

    /// Unknowns of one stage: coupled components and multipliers.
    pub fn unknowns(&self) -> usize {
        self.coupled + self.multipliers
    }

    /// Components of the state with its variations.
    pub fn dimension(&self) -> usize {
        self.block * (self.variations + 1)
    }
}

/// Where equations are evaluated.
#[derive(Clone, Copy, Debug)]
pub struct StagePoint<'a> {
    /// Time in seconds.
    pub t: f64,
    /// State, of which the coupled components and the constants are read.
    pub x: &'a [f64],
    /// Rates of the coupled components.
    pub rate: &'a [f64],
    /// Multipliers.
    pub multipliers: &'a [f64],
}

/// A system in Hessenberg form of index 2 or 3 (theory, 8.5),
///
/// ```text
/// 0 = r(t, x, x', y) = [ E(t, x) x' - f(t, x, y) ; g(t, x) ] ,
/// ```
///
/// with the multipliers y. The flow that offers it is that of the underlying ordinary differential equation on the manifold:
/// everything that is evaluated at a state uses the flow. E may be singular as long as the motion is determined.
///
/// All methods fail as [`Flow::evaluate`](crate::integrate::Flow::evaluate).
#[allow(clippy::missing_errors_doc)]
pub trait Hessenberg {
    /// What the components are; it changes only where the integration starts anew.
    fn structure(&mut self) -> Structure;

    /// Writes r, with [`Structure::unknowns`] entries.
    fn residual(&mut self, point: &StagePoint, r: &mut [f64]) -> Result<()>;

    /// Writes the derivatives of r by the rates, and by the coupled components and multipliers: square, row-major, with
    /// [`Structure::unknowns`] columns, in `mass` the columns of the multipliers zero. What vanishes on the manifold may be
    /// left out.
    fn linearize(&mut self, point: &StagePoint, mass: &mut [f64], jacobian: &mut [f64]) -> Result<()>;

    /// Whether the same are offered in descriptor form, which [`Hessenberg::descriptor`] may still refuse at a point.
    fn has_descriptor(&mut self) -> bool {
        false
    }

    /// Writes them in descriptor form, of [`Form::Index3`](crate::linear::Form) or `Stabilized` with x = (q, v), where many
    /// coordinates make that sparse; false if there is none.
    fn descriptor(&mut self, point: &StagePoint, out: &mut Descriptor) -> Result<bool> {
        let _ = (point, out);
        Ok(false)
    }

    /// Writes the multipliers that belong to a state on the manifold.
    fn multipliers(&mut self, t: f64, x: &[f64], y: &mut [f64]) -> Result<()>;

    /// Moves the rates of a stage onto the constraints that are hidden in the others.
    fn make_consistent(&mut self, t: f64, x: &mut [f64]) -> Result<()> {
        let _ = (t, x);
        Ok(())
    }

    /// Removes from the coupled components of a small change of a state its part across the constraints, along the forces of
    /// the multipliers: what is left satisfies the linearized constraints.
    fn make_tangent(&mut self, t: f64, x: &[f64], change: &mut [f64]) -> Result<()>;

    /// Writes the rates of the quadratures at a state.
    fn quadrature_rates(&mut self, t: f64, x: &[f64], rates: &mut [f64]) -> Result<()> {
        let _ = (t, x, rates);
        Ok(())
    }
}

/// What is done with a system.
pub type HessenbergWork<'w> = &'w mut dyn FnMut(&mut dyn Hessenberg) -> Result<()>;

/// That there is no such system.
pub fn no_hessenberg() -> Error {
    Error::new(
        ErrorKind::Request,
        "this system has no differential-algebraic equations",
    )
    .advise("use the explicit or the implicit integrator")
}
