//! Singular positions on the way of a motion (theory, 8.1).

use super::{Mechanism, Workspace};
use crate::assembly::{Undetermined, lost_in_passing};
use crate::hybrid::{At, HybridSystem};
use crate::integrate::DenseOutput;
use crate::model::Mode;

/// Distances from a place, over the length of the step over it, at which lines through the regularity on both sides find it.
const ASIDE: [f64; 4] = [0.05, 0.01, 1e-3, 1e-4];

impl Mechanism {
    /// Parameters that take the motion off its branch at the singular position that a step from `start` to `end` passes about the time
    /// `place`: nothing later has a derivative by them. None under a penalty, where joints give way.
    pub fn lost_in_passing(
        &self,
        mode: &Mode,
        (start, place, end): (f64, f64, f64),
        dense: &DenseOutput,
        workspace: &mut Workspace,
    ) -> Vec<Undetermined> {
        if !self.needs_independent_rows() || mode.rows == 0 {
            return Vec::new();
        }
        // Sensitivities may follow the state.
        let mut x = vec![0.0; dense.dimension()];
        let mut t = place.clamp(start, end);
        for aside in ASIDE {
            let aside = aside * (end - start);
            let [before, after] = [t - aside, t + aside].map(|t| {
                dense.evaluate(t, &mut x);
                self.regularity_at(At::new(t, mode, &x[..self.dimension()]), workspace)
            });
            // In proportion to the time to the place on either side of it.
            let shift = aside * (before - after) / (before + after);
            if shift.is_finite() {
                t = (t + shift).clamp(start, end);
            }
        }
        dense.evaluate(t, &mut x);
        let mut other = x.clone();
        let beside = if t - start > end - t { start } else { end };
        dense.evaluate(beside, &mut other);
        let there = (t, &x[self.positions()], &x[self.velocities()]);
        let beside = (beside, &other[self.positions()], &other[self.velocities()]);
        lost_in_passing(&self.model, mode, there, beside)
    }

    /// How far a state is from where joints lose their independence.
    fn regularity_at(&self, at: At<Mode>, workspace: &mut Workspace) -> f64 {
        self.load_memory(at.x, &mut workspace.terms);
        let (q, v) = (&at.x[self.positions()], &at.x[self.velocities()]);
        self.model
            .assemble_constraints(at.t, q, v, at.mode, &mut workspace.terms);
        workspace.projector.factor(at.mode, &workspace.terms)
    }
}
