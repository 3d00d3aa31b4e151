//! Parameters by which nothing has a derivative, since joints that depend on others meet for their values only.

use super::assembled::AssembledStart;
use super::experiment::Experiment;
use super::probe::Probe;
use super::verges::beginnings;
use crate::assembly::{Undetermined, undetermined_in};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Differentiable, HybridSystem, JumpView, Observer, StepView, Tangent};
use crate::mechanism::{Mechanism, Started, Workspace};
use crate::model::quantity::{Quantity, Rubbing};
use crate::model::{Friction, Mode};

impl Experiment {
    /// Parameters that cannot change alone at the start, and those at a kink. None of the first are known where the start has no
    /// derivatives at all.
    pub fn undetermined_at_start(&self, started: &Started) -> Vec<Undetermined> {
        let mechanism = &self.mechanism;
        let mut found = Undetermined::at_kinks(&mechanism.model, self.start, 1);
        if let Ok(assembled) = AssembledStart::new(self, started) {
            add(&mut found, assembled.tangent.undetermined(self.start_number));
            add(&mut found, self.velocities_at_rest(started, &assembled));
            add(&mut found, self.over_verges(started, &assembled));
        }
        found
    }

    /// Parameters that give a velocity to what begins to slip from rest, or to what sticks, where forces or accelerations are integrated.
    fn velocities_at_rest(&self, started: &Started, assembled: &AssembledStart) -> Vec<Undetermined> {
        let mechanism = &self.mechanism;
        let mut workspace = mechanism.workspace();
        let reason =
            |parameter: usize, name: &str| Undetermined::from_rest(&mechanism.model, parameter, self.start, name);
        let mut found = self.moving(&started.from_rest, assembled, &reason, &mut workspace);
        let model = &mechanism.model;
        // The heat of what slips for a moment is of second order.
        let takes_part = |quantity: &Quantity| {
            quantity.needs_dynamics() && !matches!(quantity, Quantity::Friction(_, Rubbing::Heat))
        };
        let integrated =
            |k: &usize| !model.objective_of(*k).is_empty() && model.integrands[*k].quantities(model).any(takes_part);
        if let Some(k) = (0..model.integrands.len()).find(integrated) {
            let reason = |parameter: usize, name: &str| {
                Undetermined::taken(model, parameter, self.start, [name, model.objective_of(k)])
            };
            let sticking = mechanism.sticking(&started.mode);
            add(&mut found, self.moving(&sticking, assembled, &reason, &mut workspace));
        }
        found
    }

    /// Parameters that lead over what is at zero at the start and changes the motion at once: the condition of an event, or the length at
    /// which a one-sided damper acts.
    fn over_verges(&self, started: &Started, assembled: &AssembledStart) -> Vec<Undetermined> {
        let (mechanism, model) = (&self.mechanism, &self.mechanism.model);
        let at = At::new(self.start, &started.mode, &started.x);
        let mut probe = Probe::new(mechanism, &[]);
        let (sizes, mut found) = (self.parameter_sizes(), Vec::new());
        for beginning in beginnings(at, self.options.end - self.start, &mut probe) {
            for (parameter, numbers) in self.directions().iter().enumerate() {
                let (slope, _) = assembled.jvp(numbers);
                let along = Tangent::new(assembled.time(numbers), &slope, numbers);
                let change = mechanism.guard_jvp(beginning.guard, at, &along, &mut probe.workspace);
                if !change.is_ok_and(|change| change.abs() * sizes[parameter] > beginning.least) {
                    continue;
                }
                let verge = mechanism.verge(beginning.guard);
                let over = verge.map(|verge| Undetermined::on_verge(model, parameter, self.start, verge));
                add(&mut found, over.into_iter().collect());
            }
        }
        found
    }

    /// Parameters that give a velocity to what sticks at the start, which takes it away in a time in proportion to its size: second
    /// derivatives are others on either side.
    pub(super) fn velocities_taken_away(&self) -> Result<Vec<Undetermined>> {
        let (mechanism, mut workspace) = (&self.mechanism, self.mechanism.workspace());
        let started = mechanism.start(self.start, &mut workspace)?;
        let assembled = AssembledStart::new(self, &started)?;
        let reason = |parameter: usize, _: &str| Undetermined::at_value(&mechanism.model, parameter, self.start, 2);
        let sticking = mechanism.sticking(&started.mode);
        Ok(self.moving(&sticking, &assembled, &reason, &mut workspace))
    }

    /// Parameters that give a velocity to one of these frictions, with the reason that its name makes.
    fn moving(
        &self,
        resting: &[usize],
        assembled: &AssembledStart,
        reason: &dyn Fn(usize, &str) -> Undetermined,
        workspace: &mut Workspace,
    ) -> Vec<Undetermined> {
        let mechanism = &self.mechanism;
        if resting.is_empty() {
            return Vec::new();
        }
        let at = assembled.at(self.start);
        let mut moved = |(parameter, numbers): (usize, &Vec<f64>)| {
            let (slope, size) = assembled.jvp(numbers);
            if size == 0.0 {
                return None;
            }
            let along = Tangent::new(assembled.time(numbers), &slope, numbers);
            let name = mechanism.sets_in_motion(resting, at, (&along, size), workspace)?;
            Some(reason(parameter, name))
        };
        self.directions().iter().enumerate().filter_map(&mut moved).collect()
    }

