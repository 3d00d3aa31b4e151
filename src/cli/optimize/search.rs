//! Runs the optimization with what belongs to it on the command line: progress, interruption and checkpoint.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::summary;
use crate::cli::arguments::OptimizeArguments;
use crate::cli::interruption::watch_keyboard;
use crate::cli::progress::Progress;
use crate::error::{Error, ErrorKind, Result};
use crate::optimize::{self, Checkpoint, Design, Found, Interruptible, SceneDesign};
use crate::run::Experiment;
use crate::scene::compiled::Optimization;

/// Name of the log of evaluated points in the folder of results.
pub(super) const CHECKPOINT: &str = "checkpoint.jsonl";

pub(super) fn find(
    experiment: &Experiment,
    optimization: &Optimization,
    arguments: &OptimizeArguments,
) -> Result<Found> {
    let interruption = experiment.interruption();
    watch_keyboard(interruption)?;
    let scene = SceneDesign::new(experiment, optimization);
    let design = Interruptible::new(&scene, interruption);
    let quiet = arguments.common.quiet;
    let Some(folder) = &arguments.out else {
        return search(&design, optimization, quiet).map_err(|error| experiment.located(error));
    };
    let (path, name, fingerprint) = (folder.join(CHECKPOINT), &experiment.name, scene.fingerprint());
    let checkpoint = if arguments.resume {
        Checkpoint::resume(&path, name, &fingerprint, &design)?
    } else {
        create_folder(folder)?;
        Checkpoint::create(&path, name, &fingerprint, &design)?
    };
    let found = search(&checkpoint, optimization, quiet);
    let recalled = checkpoint.recalled();
    let failure = checkpoint.finish().err();
    match (found, failure) {
        (Ok(found), failure) => Ok(Found {
            recalled,
            failure,
            ..found
        }),
        (Err(_), Some(failure)) => Err(failure),
        (Err(error), None) => Err(experiment.located(error)),
    }
}

fn search(design: &(dyn Design + Sync), optimization: &Optimization, quiet: bool) -> Result<Found> {
    let (progress, begun) = (Progress::new(quiet), AtomicUsize::new(0));
    let found = optimize::search(
        design,
        optimization,
        &|start, iteration| match optimization.starts > 1 {
            true => {
                let begun = begun.fetch_max(start, Ordering::Relaxed).max(start);
                progress.at(begun as f64 / f64::from(optimization.starts), || {
                    format!("start {}, {}", start + 1, summary::progress(iteration))
                });
            }
            false => {
                let most = f64::from(optimization.stopping.max_iterations);
                progress.at(f64::from(iteration.number) / most, || summary::progress(iteration));
            }
        },
    );
    progress.finish();
    found
}

fn create_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Error::new(
            ErrorKind::File,
            format!("the folder {} cannot be created: {error}", folder.display()),
        )
        .advise("name a folder that you may write to")
    })
}
