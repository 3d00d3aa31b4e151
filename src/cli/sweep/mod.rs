//! The `sweep` command.

mod arguments;
mod files;
mod json;
mod summary;

use std::time::Instant;

use super::progress::Progress;
use crate::error::Result;
use crate::files::check_folder;
use crate::run::Experiment;
use crate::sweep::{Failure, Outcome, Row, Shard, Store, Sweep, Values};
pub(super) use arguments::SweepArguments;

/// Everything that the command shows.
struct Findings<'a> {
    sweep: Sweep<'a>,
    /// In the order of the points.
    rows: Vec<Row>,
    /// Rows that were on disk before.
    kept: usize,
    seconds: f64,
}

impl Findings<'_> {
    /// The points with values, in order.
    fn done(&self) -> impl Iterator<Item = (&Row, &Values)> {
        self.rows.iter().filter_map(|row| match &row.outcome {
            Outcome::Done(values) => Some((row, values)),
            Outcome::Failed(_) => None,
        })
    }

    /// The first point of each sort without a value, and the number of such points, in the order of the first ones.
    fn failures(&self) -> Vec<(&Row, &Failure, usize)> {
        let mut sorts: Vec<(&Row, &Failure, usize)> = Vec::new();
        for row in &self.rows {
            let Outcome::Failed(failure) = &row.outcome else {
                continue;
            };
            match sorts.iter_mut().find(|(_, known, _)| known.kind == failure.kind) {
                Some((_, _, count)) => *count += 1,
                None => sorts.push((row, failure, 1)),
            }
        }
        sorts
    }
}

pub(super) fn sweep(arguments: &SweepArguments) -> Result<()> {
    let common = &arguments.common;
    let plan = arguments.plan()?;
    let experiment = Experiment::open(&common.scene, &common.changes())?;
    let sweep = Sweep {
        experiment: &experiment,
        plan: &plan,
        shard: arguments.shard.unwrap_or(Shard::WHOLE),
        gradient: arguments.gradient,
        threads: arguments.threads.map(usize::from),
    };
    sweep.check()?;
    let (store, known) = match &arguments.out {
        Some(folder) => {
            check_folder(folder)?;
            let (store, known) = Store::open(&sweep, folder)?;
            (Some(store), known)
        }
        None => (None, Vec::new()),
    };
    let clock = Instant::now();
    let kept = known.len();
    let progress = Progress::new(common.quiet);
    let shown = |part: f64| progress.at(part, || "points".to_string());
    let rows = sweep.run(known, store.as_ref(), &shown)?;
    progress.finish();
    // The table is about to be replaced by one in order.
    drop(store);
    let findings = Findings {
        sweep,
        rows,
        kept,
        seconds: clock.elapsed().as_secs_f64(),
    };
    let files = match &arguments.out {
        Some(folder) => files::write(&findings, folder)?,
        None => 0,
    };
    let words = || summary::print(&findings, arguments.out.as_deref(), files);
    common.show(|| json::object(&findings), words)
}
