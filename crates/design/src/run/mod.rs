//! One simulation of a scene, from the compiled scene to the values that a report shows.

mod assembled;
mod between;
mod brinks;
mod certificate;
mod check;
mod collapse;
mod collect;
mod dense;
mod derivatives;
mod difference;
mod energy;
mod experiment;
mod film;
mod fit;
mod gradient;
mod grid;
mod held_kinks;
mod hessian;
mod influence;
mod interruption;
mod json;
mod margins;
mod prediction;
mod probe;
mod pull;
mod recording;
mod remarks;
mod sampler;
mod settings;
mod shares;
mod simulation;
mod traces;
mod undetermined;
mod variants;
mod verges;
mod watcher;

pub use crate::assembly::Undetermined;
pub use between::per_second;
pub use certificate::{Certificate, Certified, Entry, TOLERANCE_RULE, Verdict};
pub use check::Check;
pub use dense::DenseRun;
pub use derivatives::Derivatives;
pub use difference::{Differences, End, Estimate, Step, StepStudy};
pub use experiment::{Changes, ConstraintResiduals, EnergyBalance, Experiment, Report};
pub use film::{Film, Frame};
pub use fit::{FitData, FitPoint};
pub use gradient::{
    BarSlope, DesignGradient, GradientReport, Method, ObjectiveGradient, Property, PropertySlope, Side, Sides,
};
pub use hessian::{Hessian, HessianReport};
pub use influence::NoInfluence;
pub use interruption::Interruption;
pub use json::{ByName, Pairs};
pub use margins::{Approach, Interval, Margins, NearMiss};
pub use prediction::{Cause, Curves, Limit, Prediction, Trust, TrustCurve};
pub use pull::Pull;
pub use recording::{
    Energy, EventMark, FrictionCourse, FrictionState, Recording, Sensitivities, Series, Towards, labelled,
};
pub use traces::{MeasuredCurve, Trace, TracedRun};
pub use variants::{Beside, Variants, about, assigned};
