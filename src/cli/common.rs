//! The options of every command, and how its results are shown.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::print::{note, say};
use crate::error::{Result, printable};
use crate::files::OutFolder;
use crate::run::{Changes, Experiment, Interruption};
use crate::scene::schema::FormulationKind;

/// Options of every command.
#[derive(Debug, Args)]
pub(super) struct Common {
    /// Scene file.
    #[arg(value_name = "SCENE")]
    pub scene: PathBuf,
    /// Replace a parameter; may be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<(String, f64)>,
    /// How constraints enter the equations of motion.
    #[arg(long, value_enum)]
    pub formulation: Option<FormulationKind>,
    /// Relative tolerance of a step.
    #[arg(long, allow_negative_numbers = true)]
    pub rtol: Option<f64>,
    /// Absolute tolerance of a step.
    #[arg(long, allow_negative_numbers = true)]
    pub atol: Option<f64>,
    /// Simulated time in seconds.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub duration: Option<f64>,
    /// Read files that the scene names outside its folder as well; nothing of their lines is shown.
    #[arg(long)]
    pub allow_outside: bool,
    /// Print one JSON object on standard output and nothing else there.
    #[arg(long)]
    pub json: bool,
    /// Print no summary and no progress.
    #[arg(long)]
    pub quiet: bool,
}

impl Common {
    /// What the options change about the scene.
    pub fn changes(&self) -> Changes {
        Changes {
            case: None,
            parameters: self.set.clone(),
            formulation: self.formulation,
            rtol: self.rtol,
            atol: self.atol,
            atol_over_sizes: false,
            duration: self.duration,
            memory: None,
            allow_outside: self.allow_outside,
            interruption: Interruption::default(),
        }
    }

    /// The same, to be ended when the time is over, which begins now.
    pub fn changes_within(&self, limit: &TimeLimit) -> Changes {
        Changes {
            interruption: Interruption::within(limit.max_time),
            ..self.changes()
        }
    }

    /// Prints remarks, unless nothing is to be printed.
    pub fn remark(&self, remarks: &[String]) {
        for remark in remarks.iter().filter(|_| !self.quiet) {
            note!("remark: {}", printable(remark));
        }
    }

    /// Prints what was found: as one JSON object, in words, or not at all.
    ///
    /// # Errors
    /// Kind `File` when standard output cannot be written.
    pub fn show(&self, report: &impl Serialize, words: impl FnOnce() -> Result<()>) -> Result<()> {
        match (self.json, self.quiet) {
            (true, _) => say!("{:#}", json!(report)),
            (false, true) => Ok(()),
            (false, false) => words(),
        }
    }
}

/// The folder for results, if there is one, checked before anything is computed; nothing that the scene is read from is
/// replaced there.
///
/// # Errors
/// Kind `File` when it cannot be written.
pub(super) fn out_folder(out: Option<&Path>, experiment: &Experiment) -> Result<Option<OutFolder>> {
    out.map(|folder| OutFolder::checked(folder, experiment.inputs()))
        .transpose()
}

/// The option of every command that ends by itself.
#[derive(Debug, Args)]
pub(super) struct TimeLimit {
    /// Most seconds that the command may compute, by the clock; it ends with an error where that does not suffice.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    max_time: Option<Duration>,
}

fn seconds(text: &str) -> std::result::Result<Duration, String> {
    let wrong = |_| format!("{text:?} is no time; write seconds above zero, for example 90");
    let number: f64 = text.trim().parse().map_err(wrong)?;
    let time = Duration::try_from_secs_f64(number).ok().filter(|time| !time.is_zero());
    time.ok_or("write seconds above zero, for example 90".to_string())
}

pub(super) fn assignment(text: &str) -> std::result::Result<(String, f64), String> {
    // Names may have the sign as well.
    let (name, value) = text.rsplit_once('=').ok_or("write NAME=VALUE, for example L01=2.1")?;
    let number: f64 = value.trim().parse().map_err(|_| format!("{value:?} is not a number"))?;
    if !number.is_finite() {
        return Err(format!("{value} is not a finite number"));
    }
    Ok((name.trim().to_string(), number))
}
