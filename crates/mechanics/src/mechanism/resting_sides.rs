//! Jumps of `sign` and `step` whose arguments stay at zero, as those of the velocity of what rests: their side is zero, and their value
//! that at zero (theory, 3.3).

use super::jump::Next;
use super::{Mechanism, Watch, Workspace};
use crate::hybrid::{At, HybridSystem};
use crate::linear::add_scaled;
use crate::model::{Assignment, Kink, Mode};

/// Times ahead at which an argument must still be zero, over that in which the motion changes by its size, with the rounding of the
/// argument that it may have there: what leaves zero smoothly is far beyond at one of them.
const AHEAD: [(f64, f64); 2] = [(1e-2, 10.0), (1e-1, 1e4)];

/// Times its rounding that the argument of a jump may be while it stays at zero.
const LEFT: f64 = 100.0;

impl Mechanism {
    /// The guard of a jump whose argument stays at zero: it leaves that at another event, or is on its way so slowly that nothing told.
    /// None of all others.
    pub(super) fn guard_at_rest(&self, guard: usize, at: At<Mode>, workspace: &mut Workspace) -> Option<f64> {
        let Watch::Kink(i) = self.watch(guard) else { return None };
        let rest = self.model.kinks[i].rest?;
        let slides = || at.mode.slides.iter().any(|slide| slide.has_kink(i));
        if at.x[self.quadratures().end + rest.slot] == 0.0 || slides() {
            return None;
        }
        let [value, noise] = self.argument(i, at, workspace)?;
        Some(LEFT * noise - value.abs())
    }

    /// Lets the jumps rest whose arguments stay at zero from now on, and takes the sides of others from there; `assignments` say so.
    pub(super) fn rest_sides(&self, next: &mut Next, assignments: &mut Vec<Assignment>, workspace: &mut Workspace) {
        let memory = self.quadratures().end;
        for (i, kink) in self.model.kinks.iter().enumerate() {
            let Some(rest) = kink
                .rest
                .filter(|_| !next.mode.slides.iter().any(|slide| slide.has_kink(i)))
            else {
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

    /// The argument of a kink now or, where it is zero, in a moment; none where there is no motion. Zero only if it stays so on both
    /// sides: what they decide on themselves slides along the jump.
    fn goes_to(&self, kink: usize, next: &Next, workspace: &mut Workspace) -> Option<f64> {
        let [value, noise] = self.argument(kink, next.at(), workspace)?;
        if value.abs() > noise {
            return Some(value);
        }
        let place = self.quadratures().end + self.model.kinks[kink].slot;
        let mut from = next.x.to_vec();
        let mut ahead = |side: f64| {
            from[place] = side;
            self.argument_ahead(kink, At::new(next.t, next.mode, &from), workspace)
        };
        let [above, below] = [ahead(1.0)?, ahead(-1.0)?];
        Some(if above > 0.0 { above } else { below })
    }

    /// The argument of a kink a moment later; zero if it stays zero.
    fn argument_ahead(&self, kink: usize, at: At<Mode>, workspace: &mut Workspace) -> Option<f64> {
        let time = self.time_of_change(at, workspace)?;
        for (share, factor) in AHEAD {
            let mut x = at.x.to_vec();
            self.move_on(at, share * time, &mut x, workspace)?;
            let later = At::new(at.t + share * time, at.mode, &x);
            let [value, noise] = self.argument(kink, later, workspace)?;
            if value.abs() > factor * noise {
                return Some(value);
            }
        }
        Some(0.0)
    }

    /// The argument of a kink at a state, with its rounding.
    fn argument(&self, kink: usize, at: At<Mode>, workspace: &mut Workspace) -> Option<[f64; 2]> {
        let Kink { slot, guard, .. } = &self.model.kinks[kink];
        if guard.needs_dynamics(&self.model) {
            self.evaluate_motion(at, true, workspace).ok()?;
        } else {
            self.load(at, &mut workspace.terms);
        }
        let number = self.model.memory_number(*slot);
        let side = std::mem::replace(&mut workspace.terms.numbers[number], 1.0);
        let value = guard.evaluate(&self.model, at.mode, &self.motion(at, workspace));
        let noise = self.rounding_of_output(guard, at, workspace);
        workspace.terms.numbers[number] = side;
        (!value.is_nan()).then_some([value, noise])
    }

    /// Time in which the motion changes by its own size, at most that in which it moves by the size of the mechanism.
    fn time_of_change(&self, at: At<Mode>, workspace: &mut Workspace) -> Option<f64> {
        let mut flow = vec![0.0; at.x.len()];
        self.flow(at, workspace, &mut flow).ok()?;
        let own = |i: usize| self.size(i).max(at.x[i].abs()) / flow[i].abs();
        let times = self.dynamic().map(own);
        Some(times.fold(self.sizes.length / self.sizes.speed, f64::min))
    }

    /// One step of fourth order.
    fn move_on(&self, at: At<Mode>, h: f64, x: &mut [f64], workspace: &mut Workspace) -> Option<()> {
        let n = x.len();
        let (mut slope, mut point) = (vec![0.0; n], at.x.to_vec());
        for (part, weight, reach) in [(0.0, 1.0, 0.5), (0.5, 2.0, 0.5), (0.5, 2.0, 1.0), (1.0, 1.0, 0.0)] {
            self.flow(At::new(at.t + part * h, at.mode, &point), workspace, &mut slope)
                .ok()?;
            add_scaled(x, weight * h / 6.0, &slope);
            point.copy_from_slice(at.x);
            add_scaled(&mut point, reach * h, &slope);
        }
        Some(())
    }
}
