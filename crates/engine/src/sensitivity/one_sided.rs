//! Events at one instant in the order in which motions a little way along a direction meet them (theory, 3).

use super::event_time::{is_one_time, rate_of, sized, time_rounding};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Crossing, Differentiable, Tangent};

/// Part of the time in which the motion goes as far as its size, from which a guard is not on zero.
const ON_ZERO: f64 = 1e-7;

/// Resolution of a time.
const TIME: f64 = 1e-13;

/// When guards at an instant are met along a direction.
pub(super) struct Meetings<'a, H: Differentiable> {
    system: &'a H,
    at: At<'a, H::Mode>,
    along: Tangent<'a>,
    /// Derivative of the time of what has happened at this instant before.
    latest: Option<f64>,
}

/// What a guard does along the direction.
#[derive(Clone, Copy, PartialEq)]
enum Meeting {
    /// It is met in a time of its own with this derivative.
    Own(f64),
    /// It is set off by what has just happened, and keeps the time of that.
    SetOff,
    /// It was on the way to zero, and what has happened turned it back.
    Turned,
}

impl<'a, H: Differentiable> Meetings<'a, H> {
    /// At a place, along a direction of the state and the numbers; `latest` is the derivative of the time of what has happened
    /// there before.
    pub fn new(system: &'a H, at: At<'a, H::Mode>, along: Tangent<'a>, latest: Option<f64>) -> Self {
        Self {
            system,
            at,
            along,
            latest,
        }
    }

    /// Takes from the guards that fire those that are met first; those that do not fire any more are taken out.
    ///
    /// # Errors
    /// Kind `Event` where the direction leads to no motion, as by bodies that would overlap.
    pub fn take_first(&self, due: &mut Vec<usize>, workspace: &mut H::Workspace) -> Result<Vec<usize>> {
        // The system adds what touches and approaches besides.
        let taken = self.system.take_due(self.at, due, workspace)?;
        due.extend(taken);
        due.sort_unstable();
        if due.len() == 1 && self.latest.is_none() {
            return Ok(std::mem::take(due));
        }
        let flow = self.flow(workspace)?;
        let mut times = Vec::with_capacity(due.len());
        for &guard in due.iter() {
            match self.meeting(guard, &flow, workspace)? {
                Meeting::Own(tau) => times.push((guard, tau)),
                Meeting::SetOff => times.push((guard, self.latest.unwrap_or(0.0))),
                Meeting::Turned => {}
            }
        }
        due.clear();
        let first = times
            .iter()
            .fold(f64::INFINITY, |least, (_, tau)| f64::min(least, *tau));
        let rounding = time_rounding(self.system, &self.along, &flow);
        let (next, later): (Vec<_>, Vec<_>) = times
            .into_iter()
            .partition(|(_, tau)| is_one_time([*tau, first], rounding));
        let guards = |list: Vec<(usize, f64)>| list.into_iter().map(|(guard, _)| guard);
        if next.is_empty() {
            return Ok(Vec::new());
        }
        due.extend(guards(next));
        let (later, mut mode) = (guards(later).collect::<Vec<usize>>(), self.at.mode.clone());
        self.system.hold_back(&mut mode, &later, true);
        let place = At::new(self.at.t, &mode, self.at.x);
        let taken = self.system.take_due(place, due, workspace)?;
        due.extend(later);
        Ok(taken)
    }

    /// Whether guards that fire together keep the time of what has happened before.
    ///
    /// # Errors
    /// As [`Meetings::take_first`].
    pub fn are_set_off(&self, fired: &[usize], workspace: &mut H::Workspace) -> Result<bool> {
        let Some(&first) = fired.first() else { return Ok(false) };
        if self.latest.is_none() {
            return Ok(false);
        }
        let flow = self.flow(workspace)?;
        Ok(self.meeting(first, &flow, workspace)? == Meeting::SetOff)
    }

    fn flow(&self, workspace: &mut H::Workspace) -> Result<Vec<f64>> {
        let mut flow = vec![0.0; self.system.dimension()];
        self.system.flow(self.at, workspace, &mut flow)?;
        Ok(flow)
    }

    fn meeting(&self, guard: usize, flow: &[f64], workspace: &mut H::Workspace) -> Result<Meeting> {
        let value = self.system.guard(guard, self.at, workspace)?;
        let rounding = self.system.rounding(guard, 0.0, self.at, workspace);
        let rate = rate_of(guard, self.system, self.at, flow, workspace)?;
        let (Some(rate), Some(latest)) = (rate, self.latest) else {
            // A guard that only grazes zero is refused where its jump is differentiated.
            let Some(rate) = rate else {
                return Ok(self.latest.map_or(Meeting::Own(0.0), |_| Meeting::SetOff));
            };
            return Ok(Meeting::Own(self.time(guard, rate, workspace)?));
        };
        let off = (value / rate).abs();
        let on_zero = off * sized(self.system, flow) <= ON_ZERO || off <= TIME * self.at.t.abs();
        if value.abs() > rounding && !on_zero {
            return Ok(Meeting::SetOff);
        }
        let tau = self.time(guard, rate, workspace)?;
        let same = is_one_time([tau, latest], time_rounding(self.system, &self.along, flow));
        let closes = match self.system.crossing(guard, self.at.mode) {
            Some(Crossing::Unilateral | Crossing::Falling) => rate < 0.0,
            Some(Crossing::Rising) => rate > 0.0,
            Some(Crossing::Either) => tau >= latest,
            None => false,
        };
        match closes {
            true if same || tau > latest => Ok(Meeting::Own(tau)),
            false if same || tau < latest => Ok(Meeting::Turned),
            _ => Err(Error::new(
                ErrorKind::Event,
                "a change in this direction leads to no motion: what touches here would overlap",
            )
            .at_time(self.at.t)),
        }
    }

    /// -(h_x S + h_p) / (h_x F + h_t).
    fn time(&self, guard: usize, rate: f64, workspace: &mut H::Workspace) -> Result<f64> {
        Ok(-self.system.guard_jvp(guard, self.at, &self.along, workspace)? / rate)
    }
}