    /// Indices of parameters that no sensitivities are followed along: motions from a singular position that they change leave
    /// the branch, and nothing about them is smooth there.
    pub(super) fn lost_at_start(&self, started: &Started) -> Vec<usize> {
        match started.mode.departure {
            Some(_) => self
                .undetermined_at_start(started)
                .iter()
                .map(|found| found.parameter)
                .collect(),
            None => Vec::new(),
        }
    }

    /// Parameters that cannot change alone while the mechanism moves, found by a simulation.
    pub(crate) fn undetermined_later(&self) -> Result<Vec<Undetermined>> {
        let mut modes = JoinedModes::new(&self.mechanism);
        self.observe(&mut (&mut modes, &mut self.interruption()))?;
        Ok(modes.found)
    }
}

/// Tests every set of joints that events lead to, every impact of what may rub, and every singular position that the motion passes.
#[derive(Debug)]
pub(super) struct JoinedModes<'a> {
    mechanism: &'a Mechanism,
    groups: Vec<bool>,
    pub found: Vec<Undetermined>,
    /// Whether the motion passes singular positions.
    pub passes: bool,
    /// Whether anybody asks for derivatives.
    pub wanted: bool,
}

impl<'a> JoinedModes<'a> {
    pub fn new(mechanism: &'a Mechanism) -> Self {
        Self {
            mechanism,
            groups: Mode::initial(&mechanism.model).groups,
            found: Vec::new(),
            passes: false,
            wanted: true,
        }
    }

    /// Takes notice of a state; only one with other joints than the last is tested.
    pub fn visit(&mut self, at: At<Mode>) {
        let At { t, mode, x } = at;
        if mode.groups == self.groups || !self.wanted {
            return;
        }
        self.groups.clone_from(&mode.groups);
        let (q, v) = (&x[self.mechanism.positions()], &x[self.mechanism.velocities()]);
        add(&mut self.found, undetermined_in(&self.mechanism.model, mode, t, q, v));
    }
}

impl JoinedModes<'_> {
    /// Takes notice of guards that fire: friction may have to take part in an impact as soon as there is some.
    pub fn strike(&mut self, before: At<Mode>, fired: &[usize]) -> Result<()> {
        let model = &self.mechanism.model;
        let is_zero = |friction: &Friction| {
            let number = friction.local.numbers.get(friction.coefficients[1]);
            let number = number.map(|&number| &model.numbers[number]);
            number.is_some_and(|number| number.value == 0.0 && !number.gradient.is_empty())
        };
        if !self.wanted || !model.frictions.iter().any(is_zero) {
            return Ok(());
        }
        // A run along parameters has their derivatives behind the state.
        let mut x = before.x[..self.mechanism.dimension()].to_vec();
        let mut workspace = self.mechanism.workspace();
        let jump = self
            .mechanism
            .jump(before.t, before.mode, &mut x, fired, &mut workspace)?;
        let left_out = self.mechanism.coefficients_left_out(&jump.mode, &workspace).into_iter();
        let undetermined = left_out.map(|(parameter, name)| Undetermined::struck(model, parameter, before.t, name));
        add(&mut self.found, undetermined.collect());
        Ok(())
    }

    /// Takes notice of a step in this mode.
    pub fn pass<M>(&mut self, step: &StepView<M>, mode: &Mode) {
        if let (Some(place), Some(dense), true) = (step.passes, step.dense, self.wanted) {
            let mut workspace = self.mechanism.workspace();
            let times = (step.start, place, step.end);
            let lost = self.mechanism.lost_in_passing(mode, times, dense, &mut workspace);
            add(&mut self.found, lost);
            self.passes = true;
        }
    }
}

impl Observer<Mode> for JoinedModes<'_> {
    fn start(&mut self, t: f64, mode: &Mode, x: &[f64]) -> Result<()> {
        self.visit(At::new(t, mode, x));
        Ok(())
    }

    fn step(&mut self, step: &StepView<Mode>) -> Result<()> {
        self.pass(step, step.mode);
        Ok(())
    }

    fn jump(&mut self, jump: &JumpView<Mode>) -> Result<()> {
        self.strike(At::new(jump.t, jump.mode_before, jump.before), jump.fired)?;
        self.visit(At::new(jump.t, jump.mode_after, jump.after));
        Ok(())
    }
}

/// Adds parameters that are not yet listed.
pub(super) fn add(list: &mut Vec<Undetermined>, more: Vec<Undetermined>) {
    for found in more {
        if list.iter().all(|known| known.parameter != found.parameter) {
            list.push(found);
        }
    }
}

/// Refuses those of these parameters that are asked for.
pub(super) fn refuse(list: &[Undetermined], asked: impl Fn(&str) -> bool) -> Result<()> {
    match list.iter().find(|found| asked(&found.name)) {
        None => Ok(()),
        Some(found) => {
            let message = format!("nothing has {} by \"{}\": {}", found.what(), found.name, found.reason());
            Err(Error::new(ErrorKind::Assembly, message)
                .named(found.name.clone())
                .at_time(found.t)
                .advise(found.advice()))
        }
    }
}

/// The error with what is known about parameters all the same.
pub(super) fn beside(error: Error, list: &[Undetermined]) -> Error {
    let Some(found) = list.first() else { return error };
    let names: Vec<String> = list.iter().map(|found| format!("\"{}\"", found.name)).collect();
    let advice = error.advice().map_or(String::new(), |advice| format!("{advice}; "));
    let (names, reason) = (names.join(", "), found.reason());
    error.advise(format!(
        "{advice}besides, nothing has a derivative by {names}: {reason}"
    ))
}
