//! The `export` command.

mod arguments;

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::json;

use super::motion::{extension, file_name, moment};
use super::print::say;
use super::progress::Progress;
use crate::error::{Error, ErrorKind, Result};
use crate::export::Motion;
use crate::files::{self, OutFolder};
use crate::output::vtk;
use crate::run::Experiment;
use crate::scalar::shortest;
use crate::show::Show;
pub(super) use arguments::ExportArguments;

/// Most states of a motion, so that a forgotten duration does not fill the memory.
const MOST_STATES: f64 = 50_000.0;

/// What the name of the output asks for.
#[derive(Clone, Copy)]
enum Format {
    Glb,
    Csv,
    Pvd,
}

pub(super) fn export(arguments: &ExportArguments) -> Result<()> {
    let common = &arguments.common;
    let format = format(&arguments.out)?;
    let folder = arguments.out.parent().unwrap_or(Path::new(""));
    let clock = Instant::now();
    let experiment = Experiment::open(&common.scene, &common.changes_within(&arguments.limit))?;
    let out = OutFolder::checked(folder, experiment.inputs())?;
    out.refuse_input(&file_name(&arguments.out)?)?;
    let (from, to) = part(arguments, &experiment)?;
    let intervals = intervals(
        arguments.fps / arguments.speed,
        experiment.options.end - experiment.start,
    )?;
    let (start, end) = (experiment.start, experiment.options.end);
    let progress = Progress::new(common.quiet);
    let show = Show::with_intervals(experiment, intervals, &mut |t| {
        progress.at((t - start) / (end - start), || "simulating".to_string());
    })?;
    progress.finish();
    let motion = Motion::new(&show, from, to);
    let written = write(&motion, format, arguments, &out)?;
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

fn write(motion: &Motion, format: Format, arguments: &ExportArguments, folder: &OutFolder) -> Result<Vec<PathBuf>> {
    let out = &arguments.out;
    let name = file_name(out)?;
    match format {
        Format::Glb => files::write([(name, motion.glb(arguments.speed)?)], folder),
        Format::Csv => files::write([(&name, motion.poses(&name).to_csv()?)], folder),
        Format::Pvd => {
            let stem = out.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
            let file = |k: usize| format!("{stem}-{k:05}.vtp");
            let listed: Vec<(f64, String)> = motion.times().enumerate().map(|(k, t)| (t, file(k))).collect();
            let collection = (name, vtk::collection(&listed).into_bytes());
            let states = motion.polydata().enumerate().map(|(k, data)| (file(k), data.to_vtp()));
            files::write(states.chain([collection]), folder)
        }
    }
}

fn format(out: &Path) -> Result<Format> {
    match extension(out).as_deref() {
        Some("glb") => Ok(Format::Glb),
        Some("csv") => Ok(Format::Csv),
        Some("pvd") => Ok(Format::Pvd),
        other => {
            let message = match other {
                Some(other) => format!("a motion is not written as .{other}"),
                None => format!("{} does not say which format it shall have", out.display()),
            };
            let advice = "give --out a name that ends with .glb (animated glTF, for Blender and browsers), .csv (poses) or \
                          .pvd (for ParaView)";
            Err(Error::new(ErrorKind::Usage, message).advise(advice))
        }
    }
}

/// The first and the last time.
fn part(arguments: &ExportArguments, experiment: &Experiment) -> Result<(f64, f64)> {
    let (start, end) = (experiment.start, experiment.options.end);
    let from = moment("--from", arguments.from.unwrap_or(start), start, end)?;
    let to = moment("--to", arguments.to.unwrap_or(end), start, end)?;
    if from > to {
        let message = format!("--from {} comes after --to {}", shortest(from), shortest(to));
        return Err(Error::new(ErrorKind::Usage, message).advise("give --from the earlier time"));
    }
    Ok((from, to))
}

/// The fewest equal intervals of which at least `rate` are in a second.
fn intervals(rate: f64, duration: f64) -> Result<u32> {
    // A product that is a whole number but for rounding is that number.
    let count = (rate * duration * (1.0 - 1e-12)).ceil().max(1.0);
    if count > MOST_STATES {
        let message = format!(
            "{} s at {} states a second are {count} states",
            shortest(duration),
            shortest(rate)
        );
        let advice = format!(
            "at most {MOST_STATES} can be written: give a smaller --fps, a larger --speed or a shorter --duration"
        );
        return Err(Error::new(ErrorKind::Request, message).with_value(count).advise(advice));
    }
    Ok(count as u32)
}
