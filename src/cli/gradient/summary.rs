//! What the `gradient` command prints to be read.

use std::path::Path;

use crate::cli::print::{fixed, say, say_written};
use crate::error::Result;
use crate::report::certificate::{described, parameter};
use crate::run::{Certificate, Certified, Derivatives, Entry, HessianReport, Margins, Verdict};

/// Near misses listed.
const MOST_MISSES: usize = 5;

/// Events whose times are listed even though they passed.
const MOST_EVENTS: usize = 6;

pub(super) fn print(findings: &Derivatives, folder: Option<&Path>, files: usize) -> Result<()> {
    let report = &findings.report;
    match &report.refused {
        None => say!("{}: gradients by the {} method", report.scene, report.method)?,
        Some(reason) => {
            say!(
                "{}: derivatives from both sides, one alone where they agree",
                report.scene
            )?;
            say!("  {reason}")?;
        }
    }
    for (k, objective) in report.objectives.iter().enumerate() {
        say!("  {} = {}", objective.name, fixed(objective.value, 9))?;
        for (p, (name, value)) in report.parameters.iter().zip(&objective.gradient).enumerate() {
            let shown = match (findings.reason(&objective.name, name), report.no_derivative(k, p)) {
                (_, Some(reason)) => format!("no derivative: {reason}"),
                (Some(reason), None) => format!("no influence: {reason}"),
                (None, None) => entry_text(findings, k, p, *value),
            };
            say!("    d/d {name:<20} {shown}")?;
        }
    }
    if let Some(certificate) = &findings.certificate {
        print_certificate(certificate)?;
    }
    if let Some(hessian) = &findings.hessian {
        print_hessian(hessian)?;
    }
    say!(
        "  {} right-hand sides forwards, {} backwards, {:.3} s",
        report.forward.evaluations,
        report.backward.evaluations,
        report.seconds
    )?;
    say_written(folder, files)
}

/// Characters of the longest name.
fn widest<'a>(names: impl IntoIterator<Item = &'a String>) -> usize {
    let widths = names.into_iter().map(|name| name.chars().count());
    widths.max().unwrap_or(0)
}

/// Second derivatives, the lower triangle.
fn print_hessian(found: &HessianReport) -> Result<()> {
    let width = widest(&found.parameters);
    for hessian in &found.objectives {
        say!("  second derivatives of {}", hessian.objective)?;
        for (i, (name, row)) in found.parameters.iter().zip(&hessian.rows).enumerate() {
            let entries = row[..=i].iter().map(|value| format!(" {:>14}", known(*value, 6)));
            say!("    {name:<width$}{}", entries.collect::<String>())?;
        }
        let under = found.parameters.iter().map(|name| format!(" {name:>14}"));
        say!("    {:<width$}{}", "", under.collect::<String>())?;
    }
    for (name, reason) in &found.missing {
        say!("  no second derivatives of {name}: {reason}")?;
    }
    for found in &found.undetermined {
        say!(
            "  no second derivatives by {}: {}; {}",
            found.name,
            found.reason(),
            found.advice()
        )?;
    }
    say!(
        "  {} simulations for second derivatives, {:.3} s",
        found.simulations,
        found.seconds
    )
}

/// A derivative; by differences with its error, or why there is none.
fn entry_text(findings: &Derivatives, objective: usize, parameter: usize, value: f64) -> String {
    let Some(differences) = &findings.report.differences else {
        return format!("{:>18}", fixed(value, 9));
    };
    let study = &differences.studies[parameter];
    match study.estimates[objective] {
        Some(estimate) => format!("{:>18}  ± {:.1e}", fixed(value, 9), estimate.error),
        None if study.kinks.contains(&objective) => {
            "none: the quotients from below and from above have limits of their own".to_string()
        }
        None if study.always_crosses() => "none: the events change within every step".to_string(),
        None => format!(
            "none: {}",
            study.failure().unwrap_or("the events change within most steps")
        ),
    }
}

fn print_certificate(certificate: &Certificate) -> Result<()> {
    let all = certificate.entries.len();
    say!("  certificate: {}", certificate.verdict)?;
    for verdict in [
        Verdict::Passed,
        Verdict::NoDerivative,
        Verdict::CrossesEventChange,
        Verdict::Inconclusive,
        Verdict::Failed,
    ] {
        let of_verdict = |entry: &&Entry| entry.verdict == verdict;
        match certificate.entries.iter().filter(of_verdict).count() {
            0 => {}
            found => say!("    {found} of {all} derivatives: {verdict}")?,
        }
    }
    let listed = certificate.entries.iter().filter(is_listed);
    let named = listed.map(|entry| (described(&entry.quantity), entry));
    let named: Vec<(String, &Entry)> = named.collect();
    let width = widest(named.iter().map(|(name, _)| name)).max(8);
    say!(
        "    {:<width$}  {:<12} {:>16} {:>16} {:>16} {:>9} {:>9}",
        "quantity",
        "parameter",
        "adjoint",
        "forward",
        "difference",
        "error",
        "tolerance"
    )?;
    for (name, entry) in &named {
        say!("{}", row(name, width, entry))?;
    }
    if all > named.len() {
        say!("    and {} more that passed", all - named.len())?;
    }
    print_margins(&certificate.margins)
}

/// A line of the table.
fn row(name: &str, width: usize, entry: &Entry) -> String {
    let (difference, error) = match entry.difference {
        Some(found) => (fixed(found.value, 9), format!("{:.1e}", found.error)),
        None => ("-".to_string(), "-".to_string()),
    };
    let adjoint = entry.adjoint.map_or("-".to_string(), |value| known(value, 9));
    let forward = known(entry.forward, 9);
    let verdict = match entry.verdict {
        Verdict::Passed => String::new(),
        other => format!("  {}: {}", other, entry.reason),
    };
    format!(
        "    {name:<width$}  {:<12} {adjoint:>16} {:>16} {difference:>16} {error:>9} {:>9.1e}{verdict}",
        parameter(entry),
        forward,
        entry.tolerance
    )
}

/// Whether an entry is worth a line: not the hundredth event time that passed.
fn is_listed(entry: &&Entry) -> bool {
    match entry.quantity {
        Certified::EventTime(index, _) => index < MOST_EVENTS || entry.verdict != Verdict::Passed,
        Certified::Objective(_) => true,
    }
}

fn print_margins(margins: &Margins) -> Result<()> {
    if let Some(found) = &margins.grazing {
        say!(
            "    slowest approach: {} at t = {:.6} s with {:.3e} per second",
            found.name,
            found.t,
            found.speed
        )?;
    }
    for miss in margins.near_misses.iter().take(MOST_MISSES) {
        say!(
            "    near miss: {} ({}) at t = {:.6} s by {:.3e}",
            miss.name,
            miss.kind,
            miss.t,
            miss.clearance
        )?;
    }
    match &margins.closest_events {
        Some(found) => say!(
            "    closest events: {} at t = {:.6} s, then {} after {:.3e} s",
            found.first,
            found.t,
            found.second,
            found.seconds
        ),
        None => Ok(()),
    }
}

/// A number, or a dash where there is none.
fn known(value: f64, digits: usize) -> String {
    if value.is_finite() {
        fixed(value, digits)
    } else {
        "-".to_string()
    }
}
