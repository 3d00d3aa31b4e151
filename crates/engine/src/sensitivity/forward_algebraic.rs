//! A differential-algebraic system together with its sensitivities: these are variations of the underlying ordinary
//! differential equation along the motion (theory, 8.2), with the constraints in none of their equations.

use crate::error::Result;
use crate::hybrid::Differentiable;
use crate::integrate::{Hessenberg, HessenbergWork, StagePoint, Structure};
use crate::linear::Descriptor;

/// The equations of a system in one mode with the variations of its state.
pub(super) struct VariedHessenberg<'a, H: Differentiable> {
    pub system: &'a H,
    /// Variations of the state.
    pub variations: usize,
    pub mode: &'a H::Mode,
    pub workspace: &'a mut H::Workspace,
}

impl<H: Differentiable> VariedHessenberg<'_, H> {
    /// Does some work with the equations of the state alone.
    fn of_state(&mut self, work: HessenbergWork) -> Result<()> {
        self.system.hessenberg(self.mode, self.workspace, work)
    }

    /// Number of components of the state.
    fn n(&self) -> usize {
        self.system.dimension()
    }
}

impl<H: Differentiable> Hessenberg for VariedHessenberg<'_, H> {
    fn structure(&mut self) -> Structure {
        let mut structure = Structure::default();
        // Offered only where there are equations.
        let _ = self.of_state(&mut |system| {
            structure = system.structure();
            Ok(())
        });
        structure.variations = self.variations;
        structure
    }

    fn residual(&mut self, point: &StagePoint, r: &mut [f64]) -> Result<()> {
        let x = &point.x[..self.n()];
        self.of_state(&mut |system| system.residual(&StagePoint { x, ..*point }, r))
    }

    fn linearize(&mut self, point: &StagePoint, mass: &mut [f64], jacobian: &mut [f64]) -> Result<()> {
        let x = &point.x[..self.n()];
        self.of_state(&mut |system| system.linearize(&StagePoint { x, ..*point }, mass, jacobian))
    }

    fn has_descriptor(&mut self) -> bool {
        let mut has = false;
        let _ = self.of_state(&mut |system| {
            has = system.has_descriptor();
            Ok(())
        });
        has
    }

    fn descriptor(&mut self, point: &StagePoint, out: &mut Descriptor) -> Result<bool> {
        let (x, mut written) = (&point.x[..self.n()], false);
        self.of_state(&mut |system| {
            written = system.descriptor(&StagePoint { x, ..*point }, out)?;
            Ok(())
        })?;
        Ok(written)
    }

    fn multipliers(&mut self, t: f64, x: &[f64], y: &mut [f64]) -> Result<()> {
        let n = self.n();
        self.of_state(&mut |system| system.multipliers(t, &x[..n], y))
    }

    fn make_consistent(&mut self, t: f64, x: &mut [f64]) -> Result<()> {
        let n = self.n();
        self.of_state(&mut |system| system.make_consistent(t, &mut x[..n]))
    }

    fn make_tangent(&mut self, t: f64, x: &[f64], change: &mut [f64]) -> Result<()> {
        let n = self.n();
        self.of_state(&mut |system| system.make_tangent(t, &x[..n], &mut change[..n]))
    }

    fn quadrature_rates(&mut self, t: f64, x: &[f64], rates: &mut [f64]) -> Result<()> {
        let n = self.n();
        self.of_state(&mut |system| system.quadrature_rates(t, &x[..n], rates))
    }
}
