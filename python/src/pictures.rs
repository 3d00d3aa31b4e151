//! Files of a motion: vector pictures, and what other tools read.

use std::path::{Path, PathBuf};

use costate::error::{Error, ErrorKind, Result};
use costate::export::{Format, Motion, RATES, filmed, intervals, part};
use costate::files::{self, OutFolder, extension, file_name};
use costate::model::quantity::VectorKind;
use costate::run::{Beside, Experiment, Variants, about};
use costate::show::Comparison;
use costate::sketch::{Crop, Look, Palette, Sketch, WIDTHS, check_plane};
use pyo3::prelude::*;
use serde_json::json;

use crate::arguments::{Changed, chosen, named, or_raise, within};
use crate::objects::object;
use crate::scene::Scene;

/// What a vector picture shows.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Shown {
    at: Vec<f64>,
    width: f64,
    style: String,
    labels: bool,
    traces: bool,
    frames: bool,
    arrows: Vec<String>,
    gradient: Option<String>,
    zoom: f64,
    centre: Option<[f64; 2]>,
    /// Pictures a second of an `.svg` that plays, and how many times as fast it does.
    fps: Option<f64>,
    speed: Option<f64>,
}

/// What is drawn beside the motion: others of these values, or that of another scene.
#[derive(FromPyObject)]
pub enum Other {
    Values(Vec<Vec<(String, f64)>>),
    Scene(PathBuf),
}

impl From<Other> for Beside {
    fn from(other: Other) -> Self {
        match other {
            Other::Values(values) => Self::Values(values),
            Other::Scene(path) => Self::Scene(path),
        }
    }
}

impl Shown {
    /// The moments that are drawn of an experiment.
    fn moments(&self, experiment: &Experiment) -> Result<Vec<f64>> {
        let moments = self.at.iter().map(|&t| experiment.moment("at", t));
        let mut moments: Vec<f64> = moments.collect::<Result<_>>()?;
        if moments.is_empty() {
            moments.push(experiment.start);
        }
        Ok(moments)
    }

    /// The rates of an `.svg` that plays; none where moments are drawn.
    fn rates(&self, ending: &str) -> Result<Option<(f64, f64)>> {
        if self.fps.is_none() && self.speed.is_none() {
            return Ok(None);
        }
        if ending != "svg" || !self.at.is_empty() {
            let message = "fps and speed are for an .svg that plays the whole motion";
            return Err(Error::new(ErrorKind::Request, message).advise("leave them out, or give an .svg without at"));
        }
        let fps = within("fps", self.fps.unwrap_or(25.0), RATES)?;
        Ok(Some((fps, within("speed", self.speed.unwrap_or(1.0), RATES)?)))
    }

    /// What pictures show; gradients come when the motion is known.
    fn look(&self) -> Result<Look> {
        let palette = chosen("style", &self.style, &[Palette::Colour, Palette::Paper])?;
        if self.gradient.is_some() && palette == Palette::Paper {
            let error = Error::new(ErrorKind::Request, "a gradient is not for black lines");
            return Err(error.advise("leave out gradient or style=\"paper\""));
        }
        let arrows = self.arrows.iter();
        let arrows = arrows.map(|word| named("arrows", word, &VectorKind::ALL, |kind| kind.name().to_string()));
        Ok(Look {
            width: within("width", self.width, WIDTHS)?,
            palette,
            labels: self.labels,
            traces: self.traces,
            frames: self.frames,
            arrows: arrows.collect::<Result<_>>()?,
            gradient: None,
            crop: Crop {
                zoom: within("zoom", self.zoom, RATES)?,
                centre: self.centre.map(finite).transpose()?,
            },
        })
    }
}

fn finite(place: [f64; 2]) -> Result<[f64; 2]> {
    for number in place {
        within("centre", number, f64::MIN..=f64::MAX)?;
    }
    Ok(place)
}

