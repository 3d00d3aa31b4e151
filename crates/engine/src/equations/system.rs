//! Equations with values of their parameters, as a hybrid system: X = [x | integrated costs | last known y].
//!
//! y belongs to the point, not to the state: every evaluation solves 0 = g. The last part of X only tells where to look: it
//! moves with y' = -g_y^-1 (g_x x' + g_t), so that it stays on the branch of the motion, nothing depends on what was evaluated
//! before, and no result depends on its value.

use std::ops::Range;

use super::algebraic::{Algebraic, Given};
use super::derivatives::Differentiated;
use super::projection::Projection;
use super::{Equations, Point, Size};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Crossing, HybridSystem, Jump};

/// Equations with values of their parameters.
#[derive(Debug)]
pub struct System<E> {
    pub(super) equations: E,
    pub(super) p: Vec<f64>,
    size: Size,
}

/// Scratch.
#[derive(Debug)]
pub struct Workspace {
    pub(super) algebraic: Algebraic,
    pub(super) projection: Projection,
    /// At the point of the last `linearize`, with one column per direction [x | p | t]: derivatives of y, and [x' | r] with
    /// theirs.
    pub(super) y_slopes: Vec<f64>,
    pub(super) rates: Differentiated,
    /// The value of a guard.
    pub(super) guard: Differentiated,
}

impl<E: Equations> System<E> {
    /// The equations with these values of the parameters.
    pub fn new(equations: E, parameters: &[f64]) -> Self {
        Self {
            size: equations.size(),
            equations,
            p: parameters.to_vec(),
        }
    }

    /// The equations.
    pub fn equations(&self) -> &E {
        &self.equations
    }

    /// Values of the parameters.
    pub fn parameters(&self) -> &[f64] {
        &self.p
    }

    /// Mode and X at the start time, consistent with the algebraic equations.
    ///
    /// # Errors
    /// Kinds `Singular` and `NotFinite` where the algebraic equations have no solution near the guess; kind `Assembly` where the
    /// states do not satisfy those of index 2.
    pub fn start(&self, t: f64, workspace: &mut Workspace) -> Result<(E::Mode, Vec<f64>)> {
        let mut x = vec![0.0; self.dimension()];
        let mode = self.equations.start(&self.p, &mut x[..self.nx()]);
        let (before, guess) = x.split_at_mut(self.nx() + self.nc());
        self.equations.guess(&before[..self.nx()], &self.p, guess);
        self.settle(t, &mode, &mut x, None, workspace)?;
        self.solve(At::new(t, &mode, &x), workspace)?;
        x[self.guesses()].copy_from_slice(&workspace.algebraic.y);
        Ok((mode, x))
    }

    /// Algebraic variables of a state X, in the workspace.
    ///
    /// # Errors
    /// As [`System::start`].
    pub fn solve<'a>(&self, at: At<E::Mode>, workspace: &'a mut Workspace) -> Result<&'a [f64]> {
        let (place, guess) = (self.place(at), &at.x[self.guesses()]);
        workspace.algebraic.solve(&self.equations, &place, guess)?;
        Ok(&workspace.algebraic.y)
    }

    #[inline]
    pub(super) fn nx(&self) -> usize {
        self.size.states
    }

    #[inline]
    pub(super) fn nc(&self) -> usize {
        self.size.costs
    }

    #[inline]
    pub(super) fn ny(&self) -> usize {
        self.size.algebraic
    }

    /// Directions [x | p | t].
    #[inline]
    pub(super) fn directions(&self) -> usize {
        self.nx() + self.p.len() + 1
    }

    /// Places of the integrated costs in X.
    #[inline]
    pub(super) fn integrals(&self) -> Range<usize> {
        self.nx()..self.nx() + self.nc()
    }

    /// Places in X of where to look for y.
    #[inline]
    pub(super) fn guesses(&self) -> Range<usize> {
        self.nx() + self.nc()..self.dimension()
    }

    #[inline]
    pub(super) fn place<'a>(&'a self, At { t, mode, x }: At<'a, E::Mode>) -> Given<'a, E::Mode> {
        Given {
            t,
            mode,
            x: &x[..self.nx()],
            p: &self.p,
        }
    }
}

