//! The sections of a report.

use super::certificate::{entries, refuse_failed};
use super::optimization::{convergence, limits_not_met, missed, starts};
use super::overlays::overlays;
use super::step_study::step_study;
use super::sweep as sweeps;
use super::words::{counted, fixed};
use crate::error::{Error, Result};
use crate::machine::Clock;
use crate::optimize::{Interruptible, Optimized, SceneDesign, Status, goal, search};
use crate::output::page::{PageFigure, PageSection, PageTable};
use crate::output::{Drawing, Table, figures, render_svg};
use crate::run::{Experiment, Method, Verdict};
use crate::scalar::shortest;
use crate::scene::compiled::Optimization;
use crate::show::Show;
use crate::sweep::{Sweep, SweepReport, Swept};

/// What a section holds.
#[derive(Default)]
pub(super) struct Found {
    lines: Vec<String>,
    tables: Vec<PageTable>,
    figures: Vec<PageFigure>,
    /// What is wrong with what was found.
    failure: Option<Error>,
}

/// The section, or why there is none.
pub(super) fn section(title: &str, found: Result<Found>) -> PageSection {
    let found = found.unwrap_or_else(|error| Found {
        failure: Some(error),
        ..Found::default()
    });
    let said = |error: Error| (error.to_string(), error.advice().map(str::to_string));
    PageSection {
        title: title.to_string(),
        lines: found.lines,
        failure: found.failure.map(said),
        tables: found.tables,
        figures: found.figures,
    }
}

fn drawn<D: Into<Drawing>>(drawings: impl IntoIterator<Item = (String, D)>) -> Result<Vec<PageFigure>> {
    let figure = |(title, drawing): (String, D)| {
        Ok(PageFigure {
            title,
            svg: render_svg(&drawing.into())?,
        })
    };
    drawings.into_iter().map(figure).collect()
}

/// Of the simulation that the page shows.
pub(super) fn run(show: &Show) -> Result<Found> {
    let (report, recording) = (&show.report, &show.recording);
    let work = report.statistics;
    let (initial, last) = report.energy;
    let events = Table::of(
        "events",
        &report.events,
        &[
            ("t", &|event| event.t.to_string()),
            ("name", &|event| event.name.clone()),
            ("kind", &|event| event.kind.clone()),
            ("outcome", &|event| event.outcome.unwrap_or_default().to_string()),
        ],
    );
    let values = report.outputs.iter().map(|value| (value, "output at the end"));
    let values = values.chain(report.objectives.iter().map(|value| (value, "objective")));
    let rows = values.map(|((name, value), kind)| vec![name.clone(), kind.to_string(), value.to_string()]);
    let values = Table::new("values", ["name", "kind", "value"], rows);
    let tables = [("Events", events), ("Values", values)];
    let tables = tables.into_iter().filter(|(_, table)| !table.rows.is_empty());
    recording.check()?;
    Ok(Found {
        lines: [
            format!(
                "Simulated to t = {} s with {} ({} rejected).",
                shortest(report.t_end),
                counted(work.accepted as usize, "step"),
                work.rejected
            ),
            format!(
                "Energy: {} at the start, {} at the end.",
                fixed(initial, 9),
                fixed(last, 9)
            ),
            format!(
                "Largest constraint residual: position {:.1e}, velocity {:.1e}.",
                report.residuals.position, report.residuals.velocity
            ),
        ]
        .into_iter()
        .chain(report.remarks.iter().map(|remark| format!("Remark: {remark}")))
        .collect(),
        tables: tables.map(|(title, table)| PageTable::new(title, table)).collect(),
        figures: drawn(figures(recording))?,
        failure: None,
    })
}

/// The cross-checked derivatives.
pub(super) fn certificate(experiment: &Experiment) -> Result<Found> {
    let found = experiment.derivatives(None, Method::Adjoint, (true, false), &|_, _| ())?;
    let Some(certificate) = &found.certificate else {
        return Ok(Found::default());
    };
    let with = |verdict: Verdict| {
        let entries = certificate.entries.iter();
        entries.filter(|entry| entry.verdict == verdict).count()
    };
    let (all, passed, failed) = (certificate.entries.len(), with(Verdict::Passed), with(Verdict::Failed));
    let rest = all - passed - failed;
    let mut line = format!(
        "{passed} of {} pass: adjoint, forward method and difference quotients agree.",
        counted(all, "derivative")
    );
    if failed > 0 {
        line += &format!(" {failed} {}.", if failed == 1 { "fails" } else { "fail" });
    }
    if rest > 0 {
        let have = if rest == 1 { "does" } else { "do" };
        line += &format!(" {rest} {have} not exist, or could not be checked.");
    }
    Ok(Found {
        lines: vec![line],
        tables: vec![PageTable::new("Derivatives", entries(certificate))],
        figures: drawn(step_study(certificate))?,
        failure: refuse_failed(certificate).err(),
    })
}

