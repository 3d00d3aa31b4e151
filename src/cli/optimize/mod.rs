//! The `optimize` command.

mod files;
mod fit;
mod fit_files;
mod json;
mod overlays;
mod summary;

use std::ops::ControlFlow;

use super::arguments::OptimizeArguments;
use super::print::print_json;
use super::progress::Progress;
use crate::error::{Error, ErrorKind, Result};
use crate::optimize::{FitReport, Iteration, Report, SceneDesign};
use crate::output;
use crate::run::Experiment;
use crate::scene::compile::Optimization;
use crate::scene::schema::Solver;

/// Everything that the command shows.
struct Findings {
    experiment: Experiment,
    optimization: Optimization,
    report: Report,
    /// What measured data say at the best point, if they are the goal, or why they say nothing.
    fit: Option<Result<FitReport>>,
}

pub(super) fn optimize(arguments: &OptimizeArguments) -> Result<()> {
    let common = &arguments.common;
    let experiment = Experiment::open(&common.scene, &common.changes())?;
    let mut optimization = experiment.optimization.clone().ok_or_else(nothing_to_optimize)?;
    if let Some(solver) = arguments.solver {
        optimization.solver = solver.solver();
    }
    if let Some(folder) = &arguments.out {
        output::check_folder(folder)?;
    }
    let report = find(&experiment, &optimization, common.quiet)?;
    let fit = SceneDesign::new(&experiment, &optimization)
        .fit_report(&report.best.parameters)
        .transpose();
    let findings = Findings {
        fit,
        experiment,
        optimization,
        report,
    };
    let files = match &arguments.out {
        Some(folder) => files::write(&findings, folder)?,
        None => 0,
    };
    if common.json {
        print_json(&json::object(&findings))?;
    } else if !common.quiet {
        summary::print(&findings, arguments.out.as_deref().map(|folder| (folder, files)))?;
    }
    Ok(())
}

fn find(experiment: &Experiment, optimization: &Optimization, quiet: bool) -> Result<Report> {
    let progress = Progress::new(quiet);
    let most = f64::from(optimization.stopping.max_iterations);
    let mut watch = |iteration: &Iteration| {
        progress.at(f64::from(iteration.number) / most, || summary::progress(iteration));
        ControlFlow::Continue(())
    };
    let design = SceneDesign::new(experiment, optimization);
    let found = crate::optimize::optimize(&design, optimization, &mut watch);
    progress.finish();
    found
}

fn nothing_to_optimize() -> Error {
    Error::new(ErrorKind::Request, "the scene does not say what to optimize")
        .named("optimization")
        .advise("add `optimization: (minimize: \"objective\", over: [\"parameter\", ..])` to the scene")
}

/// The goal as a formula of objectives.
fn goal(optimization: &Optimization) -> String {
    let term = |(factor, name): &(f64, String)| {
        if *factor == 1.0 {
            name.clone()
        } else {
            format!("{factor} {name}")
        }
    };
    optimization.goal.iter().map(term).collect::<Vec<_>>().join(" + ")
}

fn solver_name(solver: Solver) -> &'static str {
    match solver {
        Solver::Lbfgs => "lbfgs",
        Solver::Bfgs => "bfgs",
        Solver::ConjugateGradients => "conjugate-gradients",
        Solver::LbfgsB => "lbfgs-b",
        Solver::Slsqp => "slsqp",
        Solver::NelderMead => "nelder-mead",
        Solver::GaussNewton => "gauss-newton",
    }
}
