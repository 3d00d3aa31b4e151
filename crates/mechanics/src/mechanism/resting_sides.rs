//! Jumps of `sign` and `step` whose arguments stay at zero, as those of the velocity of what rests: their side gives
//! the value at zero then (theory, 3.3).

use std::f64::consts::{E, FRAC_1_PI, SQRT_2};

use super::jump::Next;
use super::{Mechanism, Watch, Workspace};
use crate::hybrid::{At, HybridSystem};
use crate::linear::{add_scaled, max_abs};
use crate::model::{Assignment, Kink, Mode, Rest};

/// Times ahead at which an argument must still be zero, over the duration of the run: what leaves zero smoothly is beyond rounding at
/// one of them, however fast anything else moves. No wave has zeros at all of them, for they have no common measure.
const AHEAD: [f64; 3] = [SQRT_2 / 100.0, FRAC_1_PI / 3.0, E / 3.0];

/// Rounding of an argument over the sizes of what it reads.
const ROUNDING: f64 = 4e-15;

impl Mechanism {
    /// Whether a guard is that of a jump whose argument stays at zero: it leaves that at another event.
    pub(super) fn rests_on(&self, guard: usize, at: At<Mode>) -> bool {
        let Watch::Kink(i) = self.watch(guard) else {
            return false;
        };
        let rests = |rest: Rest| at.x[self.quadratures().end + rest.slot] != 0.0;
        self.rest_of(i, at.mode).is_some_and(rests)
    }

    /// Of a jump that the motion does not slide along.
    fn rest_of(&self, kink: usize, mode: &Mode) -> Option<Rest> {
        let slides = mode.slides.iter().any(|slide| slide.has_kink(kink));
        self.model.kinks[kink].rest.filter(|_| !slides)
    }

    /// Lets the jumps rest whose arguments stay at zero from now on, and takes the sides of others from there; `assignments` say so.
    pub(super) fn rest_sides(&self, next: &mut Next, assignments: &mut Vec<Assignment>, workspace: &mut Workspace) {
        let memory = self.quadratures().end;
        for (i, kink) in self.model.kinks.iter().enumerate() {
            let Some(rest) = self.rest_of(i, next.mode) else {
                continue;
            };
            let places = [memory + kink.slot, memory + rest.slot];
            let before = places.map(|place| next.x[place]);
            let after = match self.goes_to(i, next, workspace) {
                Some(0.0) => [rest.side, 1.0],
                Some(value) if before[1] != 0.0 => [value.signum(), 0.0],
                _ => before,
            };
            for (place, value) in places.into_iter().zip(after) {
                next.x[place] = value;
            }
            self.load_memory(next.x, &mut workspace.terms);
            if after != before {
                for (slot, value) in [kink.slot, rest.slot].into_iter().zip(after) {
                    assignments.retain(|other| other.slot != slot);
                    assignments.push(Assignment::constant(slot, value));
                }
            }
        }
    }

    /// The argument of a kink now or, where it is zero, later; zero only if it stays so on both sides, for what they decide on
    /// themselves slides along the jump. None where that cannot be told.
    fn goes_to(&self, kink: usize, next: &Next, workspace: &mut Workspace) -> Option<f64> {
        let place = self.quadratures().end + self.model.kinks[kink].slot;
        let mut from = next.x.to_vec();
        from[place] = 1.0;
        let at = At::new(next.t, next.mode, &from);
        let value = self.argument(kink, at, workspace)?;
        if value.abs() > self.rounding(self.kink_guard(kink), 0.0, at, workspace) {
            return Some(value);
        }
        let mut ahead = |side: f64| {
            from[place] = side;
            self.argument_ahead(kink, At::new(next.t, next.mode, &from), workspace)
        };
        let [above, below] = [ahead(1.0)?, ahead(-1.0)?];
        // On the side above, it goes there or comes back from it.
        Some(if above > 0.0 { above } else { below })
    }

    /// The argument of a kink later on; zero if it stays zero.
    fn argument_ahead(&self, kink: usize, at: At<Mode>, workspace: &mut Workspace) -> Option<f64> {
        for share in AHEAD {
            let (h, mut x) = (share * self.duration, at.x.to_vec());
            let fastest = self.move_on(at, h, &mut x, workspace)?;
            let later = At::new(at.t + h, at.mode, &x);
            let value = self.argument(kink, later, workspace)?;
            let scratch = &workspace.transposed;
            let of_positions = self.model.position_kinds().map(|kind| self.sizes.position(kind));
            let of_velocities = self.model.velocity_kinds().map(|kind| self.sizes.velocity(kind));
            let sizes = of_positions.zip(&scratch.q).chain(of_velocities.zip(&scratch.v));
            let rounding: f64 = sizes.map(|(size, slope)| slope.abs() * (size + h * fastest)).sum();
            if value.abs() > ROUNDING * rounding {
                return Some(value);
            }
        }
        Some(0.0)
    }

    /// The argument of a kink at a state; its gradient is left in the scratch.
    fn argument(&self, kink: usize, at: At<Mode>, workspace: &mut Workspace) -> Option<f64> {
        let Kink { slot, guard, .. } = &self.model.kinks[kink];
        if guard.needs_dynamics(&self.model) {
            self.evaluate_motion(at, true, workspace).ok()?;
        } else {
            self.load(at, &mut workspace.terms);
        }
        let number = self.model.memory_number(*slot);
        let side = std::mem::replace(&mut workspace.terms.numbers[number], 1.0);
        let value = guard.evaluate(&self.model, at.mode, &self.motion(at, workspace));
        workspace.transposed.clear();
        self.add(at, workspace, &mut |reading, duals, gradient| {
            guard.add_gradient(1.0, reading, duals, gradient);
        });
        workspace.terms.numbers[number] = side;
        value.is_finite().then_some(value)
    }

    /// One step of fourth order; returns the fastest change at its start.
    fn move_on(&self, at: At<Mode>, h: f64, x: &mut [f64], workspace: &mut Workspace) -> Option<f64> {
        let (mut slope, mut point, mut fastest) = (vec![0.0; x.len()], at.x.to_vec(), 0.0_f64);
        for (part, weight, reach) in [(0.0, 1.0, 0.5), (0.5, 2.0, 0.5), (0.5, 2.0, 1.0), (1.0, 1.0, 0.0)] {
            self.flow(At::new(at.t + part * h, at.mode, &point), workspace, &mut slope)
                .ok()?;
            if part == 0.0 {
                fastest = max_abs(&slope[self.dynamic()]);
            }
            add_scaled(x, weight * h / 6.0, &slope);
            point.copy_from_slice(at.x);
            add_scaled(&mut point, reach * h, &slope);
        }
        Some(fastest)
    }
}
