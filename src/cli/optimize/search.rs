//! Runs the optimization with what belongs to it on the command line: progress, interruption and checkpoint.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::summary;
use crate::cli::arguments::OptimizeArguments;
use crate::cli::interruption::watch_keyboard;
use crate::cli::progress::Progress;
use crate::error::{Error, ErrorKind, Result};
use crate::optimize::{
    Checkpoint, Design, Interruptible, Iteration, MultistartReport, Report, SceneDesign, Status, optimize_from_starts,
};
use crate::run::{Experiment, cores};
use crate::scene::compiled::Optimization;

/// Name of the log of evaluated points in the folder of results.
pub(super) const CHECKPOINT: &str = "checkpoint.jsonl";

/// What was found, and how.
pub(super) struct Found {
    /// The best result.
    pub report: Report,
    /// The other starts, if there are several.
    pub starts: Option<MultistartReport>,
    /// Points that were read from a checkpoint.
    pub recalled: usize,
    /// What kept the checkpoint from being written to its end.
    pub failure: Option<Error>,
}

impl Found {
    /// Whether it ended before it was done.
    pub fn interrupted(&self) -> bool {
        match &self.starts {
            Some(starts) => starts.interrupted,
            None => self.report.status == Status::Interrupted,
        }
    }

    /// A number summed over the starts.
    pub fn total(&self, number: impl Fn(&Report) -> u32) -> u32 {
        match &self.starts {
            Some(starts) => starts.total(number),
            None => number(&self.report),
        }
    }
}

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
    let progress = Progress::new(quiet);
    let found = if optimization.starts > 1 {
        from_starts(design, optimization, &progress)
    } else {
        from_one(design, optimization, &progress)
    };
    progress.finish();
    found.map(|(report, starts)| Found {
        report,
        starts,
        recalled: 0,
        failure: None,
    })
}

/// The best result, with the others if there are several starts.
type Best = (Report, Option<MultistartReport>);

fn from_one(design: &dyn Design, optimization: &Optimization, progress: &Progress) -> Result<Best> {
    let most = f64::from(optimization.stopping.max_iterations);
    let mut watch = |iteration: &Iteration| {
        progress.at(f64::from(iteration.number) / most, || summary::progress(iteration));
        ControlFlow::Continue(())
    };
    Ok((crate::optimize::optimize(design, optimization, &mut watch)?, None))
}

fn from_starts(design: &(dyn Design + Sync), optimization: &Optimization, progress: &Progress) -> Result<Best> {
    let begun = AtomicUsize::new(0);
    let watch = |start: usize, iteration: &Iteration| {
        let begun = begun.fetch_max(start, Ordering::Relaxed).max(start);
        progress.at(begun as f64 / f64::from(optimization.starts), || {
            format!("start {}, {}", start + 1, summary::progress(iteration))
        });
        ControlFlow::Continue(())
    };
    let starts = optimize_from_starts(design, optimization, cores(), &watch)?;
    Ok((starts.runs[starts.best()].clone(), Some(starts)))
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
