//! The `optimize` command.

mod files;
mod fit;
mod fit_files;
mod search;
mod starts;
mod summary;

use std::path::Path;

use super::arguments::OptimizeArguments;
use super::common::out_folder;
use crate::error::{Error, Result};
use crate::optimize::{Found, Optimized, Status};
use crate::report::optimization::{limits_not_met, missed};
use crate::run::Experiment;
use search::{CHECKPOINT, find};

pub(super) fn optimize(arguments: &OptimizeArguments) -> Result<()> {
    let common = &arguments.common;
    let experiment = Experiment::open(&common.scene, &common.changes_within(&arguments.limit))?;
    let mut optimization = experiment.wanted_optimization()?.clone();
    if let Some(solver) = arguments.solver {
        optimization.solver = solver;
    }
    optimization.starts = arguments.starts.unwrap_or(optimization.starts);
    optimization.seed = arguments.seed.unwrap_or(optimization.seed);
    let out = out_folder(arguments.out.as_deref(), &experiment)?;
    // Before the search, which may take long.
    let names = [
        CHECKPOINT,
        files::OPTIMIZED,
        "history.csv",
        "starts.csv",
        "residuals.csv",
    ];
    let mut named = out.iter().flat_map(|out| names.map(|name| (out, name)));
    named.try_for_each(|(out, name)| out.refuse_input(name))?;
    let found = find(&experiment, &optimization, arguments)?;
    let interrupted = experiment
        .interruption()
        .error("interrupted; the best point so far was kept");
    let findings = Optimized::new(experiment, optimization, found);
    let files = match &out {
        Some(folder) => files::write(&findings, folder)?,
        None => 0,
    };
    let words = || summary::print(&findings, arguments.out.as_deref(), files);
    common.show(&findings, words)?;
    let (status, missed) = (findings.status(), missed(&findings));
    unfinished(findings.found, interrupted, arguments.out.as_deref())?;
    match status {
        Status::LimitsNotMet => Err(limits_not_met(&missed)),
        _ => Ok(()),
    }
}

/// The error of an optimization that did not come to its end, after its results were shown.
fn unfinished(found: Found, interrupted: Error, folder: Option<&Path>) -> Result<()> {
    let advice = match folder {
        Some(folder) => format!(
            "the same command with --resume goes on from the checkpoint in {}",
            folder.display()
        ),
        None => "with --out DIR it can be resumed".to_string(),
    };
    match (found.interrupted(), found.failure) {
        (_, Some(failure)) => Err(failure),
        (true, None) => Err(interrupted.advise(advice)),
        (false, None) => Ok(()),
    }
}
