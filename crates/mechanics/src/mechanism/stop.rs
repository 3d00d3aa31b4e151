//! The end of bounces that are too low to be seen.

use super::impact_problem::{ImpactPlan, ImpactRow, Origin, Side};
use super::jump::Next;
use super::{Mechanism, Workspace};
use crate::hybrid::At;
use crate::model::{ContactState, Mode};

impl Mechanism {
    /// Takes from contacts that last what is left of their normal velocity, by solving the impact again with every
    /// contact that took part, and every one that lasts, as an equation. The projection onto the new mode would do so
    /// too, but not as a part of the jump that has a derivative.
    ///
    /// Where these equations contradict each other the velocities stay, and the projection decides. True if the velocities
    /// have changed.
    pub(super) fn stop_closed(&self, next: &mut Next, workspace: &mut Workspace) -> bool {
        let Some(plan) = &workspace.plan else { return false };
        let velocities = self.velocities();
        let lasting: Vec<ImpactRow> = next
            .mode
            .having(|state| state == ContactState::Sliding)
            .map(|contact| {
                let element = &self.model.contacts[contact];
                let origin = Origin::held(element.gap, 0);
                self.impact_row(origin, Side::Bilateral, &element.name, next.at(), workspace)
            })
            .collect();
        let noise = self.noise(next.x);
        if (lasting.iter()).all(|row| (row.row.dot(&next.x[velocities.clone()]) - row.target).abs() <= noise) {
            return false;
        }
        if !workspace.stages.is_empty() {
            return self.stop_with_friction(next, workspace);
        }
        let lasts = |row: &ImpactRow| lasting.iter().any(|other| gap_of(other) == gap_of(row));
        let mut rows: Vec<ImpactRow> = (plan.solution.independent.iter().map(|&i| &plan.rows[i]))
            .filter(|row| !lasts(row))
            .map(|row| ImpactRow {
                side: Side::Bilateral,
                ..row.clone()
            })
            .collect();
        rows.extend(lasting.iter().cloned());
        let before = plan.before.clone();
        let Ok(solution) = self.solve_impact(next.t, &workspace.terms.mass, &before, &rows) else {
            return false;
        };
        next.x[velocities].copy_from_slice(&solution.v);
        workspace.plan = Some(ImpactPlan { rows, before, solution });
        true
    }

    /// Struck contacts with a law of restitution, not among the candidates for lasting contact, that have no normal
    /// velocity left.
    pub(super) fn stopped(
        &self,
        at: At<Mode>,
        struck: &[usize],
        candidates: &[usize],
        workspace: &Workspace,
    ) -> Vec<usize> {
        let noise = self.noise(at.x);
        let stopped = |&contact: &usize| {
            let element = &self.model.contacts[contact];
            let rate = self.gap_row(contact, at, workspace).rate;
            element.law.restitution().is_some() && !candidates.contains(&contact) && rate.abs() <= noise
        };
        struck.iter().copied().filter(stopped).collect()
    }
}

/// The constraint whose gap a row restrains, if it is one.
fn gap_of(row: &ImpactRow) -> Option<usize> {
    match row.origin {
        Origin::Constraint { constraint, row: 0, .. } => Some(constraint),
        _ => None,
    }
}
