//! The `report` command: one page with everything that is computed of a scene.

mod arguments;
mod sections;

use std::path::Path;
use std::time::Instant;

use serde_json::json;

use super::print::say;
use super::progress::Progress;
use super::sweep::arguments::plan;
use crate::error::{Error, ErrorKind, Result};
use crate::export::{Format, Motion, filmed, intervals};
use crate::files::{self, OutFolder, file_name};
use crate::output::page::Page;
use crate::run::Experiment;
use crate::show::Show;
use crate::sweep::{Plan, Shard, Sweep};
use arguments::Part;
pub(super) use arguments::ReportArguments;
use sections::{Found, certificate, optimization, run, section, sweep};

pub(super) fn report(arguments: &ReportArguments) -> Result<()> {
    let (common, clock) = (&arguments.common, Instant::now());
    if Format::of(&arguments.out)? != Format::Html {
        let message = format!("a report is a page, not {}", arguments.out.display());
        return Err(Error::new(ErrorKind::Usage, message).advise("give --out a name that ends with .html"));
    }
    let points = plan_of(arguments)?;
    let experiment = Experiment::open(&common.scene, &common.changes_within(&arguments.limit))?;
    let task = points.as_ref().map(|plan| task(&experiment, plan));
    task.as_ref().map_or(Ok(()), Sweep::check)?;
    let out = OutFolder::checked(arguments.out.parent().unwrap_or(Path::new("")), experiment.inputs())?;
    let name = file_name(&arguments.out)?;
    out.refuse_input(&name)?;
    let intervals = intervals(&experiment, arguments.fps, Format::Html)?;
    let progress = Progress::new(common.quiet);
    let show = filmed(experiment.clone(), intervals, Format::Html, &mut |t| {
        let (start, end) = (experiment.start, experiment.options.end);
        progress.at(0.2 * (t - start) / (end - start), || "run".to_string());
    });
    let (mut page, missing) = page(arguments, &experiment, &show);
    let missing = missing.into_iter().map(|(title, error)| {
        let error = experiment.located(error);
        (title, Err(error))
    });
    let computed = computed(arguments, &experiment, &show, task, &progress);
    let sections = missing.chain(computed);
    page.sections = sections.map(|(title, found)| section(title, found)).collect();
    progress.finish();
    files::write([(name, page.html()?)], &out)?;
    tell(arguments, &page, clock)
}

fn wants(arguments: &ReportArguments, part: Part) -> bool {
    !arguments.without.contains(&part)
}

/// The points of the sweep, if one is asked for.
fn plan_of(arguments: &ReportArguments) -> Result<Option<Plan>> {
    if arguments.vary.is_empty() || !wants(arguments, Part::Sweep) {
        return Ok(None);
    }
    plan(
        &arguments.vary,
        (arguments.sample, arguments.seed),
        &arguments.common.set,
    )
    .map(Some)
}

fn task<'a>(experiment: &'a Experiment, plan: &'a Plan) -> Sweep<'a> {
    Sweep {
        experiment,
        plan,
        shard: Shard::WHOLE,
        gradient: false,
        threads: None,
    }
}

/// The page with the motion, or without it; and what it lacks.
fn page(
    arguments: &ReportArguments,
    experiment: &Experiment,
    show: &Result<Show>,
) -> (Page, Vec<(&'static str, Error)>) {
    match show {
        Ok(show) => {
            let (start, end) = show.film.span();
            Motion::new(show, start, end).parts(None, wants(arguments, Part::Gradient))
        }
        Err(error) => {
            // The run says why, if it is there.
            let missing = (!wants(arguments, Part::Run)).then(|| ("Motion", error.clone()));
            let page = Page::without_motion(&experiment.name, experiment.source());
            (page, missing.into_iter().collect())
        }
    }
}

/// The sections in their order, each with what was found or why nothing was.
fn computed(
    arguments: &ReportArguments,
    experiment: &Experiment,
    show: &Result<Show>,
    task: Option<Sweep>,
    progress: &Progress,
) -> Vec<(&'static str, Result<Found>)> {
    let mut sections = Vec::new();
    let located = |found: Result<Found>| found.map_err(|error| experiment.located(error));
    if wants(arguments, Part::Run) {
        let found = show.as_ref().map_err(Clone::clone).and_then(run);
        sections.push(("Run", located(found)));
    }
    let model = &experiment.mechanism.model;
    if wants(arguments, Part::Certificate) && !model.objectives.is_empty() && !model.parameters.is_empty() {
        progress.at(0.3, || "certificate".to_string());
        sections.push(("Certificate", located(certificate(experiment))));
    }
    if let Some(wanted) = experiment
        .optimization
        .as_ref()
        .filter(|_| wants(arguments, Part::Optimization))
    {
        progress.at(0.5, || "optimization".to_string());
        let mut wanted = wanted.clone();
        wanted.starts = arguments.starts.unwrap_or(wanted.starts);
        sections.push(("Optimization", located(optimization(experiment, wanted))));
    }
    if let Some(task) = task {
        progress.at(0.8, || "sweep".to_string());
        sections.push(("Sweep", located(sweep(task))));
    }
    sections
}

/// Says what was written, and which sections failed.
fn tell(arguments: &ReportArguments, page: &Page, clock: Instant) -> Result<()> {
    let out = arguments.out.display();
    let status = |failed: bool| if failed { "failed" } else { "ok" };
    let sections = page.sections.iter().map(|section| {
        let reason = section.failure.as_ref().map(|(reason, _)| reason);
        json!({"title": section.title, "status": status(reason.is_some()), "reason": reason})
    });
    let report = json!({
        "scene": page.name,
        "file": out.to_string(),
        "sections": sections.collect::<Vec<_>>(),
        "statistics": {"seconds": clock.elapsed().as_secs_f64()},
    });
    arguments.common.show(&report, || {
        say!("{}: report written to {out}", page.name)?;
        page.sections
            .iter()
            .try_for_each(|section| say!("  {:<14} {}", section.title, status(section.failure.is_some())))
    })?;
    let mut sections = page.sections.iter();
    let Some((section, (reason, advice))) = sections.find_map(|section| Some((section, section.failure.as_ref()?)))
    else {
        return Ok(());
    };
    let message = format!("the section \"{}\" failed: {reason}", section.title);
    let error = Error::new(ErrorKind::Request, message);
    Err(match advice {
        Some(advice) => error.advise(advice.clone()),
        None => error,
    })
}
