//! What was found of a scene on one page: run, gradient, certificate, optimization and sweep.
//!
//! The tables and plots of its sections are also those that the commands write into folders.

pub mod certificate;
pub mod optimization;
pub mod overlays;
mod sections;
pub mod step_study;
pub mod sweep;
pub mod words;

use std::path::Path;

use serde_json::{Value, json};

use crate::error::{Error, ErrorKind, Result};
use crate::export::{Format, Motion, filmed, intervals};
use crate::files::{self, OutFolder, file_name};
use crate::output::page::Page;
use crate::run::Experiment;
use crate::show::Show;
use crate::sweep::{Plan, Shard, Sweep};
use sections::{Found, section};

/// What a report is made of, besides the mechanism in motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Part {
    /// Events, values at the end and plots of one simulation.
    Run,
    /// Objectives with their derivatives.
    Gradient,
    /// Derivatives cross-checked.
    Certificate,
    /// What the part `optimization` of the scene leads to.
    Optimization,
    /// Objectives over the points of a sweep.
    Sweep,
}

/// All parts in their order.
pub const PARTS: [Part; 5] = [
    Part::Run,
    Part::Gradient,
    Part::Certificate,
    Part::Optimization,
    Part::Sweep,
];

/// What a report shall hold.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Parts that are left out.
    pub without: Vec<Part>,
    /// Points of the sweep; without them there is none.
    pub points: Option<Plan>,
    /// Number of starts of the optimization; that of the scene when left out.
    pub starts: Option<u32>,
    /// States per second of the animation.
    pub fps: f64,
}

impl Wanted {
    fn has(&self, part: Part) -> bool {
        !self.without.contains(&part)
    }

    fn sweep<'a>(&'a self, experiment: &'a Experiment) -> Option<Sweep<'a>> {
        let plan = self.points.as_ref().filter(|_| self.has(Part::Sweep))?;
        Some(Sweep {
            experiment,
            plan,
            shard: Shard::WHOLE,
            gradient: false,
            threads: None,
        })
    }
}

/// Writes the report of a scene into a file, and returns its page. A part that cannot be computed is a section that says why.
/// `progress` is told the share that is done, and of what.
///
/// # Errors
/// Kind `Usage` for a name that does not end with `.html` and for points that do not fit the scene; kind `File`; kind `Request` for
/// more states than a page holds.
pub fn write(experiment: &Experiment, wanted: &Wanted, out: &Path, progress: &dyn Fn(f64, &str)) -> Result<Page> {
    if Format::of(out)? != Format::Html {
        let message = format!("a report is a page, not {}", out.display());
        return Err(Error::new(ErrorKind::Usage, message).advise("give --out a name that ends with .html"));
    }
    let task = wanted.sweep(experiment);
    task.as_ref().map_or(Ok(()), Sweep::check)?;
    let folder = OutFolder::checked(out.parent().unwrap_or(Path::new("")), experiment.inputs())?;
    let name = file_name(out)?;
    folder.refuse_input(&name)?;
    let intervals = intervals(experiment, wanted.fps, Format::Html)?;
    let show = filmed(experiment.clone(), intervals, Format::Html, &mut |t| {
        let (start, end) = (experiment.start, experiment.options.end);
        progress(0.2 * (t - start) / (end - start), "run");
    });
    let (mut page, missing) = moving(wanted, experiment, &show);
    let missing = missing.into_iter().map(|(title, error)| {
        let error = experiment.located(error);
        (title, Err(error))
    });
    let computed = computed(wanted, experiment, &show, task, progress);
    let sections = missing.chain(computed);
    page.sections = sections.map(|(title, found)| section(title, found)).collect();
    files::write([(name, page.html()?)], &folder)?;
    Ok(page)
}

/// The page with the motion, or without it; and what it lacks.
fn moving(wanted: &Wanted, experiment: &Experiment, show: &Result<Show>) -> (Page, Vec<(&'static str, Error)>) {
    match show {
        Ok(show) => {
            let (start, end) = show.film.span();
            Motion::new(show, start, end).parts(None, wanted.has(Part::Gradient))
        }
        Err(error) => {
            // The run says why, if it is there.
            let missing = (!wanted.has(Part::Run)).then(|| ("Motion", error.clone()));
            let page = Page::without_motion(&experiment.name, experiment.source());
            (page, missing.into_iter().collect())
        }
    }
}

/// The sections in their order, each with what was found or why nothing was.
fn computed(
    wanted: &Wanted,
    experiment: &Experiment,
    show: &Result<Show>,
    task: Option<Sweep>,
    progress: &dyn Fn(f64, &str),
) -> Vec<(&'static str, Result<Found>)> {
    let mut sections = Vec::new();
    let located = |found: Result<Found>| found.map_err(|error| experiment.located(error));
    if wanted.has(Part::Run) {
        let found = show.as_ref().map_err(Clone::clone).and_then(sections::run);
        sections.push(("Run", located(found)));
    }
    let model = &experiment.mechanism.model;
    if wanted.has(Part::Certificate) && !model.objectives.is_empty() && !model.parameters.is_empty() {
        progress(0.3, "certificate");
        sections.push(("Certificate", located(sections::certificate(experiment))));
    }
    let optimization = experiment.optimization.as_ref();
    if let Some(optimization) = optimization.filter(|_| wanted.has(Part::Optimization)) {
        progress(0.5, "optimization");
        let mut optimization = optimization.clone();
        optimization.starts = wanted.starts.unwrap_or(optimization.starts);
        sections.push((
            "Optimization",
            located(sections::optimization(experiment, optimization)),
        ));
    }
    if let Some(task) = task {
        progress(0.8, "sweep");
        sections.push(("Sweep", located(sections::sweep(task))));
    }
    sections
}

/// What was written, as an object: each section with its status, and the reason of one that failed.
pub fn told(page: &Page, out: &Path, seconds: f64) -> Value {
    let sections = page.sections.iter().map(|section| {
        let reason = section.failure.as_ref().map(|(reason, _)| reason);
        json!({"title": section.title, "status": status(reason.is_some()), "reason": reason})
    });
    json!({
        "scene": page.name,
        "file": out.display().to_string(),
        "sections": sections.collect::<Vec<_>>(),
        "statistics": {"seconds": seconds},
    })
}

/// The status of a section, which may have failed.
pub fn status(failed: bool) -> &'static str {
    if failed { "failed" } else { "ok" }
}
