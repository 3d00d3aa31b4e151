//! One simulation of a scene, from the compiled scene to the values that a report shows.

mod certificate;
mod collapse;
mod difference;
mod event_sums;
mod experiment;
mod film;
mod fit;
mod gradient;
mod grid;
mod influence;
mod margins;
mod objective_costs;
mod objectives;
mod parallel;
mod peak_costs;
mod peak_slopes;
mod peaks;
mod remarks;
mod sampler;
mod sensitivity_recording;
mod settings;
mod simulation;
mod traces;
mod watcher;

pub use certificate::{Certificate, Entry, Quantity, TOLERANCE_RULE, Verdict};
pub use difference::{Differences, End, Estimate, Step, StepStudy};
pub use experiment::{Changes, Event, Experiment, Report, Residuals};
pub use film::{Film, Frame};
pub use fit::{FitData, FitPoint};
pub use gradient::{GradientReport, Method, ObjectiveGradient};
pub use influence::NoInfluence;
pub use margins::{Approach, Interval, Margins, NearMiss};
pub(crate) use parallel::{cores, in_parallel};
pub use sampler::Sampler;
pub use traces::{MeasuredCurve, Trace, TracedRun};
