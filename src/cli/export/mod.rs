//! The `export` command.

mod arguments;

use std::path::Path;
use std::time::Instant;

use serde_json::json;

use super::print::say;
use super::progress::Progress;
use crate::error::Result;
use crate::export::{Format, Motion, filmed, intervals, part};
use crate::files::{OutFolder, file_name};
use crate::run::Experiment;
use crate::scalar::shortest;
pub(super) use arguments::ExportArguments;

pub(super) fn export(arguments: &ExportArguments) -> Result<()> {
    let common = &arguments.common;
    let format = Format::of(&arguments.out)?;
    let folder = arguments.out.parent().unwrap_or(Path::new(""));
    let clock = Instant::now();
    let experiment = Experiment::open(&common.scene, &common.changes_within(&arguments.limit))?;
    let out = OutFolder::checked(folder, experiment.inputs())?;
    out.refuse_input(&file_name(&arguments.out)?)?;
    let (from, to) = part(&experiment, ("--from", arguments.from), ("--to", arguments.to))?;
    let intervals = intervals(&experiment, arguments.fps / arguments.speed.unwrap_or(1.0), format)?;
    let (start, end) = (experiment.start, experiment.options.end);
    let progress = Progress::new(common.quiet);
    let show = filmed(experiment, intervals, format, &mut |t| {
        progress.at((t - start) / (end - start), || "simulating".to_string());
    })?;
    let motion = Motion::new(&show, from, to);
    if format == Format::Html {
        progress.at(1.0, || "differentiating".to_string());
    }
    let written = motion.write(&arguments.out, format, arguments.speed, &out)?;
    progress.finish();
    let files: Vec<_> = written.iter().map(|file| file.display().to_string()).collect();
    let report = json!({
        "scene": show.experiment.name,
        "from": from,
        "to": to,
        "states": motion.len(),
        "files": files,
        "statistics": {"seconds": clock.elapsed().as_secs_f64()},
    });
    common.show(&report, || {
        let (from, to, out) = (shortest(from), shortest(to), arguments.out.display());
        say!("{} states from t = {from} s to {to} s written to {out}", motion.len())
    })
}
