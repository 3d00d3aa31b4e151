//! The mechanism as a hybrid system.

use std::ops::Range;

use super::Watch;
use super::guards::GuardValue;
use super::hessenberg::InHessenbergForm;
use super::jump::Next;
use super::{Mechanism, Workspace};
use crate::error::{Error, ErrorKind, Result};
use crate::formulation::Formulation;
use crate::hybrid::{At, Bounds, Crossing, Differentiable, HybridSystem, Jump, Tangent};
use crate::integrate::{HessenbergWork, no_hessenberg};
use crate::linear::Descriptor;
use crate::model::{ContactState, CoordinateKind, Hold, Mode};

impl HybridSystem for Mechanism {
    type Mode = Mode;
    type Workspace = Workspace;

    fn dimension(&self) -> usize {
        self.quadratures().end + self.model.memory.len()
    }

    fn memory(&self) -> Range<usize> {
        self.quadratures().end..self.dimension()
    }

    fn size(&self, component: usize) -> f64 {
        let nq = self.model.nq();
        match component {
            i if i < nq => self.sizes.position(self.model.coordinates[i].kind),
            i if i < self.quadratures().start => self.sizes.velocity(self.model.speed(i - nq).kind),
            i if i < self.quadratures().end => 1.0,
            i => self.memory_sizes[i - self.quadratures().end],
        }
    }

    fn dynamic(&self) -> Range<usize> {
        0..self.velocities().end
    }

    fn mode_bytes(&self, mode: &Mode) -> usize {
        mode.bytes()
    }

    fn workspace(&self) -> Workspace {
        Workspace::new(self)
    }

    fn flow(&self, at: At<Mode>, workspace: &mut Workspace, dx: &mut [f64]) -> Result<()> {
        self.flow_with(at, self.integrands_need_multipliers, workspace, dx)
    }

    fn flow_jacobian(&self, at: At<Mode>, workspace: &mut Workspace, jacobian: &mut [f64]) -> Result<()> {
        self.evaluate_motion(at, true, workspace)?;
        let mut first = 0;
        let by_elements = self.model.frames.is_empty() && at.mode.grips.is_empty();
        if by_elements && !matches!(workspace.formulation.in_force(), Formulation::Saddle(_)) {
            self.jacobian_by_elements(at, workspace, jacobian);
            self.add_share_columns(at, workspace, jacobian);
            self.integrand_rows(at, workspace, jacobian);
            first = self.quadratures().end;
        }
        let columns = first..at.x.len();
        match self.has_lanes(at.mode) {
            true => self.jacobian_by_lanes(at, columns, workspace, jacobian),
            false => self.jacobian_by_columns(at, columns, workspace, jacobian),
        }
        Ok(())
    }

    /// Where contacts slip in space, which may have begun just now: the direction of slip turns the faster the slower it is (theory, 4.13).
    /// And where friction is smooth: bristles that are bent as they stay, and slip that creeps, do not show at the end of a first step
    /// how stiff they are.
    fn begins_stiff(&self, mode: &Mode) -> bool {
        let turns = mode.grips.iter().any(|grip| grip.hold == Hold::SlipAlong);
        turns || self.model.frictions.iter().any(|friction| friction.is_smooth())
    }

    fn has_descriptor(&self, mode: &Mode, workspace: &Workspace) -> bool {
        self.is_sparse(mode, workspace)
    }

    fn flow_descriptor(&self, at: At<Mode>, workspace: &mut Workspace, out: &mut Descriptor) -> Result<bool> {
        self.write_descriptor(at, workspace, out)
    }

    fn hessenberg(&self, mode: &Mode, workspace: &mut Workspace, work: HessenbergWork) -> Result<()> {
        if !self.is_algebraic() {
            return Err(no_hessenberg());
        }
        work(&mut InHessenbergForm {
            mechanism: self,
            mode,
            workspace,
        })
    }

    fn project(&self, t: f64, mode: &Mode, x: &mut [f64], workspace: &mut Workspace) -> Result<bool> {
        if self.departs(mode, t) {
            return Ok(false);
        }
        let mut moved = false;
        if self.projects_joints() {
            moved = self.project_state(t, mode, x, workspace)?;
        }
        moved |= self.normalize(x);
        Ok(self.project_slides(t, mode, x, workspace)? || moved)
    }

