//! What to say when a mechanism does not close.

use nalgebra::DMatrix;

use super::system::{dense, free_jacobian, independent};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Coordinate, CoordinateKind, Mode, Model, Start, Terms};

/// Joints named in a message.
const MOST_NAMES: usize = 5;

/// Coordinates shown of the nearest configuration.
const MOST_COORDINATES: usize = 12;

/// Distance of a guess from its place, over the extent of the mechanism, from which on sizes measured at the guesses mean nothing.
const FAR: f64 = 1e8;

/// Refuses guesses of lengths that are out of all proportion to the assembled mechanism.
///
/// # Errors
/// Kind `Assembly`, naming the first coordinate.
pub(super) fn check_guesses(model: &Model, q: &[f64], numbers: &[f64]) -> Result<()> {
    let extent = model.extent(q, numbers);
    let off = |(coordinate, place): (&Coordinate, &f64)| match coordinate.start {
        Start::Number(guess) if coordinate.kind == CoordinateKind::Length => (place - numbers[guess]).abs(),
        _ => 0.0,
    };
    let offs = model.coordinates.iter().zip(q).map(off);
    let Some((i, off)) = offs.enumerate().find(|(_, off)| extent > 0.0 && *off > FAR * extent) else {
        return Ok(());
    };
    let name = &model.coordinates[i].name;
    let message =
        format!("the guess of {name} is {off:.1e} away from where the joints put it, in a mechanism of {extent:.1e}");
    Err(Error::new(ErrorKind::Assembly, message)
        .named(name.to_string())
        .with_value(off)
        .advise("guess a place within the size of the mechanism"))
}

/// Error that names the joints that stay open, the ones that contradict each other, and the nearest configuration; `terms` hold
/// the constraints there, and `free` are the coordinates that may move.
pub(super) fn stays_open(
    (model, mode): (&Model, &Mode),
    free: &[usize],
    q: &[f64],
    openings: &[(usize, f64)],
    terms: &Terms,
) -> Error {
    let mut open: Vec<(usize, f64)> = openings.to_vec();
    open.sort_by(|a, b| b.1.total_cmp(&a.1));
    let largest = open.first().map_or(0.0, |worst| worst.1);
    let listed: Vec<String> = open
        .iter()
        .filter(|(_, opening)| *opening >= 0.01 * largest || opening.is_nan())
        .take(MOST_NAMES)
        .map(|(index, opening)| format!("\"{}\" by {opening:.4e}", model.constraints[*index].name))
        .collect();
    let name = open
        .first()
        .map_or(String::new(), |(index, _)| model.constraints[*index].name.clone());
    let nearest: Vec<String> = model
        .coordinates
        .iter()
        .zip(q)
        .take(MOST_COORDINATES)
        .map(|(coordinate, value)| format!("{} = {value:.6}", coordinate.name))
        .collect();
    let more = if model.coordinates.len() > MOST_COORDINATES {
        ", ..."
    } else {
        ""
    };
    let advice = match contradicting(model, mode, free, terms) {
        Some(names) => format!("{names} contradict each other: change a length or position, or remove one of them"),
        None => "check lengths and guesses: the parts may be too short to meet, or the guess too far from a closed configuration".to_string(),
    };
    Error::new(
        ErrorKind::Assembly,
        format!(
            "the mechanism cannot be assembled: open stays {}; nearest configuration {}{more}",
            listed.join(", "),
            nearest.join(", ")
        ),
    )
    .named(name)
    .with_value(largest)
    .advise(advice)
}

/// Names of constraints whose rows are dependent while their values differ.
fn contradicting(model: &Model, mode: &Mode, free: &[usize], terms: &Terms) -> Option<String> {
    let jacobian = free_jacobian(terms, free);
    let rows = independent(&jacobian, free.len());
    let jacobian = dense(&jacobian, free.len());
    if rows.len() == terms.rows || rows.is_empty() {
        return None;
    }
    let dependent = (0..terms.rows).find(|row| rows.binary_search(row).is_err() && terms.c[*row].abs() > 1e-9)?;
    // The combination of independent rows that gives the dependent one says who takes part.
    let columns = DMatrix::from_fn(free.len(), rows.len(), |j, k| jacobian[(rows[k], j)]);
    let target = jacobian.row(dependent).transpose();
    let shares = columns.svd(true, true).solve(&target, 1e-12).ok()?;
    let owner = |row: usize| {
        let k = mode.offsets.partition_point(|&first| first <= row) - 1;
        model.constraints[mode.constraints[k]].name.clone()
    };
    let mut names = vec![owner(dependent)];
    for (k, share) in shares.iter().enumerate() {
        let name = owner(rows[k]);
        if share.abs() > 1e-6 && !names.contains(&name) {
            names.push(name);
        }
    }
    let quoted: Vec<String> = names
        .iter()
        .take(MOST_NAMES)
        .map(|name| format!("\"{name}\""))
        .collect();
    (names.len() > 1).then(|| quoted.join(", "))
}
