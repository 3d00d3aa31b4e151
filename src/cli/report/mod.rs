//! The `report` command: one page with everything that is computed of a scene.

mod arguments;

use std::time::Instant;

use super::print::say;
use super::progress::Progress;
use super::sweep::arguments::plan;
use crate::error::{Error, ErrorKind, Result};
use crate::output::page::Page;
use crate::report::{Wanted, status, told, write};
use crate::run::Experiment;
use crate::sweep::Plan;
pub(super) use arguments::ReportArguments;

pub(super) fn report(arguments: &ReportArguments) -> Result<()> {
    let (common, clock) = (&arguments.common, Instant::now());
    let wanted = Wanted {
        without: arguments.without.clone(),
        points: points(arguments)?,
        starts: arguments.starts,
        fps: arguments.fps,
    };
    let experiment = Experiment::open(&common.scene, &common.changes_within(&arguments.limit))?;
    let progress = Progress::new(common.quiet);
    let shown = |part: f64, what: &str| progress.at(part, || what.to_string());
    let page = write(&experiment, &wanted, &arguments.out, &shown)?;
    progress.finish();
    tell(arguments, &page, clock)
}

/// The points of the sweep, if one is asked for.
fn points(arguments: &ReportArguments) -> Result<Option<Plan>> {
    let sample = (arguments.sample, arguments.seed);
    let points = || plan(&arguments.vary, sample, &arguments.common.set);
    (!arguments.vary.is_empty()).then(points).transpose()
}

/// Says what was written, and which sections failed.
fn tell(arguments: &ReportArguments, page: &Page, clock: Instant) -> Result<()> {
    let report = told(page, &arguments.out, clock.elapsed().as_secs_f64());
    arguments.common.show(&report, || {
        say!("{}: report written to {}", page.name, arguments.out.display())?;
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
