//! Singular starts: positions where joints depend on each other for an instant, so that the motion may branch there, or ends
//! there (theory, 5.5).

use nalgebra::{DMatrix, DVector};

use super::dependence::{Dependence, Rows};
use super::redundancy::{BENDS, NEAR, Over, Redundancy};
use crate::error::{Error, ErrorKind, Result};
use crate::linear::max_abs;

/// Coordinates shown of a motion.
const MOST_COORDINATES: usize = 6;

/// Share of the fastest coordinate that a motion shows.
const SHOWN: f64 = 1e-6;

/// Refuses a position where rows depend on each other that are independent beside it.
pub(super) fn check(rows: Rows) -> Result<()> {
    let free = (0..rows.q.len()).collect();
    let redundancy = Redundancy::new(rows, Over::Coordinates, free, NEAR);
    let singular = redundancy.found.iter().filter(|(_, regular)| !regular);
    let singular: Vec<&Dependence> = singular.map(|(dependence, _)| dependence).collect();
    match singular.is_empty() {
        true => Ok(()),
        false => Err(refusal(&redundancy, &singular)),
    }
}

fn refusal(redundancy: &Redundancy, singular: &[&Dependence]) -> Error {
    let Rows { model, mode, t, .. } = redundancy.rows;
    let mut names: Vec<String> = Vec::new();
    for index in singular.iter().flat_map(|dependence| dependence.joints(model, mode)) {
        let name = &model.constraints[index].name;
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let (what, advice) = match singular {
        [dependence] => ways_on(redundancy, dependence),
        _ => (
            "the motion is not determined, and neither are the forces".to_string(),
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

const BRANCHES: &str = "start a little off this position, on the branch that is meant: give an angle or a guess beside it, \
    and hold coordinates that keep it there";

const BLOCKED: &str = "change a length or position, so that the parts are neither stretched nor folded to their limit, or \
    leave out a joint";

/// What motions there are, and what to do about it. A motion v goes on from a singular position if w^T c_qq v v = 0 for the
/// combination w of rows that vanishes there: a quadratic form over the motions that all rows allow to first order.
fn ways_on(redundancy: &Redundancy, dependence: &Dependence) -> (String, &'static str) {
    let motions = redundancy.motions();
    let form = form(redundancy, dependence, &motions).symmetric_eigen();
    let bound = BENDS * form.eigenvalues.amax();
    let (bent, axes) = (&form.eigenvalues, &motions * &form.eigenvectors);
    let signed = |sign: f64| (0..bent.len()).filter(move |&k| sign * bent[k] > bound);
    let (up, down): (Vec<usize>, Vec<usize>) = (signed(1.0).collect(), signed(-1.0).collect());
    let rates = &redundancy.rows.terms.c_t[..redundancy.rows.terms.rows];
    let is_driven = max_abs(rates) > 0.0;
    match (&up[..], &down[..]) {
        _ if is_driven => ("the motion is not determined there".to_string(), BRANCHES),
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
                format!("two motions go on from there, with rates {one}, or {other}"),
                BRANCHES,
            )
        }
        _ => ("many motions go on from there".to_string(), BRANCHES),
    }
}

/// The second derivative of a combination of rows over motions.
fn form(redundancy: &Redundancy, dependence: &Dependence, motions: &DMatrix<f64>) -> DMatrix<f64> {
    let along = |motion: &DVector<f64>| dependence.of(&redundancy.bent(motion)).value;
    let motion = |k: usize| motions.column(k).into_owned();
    let own: Vec<f64> = (0..motions.ncols()).map(|k| along(&motion(k))).collect();
    DMatrix::from_fn(own.len(), own.len(), |i, j| match i == j {
        true => own[i],
        false => 0.5 * (along(&(motion(i.min(j)) + motion(i.max(j)))) - own[i] - own[j]),
    })
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
