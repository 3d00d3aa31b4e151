//! Design optimization: parameters that make an objective small, within bounds and limits.
//!
//! A [`Design`] gives values and gradients at a point. The methods come from two crates, argmin and basin, and see only
//! scaled variables and values through `ScaledProblem`, which evaluates every point once, whatever the method asks
//! for and how often. A point that has no value (a linkage that does not close, a grazing impact) costs infinitely much
//! there, so that a line search backs off.
//!
//! | step | file |
//! | --- | --- |
//! | values and gradients at a point | `design.rs` |
//! | scaling, memory, failing points, counts | `problem.rs`, `point.rs` |
//! | methods, one step at a time | `stepwise.rs`, `through_argmin.rs`, `through_basin.rs`, `swarm.rs` with the line search of both, `line_search.rs` |
//! | least squares, one step at a time | `gauss_newton.rs` |
//! | iterations, restarts, when to stop | `iterate.rs` |
//! | one start or several, the distinct minima | `search.rs`, `multistart.rs`, `minima.rs` |
//! | ending early, going on from a file or from what other processes found | `interrupt.rs`, `checkpoint.rs`, `recall.rs` |
//! | what was found, as a report and as a scene | `report.rs`, `optimized.rs`, `optimized_scene.rs` |
//! | what measured data say about the parameters | `fit_report.rs`, `identification.rs` |

mod checkpoint;
mod design;
mod fit_report;
mod gauss_newton;
mod identification;
mod interrupt;
mod iterate;
mod line_search;
mod minima;
mod multistart;
mod optimized;
mod optimized_scene;
mod point;
mod problem;
mod recall;
mod report;
mod search;
mod stepwise;
mod swarm;
#[cfg(test)]
mod tests;
mod through_argmin;
mod through_basin;

pub use checkpoint::Checkpoint;
pub use design::{Design, Evaluation, Residuals, SceneDesign};
pub use fit_report::FitReport;
pub use identification::{Deviations, Identification, Unseen, identify};
pub use interrupt::Interruptible;
pub use iterate::optimize;
pub use minima::Minimum;
pub use multistart::{MultistartReport, WatchStarts, optimize_from_starts, optimize_start, unfinished_starts};
pub use optimized::Optimized;
pub use optimized_scene::{goal, optimized_scene};
pub use point::Failure;
pub use recall::{Recall, Unevaluated};
pub use report::{Iteration, Report, Status, Valued, reasons};
pub use search::{Found, search};

pub use crate::scene::compiled::Optimization;
