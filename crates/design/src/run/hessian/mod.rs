//! Second derivatives of objectives by the parameters: motions with their derivatives along two directions at once, through
//! every event (theory, 3.12).

mod following;
mod resting;

use std::cell::Cell;
use std::collections::BTreeMap;

use super::collect::Instants;
use super::experiment::Experiment;
use super::gradient::{GradientReport, Method, combined};
use super::undetermined::{add, refuse};
use crate::assembly::Undetermined;
use crate::equations::Directional;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{HybridSystem, Options, simulate};
use crate::integrate::{self, Tolerance};
use crate::linear::{dot, max_abs};
use crate::machine::{Clock, cores, in_parallel};
use crate::mechanism::{EventRecorder, Jets, KnownEvents, not_along_events};
use crate::model::Objective;
use following::Following;
use resting::Resting;

/// Difference from the first derivatives of the forward method, over the objective and its largest derivative and over the
/// relative tolerance, at which second derivatives are not trusted.
const AGREES: f64 = 1e4;

/// Second derivatives of an objective.
#[derive(Clone, Debug, PartialEq)]
pub struct Hessian {
    /// Name in the scene.
    pub objective: String,
    /// Rows and columns in the order of the parameters.
    pub rows: Vec<Vec<f64>>,
}

/// Second derivatives of the objectives of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct HessianReport {
    /// Parameters in the order of rows and columns.
    pub parameters: Vec<String>,
    /// Objectives.
    pub objectives: Vec<Hessian>,
    /// Names of objectives without second derivatives, and why.
    pub missing: Vec<(String, String)>,
    /// Parameters by which nothing has second derivatives: not numbers.
    pub undetermined: Vec<Undetermined>,
    /// Simulations: one for each pair of parameters.
    pub simulations: usize,
    /// Wall time in seconds.
    pub seconds: f64,
}

/// Names of objectives without second derivatives, and why.
type Missing = BTreeMap<String, String>;

/// An objective of the model whose second derivative is not finite, and when.
type Lost = (usize, f64);

/// Derivatives along one direction and along both, one entry per objective of the model.
struct Second {
    first: Vec<f64>,
    both: Vec<f64>,
}

impl Experiment {
    /// Second derivatives of every objective by every pair of parameters. Each pair takes a simulation.
    ///
    /// # Errors
    /// As [`Experiment::gradient`]; kind `Request` for a penalty formulation and for a start time that follows a parameter;
    /// kind `NotFinite` where second derivatives do not exist.
    pub fn hessian(&self, progress: &(dyn Fn(f64) + Sync)) -> Result<HessianReport> {
        let clock = Clock::start();
        let gradient = self.first_derivatives()?;
        let count = gradient.parameters.len();
        let undetermined = self.without_second(&gradient)?;
        let known = |parameter: &usize| undetermined.iter().all(|found| found.parameter != *parameter);
        let known: Vec<usize> = (0..count).filter(known).collect();
        let pairs = known
            .iter()
            .enumerate()
            .flat_map(|(k, &i)| known[k..].iter().map(move |&j| (i, j)));
        let pairs: Vec<(usize, usize)> = pairs.collect();
        let directions = |k: usize| (unit(count, pairs[k].0), unit(count, pairs[k].1));
        let (found, missing) = self.seconds(&gradient, pairs.len(), directions, progress)?;
        let objectives = &self.mechanism.model.objectives;
        let smooth = objectives
            .iter()
            .enumerate()
            .filter(|(_, objective)| !missing.contains_key(&objective.name));
        let hessian = |(k, objective): (usize, &Objective)| {
            let mut rows = vec![vec![f64::NAN; count]; count];
            for (&(i, j), second) in pairs.iter().zip(&found) {
                (rows[i][j], rows[j][i]) = (second.both[k], second.both[k]);
            }
            Hessian {
                objective: objective.name.clone(),
                rows,
            }
        };
        Ok(HessianReport {
            objectives: smooth.map(hessian).collect(),
            missing: missing.into_iter().collect(),
            undetermined,
            simulations: pairs.len(),
            seconds: clock.seconds(),
            parameters: gradient.parameters,
        })
    }

