//! The arguments of the `report` command.

use std::path::PathBuf;

use clap::Args;

use crate::cli::common::{Common, TimeLimit};
use crate::cli::motion::rate;
use crate::cli::sweep::arguments::{Varied, varied};
use crate::report::Part;

#[derive(Debug, Args)]
pub(in crate::cli) struct ReportArguments {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub limit: TimeLimit,
    /// File that ends with .html: one page that asks no host for anything.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Leave out parts.
    #[arg(long, value_name = "PART,..", value_enum, value_delimiter = ',')]
    pub without: Vec<Part>,
    /// Sweep: vary a parameter over N values from LOW to HIGH, both included; with --sample, without the N. May be given several times:
    /// all combinations are computed.
    #[arg(long, value_name = "NAME=LOW:HIGH:N", value_parser = varied)]
    pub vary: Vec<Varied>,
    /// Sweep: instead of a grid, a Latin hypercube of N points.
    #[arg(long, value_name = "N", requires = "vary")]
    pub sample: Option<usize>,
    /// Sweep: seed of the sample; 0 when left out.
    #[arg(long, value_name = "S", requires = "sample")]
    pub seed: Option<u64>,
    /// Optimization: number of starts within the bounds; that of the scene when left out.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub starts: Option<u32>,
    /// States per second of the animation.
    #[arg(long, default_value_t = 60.0, value_parser = rate)]
    pub fps: f64,
}
