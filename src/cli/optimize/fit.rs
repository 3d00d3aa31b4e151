//! What measured data say about the parameters, in words.

use crate::cli::print::{fixed, say};
use crate::error::Result;
use crate::optimize::{Deviations, FitReport, Identification};

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
    found.unseen.iter().try_for_each(|unseen| say!("  {}", unseen.reason()))
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
