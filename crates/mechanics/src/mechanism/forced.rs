//! What to say when joints and drivers leave a contact no admissible motion, contradict each other, or reach no further.

use super::guards::NEEDED;
use super::impact_problem::{ImpactRow, Side, saddle};
use super::{Mechanism, Workspace};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::At;
use crate::linear::{Entries, dot, independent_rows, max_abs};
use crate::model::{Matrix, Mode};

/// Part of a unit row outside the span of the joints below which it counts as prescribed by them.
const PRESCRIBED: f64 = 1e-9;

/// Share of a joint's unit row in a contact's row below which the joint has no part in it.
const NO_SHARE: f64 = 1e-6;

/// Part of the row of a driver outside the span of the joints, over its length, below which the mechanism is at a dead centre:
/// it shrinks like the root of the time that is left.
const DEAD_CENTRE: f64 = 1e-2;

/// Joints named in a message.
const MOST_NAMES: usize = 5;

/// Error for contacts without a consistent outcome: names those whose motion joints and drivers prescribe.
#[cold]
pub(super) fn no_outcome((t, nv): (f64, usize), rows: &[ImpactRow], unilateral: &[usize]) -> Error {
    if let Some(error) = unilateral.iter().find_map(|&i| forced((t, nv), rows, i)) {
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
pub(super) fn forced((t, nv): (f64, usize), rows: &[ImpactRow], contact: usize) -> Option<Error> {
    let name = &rows[contact].name;
    let joints: Vec<usize> = (0..rows.len())
        .filter(|&i| rows[i].side == Side::Bilateral && rows[i].name != *name)
        .collect();
    let shares = combination((t, nv), rows, &joints, &rows[contact].row)?;
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
pub(super) fn combination(
    (t, nv): (f64, usize),
    rows: &[ImpactRow],
    joints: &[usize],
    row: &Entries<f64>,
) -> Option<Vec<(usize, f64)>> {
    let (rest, shares) = nearest_combination((t, nv), rows, joints, row)?;
    (rest <= PRESCRIBED).then_some(shares)
}

/// What the joint rows leave of a row at the least, over its length, and their shares in the rest of it.
fn nearest_combination(
    (t, nv): (f64, usize),
    rows: &[ImpactRow],
    joints: &[usize],
    row: &Entries<f64>,
) -> Option<(f64, Vec<(usize, f64)>)> {
    let matrix: Vec<f64> = joints.iter().flat_map(|&i| rows[i].row.dense(nv)).collect();
    let independent: Vec<usize> = independent_rows(&matrix, nv, PRESCRIBED)
        .iter()
        .map(|&k| joints[k])
        .collect();
    // With unit masses the velocities are what the joints leave of the row, and the impulses are the shares.
    let row = row.dense(nv);
    let mut unknowns = row.clone();
    unknowns.resize(nv + independent.len(), 0.0);
    let factors = saddle(t, &Matrix::identity(nv), rows, &independent);
    factors.ok()?.solve(&mut unknowns);
    let (rest, shares) = unknowns.split_at(nv);
    let length = dot(&row, &row).sqrt();
    let shares = independent.into_iter().zip(shares.iter().copied());
    let shares = shares.filter(|(i, share)| share.abs() * rows[*i].row.max_abs() > NO_SHARE * length);
    Some((max_abs(rest) / length, shares.collect()))
}

/// Names in quotes, each once, the last after "and".
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut quoted: Vec<String> = Vec::new();
    for name in names.map(|name| format!("\"{name}\"")) {
        if !quoted.contains(&name) {
            quoted.push(name);
        }
    }
    quoted.truncate(MOST_NAMES);
    match quoted.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => quoted.concat(),
    }
}

impl Mechanism {
    /// Rows that depend on others must agree with them, also when the rows in force have been chosen anew.
    ///
    /// # Errors
    /// Kind `Event` when they do not: names the drivers, or joints, that contradict each other.
    pub(super) fn check_agreement(&self, at: At<Mode>, workspace: &mut Workspace) -> Result<()> {
        // Rows chosen anew that could all be closed would leave rounding.
        if self.spare(at, workspace) >= 0.5 * NEEDED {
            return Ok(());
        }
        let open = self.bilateral_rows(at, workspace, |row| row.c);
        let rows = self.bilateral_rows(at, workspace, |row| row.c_t);
        let size = |i: usize| open[i].target.abs() / open[i].row.max_abs().max(f64::MIN_POSITIVE);
        let Some(worst) = (0..open.len()).max_by(|&i, &j| size(i).total_cmp(&size(j))) else {
            return Ok(());
        };
        let others: Vec<usize> = (0..rows.len()).filter(|&i| i != worst).collect();
        let Some(shares) = combination((at.t, self.model.nv()), &rows, &others, &rows[worst].row) else {
            return Ok(());
        };
        let all: Vec<usize> = std::iter::once(worst).chain(shares.iter().map(|(i, _)| *i)).collect();
        let driven = listed(
            (all.iter())
                .filter(|&&i| rows[i].target != 0.0)
                .map(|&i| rows[i].name.as_str()),
        );
        let both = driven.contains(" and ");
        let names = if both {
            driven
        } else {
            listed(all.iter().map(|&i| rows[i].name.as_str()))
        };
        Err(Error::new(
            ErrorKind::Event,
            format!("{names} contradict each other: from here on they cannot all be closed"),
        )
        .named(&rows[worst].name)
        .at_time(at.t)
        .with_value(open[worst].target)
        .advise("leave one of them out, or prescribe motions that agree at all times"))
    }

    /// The error for a motion that ends where a driver would take the mechanism past its reach.
    pub(super) fn past_reach(&self, at: At<Mode>, workspace: &mut Workspace) -> Option<Error> {
        self.load_memory(at.x, &mut workspace.terms);
        let rows = self.bilateral_rows(at, workspace, |row| row.c_t);
        let reach = |driver: usize| {
            let others: Vec<usize> = (0..rows.len()).filter(|&i| rows[i].name != rows[driver].name).collect();
            let (rest, shares) = nearest_combination((at.t, self.model.nv()), &rows, &others, &rows[driver].row)?;
            (rest < DEAD_CENTRE).then_some((driver, shares))
        };
        let (driver, shares) = (0..rows.len()).filter(|&i| rows[i].target != 0.0).find_map(reach)?;
        let name = &rows[driver].name;
        let others = listed(shares.iter().map(|(i, _)| rows[*i].name.as_str()));
        Some(
            Error::new(
                ErrorKind::Singular,
                format!("\"{name}\" drives the mechanism past its reach: {others} stand at a dead centre"),
            )
            .named(name)
            .at_time(at.t)
            .advise(format!(
                "let the motion of \"{name}\" turn round before this time, or change the lengths so that the mechanism \
                 reaches further"
            )),
        )
    }
}
