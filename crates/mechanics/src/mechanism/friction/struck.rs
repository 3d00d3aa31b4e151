//! What impacts and jumps of surfaces do to slip velocities: by how much they change each, and what of that is rounding.

use crate::hybrid::At;
use crate::linear::dot;
use crate::mechanism::{FormulationChoice, Mechanism, Workspace};
use crate::model::quantity::{Quantity, Rubbing};
use crate::model::{Assignment, CoordinateKind, Mode};

/// Slip that an impact changes by closing joints, over the speed with which they open.
const CLOSES: f64 = 10.0;

/// Part of the fastest velocity that a penalty may leave of the rates of joints.
const ROUGH: f64 = 1e-5;

impl Mechanism {
    /// Whether the latest impact has changed a slip velocity at a state after it by more than rounding. What it leaves alone goes on as
    /// before: what sticks has a slip velocity within the tolerance of the motion, not within rounding.
    pub(super) fn is_struck(&self, friction: usize, at: At<Mode>, workspace: &Workspace) -> bool {
        let Some(plan) = &workspace.plan else { return false };
        let mut before = at.x.to_vec();
        before[self.velocities()].copy_from_slice(&plan.before);
        let noise = self.slip_noise(friction, &before).max(self.slip_noise(friction, at.x));
        let noise = noise + CLOSES * self.open_speed(At { x: &before, ..at }, workspace) * self.slip_unit(friction);
        let [old, new] = [&before[..], at.x].map(|x| self.slip_vector(friction, At { x, ..at }, workspace));
        size([0, 1, 2].map(|k| new[k] - old[k])) > noise
    }

    /// Frictions of surfaces whose speed over their own material jumps by what goes into memory, such as the side of a `step`. No impulse
    /// comes of that: what has stuck there slips.
    pub(in crate::mechanism) fn jolted(
        &self,
        before: &[f64],
        at: At<Mode>,
        assignments: &[Assignment],
        workspace: &mut Workspace,
    ) -> Vec<usize> {
        let moves = |friction: &usize| !self.model.frictions[*friction].moves.is_empty();
        let belts: Vec<usize> = (0..self.model.frictions.len()).filter(moves).collect();
        if assignments.is_empty() || belts.is_empty() {
            return Vec::new();
        }
        let q = &at.x[self.positions()];
        let [old, new] = [before, at.x].map(|x| {
            self.load_memory(x, &mut workspace.terms);
            let numbers = &workspace.terms.numbers;
            let slips = belts.iter().map(|&own| self.model.slip_at_rest(own, at.t, q, numbers));
            slips.collect::<Vec<_>>()
        });
        let jumps = belts.into_iter().zip(old.into_iter().zip(new));
        let jumps =
            jumps.filter(|(own, (old, new))| size([0, 1, 2].map(|k| new[k] - old[k])) > self.slip_noise(*own, at.x));
        jumps.map(|(own, _)| own).collect()
    }

    /// Whether something sticks in a mode on a surface whose speed may depend on what goes into memory: a parameter that is the value zero may
    /// make that speed jump, and friction takes what sticks along (theory, 4.11).
    pub(in crate::mechanism) fn moves_what_sticks(&self, mode: &Mode, assignments: &[Assignment]) -> bool {
        let reads = |friction: &usize| {
            let own = &self.model.frictions[*friction];
            let is_read = |written: &Assignment| own.local.numbers.contains(&self.model.memory_number(written.slot));
            !own.moves.is_empty() && assignments.iter().any(is_read)
        };
        !assignments.is_empty() && self.sticking(mode).iter().any(reads)
    }

    /// The fastest that a penalty has let joints open, with these velocities of a state: an impact closes them. No more than the tolerance of
    /// a rough run, as for a joint that is switched on.
    fn open_speed(&self, at: At<Mode>, workspace: &Workspace) -> f64 {
        let (terms, mode, v) = (&workspace.terms, at.mode, &at.x[self.velocities()]);
        if !matches!(self.choices.formulation, FormulationChoice::Penalty(_)) {
            return 0.0;
        }
        let is_joint = |index: &usize| !self.model.contacts.iter().any(|contact| contact.gap == *index);
        let joints = mode
            .constraints
            .iter()
            .zip(&mode.offsets)
            .filter(|(index, _)| is_joint(index));
        let rows = joints.flat_map(|(&index, &first)| first..first + self.model.constraints[index].rows);
        let speed = |row: usize| {
            let rate = terms.jacobian.row(row).dot(v) + terms.c_t[row];
            rate.abs() / terms.jacobian.row_size(row)
        };
        let most = ROUGH * self.fastest(at.x, CoordinateKind::Length);
        rows.map(speed).fold(0.0, f64::max).min(most)
    }

    /// The slip velocity of a contact or joint at a state: along its line, or by the axes of the ground.
    pub(super) fn slip_vector(&self, friction: usize, at: At<Mode>, workspace: &Workspace) -> [f64; 3] {
        let motion = self.motion(at, workspace);
        let read = |part| Quantity::Friction(friction, part).evaluate(&self.model, at.mode, &motion);
        match self.model.frictions[friction].is_single() {
            true => [read(Rubbing::Slip), 0.0, 0.0],
            false => [0, 1, 2].map(|axis| read(Rubbing::SlipComponent(axis))),
        }
    }
}

/// The length of a slip velocity.
pub(super) fn size(slip: [f64; 3]) -> f64 {
    dot(&slip, &slip).sqrt()
}
