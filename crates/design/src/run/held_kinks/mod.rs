//! Kinks that a motion stays on, as `abs(P.vx)` of what rests: by a parameter that moves it off one of them nothing has a derivative
//! where the two sides have others.

mod tips;

use std::borrow::Cow;

use super::experiment::Experiment;
use super::probe::{Probe, RunMode, after};
use super::undetermined::add;
use super::verges::{Verges, candidates};
use crate::assembly::Undetermined;
use crate::error::Result;
use crate::hybrid::{At, Differentiable, HybridSystem, JumpView, Observer, StepView, Tangent};
use crate::mechanism::Mechanism;
use crate::model::expressions::ExpressionOwner;
use crate::model::{FixedKink, Kink, Mode};
use tips::Tips;

/// Argument of a kink, over what it changes by where the state changes by its sizes, that is zero.
const ON: f64 = 1e-12;

/// The same of what it changes by in a step by its rate at the end of that.
const STILL: f64 = 1e-9;

/// Part of that by which a parameter moves the argument, from which it matters.
const MOVES: f64 = 1e-6;

/// Part of the motion that it has to stay on a kink since the last event: between bounces that accumulate all is near zero.
const BRIEF: f64 = 1e-4;

/// Difference of what is on two sides of a kink, over its size, that is rounding.
const SAME: f64 = 1e-9;

/// Watches the kinks of a motion, and the parameters where it comes with its derivatives by these.
pub(super) struct HeldKinks<'a> {
    mechanism: &'a Mechanism,
    directions: &'a [Vec<f64>],
    /// Made when a kink is first looked at: motions without kinks need none.
    probe: Option<Probe<'a>>,
    /// Sizes of the parameters, and of the arguments of kinks.
    sizes: Vec<f64>,
    arguments: Vec<f64>,
    /// The kinks that the motion has been on since the last event.
    on: Vec<usize>,
    /// Time of that event, and the shortest time after it from which a kink counts.
    begun: f64,
    brief: f64,
    tips: Tips<'a>,
    verges: Verges,
    /// Whether it stayed on one over a step.
    pub stays: bool,
    /// Parameters by which nothing has a derivative.
    pub found: Vec<Undetermined>,
}

impl<'a> HeldKinks<'a> {
    /// For a run along the parameters, whose directions in the numbers these are, or along none.
    pub fn new(experiment: &'a Experiment, directions: &'a [Vec<f64>]) -> Self {
        Self::along(experiment, directions, experiment.parameter_sizes())
    }

    /// For a run along directions that have these sizes; they are told as the first parameters.
    pub fn along(experiment: &'a Experiment, directions: &'a [Vec<f64>], sizes: Vec<f64>) -> Self {
        Self {
            mechanism: &experiment.mechanism,
            directions,
            probe: None,
            sizes,
            arguments: Vec::new(),
            on: Vec::new(),
            begun: experiment.start,
            brief: BRIEF * (experiment.options.end - experiment.start),
            tips: Tips::new(&experiment.mechanism.model),
            verges: Verges::default(),
            stays: false,
            found: Vec::new(),
        }
    }

    /// At the start or after an event.
    fn begin(&mut self, at: At<Mode>) -> Result<()> {
        let mechanism = self.mechanism;
        let kinks = &mechanism.model.kinks;
        if self.arguments.is_empty() && !kinks.is_empty() {
            let probe = (self.probe).get_or_insert_with(|| Probe::new(mechanism, self.directions));
            let mut size = |kink: &Kink| probe.error_of(&kink.guard, at, [1.0, 0.0]);
            self.arguments = kinks.iter().map(&mut size).collect();
        }
        self.on = (0..kinks.len()).collect();
        self.begun = at.t;
        if !self.tips.is_empty() {
            let probe = (self.probe).get_or_insert_with(|| Probe::new(mechanism, self.directions));
            self.tips.begin(at, probe);
        }
        self.verges = Verges::default();
        let candidates = candidates(mechanism, at.mode);
        if !candidates.is_empty() {
            let probe = (self.probe).get_or_insert_with(|| Probe::new(mechanism, self.directions));
            self.verges.begin(&candidates, at, probe);
        }
        let x = self.on_a_side(at.x);
        self.stay(At { x: &x, ..at })
    }