    fn projects(&self, mode: &Mode) -> bool {
        self.projects_joints() || !mode.slides.is_empty() || !self.model.frames.is_empty()
    }

    fn regularity(&self, workspace: &Workspace) -> Option<(f64, f64)> {
        workspace.regularity
    }

    fn departure(&self, mode: &Mode) -> Option<(f64, f64)> {
        mode.departure.as_ref().map(|departure| (departure.t, departure.span))
    }

    fn departs(&self, mode: &Mode, t: f64) -> bool {
        mode.departure_at(t).is_some()
    }

    fn explain(&self, error: Error, at: At<Mode>, workspace: &mut Workspace) -> Error {
        match error.kind() {
            ErrorKind::StepSize if !at.mode.slides.is_empty() => self.end_of_slide(at, workspace).unwrap_or(error),
            _ => self.past_reach(at, workspace).unwrap_or(error),
        }
    }

    fn pole(&self, guard: usize, t: f64) -> Error {
        self.condition_with_pole(guard, t)
    }

    fn owner(&self, guard: usize) -> Option<&str> {
        self.owner_of(guard)
    }

    fn advise_endless(&self, guards: &[usize]) -> Option<String> {
        self.advise_against_endless(guards)
    }

    fn guards(&self) -> usize {
        self.guards.len()
    }

    fn crossing(&self, guard: usize, mode: &Mode) -> Option<Crossing> {
        self.crossing_of(guard, mode)
    }

    fn near(&self, mode: &Mode, within: &Bounds, reach: f64, workspace: &mut Workspace, near: &mut Vec<usize>) {
        near.clear();
        let reach = reach.max(self.open_noise(CoordinateKind::Length));
        let Workspace {
            terms, near: scratch, ..
        } = workspace;
        self.nearness.find(&self.model, &terms.numbers, within, reach, scratch);
        let is_awake = |guard: &usize| self.crossing(*guard, mode).is_some();
        near.extend(
            scratch
                .found
                .iter()
                .map(|&contact| self.gap_guard(contact))
                .filter(is_awake),
        );
        for (contact, state) in mode.contacts.iter().enumerate() {
            match state {
                // What is carried has a rounding of its own.
                ContactState::Carried if is_awake(&self.gap_guard(contact)) => near.push(self.gap_guard(contact)),
                ContactState::Sliding | ContactState::Stuck => near.push(self.release_guard(contact)),
                _ => {}
            }
        }
        let sharing = mode.footings.iter().flat_map(|footing| &footing.feet);
        near.extend(sharing.map(|(contact, _)| self.release_guard(*contact)));
        near.extend(self.guards.beside_contacts().filter(is_awake));
        near.sort_unstable();
        near.dedup();
    }

    fn guard(&self, guard: usize, at: At<Mode>, workspace: &mut Workspace) -> Result<f64> {
        if self.rests_on(guard, at) {
            return Ok(1.0);
        }
        let value = self.guard_value(guard, at.mode);
        if !at.mode.slides.is_empty() || value.needs_dynamics(&self.model) {
            self.evaluate_motion(at, true, workspace)?;
        } else {
            self.load(at, &mut workspace.terms);
        }
        if let GuardValue::Dependent = value {
            return Ok(self.spare(at, workspace));
        }
        let found = match self.watch(guard) {
            Watch::Gap(i) if at.mode.contacts[i] == ContactState::Carried => self.carried_gap(&value, at, workspace)?,
            _ => value.evaluate(&self.model, at.mode, &self.motion(at, workspace)),
        };
        match &value {
            GuardValue::Expression(condition) if found.is_nan() => {
                Err(self.condition_without_value(self.watch(guard), condition, at.t, found))
            }
            _ => Ok(found),
        }
    }

    fn is_side(&self, guard: usize) -> bool {
        matches!(self.watch(guard), Watch::Kink(_))
    }

    fn rounding(&self, guard: usize, by_tolerance: f64, at: At<Mode>, workspace: &mut Workspace) -> f64 {
        match self.guard_value(guard, at.mode) {
            GuardValue::Expression(expression) => self.rounding_of_output(expression, at, workspace),
            _ => self.rounding_of_guard(guard, at, workspace).max(by_tolerance),
        }
    }

