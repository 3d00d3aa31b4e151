//! Objectives from the end of a run and what was collected on its way.

use super::Collected;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Cotangents, Differentiable, HybridSystem, Tangent};
use crate::mechanism::Mechanism;
use crate::model::quantity::{Motion, Output, Readable};
use crate::model::{Formula, FormulaArgument, Mode, Model, Objective, Term};
use crate::run::probe::Probe;
use crate::scalar::Dual64;
use crate::sensitivity::FinalGradient;

/// What a run that is over collected for its objectives.
#[derive(Debug)]
pub(in crate::run) struct Totals {
    /// Sums over events, by entry of [`Model::event_sums`].
    pub sums: Vec<Collected>,
    /// Misfits of measured data, by entry of [`Model::fits`].
    pub misfits: Vec<Collected>,
    /// Values at given times, by entry of [`Model::readings`].
    pub readings: Vec<Collected>,
    /// Extreme values, by entry of [`Model::peaks`]; none for the value at the end, which behaves like any final value.
    pub peaks: Vec<Option<Collected>>,
}

/// Where the value of a term comes from.
enum Source<'a> {
    /// An expression at the end.
    AtEnd(&'a Output),
    /// A quadrature at the end.
    Integral(usize),
    /// The way there.
    Collected(&'a Collected),
    /// A formula of other objectives.
    Formula(&'a Formula),
}

impl Totals {
    fn source<'a>(&'a self, term: &'a Term, model: &'a Model) -> Source<'a> {
        match term {
            Term::Final { value, .. } => Source::AtEnd(value),
            Term::Integral { integrand, .. } => Source::Integral(*integrand),
            Term::AtEvents { sum, .. } => Source::Collected(&self.sums[*sum]),
            Term::Fit { fit, .. } => Source::Collected(&self.misfits[*fit]),
            Term::At { reading, .. } => Source::Collected(&self.readings[*reading]),
            Term::Formula { formula, .. } => Source::Formula(&model.formulas[*formula]),
            Term::Peak { peak, .. } => match &self.peaks[*peak] {
                Some(known) => Source::Collected(known),
                None => Source::AtEnd(&model.peaks[*peak].value),
            },
        }
    }

    /// Every objective at a motion, from its quadratures and what `known` makes of what was collected.
    fn objectives<S: Readable>(
        &self,
        (model, mode): (&Model, &Mode),
        motion: &Motion<S>,
        integral: impl Fn(usize) -> S,
        known: impl Fn(&Collected) -> S,
    ) -> Vec<S> {
        model.objective_values(motion.numbers, |term| match self.source(term, model) {
            Source::AtEnd(output) => output.evaluate(model, mode, motion),
            Source::Integral(k) => integral(k),
            Source::Collected(collected) => known(collected),
            Source::Formula(_) => S::from(f64::NAN),
        })
    }

    /// As [`Totals::objectives`], from the motion with its derivatives along a direction.
    fn derivatives(
        &self,
        end: At<Mode>,
        mechanism: &Mechanism,
        (motion, along): (&Motion<Dual64>, &Tangent),
        known: impl Fn(&Collected) -> Dual64,
    ) -> impl Iterator<Item = f64> {
        let first = mechanism.quadratures().start;
        let integral = |k: usize| Dual64::new(end.x[first + k], along.x[first + k]);
        let values = self.objectives((&mechanism.model, end.mode), motion, integral, known);
        values.into_iter().map(|value| value.eps)
    }

    /// Every objective by name.
    ///
    /// # Errors
    /// As [`Probe::motion`]; kind `NotFinite` naming an objective.
    pub fn values(&self, end: At<Mode>, probe: &mut Probe) -> Result<Vec<(String, f64)>> {
        let mechanism = probe.mechanism;
        let (model, first) = (&mechanism.model, mechanism.quadratures().start);
        let motion = probe.motion(end)?;
        let integral = |k: usize| end.x[first + k];
        let values = self.objectives((model, end.mode), &motion, integral, |known| known.value);
        let named = model.objectives.iter().map(|objective| objective.name.clone());
        let named: Vec<(String, f64)> = named.zip(values).collect();
        named.iter().try_for_each(|(name, value)| finite(name, *value, end.t))?;
        Ok(named)
    }

    /// Derivatives of every objective by direction, with those of the time of the end.
    ///
    /// # Errors
    /// As for the flow.
    pub fn jvps(&self, end: At<Mode>, times: &[f64], probe: &mut Probe) -> Result<Vec<Vec<f64>>> {
        let mechanism = probe.mechanism;
        let mut slopes = vec![Vec::new(); mechanism.model.objectives.len()];
        probe.each_jvp(end, times, |direction, motion, along| {
            let known = |collected: &Collected| collected.along(direction);
            let found = self.derivatives(end, mechanism, (motion, along), known);
            for (slopes, slope) in slopes.iter_mut().zip(found) {
                slopes.push(slope);
            }
        })?;
        Ok(slopes)
    }

    /// Rate of every objective at the end, with what was collected held.
    ///
    /// # Errors
    /// As for the flow.
    pub fn rates(&self, end: At<Mode>, probe: &mut Probe) -> Result<Vec<f64>> {
        let mechanism = probe.mechanism;
        let known = |collected: &Collected| Dual64::from(collected.value);
        probe.rates(end, |motion, along| {
            self.derivatives(end, mechanism, (motion, along), known).collect()
        })
    }

    /// Gradients of sums of objectives, each with a weight, with respect to the state at the end and the numbers, with time
    /// held; what the collected numbers depend on is met on the way back, and what formulas depend on has a weight of its own.
    ///
    /// # Errors
    /// As for the flow.
    pub fn gradients(
        &self,
        functionals: &[Vec<(usize, f64)>],
        values: &[f64],
        end: At<Mode>,
        probe: &mut Probe,
    ) -> Result<Vec<FinalGradient>> {
        let mechanism = probe.mechanism;
        mechanism.linearize(end, &mut probe.workspace)?;
        let gradient = |weights: &Vec<(usize, f64)>| {
            let mut found = FinalGradient {
                x: vec![0.0; mechanism.dimension()],
                numbers: vec![0.0; mechanism.numbers()],
            };
            for &(objective, weight) in weights {
                let objective = &mechanism.model.objectives[objective];
                self.add_gradient((objective, weight), values, end, probe, &mut found);
            }
            found
        };
        Ok(functionals.iter().map(gradient).collect())
    }

    fn add_gradient(
        &self,
        (objective, weight): (&Objective, f64),
        values: &[f64],
        at: At<Mode>,
        probe: &mut Probe,
        end: &mut FinalGradient,
    ) {
        let (mechanism, workspace) = (probe.mechanism, &mut probe.workspace);
        let model = &mechanism.model;
        for term in &objective.terms {
            let factor = weight * term.factor(&workspace.terms.numbers);
            let value = match self.source(term, model) {
                Source::AtEnd(output) => {
                    let motion = mechanism.motion(at, workspace);
                    let value = output.evaluate(model, at.mode, &motion);
                    let cotangents = Cotangents {
                        x: &mut end.x,
                        numbers: &mut end.numbers,
                    };
                    mechanism.output_vjp((output, false), factor, at, workspace, cotangents);
                    value
                }
                Source::Integral(k) => {
                    let slot = mechanism.quadratures().start + k;
                    end.x[slot] += factor;
                    at.x[slot]
                }
                Source::Collected(collected) => collected.value,
                Source::Formula(formula) => {
                    for (argument, slope) in formula.slopes(values, &workspace.terms.numbers) {
                        if let FormulaArgument::Number(number) = argument {
                            end.numbers[number] += factor * slope;
                        }
                    }
                    formula.evaluate(values, &workspace.terms.numbers)
                }
            };
            let coefficient = term.coefficient();
            for (k, &number) in coefficient.iter().enumerate() {
                let others = coefficient.iter().enumerate().filter(|(j, _)| *j != k);
                let rest: f64 = others.map(|(_, &i)| workspace.terms.numbers[i]).product();
                end.numbers[number] += weight * rest * value;
            }
        }
    }
}

