//! A motion of a system.

use super::Equations;
use super::system::{System, Workspace};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, HybridSystem, JumpRecord, Trajectory};
use crate::integrate::Statistics;

/// Pieces of a curve, one per phase, as points (t, value).
pub type Segments = Vec<Vec<(f64, f64)>>;

/// An event of a motion.
#[derive(Clone, Debug)]
pub struct Event {
    /// Time.
    pub t: f64,
    /// Name, see [`Equations::event_name`].
    pub name: String,
    /// Derivatives of the time, one per parameter; none without sensitivities.
    pub slopes: Vec<f64>,
}

/// A motion: states and algebraic variables at any time, events and costs.
#[derive(Debug)]
pub struct Motion<'a, E: Equations> {
    system: &'a System<E>,
    trajectory: Trajectory<E::Mode>,
    /// Events in order.
    pub events: Vec<Event>,
    /// Costs, one each.
    pub costs: Vec<f64>,
    /// Work of the integrator.
    pub statistics: Statistics,
}

/// Events of the jumps of a trajectory; `slopes` are the derivatives of their times.
pub(super) fn events(jumps: &[JumpRecord], slopes: &[Vec<f64>]) -> Vec<Event> {
    let event = |(k, jump): (usize, &JumpRecord)| {
        let names: Vec<&str> = jump
            .happenings
            .iter()
            .map(|happening| happening.name.as_str())
            .collect();
        Event {
            t: jump.t,
            name: names.join(", "),
            slopes: slopes.get(k).cloned().unwrap_or_default(),
        }
    };
    jumps.iter().enumerate().map(event).collect()
}

/// Mode and state at a time, before a jump at that time.
pub(super) fn found_at<M>(trajectory: &Trajectory<M>, t: f64) -> Result<(&M, Vec<f64>)> {
    trajectory.at(t).ok_or_else(|| {
        Error::new(ErrorKind::Request, "the time is not within the motion")
            .with_value(t)
            .advise("ask for a time from the start to the end of the motion")
    })
}

/// Values of a function along every phase at evenly spaced times, about `count` in all, at least two per phase.
pub(super) fn segments<M>(
    trajectory: &Trajectory<M>,
    count: usize,
    mut value: impl FnMut(f64, &M, &[f64]) -> Result<f64>,
) -> Result<Segments> {
    let steps = || trajectory.phases.iter().flat_map(|phase| &phase.steps);
    let (first, last) = (steps().next(), steps().last());
    let span = first.zip(last).map_or(1.0, |(first, last)| last.end() - first.start());
    let mut segments = Vec::new();
    for phase in &trajectory.phases {
        let (Some(first), Some(last)) = (phase.steps.first(), phase.steps.last()) else {
            continue;
        };
        let (start, end) = (first.start(), last.end());
        let pieces = ((end - start) / span * count as f64).ceil().max(1.0) as usize;
        let mut x = vec![0.0; phase.x.len()];
        let mut segment = Vec::with_capacity(pieces + 1);
        let mut at = 0;
        for k in 0..=pieces {
            let t = start + (end - start) * k as f64 / pieces as f64;
            while at + 1 < phase.steps.len() && t > phase.steps[at].end() {
                at += 1;
            }
            phase.steps[at].evaluate(t, &mut x);
            segment.push((t, value(t, &phase.mode, &x)?));
        }
        segments.push(segment);
    }
    Ok(segments)
}

impl<'a, E: Equations> Motion<'a, E> {
    pub(super) fn new(
        system: &'a System<E>,
        trajectory: Trajectory<E::Mode>,
        costs: Vec<f64>,
        statistics: Statistics,
    ) -> Self {
        Self {
            system,
            events: events(&trajectory.jumps, &[]),
            trajectory,
            costs,
            statistics,
        }
    }

    /// States x and algebraic variables y at a time, before an event at that time.
    ///
    /// # Errors
    /// Kind `Request` for a time outside the motion.
    pub fn at(&self, t: f64) -> Result<(Vec<f64>, Vec<f64>)> {
        let (mode, mut x) = found_at(&self.trajectory, t)?;
        let mut workspace = self.system.workspace();
        let y = self.settled(t, mode, &mut x, &mut workspace)?.to_vec();
        x.truncate(self.system.nx());
        Ok((x, y))
    }

    /// A function of states and algebraic variables over time, in pieces between events, with about `count` points.
    ///
    /// # Errors
    /// Where the algebraic equations have no solution between the steps.
    pub fn curve(&self, count: usize, value: impl Fn(&[f64], &[f64]) -> f64) -> Result<Segments> {
        let mut workspace = self.system.workspace();
        let mut settled = vec![0.0; self.system.dimension()];
        segments(&self.trajectory, count, |t, mode, x| {
            settled.copy_from_slice(x);
            let y = self.settled(t, mode, &mut settled, &mut workspace)?;
            Ok(value(&settled[..self.system.nx()], y))
        })
    }

    /// Algebraic variables of an interpolated state, which is brought back onto the equations of index 2.
    fn settled<'w>(&self, t: f64, mode: &E::Mode, x: &mut [f64], workspace: &'w mut Workspace) -> Result<&'w [f64]> {
        self.system.project(t, mode, x, workspace)?;
        self.system.solve(At::new(t, mode, x), workspace)
    }

    /// The recorded phases and jumps; a state is [x | integrated costs | where to look for y].
    pub fn trajectory(&self) -> &Trajectory<E::Mode> {
        &self.trajectory
    }
}
