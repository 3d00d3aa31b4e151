//! How far a simulation is, apart from what its steps and guards remember.

use super::At;

/// How far a simulation is.
#[derive(Clone, Debug)]
pub(super) struct Progress<M> {
    pub t: f64,
    pub mode: M,
    pub x: Vec<f64>,
    /// Size of the next step; none at the start of a phase.
    pub h: Option<f64>,
    /// Longest step in which guards that turned too often for one are seen.
    pub seen: f64,
    /// The longest step so far.
    pub longest: f64,
    /// Time of the latest jump of the flow that no guard tells, known or passed.
    pub broken: f64,
    pub steps: u64,
    /// Accepted steps of this phase.
    pub phase_steps: usize,
    /// Jumps since the start.
    pub jumps: usize,
    pub jumps_at_once: usize,
    /// Time of the first of them.
    pub first_at_once: f64,
    /// Time at the start.
    pub start: f64,
    /// Time of the latest jump, or of the start.
    pub last_jump: f64,
}

impl<M> Progress<M> {
    pub fn new((t, mode, x): (f64, M, Vec<f64>)) -> Self {
        Self {
            t,
            mode,
            x,
            h: None,
            seen: f64::INFINITY,
            longest: 0.0,
            broken: f64::NEG_INFINITY,
            steps: 0,
            phase_steps: 0,
            jumps: 0,
            jumps_at_once: 0,
            first_at_once: t,
            start: t,
            last_jump: t,
        }
    }

    /// Where it is.
    pub fn at(&self) -> At<'_, M> {
        At::new(self.t, &self.mode, &self.x)
    }
}
