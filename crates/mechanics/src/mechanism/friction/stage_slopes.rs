//! Derivatives of the stages of an impact with friction, by implicit differentiation (theory, 4.11).

use super::stage::{Normal, Stage};
use crate::hybrid::Tangent;
use crate::linear::dot;
use crate::mechanism::Mechanism;
use crate::mechanism::impact_problem::Before;
use crate::model::local::Local;
use crate::scalar::Dual64;

impl Mechanism {
    /// Derivative of the velocities after all stages along a direction, over which positions and numbers are duals.
    pub(in crate::mechanism) fn stages_jvp(
        &self,
        stages: &[Stage],
        t: Dual64,
        (q, numbers): (&[Dual64], &[Dual64]),
        along: &Tangent,
        out: &mut [f64],
    ) {
        let nv = self.model.nv();
        let (mut slopes, mut earlier) = (along.x[self.velocities()].to_vec(), Vec::new());
        for stage in stages {
            let v: Vec<Dual64> = (stage.before.iter().zip(&slopes))
                .map(|(v, slope)| Dual64::new(*v, *slope))
                .collect();
            let before = Before { t, q, v: &v, numbers };
            let residual = self.stage_residual(stage, before, &earlier, &lifted(&stage.unknowns));
            let mut right: Vec<f64> = residual.iter().map(|value| -value.eps).collect();
            if let Some(factors) = &stage.factors {
                factors[0].clone().solve(&mut right);
            }
            let impulses = stage.unknowns[nv..].iter().zip(&right[nv..]);
            earlier = impulses.map(|(impulse, slope)| Dual64::new(*impulse, *slope)).collect();
            right.truncate(nv);
            slopes = right;
        }
        out[self.velocities()].copy_from_slice(&slopes);
    }

    /// Replaces the costate of the velocities after all stages in `x_bar` by that of the state before, and adds to that of the numbers.
    pub(in crate::mechanism) fn stages_vjp(
        &self,
        stages: &[Stage],
        (t, q, numbers): (f64, &[f64], &[f64]),
        (x_bar, numbers_bar): (&mut [f64], &mut [f64]),
    ) {
        let nv = self.model.nv();
        let mut of_velocities = x_bar[self.velocities()].to_vec();
        let mut of_impulses = Vec::new();
        for (k, stage) in stages.iter().enumerate().rev() {
            let mut weights = of_velocities;
            weights.extend_from_slice(&of_impulses);
            weights.resize(stage.unknowns.len(), 0.0);
            if let Some(factors) = &stage.factors {
                factors[1].clone().solve(&mut weights);
            }
            let impulses = k.checked_sub(1).map_or(&[][..], |k| &stages[k].unknowns[nv..]);
            let unknowns = lifted(&stage.unknowns);
            let mut lifted = Lifted::new(t, q, &stage.before, numbers, impulses);
            let slope = |lifted: &Lifted| {
                let residual = self.stage_residual(stage, lifted.before(), &lifted.earlier, &unknowns);
                -dot(&weights, &residual.iter().map(|value| value.eps).collect::<Vec<f64>>())
            };
            for (i, bar) in x_bar[self.positions()].iter_mut().enumerate() {
                *bar += lifted.pass(|lifted| &mut lifted.q[i], slope);
            }
            for number in self.numbers_of(stage) {
                numbers_bar[number] += lifted.pass(|lifted| &mut lifted.numbers[number], slope);
            }
            of_velocities = (0..nv).map(|i| lifted.pass(|lifted| &mut lifted.v[i], slope)).collect();
            of_impulses = (0..impulses.len())
                .map(|i| lifted.pass(|lifted| &mut lifted.earlier[i], slope))
                .collect();
        }
        x_bar[self.velocities()].copy_from_slice(&of_velocities);
    }

    /// Numbers with derivatives that a stage reads.
    fn numbers_of(&self, stage: &Stage) -> Vec<usize> {
        let model = &self.model;
        let mut found: Vec<usize> = Vec::new();
        let mut take = |local: &Local| found.extend(&local.numbers);
        model.bodies.iter().for_each(|body| take(&body.local));
        for (constraint, _) in &stage.bilateral {
            take(&model.constraints[*constraint].local);
        }
        for struck in &stage.struck {
            take(&model.constraints[model.contacts[struck.contact].gap].local);
            struck
                .friction
                .iter()
                .for_each(|&friction| take(&model.frictions[friction].local));
        }
        for &(friction, _) in &stage.joints {
            take(&model.frictions[friction].local);
            take(&model.forces[model.frictions[friction].force].local);
        }
        found.extend(stage.struck.iter().filter_map(|struck| match struck.normal {
            Normal::Held | Normal::Carried => None,
            Normal::Returning(e) | Normal::Expanding(e) => Some(e),
        }));
        found.sort_unstable();
        found.dedup();
        found.retain(|&number| model.is_fed(number));
        found
    }
}

/// Arguments of a stage as dual numbers.
struct Lifted {
    t: Dual64,
    q: Vec<Dual64>,
    v: Vec<Dual64>,
    numbers: Vec<Dual64>,
    earlier: Vec<Dual64>,
}

impl Lifted {
    fn new(t: f64, q: &[f64], v: &[f64], numbers: &[f64], earlier: &[f64]) -> Self {
        Self {
            t: Dual64::from(t),
            q: lifted(q),
            v: lifted(v),
            numbers: lifted(numbers),
            earlier: lifted(earlier),
        }
    }

    fn before(&self) -> Before<'_, Dual64> {
        Before {
            t: self.t,
            q: &self.q,
            v: &self.v,
            numbers: &self.numbers,
        }
    }

    /// A value along one of the arguments.
    fn pass(&mut self, argument: impl Fn(&mut Self) -> &mut Dual64, value: impl Fn(&Self) -> f64) -> f64 {
        argument(self).eps = 1.0;
        let found = value(self);
        argument(self).eps = 0.0;
        found
    }
}

fn lifted(values: &[f64]) -> Vec<Dual64> {
    values.iter().map(|value| Dual64::from(*value)).collect()
}
