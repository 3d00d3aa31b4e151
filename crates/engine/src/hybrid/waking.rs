//! Guards that are on zero where a phase starts: which way they were going tells whether the flow turns them back.

use super::leaving::{Leaving, heading_of};
use super::simulate::{Simulation, least};
use super::{At, Crossing, HybridSystem};
use crate::error::Result;

/// Least part of a step at which the value of a guard is looked for that tells which way it goes.
const LEAST_PART: f64 = 1e-12;

/// Change of a state in a jump, over the largest entry, from which it is more than rounding.
const MOVED: f64 = 1e-9;

impl<H: HybridSystem> Simulation<'_, H> {
    /// Guards that are on zero, or on the wrong side of it by rounding, at the start of a phase are leaving zero, with the
    /// headings that they had before; but for those that were above it and still are.
    pub(super) fn wake_guards(&mut self, headings: &[Leaving], above: &[usize]) -> Result<()> {
        self.search.leaving.clear();
        for guard in self.near_now() {
            if self.system.crossing(guard, &self.now.mode).is_some()
                && self.is_on_zero(guard)?
                && !(above.contains(&guard) && self.is_above(guard)?)
            {
                let heading = heading_of(headings, guard);
                self.search.leaving.push(Leaving::new(guard, heading));
            }
        }
        Ok(())
    }

    /// What left zero at this instant before still does where rounding takes it back: a condition that jumps is never on zero.
    pub(super) fn keep_leaving(&mut self, earlier: &[Leaving]) -> Result<()> {
        for &Leaving { guard, heading, .. } in earlier {
            if self.system.crossing(guard, &self.now.mode).is_some() && !self.is_on_zero(guard)? {
                self.search.leave(guard, heading);
            }
        }
        Ok(())
    }

    /// What was on zero, and is still within the error of what is held there.
    pub(super) fn keep_held(&mut self, earlier: &[Leaving]) -> Result<()> {
        for &Leaving { guard, heading, .. } in earlier {
            let leaves = self.search.leaving.iter().any(|leaving| leaving.guard == guard);
            if leaves || self.system.crossing(guard, &self.now.mode).is_none() {
                continue;
            }
            let value = self.system.guard(guard, self.now.at(), self.workspace)?;
            if value.abs() <= self.system.error_within(guard, self.now.at(), self.workspace) {
                self.search.leave(guard, heading);
            }
        }
        Ok(())
    }

    /// Guards that may be on zero.
    fn near_now(&mut self) -> Vec<usize> {
        let (x, mut near) = (&self.now.x, Vec::new());
        let reach = least(self.options.tolerance.atol());
        let within = |component: usize| [x[component]; 2];
        self.system
            .near(&self.now.mode, &within, reach, self.workspace, &mut near);
        near
    }

    fn is_above(&mut self, guard: usize) -> Result<bool> {
        let value = self.system.guard(guard, self.now.at(), self.workspace)?;
        Ok(value > self.system.rounding(guard, 0.0, self.now.at(), self.workspace))
    }

    fn is_on_zero(&mut self, guard: usize) -> Result<bool> {
        self.search.evaluations += 1;
        let value = self.system.guard(guard, self.now.at(), self.workspace)?;
        let by_tolerance = least(self.options.tolerance.atol());
        let rounding = self.system.rounding(guard, by_tolerance, self.now.at(), self.workspace);
        Ok(value.abs() <= rounding)
    }

    /// Which way the guards on zero are going where a jump is due: +1 upwards, -1 downwards; of others it does not matter. And the unilateral
    /// guards that do not fire and are above zero by more than rounding, though within the tolerance of the motion: those of the last small
    /// bounces of what another event acts on at the top of each.
    pub(super) fn headings(&mut self) -> Result<(Vec<Leaving>, Vec<usize>)> {
        let (mut headings, mut above) = (Vec::new(), Vec::new());
        for guard in self.near_now() {
            let heading = match self.system.crossing(guard, &self.now.mode) {
                Some(Crossing::Rising) if self.fired.contains(&guard) => 1.0,
                Some(Crossing::Falling) if self.fired.contains(&guard) => -1.0,
                Some(Crossing::Unilateral) => {
                    if !self.fired.contains(&guard) && self.is_above(guard)? {
                        above.push(guard);
                    }
                    continue;
                }
                None => continue,
                Some(_) if self.is_on_zero(guard)? => self.heading(guard)?,
                Some(_) => continue,
            };
            headings.push(Leaving::new(guard, heading));
        }
        Ok((headings, above))
    }

    /// Which way a guard goes along the latest step: at its end where it was taken, else at its start.
    fn heading(&mut self, guard: usize) -> Result<f64> {
        let (start, step) = (self.dense.start(), self.dense.step());
        let taken = self.now.t > start;
        let now = self.now.at();
        self.system.guard(guard, now, self.workspace)?;
        let noise = self.system.rounding(guard, self.search.noise(), now, self.workspace);
        let parts = std::iter::successors(Some(LEAST_PART), |part| Some(8.0 * part));
        for part in parts.take_while(|part| *part <= 1.0) {
            let t = if taken {
                self.now.t - part * step
            } else {
                start + part * step
            };
            self.dense.evaluate(t, &mut self.before);
            let value = self
                .system
                .guard(guard, At::new(t, &self.now.mode, &self.before), self.workspace)?;
            if value.abs() > noise {
                return Ok(if taken { -value.signum() } else { value.signum() });
            }
        }
        Ok(0.0)
    }

    /// Whether jumps have changed more than memory since a state: what strikes turns guards back without a switch.
    pub(super) fn has_struck(&self, earlier: &[f64]) -> bool {
        let memory = self.system.memory();
        let largest = earlier.iter().fold(0.0, |most, value| f64::max(most, value.abs()));
        let moved = |(i, (before, after)): (usize, (&f64, &f64))| {
            !memory.contains(&i) && (after - before).abs() > MOVED * largest
        };
        earlier.iter().zip(&self.now.x).enumerate().any(moved)
    }
}
