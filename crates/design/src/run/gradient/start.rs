//! The start of a run as the first link of its derivatives: assembly, then what strikes or sticks at the very start.

use super::super::assembled::AssembledStart;
use super::super::experiment::Experiment;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Cotangents, Differentiable, HybridSystem, Tangent};
use crate::linear::{dot, max_abs};
use crate::mechanism::{LinearizedJump, Started, Workspace};
use crate::model::{ContactState, Switch, Trigger};
use crate::sensitivity::AdjointResult;

/// Change of a gap along a parameter, over that of the positions, at which a contact no longer touches for other values.
const STAYS: f64 = 1e-9;

/// The start, ready to be differentiated.
pub(in crate::run) struct LinearizedStart<'a> {
    experiment: &'a Experiment,
    started: &'a Started,
    assembled: AssembledStart<'a>,
    /// F at the start.
    flow: Vec<f64>,
    /// What becomes of slip velocities that parameters give to what sticks; nothing where they give none.
    arrest: Option<LinearizedJump>,
}

impl<'a> LinearizedStart<'a> {
    /// Linearizes the start.
    ///
    /// # Errors
    /// Kind `Assembly` where the assembled state does not depend smoothly on the numbers; kind `Event` where a contact
    /// touches, or an event fires, at the start only for these values of the parameters.
    pub fn new(experiment: &'a Experiment, started: &'a Started, workspace: &mut Workspace) -> Result<Self> {
        let (mechanism, t) = (&experiment.mechanism, experiment.start);
        let mut flow = vec![0.0; mechanism.dimension()];
        mechanism.flow(At::new(t, &started.mode, &started.x), workspace, &mut flow)?;
        let mut found = Self {
            experiment,
            started,
            assembled: AssembledStart::new(experiment, started)?,
            flow,
            arrest: None,
        };
        found.check_events()?;
        mechanism.check_verge(At::new(t, &started.mode, &started.x), workspace)?;
        found.arrest = found.arrested(workspace)?;
        let touching = found.touching();
        if !touching.is_empty() {
            for (parameter, numbers) in experiment.directions().iter().enumerate() {
                found.check_contacts(&touching, parameter, numbers, workspace)?;
            }
        }
        Ok(found)
    }

    /// Derivative of the start time along a direction in the numbers.
    pub fn time(&self, numbers: &[f64]) -> f64 {
        self.assembled.time(numbers)
    }

    /// Derivative of the state at the (fixed) time of the start along a direction in the numbers.
    pub fn jvp(&self, numbers: &[f64], workspace: &mut Workspace) -> Vec<f64> {
        let dt = self.time(numbers);
        let (mut slope, _) = self.assembled.jvp(numbers);
        for tangent in self.started.impacts.iter().chain(&self.arrest) {
            let before = slope.clone();
            let along = Tangent {
                t: dt,
                x: &before,
                numbers,
            };
            self.experiment
                .mechanism
                .jump_jvp(tangent, &along, workspace, &mut slope);
        }
        for (slope, f) in slope.iter_mut().zip(&self.flow) {
            *slope -= f * dt;
        }
        let Started { mode, x, .. } = self.started;
        let at = At::new(self.experiment.start, mode, x);
        let along = (&mut slope[..], numbers);
        self.experiment.mechanism.onto_slide_jvp(at, 0.0, along, workspace);
        slope
    }

    /// Gradient by number of a functional through the start, from its costate there.
    pub fn vjp(&self, result: &AdjointResult, workspace: &mut Workspace) -> Vec<f64> {
        let mechanism = &self.experiment.mechanism;
        let AdjointResult { x, start, .. } = result;
        let mut numbers = vec![0.0; mechanism.numbers()];
        let mut later = numbers.clone();
        later[self.experiment.start_number] = 1.0;
        numbers[self.experiment.start_number] += start + dot(&self.jvp(&later, workspace), x);
        let mut assembled = x.clone();
        let at = At::new(self.experiment.start, &self.started.mode, &self.started.x);
        mechanism.onto_slide_vjp(at, (&mut assembled, &mut numbers), workspace);
        for tangent in self.started.impacts.iter().chain(&self.arrest).rev() {
            let mu = std::mem::replace(&mut assembled, vec![0.0; self.flow.len()]);
            let cotangents = Cotangents {
                x: &mut assembled,
                numbers: &mut numbers,
            };
            mechanism.jump_vjp(tangent, &mu, workspace, cotangents);
        }
        self.started.memory_vjp(mechanism, &mut assembled, &mut numbers);
        let (q, v) = (&assembled[mechanism.positions()], &assembled[mechanism.velocities()]);
        self.assembled.tangent.transposed(q, v, &mut numbers);
        numbers
    }

