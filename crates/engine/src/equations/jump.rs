//! Jumps with their derivatives.

use super::derivatives::{Variation, VariedPoint};
use super::system::{System, Workspace};
use super::{Equations, Point};
use crate::error::Result;
use crate::hybrid::{At, Happening, HybridSystem};

/// Outcome of a jump with its derivatives.
pub(super) struct Jumped<M> {
    pub mode: M,
    pub happenings: Vec<Happening>,
    pub slopes: JumpSlopes,
}

/// Derivatives of the states and the costs after a jump: rows [x+ | what it adds to the costs], columns [x- | p | t].
#[derive(Clone, Debug)]
pub struct JumpSlopes {
    pub(super) rows: Vec<f64>,
}

impl<E: Equations> System<E> {
    /// Applies the jumps of the fired guards to X, one after the other.
    pub(super) fn jump_with_slopes(
        &self,
        t: f64,
        mode: &E::Mode,
        x: &mut [f64],
        fired: &[usize],
        workspace: &mut Workspace,
    ) -> Result<Jumped<E::Mode>> {
        let (nx, m) = (self.nx(), self.directions());
        let mut mode = mode.clone();
        let mut happenings = Vec::new();
        let mut slopes = vec![0.0; (nx + self.nc()) * m];
        slopes[..nx * m]
            .iter_mut()
            .step_by(m + 1)
            .for_each(|entry| *entry = 1.0);
        for &guard in fired {
            // A jump before it may have put the guard to sleep.
            if self.crossing(guard, &mode).is_none() {
                continue;
            }
            mode = self.jump_of(guard, t, &mode, x, &mut slopes, workspace)?;
            happenings.push(Happening {
                name: self.equations.event_name(guard),
                kind: "event".to_string(),
                part: 0,
                outcome: None,
            });
            self.solve(At::new(t, &mode, x), workspace)?;
            x[self.guesses()].copy_from_slice(&workspace.algebraic.y);
        }
        let name = fired.first().map(|guard| self.equations.event_name(*guard));
        self.settle(t, &mode, x, name.as_deref(), workspace)?;
        Ok(Jumped {
            mode,
            happenings,
            slopes: JumpSlopes { rows: slopes },
        })
    }

    /// Applies the jump of one guard to X and to the derivatives of its states and costs; returns the next mode.
    fn jump_of(
        &self,
        guard: usize,
        t: f64,
        mode: &E::Mode,
        x: &mut [f64],
        slopes: &mut [f64],
        workspace: &mut Workspace,
    ) -> Result<E::Mode> {
        let (nx, m) = (self.nx(), self.directions());
        let (at, by_x) = (At::new(t, mode, x), Variation::Rows(&slopes[..nx * m]));
        self.differentiate_algebraic(at, by_x, workspace)?;
        let mut values = vec![0.0; nx + self.nc()];
        let mut after = vec![0.0; slopes.len()];
        let mut next = mode.clone();
        let function = |before: &Point<_>, out: &mut [_]| {
            let (x, l) = out.split_at_mut(nx);
            x.copy_from_slice(before.x);
            next = self.equations.jump(guard, mode, before, x);
            self.equations.event_costs(guard, mode, before, l);
        };
        let point = self.place(at).point(&workspace.algebraic.y);
        let varied = VariedPoint::along_all(point, by_x, Variation::Rows(&workspace.y_slopes));
        workspace
            .algebraic
            .sweep
            .run(&varied, function, &mut values, &mut after);
        slopes[..nx * m].copy_from_slice(&after[..nx * m]);
        for (sum, slope) in slopes[nx * m..].iter_mut().zip(&after[nx * m..]) {
            *sum += slope;
        }
        x[..nx].copy_from_slice(&values[..nx]);
        for (integral, cost) in x[self.integrals()].iter_mut().zip(&values[nx..]) {
            *integral += cost;
        }
        Ok(next)
    }
}
