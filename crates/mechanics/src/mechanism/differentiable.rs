//! The derivatives of the mechanism as a hybrid system. That of a jump follows by implicit differentiation of the linear
//! system that the impact solved (theory, section 4).

use super::displacement::Displacement;
use super::friction::stage::Stage;
use super::impact_problem::{Before, ImpactPlan, solved};
use super::impact_system::ImpactFactors;
use super::memory::Written;
use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::{At, Cotangents, Differentiable, HybridSystem, Tangent, Tangents};
use crate::linear::{LANES, Lane, Lent, lanes};
use crate::model::{ContactState, Mode, Shared};
use crate::scalar::Dual64;

/// A jump prepared for differentiation at the state before it.
#[derive(Clone, Debug)]
pub struct LinearizedJump {
    pub(super) t: f64,
    /// State before, with the positions after a displacement.
    pub(super) x: Vec<f64>,
    /// How positions are moved.
    pub(super) displacement: Option<Displacement>,
    /// The impact and the factors of its system, when velocities jumped without friction.
    pub(super) impact: Option<(ImpactPlan, ImpactFactors)>,
    /// The stages of an impact with friction.
    pub(super) stages: Vec<Stage>,
    /// Contacts that stick at this jump: their places are remembered.
    pub(super) sticking: Vec<usize>,
    /// What the jump puts into memory.
    pub(super) written: Vec<Written>,
    /// Mode and state after it where the motion slides along guards then.
    pub(super) slides: Option<Box<(Mode, Vec<f64>)>>,
}

impl Differentiable for Mechanism {
    type LinearizedJump = LinearizedJump;

    fn numbers(&self) -> usize {
        self.model.numbers.len()
    }

    fn linearize(&self, at: At<Mode>, workspace: &mut Workspace) -> Result<()> {
        self.evaluate_motion(at, true, workspace)
    }

    fn flow_jvp(&self, at: At<Mode>, along: &Tangent, workspace: &mut Workspace, out: &mut [f64]) {
        self.differentiate_motion(at, along, workspace);
        out[self.positions()].copy_from_slice(&workspace.q_dot);
        out[self.velocities()].copy_from_slice(&workspace.da);
        let motion = self.differentiated_motion(at, along, workspace);
        out[self.quadratures().end..].fill(0.0);
        for (place, integrand) in self.integrated() {
            out[place] = integrand.along(&self.model, at.mode, &motion, true);
        }
    }

    fn flow_tangents(
        &self,
        at: At<Mode>,
        tangents: &Tangents,
        workspace: &mut Workspace,
        derivatives: (&mut [f64], &mut [f64]),
        scratch: &mut Vec<f64>,
    ) -> Result<()> {
        self.tangents(at, tangents, workspace, derivatives, scratch)
    }

    fn flow_vjp(&self, at: At<Mode>, mu: &[f64], workspace: &mut Workspace, cotangents: Cotangents) {
        let carried = (!self.model.frames.is_empty()).then(|| self.positions_vjp(at, mu, workspace));
        let (of_velocities, of_q) = match &carried {
            Some([of_velocities, of_q]) => (&of_velocities[..], Some(of_q)),
            None => (&mu[self.positions()], None),
        };
        self.motion_vjp(
            at,
            Some(of_velocities),
            workspace,
            cotangents,
            &mut |reading, duals, gradient| {
                gradient.a.copy_from_slice(&mu[self.velocities()]);
                gradient.v.copy_from_slice(of_velocities);
                of_q.into_iter().for_each(|of_q| gradient.q.copy_from_slice(of_q));
                for (place, integrand) in self.integrated().filter(|(place, _)| mu[*place] != 0.0) {
                    integrand.add_gradient(mu[place], &reading.over_time(), duals, gradient);
                }
            },
        );
    }

    fn flow_vjps(&self, at: At<Mode>, mu: &[f64], workspace: &mut Workspace, bars: (&mut [f64], &mut [f64])) {
        self.vjps(at, mu, workspace, bars);
    }

    /// Factors the constraint Jacobian.
    fn linearize_projection(&self, at: At<Mode>, workspace: &mut Workspace) {
        if self.projects_joints() {
            let Workspace {
                terms,
                projector,
                regularity,
                ..
            } = workspace;
            self.load(at, terms);
            self.assemble_constraints(at, terms);
            *regularity = Some((at.t, projector.factor(at.mode, terms)));
        }
        // The step has evaluated the motion there.
        let _ = self.linearize_slide(at, workspace);
    }

    fn project_jvp(&self, at: At<Mode>, along: &mut [f64], numbers: &[f64], workspace: &mut Workspace) {
        self.project_lanes(at, along, &lanes(&[numbers]), workspace);
        self.slide_projection_jvp(at, 0.0, (along, numbers), workspace);
    }

