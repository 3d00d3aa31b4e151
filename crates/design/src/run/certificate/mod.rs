//! The certificate of a gradient: adjoint against forward sensitivities against difference quotients, entry by entry, with
//! what the differences crossed and how far the motion keeps from the places where there is no gradient.

mod judge;
mod sides;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::Serialize;

use super::difference::{Differences, Estimate, same_events};
use super::experiment::Experiment;
use super::gradient::{GradientReport, Method};
use super::margins::Margins;
use super::recording::EventMark;
use super::recording::Towards;
use crate::error::{ErrorKind, Result};

pub use judge::TOLERANCE_RULE;

/// The comparison run of both methods uses tolerances this much looser: the change of a gradient bounds its error.
const LOOSER: f64 = 10.0;

/// What was found about an entry, or about all of them; the worst comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// All methods agree within the tolerance.
    Passed,
    /// Nothing has a derivative by the parameter, which cannot change alone.
    #[serde(rename = "no derivative")]
    NoDerivative,
    /// Adjoint and forward agree, but the events change within every step of the difference.
    #[serde(rename = "crosses an event change")]
    CrossesEventChange,
    /// Adjoint and forward agree, but no comparison is accurate enough to tell.
    Inconclusive,
    /// Two methods contradict each other.
    Failed,
}

/// The verdict in words, as in the JSON.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// What is differentiated.
#[derive(Clone, Debug, PartialEq)]
pub enum Certified {
    /// An objective by name.
    Objective(String),
    /// The time of the event with this index.
    EventTime(usize, EventMark),
}

/// One derivative by all methods.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// What is differentiated.
    #[serde(flatten)]
    pub quantity: Certified,
    /// With respect to this parameter.
    pub parameter: String,
    /// On this side of its value alone, where both sides have derivatives of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<Towards>,
    /// By the adjoint, which has no event times.
    pub adjoint: Option<f64>,
    /// By the forward sensitivities.
    pub forward: f64,
    /// By difference quotients, extrapolated.
    pub difference: Option<Estimate>,
    /// Largest difference of the methods that passes.
    pub tolerance: f64,
    /// Verdict.
    pub verdict: Verdict,
    /// Why it did not pass; empty if it did.
    pub reason: String,
}

/// Everything that was compared.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The worst verdict of all entries.
    pub verdict: Verdict,
    /// Relative tolerance of both methods.
    pub rtol: f64,
    /// One entry per objective and parameter, then per event and parameter.
    pub entries: Vec<Entry>,
    /// Step studies.
    pub differences: Differences,
    /// Distances from the nearest motions without a gradient.
    pub margins: Margins,
}

/// The gradients by all methods. The looser ones are of the same system at a tolerance ten times larger.
#[derive(Clone, Debug)]
struct Evidence {
    pub adjoint: GradientReport,
    pub adjoint_looser: GradientReport,
    pub forward: GradientReport,
    pub forward_looser: GradientReport,
    pub differences: Differences,
}

impl Experiment {
    /// Gradients by all methods, compared. Returns the gradient by one of them, always with the derivatives of the event
    /// times; `progress` is told the fraction of the differences done, from any thread. Where events at one instant have no
    /// derivative in common, the derivatives of both sides are compared with one-sided quotients.
    ///
    /// # Errors
    /// Whatever ends the simulation, and grazed events. A gradient that fails the comparison is no error here.
    pub fn certify(&self, method: Method, progress: &(dyn Fn(f64) + Sync)) -> Result<(GradientReport, Certificate)> {
        match self.certify_in_common(method, progress) {
            Err(error) if error.kind() == ErrorKind::Event => self.certify_sides(method, error, progress),
            found => found,
        }
    }

    /// The same where all events have derivatives in common.
    fn certify_in_common(
        &self,
        method: Method,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<(GradientReport, Certificate)> {
        let looser = self.looser()?;
        let evidence = Evidence {
            adjoint: self.gradient(Method::Adjoint)?,
            adjoint_looser: looser.gradient(Method::Adjoint)?,
            forward: self.gradient(Method::Forward)?,
            forward_looser: looser.gradient(Method::Forward)?,
            differences: self.differences(progress)?,
        };
        let margins = self.margins()?;
        let mut report = match method {
            Method::Adjoint => GradientReport {
                events: evidence.forward.events.clone(),
                ..evidence.adjoint.clone()
            },
            Method::Forward => evidence.forward.clone(),
            Method::FiniteDifference => self.difference_report(evidence.differences.clone()),
        };
        report.leave_out(evidence.adjoint.undetermined.clone());
        Ok((report, self.judge(evidence, margins)))
    }

    fn looser(&self) -> Result<Self> {
        let mut looser = self.clone();
        looser.options.tolerance = self.options.tolerance.relaxed(LOOSER)?;
        Ok(looser)
    }

    /// The certificate that the evidence supports.
    fn judge(&self, evidence: Evidence, margins: Margins) -> Certificate {
        let entries = judge::entries(self, &evidence);
        self.certificate(entries, evidence.differences, margins)
    }

    fn certificate(&self, entries: Vec<Entry>, differences: Differences, margins: Margins) -> Certificate {
        let worst = entries.iter().map(|entry| entry.verdict).max();
        Certificate {
            verdict: worst.unwrap_or(Verdict::Passed),
            rtol: self.options.tolerance.rtol(),
            entries,
            differences,
            margins,
        }
    }
}

impl Evidence {
    /// Whether the accurate runs of the differences saw the events that the gradients passed.
    fn same_motion(&self) -> bool {
        let events: Vec<EventMark> = self.forward.events.iter().map(|(event, _)| event.clone()).collect();
        same_events(&events, &self.differences.events)
    }
}
