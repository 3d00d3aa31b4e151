//! Rows of the impact problem by contact law.

use super::impact_problem::{ImpactRow, Origin, Returned, Side};
use super::jump::Request;
use super::{Mechanism, Workspace};
use crate::hybrid::At;
use crate::model::Mode;
use crate::model::contact::{Keep, Law};
use crate::model::over::RowOver;

impl Mechanism {
    pub(super) fn impact_rows(
        &self,
        at: At<Mode>,
        request: &Request,
        gaps: &[RowOver<f64>],
        resting: &[bool],
        sliding: &[usize],
        workspace: &mut Workspace,
    ) -> Vec<ImpactRow> {
        let mut rows = self.bilateral_rows(at, workspace, |row| -row.c_t);
        let name = |contact: usize| &self.model.contacts[contact].name;
        for &contact in sliding {
            let origin = Origin::held(self.model.contacts[contact].gap, 0);
            rows.push(self.impact_row(origin, Side::Unilateral, name(contact), at, workspace));
        }
        for ((&contact, gap), &rests) in request.touching.iter().zip(gaps).zip(resting) {
            let (side, origins) = self.law_rows(contact, !rests && gap.rate < 0.0, at, workspace);
            let row = |origin| self.impact_row(origin, side, name(contact), at, workspace);
            rows.extend(origins.into_iter().map(row));
        }
        rows
    }

    /// Rows of one touching contact by its law.
    fn law_rows(&self, contact: usize, bounces: bool, at: At<Mode>, workspace: &mut Workspace) -> (Side, Vec<Origin>) {
        let element = &self.model.contacts[contact];
        let gap = element.gap;
        match (&element.law, &element.pin) {
            (Law::Restitution { e }, _) if bounces => {
                (Side::Unilateral, vec![Origin::returning(gap, 0, Returned::Share(*e))])
            }
            (Law::Restitution { .. }, _) => (Side::Unilateral, vec![Origin::held(gap, 0)]),
            (Law::Flip { keep }, _) => {
                let mut origins = vec![Origin::returning(gap, 0, Returned::All)];
                match keep {
                    Keep::Coordinates(list) => origins.extend(list.iter().map(|&i| Origin::Coordinate(i))),
                    Keep::Tangential => {
                        let q = &at.x[self.positions()];
                        let rows = 0..self.tangential_rows(contact, q, &workspace.terms.numbers).len();
                        origins.extend(rows.map(|row| Origin::Tangential { contact, row }));
                    }
                }
                (Side::Bilateral, origins)
            }
            (Law::Stick { .. }, Some(pin)) => {
                self.marks(&[contact], &at.x[self.positions()], &mut workspace.terms.numbers);
                let rows = 0..self.model.constraints[pin.constraint].rows;
                (
                    Side::Bilateral,
                    rows.map(|row| Origin::held(pin.constraint, row)).collect(),
                )
            }
            (Law::Stick { .. }, None) => (Side::Bilateral, vec![Origin::held(gap, 0)]),
        }
    }
}
