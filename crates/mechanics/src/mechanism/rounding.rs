//! What of the values at a state is rounding: of gaps, speeds and forces, and of what is read of them.

use super::guards::ROUNDING;
use super::watch::WITHIN_STEP;
use super::{FormulationChoice, Mechanism, Workspace};
use crate::hybrid::{At, HybridSystem};
use crate::linear::max_abs;
use crate::model::quantity::Output;
use crate::model::{Coordinate, CoordinateKind, Mode, Start};

/// Share of the tolerance of a gap that is rounding while it is open.
const GAP: f64 = 1e-2;

/// Rounding of accelerations over the largest.
const ROUNDING_OF_RATES: f64 = 1e-12;

/// Rounding of an argument of an expression, over its size.
const ROUNDING_OF_ARGUMENTS: f64 = 10.0 * f64::EPSILON;

/// Rate of what is held, over what it is the sum of; and over what rounding alone makes it.
const HELD: f64 = 1e-9;
const STILL: f64 = 100.0;

impl Mechanism {
    /// What rounding changes an expression by, at the motion evaluated last.
    pub(super) fn rounding_of_output(&self, output: &Output, at: At<Mode>, workspace: &mut Workspace) -> f64 {
        let mut of_arguments = 0.0;
        workspace.transposed.clear();
        self.add(at, workspace, &mut |reading, duals, gradient| {
            output.add_gradient(1.0, reading, duals, gradient);
            of_arguments = ROUNDING_OF_ARGUMENTS * output.size_of_arguments(reading);
        });
        let scratch = &workspace.transposed;
        let of_state = self.rounding_of_state((&scratch.q, &scratch.v, &scratch.numbers), at);
        let of_accelerations = self.rounding_of_accelerations(&scratch.a_bar, workspace);
        let of_multipliers = self.rounding_of_multipliers(&scratch.lambda_bar[..at.mode.rows], workspace);
        of_arguments + of_state + of_accelerations + of_multipliers
    }

    /// By how much an expression of velocities may be off between the ends of a step, at the motion evaluated last: those that joints and
    /// friction hold at zero are off by the tolerance there. And up to which rate it is held.
    pub(super) fn error_of_output(&self, output: &Output, at: At<Mode>, workspace: &mut Workspace) -> [f64; 2] {
        workspace.transposed.clear();
        self.add(at, workspace, &mut |reading, duals, gradient| {
            output.add_gradient(1.0, reading, duals, gradient);
        });
        let slopes = &workspace.transposed.v;
        // What is left of a faster motion stays.
        let speed = |kind| self.fastest(at.x, kind).max(self.sizes.velocity(kind));
        let by_velocities = self.model.velocity_kinds().zip(slopes);
        let sized: f64 = by_velocities.map(|(kind, slope)| slope.abs() * speed(kind)).sum();
        let accelerating: f64 = slopes
            .iter()
            .zip(&workspace.a)
            .map(|(slope, a)| (slope * a).abs())
            .sum();
        let still = HELD * accelerating + STILL * self.rounding_of_accelerations(slopes, workspace);
        [WITHIN_STEP * self.choices.rtol * sized, still]
    }

    /// What rounding of a state changes a value of this gradient by positions, velocities and numbers by.
    pub(super) fn rounding_of_state(&self, (q, v, numbers): (&[f64], &[f64], &[f64]), at: At<Mode>) -> f64 {
        let changes = |slope: &f64| *slope != 0.0;
        let of_positions = self.model.position_kinds().zip(q).filter(|(_, slope)| changes(slope));
        let of_positions = of_positions.map(|(kind, slope)| slope.abs() * ROUNDING * self.farthest(at.x, kind));
        let of_velocities = self.model.velocity_kinds().zip(v).filter(|(_, slope)| changes(slope));
        let of_velocities = of_velocities.map(|(kind, slope)| slope.abs() * self.noise_of(at.x, kind));
        let memory = self.model.memory_start()..;
        let of_memory = numbers.get(memory).unwrap_or_default().iter();
        let sized = |i: usize| at.x[i].abs().max(self.size(i));
        let of_memory = of_memory.zip(self.memory());
        let of_memory = of_memory.map(|(slope, i)| slope.abs() * ROUNDING * sized(i));
        of_positions.chain(of_velocities).chain(of_memory).sum()
    }

