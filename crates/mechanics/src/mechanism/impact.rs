//! Impacts: velocities after from velocities before, all contacts of the instant together (theory, section 4).
//!
//! [[M, R^T], [R, 0]] [v+; -J] = [M v-; target] over bilateral rows (joints, pins, kept velocities) and the unilateral
//! rows that take part: 0 <= J, n v+ >= target, complementary (Moreau).

use super::Mechanism;
use super::forced::{forced, no_outcome};
use super::guards::ROUNDING;
use super::impact_problem::{INDEPENDENCE, ImpactRow, ImpactSolution, Side, Unit, ZERO};
use super::impact_system::ImpactSystem;
use crate::error::{Error, ErrorKind, Result};
use crate::linear::Entries;
use crate::model::{CoordinateKind, Matrix};

impl Mechanism {
    /// Solves the impact problem for the velocities after.
    ///
    /// # Errors
    /// Kind `Event` when the equations contradict each other or no consistent set of contacts is found; kind `Singular`
    /// when some motion has no inertia.
    pub(super) fn solve_impact(&self, t: f64, mass: &Matrix, v: &[f64], rows: &[ImpactRow]) -> Result<ImpactSolution> {
        let momentum: Vec<f64> = mass.times(v).collect();
        let mut system = ImpactSystem::new(t, mass, rows, self.choices.by);
        let kinds = self.model.velocity_kinds().zip(mass.units());
        let velocity = |(kind, unit): (CoordinateKind, &f64)| self.sizes.velocity(kind) / unit;
        system.rounding = ROUNDING * kinds.map(velocity).fold(0.0, f64::max);
        complementary(&system, &momentum, rows.len())
    }
}

/// Most unilateral rows of which all subsets are tried when pivoting does not end.
const MOST_SUBSETS: usize = 12;

/// Part of the velocities that joints take away whose rounding is left: that part is far above their own rounding, times [`ZERO`] it
/// is far below what moves.
const TAKEN: f64 = 1e-2;

/// Solves [[M, R^T], [R, 0]] [y; -J] = [right; target] with complementarity of the unilateral rows among the first `offered`
/// ones, by Murty's principal pivoting: the first row that violates its condition changes sides. Where rows depend on each other
/// pivoting may go round in circles; then the first subset of contacts that fits is taken.
pub(super) fn complementary(system: &ImpactSystem, right: &[f64], offered: usize) -> Result<ImpactSolution> {
    let rows = system.rows;
    let units = Unit::of(&rows[..offered]);
    let mut active: Vec<bool> = rows.iter().map(|row| row.side == Side::Bilateral).collect();
    // Without any contact: these velocities set the scale of what is rounding, and where joints leave none, a part of those that
    // they take away.
    let free = equality(system, right, &active)?;
    let speed = free.speed().max(TAKEN * unjoined(system, right, &free));
    let speed = speed.max(f64::MIN_POSITIVE);
    check_dependent(system, &active, &free, speed)?;
    // What sticks holds unless it would pull, though it may carry no impulse along the normal.
    for unit in units.iter().filter(|unit| unit.sticking.is_some()) {
        active[unit.rows.clone()].fill(true);
    }
    for _ in 0..64 + (1 << units.len().min(MOST_SUBSETS)) {
        let solution = equality(system, right, &active)?;
        match violated(rows, &units, &solution, right, speed) {
            None => return found(system, &units, &active, solution.scaled(speed)),
            Some(unit) => unit.rows.clone().for_each(|i| active[i] = !active[i]),
        }
    }
    for subset in 0..1_usize << units.len().min(MOST_SUBSETS) {
        for (k, unit) in units.iter().enumerate() {
            active[unit.rows.clone()].fill((subset >> k & 1 == 1) != unit.sticking.is_some());
        }
        let solution = equality(system, right, &active)?;
        if violated(rows, &units, &solution, right, speed).is_none() {
            return found(system, &units, &active, solution.scaled(speed));
        }
    }
    let first: Vec<usize> = units.iter().map(|unit| unit.rows.start).collect();
    Err(no_outcome((system.t, right.len()), rows, &first))
}

/// Velocity that the right-hand side would give to all the mass, over the sizes of the coordinates.
fn unjoined(system: &ImpactSystem, right: &[f64], free: &ImpactSolution) -> f64 {
    let units = system.mass.units().iter().enumerate();
    let mass = units.map(|(i, unit)| system.mass.row_size(i) * unit * unit);
    free.reach_of(right) / mass.fold(f64::MIN_POSITIVE, f64::max)
}

