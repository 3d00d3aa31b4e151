//! Events at the last instant: whether a guard comes to zero just before or just after the end is rounding, so that both count as
//! events at the end, and happen (theory, 3).

use super::simulate::{Options, Simulation};
use super::{At, Crossing, HybridSystem};
use crate::error::Result;

/// Time about the end, over the simulated time and over the relative tolerance, in which events count as being at it: far less than
/// the tolerance leaves of the time of an event.
const AT_END: f64 = 1e-2;

/// The same at the most, and at the least for rounding, over the simulated time alone.
const WITHIN: [f64; 2] = [1e-13, 1e-10];

/// Part of the last step over which the rate of a guard is measured.
const EARLIER: f64 = 0.25;

/// Multiples of its rounding up to which only rounding moves a guard.
const MOVES: f64 = 10.0;

impl Options {
    /// Time about the end within which events count as being at it, of a motion from a time on.
    pub fn last_instant(&self, start: f64) -> f64 {
        let [least, most] = WITHIN;
        (AT_END * self.tolerance.rtol()).clamp(least, most) * (self.end - start).max(self.end.abs())
    }
}

impl<H: HybridSystem> Simulation<'_, H> {
    /// Whether the attempted step, in which no event happens, ends the run with guards that would come to zero within the last
    /// instant; these are then the ones that fire.
    pub(super) fn is_due_at_end(&mut self) -> Result<bool> {
        self.fired.clear();
        let (start, end) = (self.now.t, self.stepper.t_new());
        let instant = self.options.last_instant(self.now.start);
        if end < self.options.end - instant {
            return Ok(false);
        }
        let earlier = end - EARLIER * (end - start);
        for guard in 0..self.system.guards() {
            let Some(crossing) = self.system.crossing(guard, &self.now.mode) else {
                continue;
            };
            let last = At::new(end, &self.now.mode, self.stepper.x_new());
            let value = self.system.guard(guard, last, self.workspace)?;
            let rounding = self.system.rounding(guard, self.search.noise(), last, self.workspace);
            self.dense.evaluate(earlier, &mut self.before);
            let place = At::new(earlier, &self.now.mode, &self.before);
            let before = self.system.guard(guard, place, self.workspace)?;
            let fires = match crossing {
                Crossing::Falling | Crossing::Unilateral => before > 0.0,
                Crossing::Rising => before < 0.0,
                Crossing::Either => true,
            };
            let rate = (value - before) / (end - earlier);
            let moves = before.abs() > MOVES * rounding;
            if fires && moves && value * rate < 0.0 && (value / rate).abs() <= instant {
                self.fired.push(guard);
            }
        }
        Ok(!self.fired.is_empty())
    }
}
