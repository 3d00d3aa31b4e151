//! The tables that `gradient --out` writes beside the sensitivities.

use crate::output::{Table, cell};
use crate::report::certificate::entries;
use crate::run::{Certificate, Derivatives, End, HessianReport};

pub(super) fn tables(findings: &Derivatives) -> Vec<Table> {
    let mut tables = vec![gradients(findings)];
    if let Some(certificate) = &findings.certificate {
        tables.push(entries(certificate));
        tables.push(steps(certificate));
    }
    tables.extend(findings.hessian.as_ref().map(hessian));
    tables
}

/// `gradients.csv`: one row per objective and parameter.
fn gradients(findings: &Derivatives) -> Table {
    let report = &findings.report;
    let rows = report.objectives.iter().enumerate().flat_map(|(k, objective)| {
        let entries = report.parameters.iter().zip(&objective.gradient).enumerate();
        entries.map(move |(p, (parameter, slope))| {
            let reason = findings.reason(&objective.name, parameter).unwrap_or_default();
            vec![
                objective.name.clone(),
                objective.value.to_string(),
                parameter.clone(),
                cell(slope.is_finite().then_some(*slope)),
                reason.to_string(),
                report.no_derivative(k, p).unwrap_or_default(),
            ]
        })
    });
    Table::new(
        "gradients",
        [
            "objective",
            "value",
            "parameter",
            "derivative",
            "no influence",
            "no derivative",
        ],
        rows,
    )
}

/// `hessian.csv`: one row per objective and pair of parameters.
fn hessian(found: &HessianReport) -> Table {
    let of = |(i, j): (usize, usize), name: &str, value: f64| {
        let names = [i, j].map(|k| found.parameters[k].clone());
        let [first, second] = names;
        vec![name.to_string(), first, second, value.to_string()]
    };
    let rows = found.objectives.iter().flat_map(|hessian| {
        let entries = hessian.rows.iter().enumerate();
        entries.flat_map(move |(i, row)| {
            let row = row.iter().enumerate();
            row.map(move |(j, value)| of((i, j), &hessian.objective, *value))
        })
    });
    Table::new(
        "hessian",
        ["objective", "parameter", "and parameter", "second derivative"],
        rows,
    )
}

/// `step_study.csv`: the central quotient of every quantity at every step, and what its ends did.
fn steps(certificate: &Certificate) -> Table {
    let differences = &certificate.differences;
    let objectives = differences.objectives.iter().map(|(name, _)| name.clone());
    let events = differences.events.iter().enumerate();
    let events = events.map(|(k, event)| format!("time of event {} ({})", k + 1, event.name));
    let names: Vec<String> = objectives.chain(events).collect();
    let mut rows = Vec::new();
    for study in &differences.studies {
        for step in &study.steps {
            for (k, name) in names.iter().enumerate() {
                let quotient = step.quotients.get(k).map(f64::to_string).unwrap_or_default();
                let ends = [&step.below, &step.above].map(end);
                let mut row = vec![study.parameter.clone(), step.size.to_string(), name.clone(), quotient];
                row.extend(ends);
                rows.push(row);
            }
        }
    }
    Table::new(
        "step_study",
        ["parameter", "step", "quantity", "quotient", "below", "above"],
        rows,
    )
}

fn end(end: &End) -> String {
    match end {
        End::Same => "same events".to_string(),
        End::Changed(events) => format!("{} events, other than in the middle", events.len()),
        End::Failed(reason) => reason.clone(),
    }
}