/// [x' | r] of the equations at a point.
#[inline]
pub(super) fn rates<E: Equations, S: super::Scalar>(equations: &E, mode: &E::Mode, at: &Point<S>, out: &mut [S]) {
    let (dx, r) = out.split_at_mut(at.x.len());
    equations.flow(mode, at, dx);
    equations.running_costs(mode, at, r);
}

impl<E: Equations> HybridSystem for System<E> {
    type Mode = E::Mode;
    type Workspace = Workspace;

    fn dimension(&self) -> usize {
        self.nx() + self.nc() + self.ny()
    }

    fn memory(&self) -> Range<usize> {
        self.guesses()
    }

    fn dynamic(&self) -> Range<usize> {
        0..self.nx()
    }

    fn workspace(&self) -> Workspace {
        let (nx, ny, m) = (self.nx(), self.ny(), self.directions());
        let rates = nx + self.nc();
        Workspace {
            algebraic: Algebraic::new((nx, ny, self.p.len()), rates.max(1)),
            projection: Projection::new((nx, ny), m),
            y_slopes: vec![0.0; ny * m],
            rates: Differentiated::new(rates, m),
            guard: Differentiated::new(1, m),
        }
    }

    fn flow(&self, at: At<E::Mode>, workspace: &mut Workspace, dx: &mut [f64]) -> Result<()> {
        self.solve(at, workspace)?;
        let place = self.place(at);
        let algebraic = &mut workspace.algebraic;
        dx.fill(0.0);
        let (direct, guess) = dx.split_at_mut(self.nx() + self.nc());
        rates(&self.equations, at.mode, &place.point(&algebraic.y), direct);
        algebraic.rate(&self.equations, &place, &direct[..self.nx()], guess);
        Ok(())
    }

    fn flow_jacobian(&self, at: At<E::Mode>, workspace: &mut Workspace, jacobian: &mut [f64]) -> Result<()> {
        self.differentiate_rates(at, workspace)?;
        self.write_jacobian(workspace, jacobian);
        Ok(())
    }

    fn project(&self, t: f64, mode: &E::Mode, x: &mut [f64], workspace: &mut Workspace) -> Result<bool> {
        let hides = self.hides(mode);
        if hides {
            self.close(t, mode, x, workspace)?;
        }
        Ok(hides)
    }

    fn projects(&self, mode: &E::Mode) -> bool {
        self.hides(mode)
    }

    fn explain(&self, error: Error, at: At<E::Mode>, workspace: &mut Workspace) -> Error {
        match error.kind() {
            ErrorKind::Event => error,
            _ => self.check_grip(at, workspace).err().unwrap_or(error),
        }
    }

    fn guards(&self) -> usize {
        self.size.guards
    }

    fn crossing(&self, guard: usize, mode: &E::Mode) -> Option<Crossing> {
        self.equations.crossing(guard, mode)
    }

    fn guard(&self, guard: usize, at: At<E::Mode>, workspace: &mut Workspace) -> Result<f64> {
        let y = self.solve(at, workspace)?;
        Ok(self.equations.guard(guard, at.mode, &self.place(at).point(y)))
    }

    fn jump(
        &self,
        t: f64,
        mode: &E::Mode,
        x: &mut [f64],
        fired: &[usize],
        workspace: &mut Workspace,
    ) -> Result<Jump<E::Mode>> {
        let jumped = self.jump_with_slopes(t, mode, x, fired, workspace)?;
        Ok(Jump {
            mode: jumped.mode,
            happenings: jumped.happenings,
            remarks: Vec::new(),
        })
    }
}
