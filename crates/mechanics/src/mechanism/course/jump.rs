//! Jumps over any scalar: memory, then velocities with the contacts that took part (theory, section 4).

use super::{Course, Hop};
use crate::linear::{Frozen, product};
use crate::mechanism::impact::{ImpactPlan, Origin, saddle};
use crate::mechanism::memory::Written;
use crate::model::{Mode, Remembered};
use crate::scalar::Scalar;

/// A row of an impact: its entries and its condition for the velocities before and after.
struct Condition<S> {
    row: Vec<S>,
    /// Factor of what the row gave before.
    of_before: S,
    /// What is added to row v+ and, with the factor, to row v-.
    shift: S,
}

impl<S: Scalar> Condition<S> {
    /// row v+ + shift + factor (row v- + shift).
    fn residual(&self, before: &[S], after: &[S]) -> S {
        product(&self.row, after) + self.shift + self.of_before * (product(&self.row, before) + self.shift)
    }
}

impl Course<'_> {
    /// Applies a jump to a state.
    pub(super) fn hop<S: Scalar>(&self, hop: &Hop, t: S, x: &mut [S], p: &[S]) {
        let start = self.nq() + self.nv();
        let (before, memory) = (x.to_vec(), self.model().memory_start());
        let mut numbers = self.numbers(p, &before[start..]);
        let (q, v) = (&before[..self.nq()], &before[self.nq()..start]);
        for &contact in &hop.tangent.sticking {
            let element = &self.model().contacts[contact];
            let Some(pin) = &element.pin else { continue };
            let local = &self.model().constraints[element.gap].local;
            let own = local.pick_numbers(&numbers);
            for (slot, value) in self.mechanism.touch_marks_of(element.gap, pin, &local.pick(q), &own) {
                (x[start + slot], numbers[memory + slot]) = (value, value);
            }
        }
        self.write(&hop.tangent.written, &hop.before, (t, &before), x, &hop.memory, p);
        numbers[memory..].copy_from_slice(&x[start..]);
        if let Some((plan, ..)) = &hop.tangent.impact {
            let after = self.velocities_after(plan, t, (q, v), &numbers);
            x[self.nq()..start].copy_from_slice(&after);
        }
    }

    /// Puts values read off a state before into the memory of another; constants come from the memory of the known motion.
    pub(super) fn write<S: Scalar>(
        &self,
        written: &[Written],
        mode: &Mode,
        (t, before): (S, &[S]),
        x: &mut [S],
        memory: &[f64],
        p: &[S],
    ) {
        for Written { slot, assigned, .. } in written {
            let place = self.nq() + self.nv() + slot;
            x[place] = match assigned {
                Remembered::Constant(_) => S::from(memory[*slot]),
                value => {
                    let moved = self.moved(mode, t, before, p, value.needs_dynamics(self.model()));
                    value.evaluate(self.model(), mode, &moved.motion())
                }
            };
        }
    }

    /// Solves M (v+ - v-) = R^T J with the conditions of the rows that took part.
    fn velocities_after<S: Scalar>(&self, plan: &ImpactPlan, t: S, (q, v): (&[S], &[S]), numbers: &[S]) -> Vec<S> {
        let nv = self.nv();
        let independent = &plan.solution.independent;
        let conditions: Vec<Condition<S>> = (independent.iter())
            .map(|&i| self.condition(plan.rows[i].origin, t, q, numbers))
            .collect();
        let mut unknowns: Vec<S> = plan.solution.v.iter().map(|v| S::from(*v)).collect();
        unknowns.extend(independent.iter().map(|&i| S::from(-plan.solution.impulses[i])));
        let Ok(lu) = saddle(t.re(), &self.mass(q, numbers), &plan.rows, independent) else {
            return vec![S::from(f64::NAN); nv];
        };
        Frozen::new(&lu, unknowns.len()).solve(&mut unknowns, |unknowns| {
            let (after, minus_impulses) = unknowns.split_at(nv);
            let change: Vec<S> = after.iter().zip(v).map(|(after, before)| *after - *before).collect();
            let mut residual = self.model().momentum_over(q, &change, numbers);
            for (condition, minus_impulse) in conditions.iter().zip(minus_impulses) {
                for (slot, entry) in residual.iter_mut().zip(&condition.row) {
                    *slot += *entry * *minus_impulse;
                }
            }
            residual.extend(conditions.iter().map(|condition| condition.residual(v, after)));
            residual
        });
        unknowns.truncate(nv);
        unknowns
    }

    fn condition<S: Scalar>(&self, origin: Origin, t: S, q: &[S], numbers: &[S]) -> Condition<S> {
        let (zero, one) = (S::from(0.0), S::from(1.0));
        let still = vec![zero; q.len()];
        let of_constraint = |constraint: usize, row: usize, of_before: S| {
            let found = self
                .model()
                .rows_over(constraint, t, q, &still, numbers)
                .swap_remove(row);
            Condition {
                row: found.row,
                of_before,
                shift: found.rate,
            }
        };
        match origin {
            Origin::Constraint { constraint, row } => of_constraint(constraint, row, zero),
            Origin::Restitution { gap, e } => of_constraint(gap, 0, numbers[e]),
            Origin::Reversal { gap } => of_constraint(gap, 0, one),
            Origin::Tangential { contact, row } => {
                let local = &self.model().constraints[self.model().contacts[contact].gap].local;
                let mut rows = self
                    .mechanism
                    .tangential_rows_of(contact, &local.pick(q), local.pick_numbers(numbers));
                Condition {
                    row: rows.swap_remove(row),
                    of_before: -one,
                    shift: zero,
                }
            }
            Origin::Coordinate(i) => {
                let mut row = still;
                row[i] = one;
                Condition {
                    row,
                    of_before: -one,
                    shift: zero,
                }
            }
        }
    }
}
