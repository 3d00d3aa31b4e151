//! Derivative of a mechanism's jump, by implicit differentiation of the linear system that the impact solved
//! (theory, section 4).

use super::guards::Watch;
use super::impact::{ImpactPlan, Origin, saddle};
use super::memory::Written;
use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::{At, Tangent};
use crate::linear::Lu;
use crate::model::constraint::Direction;
use crate::model::contact::Law;
use crate::model::local::MAX_LOCAL;
use crate::model::quantity::Quantity;
use crate::model::{ContactState, Matrix, Mode, Trigger};
use crate::scalar::Dual64;

/// A jump prepared for differentiation at the state before it.
#[derive(Clone, Debug)]
pub struct LinearizedJump {
    pub(super) t: f64,
    /// State before.
    pub(super) x: Vec<f64>,
    /// The impact, the factors of its system and M, when velocities jumped.
    pub(super) impact: Option<(ImpactPlan, Lu, Matrix)>,
    /// Contacts that stick at this jump: their places are remembered.
    pub(super) sticking: Vec<usize>,
    /// What the jump puts into memory.
    pub(super) written: Vec<Written>,
}

impl Mechanism {
    pub(super) fn prepare_jump(
        &self,
        at: At<Mode>,
        fired: &[usize],
        workspace: &mut Workspace,
    ) -> Result<LinearizedJump> {
        let At { t, mode, x } = at;
        let mut after = x.to_vec();
        let jump = self.apply_jump(t, mode, &mut after, fired, workspace)?;
        let assignments = std::mem::take(&mut workspace.assignments);
        let tangent = self.impact_tangent(t, &mode.contacts, &jump.mode, x, workspace)?;
        let written = self.written(at, &assignments, workspace)?;
        let (impact, sticking) = tangent.map_or((None, Vec::new()), |tangent| (tangent.impact, tangent.sticking));
        Ok(LinearizedJump {
            t,
            x: x.to_vec(),
            impact,
            sticking,
            written,
        })
    }

    /// The impact solved last, at the state before it, ready to be differentiated; none if there was none.
    ///
    /// # Errors
    /// Kind `Singular` as for the impact.
    pub(super) fn impact_tangent(
        &self,
        t: f64,
        before: &[ContactState],
        mode: &Mode,
        x: &[f64],
        workspace: &mut Workspace,
    ) -> Result<Option<LinearizedJump>> {
        let Some(plan) = workspace.plan.take() else {
            return Ok(None);
        };
        let stuck = ContactState::Stuck;
        let sticks = |&contact: &usize| mode.contacts[contact] == stuck && before[contact] != stuck;
        self.load_memory(x, &mut workspace.terms);
        self.model
            .assemble(t, &x[self.positions()], &plan.before, mode, &mut workspace.terms);
        let mass = workspace.terms.mass.clone();
        let lu = saddle(t, &mass, &plan.rows, &plan.solution.independent)?;
        Ok(Some(LinearizedJump {
            t,
            x: x.to_vec(),
            impact: Some((plan, lu, mass)),
            sticking: (0..before.len()).filter(sticks).collect(),
            written: Vec::new(),
        }))
    }

    pub(super) fn jump_slope(
        &self,
        tangent: &LinearizedJump,
        along: &Tangent,
        workspace: &mut Workspace,
        out: &mut [f64],
    ) {
        out.copy_from_slice(along.x);
        let mut numbers = self.number_direction(along);
        self.load_memory(&tangent.x, &mut workspace.terms);
        self.mark_slopes(tangent, along, &mut numbers, workspace, out);
        for written in &tangent.written {
            let (number, slope) = (self.model.memory_number(written.slot), written.along(along));
            out[self.quadratures().end + written.slot] = slope;
            (numbers[number], workspace.terms.numbers[number]) = (slope, written.value);
        }
        if let Some((plan, lu, mass)) = &tangent.impact {
            let slope = self.velocity_slope(tangent, plan, lu, mass, along, &numbers, workspace);
            out[self.velocities()].copy_from_slice(&slope);
        }
    }

    /// Direction in the numbers followed by the memory.
    pub(super) fn number_direction(&self, along: &Tangent) -> Vec<f64> {
        along
            .numbers
            .iter()
            .chain(&along.x[self.quadratures().end..])
            .copied()
            .collect()
    }

    /// Derivatives of the remembered places, into the direction of the numbers and the state after.
    fn mark_slopes(
        &self,
        tangent: &LinearizedJump,
        along: &Tangent,
        numbers: &mut [f64],
        workspace: &mut Workspace,
        out: &mut [f64],
    ) {
        for &contact in &tangent.sticking {
            let element = &self.model.contacts[contact];
            let Some(pin) = &element.pin else { continue };
            let local = &self.model.constraints[element.gap].local;
            let q = local.gather_along(&tangent.x[self.positions()], &along.x[self.positions()]);
            let own = local.gather_numbers_along(&workspace.terms.numbers, numbers);
            for (slot, value) in self.touch_marks_of::<Dual64>(element.gap, pin, &q, &own) {
                out[self.quadratures().end + slot] = value.eps;
                numbers[self.model.memory_start() + slot] = value.eps;
                workspace.terms.numbers[self.model.memory_start() + slot] = value.re;
            }
        }
    }

