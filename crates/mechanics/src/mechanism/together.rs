//! Contacts that close at one instant: which of them act on each other, so that one impact is of all (theory, 3).

use super::impact::Coupling;
use super::impact_system::ImpactSystem;
use super::watch::Watch;
use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::{At, HybridSystem};
use crate::linear::Entries;
use crate::model::{ContactState, Mode};
use crate::sensitivity::{InOrder, Pair, coincide};

/// Difference of two states, over the sizes, that is rounding.
const SAME_STATE: f64 = 1e-12;

impl Mechanism {
    /// Takes the contacts that act, directly or through others, on the first that is due; others that touch and approach are
    /// due as well. All at once when anything but contacts is due.
    pub(super) fn strike_next(
        &self,
        at: At<Mode>,
        due: &mut Vec<usize>,
        workspace: &mut Workspace,
    ) -> Result<Vec<usize>> {
        due.retain(|guard| !self.rests_on(*guard, at));
        if due.is_empty() {
            return Ok(Vec::new());
        }
        // Springs that begin or end to pull and kinks act on nothing else: each is a jump of its own, after the others, but for those
        // that come with these whatever changes.
        let alone = |guard: &usize| matches!(self.watch(*guard), Watch::Spring(_) | Watch::Kink(_));
        let (alone, mut others): (Vec<usize>, Vec<usize>) = due.iter().partition(|guard| alone(guard));
        if let Some(&first) = alone.first() {
            let next = match others.is_empty() {
                true if at.mode.slides.is_empty() => vec![first],
                true => self.on_guard_of(first, &alone, at, workspace),
                false => {
                    let next = self.strike_next(at, &mut others, workspace)?;
                    self.with_coinciding(next, &alone, at, workspace)?
                }
            };
            due.retain(|guard| !next.contains(guard));
            return Ok(next);
        }
        // The guards of gaps come first, in the order of the contacts.
        if !due.iter().all(|&guard| matches!(self.watch(guard), Watch::Gap(_))) {
            let next = self.inseparable(at, due, workspace);
            due.retain(|guard| !next.contains(guard));
            return Ok(next);
        }
        self.load_memory(at.x, &mut workspace.terms);
        due.extend(self.approaching(at, due, workspace).unwrap_or_default());
        if due.len() > 1 {
            self.assemble(at, &mut workspace.terms);
        }
        let next = self.acting_on(at, &due[..1], &due[1..], workspace)?;
        due.retain(|guard| !next.contains(guard));
        Ok(next)
    }

    /// Guards that fire, with those of others that come to zero with them whatever changes: what comes to rest leaves these no time of
    /// their own after it.
    fn with_coinciding(
        &self,
        mut next: Vec<usize>,
        others: &[usize],
        at: At<Mode>,
        workspace: &mut Workspace,
    ) -> Result<Vec<usize>> {
        let Some(&first) = next.first().filter(|_| at.mode.slides.is_empty()) else {
            return Ok(next);
        };
        let directions = self.parameter_directions();
        for &guard in others {
            if coincide(self, at, &directions, [first, guard], workspace)? {
                next.push(guard);
            }
        }
        next.sort_unstable();
        Ok(next)
    }

    /// The first of some guards with all others whose jumps do not commute with it, directly or through others.
    fn inseparable(&self, at: At<Mode>, due: &[usize], workspace: &mut Workspace) -> Vec<usize> {
        let mut next = due[..1].to_vec();
        while let Some(other) = (due.iter().copied())
            .find(|&guard| !next.contains(&guard) && !self.commute(at, [&next, &[guard]], workspace))
        {
            next.push(other);
        }
        let rest: Vec<usize> = due.iter().copied().filter(|guard| !next.contains(guard)).collect();
        if !rest.is_empty() && !self.commute(at, [&next, &rest], workspace) {
            return due.to_vec();
        }
        next.sort_unstable();
        next
    }

    /// Whether the jumps of two groups of guards do the same in either order as together, to first order too.
    fn commute(&self, at: At<Mode>, groups: [&[usize]; 2], workspace: &mut Workspace) -> bool {
        let directions = self.parameter_directions();
        let pair = Pair { groups, others: &[] };
        let mut in_order = |order| InOrder::new(self, at, &directions, (&pair, order), workspace);
        let (Ok(one), Ok(other)) = (in_order([0, 1]), in_order([1, 0])) else {
            return false;
        };
        let (mut together, mut x) = (groups.concat(), at.x.to_vec());
        together.sort_unstable();
        let Ok(joint) = self.jump(at.t, at.mode, &mut x, &together, workspace) else {
            return false;
        };
        let same = |found: &InOrder<Mode>| {
            let mut entries = found.x.iter().zip(&x).enumerate();
            let most = |i: usize| SAME_STATE * self.size(i).max(x[i].abs());
            found.mode == joint.mode && entries.all(|(i, (a, b))| (a - b).abs() <= most(i))
        };
        same(&one) && same(&other) && one.has_derivatives_of(&other)
    }

    /// Derivatives of the numbers by every parameter.
    fn parameter_directions(&self) -> Vec<Vec<f64>> {
        let mut directions = vec![vec![0.0; self.model.numbers.len()]; self.model.parameters.len()];
        for (i, number) in self.model.numbers.iter().enumerate() {
            for &(parameter, slope) in &number.gradient {
                directions[parameter][i] = slope;
            }
        }
        directions
    }

    /// Those of some contacts that act on others in an impact, directly or through contacts that last, after these others.
    pub(super) fn acting_on(
        &self,
        at: At<Mode>,
        struck: &[usize],
        contacts: &[usize],
        workspace: &Workspace,
    ) -> Result<Vec<usize>> {
        if contacts.is_empty() {
            return Ok(struck.to_vec());
        }
        let lasting = (0..self.model.contacts.len()).filter(|&i| at.mode.contacts[i] == ContactState::Sliding);
        let all: Vec<usize> = (struck.iter().chain(contacts).copied()).chain(lasting).collect();
        let bilateral = self.bilateral_rows(at, workspace, |_| 0.0);
        let system = ImpactSystem::new(at.t, &workspace.terms.mass, &bilateral, self.choices.by);
        let (mut directions, mut own) = (Vec::new(), Vec::new());
        for &contact in &all {
            let first = directions.len();
            directions.extend(self.law_directions(contact, at, workspace));
            own.push(first..directions.len());
        }
        let coupling = Coupling::new(&system, directions)?;
        let act = |i: usize, j: usize| own[i].clone().any(|a| own[j].clone().any(|b| coupling.acts(a, b)));
        let mut together: Vec<usize> = (0..struck.len()).collect();
        let mut next = 0;
        while let Some(&i) = together.get(next) {
            for j in 0..all.len() {
                if !together.contains(&j) && act(i, j) {
                    together.push(j);
                }
            }
            next += 1;
        }
        together.retain(|&i| i < struck.len() + contacts.len());
        together.sort_unstable();
        Ok(together.into_iter().map(|i| all[i]).collect())
    }

    /// Rows in whose directions the impact of a contact may act: its gap's, and the tangential ones unless its law acts along
    /// the normal alone.
    fn law_directions(&self, contact: usize, at: At<Mode>, workspace: &Workspace) -> Vec<Entries<f64>> {
        let mut rows = vec![self.gap_row(contact, at, workspace).row];
        if self.model.contacts[contact].law.restitution().is_none() {
            rows.extend(self.tangential_rows(contact, &at.x[self.positions()], &workspace.terms.numbers));
        }
        rows
    }
}
