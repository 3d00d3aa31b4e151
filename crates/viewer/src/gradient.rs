//! The gradient of the chosen objective, kept up to date in the background.

use super::worker::Worker;
use crate::run::{DesignGradient, Experiment, Interruption};
use crate::show::Show;

/// An experiment and an objective.
type Question = (Experiment, String);

/// Gradients of one objective at a time.
pub(super) struct ObjectiveGradient {
    worker: Worker<Question, DesignGradient>,
    /// The chosen objective.
    objective: Option<String>,
    /// The number of the motion that the last question was about.
    asked: Option<u64>,
    /// The last answer; it stays until the next.
    pub(super) found: Option<DesignGradient>,
    /// Why there is none.
    pub(super) failure: Option<String>,
}

impl ObjectiveGradient {
    pub(super) fn new() -> Self {
        let gradient = |(experiment, objective): Question, interruption: &Interruption| {
            experiment.interruptible(interruption).design_gradient(&objective)
        };
        Self {
            worker: Worker::new(gradient),
            objective: None,
            asked: None,
            found: None,
            failure: None,
        }
    }

    /// Whether one is being computed.
    pub(super) fn is_busy(&self) -> bool {
        self.worker.is_busy()
    }

    /// The chosen objective.
    pub(super) fn objective(&self) -> Option<&str> {
        self.objective.as_deref()
    }

    /// Chooses an objective, or none.
    pub(super) fn choose(&mut self, objective: Option<&str>) {
        self.worker.cancel();
        self.objective = objective.map(str::to_string);
        (self.asked, self.found, self.failure) = (None, None, None);
    }

    /// Chooses the objective after the present one; none after the last.
    pub(super) fn choose_next(&mut self, show: &Show) {
        let names = || show.report.objectives.iter().map(|(name, _)| name.as_str());
        let next = match self.objective() {
            None => names().next(),
            Some(objective) => names().skip_while(|name| *name != objective).nth(1),
        };
        self.choose(next);
    }

    /// Takes an answer, and asks again when another motion, which has this number, is shown.
    pub(super) fn update(&mut self, show: &Show, number: u64, is_busy: bool) {
        match self.worker.poll() {
            Some(Ok(gradient)) => (self.found, self.failure) = (Some(gradient), None),
            Some(Err(error)) => (self.found, self.failure) = (None, Some(error.message().to_string())),
            None => {}
        }
        let Some(objective) = self.objective.clone() else {
            return;
        };
        if !show.report.objectives.iter().any(|(name, _)| *name == objective) {
            self.choose(None);
        } else if !is_busy && self.asked != Some(number) {
            self.asked = Some(number);
            self.worker.order((show.experiment.clone(), objective));
        }
    }

    /// The derivative by a parameter; none while it is unknown, or where nothing uses the parameter.
    pub(super) fn by_parameter(&self, parameter: &str) -> Option<f64> {
        let mut known = self.found.as_ref()?.parameters.iter();
        known.find(|(name, _)| name == parameter)?.1
    }
}
