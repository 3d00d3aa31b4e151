//! What was collected in a plain run as costs of the objectives at points of time, for the adjoint.

use super::Collector;
use super::fits::{measured_output, misfit_derivative};
use super::peaks::{Extreme, Moment};
use super::totals::without_derivative;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Cotangents, Differentiable, Tangent};
use crate::integrate::Statistics;
use crate::mechanism::{Mechanism, Workspace};
use crate::model::quantity::Output;
use crate::model::{Datum, Due, Mode, Term};
use crate::sensitivity::{JumpSide, PointCosts};

impl Collector<'_> {
    /// The terms of what is differentiated, each with its weight.
    fn terms(&self, functional: usize) -> impl Iterator<Item = (f64, &Term)> {
        let (model, numbers) = (&self.probe.mechanism.model, &self.probe.workspace.terms.numbers);
        self.functionals[functional]
            .iter()
            .flat_map(move |&(objective, weight)| {
                let terms = model.objectives[objective].terms.iter();
                terms.map(move |term| (weight * term.factor(numbers), term))
            })
    }

    /// Derivatives by the times of values at given times: pairs of a number and a derivative.
    pub fn derivatives_by_time(&self, functional: usize) -> impl Iterator<Item = (usize, f64)> {
        self.terms(functional).filter_map(|(factor, term)| match term {
            Term::At { reading, .. } => {
                let time = self.probe.mechanism.model.readings[*reading].time;
                Some((time, factor * self.readings.rates[*reading]))
            }
            _ => None,
        })
    }

    /// Derivative of an objective by the time of the start, through what happens there: measured events that follow at
    /// once on it have its time, and extreme values there move with it.
    ///
    /// # Errors
    /// As for the flow.
    pub fn derivative_by_start(&mut self, objective: usize) -> Result<f64> {
        let model = &self.probe.mechanism.model;
        let mut sum = self.derivative_by_event_time(objective, None);
        let peaks = self.terms(objective).filter_map(|(factor, term)| match term {
            Term::Peak { peak, .. } => Some((factor, *peak)),
            _ => None,
        });
        for (factor, peak) in peaks.collect::<Vec<_>>() {
            if let Some(extreme) = &self.peaks.found[peak]
                && extreme.moment == Moment::Start
            {
                let value = &model.peaks[peak].value;
                let mode = &extreme.mode;
                let rate = self
                    .probe
                    .rates(extreme.state(), |motion, _| value.evaluate(model, mode, motion).eps)?;
                sum += factor * rate;
            }
        }
        Ok(sum)
    }

    /// Derivative of an objective by the time of the measured events of a jump, and of those that follow it at once; of the start
    /// where none.
    fn derivative_by_event_time(&self, objective: usize, leader: Option<usize>) -> f64 {
        let mut sum = 0.0;
        for (factor, term) in self.terms(objective) {
            if let Term::Fit { fit, .. } = term {
                let here = self.data(*fit).zip(&self.fits.leaders[*fit]);
                let here = here.filter(|(_, found)| **found == Some(leader));
                let slopes = here.map(|((datum, value), _)| factor * misfit_derivative(datum, value));
                sum += slopes.sum::<f64>();
            }
        }
        sum
    }

    /// The data of a fit with what the motion gives.
    fn data(&self, fit: usize) -> impl Iterator<Item = (&Datum, f64)> {
        let values = self.fits.values[fit].iter().map(|known| known.value);
        self.probe.mechanism.model.fits[fit].data.iter().zip(values)
    }

    /// What an objective reads at an instant, with its derivatives by that.
    fn due(&self, objective: usize, t: f64) -> Vec<(&Output, f64)> {
        let model = &self.probe.mechanism.model;
        let mut due = Vec::new();
        for (factor, term) in self.terms(objective) {
            match term {
                Term::Peak { peak, .. } => {
                    let here = |extreme: &&Extreme| extreme.t == t && extreme.is_at_instant();
                    let found = self.peaks.found[*peak].as_ref().filter(here);
                    due.extend(found.map(|_| (&model.peaks[*peak].value, factor)));
                }
                Term::Fit { fit, .. } => {
                    due.extend(self.due.at(t).filter_map(|due| {
                        let Due::Datum(key) = due else { return None };
                        if key.fit != *fit {
                            return None;
                        }
                        let (datum, known) = (&model.fits[*fit].data[key.datum], &self.fits.values[*fit][key.datum]);
                        let slope = factor * misfit_derivative(datum, known.value);
                        Some((measured_output(model, key)?, slope))
                    }));
                }
                Term::At { reading, .. } => {
                    let here = self.due.at(t).filter(|due| *due == Due::Reading(*reading));
                    due.extend(here.map(|_| (&model.readings[*reading].value, factor)));
                }
                _ => {}
            }
        }
        due
    }

    /// The name of an objective.
    fn name(&self, functional: usize) -> &str {
        let objectives = &self.probe.mechanism.model.objectives;
        let first = self.functionals[functional].first();
        first.map_or("", |&(objective, _)| &objectives[objective].name)
    }

    /// What a term reads on one side of a jump, and how often.
    fn at_jump<'b>(&'b self, term: &Term, side: &JumpSide<Mode>) -> Option<(&'b Output, f64)> {
        let model = &self.probe.mechanism.model;
        match term {
            Term::AtEvents { sum, .. } => {
                let (of, sum) = (&model.event_sums[*sum], &self.sums[*sum]);
                let events = sum.taken(of, side);
                (events > 0).then_some((&of.value, events as f64))
            }
            Term::Peak { peak, .. } => {
                let moment = match side.after {
                    true => Moment::After(side.jump.index),
                    false => Moment::Before(side.jump.index),
                };
                let here = |found: &&Extreme| found.moment == moment;
                let found = self.peaks.found[*peak].as_ref().filter(here);
                found.map(|_| (&model.peaks[*peak].value, 1.0))
            }
            _ => None,
        }
    }
}

