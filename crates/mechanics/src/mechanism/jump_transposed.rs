//! Transposed derivatives of a mechanism's guards and jumps: one solve with the impact's system, then gradients over what
//! its rows touch (theory, section 4).

use super::guards::Watch;
use super::impact::{ImpactPlan, Origin};
use super::{LinearizedJump, Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::{At, Cotangents};
use crate::model::contact::Law;
use crate::model::gradient::{Gradient, RowWeights};
use crate::model::local::{Local, MAX_LOCAL};
use crate::model::quantity::Quantity;
use crate::model::residual::Instant;
use crate::model::{Mode, Trigger};
use crate::scalar::Dual64;

/// Solution of the impact's transposed system.
struct Costate {
    /// nv entries.
    alpha: Vec<f64>,
    /// One per row of the impact's system.
    beta: Vec<f64>,
}

/// Gradient of an impact with respect to the state before it and to numbers followed by memory.
struct Before<'a> {
    q: &'a mut [f64],
    v: &'a mut [f64],
    numbers: &'a mut [f64],
}

impl Mechanism {
    /// Adds T_x^T mu and T_theta^T mu of a prepared jump, its time held.
    pub(super) fn jump_transposed_at(
        &self,
        tangent: &LinearizedJump,
        mu: &[f64],
        workspace: &mut Workspace,
        cotangents: Cotangents,
    ) {
        let memory = self.model.memory_start();
        let mut x_bar = mu.to_vec();
        let mut numbers = vec![0.0; memory + self.model.memory.len()];
        self.load_memory(&tangent.x, &mut workspace.terms);
        self.load_marks(tangent, workspace);
        self.load_written(tangent, workspace);
        if let Some((plan, lu, _)) = &tangent.impact {
            let mut right = x_bar[self.velocities()].to_vec();
            right.resize(right.len() + plan.solution.independent.len(), 0.0);
            lu.clone().solve(&mut right);
            let beta = right.split_off(self.model.nv());
            let costate = Costate { alpha: right, beta };
            let velocities = self.velocities();
            x_bar[velocities].fill(0.0);
            let (q, rest) = x_bar.split_at_mut(self.model.nq());
            let mut before = Before {
                q,
                v: &mut rest[..self.model.nv()],
                numbers: &mut numbers,
            };
            self.impact_transposed(tangent, plan, &costate, workspace, &mut before);
        }
        self.marks_transposed(tangent, workspace, &mut x_bar, &mut numbers);
        self.written_transposed(&tangent.written, &mut x_bar, &mut numbers);
        for (slot, value) in x_bar[self.quadratures().end..].iter_mut().zip(&numbers[memory..]) {
            *slot += value;
        }
        cotangents.add(&x_bar, &numbers[..memory]);
    }

    /// What this jump puts into memory, into the numbers.
    fn load_written(&self, tangent: &LinearizedJump, workspace: &mut Workspace) {
        for written in &tangent.written {
            workspace.terms.numbers[self.model.memory_number(written.slot)] = written.value;
        }
    }

    /// The remembered places of this jump, into the numbers.
    fn load_marks(&self, tangent: &LinearizedJump, workspace: &mut Workspace) {
        for &contact in &tangent.sticking {
            let element = &self.model.contacts[contact];
            let Some(pin) = &element.pin else { continue };
            for (slot, value) in self.touch_marks(element.gap, pin, &tangent.x, workspace) {
                workspace.terms.numbers[self.model.memory_start() + slot] = value;
            }
        }
    }