    /// dv+ from [[M, R^T], [R, 0]] [dv+; -dJ] = -[dM (v+ - v-) - M dv- - dR^T J; d(row conditions)].
    #[allow(clippy::too_many_arguments)]
    fn velocity_slope(
        &self,
        tangent: &LinearizedJump,
        plan: &ImpactPlan,
        lu: &Lu,
        mass: &Matrix,
        along: &Tangent,
        numbers: &[f64],
        workspace: &Workspace,
    ) -> Vec<f64> {
        let nv = self.model.nv();
        let (q, dq) = (&tangent.x[self.positions()], &along.x[self.positions()]);
        let (after, before, dv) = (&plan.solution.v, &plan.before, &along.x[self.velocities()]);
        let change: Vec<f64> = after.iter().zip(before).map(|(a, b)| a - b).collect();
        let state = |values: &[f64], slopes: &[f64]| -> Vec<Dual64> {
            values.iter().zip(slopes).map(|(x, dx)| Dual64::new(*x, *dx)).collect()
        };
        let still = vec![0.0; nv];
        let arguments = Arguments {
            t: Dual64::new(tangent.t, along.t),
            q: state(q, dq),
            before: state(before, dv),
            after: state(after, &still),
            numbers: state(&workspace.terms.numbers, numbers),
        };
        let mut right: Vec<f64> = mass.times(dv).collect();
        self.subtract_mass_slope(&arguments, &change, &mut right);
        let direction = Direction {
            t: along.t,
            q: dq,
            v: &still,
            numbers,
        };
        for &i in &plan.solution.independent {
            let row = &plan.rows[i];
            self.add_reaction_slope(
                tangent.t,
                row.origin,
                plan.solution.impulses[i],
                q,
                &direction,
                &arguments,
                workspace,
                &mut right,
            );
        }
        right.extend(
            plan.solution
                .independent
                .iter()
                .map(|&i| -self.condition_slope(plan.rows[i].origin, &arguments)),
        );
        let mut lu = lu.clone();
        lu.solve(&mut right);
        right.truncate(nv);
        right
    }

    /// right -= dM (v+ - v-).
    fn subtract_mass_slope(&self, arguments: &Arguments, change: &[f64], right: &mut [f64]) {
        for body in &self.model.bodies {
            let mut momentum = [Dual64::from(0.0); MAX_LOCAL];
            let q = body.local.pick(&arguments.q);
            let numbers = body.local.pick_numbers(&arguments.numbers);
            let change = body.local.gather::<Dual64>(change);
            match self.model.dimension {
                2 => body.momentum::<Dual64, 2>(&q, &change, &numbers, &mut momentum),
                _ => body.momentum::<Dual64, 3>(&q, &change, &numbers, &mut momentum),
            }
            body.local.scatter_add(&momentum.map(|x| -x.eps), right);
        }
    }

    /// right += dR^T J for one row.
    #[allow(clippy::too_many_arguments)]
    fn add_reaction_slope(
        &self,
        t: f64,
        origin: Origin,
        impulse: f64,
        q: &[f64],
        direction: &Direction,
        arguments: &Arguments,
        workspace: &Workspace,
        right: &mut [f64],
    ) {
        let (constraint, row) = match origin {
            Origin::Constraint { constraint, row } => (constraint, row),
            Origin::Restitution { gap, .. } | Origin::Reversal { gap } => (gap, 0),
            Origin::Tangential { contact, row } => {
                for (right, value) in right.iter_mut().zip(&self.tangential_row(contact, row, arguments)) {
                    *right += impulse * value.eps;
                }
                return;
            }
            Origin::Coordinate(_) => return,
        };
        let element = &self.model.constraints[constraint];
        let mut lambda = [0.0; 3];
        lambda[row] = impulse;
        let rest = vec![0.0; q.len()];
        let numbers = &workspace.terms.numbers;
        let along = match self.model.dimension {
            2 => element.along::<2>(t, q, &rest, &rest, &lambda, numbers, direction),
            _ => element.along::<3>(t, q, &rest, &rest, &lambda, numbers, direction),
        };
        element.local.scatter_add(&along.force, right);
    }

    fn tangential_row(&self, contact: usize, row: usize, arguments: &Arguments) -> Vec<Dual64> {
        let local = &self.model.constraints[self.model.contacts[contact].gap].local;
        let q = local.pick(&arguments.q);
        self.tangential_rows_of::<Dual64>(contact, &q, local.pick_numbers(&arguments.numbers))
            .swap_remove(row)
    }

