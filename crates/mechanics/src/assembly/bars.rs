//! Angles at the start: whole turns that a driver or gear asks for, and bars that point against their angle. The
//! constraint of a bar's angle, e_perp(angle).(to - from) = 0, holds for both directions of the bar; only one is meant. The
//! angle of a joint in space is one of the same kind.

use std::f64::consts::{PI, TAU};

use crate::error::{Error, ErrorKind};
use crate::model::constraint::{Constraint, ConstraintKind};
use crate::model::joint::BarAngle;
use crate::model::marker::{Base, Orientation, difference};
use crate::model::{CoordinateKind, Mode, Model};

/// Rounds of laying bars along their angles: as many as bars hang on each other in a row, listed the other way round.
const MOST_LAYINGS: usize = 8;

/// Adds whole turns to free angles where a driven or geared angle is more than half a turn away: a closed chain follows the
/// last part of a turn, not many turns at once.
pub(super) fn unwind(model: &Model, mode: &Mode, t: f64, q: &mut [f64], numbers: &[f64]) {
    for constraint in mode.constraints.iter().map(|&index| &model.constraints[index]) {
        let slope = |i: &usize| match &constraint.kind {
            ConstraintKind::RelativeAngle(kind) if kind.b == Orientation::Angle(*i) => 1.0,
            ConstraintKind::RelativeAngle(kind) if kind.a == Orientation::Angle(*i) => -1.0,
            ConstraintKind::Coupling(kind) => {
                let own = kind.terms.iter().filter(|(coordinate, _)| coordinate == i);
                own.map(|(_, factor)| numbers[constraint.local.numbers[*factor]]).sum()
            }
            _ => 0.0,
        };
        let is_free_angle = |i: &usize| {
            let coordinate = &model.coordinates[constraint.local.coordinates[*i]];
            coordinate.kind == CoordinateKind::Angle && !coordinate.held
        };
        let turning = (0..constraint.local.width())
            .filter(is_free_angle)
            .find(|i| f64::abs(slope(i)) == 1.0);
        if let Some(local) = turning {
            let turns = (constraint.value_at::<f64, 2>(t, |i| q[i], |i| numbers[i])[0] / TAU).round();
            q[constraint.local.coordinates[local]] -= slope(&local) * turns * TAU;
        }
    }
}

/// The coordinate that a constraint makes an angle, and the vector whose direction it is.
pub(super) fn heading(constraint: &Constraint, q: &[f64], numbers: &[f64]) -> Option<(usize, [f64; 2])> {
    let local = &constraint.local;
    let (angle, span) = match &constraint.kind {
        ConstraintKind::BarAngle(bar) => (bar.angle, span(constraint, bar, q, numbers)),
        ConstraintKind::Turned(joint) => {
            let (q, numbers) = (local.gather::<f64>(q), local.gather_numbers::<f64>(numbers));
            (joint.angle, joint.components(&q, &numbers))
        }
        _ => return None,
    };
    Some((local.coordinates[angle], span))
}

/// Held angles of joints in space, with how far each is from where the bodies show it, at most half a turn.
pub(super) fn lags(model: &Model, mode: &Mode, q: &[f64], numbers: &[f64]) -> Vec<(usize, f64)> {
    let constraints = mode.constraints.iter().map(|&index| &model.constraints[index]);
    let turned = constraints.filter(|constraint| matches!(constraint.kind, ConstraintKind::Turned(_)));
    let lag = |constraint: &Constraint| {
        let (angle, d) = heading(constraint, q, numbers).filter(|(angle, _)| model.coordinates[*angle].held)?;
        let lag = q[angle] - d[1].atan2(d[0]);
        Some((angle, lag - (lag / TAU).round() * TAU))
    };
    turned.filter_map(lag).collect()
}

/// Acting angle constraints with their bars.
fn angles<'a>(model: &'a Model, mode: &'a Mode) -> impl Iterator<Item = (&'a Constraint, &'a BarAngle)> {
    mode.constraints.iter().filter_map(|&index| {
        let constraint = &model.constraints[index];
        match &constraint.kind {
            ConstraintKind::BarAngle(bar) => Some((constraint, bar)),
            _ => None,
        }
    })
}

