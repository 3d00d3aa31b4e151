//! Which touching contacts stay closed: complementarity of normal forces and accelerations of the gaps.

use std::collections::HashSet;

use super::impact::complementary;
use super::impact_problem::{ImpactRow, ImpactSolution, Origin, Side};
use super::impact_system::ImpactSystem;
use super::jump::CLOSED;
use super::{Mechanism, Workspace};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::At;
use crate::model::over::RowOver;
use crate::model::{ContactState, Mode};

impl Mechanism {
    /// Rows of a constraint at a state with the memory loaded, whether or not it acts.
    pub(super) fn rows_at(&self, constraint: usize, at: At<Mode>, workspace: &Workspace) -> Vec<RowOver<f64>> {
        let (q, v) = (&at.x[self.positions()], &at.x[self.velocities()]);
        self.model.rows_over(constraint, at.t, q, v, &workspace.terms.numbers)
    }

    /// Row of the gap of a contact likewise.
    pub(super) fn gap_row(&self, contact: usize, at: At<Mode>, workspace: &Workspace) -> RowOver<f64> {
        let gap = self.model.contacts[contact].gap;
        self.rows_at(gap, at, workspace).swap_remove(0)
    }

    /// Rows of every acting constraint except the gaps of sliding contacts, with their targets from `target`.
    pub(super) fn bilateral_rows(
        &self,
        at: At<Mode>,
        workspace: &Workspace,
        target: impl Fn(&RowOver<f64>) -> f64,
    ) -> Vec<ImpactRow> {
        let mode = at.mode;
        let contacts = self.model.contacts.iter().zip(mode.contacts.iter());
        let sliding: HashSet<usize> = (contacts.filter(|(_, state)| **state == ContactState::Sliding))
            .map(|(contact, _)| contact.gap)
            .collect();
        mode.constraints
            .iter()
            .filter(|&constraint| !sliding.contains(constraint))
            .flat_map(|&constraint| {
                let name = &self.model.constraints[constraint].name;
                let rows = self.rows_at(constraint, at, workspace).into_iter().enumerate();
                let held = |(k, row): (usize, RowOver<f64>)| {
                    let target = target(&row);
                    ImpactRow::new(row.row, target, Side::Bilateral, Origin::held(constraint, k), name)
                };
                rows.map(held).collect::<Vec<_>>()
            })
            .collect()
    }

    /// Sets which of the candidates (contacts that touch without normal velocity) last and which are open, so that
    /// normal forces push and open gaps do not close. Those that neither push nor open stay: as sliding where they are
    /// independent of the others, else as carried by them. The mode's other contacts keep their state.
    ///
    /// A contact that was released at this very instant opens unless the others carry it. Returns the candidates that
    /// slide without being pressed.
    ///
    /// # Errors
    /// Kind `Event` when no consistent set is found.
    pub(super) fn close_contacts(
        &self,
        t: f64,
        mode: &mut Mode,
        x: &[f64],
        (candidates, unstuck): (&[usize], &[usize]),
        workspace: &mut Workspace,
    ) -> Result<Vec<usize>> {
        let released: Vec<usize> = (mode.released.iter().enumerate())
            .filter(|(_, time)| **time == t)
            .map(|(i, _)| i)
            .collect();
        let candidates: Vec<usize> = candidates.iter().copied().filter(|i| !released.contains(i)).collect();
        let all = || candidates.iter().chain(&released).copied();
        for contact in all() {
            mode.contacts[contact] = ContactState::Open;
        }
        mode.refresh(&self.model);
        if candidates.is_empty() && released.is_empty() {
            return Ok(Vec::new());
        }
        self.take_friction(&mut workspace.terms);
        self.assemble(At::new(t, mode, x), &mut workspace.terms);
        let mut rows = self.bilateral_rows(At::new(t, mode, x), workspace, |at| -at.gamma);
        let first = rows.len();
        for contact in all() {
            let element = &self.model.contacts[contact];
            let at = self.gap_row(contact, At::new(t, mode, x), workspace);
            let origin = Origin::held(element.gap, 0);
            rows.push(ImpactRow::new(
                at.row,
                -at.gamma,
                Side::Unilateral,
                origin,
                &element.name,
            ));
        }
        let system = ImpactSystem::new(t, &workspace.terms.mass, &rows, self.choices.by);
        let mut solution = complementary(&system, &workspace.terms.force, first + candidates.len())?;
        let mut unpressed = Vec::new();
        for (k, contact) in all().enumerate() {
            let pressed = solution.independent.contains(&(first + k));
            mode.contacts[contact] = {
                let may_join = k < candidates.len() && !unstuck.contains(&contact);
                self.lasting(&mut solution, &system, first + k, may_join)
            };
            if mode.contacts[contact] == ContactState::Sliding && !pressed {
                unpressed.push(contact);
            }
        }
        mode.refresh(&self.model);
        Ok(unpressed)
    }

    /// Contacts that let go must touch: a circle turns about the place where it stuck, and its gap does not stay zero.
    ///
    /// # Errors
    /// Kind `Event` where one penetrates, or would slide at a distance.
    pub(super) fn check_let_go(&self, at: At<Mode>, contacts: &[usize], workspace: &Workspace) -> Result<()> {
        for &contact in contacts {
            let size = self.farthest(at.x, self.gap_kind(contact));
            let gap = self.gap_row(contact, at, workspace).c;
            let lasts = at.mode.contacts[contact].lasts();
            if gap < -CLOSED * size || (lasts && gap > CLOSED * size) {
                let name = &self.model.contacts[contact].name;
                let message = format!(
                    "\"{name}\" lets go where its gap is {gap:.3e}: it has turned about the place where it stuck"
                );
                return Err(Error::new(ErrorKind::Event, message)
                    .named(name.clone())
                    .at_time(at.t)
                    .with_value(gap)
                    .advise("let a marker without radius touch where the body is to stick, or use another law"));
            }
        }
        Ok(())
    }

    /// State of a contact after the choice of those that push. A row that joins takes its place among the independent ones.
    fn lasting(&self, solution: &mut ImpactSolution, system: &ImpactSystem, i: usize, may_join: bool) -> ContactState {
        if solution.independent.contains(&i) {
            return ContactState::Sliding;
        }
        if !solution.holds(system.rows, i) {
            return ContactState::Open;
        }
        match (system.implies(&solution.independent, i), self.needs_independent_rows()) {
            // Under a penalty every contact has its own share of the force.
            (true, false) if may_join => ContactState::Sliding,
            (true, _) => ContactState::Carried,
            (false, _) if may_join => {
                solution.independent.push(i);
                ContactState::Sliding
            }
            _ => ContactState::Open,
        }
    }
}
