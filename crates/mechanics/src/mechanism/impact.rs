//! Impacts: velocities after from velocities before, all contacts of the instant together (theory, section 4).
//!
//! [[M, R^T], [R, 0]] [v+; -J] = [M v-; target] over bilateral rows (joints, pins, kept velocities) and the unilateral
//! rows that take part: 0 <= J, n v+ >= target, complementary (Moreau).

use super::Mechanism;
use super::forced::{forced, no_outcome};
use super::impact_problem::{INDEPENDENCE, ImpactRow, ImpactSolution, Side, Unit, ZERO, saddle};
use crate::error::{Error, ErrorKind, Result};
use crate::linear::{dot, in_units, independent_rows_after};
use crate::model::Matrix;

impl Mechanism {
    /// Solves the impact problem for the velocities after.
    ///
    /// # Errors
    /// Kind `Event` when the equations contradict each other or no consistent set of contacts is found; kind `Singular`
    /// when some motion has no inertia.
    pub(super) fn solve_impact(&self, t: f64, mass: &Matrix, v: &[f64], rows: &[ImpactRow]) -> Result<ImpactSolution> {
        let momentum: Vec<f64> = mass.times(v).collect();
        complementary(t, mass, &momentum, rows)
    }
}

/// Most unilateral rows of which all subsets are tried when pivoting does not end.
const MOST_SUBSETS: usize = 12;

/// Solves [[M, R^T], [R, 0]] [y; -J] = [right; target] with complementarity of the unilateral rows, by Murty's principal
/// pivoting: the first row that violates its condition changes sides. Where rows depend on each other pivoting may go round
/// in circles; then the first subset of contacts that fits is taken.
pub(super) fn complementary(t: f64, mass: &Matrix, right: &[f64], rows: &[ImpactRow]) -> Result<ImpactSolution> {
    let units = Unit::of(rows);
    let mut active: Vec<bool> = rows.iter().map(|row| row.side == Side::Bilateral).collect();
    // Without any contact: these velocities set the scale of what is rounding.
    let free = equality(t, mass, right, rows, &active)?;
    let speed = free.speed().max(f64::MIN_POSITIVE);
    check_dependent(t, rows, &active, &free, speed)?;
    // What sticks holds unless it would pull, though it may carry no impulse along the normal.
    for unit in units.iter().filter(|unit| unit.sticking.is_some()) {
        active[unit.rows.clone()].fill(true);
    }
    for _ in 0..64 + (1 << units.len().min(MOST_SUBSETS)) {
        let solution = equality(t, mass, right, rows, &active)?;
        match violated(rows, &units, &solution, right, speed) {
            None => return found(t, rows, &units, &active, solution.scaled(speed)),
            Some(unit) => unit.rows.clone().for_each(|i| active[i] = !active[i]),
        }
    }
    for subset in 0..1_usize << units.len().min(MOST_SUBSETS) {
        for (k, unit) in units.iter().enumerate() {
            active[unit.rows.clone()].fill((subset >> k & 1 == 1) != unit.sticking.is_some());
        }
        let solution = equality(t, mass, right, rows, &active)?;
        if violated(rows, &units, &solution, right, speed).is_none() {
            return found(t, rows, &units, &active, solution.scaled(speed));
        }
    }
    let first: Vec<usize> = units.iter().map(|unit| unit.rows.start).collect();
    Err(no_outcome(t, rows, &first))
}

/// A solution with the contacts that let go.
fn found(
    t: f64,
    rows: &[ImpactRow],
    units: &[Unit],
    active: &[bool],
    mut solution: ImpactSolution,
) -> Result<ImpactSolution> {
    check_dependent(t, rows, active, &solution, solution.scale)?;
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
    let impulse_scale = impulses.fold(solution.reach(right), f64::max);
    let speed_scale = solution.speed().max(speed);
    units.iter().find(|unit| {
        let length = unit.rows.clone().map(reach).fold(0.0, f64::max);
        if unit.rows.clone().any(|i| solution.independent.contains(&i)) {
            unit.along(|i| solution.impulses[i]) * length < -ZERO * impulse_scale
        } else {
            unit.along(|i| dot(&rows[i].row, &solution.v) - rows[i].target) < -ZERO * speed_scale * length
        }
    })
}

fn equality(t: f64, mass: &Matrix, right: &[f64], rows: &[ImpactRow], active: &[bool]) -> Result<ImpactSolution> {
    let nv = right.len();
    // Joints first: where a contact depends on them, the contact gives way, not a joint.
    let equations = (0..rows.len()).filter(|&i| active[i] && rows[i].side != Side::Unilateral);
    let others = (0..rows.len()).filter(|&i| active[i] && rows[i].side == Side::Unilateral);
    let mut taking_part: Vec<usize> = equations.collect();
    let joints = taking_part.len();
    taking_part.extend(others);
    let matrix: Vec<f64> = taking_part.iter().flat_map(|&i| rows[i].row.iter().copied()).collect();
    let matrix = in_units(&matrix, mass.units());
    let mut independent: Vec<usize> = independent_rows_after(joints, &matrix, nv, INDEPENDENCE)
        .into_iter()
        .map(|k| taking_part[k])
        .collect();
    independent.sort_unstable();
    let mut lu = saddle(t, mass, rows, &independent)?;
    let mut unknowns = right.to_vec();
    unknowns.extend(independent.iter().map(|&i| rows[i].target));
    lu.solve(&mut unknowns);
    let v = unknowns[..nv].to_vec();
    let mut impulses = vec![0.0; rows.len()];
    for (&i, value) in independent.iter().zip(&unknowns[nv..]) {
        impulses[i] = -value;
    }
    Ok(ImpactSolution {
        v,
        impulses,
        independent,
        let_go: Vec::new(),
        units: mass.units().to_vec(),
        scale: 0.0,
    })
}

/// Equations left out as dependent must hold all the same.
fn check_dependent(t: f64, rows: &[ImpactRow], active: &[bool], solution: &ImpactSolution, speed: f64) -> Result<()> {
    let asked = |row: &ImpactRow| match solution.reach(&row.row) {
        reach if reach > 0.0 => row.target.abs() / reach,
        _ => 0.0,
    };
    let speed = rows.iter().map(asked).fold(speed, f64::max);
    for (i, row) in rows.iter().enumerate() {
        if row.side == Side::Unilateral || !active[i] || solution.independent.contains(&i) {
            continue;
        }
        let error = dot(&row.row, &solution.v) - row.target;
        if error.abs() > 1e-6 * solution.reach(&row.row) * speed {
            if let Some(error) = forced(t, rows, i) {
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

/// Whether an impulse on row a changes the velocity along row b, given the bilateral rows.
pub(super) fn coupled(t: f64, mass: &Matrix, bilateral: &[ImpactRow], a: &[f64], b: &[f64]) -> Result<bool> {
    let still: Vec<ImpactRow> = bilateral
        .iter()
        .map(|row| ImpactRow {
            target: 0.0,
            ..row.clone()
        })
        .collect();
    let active = vec![true; still.len()];
    let by_a = equality(t, mass, a, &still, &active)?.v;
    let by_b = equality(t, mass, b, &still, &active)?.v;
    let scale = (dot(a, &by_a) * dot(b, &by_b)).abs().sqrt();
    Ok(dot(b, &by_a).abs() > INDEPENDENCE * scale)
}
