//! The certificate of derivatives as a table, and the error of one that failed.

use crate::error::{Error, ErrorKind, Result};
use crate::output::{Table, cell};
use crate::run::{Certificate, Certified, Entry, Verdict};

/// `certificate.csv`: one row per derivative; empty cells where a method has none.
pub fn entries(certificate: &Certificate) -> Table {
    Table::of(
        "certificate",
        &certificate.entries,
        &[
            ("quantity", &|entry| described(&entry.quantity)),
            ("parameter", &parameter),
            ("adjoint", &|entry| cell(entry.adjoint)),
            ("forward", &|entry| entry.forward.to_string()),
            ("difference", &|entry| cell(entry.difference.map(|found| found.value))),
            ("error of difference", &|entry| {
                cell(entry.difference.map(|found| found.error))
            }),
            ("step", &|entry| cell(entry.difference.map(|found| found.step))),
            ("tolerance", &|entry| entry.tolerance.to_string()),
            ("verdict", &|entry| entry.verdict.to_string()),
            ("reason", &|entry| entry.reason.clone()),
        ],
    )
}

/// The error for a certificate with an entry that failed.
pub fn refuse_failed(certificate: &Certificate) -> Result<()> {
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
pub fn parameter(entry: &Entry) -> String {
    match entry.side {
        None => entry.parameter.clone(),
        Some(side) => format!("{} {side}", entry.parameter),
    }
}

/// The quantity of an entry in words.
pub fn described(quantity: &Certified) -> String {
    match quantity {
        Certified::Objective(name) => name.clone(),
        Certified::EventTime(index, event) => format!("time of event {} ({})", index + 1, event.name),
    }
}