    /// What takes slip velocities away, if a parameter gives one to what sticks.
    fn arrested(&self, workspace: &mut Workspace) -> Result<Option<LinearizedJump>> {
        let (mechanism, Started { mode, x, .. }) = (&self.experiment.mechanism, self.started);
        let (at, sticking) = (At::new(self.experiment.start, mode, x), mechanism.sticking(mode));
        if sticking.is_empty() {
            return Ok(None);
        }
        let mut moves = |numbers: &Vec<f64>| {
            let (_, size) = self.assembled.jvp(numbers);
            let slope = self.jvp(numbers, workspace);
            let along = Tangent::new(0.0, &slope, numbers);
            let first = mechanism.sets_in_motion(&sticking, at, (&along, size), workspace);
            size > 0.0 && first.is_some()
        };
        match self.experiment.directions().iter().any(&mut moves) {
            true => mechanism.arrest(at, workspace).map(Some),
            false => Ok(None),
        }
    }

    /// Events of the start must follow its time, and find joints closed by the assembly.
    fn check_events(&self) -> Result<()> {
        let (model, start) = (&self.experiment.mechanism.model, self.experiment.start_number);
        for event in &model.events {
            let Trigger::At(number) = event.trigger else { continue };
            let joins = |&(switch, on): &(Switch, bool)| on && matches!(switch, Switch::Group(_));
            let follows = model.numbers[number].gradient == model.numbers[start].gradient;
            if model.numbers[number].value != self.experiment.start || (follows && !event.actions.iter().any(joins)) {
                continue;
            }
            let message = format!("\"{}\" fires at the very start: no gradient passes that", event.name);
            return Err(Error::new(ErrorKind::Event, message)
                .named(event.name.clone())
                .at_time(self.experiment.start)
                .advise("let it fire a moment later, or write the scene as it is after the event"));
        }
        Ok(())
    }

    /// Contacts that last or were struck at the start.
    fn touching(&self) -> Vec<usize> {
        let Started { mode, struck, .. } = self.started;
        let lasts = |contact: usize| {
            !matches!(
                mode.contacts[contact],
                ContactState::Open | ContactState::Waiting | ContactState::Away | ContactState::Disabled
            )
        };
        let contacts = 0..mode.contacts.len();
        contacts
            .filter(|contact| lasts(*contact) || struck.contains(contact))
            .collect()
    }

    /// Contacts that touch at the start must do so for nearby values of the parameters too.
    fn check_contacts(
        &self,
        touching: &[usize],
        parameter: usize,
        numbers: &[f64],
        workspace: &mut Workspace,
    ) -> Result<()> {
        let (mechanism, t) = (&self.experiment.mechanism, self.experiment.start);
        let (slope, _) = self.assembled.jvp(numbers);
        let size = max_abs(&slope[mechanism.positions()]).max(max_abs(numbers));
        for &contact in touching {
            let element = &mechanism.model.contacts[contact];
            let anywhere = element.ratchet.as_ref().is_some_and(|ratchet| ratchet.teeth.is_none());
            if anywhere {
                continue;
            }
            let along = Tangent {
                t: self.time(numbers),
                x: &slope,
                numbers,
            };
            let guard = mechanism.gap_guard(contact);
            let change = mechanism.guard_jvp(guard, self.assembled.at(t), &along, workspace)?;
            if change.abs() > STAYS * size {
                let name = &mechanism.model.parameters[parameter].name;
                return Err(Error::new(
                    ErrorKind::Event,
                    format!(
                        "\"{}\" touches at the start for this value of \"{name}\" only: nothing there has a derivative by it",
                        element.name
                    ),
                )
                .named(element.name.clone())
                .at_time(t)
                .with_value(change)
                .advise("start with the contact open, or let the places depend on the parameter together"));
            }
        }
        Ok(())
    }
}
