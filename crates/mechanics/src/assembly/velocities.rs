//! Velocities: minimize |W v|^2 / 2 subject to C v = -c_t and the held velocities.

use nalgebra::DVector;

use super::system::{Curved, System, free_jacobian};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{CoordinateKind, Mode, Model, Terms};

/// Velocity error, over the largest velocity, that a dependent or fully held row may have.
pub(super) const AGREES: f64 = 1e-9;

/// Square of the weight of a velocity that has none, of a point: it decides what constraints leave open.
const LEAST_WEIGHT: f64 = 1e-12;

/// Squares of the weights of the velocities; small ones decide coordinates without weight that constraints leave open. A rate of an
/// angle counts as the speed that it gives over the size of the mechanism, so that no unit of length matters.
pub(super) fn velocity_weights(model: &Model) -> impl Fn(usize) -> f64 + '_ {
    let arm = model.extent_at_guesses();
    move |velocity| {
        let speed = model.speed(velocity);
        match speed.kind {
            _ if speed.weight > 0.0 => speed.weight.powi(2),
            CoordinateKind::Length => LEAST_WEIGHT,
            _ => LEAST_WEIGHT * arm * arm,
        }
    }
}

pub(super) fn velocities(model: &Model, mode: &Mode, t: f64, q: &[f64]) -> Result<Vec<f64>> {
    let terms = &mut Terms::new(model);
    let mut v: Vec<f64> = model
        .speeds()
        .map(|speed| speed.held.map_or(0.0, |number| terms.numbers[number]))
        .collect();
    model.assemble_constraints(t, q, &v, mode, terms);
    check_finite(model, mode, terms)?;
    let free = free_velocities(model);
    let jacobian = free_jacobian(terms, &free);
    let curved = Curved {
        model,
        mode,
        t,
        q,
        numbers: &terms.numbers,
    };
    let weights = curved.hessian(&free, velocity_weights(model), None);
    let system = System::new(weights, jacobian);
    let none = DVector::zeros(free.len());
    let Some((found, _)) = system.and_then(|system| system.solve(&none, |row| -terms.rate[row])) else {
        return Err(
            Error::new(ErrorKind::Assembly, "the initial velocities have no unique solution")
                .at_time(t)
                .advise(
                    "look for joints that hardly determine a motion at the start, and for values that are very large",
                ),
        );
    };
    for (k, &i) in free.iter().enumerate() {
        v[i] = found[k];
    }
    check(model, mode, t, q, &v, terms)?;
    Ok(v)
}

/// Velocities that no number holds.
pub(super) fn free_velocities(model: &Model) -> Vec<usize> {
    let speeds = model.speeds().enumerate();
    speeds
        .filter(|(_, speed)| speed.held.is_none())
        .map(|(j, _)| j)
        .collect()
}

/// What the joints prescribe at the start must be finite.
fn check_finite(model: &Model, mode: &Mode, terms: &Terms) -> Result<()> {
    for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
        let constraint = &model.constraints[index];
        let rates = &terms.rate[first..first + constraint.rows];
        if let Some(rate) = rates.iter().find(|rate| !rate.is_finite()) {
            let message = format!(
                "the velocity that \"{}\" prescribes at the start is {rate}",
                constraint.name
            );
            return Err(Error::new(ErrorKind::NotFinite, message)
                .named(&constraint.name)
                .with_value(*rate)
                .advise("start a moment later, or prescribe a motion whose derivative is finite at the start"));
        }
    }
    Ok(())
}

fn check(model: &Model, mode: &Mode, t: f64, q: &[f64], v: &[f64], terms: &mut Terms) -> Result<()> {
    model.assemble_constraints(t, q, v, mode, terms);
    let extent = model.extent(q, &terms.numbers);
    let length = if extent > 0.0 { extent } else { 1.0 };
    let speed = model.largest(v, length);
    for (&index, &first) in mode.constraints.iter().zip(&mode.offsets) {
        let constraint = &model.constraints[index];
        for row in first..first + constraint.rows {
            let reach = model.reach_of_rates(terms.jacobian.row(row).entries(), [speed, speed / length]);
            if terms.rate[row].abs() > AGREES * reach.max(terms.c_t[row].abs()) {
                return Err(contradiction(model, &constraint.name, row, terms));
            }
        }
    }
    Ok(())
}

fn contradiction(model: &Model, name: &str, row: usize, terms: &Terms) -> Error {
    let jacobian = terms.jacobian.row(row);
    let held: Vec<&str> = jacobian
        .entries()
        .map(|(j, entry)| (model.speed(j), entry))
        .filter(|(speed, entry)| *entry != 0.0 && speed.held.is_some())
        .map(|(speed, _)| speed.name)
        .collect();
    let rate = terms.rate[row] / jacobian.square().sqrt().max(f64::MIN_POSITIVE);
    let advice = if held.is_empty() {
        "the joints prescribe velocities that differ: look for two drivers of the same motion".to_string()
    } else {
        format!(
            "let the assembly find some of the velocities given for {}: write \"free\" for their components",
            held.join(", ")
        )
    };
    Error::new(
        ErrorKind::Assembly,
        format!(
            "the initial velocities contradict \"{name}\": it would open at {:.3e} per second",
            rate.abs()
        ),
    )
    .named(name)
    .with_value(rate)
    .advise(advice)
}
