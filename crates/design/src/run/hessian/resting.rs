//! Places that rest under quadratic drag: the force has no second derivative by the velocity there. A place that only turns round is
//! at rest for an instant, which an integral does not see.

use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, JumpView, Observer, StepView};
use crate::linear::max_abs;
use crate::model::Mode;
use crate::run::experiment::Experiment;
use crate::run::probe::{Probe, RunMode, after};
use crate::sensitivity::ForwardMode;

/// Part of the speed of the mechanism that is rest.
const AT_REST: f64 = 1e-10;

/// Part of it by which a parameter moves what rests, from which the sign of that matters.
const MOVES: f64 = 1e-6;

/// Watches the places of quadratic drags along a motion with its first derivatives.
pub(super) struct Resting<'a> {
    probe: Probe<'a>,
    /// Sizes of the parameters.
    sizes: Vec<f64>,
    /// Drags, with whether the latest place was at rest and would move.
    drags: Vec<(usize, bool)>,
}

impl<'a> Resting<'a> {
    /// Of a run along the parameters, whose directions in the numbers these are.
    pub fn new(experiment: &'a Experiment, directions: &'a [Vec<f64>]) -> Self {
        let mechanism = &experiment.mechanism;
        let drags = (0..mechanism.model.forces.len()).filter(|&force| mechanism.model.is_quadratic_drag(force));
        Self {
            probe: Probe::new(mechanism, directions),
            sizes: experiment.parameter_sizes(),
            drags: drags.map(|force| (force, false)).collect(),
        }
    }

    /// Whether the model has such drags at all.
    pub fn is_needed(&self) -> bool {
        !self.drags.is_empty()
    }

    /// Looks at a place; refuses one that is as the place before it, at the start of a step.
    fn visit(&mut self, at: At<Mode>, ends_step: bool) -> Result<()> {
        let (mechanism, speed) = (self.probe.mechanism, self.probe.mechanism.sizes().speed);
        let (model, sizes) = (&mechanism.model, &self.sizes);
        let mut found = vec![false; self.drags.len()];
        let drags = &self.drags;
        self.probe.each_jvp(at, &[], |k, motion, _| {
            for ((force, _), found) in drags.iter().zip(&mut found) {
                let velocity = model.dragged(*force, motion);
                let rests = max_abs(&velocity.map(|v| v.re)) <= AT_REST * speed;
                let moves = max_abs(&velocity.map(|v| v.eps)) * sizes[k] > MOVES * speed;
                *found |= rests && moves && at.mode.force_acts(*force);
            }
        })?;
        for ((force, before), now) in self.drags.iter_mut().zip(found) {
            if ends_step && *before && now {
                let name = &model.forces[*force].name;
                let message = format!(
                    "\"{name}\" is a quadratic drag on a place at rest that a parameter would move: there are no second derivatives, \
                     for they depend on the direction"
                );
                return Err(Error::new(ErrorKind::Event, message)
                    .named(name)
                    .at_time(at.t)
                    .advise("let the place move, give the drag `linear` alone, or ask for the gradient alone"));
            }
            *before = now;
        }
        Ok(())
    }
}

impl Observer<ForwardMode<Mode>> for Resting<'_> {
    fn start(&mut self, t: f64, mode: &ForwardMode<Mode>, x: &[f64]) -> Result<()> {
        self.visit(At::new(t, mode.mode(), x), false)
    }

    fn step(&mut self, step: &StepView<ForwardMode<Mode>>) -> Result<()> {
        self.visit(At::new(step.end, step.mode.mode(), step.x), true)
    }

    fn jump(&mut self, jump: &JumpView<ForwardMode<Mode>>) -> Result<()> {
        self.visit(after(jump), false)
    }
}
