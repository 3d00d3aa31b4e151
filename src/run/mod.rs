//! One simulation of a scene, from the compiled scene to the values that a report shows.

mod collapse;
mod experiment;
mod gradient;
mod objectives;
mod sampler;
mod settings;
mod watcher;

pub use experiment::{Changes, Event, Experiment, Report, Residuals};
pub use gradient::{GradientReport, Method, ObjectiveGradient};
pub use sampler::Sampler;
