//! The `gradient` command.

mod files;
mod summary;

use super::arguments::GradientArguments;
use super::common::out_folder;
use super::progress::Progress;
use crate::error::Result;
use crate::output;
use crate::report::certificate::refuse_failed;
use crate::report::step_study::step_study;
use crate::run::{Changes, Derivatives, Experiment};

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
            let figures = findings.certificate.as_ref().map(step_study);
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
