//! What to say when joints and drivers leave a contact no admissible motion.

use super::impact_problem::{ImpactRow, Side, saddle};
use crate::error::{Error, ErrorKind};
use crate::linear::{dot, independent_rows, max_abs};
use crate::model::Matrix;

/// Part of a unit row outside the span of the joints below which it counts as prescribed by them.
const PRESCRIBED: f64 = 1e-9;

/// Share of a joint's unit row in a contact's row below which the joint has no part in it.
const NO_SHARE: f64 = 1e-6;

/// Joints named in a message.
const MOST_NAMES: usize = 5;

/// Error for contacts without a consistent outcome: names those whose motion joints and drivers prescribe.
#[cold]
pub(super) fn no_outcome(t: f64, rows: &[ImpactRow], unilateral: &[usize]) -> Error {
    if let Some(error) = unilateral.iter().find_map(|&i| forced(t, rows, i)) {
        return error;
    }
    let names: Vec<String> = unilateral.iter().map(|&i| format!("\"{}\"", rows[i].name)).collect();
    let message = format!(
        "no consistent outcome of the simultaneous contacts {}",
        names.join(", ")
    );
    Error::new(ErrorKind::Event, message)
        .at_time(t)
        .advise("change a length or a time a little, so that the contacts do not act at one instant")
}

/// Error for a contact whose velocity the joints prescribe, if its row is a combination of theirs alone.
#[cold]
pub(super) fn forced(t: f64, rows: &[ImpactRow], contact: usize) -> Option<Error> {
    let name = &rows[contact].name;
    let joints: Vec<usize> = (0..rows.len())
        .filter(|&i| rows[i].side == Side::Bilateral && rows[i].name != *name)
        .collect();
    let shares = combination(t, rows, &joints, &rows[contact].row)?;
    // A driver that moves has a target; where none does, all joints that take part are to blame.
    let moving = |&(i, _): &(usize, f64)| rows[i].target != 0.0;
    let any_moves = shares.iter().any(&moving);
    let mut names: Vec<String> = Vec::new();
    for share in shares.iter().filter(|share| !any_moves || moving(share)) {
        let quoted = format!("\"{}\"", rows[share.0].name);
        if !names.contains(&quoted) {
            names.push(quoted);
        }
    }
    names.truncate(MOST_NAMES);
    let (who, what) = (names.join(", "), if names.len() == 1 { "forces" } else { "force" });
    Some(
        Error::new(
            ErrorKind::Event,
            format!("{who} {what} the mechanism through \"{name}\": there is no admissible motion"),
        )
        .named(name)
        .at_time(t)
        .advise(format!(
            "prescribe a motion that stays on the allowed side of \"{name}\", move \"{name}\", or let a force drive the \
             mechanism in the place of {who}"
        )),
    )
}

/// The joint rows that add up to a row, with their shares; none if the row is no combination of them.
fn combination(t: f64, rows: &[ImpactRow], joints: &[usize], row: &[f64]) -> Option<Vec<(usize, f64)>> {
    let nv = row.len();
    let matrix: Vec<f64> = joints.iter().flat_map(|&i| rows[i].row.iter().copied()).collect();
    let independent: Vec<usize> = independent_rows(&matrix, nv, PRESCRIBED)
        .iter()
        .map(|&k| joints[k])
        .collect();
    // With unit masses the velocities are what the joints leave of the row, and the impulses are the shares.
    let mut unknowns = row.to_vec();
    unknowns.resize(nv + independent.len(), 0.0);
    let factors = saddle(t, &Matrix::identity(nv), rows, &independent);
    factors.ok()?.solve(&mut unknowns);
    let (rest, shares) = unknowns.split_at(nv);
    let length = dot(row, row).sqrt();
    if max_abs(rest) > PRESCRIBED * length {
        return None;
    }
    let shares = independent.into_iter().zip(shares.iter().copied());
    Some(
        shares
            .filter(|(i, share)| share.abs() * max_abs(&rows[*i].row) > NO_SHARE * length)
            .collect(),
    )
}
