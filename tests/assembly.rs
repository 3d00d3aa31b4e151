//! What the assembly of the initial state promises: the closed configuration nearest to the guess, velocities that fit, and
//! messages that name what cannot be.

mod element_support;

#[path = "assembly/failures.rs"]
mod failures;
#[path = "assembly/nearest.rs"]
mod nearest;
#[path = "assembly/singular.rs"]
mod singular;
#[path = "assembly/spatial.rs"]
mod spatial;
#[path = "assembly/velocities.rs"]
mod velocities;

use costate::assembly::{Assembled, assemble};
use costate::error::Error;
use costate::model::{Mode, Model, Terms};
use element_support::{coordinate, model, size};

/// The assembled model of a scene at time zero; demands that it is closed.
fn assembled(text: &str) -> (Model, Assembled) {
    assembled_at(text, 0.0)
}

fn assembled_at(text: &str, t: f64) -> (Model, Assembled) {
    let model = model(text);
    let found = assemble(&model, t).unwrap_or_else(|error| panic!("{error}\n{:?}", error.advice()));
    check_closed(&model, t, &found);
    (model, found)
}

fn check_closed(model: &Model, t: f64, found: &Assembled) {
    let mode = Mode::initial(model);
    let mut terms = Terms::new(model);
    model.assemble_constraints(t, &found.q, &found.v, &mode, &mut terms);
    let (open, opening) = (size(&terms.c[..mode.rows]), size(&terms.rate[..mode.rows]));
    assert!(
        open < 1e-12 && opening < 1e-11,
        "open by {open:e}, opening at {opening:e}"
    );
    assert!(found.residual < 1e-12, "{:e}", found.residual);
}

/// The error of a scene that cannot be assembled.
fn refused(text: &str) -> Error {
    let model = model(text);
    match assemble(&model, 0.0) {
        Err(error) => error,
        Ok(found) => panic!("assembled at {:?}, moving at {:?}", found.q, found.v),
    }
}

/// Value of a coordinate by name.
fn of(model: &Model, values: &[f64], name: &str) -> f64 {
    values[coordinate(model, name)]
}

fn assert_near(found: f64, expected: f64, what: &str) {
    assert!(
        (found - expected).abs() < 1e-11 * (1.0 + expected.abs()),
        "{what}: {found} instead of {expected}"
    );
}
