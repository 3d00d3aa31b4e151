//! Objectives over a grid or a sample of parameters.
//!
//! A [`Plan`] numbers the points, so that a [`Shard`] of them can be computed elsewhere and a sweep that was interrupted
//! can go on: a [`Row`] carries the number of its point, and rows do not depend on each other or on the number of threads.
//!
//! | step | file |
//! | --- | --- |
//! | which points | `plan.rs` |
//! | what is computed at them, and where | `task.rs` |
//! | what was found at a point, as a line of a table | `row.rs` |
//! | rows on disk, and whether they belong to this sweep | `store.rs` |
//! | all points in parallel | `evaluate.rs` |
//! | all rows, as the command writes them | `report.rs` |

mod evaluate;
mod plan;
mod report;
mod row;
mod store;
mod task;

pub use evaluate::Swept;
pub use plan::{Layout, Plan, Range, Shard};
pub use report::SweepReport;
pub use row::{Failure, Outcome, Row, Values};
pub use store::Store;
pub use task::Sweep;
