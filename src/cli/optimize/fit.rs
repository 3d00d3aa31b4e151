//! What measured data say about the parameters: in words and in JSON.

use serde_json::{Value, json};

use crate::cli::print::{fixed, say};
use crate::error::Result;
use crate::model::MeasuredAt;
use crate::optimize::{Deviations, FitReport, Identification, Unseen};
use crate::run::{ByName, FitPoint, Pairs};

/// Correlations of at least this size are worth a line.
const STRONG: f64 = 0.9;

pub(super) fn print(fit: &FitReport, values: &[f64]) -> Result<()> {
    let found = &fit.identification;
    let count: usize = fit.data.iter().map(|data| data.points.len()).sum();
    say!(
        "  {count} measured values, {} degrees of freedom, sum of squared weighted residuals {}",
        found.degrees_of_freedom,
        fixed(found.chi_squared, 6)
    )?;
    say!("  {}", origin(found))?;
    let named = found.variables.iter().zip(values).zip(&found.standard_errors);
    for ((name, value), error) in named.filter(|_| found.deviations != Deviations::Unknown) {
        let error = match error {
            Some(error) => format!("+- {}", fixed(*error, 9)),
            None => "not determined by the data".to_string(),
        };
        say!("    {name:<24} {:>18} {error}", fixed(*value, 9))?;
    }
    for (a, b, correlation) in strong(found) {
        say!("  {a} and {b} have the correlation {correlation:.4}")?;
    }
    found.unseen.iter().try_for_each(|unseen| say!("  {}", reason(unseen)))
}

/// Where the standard errors come from.
fn origin(found: &Identification) -> String {
    match found.deviations {
        Deviations::Given => {
            "standard errors from the standard deviations given, the model taken as linear:".to_string()
        }
        Deviations::Estimated(factor) => format!(
            "standard errors from the residuals, which are {} times as large as weights of 1/sigma^2 imply:",
            fixed(factor, 6)
        ),
        Deviations::Unknown => "no standard errors: as many parameters as values leave no residual to judge by; give \
                                `sigma` if the deviations are known"
            .to_string(),
    }
}

/// Pairs of variables with a strong correlation.
fn strong(found: &Identification) -> Vec<(&str, &str, f64)> {
    let mut pairs = Vec::new();
    for (i, row) in found.correlations.iter().enumerate() {
        for (j, correlation) in row.iter().enumerate().take(i) {
            if let Some(correlation) = correlation.filter(|correlation| correlation.abs() >= STRONG) {
                pairs.push((found.variables[j].as_str(), found.variables[i].as_str(), correlation));
            }
        }
    }
    pairs
}

/// Why something is not determined.
fn reason(unseen: &Unseen) -> String {
    let change = |(name, change): &(String, f64)| format!("{change:+.4} {name}");
    match unseen.changes.as_slice() {
        [(name, _)] => format!("{name} is not determined: no measured value changes with it"),
        changes => {
            let list: Vec<String> = changes.iter().map(change).collect();
            format!(
                "not determined together: a change by {} (in their scales) changes no measured value",
                list.join(", ")
            )
        }
    }
}

pub(super) fn object(fit: &FitReport) -> Value {
    let found = &fit.identification;
    let (deviations, factor) = match found.deviations {
        Deviations::Given => ("given", Some(1.0)),
        Deviations::Estimated(factor) => ("estimated", Some(factor)),
        Deviations::Unknown => ("unknown", None),
    };
    let unseen = found
        .unseen
        .iter()
        .map(|unseen| json!({"changes": Pairs(&unseen.changes), "reason": reason(unseen)}));
    let data = fit.data.iter().map(|data| {
        json!({
            "objective": data.objective,
            "file": data.file,
            "points": data.points.iter().map(point).collect::<Vec<_>>(),
        })
    });
    json!({
        "parameters": found.variables,
        "chi_squared": found.chi_squared,
        "degrees_of_freedom": found.degrees_of_freedom,
        "deviations": deviations,
        "deviation_factor": factor,
        "standard_errors": ByName(&found.variables, &found.standard_errors),
        "correlations": found.correlations,
        "singular_values": found.singular_values,
        "not_determined": unseen.collect::<Vec<_>>(),
        "data": data.collect::<Vec<_>>(),
    })
}

/// The time of a measured value, or the number of the event whose time it is.
pub(super) fn moment(point: &FitPoint) -> (Option<f64>, Option<usize>) {
    match point.at {
        MeasuredAt::Time(t) => (Some(t), None),
        MeasuredAt::Occurrence(k) => (None, Some(k)),
    }
}

fn point(point: &FitPoint) -> Value {
    let (time, occurrence) = moment(point);
    json!({
        "column": point.column,
        "line": point.line,
        "t": time,
        "occurrence": occurrence,
        "measured": point.measured,
        "model": point.model,
        "residual": point.residual(),
        "weighted": point.weight.sqrt() * point.residual(),
    })
}