    /// Moves what belongs to newly remembered places on to the coordinates and numbers that they were read off.
    fn marks_transposed(
        &self,
        tangent: &LinearizedJump,
        workspace: &mut Workspace,
        x_bar: &mut [f64],
        numbers_bar: &mut [f64],
    ) {
        let (memory, state) = (self.model.memory_start(), self.quadratures().end);
        self.load_memory(&tangent.x, &mut workspace.terms);
        for &contact in &tangent.sticking {
            let element = &self.model.contacts[contact];
            let Some(pin) = &element.pin else { continue };
            let slots = self.touch_marks(element.gap, pin, &tangent.x, workspace);
            let weights: Vec<f64> = slots
                .iter()
                .map(|&(slot, _)| {
                    std::mem::take(&mut x_bar[state + slot]) + std::mem::take(&mut numbers_bar[memory + slot])
                })
                .collect();
            let local = &self.model.constraints[element.gap].local;
            self.add_passes(local, &tangent.x, workspace, (x_bar, numbers_bar), |q, numbers| {
                let marks = self.touch_marks_of::<Dual64>(element.gap, pin, q, numbers);
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
        x: &[f64],
        workspace: &Workspace,
        (q_bar, numbers_bar): (&mut [f64], &mut [f64]),
        value: impl Fn(&[Dual64; MAX_LOCAL], &[Dual64; MAX_LOCAL]) -> f64,
    ) {
        let mut q = local.gather::<Dual64>(&x[self.positions()]);
        let mut numbers = local.gather_numbers::<Dual64>(&workspace.terms.numbers);
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

    /// Gradient of alpha.(M v- - M (v+ - v-) + R^T J) - beta.conditions with v+ and J held.
    fn impact_transposed(
        &self,
        tangent: &LinearizedJump,
        plan: &ImpactPlan,
        costate: &Costate,
        workspace: &Workspace,
        before: &mut Before,
    ) {
        let Some((_, _, mass)) = &tangent.impact else { return };
        let nv = self.model.nv();
        for (slot, momentum) in before.v.iter_mut().zip(mass.times(&costate.alpha)) {
            *slot += momentum;
        }
        let change: Vec<f64> = plan.solution.v.iter().zip(&plan.before).map(|(a, b)| b - a).collect();
        let mut ignored = vec![0.0; nv];
        let at = Instant {
            t: tangent.t,
            q: &tangent.x[self.positions()],
            v: &plan.before,
            a: &change,
            lambda: &[],
        };
        let mut gradient = Gradient {
            q: before.q,
            v: &mut ignored,
            numbers: before.numbers,
        };
        self.model
            .momentum_gradient(&at, &workspace.terms, &costate.alpha, &mut gradient);
        for (&i, &beta) in plan.solution.independent.iter().zip(&costate.beta) {
            let impulse = plan.solution.impulses[i];
            self.row_transposed(
                tangent,
                plan,
                plan.rows[i].origin,
                (impulse, beta),
                costate,
                workspace,
                before,
            );
        }
    }

    /// Gradient of J (R alpha) - beta condition for one row.
    #[allow(clippy::too_many_arguments)]
    fn row_transposed(
        &self,
        tangent: &LinearizedJump,
        plan: &ImpactPlan,
        origin: Origin,
        (impulse, beta): (f64, f64),
        costate: &Costate,
        workspace: &Workspace,
        before: &mut Before,
    ) {
        let add_row = |constraint: usize, row: usize, v: &[f64], (impulse, rate): (f64, f64), before: &mut Before| {
            let mut v_bar = vec![0.0; v.len()];
            let mut weights = RowWeights::default();
            (weights.lambda[row], weights.rate[row]) = (-impulse, rate);
            let at = Instant {
                t: tangent.t,
                q: &tangent.x[self.positions()],
                v,
                a: &costate.alpha,
                lambda: &[],
            };
            let mut gradient = Gradient {
                q: before.q,
                v: &mut v_bar,
                numbers: before.numbers,
            };
            self.model.constraint_gradient(
                constraint,
                &at,
                &workspace.terms,
                &costate.alpha,
                &weights,
                &mut gradient,
            );
            v_bar
        };
        let add_before = |constraint: usize, factor: f64, before: &mut Before| {
            let v_bar = add_row(constraint, 0, &plan.before, (0.0, -beta * factor), before);
            for (slot, value) in before.v.iter_mut().zip(v_bar) {
                *slot += value;
            }
        };
        match origin {
            Origin::Constraint { constraint, row } => {
                add_row(constraint, row, &plan.solution.v, (impulse, -beta), before);
            }
            Origin::Reversal { gap } => {
                add_row(gap, 0, &plan.solution.v, (impulse, -beta), before);
                add_before(gap, 1.0, before);
            }
            Origin::Restitution { gap, e } => {
                add_row(gap, 0, &plan.solution.v, (impulse, -beta), before);
                add_before(gap, workspace.terms.numbers[e], before);
                before.numbers[e] -= beta * self.approach(tangent, gap, &plan.before, workspace);
            }
            Origin::Tangential { contact, row } => {
                self.tangential_transposed(tangent, plan, contact, row, (impulse, beta), costate, workspace, before);
            }
            Origin::Coordinate(i) => before.v[i] += beta,
        }
    }

    /// Rate of a gap before the impact.
    fn approach(&self, tangent: &LinearizedJump, gap: usize, v: &[f64], workspace: &Workspace) -> f64 {
        let element = &self.model.constraints[gap];
        let (q, numbers) = (&tangent.x[self.positions()], &workspace.terms.numbers);
        let (_, rates) = match self.model.dimension {
            2 => element.rate_along::<f64, 2>(tangent.t, q, v, numbers),
            _ => element.rate_along::<f64, 3>(tangent.t, q, v, numbers),
        };
        rates[0]
    }

    #[allow(clippy::too_many_arguments)]
    fn tangential_transposed(
        &self,
        tangent: &LinearizedJump,
        plan: &ImpactPlan,
        contact: usize,
        row: usize,
        (impulse, beta): (f64, f64),
        costate: &Costate,
        workspace: &Workspace,
        before: &mut Before,
    ) {
        let weights: Vec<f64> = (0..self.model.nv())
            .map(|j| impulse * costate.alpha[j] - beta * (plan.solution.v[j] - plan.before[j]))
            .collect();
        let rows = self.tangential_rows(contact, &tangent.x, workspace);
        for (slot, value) in before.v.iter_mut().zip(&rows[row]) {
            *slot += beta * value;
        }
        let local = &self.model.constraints[self.model.contacts[contact].gap].local;
        let cotangents = (&mut *before.q, &mut *before.numbers);
        self.add_passes(local, &tangent.x, workspace, cotangents, |q, numbers| {
            let rows = self.tangential_rows_of::<Dual64>(contact, q, *numbers);
            rows[row]
                .iter()
                .zip(&weights)
                .map(|(slope, weight)| slope.eps * weight)
                .sum()
        });
    }

    /// Adds the gradient of a guard, time held.
    pub(super) fn guard_gradient_at(
        &self,
        guard: usize,
        at: At<Mode>,
        workspace: &mut Workspace,
        cotangents: Cotangents,
    ) -> Result<()> {
        let At { t, mode, x } = at;
        self.load_memory(x, &mut workspace.terms);
        if let Some(quantity) = self.read_guard(guard, mode) {
            self.read_transposed(mode, workspace, cotangents, &mut |workspace, duals, gradient| {
                quantity.add_gradient(1.0, &self.reading(at, workspace), duals, gradient);
            });
            return Ok(());
        }
        match self.watch(guard) {
            Watch::Gap(contact) => {
                let element = &self.model.constraints[self.model.contacts[contact].gap];
                self.local_gradient(&element.local, x, workspace, cotangents, |q, numbers| {
                    let mut c = [Dual64::from(0.0); 3];
                    match self.model.dimension {
                        2 => element.value::<Dual64, 2>(Dual64::from(t), q, numbers, &mut c),
                        _ => element.value::<Dual64, 3>(Dual64::from(t), q, numbers, &mut c),
                    }
                    c[0].eps
                });
            }
            Watch::Spring(force) => {
                let sign = if mode.slack[force] { -1.0 } else { 1.0 };
                let element = &self.model.forces[force];
                self.local_gradient(&element.local, x, workspace, cotangents, |q, numbers| {
                    sign * self.engagement_of(force, q, numbers).eps
                });
            }
            // Those that are read, above.
            Watch::Reversal(_) | Watch::Tooth(_) => {}
            Watch::Release(contact) => {
                if let Law::Stick { pull_off } = self.model.contacts[contact].law {
                    cotangents.numbers[pull_off] += 1.0;
                }
                self.linearize_at(at, workspace)?;
                self.transposed(at, workspace, cotangents, &mut |workspace, duals, gradient| {
                    let reading = self.reading(at, workspace);
                    Quantity::ContactForce(contact).add_gradient(1.0, &reading, duals, gradient);
                });
            }
            Watch::Event(event) => match &self.model.events[event].trigger {
                Trigger::At(number) => cotangents.numbers[*number] -= 1.0,
                Trigger::Crossing { guard, .. } => {
                    self.linearize_at(at, workspace)?;
                    self.output_vjp(guard, 1.0, at, workspace, cotangents);
                }
            },
            Watch::Dependent => {}
        }
        Ok(())
    }

    /// Adds the gradient of a function of one element's coordinates and numbers.
    fn local_gradient(
        &self,
        local: &Local,
        x: &[f64],
        workspace: &Workspace,
        cotangents: Cotangents,
        value: impl Fn(&[Dual64; MAX_LOCAL], &[Dual64; MAX_LOCAL]) -> f64,
    ) {
        let memory = self.model.memory_start();
        let mut numbers = vec![0.0; memory + self.model.memory.len()];
        self.add_passes(local, x, workspace, (cotangents.x, &mut numbers), value);
        let state = self.quadratures().end;
        for (slot, value) in cotangents.x[state..].iter_mut().zip(&numbers[memory..]) {
            *slot += value;
        }
        for (slot, value) in cotangents.numbers.iter_mut().zip(&numbers[..memory]) {
            *slot += value;
        }
    }
}