/// Draws a planar mechanism as `.svg` or `.pdf`, with other motions beside its own.
#[pyfunction]
pub fn render(
    scene: &Scene,
    py: Python<'_>,
    changed: Changed,
    out: PathBuf,
    shown: Shown,
    beside: Other,
) -> PyResult<()> {
    let mut look = or_raise(py, shown.look())?;
    let beside = Beside::from(beside);
    scene.work(py, changed, move |experiment| {
        let ending = extension(&out).unwrap_or_default();
        refuse_pixels(&ending)?;
        let rates = shown.rates(&ending)?;
        let advice = "use the program: costate render SCENE --out picture.png, or scene.export(\"motion.html\")";
        check_plane(&experiment.mechanism.model).map_err(|error| error.advise(advice))?;
        let folder = folder(&experiment, &out)?;
        let moments = shown.moments(&experiment)?;
        let variants = Variants::of(&experiment, &beside)?;
        for (label, other) in &variants.others {
            shown.moments(other).map_err(|error| about(label, error))?;
        }
        let (show, comparison) = Comparison::simulated(experiment, variants, &mut |_part| {})?;
        let gradient = shown.gradient.as_ref();
        let gradient = gradient.map(|objective| show.experiment.design_gradient(objective));
        look.gradient = gradient.transpose()?;
        let sketch = || Sketch::compared(&show, &comparison, &moments, &look);
        let content = match (rates, ending.as_str()) {
            (Some(rates), _) => Sketch::animated(&show, &comparison, rates, &look)?.into_bytes(),
            (None, "pdf") => sketch()?.pdf(),
            (None, _) => sketch()?.svg().into_bytes(),
        };
        files::write([(file_name(&out)?, content)], &folder).map(|_written| ())
    })
}

/// Writes the motion as `.html`, `.glb`, `.csv` or `.pvd`.
#[pyfunction]
pub fn export<'py>(
    scene: &Scene,
    py: Python<'py>,
    changed: Changed,
    out: PathBuf,
    rate: Rate,
    span: Span,
) -> PyResult<Bound<'py, PyAny>> {
    let report = scene.work(py, changed, move |experiment| {
        let format = Format::of(&out)?;
        let folder = folder(&experiment, &out)?;
        moving(experiment, rate, span, format, |motion, name| {
            let written = motion.write(&out, format, rate.1, &folder)?;
            let written: Vec<_> = written.iter().map(|file| file.display().to_string()).collect();
            let times: Vec<f64> = motion.times().collect();
            let ends = [times.first(), times.last()];
            Ok(json!({"scene": name, "from": ends[0], "to": ends[1], "states": times.len(), "files": written}))
        })
    })?;
    object(py, &report)
}

/// The motion as a page for browsers.
#[pyfunction]
pub fn page(scene: &Scene, py: Python<'_>, changed: Changed, rate: Rate, span: Span) -> PyResult<String> {
    scene.work(py, changed, move |experiment| {
        moving(experiment, rate, span, Format::Html, |motion, _| motion.page(rate.1))
    })
}

/// States a second, and simulated seconds per second of an animation.
type Rate = (f64, Option<f64>);
/// Times of the first and the last state.
type Span = (Option<f64>, Option<f64>);

/// Simulates, and hands on the part of the motion that is asked for, with the name of the scene.
fn moving<T>(
    experiment: Experiment,
    (fps, speed): Rate,
    (start, end): Span,
    format: Format,
    then: impl FnOnce(&Motion, &str) -> Result<T>,
) -> Result<T> {
    let fps = within("fps", fps, RATES)?;
    let speed = within("speed", speed.unwrap_or(1.0), RATES)?;
    let (from, to) = part(&experiment, ("start", start), ("end", end))?;
    let count = intervals(&experiment, fps / speed, format)?;
    let show = filmed(experiment, count, format, &mut |_time| {})?;
    then(&Motion::new(&show, from, to), &show.experiment.name)
}

/// Pictures of pixels are for the program, which has the viewer.
fn refuse_pixels(ending: &str) -> Result<()> {
    match ending {
        "svg" | "pdf" => Ok(()),
        "png" | "gif" | "apng" | "mp4" => {
            let message =
                format!("pictures of pixels, such as .{ending}, need the viewer, which this package is built without");
            let advice = "give a name that ends with .svg or .pdf, or use the program: costate render SCENE --out FILE";
            Err(Error::new(ErrorKind::Graphics, message).advise(advice))
        }
        _ => {
            let message = format!("pictures are not written as .{ending}");
            Err(Error::new(ErrorKind::Request, message).advise("give a name that ends with .svg or .pdf"))
        }
    }
}

/// The folder of a file, which must replace nothing that the scene is read from.
fn folder(experiment: &Experiment, out: &Path) -> Result<OutFolder> {
    let folder = OutFolder::checked(out.parent().unwrap_or(Path::new("")), experiment.inputs())?;
    folder.refuse_input(&file_name(out)?)?;
    Ok(folder)
}
