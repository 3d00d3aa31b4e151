//! Contacts that close at one instant: which of them act on each other, so that one impact is of all (theory, 3).

use super::guards::Watch;
use super::impact::coupled;
use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::At;
use crate::model::contact::Law;
use crate::model::{ContactState, Mode};

impl Mechanism {
    /// Takes the contacts that act, directly or through others, on the first that is due; others that touch and approach are
    /// due as well. All at once when anything but contacts is due.
    pub(super) fn strike_next(
        &self,
        at: At<Mode>,
        due: &mut Vec<usize>,
        workspace: &mut Workspace,
    ) -> Result<Vec<usize>> {
        // Springs that begin or end to pull and kinks act on nothing else: each is a jump of its own, after the others.
        let alone = |guard: &usize| matches!(self.watch(*guard), Watch::Spring(_) | Watch::Kink(_));
        let (alone, mut others): (Vec<usize>, Vec<usize>) = due.iter().partition(|guard| alone(guard));
        if let Some(&first) = alone.first() {
            let next = if others.is_empty() {
                vec![first]
            } else {
                self.strike_next(at, &mut others, workspace)?
            };
            due.retain(|guard| !next.contains(guard));
            return Ok(next);
        }
        // The guards of gaps come first, in the order of the contacts.
        if !due.iter().all(|&guard| matches!(self.watch(guard), Watch::Gap(_))) {
            return Ok(std::mem::take(due));
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
        let rows: Vec<Vec<Vec<f64>>> = (all.iter())
            .map(|&contact| self.law_directions(contact, at, workspace))
            .collect();
        let act = |i: usize, j: usize| -> Result<bool> {
            for (a, b) in rows[i].iter().flat_map(|a| rows[j].iter().map(move |b| (a, b))) {
                if coupled(at.t, &workspace.terms.mass, &bilateral, a, b)? {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        let mut together: Vec<usize> = (0..struck.len()).collect();
        let mut next = 0;
        while let Some(&i) = together.get(next) {
            for j in 0..all.len() {
                if !together.contains(&j) && act(i, j)? {
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
    fn law_directions(&self, contact: usize, at: At<Mode>, workspace: &Workspace) -> Vec<Vec<f64>> {
        let mut rows = vec![self.gap_row(contact, at, workspace).row];
        if !matches!(self.model.contacts[contact].law, Law::Restitution { .. }) {
            rows.extend(self.tangential_rows(contact, &at.x[self.positions()], &workspace.terms.numbers));
        }
        rows
    }
}
