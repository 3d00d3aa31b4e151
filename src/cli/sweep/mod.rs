//! The `sweep` command.

pub(super) mod arguments;
mod summary;

use std::time::Instant;

use super::common::out_folder;
use super::progress::Progress;
use crate::error::{Error, Result};
use crate::output::write_files;
use crate::report::sweep::{drawings, table};
use crate::run::Experiment;
use crate::sweep::{Shard, Store, Sweep, SweepReport, Swept};
pub(super) use arguments::SweepArguments;

pub(super) fn sweep(arguments: &SweepArguments) -> Result<()> {
    let common = &arguments.common;
    let plan = arguments.plan()?;
    let experiment = Experiment::open(&common.scene, &common.changes_within(&arguments.limit))?;
    let sweep = Sweep {
        experiment: &experiment,
        plan: &plan,
        shard: arguments.shard.unwrap_or(Shard::WHOLE),
        gradient: arguments.gradient,
        threads: arguments.threads.map(usize::from),
    };
    sweep.check()?;
    let out = out_folder(arguments.out.as_deref(), &experiment)?;
    let (store, known) = match &out {
        Some(folder) => {
            let (store, known) = Store::open(&sweep, folder)?;
            (Some(store), known)
        }
        None => (None, Vec::new()),
    };
    let clock = Instant::now();
    let kept = known.len();
    let progress = Progress::new(common.quiet);
    let shown = |part: f64| progress.at(part, || "points".to_string());
    let Swept { rows, interrupted } = sweep.run(known, store.as_ref(), &shown)?;
    progress.finish();
    // The table is about to be replaced by one in order.
    drop(store);
    let findings = SweepReport {
        sweep,
        rows,
        kept,
        seconds: clock.elapsed().as_secs_f64(),
    };
    let files = match &out {
        Some(folder) => write_files(&[table(&findings)], &drawings(&findings), &[], folder)?.len(),
        None => 0,
    };
    let words = || summary::print(&findings, arguments.out.as_deref(), files);
    common.show(&findings, words)?;
    interrupted.map_or(Ok(()), |error| Err(unfinished(error, arguments.out.is_some())))
}

/// The error of a sweep that did not come to its end, after its rows were shown.
fn unfinished(error: Error, kept: bool) -> Error {
    let advice = match kept {
        true => "the same command goes on where it stopped",
        false => "with --out DIR the same command goes on where it stopped",
    };
    error.advise(advice)
}
