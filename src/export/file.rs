//! The files of a motion, by the format that a name asks for.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use super::Motion;
use super::page::turn;
use crate::error::{Error, ErrorKind, Result};
use crate::files::{self, OutFolder, extension, file_name};
use crate::output::vtk;
use crate::run::Experiment;
use crate::scalar::shortest;
use crate::show::Show;

/// Most states of a motion, so that a forgotten duration does not fill the memory.
const MOST_STATES: f64 = 50_000.0;

/// Fewest intervals of a page.
const PAGE_INTERVALS: f64 = 240.0;

/// Most that a part should turn from one state of a page to the next (rad): in between, places are on straight lines.
const TURN: f64 = 0.3;

/// States or pictures a second, and how much slower or faster than time a motion may be shown.
pub const RATES: RangeInclusive<f64> = 1e-6..=1e3;

/// A format of files of motions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A page for browsers.
    Html,
    /// Animated glTF.
    Glb,
    /// Poses.
    Csv,
    /// A collection for ParaView, with a file for each state.
    Pvd,
}

impl Format {
    /// The format that the name of a file asks for.
    ///
    /// # Errors
    /// Kind `Usage` for a name that asks for none.
    pub fn of(out: &Path) -> Result<Self> {
        match extension(out).as_deref() {
            Some("html") => Ok(Self::Html),
            Some("glb") => Ok(Self::Glb),
            Some("csv") => Ok(Self::Csv),
            Some("pvd") => Ok(Self::Pvd),
            other => {
                let message = match other {
                    Some(other) => format!("a motion is not written as .{other}"),
                    None => format!("{} does not say which format it shall have", out.display()),
                };
                let advice = "give --out a name that ends with .html (a page for browsers), .glb (animated glTF, for \
                              Blender), .csv (poses) or .pvd (for ParaView)";
                Err(Error::new(ErrorKind::Usage, message).advise(advice))
            }
        }
    }
}

/// The first and the last time of a part of the motion, which two options give: the start and the end when none.
///
/// # Errors
/// As [`Experiment::moment`]; kind `Usage` when the last comes before the first.
pub fn part(
    experiment: &Experiment,
    (first, from): (&str, Option<f64>),
    (last, to): (&str, Option<f64>),
) -> Result<(f64, f64)> {
    let from = experiment.moment(first, from.unwrap_or(experiment.start))?;
    let to = experiment.moment(last, to.unwrap_or(experiment.options.end))?;
    if from > to {
        let message = format!("{first} {} comes after {last} {}", shortest(from), shortest(to));
        return Err(Error::new(ErrorKind::Usage, message).advise(format!("give {first} the earlier time")));
    }
    Ok((from, to))
}

/// The fewest equal intervals over the simulated time of which at least `rate` are in a second; a page, which plays at any
/// speed, has 240 at least.
///
/// # Errors
/// Kind `Request` for more states than can be written.
pub fn intervals(experiment: &Experiment, rate: f64, format: Format) -> Result<u32> {
    let duration = experiment.options.end - experiment.start;
    // A product that is a whole number but for rounding is that number.
    let least = if format == Format::Html { PAGE_INTERVALS } else { 1.0 };
    let count = (rate * duration * (1.0 - 1e-12)).ceil().max(least);
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

/// Simulates with states at the end of so many equal intervals; with more for a page of parts that turn fast.
///
/// # Errors
/// As [`Show::with_intervals`].
pub fn filmed(experiment: Experiment, intervals: u32, format: Format, progress: &mut dyn FnMut(f64)) -> Result<Show> {
    let mut show = Show::with_intervals(experiment, intervals, progress)?;
    let (mut intervals, mut most) = (f64::from(intervals), turn(&show));
    while format == Format::Html && most > TURN {
        intervals *= (most / TURN).ceil();
        if intervals > MOST_STATES {
            break;
        }
        let finer = Show::with_intervals(show.experiment.clone(), intervals as u32, progress)?;
        let left = turn(&finer);
        // What jumps does so with any number of states.
        if left > 0.75 * most {
            break;
        }
        (show, most) = (finer, left);
    }
    Ok(show)
}

impl Motion<'_> {
    /// Writes the motion into a folder under the name of a file; an animation with so many simulated seconds per second,
    /// one if none are given; a page chooses then.
    ///
    /// # Errors
    /// Kind `File` when a file cannot be written.
    pub fn write(&self, out: &Path, format: Format, speed: Option<f64>, folder: &OutFolder) -> Result<Vec<PathBuf>> {
        let name = file_name(out)?;
        match format {
            Format::Html => files::write([(name, self.page(speed)?)], folder),
            Format::Glb => files::write([(name, self.glb(speed.unwrap_or(1.0))?)], folder),
            Format::Csv => files::write([(&name, self.poses(&name).to_csv()?)], folder),
            Format::Pvd => {
                let stem = out.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
                let file = |k: usize| format!("{stem}-{k:05}.vtp");
                let listed: Vec<(f64, String)> = self.times().enumerate().map(|(k, t)| (t, file(k))).collect();
                let collection = (name, vtk::collection(&listed).into_bytes());
                let states = self.polydata().enumerate().map(|(k, data)| (file(k), data.to_vtp()));
                files::write(states.chain([collection]), folder)
            }
        }
    }
}
