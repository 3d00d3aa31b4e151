//! The `gradient` command.

pub(super) mod figure;
pub(super) mod files;
mod summary;

use super::arguments::GradientArguments;
use super::common::out_folder;
use super::progress::Progress;
use crate::error::{Error, ErrorKind, Result};
use crate::output;
use crate::run::{Certificate, Certified, Changes, Derivatives, Entry, Experiment, Verdict};

pub(super) fn gradient(arguments: &GradientArguments) -> Result<()> {
    let common = &arguments.common;
    let changes = Changes {
        memory: arguments.memory,
        ..common.changes_within(&arguments.limit)
    };
    let experiment = Experiment::open(&common.scene, &changes)?;
    let out = out_folder(arguments.out.as_deref(), &experiment)?;
    let findings = find(&experiment, arguments)?;
    let files = match &out {
        Some(folder) => {
            let sensitivities = experiment.sensitivities()?;
            let figures = findings.certificate.as_ref().map(figure::step_study);
            let figures = figures.unwrap_or_default();
            output::write_sensitivities(&sensitivities, &files::tables(&findings), &figures, folder)?.len()
        }
        None => 0,
    };
    let words = || summary::print(&findings, arguments.out.as_deref(), files);
    common.show(&findings, words)?;
    findings.certificate.as_ref().map_or(Ok(()), refuse_failed)
}

fn find(experiment: &Experiment, arguments: &GradientArguments) -> Result<Derivatives> {
    let progress = Progress::new(arguments.common.quiet);
    let asked = (arguments.certify, arguments.hessian);
    let shown = |part: f64, what: &str| progress.at(part, || what.to_string());
    let found = experiment.derivatives(None, arguments.method, asked, &shown)?;
    progress.finish();
    Ok(found)
}

/// The error for a certificate with an entry that failed.
pub(super) fn refuse_failed(certificate: &Certificate) -> Result<()> {
    let failed: Vec<&Entry> = certificate
        .entries
        .iter()
        .filter(|entry| match entry.side {
            None => entry.verdict == Verdict::Failed,
            // A derivative of one side is worth as much as what confirms it.
            Some(_) => !matches!(entry.verdict, Verdict::Passed | Verdict::NoDerivative),
        })
        .collect();
    let Some(first) = failed.first() else {
        return Ok(());
    };
    let fail = match failed.iter().any(|entry| entry.verdict == Verdict::Failed) {
        true => "fail the certificate",
        false => "are not confirmed",
    };
    let message = format!(
        "{} of {} derivatives {fail}, the first: {} by `{}`, {}",
        failed.len(),
        certificate.entries.len(),
        described(&first.quantity),
        parameter(first),
        first.reason
    );
    let error = Error::new(ErrorKind::Certificate, message).named(first.parameter.clone());
    Err(match fail {
        "are not confirmed" => error.advise(
            "change a parameter a little, so that one event comes first, or let one parameter move them together",
        ),
        _ => error.advise(
            "repeat with a smaller --rtol; if it still fails, a derivative in the program is wrong: please report the scene",
        ),
    })
}

/// The parameter of an entry, with its side.
fn parameter(entry: &Entry) -> String {
    match entry.side {
        None => entry.parameter.clone(),
        Some(side) => format!("{} {side}", entry.parameter),
    }
}

fn described(quantity: &Certified) -> String {
    match quantity {
        Certified::Objective(name) => name.clone(),
        Certified::EventTime(index, event) => format!("time of event {} ({})", index + 1, event.name),
    }
}
