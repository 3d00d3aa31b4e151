//! Functions with kinks whose argument changes its sign along a motion: second derivatives lack what the kink adds.

use std::collections::BTreeMap;

use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, HybridSystem};
use crate::mechanism::{Mechanism, Workspace};
use crate::model::Mode;

/// Points within a step that are looked at.
const POINTS: u32 = 4;

/// Watches on which side of their kinks the expressions of forces, joints and integrands are.
pub(super) struct Kinks<'a> {
    mechanism: &'a Mechanism,
    workspace: Workspace,
    /// By owner and text: the sides last seen, zero before a sign was.
    seen: BTreeMap<(String, String), Vec<f64>>,
    /// Objectives with such a change, and why they have no second derivatives.
    objectives: BTreeMap<String, String>,
    x: Vec<f64>,
    last: f64,
}

impl<'a> Kinks<'a> {
    pub fn new(mechanism: &'a Mechanism, start: f64) -> Self {
        Self {
            mechanism,
            workspace: mechanism.workspace(),
            seen: BTreeMap::new(),
            objectives: BTreeMap::new(),
            x: Vec::new(),
            last: start,
        }
    }

    /// Objectives whose integrand changed its side of a kink.
    pub fn objectives(self) -> BTreeMap<String, String> {
        self.objectives
    }

    /// Looks at points of a step that ends at a time, given the state at a time within it.
    ///
    /// # Errors
    /// As [`Kinks::look`].
    pub fn step(&mut self, end: f64, mode: &Mode, state: impl Fn(f64, &mut [f64])) -> Result<()> {
        // Where nothing has kinks at the end, nothing has within.
        let first = if self.seen.is_empty() { POINTS } else { 1 };
        let start = self.last;
        self.x.resize(self.mechanism.dimension(), 0.0);
        for k in first..=POINTS {
            let t = start + (end - start) * f64::from(k) / f64::from(POINTS);
            let mut x = std::mem::take(&mut self.x);
            state(t, &mut x);
            let looked = self.look(t, mode, &x);
            self.x = x;
            looked?;
        }
        self.last = end;
        Ok(())
    }

    /// Looks at a state.
    ///
    /// # Errors
    /// Kind `Event` where a force or joint changes its side of a kink; as for the flow.
    pub fn look(&mut self, t: f64, mode: &Mode, x: &[f64]) -> Result<()> {
        let (mechanism, model) = (self.mechanism, &self.mechanism.model);
        mechanism.evaluate_motion(At::new(t, mode, x), true, &mut self.workspace)?;
        let motion = mechanism.motion(At::new(t, mode, x), &self.workspace);
        let found = model.expressions(mode, &motion).into_iter();
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
