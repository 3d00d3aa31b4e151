//! The `view` and `render` commands.

mod arguments;

use std::path::{Path, PathBuf};

use super::motion::{extension, file_name, moment};
use super::print::say;
use super::progress::Progress;
use crate::error::{Error, ErrorKind, Result};
use crate::files::{self, OutFolder};
use crate::output::animation::Animation;
use crate::output::image::png;
use crate::run::Experiment;
use crate::show::Show;
use crate::viewer::{self, Studio};
pub(super) use arguments::{RenderArguments, ViewArguments};

/// What the name of the output asks for.
enum Target {
    Png,
    Gif,
    /// A folder of numbered pictures.
    Frames,
}

pub(super) fn view(arguments: &ViewArguments) -> Result<()> {
    viewer::view(&arguments.common.scene, &arguments.common.changes())
}

pub(super) fn render(arguments: &RenderArguments) -> Result<()> {
    let common = &arguments.common;
    let target = target(&arguments.out)?;
    let experiment = Experiment::open(&common.scene, &common.changes_within(&arguments.limit))?;
    check_direction(arguments, experiment.mechanism.model.dimension)?;
    let (start, end) = (experiment.start, experiment.options.end);
    let progress = Progress::new(common.quiet);
    let moment = moment("--at", arguments.at.unwrap_or(start), start, end)?;
    let out = OutFolder::checked(folder(arguments, &target), experiment.inputs())?;
    if !matches!(target, Target::Frames) {
        out.refuse_input(&file_name(&arguments.out)?)?;
    }
    let show = Show::new(experiment, &mut |t| {
        progress.at(0.5 * (t - start) / (end - start), || "simulating".to_string());
    })?;
    let (width, height) = arguments.size;
    let gradient = arguments.gradient.as_ref();
    let gradient = gradient
        .map(|objective| show.experiment.design_gradient(objective))
        .transpose()?;
    let mut studio = Studio::new(width, height)?;
    studio.colour_by(gradient);
    studio.set_style(arguments.style());
    let files = match target {
        Target::Png => {
            vec![(file_name(&arguments.out)?, png(&studio.picture(&show, moment)?)?)]
        }
        Target::Gif => {
            let times = times(arguments, start, end);
            let mut animation = Animation::new(width, height, (100.0 / arguments.fps).round() as u16)?;
            for (i, &t) in times.iter().enumerate() {
                progress.at(0.5 + 0.5 * i as f64 / times.len() as f64, || "drawing".to_string());
                animation.add(&studio.picture(&show, t)?)?;
            }
            vec![(file_name(&arguments.out)?, animation.finish()?)]
        }
        Target::Frames => {
            let times = times(arguments, start, end);
            let mut files = Vec::with_capacity(times.len());
            for (i, &t) in times.iter().enumerate() {
                progress.at(0.5 + 0.5 * i as f64 / times.len() as f64, || "drawing".to_string());
                files.push((format!("frame-{i:05}.png"), png(&studio.picture(&show, t)?)?));
            }
            files
        }
    };
    progress.finish();
    let written = files::write(files, &out)?;
    if !common.quiet {
        report(&written, &arguments.out)?;
    }
    Ok(())
}

/// A planar mechanism is seen straight on.
fn check_direction(arguments: &RenderArguments, dimension: usize) -> Result<()> {
    let turned = arguments.azimuth.is_some() || arguments.elevation.is_some();
    if dimension == 3 || !turned {
        return Ok(());
    }
    let message = "a planar mechanism is seen straight on: --azimuth and --elevation are for spatial ones";
    Err(Error::new(ErrorKind::Request, message).advise("use --zoom and --centre to look at a part of it"))
}

/// Where the pictures go.
fn folder<'a>(arguments: &'a RenderArguments, target: &Target) -> &'a Path {
    match target {
        Target::Frames => &arguments.out,
        Target::Png | Target::Gif => arguments.out.parent().unwrap_or(Path::new("")),
    }
}

fn report(written: &[PathBuf], out: &Path) -> Result<()> {
    match written {
        [only] => say!("{} written", only.display()),
        _ => say!("{} pictures written to {}", written.len(), out.display()),
    }
}

fn target(out: &Path) -> Result<Target> {
    match extension(out).as_deref() {
        Some("png") => Ok(Target::Png),
        Some("gif") => Ok(Target::Gif),
        None => Ok(Target::Frames),
        Some(other) => {
            let message = format!("pictures are not written as .{other}");
            Err(Error::new(ErrorKind::Request, message)
                .advise("give --out a name that ends with .png or .gif, or a folder for one picture a frame"))
        }
    }
}

/// The moments of the pictures of a motion, the first and the last included.
fn times(arguments: &RenderArguments, start: f64, end: f64) -> Vec<f64> {
    let step = arguments.speed / arguments.fps;
    let count = ((end - start) / step).floor() as usize;
    let inner = (0..=count).map(|i| start + i as f64 * step);
    let rest = (start + count as f64 * step < end - 0.5 * step).then_some(end);
    inner.chain(rest).collect()
}
