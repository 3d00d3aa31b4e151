//! What an optimization found and how it got there.

use serde::Serialize;

use super::point::Failure;
use crate::scene::compiled::Limit;
use crate::scene::schema::Solver;

/// Why an optimization ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The projected gradient is as small as asked for, and all limits are kept.
    Minimum,
    /// The value is as small as asked for.
    Target,
    /// The last iterations decreased the value by less than was asked for.
    SmallDecrease,
    /// Over many iterations the value changed by less than it is accurate to.
    Accuracy,
    /// The method's own test of convergence passed.
    Converged,
    /// No smaller value was found along the last direction, nor along the steepest one.
    NoDecrease,
    /// No point was found that keeps the limits, and the violation no longer decreases.
    LimitsNotMet,
    /// All iterations that were allowed are done.
    MaxIterations,
    /// All simulations that were allowed are done.
    MaxSimulations,
    /// The caller stopped it.
    Interrupted,
}

impl Status {
    /// The status in words, as in the JSON.
    pub fn words(self) -> &'static str {
        self.explained().0
    }

    /// What the status means for the result.
    pub fn meaning(self) -> &'static str {
        self.explained().1
    }

    fn explained(self) -> (&'static str, &'static str) {
        match self {
            Self::Minimum => ("minimum", "the projected gradient is as small as asked for"),
            Self::Target => ("target reached", "the objective is as small as asked for"),
            Self::SmallDecrease => (
                "small decrease",
                "the last two iterations hardly decreased the objective",
            ),
            Self::Accuracy => (
                "accuracy reached",
                "the last twenty iterations changed the objective by less than the accuracy of the simulation",
            ),
            Self::Converged => ("converged", "the method's own test of convergence passed"),
            Self::NoDecrease => (
                "no decrease",
                "no smaller value lies along the direction of search: the accuracy of the simulation is reached, or the \
                 events change here",
            ),
            Self::LimitsNotMet => (
                "limits not met",
                "no point was found that keeps the limits, and their violation no longer decreases",
            ),
            Self::MaxIterations => ("iterations exhausted", "`max_iterations` of `stopping` are done"),
            Self::MaxSimulations => ("simulations exhausted", "`max_simulations` of `stopping` are done"),
            Self::Interrupted => ("interrupted", "it was interrupted"),
        }
    }
}

/// The state after an iteration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Iteration {
    /// Counted from 1; 0 is the start.
    #[serde(rename = "iteration")]
    pub number: u32,
    /// What is minimized.
    pub value: f64,
    /// Largest violation of a limit, in its unit.
    pub violation: f64,
    /// Values of the objectives that have limits, in the order of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<f64>,
    /// Largest entry of the projected gradient, of the Lagrangian with limits, in objective per scale; none for methods
    /// without gradients.
    #[serde(rename = "projected_gradient")]
    pub gradient: Option<f64>,
    /// Largest change of a variable, in its scale.
    pub step: f64,
    /// Values of the variables, in their units.
    pub parameters: Vec<f64>,
    /// Simulations so far.
    pub simulations: u32,
    /// Points without a value so far.
    pub failed: usize,
    /// Whether the motion has other events than before the iteration, or the same in another order.
    pub events_changed: bool,
}

/// A point with its value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Valued {
    /// What is minimized.
    pub value: f64,
    /// Values of the variables, in their units.
    pub parameters: Vec<f64>,
}

/// Result of an optimization.
#[derive(Clone, Debug)]
pub struct Report {
    /// Method.
    pub solver: Solver,
    /// Why it ended.
    pub status: Status,
    /// Names of the variables.
    pub variables: Vec<String>,
    /// The start.
    pub initial: Valued,
    /// The best point: limits kept, then the least value.
    pub best: Valued,
    /// The limits with the values of their objectives at the best point.
    pub limits: Vec<(Limit, f64)>,
    /// Projected gradient at the last iteration, as in [`Iteration`].
    pub gradient: Option<f64>,
    /// The start and every iteration.
    pub history: Vec<Iteration>,
    /// Points without a value, in their order.
    pub failures: Vec<Failure>,
    /// How often the method began again from where it was stuck.
    pub restarts: u32,
    /// Simulations.
    pub simulations: u32,
    /// Gradients.
    pub gradients: u32,
    /// Values that the method asked for.
    pub evaluations: u32,
    /// Wall time in seconds.
    pub seconds: f64,
}

/// Points without a value by the sort of reason: the first of each sort and how many there are.
pub fn reasons(failures: &[Failure]) -> Vec<(&Failure, usize)> {
    let mut reasons: Vec<(&Failure, usize)> = Vec::new();
    for failure in failures {
        let sort = |failure: &Failure| (failure.error.kind(), failure.error.name().map(str::to_string));
        match reasons.iter_mut().find(|(first, _)| sort(first) == sort(failure)) {
            Some((_, count)) => *count += 1,
            None => reasons.push((failure, 1)),
        }
    }
    reasons
}

impl Report {
    /// Violation of a limit beyond what is allowed, then the value, at the best point; the smaller the better.
    pub(super) fn merit(&self, allowed: f64) -> (f64, f64) {
        let missed = self.limits.iter().map(|(limit, value)| limit.violation(*value));
        let violation = missed.fold(0.0, f64::max);
        (if violation <= allowed { 0.0 } else { violation }, self.best.value)
    }

    /// Points without a value by the sort of reason: the first error of each sort and how many there are.
    pub fn reasons(&self) -> Vec<(&Failure, usize)> {
        reasons(&self.failures)
    }
}