    fn error_within(&self, guard: usize, at: At<Mode>, workspace: &mut Workspace) -> f64 {
        let GuardValue::Expression(expression) = self.guard_value(guard, at.mode) else {
            return 0.0;
        };
        let (mut flow, still) = (vec![0.0; self.dimension()], vec![0.0; self.model.numbers.len()]);
        if self.flow(at, workspace, &mut flow).is_err() {
            return 0.0;
        }
        let [error, most] = self.error_of_output(expression, at, workspace);
        match self.guard_jvp(guard, at, &Tangent::new(1.0, &flow, &still), workspace) {
            Ok(rate) if rate.abs() <= most => error,
            _ => 0.0,
        }
    }

    fn take_due(&self, at: At<Mode>, due: &mut Vec<usize>, workspace: &mut Workspace) -> Result<Vec<usize>> {
        self.strike_next(at, due, workspace)
    }

    /// Contacts that close at this instant wait as if they were switched off; one that is switched off meanwhile stays so.
    fn hold_back(&self, mode: &mut Mode, due: &[usize], held: bool) {
        let [from, to] = match held {
            true => [ContactState::Open, ContactState::Waiting],
            false => [ContactState::Waiting, ContactState::Open],
        };
        for &guard in due {
            if let Watch::Gap(i) = self.watch(guard)
                && mode.contacts[i] == from
            {
                mode.contacts[i] = to;
            }
        }
    }

    fn jump(
        &self,
        t: f64,
        mode: &Mode,
        x: &mut [f64],
        fired: &[usize],
        workspace: &mut Workspace,
    ) -> Result<Jump<Mode>> {
        self.check_margins(t, fired)?;
        self.check_departed(t, mode, fired)?;
        self.load_memory(x, &mut workspace.terms);
        workspace.plan = None;
        workspace.stages.clear();
        let (mut mode_after, before) = (mode.clone(), x.to_vec());
        // Whatever else happens finds the mixed values in force.
        mode_after.slides.clear();
        mode_after.departure = None;
        self.hold_mixed(At::new(t, mode, &before), x, workspace)?;
        let next = &mut Next {
            t,
            mode: &mut mode_after,
            x,
        };
        let at = At::new(t, mode, &before);
        let mut request = self.requested(at, next.mode, fired, workspace);
        next.mode.refresh(&self.model);
        self.assign(at, &request.assignments, next.x, workspace)?;
        request.jolted = self.jolted(&before, next.at(), &request.assignments, workspace);
        let displacement = self.displace(&request.resets, next, workspace)?;
        self.check_velocities(next.at(), &request.resets, workspace)?;
        self.join_again(next.mode, &mut request);
        self.check_joined(next.at(), &request, workspace)?;
        self.gather_touching(next.at(), &mut request, workspace)?;
        self.check_meaning(next.at(), &request.touching, workspace)?;
        self.check_ends(next.at(), &mut request, workspace)?;
        let before_contacts = self.handed_over(mode, next.mode, &request);
        let remarks = self.resolve_contacts(&before_contacts, next, &mut request, workspace)?;
        self.settle(next, workspace)?;
        self.check_pull(next.at(), workspace)?;
        self.check_regular(mode, next.at(), fired, workspace)?;
        if fired.iter().any(|&guard| self.watch(guard) == Watch::Dependent) {
            self.check_agreement(next.at(), workspace)?;
        }
        self.aim(next, &request.engaged, workspace)?;
        if workspace.plan.is_some() {
            for (force, assignments) in self.turned_round(next.at(), fired, workspace) {
                self.assign(at, &assignments, next.x, workspace)?;
                request.report(&self.model.forces[force].name, "reversal");
                request.assignments.extend(assignments);
            }
        }
        self.slide(At::new(t, mode, &before), next, fired, &mut request, workspace)?;
        self.check_slides(next.at())?;
        self.rest_sides(next, &mut request.assignments, workspace);
        workspace.assignments = request.assignments;
        workspace.displacement = displacement;
        // What goes along with others is told after them, but for the jump of a belt, which makes them.
        if request.jolted.is_empty() {
            request.happenings.sort_by_key(|happening| happening.kind == "kink");
        }
        Ok(Jump {
            mode: mode_after,
            happenings: request.happenings,
            remarks,
        })
    }
}