/// What the scene says about its optimization, done.
pub(super) fn optimization(experiment: &Experiment, wanted: Optimization) -> Result<Found> {
    let scene = SceneDesign::new(experiment, &wanted);
    let design = Interruptible::new(&scene, experiment.interruption());
    let found = search(&design, &wanted, &|_, _| ())?;
    let interrupted = experiment
        .interruption()
        .error("interrupted; the best point so far was kept");
    let findings = Optimized::new(experiment.clone(), wanted, found);
    let mut lines = outcome(&findings);
    let mut tables = vec![PageTable::new("Parameters", variables(&findings))];
    let all = findings.found.starts.as_ref();
    tables.extend(all.map(|all| PageTable::new("Starts", starts(&findings, all))));
    let mut figures = drawn([("convergence".to_string(), convergence(&findings))])?;
    match overlays(&findings).and_then(|motions| drawn(motions.drawings)) {
        Ok(motions) => figures.extend(motions),
        Err(error) => lines.push(format!("There are no plots of the motion before and after: {error}.")),
    }
    let failure = match findings.status() {
        Status::LimitsNotMet => Some(limits_not_met(&missed(&findings))),
        Status::Interrupted => Some(interrupted),
        _ => None,
    };
    Ok(Found {
        lines,
        tables,
        figures,
        failure,
    })
}

/// How an optimization ended, in words.
fn outcome(findings: &Optimized) -> Vec<String> {
    let report = &findings.found.report;
    let (before, after) = (report.initial.value, report.best.value);
    vec![
        format!("{}: {}.", findings.status().words(), report.status.meaning()),
        format!(
            "{} from {} to {} after {} of {}, {}.",
            goal(&findings.optimization),
            fixed(before, 9),
            fixed(after, 9),
            counted(report.history.len() - 1, "iteration"),
            report.solver,
            counted(findings.found.total(|report| report.simulations) as usize, "simulation"),
        ),
    ]
}

/// The variables of an optimization before and after it.
fn variables(findings: &Optimized) -> Table {
    let report = &findings.found.report;
    let rows = findings.optimization.variables.iter().enumerate().map(|(k, variable)| {
        let (start, found) = (report.initial.parameters[k], report.best.parameters[k]);
        let bound = if variable.on_bounds(found).contains(&true) {
            "at its bound"
        } else {
            ""
        };
        let numbers = [start, found].map(|value| value.to_string());
        [variable.name.clone()]
            .into_iter()
            .chain(numbers)
            .chain([variable.unit.clone(), bound.to_string()])
            .collect()
    });
    Table::new("variables", ["parameter", "before", "after", "unit", ""], rows)
}

/// Objectives over many points.
pub(super) fn sweep(sweep: Sweep) -> Result<Found> {
    let clock = Clock::start();
    let Swept { rows, interrupted } = sweep.run(Vec::new(), None, &|_| ())?;
    let findings = SweepReport {
        sweep,
        rows,
        kept: 0,
        seconds: clock.seconds(),
    };
    let mut points = sweeps::table(&findings);
    // What the sums of rows are for is the table on disk.
    if let Some(place) = points.header.iter().position(|name| name == "checksum") {
        points.header.remove(place);
        points.rows.iter_mut().filter(|row| place < row.len()).for_each(|row| {
            row.remove(place);
        });
    }
    let failures = findings.failures();
    let said = failures.iter().map(|(first, failure, count)| {
        format!(
            "{} without a value ({}): {}.",
            counted(*count, "point"),
            first.outcome.status(),
            failure.reason
        )
    });
    let computed = match (findings.rows.len(), findings.sweep.plan.count()) {
        (done, all) if done == all => format!("{} computed.", counted(all, "point")),
        (done, all) => format!("{done} of {} computed.", counted(all, "point")),
    };
    Ok(Found {
        lines: [computed].into_iter().chain(said).collect(),
        tables: vec![PageTable::new("Points", points)],
        figures: drawn(sweeps::drawings(&findings))?,
        failure: interrupted,
    })
}