    /// A state with the sides that are zero, as their arguments stay so, at one: the guard of a kink is its argument then.
    fn on_a_side<'x>(&self, x: &'x [f64]) -> Cow<'x, [f64]> {
        let mut x = Cow::Borrowed(x);
        for (kink, element) in self.mechanism.model.kinks.iter().enumerate() {
            let place = place_of(self.mechanism, kink);
            if element.rest.is_some() && x[place] == 0.0 {
                x.to_mut()[place] = 1.0;
            }
        }
        x
    }

    /// Leaves out the kinks that a state is off.
    fn stay(&mut self, at: At<Mode>) -> Result<()> {
        let Some(probe) = self.probe.as_mut().filter(|_| !self.on.is_empty()) else {
            return Ok(());
        };
        let mechanism = self.mechanism;
        let (model, arguments) = (&mechanism.model, &self.arguments);
        let Ok(motion) = probe.motion(at) else {
            self.on.clear();
            return Ok(());
        };
        self.on.retain(|&i| {
            let value = model.kinks[i].guard.evaluate(model, at.mode, &motion);
            let slides = at.mode.slides.iter().any(|slide| slide.has_kink(i));
            !slides && value.abs() <= ON * arguments[i]
        });
        Ok(())
    }

    /// Leaves out those that it is on at an instant alone: a step may lead from one zero to the next.
    fn stand(&mut self, at: At<Mode>, duration: f64) {
        let Some(probe) = self.probe.as_mut().filter(|_| !self.on.is_empty()) else {
            return;
        };
        let (model, on, arguments) = (&self.mechanism.model, &self.on, &self.arguments);
        let rates = probe.rates(at, |motion, _| -> Vec<f64> {
            let rate = |&i: &usize| model.kinks[i].guard.evaluate(model, at.mode, motion).eps;
            on.iter().map(rate).collect()
        });
        // Without rates it stays on them all, as far as can be told.
        let Ok(rates) = rates else { return };
        let mut rates = rates.into_iter();
        let stays = |i: usize, rate: f64| (rate * duration).abs() <= STILL * arguments[i];
        self.on.retain(|&i| rates.next().is_none_or(|rate| stays(i, rate)));
    }

    fn step_on_tips(&mut self, at: At<Mode>) -> Result<()> {
        let Some(probe) = self.probe.as_mut().filter(|_| !self.tips.is_empty()) else {
            return Ok(());
        };
        let mut moved = Vec::new();
        self.stays |= self.tips.step(at, probe, &self.sizes, &mut moved)?;
        for (parameter, kink) in moved {
            let model = &self.mechanism.model;
            add(
                &mut self.found,
                vec![Undetermined::at_kink(model, parameter, at.t, kink)],
            );
        }
        Ok(())
    }

    fn step_on_verges(&mut self, at: At<Mode>) -> Result<()> {
        let Some(probe) = self.probe.as_mut() else {
            return Ok(());
        };
        let mut moved = Vec::new();
        let stays = self.verges.step(at, probe, &self.sizes, &mut moved)?;
        if at.t - self.begun < self.brief {
            return Ok(());
        }
        self.stays |= stays;
        let model = &self.mechanism.model;
        let found = moved
            .into_iter()
            .map(|(parameter, verge)| Undetermined::on_verge(model, parameter, at.t, verge));
        add(&mut self.found, found.collect());
        Ok(())
    }

    fn step(&mut self, at: At<Mode>, duration: f64) -> Result<()> {
        self.step_on_tips(at)?;
        self.step_on_verges(at)?;
        let x = self.on_a_side(at.x);
        let at = At { x: &x, ..at };
        self.stay(at)?;
        if at.t - self.begun < self.brief {
            return Ok(());
        }
        self.stand(at, duration);
        self.stays |= !self.on.is_empty();
        let mechanism = self.mechanism;
        let model = &mechanism.model;
        let (mut moved, on) = (Vec::new(), &self.on);
        let (sizes, arguments) = (&self.sizes, &self.arguments);
        let Some(probe) = self.probe.as_mut().filter(|_| !on.is_empty()) else {
            return Ok(());
        };
        probe.each_jvp(at, &[], |parameter, motion, _| {
            for &kink in on {
                let slope = model.kinks[kink].guard.evaluate(model, at.mode, motion).eps;
                if (slope * sizes[parameter]).abs() > MOVES * arguments[kink] {
                    moved.push((kink, parameter));
                }
            }
        })?;
        for (kink, parameter) in moved {
            let known = self.found.iter().any(|found| found.parameter == parameter);
            if !known && self.matters(&model.kinks[kink]) && self.bends(kink, parameter, at)? {
                let Kink { guard, owner, of, .. } = &model.kinks[kink];
                let kink = FixedKink {
                    expression: guard.expression.text().to_string(),
                    order: 1,
                    objective: (*owner == ExpressionOwner::Objective).then(|| of.clone()),
                };
                add(
                    &mut self.found,
                    vec![Undetermined::at_kink(model, parameter, at.t, kink)],
                );
            }
        }
        Ok(())
    }

    /// Whether it is none of an objective that was left out.
    fn matters(&self, kink: &Kink) -> bool {
        let mut objectives = self.mechanism.model.objectives.iter();
        kink.owner != ExpressionOwner::Objective || objectives.any(|objective| objective.name == kink.of)
    }

    /// Whether the flow or its derivative by a parameter is another on the other side of a kink.
    fn bends(&mut self, kink: usize, parameter: usize, at: At<Mode>) -> Result<bool> {
        let mechanism = self.mechanism;
        let n = mechanism.dimension();
        let slot = place_of(mechanism, kink);
        let along = Tangent::new(0.0, &at.x[(parameter + 1) * n..][..n], &self.directions[parameter]);
        let mut x = at.x[..n].to_vec();
        x[slot] = 1.0;
        let here = self.side(At { x: &x, ..at }, &along)?;
        x[slot] = -1.0;
        let there = self.side(At { x: &x, ..at }, &along)?;
        let differs = |(a, b): (&f64, &f64)| (a - b).abs() > SAME * (a.abs() + b.abs());
        Ok(here.iter().zip(&there).any(differs))
    }

    /// The flow and its derivative along a direction.
    fn side(&mut self, at: At<Mode>, along: &Tangent) -> Result<Vec<f64>> {
        let mechanism = self.mechanism;
        let workspace = &mut (self.probe)
            .get_or_insert_with(|| Probe::new(mechanism, self.directions))
            .workspace;
        let n = mechanism.dimension();
        let mut found = vec![0.0; 2 * n];
        let (flow, slope) = found.split_at_mut(n);
        mechanism.flow(at, workspace, flow)?;
        mechanism.linearize(at, workspace)?;
        mechanism.flow_jvp(at, along, workspace, slope);
        Ok(found)
    }
}

/// Where the side of a kink is in the state.
fn place_of(mechanism: &Mechanism, kink: usize) -> usize {
    mechanism.quadratures().end + mechanism.model.kinks[kink].slot
}

impl<M: RunMode> Observer<M> for HeldKinks<'_> {
    fn start(&mut self, t: f64, mode: &M, x: &[f64]) -> Result<()> {
        self.begin(At::new(t, mode.mode(), x))
    }

    fn step(&mut self, step: &StepView<M>) -> Result<()> {
        self.step(At::new(step.end, step.mode.mode(), step.x), step.end - step.start)
    }

    fn jump(&mut self, jump: &JumpView<M>) -> Result<()> {
        self.begin(after(jump))
    }
}