    /// Product of the Hessian of every objective with a direction in the parameters: one list per objective, one entry per
    /// parameter; not numbers for objectives that [`Experiment::hessian`] calls missing. Each parameter takes a simulation.
    ///
    /// # Errors
    /// As [`Experiment::hessian`]; kind `Request` unless the direction has an entry per parameter.
    pub fn hessian_times(&self, direction: &[f64]) -> Result<Vec<Vec<f64>>> {
        let gradient = self.first_derivatives()?;
        refuse(&self.without_second(&gradient)?, |_| true)?;
        let count = gradient.parameters.len();
        if direction.len() != count {
            let message = format!("a direction with {} entries for {count} parameters", direction.len());
            return Err(Error::new(ErrorKind::Request, message).advise("give one entry per parameter, in their order"));
        }
        let directions = |k: usize| (direction.to_vec(), unit(count, k));
        let (found, missing) = self.seconds(&gradient, count, directions, &|_| ())?;
        let objectives = self.mechanism.model.objectives.iter().enumerate();
        Ok(objectives
            .map(|(k, objective)| match missing.get(&objective.name) {
                Some(_) => vec![f64::NAN; count],
                None => found.iter().map(|second| second.both[k]).collect(),
            })
            .collect())
    }

    /// Simulates, and hands over the equations of the mechanism along the events that were met, for a
    /// [`Study`](crate::equations::Study) of one's own. Their last event is the end of the simulated time; a study has to go
    /// on a little longer, and finds every event anew: where they follow each other within rounding it may miss one.
    ///
    /// # Errors
    /// As [`Experiment::hessian`], and whatever is handed back.
    pub fn along_events<R>(&self, then: impl FnOnce(KnownEvents) -> Result<R>) -> Result<R> {
        self.follow(|events, _| then(events))
    }

    /// First derivatives of a motion that has second ones.
    fn first_derivatives(&self) -> Result<GradientReport> {
        let gradient = self.gradient(Method::Forward)?;
        let directions = self.directions();
        let mut resting = Resting::new(self, &directions);
        if resting.is_needed() {
            let mut workspace = self.mechanism.workspace();
            let started = self.mechanism.start(self.start, &mut workspace)?;
            self.forward(&started, (&directions, false), &mut workspace, &mut resting)?;
        }
        Ok(gradient)
    }

    /// Parameters by which nothing has a derivative, or none of second order.
    fn without_second(&self, gradient: &GradientReport) -> Result<Vec<Undetermined>> {
        let mut found = gradient.undetermined.clone();
        add(&mut found, Undetermined::at_kinks(&self.mechanism.model, self.start, 2));
        add(&mut found, self.velocities_taken_away()?);
        Ok(found)
    }

    /// As [`Experiment::along_events`], with the objectives that have no second derivatives and why.
    fn follow<R>(&self, then: impl FnOnce(KnownEvents, Missing) -> Result<R>) -> Result<R> {
        let run = || {
            let mechanism = &self.mechanism;
            if !mechanism.model.numbers[self.start_number].gradient.is_empty() {
                let message = "the start time follows a parameter: there are no second derivatives of that";
                return Err(Error::new(ErrorKind::Request, message).advise("start at a constant time"));
            }
            let recorder = EventRecorder::new(mechanism)?;
            let mut workspace = mechanism.workspace();
            let started = mechanism.start(self.start, &mut workspace)?;
            let from = (self.start, started.mode.clone(), started.x.clone());
            let mut following = Following {
                recorder,
                instants: Instants::new(&mechanism.model, self.start, self.options.end),
                model: &mechanism.model,
            };
            let watching = &mut (&mut self.interruption(), &mut following);
            let finish = simulate(mechanism, from, &self.options, &mut workspace, watching)?;
            let end = match self.duration_number {
                Some(number) => (0.0, vec![self.start_number, number]),
                None => (self.options.end - self.start, vec![self.start_number]),
            };
            let (start, over) = ((self.start, &started), (finish.t, finish.mode));
            let mut missing = Missing::new();
            let reasons = not_along_events(&mechanism.model);
            for (objective, reason) in mechanism.model.objectives.iter().zip(reasons) {
                if let Some(reason) = reason {
                    missing.insert(objective.name.clone(), reason.to_string());
                }
            }
            then(following.recorder.finish(start, over, end)?, missing)
        };
        run().map_err(|error| self.located(error))
    }