/// A solution with the contacts that let go.
fn found(
    system: &ImpactSystem,
    units: &[Unit],
    active: &[bool],
    mut solution: ImpactSolution,
) -> Result<ImpactSolution> {
    check_dependent(system, active, &solution, solution.scale)?;
    let open = units.iter().filter(|unit| !active[unit.rows.start]);
    solution.let_go = open.filter_map(|unit| unit.sticking).collect();
    Ok(solution)
}

/// The first unit that pulls, or that is left out (as open or as dependent) and would be penetrated.
fn violated<'a>(
    rows: &[ImpactRow],
    units: &'a [Unit],
    solution: &ImpactSolution,
    right: &[f64],
    speed: f64,
) -> Option<&'a Unit> {
    let reach = |i: usize| solution.reach(&rows[i].row);
    let impulses = (0..rows.len()).map(|i| solution.impulses[i].abs() * reach(i));
    let impulse_scale = impulses.fold(solution.reach_of(right), f64::max);
    let speed_scale = solution.speed().max(speed);
    units.iter().find(|unit| {
        let length = unit.rows.clone().map(reach).fold(0.0, f64::max);
        if unit.rows.clone().any(|i| solution.independent.contains(&i)) {
            unit.along(|i| solution.impulses[i]) * length < -ZERO * impulse_scale
        } else {
            unit.along(|i| rows[i].row.dot(&solution.v) - rows[i].target) < -ZERO * speed_scale * length
        }
    })
}

/// Solves with the rows that take part as equations.
fn equality(system: &ImpactSystem, right: &[f64], active: &[bool]) -> Result<ImpactSolution> {
    let chosen = system.choose(active)?;
    let (v, found) = system.solve(&chosen, right, |i| system.rows[i].target);
    let mut impulses = vec![0.0; system.rows.len()];
    for (&i, impulse) in chosen.independent.iter().zip(found) {
        impulses[i] = impulse;
    }
    Ok(ImpactSolution {
        v,
        impulses,
        independent: chosen.independent,
        let_go: Vec::new(),
        units: system.mass.units().to_vec(),
        scale: 0.0,
    })
}

/// Equations left out as dependent must hold all the same.
fn check_dependent(system: &ImpactSystem, active: &[bool], solution: &ImpactSolution, speed: f64) -> Result<()> {
    let (t, rows) = (system.t, system.rows);
    let asked = |row: &ImpactRow| match solution.reach(&row.row) {
        reach if reach > 0.0 => row.target.abs() / reach,
        _ => 0.0,
    };
    let speed = rows.iter().map(asked).fold(speed, f64::max);
    for (i, row) in rows.iter().enumerate() {
        if row.side == Side::Unilateral || !active[i] || solution.independent.contains(&i) {
            continue;
        }
        let error = row.row.dot(&solution.v) - row.target;
        if error.abs() > solution.reach(&row.row) * (1e-6 * speed + system.rounding) {
            if let Some(error) = forced((t, solution.v.len()), rows, i) {
                return Err(error);
            }
            return Err(Error::new(ErrorKind::Event, format!("the velocities after the impact of \"{}\" are prescribed twice and differ", row.name))
                .named(row.name.clone())
                .at_time(t)
                .with_value(error)
                .advise("the mechanism has too few degrees of freedom for the velocities this law keeps: use FlipKeeping([]) or Restitution"));
        }
    }
    Ok(())
}

/// What unit impulses along some directions do to the velocities, given bilateral rows.
pub(super) struct Coupling {
    directions: Vec<Entries<f64>>,
    velocities: Vec<Vec<f64>>,
}

impl Coupling {
    /// # Errors
    /// Kind `Singular` when some motion has no inertia.
    pub fn new(system: &ImpactSystem, directions: Vec<Entries<f64>>) -> Result<Self> {
        let chosen = system.choose(&vec![true; system.rows.len()])?;
        let respond = |a: &Entries<f64>| system.solve(&chosen, &a.dense(system.mass.width()), |_| 0.0).0;
        let velocities = directions.iter().map(respond).collect();
        Ok(Self { directions, velocities })
    }

    /// Whether an impulse along one direction changes the velocity along another.
    pub fn acts(&self, a: usize, b: usize) -> bool {
        let along = |i: usize, by: usize| self.directions[i].dot(&self.velocities[by]);
        let scale = (along(a, a) * along(b, b)).abs().sqrt();
        along(b, a).abs() > INDEPENDENCE * scale
    }
}