/// Acting angle constraints that point against their angle, with that and their direction.
fn reversed<'a>(
    model: &'a Model,
    mode: &'a Mode,
    q: &'a [f64],
    numbers: &'a [f64],
) -> impl Iterator<Item = (&'a Constraint, usize, [f64; 2])> {
    mode.constraints.iter().filter_map(|&index| {
        let constraint = &model.constraints[index];
        let (angle, d) = heading(constraint, q, numbers)?;
        let (sin, cos) = q[angle].sin_cos();
        (d[0] * cos + d[1] * sin < 0.0).then_some((constraint, angle, d))
    })
}

/// Turns round every bar that points against its angle; true if there was one. On even attempts the angle turns, unless it
/// is held; on odd ones the end of the bar moves to the other side of its start.
pub(super) fn turn(model: &Model, mode: &Mode, q: &mut [f64], numbers: &[f64], attempt: usize) -> bool {
    let before = q.to_vec();
    let mut found = false;
    for (constraint, angle, d) in reversed(model, mode, &before, numbers) {
        found = true;
        if attempt.is_multiple_of(2) && !model.coordinates[angle].held {
            q[angle] += PI;
        } else if let ConstraintKind::BarAngle(bar) = &constraint.kind {
            move_end(model, (constraint, bar), q, numbers, [-d[0], -d[1]]);
        }
    }
    found
}

/// Lays every bar along its angle: where the guess of a bar is across its angle, the rows of its length and of its angle
/// depend on each other, and no step leads from there to the angle. Several times, since bars hang on others.
pub(super) fn lay(model: &Model, mode: &Mode, q: &mut [f64], numbers: &[f64]) {
    let before = q.to_vec();
    let bars: Vec<(&Constraint, &BarAngle)> = angles(model, mode).collect();
    for _ in 0..bars.len().min(MOST_LAYINGS) {
        for &(constraint, bar) in &bars {
            let d = span(constraint, bar, &before, numbers);
            let (sin, cos) = q[constraint.local.coordinates[bar.angle]].sin_cos();
            let length = d[0].hypot(d[1]);
            move_end(model, (constraint, bar), q, numbers, [length * cos, length * sin]);
        }
    }
}

/// From one end of a bar to the other.
fn span(constraint: &Constraint, bar: &BarAngle, q: &[f64], numbers: &[f64]) -> [f64; 2] {
    let [from, to] = ends(constraint, bar, q, numbers);
    difference(from, to)
}

fn ends(constraint: &Constraint, bar: &BarAngle, q: &[f64], numbers: &[f64]) -> [[f64; 2]; 2] {
    let (q, numbers) = (
        constraint.local.gather::<f64>(q),
        constraint.local.gather_numbers::<f64>(numbers),
    );
    [bar.from, bar.to].map(|base| base.position(&q, &numbers))
}

/// Moves one end of a bar so that it goes this far from the other: the end if it can move, else the start.
fn move_end(model: &Model, of: (&Constraint, &BarAngle), q: &mut [f64], numbers: &[f64], span: [f64; 2]) {
    let (constraint, bar) = of;
    let [from, to] = ends(constraint, bar, q, numbers);
    let is_free = |place: &[usize]| {
        let mut coordinates = place.iter().map(|&k| constraint.local.coordinates[k]);
        coordinates.all(|i| !model.coordinates[i].held)
    };
    let (place, still, sign) = match (bar.from, bar.to) {
        (Base::Point(place), Base::Point(other)) if is_free(&place) && !is_free(&other) => (place, to, -1.0),
        (_, Base::Point(place)) => (place, from, 1.0),
        (Base::Point(place), _) => (place, to, -1.0),
        _ => return,
    };
    for k in 0..2 {
        let coordinate = constraint.local.coordinates[place[k]];
        if !model.coordinates[coordinate].held {
            q[coordinate] = still[k] + sign * span[k];
        }
    }
}

/// Error for a bar that still points against its angle.
pub(crate) fn check(model: &Model, mode: &Mode, q: &[f64], numbers: &[f64]) -> Result<(), Error> {
    let Some((constraint, angle, _)) = reversed(model, mode, q, numbers).next() else {
        return Ok(());
    };
    let angle = q[angle];
    Err(Error::new(
        ErrorKind::Assembly,
        format!(
            "\"{}\" can only be closed pointing against its angle {angle:.6}",
            constraint.name
        ),
    )
    .named(constraint.name.clone())
    .with_value(angle)
    .advise("hold another angle, or move the guesses of what it belongs to to the side that the angle points to"))
}
