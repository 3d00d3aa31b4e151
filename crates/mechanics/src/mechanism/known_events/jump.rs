//! Jumps over any scalar: memory, then velocities with the contacts that took part (theory, section 4).

use super::{KnownEvents, KnownJump};
use crate::linear::Frozen;
use crate::mechanism::friction::stage::Stage;
use crate::mechanism::impact_problem::Before;
use crate::mechanism::impact_problem::{ImpactPlan, saddle, solved};
use crate::mechanism::memory::Written;
use crate::model::{Mode, Remembered};
use crate::scalar::Scalar;

impl KnownEvents<'_> {
    /// Applies a jump to a state.
    pub(super) fn apply_jump<S: Scalar>(&self, known: &KnownJump, t: S, x: &mut [S], p: &[S]) {
        let start = self.nq() + self.nv();
        let (before, memory) = (x.to_vec(), self.model().memory_start());
        let mut numbers = self.numbers(p, &before[start..]);
        self.write(
            &known.linearized.written,
            &known.before,
            (t, &before),
            x,
            &known.memory,
            p,
        );
        numbers[memory..].copy_from_slice(&x[start..]);
        if let Some(displacement) = &known.linearized.displacement {
            let moved = displacement.over(self.model(), t, &before[..self.nq()], &numbers);
            x[..self.nq()].copy_from_slice(&moved);
        }
        let (q, v) = (&x[..self.nq()].to_vec(), &before[self.nq()..start]);
        for (slot, value) in self.mechanism.marks(&known.linearized.sticking, q, &mut numbers) {
            x[start + slot] = value;
        }
        if let Some((plan, _)) = &known.linearized.impact {
            let numbers = &numbers;
            let after = self.velocities_after(plan, Before { t, q, v, numbers });
            x[self.nq()..start].copy_from_slice(&after);
        } else if !known.linearized.stages.is_empty() {
            let numbers = &numbers;
            let after = self.velocities_after_stages(&known.linearized.stages, Before { t, q, v, numbers });
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

    /// The velocities after the stages of an impact with friction.
    fn velocities_after_stages<S: Scalar>(&self, stages: &[Stage], before: Before<S>) -> Vec<S> {
        let nv = self.nv();
        let (mut v, mut earlier) = (before.v.to_vec(), Vec::new());
        for stage in stages {
            let mut unknowns: Vec<S> = stage.unknowns.iter().map(|value| S::from(*value)).collect();
            match &stage.factors {
                Some(factors) => Frozen::new(&factors[0], unknowns.len()).solve(&mut unknowns, |unknowns| {
                    let before = Before { v: &v, ..before };
                    self.mechanism.stage_residual(stage, before, &earlier, unknowns)
                }),
                None => unknowns.fill(S::from(f64::NAN)),
            }
            earlier = unknowns.split_off(nv);
            v = unknowns;
        }
        v
    }

    /// Solves M (v+ - v-) = R^T J with the conditions of the rows that took part.
    fn velocities_after<S: Scalar>(&self, plan: &ImpactPlan, before: Before<S>) -> Vec<S> {
        let (nv, mass) = (self.nv(), self.mass(before.q, before.numbers));
        let Ok(lu) = saddle(before.t.re(), &mass, &plan.rows, &plan.solution.independent) else {
            return vec![S::from(f64::NAN); nv];
        };
        let conditions = self.mechanism.conditions(plan, before);
        let mut unknowns = solved(plan);
        Frozen::new(&lu, unknowns.len()).solve(&mut unknowns, |unknowns| {
            self.mechanism.impact_residual(&conditions, before, unknowns)
        });
        unknowns.truncate(nv);
        unknowns
    }
}
