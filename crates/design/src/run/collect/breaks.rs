//! Jumps of the motion's rates that no event tells, as of a direction `u/hypot(u, w)` that turns round where both vanish: the steps of
//! the motion resolve them, and its derivatives lack what they leave.

use super::super::probe::{Probe, RunMode};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, HybridSystem, StepView};
use crate::model::Mode;

/// Change of an expression over its size from which it is why a rate jumps.
const CLEARLY: f64 = 1e-6;

/// The first such jump of a run.
#[derive(Debug, Default)]
pub(in crate::run) struct Breaks {
    first: Option<Break>,
}

#[derive(Debug)]
struct Break {
    t: f64,
    /// What jumps, in words, and its name in the scene.
    what: String,
    name: String,
}

impl Breaks {
    /// Looks at a step of a run, plain or with sensitivities: jumps of the rates of these alone leave nothing.
    pub fn visit<M: RunMode>(&mut self, step: &StepView<M>, probe: &mut Probe) {
        let Some(found) = step.breaks.filter(|_| self.first.is_none()) else {
            return;
        };
        if found.component < probe.mechanism.dimension() {
            let sides = found
                .sides
                .each_ref()
                .map(|x| At::new(found.t, step.mode.mode(), &x[..]));
            // Where no expression jumps, it is rounding of the dynamics.
            self.first = jumping(sides, probe).map(|(what, name)| Break { t: found.t, what, name });
        }
    }

    /// What a report says.
    pub fn remark(&self) -> Option<String> {
        let Break { t, what, .. } = self.first.as_ref()?;
        Some(format!(
            "{what} jumps at about {t:.6} s, and no event tells it: the motion goes on by short steps, but has no derivatives"
        ))
    }

    /// Refuses derivatives of a motion through it.
    ///
    /// # Errors
    /// Kind `Request`, naming what jumps: along a single direction it may pass unseen.
    pub fn refuse(&self) -> Result<()> {
        let Some(Break { t, what, name }) = &self.first else {
            return Ok(());
        };
        let message = format!("{what} jumps, and no event tells it: derivatives would lack what the jump leaves");
        Err(Error::new(ErrorKind::Request, message).named(name).at_time(*t).advise(
            "write the jump by `sign`, `step`, `abs`, `min` or `max` of what changes its sign there, as `sign(u)` for `u/hypot(u, w)` of \
             a motion on a line: such jumps are events",
        ))
    }
}

/// The expression that changes most of those that the integration sees, in words and by name.
fn jumping(sides: [At<Mode>; 2], probe: &mut Probe) -> Option<(String, String)> {
    let model = &probe.mechanism.model;
    let before = model.expressions(sides[0].mode, &probe.motion(sides[0]).ok()?);
    let after = model.expressions(sides[1].mode, &probe.motion(sides[1]).ok()?);
    let change = |a: f64, b: f64| (b - a).abs() / a.abs().max(b.abs());
    let pairs = before
        .iter()
        .zip(&after)
        .filter(|(a, _)| a.is_integrated() && !a.name.is_empty());
    let changes = pairs.map(|(a, b)| (a, change(a.value, b.value)));
    let most = changes
        .filter(|(_, change)| *change > CLEARLY)
        .max_by(|a, b| a.1.total_cmp(&b.1));
    most.map(|(found, _)| (found.described(), found.name.to_string()))
}
