//! The arguments of the program.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use serde_json::Value;

use super::bytes::parse_bytes;
use super::export::ExportArguments;
use super::print::say;
#[cfg(feature = "viewer")]
use super::render::{RenderArguments, ViewArguments};
use super::sweep::SweepArguments;
use crate::error::Result;
use crate::run::{Changes, Interruption, Method};
use crate::scene::schema::{FormulationKind, Solver};

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
    /// Write the motion for other tools: animated glTF (.glb), poses (.csv) or polygonal data for ParaView (.pvd).
    Export(ExportArguments),
    /// Open a window on the moving mechanism.
    #[cfg(feature = "viewer")]
    View(ViewArguments),
    /// Draw the mechanism into a picture (.png), an animation (.gif) or a folder of pictures.
    #[cfg(feature = "viewer")]
    Render(RenderArguments),
}

#[derive(Debug, Args)]
pub(super) struct OptimizeArguments {
    #[command(flatten)]
    pub common: Common,
    /// Method; that of the scene when left out.
    #[arg(long, value_enum)]
    pub solver: Option<Solver>,
    /// Number of starts within the bounds, in parallel; that of the scene when left out.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub starts: Option<u32>,
    /// What random numbers begin with; that of the scene when left out.
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
    /// Backwards with the costate, forwards with the sensitivities, or from repeated simulations.
    #[arg(long, value_enum, default_value_t = Method::Adjoint)]
    pub method: Method,
    /// Most memory for the recording of the motion, such as 200MB; where it does not suffice, the adjoint computes parts of
    /// the motion again.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub memory: Option<usize>,
    /// Hold the methods against each other, entry by entry; exit status 1 if they contradict each other.
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
}

#[derive(Debug, Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    pub common: Common,
    /// Folder for tables and plots; created when missing.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Options of every command.
#[derive(Debug, Args)]
pub(super) struct Common {
    /// Scene file.
    #[arg(value_name = "SCENE")]
    pub scene: PathBuf,
    /// Replace a parameter; may be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<(String, f64)>,
    /// How constraints enter the equations of motion.
    #[arg(long, value_enum)]
    pub formulation: Option<FormulationKind>,
    /// Relative tolerance of a step.
    #[arg(long, allow_negative_numbers = true)]
    pub rtol: Option<f64>,
    /// Absolute tolerance of a step.
    #[arg(long, allow_negative_numbers = true)]
    pub atol: Option<f64>,
    /// Simulated time in seconds.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub duration: Option<f64>,
    /// Print one JSON object on standard output and nothing else there.
    #[arg(long)]
    pub json: bool,
    /// Print no summary and no progress.
    #[arg(long)]
    pub quiet: bool,
}

impl Common {
    /// What the options change about the scene.
    pub fn changes(&self) -> Changes {
        Changes {
            parameters: self.set.clone(),
            formulation: self.formulation,
            rtol: self.rtol,
            atol: self.atol,
            duration: self.duration,
            memory: None,
            interruption: Interruption::default(),
        }
    }

    /// Prints remarks, unless nothing is to be printed.
    pub fn remark(&self, remarks: &[String]) {
        for remark in remarks.iter().filter(|_| !self.quiet) {
            eprintln!("remark: {remark}");
        }
    }

    /// Prints what was found: as one JSON object, in words, or not at all.
    ///
    /// # Errors
    /// Kind `File` when standard output cannot be written.
    pub fn show(&self, json: impl FnOnce() -> Value, words: impl FnOnce() -> Result<()>) -> Result<()> {
        match (self.json, self.quiet) {
            (true, _) => say!("{:#}", json()),
            (false, true) => Ok(()),
            (false, false) => words(),
        }
    }
}

fn assignment(text: &str) -> std::result::Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, for example L01=2.1")?;
    let number: f64 = value.trim().parse().map_err(|_| format!("{value:?} is not a number"))?;
    if !number.is_finite() {
        return Err(format!("{value} is not a finite number"));
    }
    Ok((name.trim().to_string(), number))
}
