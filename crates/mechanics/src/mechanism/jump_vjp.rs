//! Transposed derivative of a mechanism's jump: one solve with the impact's system, then gradients over what its rows touch
//! (theory, section 4).

use super::impact_problem::{ImpactPlan, Origin, Returned};
use super::impact_system::ImpactFactors;
use super::{LinearizedJump, Mechanism, Workspace};
use crate::linear::add_scaled;
use crate::model::Terms;
use crate::model::gradient::{Gradient, RowWeights};
use crate::model::local::{Local, MAX_LOCAL};
use crate::model::residual::Instant;
use crate::scalar::Dual64;

/// The transposed derivative of an impact under way.
struct ImpactVjp<'a> {
    mechanism: &'a Mechanism,
    t: f64,
    q: &'a [f64],
    plan: &'a ImpactPlan,
    terms: &'a Terms,
    /// Solution of the transposed system for the velocities.
    alpha: &'a [f64],
    /// Gradients with respect to the state before and to numbers followed by memory, which are added to.
    q_bar: &'a mut [f64],
    v_bar: &'a mut [f64],
    numbers_bar: &'a mut [f64],
}

impl Mechanism {
    /// Loads the memory as the impact of a jump finds it.
    pub(super) fn load_before_impact(&self, jump: &LinearizedJump, workspace: &mut Workspace) {
        let terms = &mut workspace.terms;
        self.load_memory(&jump.x, terms);
        self.marks(&jump.sticking, &jump.x[self.positions()], &mut terms.numbers);
        for written in &jump.written {
            terms.numbers[self.model.memory_number(written.slot)] = written.value;
        }
    }

    /// Replaces the costate of the velocities after an impact in `x_bar` by that of the state before, and adds to that of
    /// the numbers.
    pub(super) fn impact_vjp(
        &self,
        jump: &LinearizedJump,
        (plan, factors): (&ImpactPlan, &ImpactFactors),
        (x_bar, numbers_bar): (&mut [f64], &mut [f64]),
        workspace: &mut Workspace,
    ) {
        self.load_before_impact(jump, workspace);
        let (nv, terms) = (self.model.nv(), &mut workspace.terms);
        let mut alpha = x_bar[self.velocities()].to_vec();
        alpha.resize(nv + plan.solution.independent.len(), 0.0);
        factors.solve(&mut alpha);
        let beta = alpha.split_off(nv);
        let (q_bar, rest) = x_bar.split_at_mut(self.model.nq());
        let v_bar = &mut rest[..nv];
        v_bar.fill(0.0);
        ImpactVjp {
            mechanism: self,
            t: jump.t,
            q: &jump.x[self.positions()],
            plan,
            terms,
            alpha: &alpha,
            q_bar,
            v_bar,
            numbers_bar,
        }
        .run(&beta);
    }

    /// Moves what belongs to newly remembered places on to the coordinates and numbers that they were read off.
    pub(super) fn marks_vjp(
        &self,
        jump: &LinearizedJump,
        workspace: &mut Workspace,
        x_bar: &mut [f64],
        numbers_bar: &mut [f64],
    ) {
        let (memory, state) = (self.model.memory_start(), self.quadratures().end);
        self.load_memory(&jump.x, &mut workspace.terms);
        let q = &jump.x[self.positions()];
        for &contact in &jump.sticking {
            let slots = self.touch_marks(contact, q, &workspace.terms.numbers);
            let take = |&(slot, _): &(usize, f64)| {
                std::mem::take(&mut x_bar[state + slot]) + std::mem::take(&mut numbers_bar[memory + slot])
            };
            let weights: Vec<f64> = slots.iter().map(take).collect();
            let local = &self.model.constraints[self.model.contacts[contact].gap].local;
            let bars = (&mut *x_bar, &mut *numbers_bar);
            self.add_passes(local, (q, &workspace.terms.numbers), bars, |q, numbers| {
                let marks = self.touch_marks_of::<Dual64>(contact, q, numbers);
                marks
                    .iter()
                    .zip(&weights)
                    .map(|((_, mark), weight)| mark.eps * weight)
                    .sum()
            });
        }
    }

    /// One pass with dual numbers per local coordinate and number; `value` gives the derivative part of what is
    /// differentiated.
    fn add_passes(
        &self,
        local: &Local,
        (q, numbers): (&[f64], &[f64]),
        (q_bar, numbers_bar): (&mut [f64], &mut [f64]),
        value: impl Fn(&[Dual64; MAX_LOCAL], &[Dual64; MAX_LOCAL]) -> f64,
    ) {
        let (mut q, mut numbers) = (local.gather::<Dual64>(q), local.gather_numbers::<Dual64>(numbers));
        for (k, &i) in local.coordinates.iter().enumerate() {
            q[k].eps = 1.0;
            q_bar[i] += value(&q, &numbers);
            q[k].eps = 0.0;
        }
        for (k, &i) in local.numbers.iter().enumerate().filter(|(_, i)| self.model.is_fed(**i)) {
            numbers[k].eps = 1.0;
            numbers_bar[i] += value(&q, &numbers);
            numbers[k].eps = 0.0;
        }
    }
}

