//! Values of the objectives from the final state and the quadratures.

use crate::error::Result;
use crate::hybrid::Along;
use crate::mechanism::{Mechanism, Workspace};
use crate::model::{Mode, Term};
use crate::scalar::Dual64;

/// Every objective by name, at the end of a run.
///
/// # Errors
/// Kind `Singular` when accelerations at the end are not determined.
pub(super) fn objective_values(
    mechanism: &Mechanism,
    t: f64,
    mode: &Mode,
    x: &[f64],
    workspace: &mut Workspace,
) -> Result<Vec<(String, f64)>> {
    mechanism.evaluate_motion(t, mode, x, true, workspace)?;
    let motion = mechanism.motion(t, mode, x, workspace);
    let quadratures = &x[mechanism.quadratures()];
    let product = |numbers: &[usize]| numbers.iter().map(|&i| motion.numbers[i]).product::<f64>();
    let value = |term: &Term| match term {
        Term::Final { coefficient, value } => product(coefficient) * value.evaluate(&mechanism.model, mode, &motion),
        Term::Integral { coefficient, integrand } => product(coefficient) * quadratures[*integrand],
    };
    let objectives = mechanism.model.objectives.iter();
    Ok(objectives
        .map(|objective| (objective.name.clone(), objective.terms.iter().map(value).sum()))
        .collect())
}

/// Derivative of every objective along a direction at the end of a run.
///
/// # Errors
/// As [`objective_values`].
pub(super) fn objective_slopes(
    mechanism: &Mechanism,
    t: f64,
    mode: &Mode,
    x: &[f64],
    along: &Along,
    workspace: &mut Workspace,
) -> Result<Vec<f64>> {
    let motion = mechanism.motion_with_slopes(t, mode, x, along, workspace)?;
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
    };
    let slope = |objective: &crate::model::Objective| objective.terms.iter().map(|term| value(term).eps).sum();
    Ok(mechanism.model.objectives.iter().map(slope).collect())
}
