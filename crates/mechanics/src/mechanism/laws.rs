//! Rows of the impact problem by contact law.

use super::impact_problem::{ImpactRow, Origin, Returned, Side};
use super::jump::Request;
use super::{Mechanism, Workspace};
use crate::hybrid::At;
use crate::in_dimension;
use crate::model::contact::{Keep, Law};
use crate::model::over::RowOver;
use crate::model::{ContactState, Mode};

impl Mechanism {
    pub(super) fn impact_rows(
        &self,
        at: At<Mode>,
        request: &Request,
        gaps: &[RowOver<f64>],
        (resting, slipping): (&[bool], &[usize]),
        sliding: &[usize],
        workspace: &mut Workspace,
    ) -> Vec<ImpactRow> {
        let mut rows = self.bilateral_rows(at, workspace, |row| -row.c_t);
        for contact in (0..at.mode.contacts.len()).filter(|&i| at.mode.contacts[i] == ContactState::Stuck) {
            let held = self.held_while_stuck(contact);
            let own = |row: &&mut ImpactRow| matches!(row.origin, Origin::Constraint { constraint, .. } if constraint == held);
            let sides = self.sticking_sides(contact, at, workspace);
            rows.iter_mut()
                .filter(own)
                .zip(sides)
                .for_each(|(row, side)| row.side = side);
        }
        rows.extend(self.reset_rows(&request.resets, at, workspace));
        let name = |contact: usize| &self.model.contacts[contact].name;
        for &contact in sliding {
            let origin = Origin::held(self.model.contacts[contact].gap, 0);
            rows.push(self.impact_row(origin, Side::Unilateral, name(contact), at, workspace));
        }
        for ((&contact, gap), &rests) in request.touching.iter().zip(gaps).zip(resting) {
            let origins = match slipping.contains(&contact) {
                true => vec![(Side::Unilateral, Origin::held(self.model.contacts[contact].gap, 0))],
                false => self.law_rows(contact, !rests && gap.rate < 0.0, at, workspace),
            };
            let row = |(side, origin)| self.impact_row(origin, side, name(contact), at, workspace);
            rows.extend(origins.into_iter().map(row));
        }
        rows
    }

    /// Rows of one touching contact by its law.
    fn law_rows(&self, contact: usize, bounces: bool, at: At<Mode>, workspace: &mut Workspace) -> Vec<(Side, Origin)> {
        let element = &self.model.contacts[contact];
        let gap = element.gap;
        match &element.law {
            Law::Restitution { e } if bounces => {
                vec![(Side::Unilateral, Origin::returning(gap, 0, Returned::Share(*e)))]
            }
            Law::Restitution { .. } => vec![(Side::Unilateral, Origin::held(gap, 0))],
            Law::Flip { keep } => {
                let mut origins = vec![Origin::returning(gap, 0, Returned::All)];
                match keep {
                    Keep::Velocities(list) => origins.extend(list.iter().map(|&i| Origin::Velocity(i))),
                    Keep::Tangential => {
                        let q = &at.x[self.positions()];
                        let rows = 0..self.tangential_rows(contact, q, &workspace.terms.numbers).len();
                        origins.extend(rows.map(|row| Origin::Tangential { contact, row }));
                    }
                }
                origins.into_iter().map(|origin| (Side::Bilateral, origin)).collect()
            }
            Law::Stick { .. } => {
                self.marks(&[contact], &at.x[self.positions()], &mut workspace.terms.numbers);
                let held = self.held_while_stuck(contact);
                let sides = self.sticking_sides(contact, at, workspace).into_iter().enumerate();
                sides.map(|(row, side)| (side, Origin::held(held, row))).collect()
            }
        }
    }

    /// The constraint that holds while a contact sticks.
    fn held_while_stuck(&self, contact: usize) -> usize {
        let element = &self.model.contacts[contact];
        element.pin.as_ref().map_or(element.gap, |pin| pin.constraint)
    }

    /// How the rows of that constraint hold.
    fn sticking_sides(&self, contact: usize, at: At<Mode>, workspace: &Workspace) -> Vec<Side> {
        let q = &at.x[self.positions()];
        let shares = in_dimension!(self.model.dimension, D => {
            self.pushing_direction::<D>(contact, q, &workspace.terms.numbers).to_vec()
        });
        let rows = self.model.constraints[self.held_while_stuck(contact)].rows;
        let shares = if rows == 1 { vec![1.0] } else { shares };
        (shares.into_iter().take(rows))
            .map(|share| Side::Sticking { contact, share })
            .collect()
    }

    /// Direction in which a contact with places pushes.
    fn pushing_direction<const D: usize>(&self, contact: usize, q: &[f64], numbers: &[f64]) -> [f64; D] {
        let gap = &self.model.constraints[self.model.contacts[contact].gap];
        gap.kind
            .contact_normal(&gap.local.pick(q), &gap.local.pick_numbers(numbers))
    }
}
