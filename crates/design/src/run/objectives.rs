//! Values of the objectives from the final state and the quadratures.

use super::peaks::Peaked;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Cotangents, Differentiable, HybridSystem, Tangent};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::quantity::Output;
use crate::model::{Mode, Objective, Term};
use crate::scalar::Dual64;
use crate::sensitivity::FinalGradient;

/// What a run collected for objectives on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collected<'a, S> {
    /// Sums over events, by entry of [`Model::event_sums`](crate::model::Model::event_sums).
    pub sums: &'a [S],
    /// Misfits of measured data, by entry of [`Model::fits`](crate::model::Model::fits).
    pub misfits: &'a [S],
    /// Extreme values, by entry of [`Model::peaks`](crate::model::Model::peaks).
    pub peaks: &'a [Peaked<S>],
}

/// Every objective by name, at the end of a run, with what was collected on the way.
///
/// # Errors
/// Kind `Singular` when accelerations at the end are not determined; kind `NotFinite` naming an objective.
pub(super) fn objective_values(
    mechanism: &Mechanism,
    t: f64,
    mode: &Mode,
    x: &[f64],
    collected: Collected<f64>,
    workspace: &mut Workspace,
) -> Result<Vec<(String, f64)>> {
    mechanism.evaluate_motion(At::new(t, mode, x), true, workspace)?;
    let motion = mechanism.motion(At::new(t, mode, x), workspace);
    let quadratures = &x[mechanism.quadratures()];
    let value = |term: &Term| match term {
        Term::Final { coefficient, value } => {
            product(coefficient, motion.numbers) * value.evaluate(&mechanism.model, mode, &motion)
        }
        Term::Integral { coefficient, integrand } => product(coefficient, motion.numbers) * quadratures[*integrand],
        Term::AtEvents { coefficient, sum } => product(coefficient, motion.numbers) * collected.sums[*sum],
        Term::Fit { coefficient, fit } => product(coefficient, motion.numbers) * collected.misfits[*fit],
        Term::Peak { coefficient, peak } => {
            let value = match collected.peaks[*peak] {
                Peaked::AtEnd => mechanism.model.peaks[*peak]
                    .value
                    .evaluate(&mechanism.model, mode, &motion),
                Peaked::Known(value) => value,
            };
            product(coefficient, motion.numbers) * value
        }
    };
    let objectives = mechanism.model.objectives.iter();
    objectives
        .map(|objective| {
            let sum = objective.terms.iter().map(value).sum();
            finite(&objective.name, sum, t)?;
            Ok((objective.name.clone(), sum))
        })
        .collect()
}

/// Rejects a value of an objective, or of a derivative of it, that is not finite.
pub(super) fn finite(name: &str, value: f64, t: f64) -> Result<()> {
    if value.is_finite() {
        return Ok(());
    }
    let message = format!("the objective \"{name}\" or a derivative of it is {value}");
    Err(Error::new(ErrorKind::NotFinite, message)
        .named(name)
        .with_value(value)
        .at_time(t)
        .advise("look for a division by zero or a root of a negative number in its expression"))
}

/// Derivative of every objective along a direction at the end of a run, with what was collected on the way and its derivatives.
///
/// # Errors
/// As [`objective_values`].
pub(super) fn objective_slopes(
    mechanism: &Mechanism,
    t: f64,
    mode: &Mode,
    x: &[f64],
    along: &Tangent,
    collected: Collected<Dual64>,
    workspace: &mut Workspace,
) -> Result<Vec<f64>> {
    let motion = mechanism.motion_jvp(At::new(t, mode, x), along, workspace)?;
    let quadratures = mechanism.quadratures();
    let integral = |k: usize| Dual64::new(x[quadratures.start + k], along.x[quadratures.start + k]);
    let product = |numbers: &[usize]| {
        numbers
            .iter()
            .fold(Dual64::from(1.0), |product, &i| product * motion.numbers[i])
    };
    let value = |term: &Term| match term {
        Term::Final { coefficient, value } => product(coefficient) * value.evaluate(&mechanism.model, mode, &motion),
        Term::Integral { coefficient, integrand } => product(coefficient) * integral(*integrand),
        Term::AtEvents { coefficient, sum } => product(coefficient) * collected.sums[*sum],
        Term::Fit { coefficient, fit } => product(coefficient) * collected.misfits[*fit],
        Term::Peak { coefficient, peak } => {
            let value = match collected.peaks[*peak] {
                Peaked::AtEnd => mechanism.model.peaks[*peak]
                    .value
                    .evaluate(&mechanism.model, mode, &motion),
                Peaked::Known(value) => value,
            };
            product(coefficient) * value
        }
    };
    let slope = |objective: &Objective| objective.terms.iter().map(|term| value(term).eps).sum();
    Ok(mechanism.model.objectives.iter().map(slope).collect())
}

/// Gradient of every objective with respect to the state at the end and the numbers, time held.
///
/// # Errors
/// As [`objective_values`].
pub(super) fn objective_gradients(
    mechanism: &Mechanism,
    t: f64,
    mode: &Mode,
    x: &[f64],
    collected: Collected<f64>,
    workspace: &mut Workspace,
) -> Result<Vec<FinalGradient>> {
    mechanism.linearize(At::new(t, mode, x), workspace)?;
    let objectives = mechanism.model.objectives.iter();
    Ok(objectives
        .map(|objective| objective_gradient(mechanism, objective, t, mode, x, collected, workspace))
        .collect())
}

fn objective_gradient(
    mechanism: &Mechanism,
    objective: &Objective,
    t: f64,
    mode: &Mode,
    x: &[f64],
    collected: Collected<f64>,
    workspace: &mut Workspace,
) -> FinalGradient {
    let mut end = FinalGradient {
        x: vec![0.0; mechanism.dimension()],
        numbers: vec![0.0; mechanism.numbers()],
    };
    for term in &objective.terms {
        let mut at_end = |coefficient: &[usize], value: &Output| {
            let motion = mechanism.motion(At::new(t, mode, x), workspace);
            let found = value.evaluate(&mechanism.model, mode, &motion);
            let weight = product(coefficient, &workspace.terms.numbers);
            let cotangents = Cotangents {
                x: &mut end.x,
                numbers: &mut end.numbers,
            };
            mechanism.output_vjp(value, weight, At::new(t, mode, x), workspace, cotangents);
            found
        };
        let (coefficient, value) = match term {
            Term::Final { coefficient, value } => (coefficient, at_end(coefficient, value)),
            Term::Peak { coefficient, peak } => {
                let value = match collected.peaks[*peak] {
                    Peaked::AtEnd => at_end(coefficient, &mechanism.model.peaks[*peak].value),
                    Peaked::Known(value) => value,
                };
                (coefficient, value)
            }
            Term::Integral { coefficient, integrand } => {
                let slot = mechanism.quadratures().start + integrand;
                end.x[slot] += product(coefficient, &workspace.terms.numbers);
                (coefficient, x[slot])
            }
            // What these depend on is met on the way back.
            Term::AtEvents { coefficient, sum } => (coefficient, collected.sums[*sum]),
            Term::Fit { coefficient, fit } => (coefficient, collected.misfits[*fit]),
        };
        for (k, &number) in coefficient.iter().enumerate() {
            let others = coefficient.iter().enumerate().filter(|(j, _)| *j != k);
            let rest: f64 = others.map(|(_, &i)| workspace.terms.numbers[i]).product();
            end.numbers[number] += rest * value;
        }
    }
    end
}

fn product(coefficient: &[usize], numbers: &[f64]) -> f64 {
    coefficient.iter().map(|&i| numbers[i]).product()
}
