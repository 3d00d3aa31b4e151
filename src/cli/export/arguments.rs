//! The arguments of the `export` command.

use std::path::PathBuf;

use clap::Args;

use crate::cli::common::{Common, TimeLimit};
use crate::cli::motion::rate;

#[derive(Debug, Args)]
pub(in crate::cli) struct ExportArguments {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub limit: TimeLimit,
    /// File that ends with .html (a page for browsers), .glb (animated glTF), .csv (places and orientations of points and bodies), or .pvd (a collection
    /// for ParaView, with one .vtp file a state beside it).
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// States per second of the animation, besides those at events; more where they would not fit into the simulated time
    /// evenly.
    #[arg(long, default_value_t = 60.0, value_parser = rate)]
    pub fps: f64,
    /// Simulated seconds per second of the animation: 0.1 is slow motion, 1 when left out; a page chooses a speed then. Tables and
    /// collections keep the simulated time.
    #[arg(long, value_parser = rate)]
    pub speed: Option<f64>,
    /// Time of the first state, in seconds; the start when left out.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub from: Option<f64>,
    /// Time of the last state, in seconds; the end when left out.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub to: Option<f64>,
}
