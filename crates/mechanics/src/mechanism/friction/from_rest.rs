//! Slip that begins at the start, from rest: a velocity there, however small, decides its direction, so that there is no derivative by it.

use crate::hybrid::{At, Tangent};
use crate::linear::max_abs;
use crate::mechanism::{Mechanism, Workspace};
use crate::model::{Grip, Mode};

/// Derivative of a slip velocity, over those of the velocities, up to which it is rounding.
const ROUNDING: f64 = 1e-9;

impl Mechanism {
    /// Frictions that slip in a mode though nothing slips at the assembled state; those of contacts that strike stick for a moment.
    pub(in crate::mechanism) fn slips_from_rest(
        &self,
        at: At<Mode>,
        striking: &[usize],
        workspace: &mut Workspace,
    ) -> Vec<usize> {
        self.load(at, &mut workspace.terms);
        let motion = self.motion(at, workspace);
        let rests = |grip: &&Grip| {
            let law = &self.model.frictions[grip.friction];
            let strikes = law.contact().is_some_and(|contact| striking.contains(&contact));
            let slip = self.model.slip_velocity(grip.friction, &motion);
            grip.hold.slips() && !law.is_smooth() && !strikes && max_abs(&slip) <= self.slip_noise(grip.friction, at.x)
        };
        let slipping = at.mode.grips.iter().filter(rests);
        slipping.map(|grip| grip.friction).collect()
    }

    /// The name of the first of these frictions, which rest, if a direction gives it a slip velocity, or none can be told; `size` is that of
    /// the velocities along the direction, as assembled.
    pub fn sets_in_motion(
        &self,
        resting: &[usize],
        at: At<Mode>,
        (along, size): (&Tangent, f64),
        workspace: &mut Workspace,
    ) -> Option<&str> {
        // What changes positions may turn velocities, too, of which nothing is left here.
        let [q, dq] = [at.x, along.x].map(|x| max_abs(&x[self.positions()]));
        let turned = max_abs(&at.x[self.velocities()]) * dq / q.max(f64::MIN_POSITIVE);
        let least = ROUNDING * (size + turned);
        let motion = self.motion_along(at, along, false, workspace);
        let moved = |&&friction: &&usize| {
            let slip = motion.as_ref().map(|motion| self.model.slip_velocity(friction, motion));
            slip.map_or(true, |slip| slip.iter().any(|slip| slip.eps.abs() > least))
        };
        let first = resting.iter().find(moved);
        first.map(|&friction| self.model.rubbed_name(friction))
    }
}
