//! Rows of the impact problem by contact law.

use super::closing::RowAt;
use super::impact::{ImpactRow, Origin, Side};
use super::jump::Request;
use super::{Mechanism, Workspace};
use crate::hybrid::At;
use crate::linear::dot;
use crate::model::Mode;
use crate::model::contact::{Keep, Law, Pin};

impl Mechanism {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn impact_rows(
        &self,
        at: At<Mode>,
        request: &Request,
        gaps: &[RowAt],
        resting: &[bool],
        sliding: &[usize],
        workspace: &mut Workspace,
    ) -> Vec<ImpactRow> {
        let At { t, x, .. } = at;
        let mut rows = self.bilateral_rows(at, workspace, |at| -at.c_t);
        for &contact in sliding {
            let element = &self.model.contacts[contact];
            let at = self.rows_at(element.gap, t, x, workspace).swap_remove(0);
            rows.push(ImpactRow {
                target: -at.c_t,
                row: at.row,
                side: Side::Unilateral,
                origin: Origin::Constraint {
                    constraint: element.gap,
                    row: 0,
                },
                name: element.name.clone(),
            });
        }
        for ((&contact, at), &rests) in request.touching.iter().zip(gaps).zip(resting) {
            self.law_rows(t, contact, at, rests, x, &mut rows, workspace);
        }
        rows
    }

    /// Rows of one touching contact by its law.
    #[allow(clippy::too_many_arguments)]
    fn law_rows(
        &self,
        t: f64,
        contact: usize,
        at: &RowAt,
        rests: bool,
        x: &[f64],
        rows: &mut Vec<ImpactRow>,
        workspace: &mut Workspace,
    ) {
        let element = &self.model.contacts[contact];
        let velocities = &x[self.velocities()];
        let gap = element.gap;
        let mut push = |row: Vec<f64>, target: f64, side: Side, origin: Origin| {
            rows.push(ImpactRow {
                row,
                target,
                side,
                origin,
                name: element.name.clone(),
            });
        };
        match &element.law {
            Law::Restitution { e } if !rests && at.rate < 0.0 => {
                let target = -workspace.terms.numbers[*e] * at.rate - at.c_t;
                push(
                    at.row.clone(),
                    target,
                    Side::Unilateral,
                    Origin::Restitution { gap, e: *e },
                );
            }
            Law::Restitution { .. } => {
                push(
                    at.row.clone(),
                    -at.c_t,
                    Side::Unilateral,
                    Origin::Constraint {
                        constraint: gap,
                        row: 0,
                    },
                );
            }
            Law::Flip { keep } => {
                push(
                    at.row.clone(),
                    -at.rate - at.c_t,
                    Side::Bilateral,
                    Origin::Reversal { gap },
                );
                for (row, origin) in self.kept_rows(contact, keep, x, workspace) {
                    let target = dot(&row, velocities);
                    push(row, target, Side::Bilateral, origin);
                }
            }
            Law::Stick { .. } => match &element.pin {
                Some(pin) => {
                    self.mark_numbers(pin, gap, x, workspace);
                    for (row, at) in self.rows_at(pin.constraint, t, x, workspace).into_iter().enumerate() {
                        let origin = Origin::Constraint {
                            constraint: pin.constraint,
                            row,
                        };
                        push(at.row, -at.c_t, Side::Bilateral, origin);
                    }
                }
                None => push(
                    at.row.clone(),
                    -at.c_t,
                    Side::Bilateral,
                    Origin::Constraint {
                        constraint: gap,
                        row: 0,
                    },
                ),
            },
        }
    }

    /// Rows of the velocities that a flip keeps.
    fn kept_rows(&self, contact: usize, keep: &Keep, x: &[f64], workspace: &Workspace) -> Vec<(Vec<f64>, Origin)> {
        let unit = |i: usize| {
            let mut row = vec![0.0; self.model.nv()];
            row[i] = 1.0;
            (row, Origin::Coordinate(i))
        };
        match keep {
            Keep::Coordinates(list) => list.iter().copied().map(unit).collect(),
            Keep::Tangential => {
                let rows = self.tangential_rows(contact, x, workspace).into_iter().enumerate();
                rows.map(|(row, values)| (values, Origin::Tangential { contact, row }))
                    .collect()
            }
        }
    }

    /// Marks in memory, in the state and the numbers, where the point and the surface of a contact touch.
    pub(super) fn remember(&self, pin: &Pin, gap: usize, x: &mut [f64], workspace: &mut Workspace) {
        let start = self.quadratures().end;
        for (slot, value) in self.mark_numbers(pin, gap, x, workspace) {
            x[start + slot] = value;
        }
    }

    /// Marks in the numbers alone where the point and the surface touch; returns the memory slots with their values.
    fn mark_numbers(&self, pin: &Pin, gap: usize, x: &[f64], workspace: &mut Workspace) -> Vec<(usize, f64)> {
        let marks = self.touch_marks(gap, pin, x, workspace);
        let start = self.model.memory_start();
        for &(slot, value) in &marks {
            workspace.terms.numbers[start + slot] = value;
        }
        marks
    }
}