    fn project_tangents(
        &self,
        at: At<Mode>,
        along: &mut [f64],
        (numbers, by_lanes): (&[Vec<f64>], &[Vec<Lane>]),
        workspace: &mut Workspace,
    ) {
        self.project_lanes(at, along, by_lanes, workspace);
        if !at.mode.slides.is_empty() {
            for (block, numbers) in along.chunks_exact_mut(at.x.len()).zip(numbers) {
                self.slide_projection_jvp(at, 0.0, (block, numbers), workspace);
            }
        }
    }

    fn project_vjp(&self, at: At<Mode>, mu: &mut [f64], numbers_bar: &mut [f64], workspace: &mut Workspace) {
        self.slide_projection_vjp(at, (mu, numbers_bar), workspace);
        let mut scratch = std::mem::take(&mut workspace.transposed);
        self.joints_vjp(at, (mu, numbers_bar), &mut scratch, workspace);
        workspace.transposed = scratch;
    }

    fn project_vjps(&self, at: At<Mode>, (mu, numbers_bar): (&mut [f64], &mut [f64]), workspace: &mut Workspace) {
        let (n, count) = (at.x.len(), self.numbers());
        for (group, mu) in mu.chunks_mut(LANES * n).enumerate() {
            let numbers_bar = &mut numbers_bar[group * LANES * count..][..mu.len() / n * count];
            if !at.mode.slides.is_empty() || mu.len() == n {
                for (k, mu) in mu.chunks_exact_mut(n).enumerate() {
                    self.project_vjp(at, mu, &mut numbers_bar[k * count..][..count], workspace);
                }
                continue;
            }
            let mut scratch = self.lanes_of(workspace);
            self.joints_vjp(at, (mu, numbers_bar), &mut scratch, workspace);
            workspace.transposed_lanes = scratch;
        }
    }

    fn guard_jvp(&self, guard: usize, at: At<Mode>, along: &Tangent, workspace: &mut Workspace) -> Result<f64> {
        let value = self.guard_value(guard, at.mode);
        let motion = self.motion_along(at, along, value.needs_dynamics(&self.model), workspace)?;
        Ok(value.evaluate(&self.model, at.mode, &motion).eps)
    }

    fn guard_vjp(&self, guard: usize, at: At<Mode>, workspace: &mut Workspace, cotangents: Cotangents) -> Result<()> {
        let value = self.guard_value(guard, at.mode);
        let dynamic = value.needs_dynamics(&self.model);
        self.reading_vjp(at, dynamic, workspace, cotangents, &mut |reading, duals, gradient| {
            value.add_gradient(reading, duals, gradient);
        })
    }

    fn linearize_jump(&self, at: At<Mode>, fired: &[usize], workspace: &mut Workspace) -> Result<LinearizedJump> {
        let mut after = at.x.to_vec();
        let jump = self.jump(at.t, at.mode, &mut after, fired, workspace)?;
        let assignments = std::mem::take(&mut workspace.assignments);
        let displacement = workspace.displacement.take();
        let mut moved = at.x.to_vec();
        if let Some(displacement) = &displacement {
            moved[self.positions()].copy_from_slice(&displacement.to);
        }
        let mut linearized = self.linearize_impact(&at.mode.contacts, At::new(at.t, &jump.mode, &moved), workspace)?;
        linearized.written = self.written(at, &assignments, workspace)?;
        let is_struck = displacement.is_some() || linearized.impact.is_some() || !linearized.stages.is_empty();
        linearized.displacement = displacement;
        if !is_struck && self.moves_what_sticks(&jump.mode, &assignments) {
            // Where friction elsewhere stands in the way, what sticks goes on as if its belt did.
            let arrested = self.arrest(At::new(at.t, &jump.mode, &after), workspace);
            linearized.stages = arrested.map_or_else(|_| Vec::new(), |arrested| arrested.stages);
        }
        self.check_touching(&linearized, At::new(at.t, &jump.mode, &after), workspace)?;
        linearized.slides = (!jump.mode.slides.is_empty()).then(|| Box::new((jump.mode, after)));
        Ok(linearized)
    }

    fn jump_jvp(&self, jump: &LinearizedJump, along: &Tangent, workspace: &mut Workspace, out: &mut [f64]) {
        out.copy_from_slice(along.x);
        let (memory, state) = (self.model.memory_start(), self.quadratures().end);
        self.load_memory(&jump.x, &mut workspace.terms);
        let slopes = [along.numbers, &along.x[state..]].concat();
        let mut numbers = duals(&workspace.terms.numbers, &slopes);
        for written in &jump.written {
            let slope = written.along(along);
            out[state + written.slot] = slope;
            numbers[memory + written.slot] = Dual64::new(written.value, slope);
        }
        self.displacement_jvp(jump, along, workspace, out);
        let q = duals(&jump.x[self.positions()], &out[self.positions()]);
        for (slot, value) in self.marks(&jump.sticking, &q, &mut numbers) {
            out[state + slot] = value.eps;
        }
        if !jump.stages.is_empty() {
            let t = Dual64::new(jump.t, along.t);
            self.stages_jvp(&jump.stages, t, (&q, &numbers), along, out);
        } else if let Some(impact) = &jump.impact {
            self.impact_jvp(jump, impact, (&q, &numbers), along, out);
        }
        if let Some(slides) = &jump.slides {
            let at = At::new(jump.t, &slides.0, &slides.1);
            self.onto_slide_jvp(at, along.t, (out, along.numbers), workspace);
        }
    }