impl ImpactVjp<'_> {
    /// Adds the gradient of alpha.(M v- - M (v+ - v-) + R^T J) - beta.conditions with v+ and J held.
    fn run(mut self, beta: &[f64]) {
        let (plan, model) = (self.plan, &self.mechanism.model);
        let mass = model.mass(self.q, &self.terms.numbers);
        for (slot, momentum) in self.v_bar.iter_mut().zip(mass.times(self.alpha)) {
            *slot += momentum;
        }
        let change: Vec<f64> = plan.solution.v.iter().zip(&plan.before).map(|(a, b)| b - a).collect();
        let mut ignored = vec![0.0; change.len()];
        let at = Instant {
            t: self.t,
            q: self.q,
            v: &plan.before,
            a: &change,
            lambda: &[],
            attitudes: None,
        };
        let mut gradient = Gradient {
            q: self.q_bar,
            v: &mut ignored,
            numbers: self.numbers_bar,
        };
        model.momentum_gradient(&at, self.terms, self.alpha, &mut gradient);
        for (&i, &beta) in plan.solution.independent.iter().zip(beta) {
            self.add_row(plan.rows[i].origin, plan.solution.impulses[i], beta);
        }
    }

    /// Gradient of J (R alpha) - beta condition for one row.
    fn add_row(&mut self, origin: Origin, impulse: f64, beta: f64) {
        match origin {
            Origin::Constraint {
                constraint,
                row,
                returned,
            } => {
                self.add_constraint((constraint, row), &self.plan.solution.v, (impulse, -beta));
                let Some(share) = returned.share(&self.terms.numbers) else {
                    return;
                };
                let v_bar = self.add_constraint((constraint, row), &self.plan.before, (0.0, -beta * share));
                add_scaled(self.v_bar, 1.0, &v_bar);
                match returned {
                    Returned::Share(number) => {
                        let (model, numbers) = (&self.mechanism.model, &self.terms.numbers);
                        let rows = model.rows_over(constraint, self.t, self.q, &self.plan.before, numbers);
                        self.numbers_bar[number] -= beta * rows[row].rate;
                    }
                    Returned::Nothing | Returned::All => {}
                }
            }
            Origin::Tangential { contact, row } => self.add_tangential(contact, row, (impulse, beta)),
            Origin::Velocity(i) => self.v_bar[i] += beta,
            Origin::Reset { number, .. } => self.numbers_bar[number] += beta,
        }
    }

    /// Adds the gradient of impulse (R alpha) + rate c'(v) by positions and numbers; returns that by the velocities.
    fn add_constraint(
        &mut self,
        (constraint, row): (usize, usize),
        v: &[f64],
        (impulse, rate): (f64, f64),
    ) -> Vec<f64> {
        let mut v_bar = vec![0.0; v.len()];
        let mut weights = RowWeights::default();
        (weights.lambda[row], weights.rate[row]) = (-impulse, rate);
        let at = Instant {
            t: self.t,
            q: self.q,
            v,
            a: self.alpha,
            lambda: &[],
            attitudes: None,
        };
        let mut gradient = Gradient {
            q: self.q_bar,
            v: &mut v_bar,
            numbers: self.numbers_bar,
        };
        let model = &self.mechanism.model;
        model.constraint_gradient(constraint, &at, self.terms, self.alpha, &weights, &mut gradient);
        v_bar
    }

    fn add_tangential(&mut self, contact: usize, row: usize, (impulse, beta): (f64, f64)) {
        let (mechanism, plan) = (self.mechanism, self.plan);
        let jumps = plan.solution.v.iter().zip(&plan.before);
        let weights: Vec<f64> = (self.alpha.iter().zip(jumps))
            .map(|(alpha, (after, before))| impulse * alpha - beta * (after - before))
            .collect();
        let (model, numbers) = (&mechanism.model, &self.terms.numbers);
        mechanism.tangential_rows(contact, self.q, numbers)[row].add_to(beta, self.v_bar);
        let local = &model.constraints[model.contacts[contact].gap].local;
        let over_coordinates =
            &mechanism.tangential_rows_of(contact, &local.pick(self.q), local.pick_numbers(numbers))[row];
        model.add_rates_gradient(&over_coordinates.dense(self.q.len()), &weights, self.q_bar);
        let weights = model.coordinate_rates(self.q, &weights);
        let (at, bars) = ((self.q, numbers.as_slice()), (&mut *self.q_bar, &mut *self.numbers_bar));
        mechanism.add_passes(local, at, bars, |q, numbers| {
            let rows = mechanism.tangential_rows_of::<Dual64>(contact, q, *numbers);
            rows[row].iter().map(|(i, slope)| slope.eps * weights[i]).sum()
        });
    }
}
