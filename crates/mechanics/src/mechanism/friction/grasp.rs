//! Joints that rub with their reaction in an impact: what their friction takes is in proportion to what the impulses of their rows press
//! (theory, 4.11).

use super::independent::Line;
use crate::hybrid::At;
use crate::linear::Entries;
use crate::mechanism::impact_problem::Origin;
use crate::mechanism::impact_system::{Chosen, ImpactSystem};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::{Mode, Model, Press};

/// Velocities and impulses below this fraction of the largest count as zero.
pub(super) const ZERO: f64 = 1e-11;

/// Response along a row, over that without joints, below which others keep the joint from moving.
const NO_RESPONSE: f64 = 1e-12;

/// A joint that may take an impulse along its freedom.
pub(super) struct Grasp<'a> {
    pub(super) friction: usize,
    pub(super) row: Entries<f64>,
    /// What a unit impulse does to the velocities, and to the impulses of the rows that hold.
    pub(super) response: (Vec<f64>, Vec<f64>),
    /// Friction over what presses.
    pub(super) coefficient: f64,
    /// Terms of the slip velocity before the impact, without their signs.
    pub(super) terms: f64,
    /// Slip velocities that are rounding of the motion: those of what sticks.
    rounding: f64,
    model: &'a Model,
    q: &'a [f64],
    numbers: &'a [f64],
}

impl Grasp<'_> {
    /// Slip velocity, and its rounding.
    pub(super) fn slip(&self, v: &[f64]) -> [f64; 2] {
        let terms = self.row.iter().map(|(i, slope)| slope * v[i]);
        let size: f64 = terms.clone().map(f64::abs).sum();
        [terms.sum(), ZERO * size.max(self.terms)]
    }

    /// Direction of slip; zero where it does not.
    pub(super) fn direction(&self, v: &[f64]) -> i8 {
        match self.slip(v) {
            [slip, noise] if slip > noise => 1,
            [slip, noise] if slip < -noise => -1,
            _ => 0,
        }
    }

    /// Direction of slip; zero also where it sticks within the tolerance of the motion.
    pub(super) fn moves(&self, v: &[f64]) -> i8 {
        match self.slip(v)[0].abs() > self.rounding {
            true => self.direction(v),
            false => 0,
        }
    }

    /// Its row with what its impulse does to the velocities.
    pub(super) fn line(&self) -> Line<'_> {
        (&self.row, &self.response.0)
    }

    /// What the impulses of the rows press, as a sum over their places.
    pub(super) fn pressed(&self, rows: &[(usize, usize)], impulses: &[f64]) -> Vec<(usize, f64)> {
        let place = |constraint: usize, k: usize| rows.iter().position(|row| *row == (constraint, k));
        let impulse = |constraint: usize, k: usize| place(constraint, k).map_or(0.0, |place| impulses[place]);
        let slopes = self.model.impulse_slopes(self.friction, self.q, self.numbers, &impulse);
        (slopes.into_iter().flatten())
            .filter_map(|(constraint, k, slope)| Some((place(constraint, k)?, slope)))
            .collect()
    }
}

impl Mechanism {
    /// Joints with one freedom that rub in proportion to their reaction.
    pub(super) fn grasping(&self, mode: &Mode) -> Vec<usize> {
        let mut joints = self.rubbing_joints(mode);
        joints.retain(|&friction| {
            let own = &self.model.frictions[friction];
            own.is_single() && !matches!(own.press(), Some(Press::Given(_)))
        });
        joints
    }

    /// Those that can move, at an impact.
    pub(super) fn grasps<'a>(
        &'a self,
        at: At<'a, Mode>,
        system: &ImpactSystem,
        chosen: &Chosen,
        workspace: &'a Workspace,
    ) -> Vec<Grasp<'a>> {
        let (q, v) = (&at.x[self.positions()], &at.x[self.velocities()]);
        let numbers = &workspace.terms.numbers[..];
        let grasp = |friction: usize| {
            let own = &self.model.frictions[friction];
            let coefficient = own.bounds(at.t, &own.local.gather_numbers::<f64>(numbers))[1];
            let row = self.slip_rows(friction, q, numbers).pop()?;
            let dense = row.dense(system.mass.width());
            let response = system.solve(chosen, &dense, |_| 0.0);
            let least = row.iter().map(|(_, slope)| slope * slope).sum::<f64>() / system.mass.max_abs();
            let moves = row.dot(&response.0) > NO_RESPONSE * least;
            // Without friction it matters for the derivative by the coefficient alone.
            let rubs = coefficient > 0.0 || self.model.is_fed(own.local.numbers[own.coefficients[1]]);
            (moves && rubs).then_some(Grasp {
                friction,
                terms: row.iter().map(|(i, slope)| (slope * v[i]).abs()).sum(),
                rounding: self.slip_noise(friction, at.x),
                row,
                response,
                coefficient,
                model: &self.model,
                q,
                numbers,
            })
        };
        self.grasping(at.mode).into_iter().filter_map(grasp).collect()
    }
}

/// The constraints and rows of the chosen rows of a system.
pub(super) fn chosen_rows(system: &ImpactSystem, chosen: &Chosen) -> Vec<(usize, usize)> {
    let row = |&i: &usize| match system.rows[i].origin {
        Origin::Constraint { constraint, row, .. } => (constraint, row),
        _ => (0, 0),
    };
    chosen.independent.iter().map(row).collect()
}