/// Rejects a value of an objective, or of a derivative of it, that is not finite.
pub(in crate::run) fn finite(name: &str, value: f64, t: f64) -> Result<()> {
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

/// Error for an objective whose derivative at a time is not finite.
pub(super) fn without_derivative(name: &str, t: f64) -> Error {
    let message = format!("the objective \"{name}\" has no derivative, by what it reads or by the motion at that time");
    Error::new(ErrorKind::NotFinite, message)
        .named(name)
        .at_time(t)
        .advise(
            "the size of a vector that stays at zero has none, as `hypot` of what rests or the magnitude of a force: read its square, or \
             `sqrt(.. + 1e-12)` of that; else look for a division by zero or a root of a negative number",
        )
}

/// Refuses derivatives of objectives at kinks of their formulas, where the values are known to the tolerances of the run.
///
/// # Errors
/// Kind `Event` naming the objective.
pub(in crate::run) fn refuse_kinks(mechanism: &Mechanism, values: &[(String, f64)]) -> Result<()> {
    let (model, choices) = (&mechanism.model, &mechanism.choices);
    let values: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
    for formula in &model.formulas {
        let size = |objective: usize| mechanism.allowed_objectives()[objective];
        let error = |objective: usize| choices.rtol * values[objective].abs() + choices.atol * size(objective);
        let Some(text) = formula.kink(&values, &model.number_values(), error) else {
            continue;
        };
        let message =
            format!("the formula `{text}` has a kink at the values of its objectives: it has no derivative there");
        return Err(Error::new(ErrorKind::Event, message)
            .named(formula.objective.clone())
            .advise(
                "`abs`, `max`, `min`, `sign` and `step` change sides here: write it smooth, or leave these values",
            ));
    }
    Ok(())
}
