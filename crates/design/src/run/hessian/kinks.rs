//! Functions with kinks whose argument changes its sign along a motion: second derivatives lack what the kink adds.

use std::collections::BTreeMap;

use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Observer, StepView};
use crate::mechanism::Mechanism;
use crate::model::Mode;
use crate::run::probe::Probe;

/// Points within a step that are looked at.
const POINTS: u32 = 4;

/// Watches on which side of their kinks the expressions of forces, joints and integrands are.
pub(super) struct Kinks<'a> {
    probe: Probe<'a>,
    /// By owner and text: the sides last seen, zero before a sign was.
    seen: BTreeMap<(String, String), Vec<f64>>,
    /// Objectives with such a change, and why they have no second derivatives.
    pub objectives: BTreeMap<String, String>,
}

impl<'a> Kinks<'a> {
    pub fn new(mechanism: &'a Mechanism) -> Self {
        Self {
            probe: Probe::new(mechanism, &[]),
            seen: BTreeMap::new(),
            objectives: BTreeMap::new(),
        }
    }

    /// Looks at a state.
    ///
    /// # Errors
    /// Kind `Event` where a force or joint changes its side of a kink; as for the flow.
    fn look(&mut self, at: At<Mode>) -> Result<()> {
        let (t, model) = (at.t, &self.probe.mechanism.model);
        let motion = self.probe.motion(at)?;
        let found = model.expressions(at.mode, &motion).into_iter();
        for expression in found.filter(|found| found.is_integrated() && !found.sides.is_empty()) {
            let key = (expression.name.to_string(), expression.text.to_string());
            let seen = self
                .seen
                .entry(key)
                .or_insert_with(|| vec![0.0; expression.sides.len()]);
            let mut changes = false;
            for (seen, side) in seen.iter_mut().zip(&expression.sides) {
                changes |= *seen * side < 0.0;
                if *side != 0.0 {
                    *seen = side.signum();
                }
            }
            if !changes {
                continue;
            }
            let reason = format!("{} changes its side of a kink at {t} s", expression.described());
            if !expression.drives() {
                self.objectives.insert(expression.name.to_string(), reason);
                continue;
            }
            return Err(
                Error::new(ErrorKind::Event, format!("{reason}: there are no second derivatives through it"))
                    .named(expression.name)
                    .at_time(t)
                    .advise(
                        "write it without abs, sign, step, min and max: with a one-sided spring, or with forces and memory that events \
                         switch",
                    ),
            );
        }
        Ok(())
    }
}

impl Observer<Mode> for Kinks<'_> {
    fn wants_dense(&self) -> bool {
        true
    }

    fn start(&mut self, t: f64, mode: &Mode, x: &[f64]) -> Result<()> {
        self.look(At::new(t, mode, x))
    }

    fn step(&mut self, step: &StepView<Mode>) -> Result<()> {
        let Some(dense) = step.dense else { return Ok(()) };
        // Where nothing has kinks at the end, nothing has within.
        let first = if self.seen.is_empty() { POINTS } else { 1 };
        let mut x = vec![0.0; step.x.len()];
        for k in first..=POINTS {
            let t = step.start + (step.end - step.start) * f64::from(k) / f64::from(POINTS);
            dense.evaluate(t, &mut x);
            self.look(At::new(t, step.mode, &x))?;
        }
        Ok(())
    }
}