    /// What rounding of accelerations changes a value of this gradient by them by, at the motion evaluated last.
    pub(super) fn rounding_of_accelerations(&self, gradient: &[f64], workspace: &Workspace) -> f64 {
        let (mass, force) = (&workspace.terms.mass, self.force_noise(workspace));
        let largest = ROUNDING_OF_RATES * max_abs(&workspace.a);
        let units = workspace.terms.jacobian.units();
        let own = |i: usize| {
            Some(mass.row(i).entry(i))
                .filter(|inertia| *inertia > 0.0)
                .map(|inertia| force / inertia)
        };
        // What has no inertia of its own moves with what has.
        let massless = || {
            (0..units.len())
                .filter_map(|i| Some(own(i)? / units[i]))
                .fold(0.0, f64::max)
        };
        let of_velocity = |(i, slope): (usize, &f64)| match *slope == 0.0 {
            true => 0.0,
            false => slope.abs() * own(i).unwrap_or_else(|| massless() * units[i]).max(largest),
        };
        gradient.iter().enumerate().map(of_velocity).sum()
    }

    /// The same by multipliers.
    fn rounding_of_multipliers(&self, gradient: &[f64], workspace: &Workspace) -> f64 {
        let force = self.force_noise(workspace);
        let by_rows = gradient.iter().enumerate().filter(|(_, slope)| **slope != 0.0);
        by_rows
            .map(|(row, slope)| slope.abs() * force / workspace.terms.jacobian.row_size(row))
            .sum()
    }

    /// Contact forces below this are rounding, at the motion evaluated last.
    pub(super) fn force_noise(&self, workspace: &Workspace) -> f64 {
        let terms = &workspace.terms;
        let inertia = terms.mass.max_abs() * max_abs(&workspace.a);
        let exact = 10.0 * ROUNDING * inertia.max(max_abs(&terms.force));
        exact.max(self.left_by_penalty(workspace))
    }

    /// Friction forces of a contact or joint, or torques of one that turns, below this are rounding, at the motion evaluated last.
    pub(super) fn rub_noise(&self, friction: usize, workspace: &Workspace) -> f64 {
        if !self.model.turns(friction) {
            return self.force_noise(workspace);
        }
        // Torques are measured by what forces and torques do in motions by the size of the mechanism.
        let Workspace { terms, a, .. } = workspace;
        let work = terms.jacobian.units().iter().enumerate().map(|(i, unit)| {
            let entries = terms.mass.row(i).entries();
            let inertia: f64 = entries.map(|(j, mass)| (mass * a[j]).abs()).sum();
            unit * inertia.max(terms.force[i].abs())
        });
        let exact = 10.0 * ROUNDING * work.fold(0.0, f64::max);
        exact.max(self.sizes.length * self.left_by_penalty(workspace))
    }

    /// Forces that a penalty takes to close what the integration leaves of gaps.
    fn left_by_penalty(&self, workspace: &Workspace) -> f64 {
        let FormulationChoice::Penalty(factors) = self.choices.formulation else {
            return 0.0;
        };
        let decay = (1.0 + 2.0 * factors.xi) * factors.omega * factors.omega * self.choices.atol * self.allowed.length;
        workspace.terms.mass.max_abs() * decay
    }

    /// Velocities of lengths below this are rounding at a state.
    pub(super) fn noise(&self, x: &[f64]) -> f64 {
        self.noise_of(x, CoordinateKind::Length)
    }

    /// Velocities of a kind below this are rounding at a state.
    pub(super) fn noise_of(&self, x: &[f64], kind: CoordinateKind) -> f64 {
        1e-13 * self.fastest(x, kind) + 0.1 * self.choices.atol * self.allowed.velocity(kind)
    }

    /// Size of what is measured in this kind at a state, by which its rounding is measured: the largest coordinate, now or
    /// where the assembly starts, and at least the size of the mechanism.
    pub(super) fn farthest(&self, x: &[f64], kind: CoordinateKind) -> f64 {
        let start = |coordinate: &Coordinate| match coordinate.start {
            Start::Number(number) => self.model.numbers[number].value.abs(),
            _ => 0.0,
        };
        let coordinates = self.model.coordinates.iter().zip(&x[self.positions()]);
        coordinates
            .filter(|(coordinate, _)| coordinate.kind == kind)
            .map(|(coordinate, value)| value.abs().max(start(coordinate)))
            .fold(self.sizes.position(kind), f64::max)
    }

    /// The largest velocity at a state, as one of this kind.
    pub(super) fn fastest(&self, x: &[f64], kind: CoordinateKind) -> f64 {
        let speed = self.model.largest(&x[self.velocities()], self.sizes.length);
        speed * self.sizes.position(kind) / self.sizes.length
    }

    /// Share of the tolerance of an open gap of a kind that is rounding.
    pub(super) fn open_noise(&self, kind: CoordinateKind) -> f64 {
        GAP * self.choices.atol * self.allowed.position(kind)
    }
}
