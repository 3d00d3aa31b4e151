//! The values of the parameters: moved by hand, by keys, or by an optimization.

use std::time::Instant;

use super::optimizing::Optimizing;
use super::state::{Order, Viewer, describe};

impl Viewer {
    pub(super) fn set(&mut self, parameter: usize, value: f64) {
        if self.is_optimizing() {
            return;
        }
        let Some(found) = self.show.model().parameters.get(parameter) else {
            return;
        };
        let name = found.name.clone();
        (self.values[parameter], self.chosen) = (value, parameter);
        self.predictions.slider_moved(&name, value);
        self.change(&[(name, value)]);
    }

    /// Simulates with other values of parameters.
    fn change(&mut self, values: &[(String, f64)]) {
        let replaced = |name: &String| values.iter().any(|(other, _)| other == name);
        self.changes.parameters.retain(|(name, _)| !replaced(name));
        self.changes.parameters.extend_from_slice(values);
        self.order();
    }

    pub(super) fn is_optimizing(&self) -> bool {
        self.optimizing.as_ref().is_some_and(|running| !running.is_over())
    }

    /// Starts the optimization from the present values, or stops it.
    pub(super) fn optimize(&mut self) {
        (self.shown.parameters, self.shown.optimization) = (true, true);
        match &mut self.optimizing {
            Some(running) if !running.is_over() => running.stop(),
            _ => {
                self.predictions.clear();
                self.note = None;
                self.optimizing = Optimizing::start(&self.show.experiment);
            }
        }
    }

    /// Shows the next iteration when it is time for it: once the motion of the one before is there, however long that takes.
    pub(super) fn follow_optimization(&mut self) {
        let is_awaited = self.worker.is_busy();
        let next = self.optimizing.as_mut().and_then(|running| running.poll(is_awaited));
        if let Some(values) = next {
            self.change(&values);
        }
    }

    pub(super) fn keep(&mut self) {
        if !self.is_optimizing() {
            self.optimizing = None;
        }
    }

    pub(super) fn discard(&mut self) {
        if self.is_optimizing() {
            return;
        }
        if let Some(done) = self.optimizing.take() {
            self.change(&done.start_values());
        }
    }

    pub(super) fn save(&mut self) {
        match self.optimizing.as_ref().map(|done| done.save(&self.scene)) {
            Some(Ok(path)) => {
                let name = path.file_name().unwrap_or_default();
                self.note = Some(format!("saved as {}", name.to_string_lossy()));
            }
            Some(Err(error)) => self.note = Some(describe(&error)),
            None => {}
        }
    }

    /// Chooses another parameter, going round.
    pub(super) fn choose(&mut self, places: isize) {
        let count = self.values.len().max(1) as isize;
        self.chosen = (self.chosen as isize + places).rem_euclid(count) as usize;
    }

    /// Colours bars by the gradient of an objective; by nothing if it is the present one.
    pub(super) fn colour_by(&mut self, index: usize) {
        let objective = self.show.report.objectives.get(index).map(|(name, _)| name.as_str());
        let other = objective.filter(|name| self.gradient.objective() != Some(name));
        self.gradient.choose(other);
    }

    /// Changes the chosen parameter by a part of its slider.
    pub(super) fn nudge(&mut self, part: f64) {
        if let (Some(value), Some((low, high))) = (self.values.get(self.chosen), self.ranges.get(self.chosen)) {
            let changed = (value + part * (high - low)).clamp(*low, *high);
            self.set(self.chosen, changed);
        }
    }

    pub(super) fn reset(&mut self) {
        self.optimizing = None;
        self.changes = self.given.clone();
        self.pulls.clear();
        self.predictions.clear();
        self.order();
    }

    pub(super) fn order(&mut self) {
        self.asked = Some(Instant::now());
        self.worker.order(Order {
            scene: self.scene.clone(),
            changes: self.changes.clone(),
            outputs: self.quantities.asked.clone(),
            pulls: self.pulls.clone(),
        });
    }
}
