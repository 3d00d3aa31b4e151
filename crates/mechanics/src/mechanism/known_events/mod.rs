//! A mechanism along the events of a motion that is known, as equations over any scalar.
//!
//! Which guard ends a phase, which contacts take part in an impact, what sticks and what goes into memory is settled by the
//! motion; how long phases last and what states follow is not. Between two changes of its events the motion is therefore the
//! same function of the parameters as that of the mechanism, and its first and second derivatives follow from these equations.
//! State x = [q | v | w]: positions, velocities, memory.

mod dynamics;
mod equations;
mod jets;
mod jump;
mod record;
mod rubbing;

pub use jets::Jets;
pub use record::{EventRecorder, not_along_events};

use super::{LinearizedJump, Mechanism, Started};
use crate::assembly::AssemblyTangent;
use crate::model::{Due, FitDatum, Matrix, Mode, Model};
use crate::scalar::Scalar;

/// What happens at an instant: one of the jumps that follow on each other at once.
#[derive(Clone, Debug)]
struct KnownJump {
    before: Mode,
    after: Mode,
    linearized: LinearizedJump,
    /// Memory after it, for what is put there as a constant.
    memory: Vec<f64>,
    /// Entries of the model's sums over events, with how often the expression is taken.
    sums: Vec<(usize, usize)>,
    /// Measured times that are those of this event.
    measured: Vec<FitDatum>,
}

/// How a phase ends.
#[derive(Clone, Debug)]
enum Exit {
    /// A guard fires at this time, and what then happens.
    Event {
        guard: usize,
        t: f64,
        jumps: Vec<KnownJump>,
    },
    /// Values are due at this time, that of a number if there is one; nothing happens.
    Due {
        t: f64,
        number: Option<usize>,
        values: Vec<Due>,
    },
    /// The simulated time is over, perhaps with values that are due at the end.
    End { values: Vec<Due> },
}

/// A part of the motion without events.
#[derive(Clone, Debug)]
struct KnownPhase {
    mode: Mode,
    exit: Exit,
}

/// A mechanism along known events; made by an [`EventRecorder`].
pub struct KnownEvents<'a> {
    mechanism: &'a Mechanism,
    started: &'a Started,
    assembly: AssemblyTangent<'a>,
    /// U^-2 of the projection.
    metric: Matrix,
    /// What strikes at the very start.
    opening: Vec<KnownJump>,
    /// Values that are due at the start.
    at_start: Vec<Due>,
    phases: Vec<KnownPhase>,
    /// Values of the parameters.
    parameters: Vec<f64>,
    /// Time at the end, and the same as constant plus sum of numbers.
    over: f64,
    end: (f64, Vec<usize>),
}

impl KnownEvents<'_> {
    /// Number of phases.
    pub fn phases(&self) -> usize {
        self.phases.len()
    }

    /// Time at which a phase ends, that of the end of the motion for the last.
    pub fn phase_end(&self, phase: usize) -> f64 {
        match self.phases.get(phase).map(|phase| &phase.exit) {
            Some(Exit::Event { t, .. } | Exit::Due { t, .. }) => *t,
            Some(Exit::End { .. }) | None => self.over,
        }
    }

    fn model(&self) -> &Model {
        &self.mechanism.model
    }

    fn nq(&self) -> usize {
        self.model().nq()
    }

    fn nv(&self) -> usize {
        self.model().nv()
    }

    /// Numbers followed by memory, exact in the parameters up to second order.
    fn numbers<S: Scalar>(&self, p: &[S], memory: &[S]) -> Vec<S> {
        let change: Vec<S> = p.iter().zip(&self.parameters).map(|(p, value)| *p - *value).collect();
        let numbers = self.model().numbers.iter().map(|number| {
            let mut value = S::from(number.value);
            for &(i, slope) in &number.gradient {
                value += change[i] * slope;
            }
            for &(i, j, bend) in &number.curvature {
                let share = if i == j { 0.5 } else { 1.0 };
                value += change[i] * change[j] * (share * bend);
            }
            value
        });
        numbers.chain(memory.iter().copied()).collect()
    }

    /// Positions, velocities and memory of a state.
    fn parts<'x, S>(&self, x: &'x [S]) -> (&'x [S], &'x [S], &'x [S]) {
        let (q, rest) = x.split_at(self.nq());
        let (v, memory) = rest.split_at(self.nv());
        (q, v, memory)
    }
}
