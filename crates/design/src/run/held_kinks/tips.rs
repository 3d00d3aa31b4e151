//! Places without derivatives that a motion stays at though nothing changes its sign there, as `hypot(P.vx, P.vy)` of what rests: on
//! the tip of a cone.

use super::super::probe::Probe;
use super::MOVES;
use crate::error::Result;
use crate::hybrid::At;
use crate::model::gradient::MotionView;
use crate::model::quantity::{Output, Quantity};
use crate::model::{FixedKink, Mode, Model};

/// What acts over time: what is integrated, the rates of memory and the numbers that follow the motion.
pub(super) struct Tips<'a> {
    /// With the objective whose it is, if any.
    watched: Vec<(Option<&'a str>, &'a Output)>,
    /// Those that have been on a tip since the last step or event.
    on: Vec<usize>,
}

impl<'a> Tips<'a> {
    pub fn new(model: &'a Model) -> Self {
        let mut watched = Vec::new();
        for (k, integrand) in model.integrands.iter().enumerate() {
            let name = model.objective_of(k);
            if !name.is_empty() {
                gather(model, (Some(name), integrand), &mut watched);
            }
        }
        let rates = model.memory_rates().map(|(_, rate)| rate);
        for acting in rates.chain(model.feedback.iter().map(|feedback| &feedback.value)) {
            gather(model, (None, acting), &mut watched);
        }
        Self {
            watched,
            on: Vec::new(),
        }
    }

    /// Whether there is nothing to watch.
    pub fn is_empty(&self) -> bool {
        self.watched.is_empty()
    }

    /// At the start or after an event.
    pub fn begin(&mut self, at: At<Mode>, probe: &mut Probe) {
        self.on = self.found(at, probe).into_iter().map(|(i, _)| i).collect();
    }

    /// Whether there is any that a step has stayed on; those parameters that move the motion off it are added to `moved`, each of which
    /// has a size.
    pub fn step(
        &mut self,
        at: At<Mode>,
        probe: &mut Probe,
        sizes: &[f64],
        moved: &mut Vec<(usize, FixedKink)>,
    ) -> Result<bool> {
        let model = &probe.mechanism.model;
        let found = self.found(at, probe);
        let stayed = |(i, _): &&(usize, Vec<f64>)| self.on.contains(i);
        for (i, differences) in found.iter().filter(stayed) {
            let (objective, output) = self.watched[*i];
            let size = probe.error_of(output, at, [1.0, 0.0]);
            probe.each_jvp(at, &[], |parameter, motion, _| {
                let difference = output.difference(differences, model, at.mode, motion);
                if (difference * sizes[parameter]).abs() > MOVES * size {
                    let kink = FixedKink {
                        expression: output.expression.text().to_string(),
                        order: 1,
                        objective: objective.map(str::to_string),
                    };
                    moved.push((parameter, kink));
                }
            })?;
        }
        let stays = found.iter().any(|found| stayed(&found));
        self.on = found.into_iter().map(|(i, _)| i).collect();
        Ok(stays)
    }

    /// Those on a tip at a state, with what the derivatives by their arguments differ by on two sides.
    fn found(&self, at: At<Mode>, probe: &mut Probe) -> Vec<(usize, Vec<f64>)> {
        let model = &probe.mechanism.model;
        let Ok(motion) = probe.motion(at) else {
            return Vec::new();
        };
        let view = MotionView {
            model,
            mode: at.mode,
            motion,
            over_time: true,
        };
        let tip = |(i, (_, output)): (usize, &(_, &Output))| Some((i, output.tip(&view)?));
        self.watched.iter().enumerate().filter_map(tip).collect()
    }
}

/// An output with those that it builds on, as far as they may lack derivatives.
fn gather<'a>(
    model: &'a Model,
    (name, output): (Option<&'a str>, &'a Output),
    out: &mut Vec<(Option<&'a str>, &'a Output)>,
) {
    if output.expression.may_lack_derivatives() {
        out.push((name, output));
    }
    for quantity in &output.arguments {
        if let Quantity::Output(i) = quantity {
            gather(model, (name, &model.outputs[*i].1), out);
        }
    }
}