impl PointCosts<Mechanism> for Collector<'_> {
    fn instants(&self) -> &[f64] {
        &self.instants
    }

    fn size(&self, functional: usize) -> f64 {
        let size = |(factor, term): (f64, &Term)| match term {
            Term::Peak { .. } | Term::At { .. } => factor.abs(),
            Term::Fit { fit, .. } => {
                let slopes = self
                    .data(*fit)
                    .map(|(datum, value)| factor * misfit_derivative(datum, value));
                slopes.fold(0.0, |size, slope| f64::max(size, slope.abs()))
            }
            _ => 0.0,
        };
        self.terms(functional).map(size).fold(0.0, f64::max)
    }

    fn seeks(&self, t: f64) -> Result<()> {
        self.interruption.check(t)
    }

    fn passes(&self, t: f64, work: &Statistics) -> Result<()> {
        self.interruption.check(t)?;
        let steps = work.accepted + work.rejected;
        if steps <= self.most_steps {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::StepSize,
            format!(
                "the derivatives, which are carried back from the end, need more than the {} steps that max_steps allows",
                self.most_steps
            ),
        )
        .at_time(t)
        .with_value(steps as f64)
        .advise(
            "raise max_steps, loosen rtol and atol, or use the method forward; derivatives change fast near a dead centre and \
             with stiff forces",
        ))
    }

    fn undefined(&self, functional: usize, t: f64) -> Error {
        without_derivative(self.name(functional), t)
    }

    fn add_at(
        &self,
        functional: usize,
        weight: f64,
        at: At<Mode>,
        workspace: &mut Workspace,
        mut cotangents: Cotangents,
    ) -> Result<()> {
        let (mechanism, due) = (self.probe.mechanism, self.due(functional, at.t));
        if due.is_empty() {
            return Ok(());
        }
        mechanism.linearize(at, workspace)?;
        for (output, slope) in due {
            mechanism.output_vjp((output, false), weight * slope, at, workspace, cotangents.reborrow());
            // Of formulas without a derivative the end tells.
            if slope.is_finite() && cotangents.x.iter().any(|slope| !slope.is_finite()) {
                return Err(self.undefined(functional, at.t));
            }
        }
        Ok(())
    }

    fn add(
        &self,
        functional: usize,
        weight: f64,
        side: &JumpSide<Mode>,
        workspace: &mut Workspace,
        mut cotangents: Cotangents,
    ) -> Result<f64> {
        let mechanism = self.probe.mechanism;
        let at = At::new(side.jump.t, side.mode, side.x);
        // What follows at once on another jump has the time of that, which counts for all.
        let mut rate = match side.after || side.jump.follows {
            true => 0.0,
            false => weight * self.derivative_by_event_time(functional, Some(side.jump.index)),
        };
        for (factor, term) in self.terms(functional) {
            let Some((output, events)) = self.at_jump(term, side) else {
                continue;
            };
            let weight = weight * events * factor;
            let along = Tangent {
                t: 1.0,
                x: side.flow,
                numbers: &vec![0.0; mechanism.numbers()],
            };
            let motion = mechanism.motion_jvp(at, &along, workspace)?;
            rate += weight * output.evaluate(&mechanism.model, at.mode, &motion).eps;
            mechanism.linearize(at, workspace)?;
            mechanism.output_vjp((output, false), weight, at, workspace, cotangents.reborrow());
            mechanism.check_direction((self.name(functional), output), at, workspace)?;
        }
        Ok(rate)
    }
}