    fn jump_vjp(&self, jump: &LinearizedJump, mu: &[f64], workspace: &mut Workspace, cotangents: Cotangents) {
        let memory = self.model.memory_start();
        let mut x_bar = mu.to_vec();
        let mut numbers_bar = vec![0.0; memory + self.model.memory.len()];
        if let Some(slides) = &jump.slides {
            let at = At::new(jump.t, &slides.0, &slides.1);
            self.onto_slide_vjp(at, (&mut x_bar, &mut numbers_bar[..memory]), workspace);
        }
        if !jump.stages.is_empty() {
            self.load_before_impact(jump, workspace);
            let numbers = &workspace.terms.numbers;
            let at = (jump.t, &jump.x[self.positions()], &numbers[..]);
            self.stages_vjp(&jump.stages, at, (&mut x_bar, &mut numbers_bar));
        } else if let Some((plan, factors)) = &jump.impact {
            self.impact_vjp(jump, (plan, factors), (&mut x_bar, &mut numbers_bar), workspace);
        }
        self.marks_vjp(jump, workspace, &mut x_bar, &mut numbers_bar);
        self.displacement_vjp(jump, workspace, &mut x_bar, &mut numbers_bar);
        self.written_vjp(&jump.written, &mut x_bar, &mut numbers_bar);
        for (slot, value) in x_bar[self.quadratures().end..].iter_mut().zip(&numbers_bar[memory..]) {
            *slot += value;
        }
        cotangents.add(&x_bar, &numbers_bar[..memory]);
    }
}

impl Mechanism {
    /// Costates of the velocities and of the positions that a costate of q' = Z u is carried on to, the velocities u held.
    fn positions_vjp(&self, at: At<Mode>, mu: &[f64], workspace: &mut Workspace) -> [Lent<f64>; 2] {
        let Workspace {
            formulation, terms, u, ..
        } = workspace;
        let (q, mu) = (&at.x[self.positions()], &mu[self.positions()]);
        formulation.velocities(at.mode, terms, &at.x[self.velocities()], u);
        let mut found = [u.len(), q.len()].map(|n| Lent::new(n, 0.0));
        self.model.write_transposed(q, mu, &mut found[0]);
        self.model.add_rates_gradient(mu, u, &mut found[1]);
        found
    }

    /// Derivative of the velocities after an impact along a direction, over which positions and numbers are duals.
    fn impact_jvp(
        &self,
        jump: &LinearizedJump,
        (plan, factors): &(ImpactPlan, ImpactFactors),
        (q, numbers): (&[Dual64], &[Dual64]),
        along: &Tangent,
        out: &mut [f64],
    ) {
        let before = Before {
            t: Dual64::new(jump.t, along.t),
            q,
            v: &duals(&plan.before, &along.x[self.velocities()]),
            numbers,
        };
        let residual = self.impact_residual(&self.conditions(plan, before), before, &solved(plan));
        let mut right: Vec<f64> = residual.iter().map(|value| -value.eps).collect();
        factors.solve(&mut right);
        out[self.velocities()].copy_from_slice(&right[..self.model.nv()]);
    }

    /// The impact solved last, at the state before it with the mode after it, ready to be differentiated; `before` are the
    /// states of the contacts before it.
    ///
    /// # Errors
    /// Kind `Singular` as for the impact.
    pub(super) fn linearize_impact(
        &self,
        before: &Shared<ContactState>,
        at: At<Mode>,
        workspace: &mut Workspace,
    ) -> Result<LinearizedJump> {
        let mut linearized = LinearizedJump {
            t: at.t,
            x: at.x.to_vec(),
            displacement: None,
            impact: None,
            stages: Vec::new(),
            sticking: Vec::new(),
            written: Vec::new(),
            slides: None,
        };
        if let Some(plan) = workspace.plan.take() {
            let stuck = at.mode.having(|state| state == ContactState::Stuck);
            linearized.sticking = stuck
                .filter(|&contact| before[contact] != ContactState::Stuck)
                .collect();
            let terms = &mut workspace.terms;
            self.load_memory(at.x, terms);
            self.model
                .assemble(at.t, &at.x[self.positions()], &plan.before, at.mode, terms);
            if workspace.stages.is_empty() {
                let independent = &plan.solution.independent;
                let factors = ImpactFactors::new(at.t, &terms.mass, &plan.rows, independent, self.choices.by)?;
                linearized.impact = Some((plan, factors));
            } else {
                linearized.stages = self.factored_stages(at, workspace)?;
            }
        }
        Ok(linearized)
    }
}

/// Values with their derivatives.
pub(super) fn duals(values: &[f64], slopes: &[f64]) -> Vec<Dual64> {
    values.iter().zip(slopes).map(|(x, dx)| Dual64::new(*x, *dx)).collect()
}
