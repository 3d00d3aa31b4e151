//! Singular starts: positions where joints depend on each other for an instant, so that the motion may branch there, or ends
//! there (theory, 5.5).

use nalgebra::DVector;

use super::branch::{Branches, Choice};
use super::dependence::{Dependence, Rows, joint_names};
use super::redundancy::{BENDS, NEAR, Over, Redundancy};
use crate::error::{Error, ErrorKind, Result};
use crate::formulation::INDEPENDENCE;
use crate::linear::max_abs;
use crate::model::{Departure, Mode, Model, Terms};

/// Coordinates shown of a motion.
const MOST_COORDINATES: usize = 6;

/// Share of the fastest coordinate that a motion shows.
const SHOWN: f64 = 1e-6;

/// Velocities along the only branch that those found are along, and how the mechanism leaves by it, where rows over the
/// coordinates depend on each other that are independent beside the position; none elsewhere.
///
/// # Errors
/// Kind `Assembly` where the velocities are not along exactly one branch, with the branches there are.
pub(super) fn leave(rows: Rows, acting: &Mode, v: &[f64]) -> Result<Option<(Vec<f64>, Departure)>> {
    let free = (0..rows.q.len()).collect();
    let redundancy = Redundancy::new(rows, Over::Coordinates, free, NEAR);
    let singular: Vec<&Dependence> = redundancy.singular().collect();
    if singular.is_empty() {
        return Ok(None);
    }
    let Rows {
        model, t, q, v: rates, ..
    } = redundancy.rows;
    let mut terms = Terms::new(model);
    model.assemble_constraints(t, q, v, acting, &mut terms);
    let branches = Branches::new(Rows {
        model,
        mode: acting,
        t,
        q,
        v: rates,
        terms: &terms,
    });
    match branches.map_or(Choice::Unknown, |branches| branches.choose(v)) {
        Choice::One(v, departure, _) => Ok(Some((v, departure))),
        choice => Err(refusal(&redundancy, &singular, &choice)),
    }
}

/// Names of the joints whose rows over the velocities depend on each other at a position only.
pub(crate) fn singular_joints(
    (model, mode): (&Model, &Mode),
    t: f64,
    [q, rates]: [&[f64]; 2],
    terms: &Terms,
) -> Vec<String> {
    let rows = Rows {
        model,
        mode,
        t,
        q,
        v: rates,
        terms,
    };
    let all = (0..model.nv()).collect();
    let redundancy = Redundancy::new(rows, Over::Velocities, all, INDEPENDENCE);
    joint_names(redundancy.singular(), model, mode)
}

fn refusal(redundancy: &Redundancy, singular: &[&Dependence], choice: &Choice) -> Error {
    let Rows { model, mode, t, .. } = redundancy.rows;
    let names = joint_names(singular.iter().copied(), model, mode);
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let (what, advice) = match singular {
        [dependence] => ways_on(redundancy, dependence, choice),
        _ => (
            format!(
                "the motion is not determined, and neither are the forces{}",
                said(choice)
            ),
            BRANCHES,
        ),
    };
    let message = format!(
        "the mechanism starts in a singular position of {}, whose rows depend on each other only there: {what}",
        quoted.join(", ")
    );
    let error = Error::new(ErrorKind::Assembly, message).at_time(t).advise(advice);
    match names.first() {
        Some(name) => error.named(name.clone()),
        None => error,
    }
}

const BRANCHES: &str = "hold velocities that only one of the motions has, such as those of two coordinates that it moves, in \
    their ratio; or start a little off this position, on the branch that is meant: give an angle or a guess beside it, and hold \
    coordinates that keep it there";

const BLOCKED: &str = "change a length or position, so that the parts are neither stretched nor folded to their limit, or \
    leave out a joint";

/// What the velocities have to do with it.
fn said(choice: &Choice) -> &'static str {
    match choice {
        Choice::None => "; the velocities at the start are along none of them",
        Choice::Several => "; the velocities at the start leave open along which",
        Choice::One(..) | Choice::Unknown => "",
    }
}

/// What motions there are, and what to do about it. A motion v goes on from a singular position if w^T c_qq v v = 0 for the
/// combination w of rows that vanishes there: a quadratic form over the motions that all rows allow to first order.
fn ways_on(redundancy: &Redundancy, dependence: &Dependence, choice: &Choice) -> (String, &'static str) {
    let motions = redundancy.motions();
    let form = redundancy.form(dependence, &motions).symmetric_eigen();
    let bound = BENDS * form.eigenvalues.amax();
    let (bent, axes) = (&form.eigenvalues, &motions * &form.eigenvectors);
    let signed = |sign: f64| (0..bent.len()).filter(move |&k| sign * bent[k] > bound);
    let (up, down): (Vec<usize>, Vec<usize>) = (signed(1.0).collect(), signed(-1.0).collect());
    let rates = &redundancy.rows.terms.c_t[..redundancy.rows.terms.rows];
    let is_driven = max_abs(rates) > 0.0;
    match (&up[..], &down[..]) {
        _ if is_driven => (format!("the motion is not determined there{}", said(choice)), BRANCHES),
        ([], still) | (still, []) => {
            let ends: Vec<String> = still
                .iter()
                .map(|&k| motion(redundancy, &axes.column(k).into_owned()))
                .collect();
            let message = format!(
                "they are stretched or folded to their limit and cannot move with rates {}; forces and derivatives are not \
                 determined",
                ends.join(" or ")
            );
            (message, BLOCKED)
        }
        (&[a], &[b]) => {
            let (along, across) = (axes.column(a) * (-bent[b]).sqrt(), axes.column(b) * bent[a].sqrt());
            let (one, other) = (
                motion(redundancy, &(&along + &across)),
                motion(redundancy, &(&along - &across)),
            );
            (
                format!(
                    "two motions go on from there, with rates {one}, or {other}{}",
                    said(choice)
                ),
                BRANCHES,
            )
        }
        _ => (format!("many motions go on from there{}", said(choice)), BRANCHES),
    }
}

/// A motion by the rates of its fastest coordinates, the largest of them 1.
fn motion(redundancy: &Redundancy, rates: &DVector<f64>) -> String {
    let largest = rates.iter().copied().fold(
        0.0,
        |most: f64, rate| if rate.abs() > most.abs() + SHOWN { rate } else { most },
    );
    let shown = redundancy.free.iter().zip(rates.iter());
    let shown = shown.filter(|(_, rate)| rate.abs() > SHOWN * largest.abs());
    let parts: Vec<String> = shown
        .take(MOST_COORDINATES)
        .map(|(&i, rate)| {
            let rate = (1e4 * rate / largest).round() / 1e4;
            format!("{} {rate}", redundancy.rows.model.coordinates[i].name)
        })
        .collect();
    parts.join(", ")
}
