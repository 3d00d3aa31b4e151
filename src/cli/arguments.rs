//! The arguments of the program.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

use super::bytes::parse_bytes;
use super::common::{Common, TimeLimit};
use super::compare::Compare;
use super::export::ExportArguments;
use super::render::RenderArguments;
#[cfg(feature = "viewer")]
use super::render::ViewArguments;
use super::report::ReportArguments;
use super::sweep::SweepArguments;
use crate::run::Method;
use crate::scene::schema::Solver;

/// Simulates multibody mechanisms with impacts.
#[derive(Debug, Parser)]
#[command(name = "costate", version, about, arg_required_else_help = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Assemble a scene and show degrees of freedom, redundant joints and what each parameter touches.
    Check(CheckArguments),
    /// Simulate a scene; with --out, write CSV tables and plots.
    Run(RunArguments),
    /// Differentiate all objectives of a scene with respect to all parameters.
    Gradient(GradientArguments),
    /// Find parameters that make an objective small, as the part `optimization` of the scene says.
    Optimize(OptimizeArguments),
    /// Compute the objectives over a grid or a sample of parameters.
    Sweep(SweepArguments),
    /// Write the motion as a page for browsers (.html), or for other tools: animated glTF (.glb), poses (.csv) or polygonal data for ParaView (.pvd).
    Export(ExportArguments),
    /// Write one page for browsers with the motion, and with tables and plots of run, gradient, certificate, optimization and sweep.
    Report(ReportArguments),
    /// Open a window on the moving mechanism.
    #[cfg(feature = "viewer")]
    View(ViewArguments),
    /// Draw the mechanism into a picture (.png, .svg, .pdf), an animation (.gif, .apng, .mp4, .svg with --fps) or a folder of pictures.
    Render(RenderArguments),
    /// Print the completions of a shell for this program.
    Completions(CompletionsArguments),
    /// Write the manual pages of this program.
    Manual(ManualArguments),
}

#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell whose completions are printed.
    #[arg(value_enum)]
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManualArguments {
    /// Folder for costate.1 and one page for each command; created when missing.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct OptimizeArguments {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub limit: TimeLimit,
    /// Method; that of the scene when left out.
    #[arg(long, value_enum)]
    pub solver: Option<Solver>,
    /// Number of starts within the bounds, in parallel; that of the scene when left out.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub starts: Option<u32>,
    /// Seed of the random numbers; that of the scene when left out.
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Folder for the history, its plot, the optimized scene and the checkpoint; created when missing.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Go on from the checkpoint in the folder of --out.
    #[arg(long, requires = "out")]
    pub resume: bool,
}

#[derive(Debug, Args)]
pub(super) struct GradientArguments {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub limit: TimeLimit,
    /// Backwards with the costate, forwards with the sensitivities, or from repeated simulations.
    #[arg(long, value_enum, default_value_t = Method::Adjoint)]
    pub method: Method,
    /// Most memory for the recording of the motion, such as 200MB; where it does not suffice, the adjoint computes parts of
    /// the motion again.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub memory: Option<usize>,
    /// Cross-check the methods against each other, entry by entry; exit status 1 if they disagree.
    #[arg(long)]
    pub certify: bool,
    /// Second derivatives as well: a simulation for every pair of parameters.
    #[arg(long)]
    pub hessian: bool,
    /// Folder for tables and plots of the derivatives over time; created when missing.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub limit: TimeLimit,
    /// Folder for pictures of the saddle matrix and of its factor; created when missing.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub limit: TimeLimit,
    #[command(flatten)]
    pub beside: Compare,
    /// Folder for tables and plots; created when missing.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
