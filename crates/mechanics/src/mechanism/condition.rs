//! What the rows of an impact ask of the velocities, over any scalar: with numbers the impact itself, with dual numbers its
//! derivative, and second derivatives likewise.

use super::impact_problem::{Before, ImpactPlan, ImpactRow, Origin, Side};
use super::{Mechanism, Workspace};
use crate::hybrid::At;
use crate::linear::Entries;
use crate::model::Mode;
use crate::scalar::Scalar;

/// A row n with its condition n v+ = target.
pub(super) struct Condition<S> {
    pub row: Entries<S>,
    pub target: S,
}

impl Mechanism {
    /// The condition of a row.
    pub(super) fn condition<S: Scalar>(&self, origin: Origin, before: Before<S>) -> Condition<S> {
        let Before { t, q, v, numbers } = before;
        match origin {
            Origin::Constraint {
                constraint,
                row,
                returned,
            } => {
                let found = self.model.rows_over(constraint, t, q, v, numbers).swap_remove(row);
                let target = match returned.share(numbers) {
                    None => -found.c_t,
                    Some(share) => -(share * found.rate) - found.c_t,
                };
                Condition { row: found.row, target }
            }
            Origin::Tangential { contact, row } => {
                let row = self.tangential_rows(contact, q, numbers).swap_remove(row);
                let target = row.dot(v);
                Condition { row, target }
            }
            Origin::Velocity(i) => Condition {
                row: Entries::unit(i),
                target: v[i],
            },
            Origin::Reset { velocity, number } => Condition {
                row: Entries::unit(velocity),
                target: numbers[number],
            },
        }
    }

    /// What the velocities after an impact and the negative impulses of its independent rows, `unknowns`, leave of
    /// M (v+ - v-) - R^T J and of the conditions.
    pub(super) fn impact_residual<S: Scalar>(
        &self,
        conditions: &[Condition<S>],
        before: Before<S>,
        unknowns: &[S],
    ) -> Vec<S> {
        let (after, minus_impulses) = unknowns.split_at(before.v.len());
        let change: Vec<S> = after
            .iter()
            .zip(before.v)
            .map(|(after, before)| *after - *before)
            .collect();
        let mut residual = self
            .model
            .momentum_by_velocities(before.q, &change, before.numbers)
            .to_vec();
        for (condition, minus_impulse) in conditions.iter().zip(minus_impulses) {
            condition.row.add_to(*minus_impulse, &mut residual);
        }
        residual.extend(
            conditions
                .iter()
                .map(|condition| condition.row.dot(after) - condition.target),
        );
        residual
    }

    /// The conditions of the independent rows of an impact.
    pub(super) fn conditions<S: Scalar>(&self, plan: &ImpactPlan, before: Before<S>) -> Vec<Condition<S>> {
        let independent = plan.solution.independent.iter();
        independent
            .map(|&i| self.condition(plan.rows[i].origin, before))
            .collect()
    }

    /// A row of the impact at a state with the memory loaded.
    pub(super) fn impact_row(
        &self,
        origin: Origin,
        side: Side,
        name: &str,
        at: At<Mode>,
        workspace: &Workspace,
    ) -> ImpactRow {
        let before = Before {
            t: at.t,
            q: &at.x[self.positions()],
            v: &at.x[self.velocities()],
            numbers: &workspace.terms.numbers,
        };
        let Condition { row, target } = self.condition(origin, before);
        ImpactRow::new(row, target, side, origin, name)
    }
}