    /// Derivatives along `count` pairs of directions, on all cores, and the objectives that have none: from the start again without
    /// each that turns out to have none.
    fn seconds(
        &self,
        gradient: &GradientReport,
        count: usize,
        directions: impl Fn(usize) -> (Vec<f64>, Vec<f64>) + Sync,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<(Vec<Second>, Missing)> {
        self.follow(|events, mut missing| {
            loop {
                let task = |k: usize| {
                    let (first, second) = directions(k);
                    self.second((&events, &missing), gradient, [&first, &second])
                };
                let found: Result<Vec<_>> = in_parallel(cores(), count, progress, task).into_iter().collect();
                let (objective, t) = match found?.into_iter().collect() {
                    Ok(found) => return Ok((found, missing)),
                    Err(lost) => lost,
                };
                let reason = format!(
                    "they are not finite at t = {t} s; look for the size of a vector that vanishes there, a division by zero or a root \
                     of zero in what it reads"
                );
                missing.insert(self.mechanism.model.objectives[objective].name.clone(), reason);
            }
        })
    }

    /// Derivatives along the first of two directions and along both.
    fn second(
        &self,
        (events, missing): (&KnownEvents, &Missing),
        gradient: &GradientReport,
        along: [&[f64]; 2],
    ) -> Result<std::result::Result<Second, Lost>> {
        let parameters = self.mechanism.model.parameters.iter();
        let p: Vec<f64> = parameters.map(|parameter| parameter.value).collect();
        let once = Directional::new(events, along[0], self.start);
        let objectives = self.mechanism.model.objectives.iter();
        let without: Vec<bool> = objectives
            .map(|objective| missing.contains_key(&objective.name))
            .collect();
        let jets = Jets {
            events,
            twice: Directional::new(&once, along[1], self.start),
            p: &p,
            along,
            without: &without,
            lost: Cell::default(),
        };
        let options = Options {
            tolerance: self.tolerance_of(&jets)?,
            method: integrate::Method::default(),
            ..self.options.clone()
        };
        let run = jets.run(self.start, &options, &mut self.interruption());
        if let (Err(error), Some(lost)) = (&run, jets.lost.get())
            && matches!(error.kind(), ErrorKind::NotFinite | ErrorKind::StepSize)
        {
            return Ok(Err(lost));
        }
        let [_, first, _, both] = run?;
        if let Some(k) = (0..both.len()).find(|&k| !without[k] && !both[k].is_finite()) {
            return Ok(Err((k, self.options.end)));
        }
        let second = Second { first, both };
        self.check_second(&second, gradient, along[0], &without)?;
        Ok(Ok(second))
    }

    /// Tolerances of values, first and second derivatives, over the sizes of the directions.
    fn tolerance_of(&self, jets: &Jets) -> Result<Tolerance> {
        let mechanism = &self.mechanism;
        let directions = self.directions();
        let size = |along: &[f64]| {
            let [numbers] = combined(&directions, along);
            mechanism.allowed_along(numbers.iter().copied().enumerate())
        };
        let mut states = mechanism.allowed();
        states.drain(mechanism.quadratures());
        let sizes = jets.sizes((&states, mechanism.allowed_objectives()), jets.along.map(size));
        let atol = mechanism.choices.atol;
        Tolerance::new(
            self.options.tolerance.rtol(),
            sizes.iter().map(|size| atol * size).collect(),
        )
    }

    /// First derivatives along the events must be those of the motion.
    fn check_second(&self, second: &Second, gradient: &GradientReport, along: &[f64], without: &[bool]) -> Result<()> {
        let floors = self.floors();
        for (k, objective) in self.mechanism.model.objectives.iter().enumerate() {
            if without[k] {
                continue;
            }
            let name = &objective.name;
            let known = &gradient.objectives[k];
            // Parameters without a derivative are in no direction.
            let slopes: Vec<f64> = known
                .gradient
                .iter()
                .map(|slope| if slope.is_nan() { 0.0 } else { *slope })
                .collect();
            let (found, wanted) = (second.first[k], dot(&slopes, along));
            let size = max_abs(&slopes) * max_abs(along) + known.value.abs();
            let noise = 1e3 * floors[k];
            if (found - wanted).abs() <= (AGREES * self.options.tolerance.rtol() * size).max(noise) {
                continue;
            }
            let message = format!(
                "second derivatives of \"{name}\" are not reliable: with them a first derivative came out as {found} instead \
                 of {wanted}"
            );
            return Err(Error::new(ErrorKind::NotFinite, message)
                .named(name.clone())
                .with_value(found)
                .advise("tighten --rtol and --atol; --certify shows how close events come to each other"));
        }
        Ok(())
    }
}

fn unit(count: usize, k: usize) -> Vec<f64> {
    (0..count).map(|i| f64::from(u8::from(i == k))).collect()
}