    /// Derivative of a row's condition with v+ held.
    fn condition_slope(&self, origin: Origin, arguments: &Arguments) -> f64 {
        let rate = |constraint: usize, row: usize, v: &[Dual64]| -> Dual64 {
            let element = &self.model.constraints[constraint];
            let (_, rates) = match self.model.dimension {
                2 => element.rate_along::<Dual64, 2>(arguments.t, &arguments.q, v, &arguments.numbers),
                _ => element.rate_along::<Dual64, 3>(arguments.t, &arguments.q, v, &arguments.numbers),
            };
            rates[row]
        };
        match origin {
            Origin::Constraint { constraint, row } => rate(constraint, row, &arguments.after).eps,
            Origin::Restitution { gap, e } => {
                (rate(gap, 0, &arguments.after) + arguments.numbers[e] * rate(gap, 0, &arguments.before)).eps
            }
            Origin::Reversal { gap } => (rate(gap, 0, &arguments.after) + rate(gap, 0, &arguments.before)).eps,
            Origin::Tangential { contact, row } => {
                let tangential = self.tangential_row(contact, row, arguments);
                let velocities = arguments.after.iter().zip(&arguments.before);
                tangential
                    .iter()
                    .zip(velocities)
                    .map(|(row, (after, before))| (*row * (*after - *before)).eps)
                    .sum()
            }
            Origin::Coordinate(i) => (arguments.after[i] - arguments.before[i]).eps,
        }
    }

    pub(super) fn guard_slope(
        &self,
        guard: usize,
        at: At<Mode>,
        along: &Tangent,
        workspace: &mut Workspace,
    ) -> Result<f64> {
        let At { t, mode, x } = at;
        if let Some(quantity) = self.read_guard(guard, mode) {
            let motion = self.read_along(t, x, along, workspace);
            return Ok(quantity.evaluate(&self.model, mode, &motion).eps);
        }
        match self.watch(guard) {
            Watch::Gap(contact) => {
                self.load_memory(x, &mut workspace.terms);
                let local = &self.model.constraints[self.model.contacts[contact].gap];
                let q = local
                    .local
                    .gather_along(&x[self.positions()], &along.x[self.positions()]);
                let own = local
                    .local
                    .gather_numbers_along(&workspace.terms.numbers, &self.number_direction(along));
                let mut c = [Dual64::from(0.0); 3];
                let time = Dual64::new(t, along.t);
                match self.model.dimension {
                    2 => local.value::<Dual64, 2>(time, &q, &own, &mut c),
                    _ => local.value::<Dual64, 3>(time, &q, &own, &mut c),
                }
                Ok(c[0].eps)
            }
            Watch::Spring(force) => {
                self.load_memory(x, &mut workspace.terms);
                let sign = if mode.slack[force] { -1.0 } else { 1.0 };
                Ok(sign * self.engagement_slope(force, x, along, workspace))
            }
            // Those that are read, above.
            Watch::Reversal(_) | Watch::Tooth(_) => Ok(f64::NAN),
            Watch::Release(contact) => {
                let motion = self.motion_jvp(at, along, workspace)?;
                let force = Quantity::ContactForce(contact).evaluate(&self.model, mode, &motion).eps;
                let pull_off = match self.model.contacts[contact].law {
                    Law::Stick { pull_off } => along.numbers[pull_off],
                    _ => 0.0,
                };
                Ok(force + pull_off)
            }
            Watch::Event(event) => match &self.model.events[event].trigger {
                Trigger::At(number) => Ok(along.t - along.numbers[*number]),
                Trigger::Crossing { guard, .. } => {
                    let motion = self.motion_jvp(at, along, workspace)?;
                    Ok(guard.evaluate(&self.model, mode, &motion).eps)
                }
            },
            // When rows are chosen anew does not matter to the motion: the instant counts as a fixed time.
            Watch::Dependent => Ok(along.t),
        }
    }

    /// The motion at a state with its derivatives along a direction.
    ///
    /// # Errors
    /// As for the flow.
    pub fn motion_jvp<'a>(
        &self,
        at: At<Mode>,
        along: &Tangent,
        workspace: &'a mut Workspace,
    ) -> Result<crate::model::quantity::Motion<'a, Dual64>> {
        let At { t, mode, .. } = at;
        self.linearize_at(at, workspace)?;
        self.motion_slope(at, along, workspace);
        Ok(self.motion_along(t, mode, along, workspace))
    }

    fn engagement_slope(&self, force: usize, x: &[f64], along: &Tangent, workspace: &Workspace) -> f64 {
        let local = &self.model.forces[force].local;
        let q = local.gather_along(&x[self.positions()], &along.x[self.positions()]);
        let numbers = local.gather_numbers_along(&workspace.terms.numbers, &self.number_direction(along));
        self.engagement_of(force, &q, &numbers).eps
    }
}

/// Arguments of the impact's conditions as dual numbers.
struct Arguments {
    t: Dual64,
    q: Vec<Dual64>,
    before: Vec<Dual64>,
    after: Vec<Dual64>,
    numbers: Vec<Dual64>,
}
