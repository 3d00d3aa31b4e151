//! The motion predicted while a slider is moved, and how far to trust it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::worker::Worker;
use crate::appearance::{Block, Scale};
use crate::run::{Curves, Experiment, Interruption, Recording, Towards, TrustCurve, assigned};
use crate::show::{Ghost, Show};

/// How long the ghost stays once the slider is released and the new motion is there.
const LINGER: Duration = Duration::from_millis(1200);

/// Most parameters that predictions are prepared for before one of them is chosen: a prediction takes a motion for each.
const MANY: usize = 24;

/// An experiment, the sizes of its motion, and the only parameter that is predicted for, where there are many.
type Origin = (Experiment, Scale, Option<String>);
/// A ghost, a parameter and the ends of its slider.
type Question = (Arc<Ghost>, String, (f64, f64));
/// How the curves of a recording follow a parameter, on either side of its value where that differs.
type Sides = Vec<(Option<Towards>, Curves)>;

/// Predictions for one parameter at a time, all from the motion that was shown before the slider moved.
pub(super) struct Predictions {
    ghosts: Worker<Origin, Ghost>,
    curves: Worker<Question, Option<TrustCurve>>,
    slopes: Worker<(Arc<Ghost>, Arc<Recording>, String), Sides>,
    ghost: Option<Arc<Ghost>>,
    /// The number of the motion that the ghost is prepared from, and the only parameter that it is of.
    origin: Option<(u64, Option<String>)>,
    /// The curves of that motion, and how they follow the parameter.
    recording: Arc<Recording>,
    sides: Sides,
    /// Why there is no prediction.
    failure: Option<String>,
    /// The parameter that was moved since, its value, and when.
    moved: Option<(String, f64, Instant)>,
    /// Whether the slider is held.
    held: bool,
    /// What the trust curve is about.
    asked: Option<String>,
    pub(super) curve: Option<TrustCurve>,
    /// Values of the parameter that were simulated, with the deviations of the prediction from them.
    pub(super) deviations: Vec<(f64, f64)>,
}

impl Predictions {
    pub(super) fn new() -> Self {
        let ghost = |(experiment, scale, only): Origin, interruption: &Interruption| {
            let is_wanted = |name: &str| only.as_ref().is_none_or(|only| only == name);
            Ghost::of(experiment.interruptible(interruption), scale, is_wanted)
        };
        let curve = |(ghost, parameter, ends): Question, interruption: &Interruption| {
            ghost.trust_curve(&parameter, ends, interruption)
        };
        let slopes = |(ghost, recording, parameter): (Arc<Ghost>, Arc<Recording>, String), _: &Interruption| {
            ghost.curves(&recording, &parameter)
        };
        Self {
            ghosts: Worker::new(ghost),
            curves: Worker::new(curve),
            slopes: Worker::new(slopes),
            recording: Arc::default(),
            sides: Vec::new(),
            ghost: None,
            origin: None,
            failure: None,
            moved: None,
            held: false,
            asked: None,
            curve: None,
            deviations: Vec::new(),
        }
    }

    /// A slider moved to a value. A ghost is of one parameter: another one waits until this one is gone.
    pub(super) fn slider_moved(&mut self, parameter: &str, value: f64) {
        if self.moved.as_ref().is_some_and(|(other, ..)| other != parameter) {
            self.clear();
            return;
        }
        if self.asked.as_deref() != Some(parameter) {
            self.deviations.clear();
        }
        self.moved = Some((parameter.to_string(), value, Instant::now()));
    }

    /// Whether the slider is held in this frame.
    pub(super) fn hold(&mut self, held: bool) {
        if let (true, Some(moved)) = (self.held, &mut self.moved) {
            moved.2 = Instant::now();
        }
        self.held = held;
    }

    /// Drops what is predicted.
    pub(super) fn clear(&mut self) {
        self.ghosts.cancel();
        self.curves.cancel();
        self.slopes.cancel();
        self.sides.clear();
        (self.ghost, self.origin, self.failure) = (None, None, None);
        (self.moved, self.asked, self.curve) = (None, None, None);
        self.deviations.clear();
    }

    /// Takes what the workers have made. When nothing moves, a prediction from the shown motion, which has this number, is
    /// prepared, and how far to trust it over this parameter.
    pub(super) fn update(&mut self, show: &Show, number: u64, is_busy: bool, chosen: Option<(&str, (f64, f64))>) {
        match self.ghosts.poll() {
            Some(Ok(ghost)) => self.ghost = Some(Arc::new(ghost)),
            Some(Err(error)) => self.failure = Some(error.message().to_string()),
            None => {}
        }
        if let Some(Ok(curve)) = self.curves.poll() {
            self.curve = curve;
        }
        if let Some(Ok(sides)) = self.slopes.poll() {
            self.sides = sides;
        }
        let Some((parameter, ends)) = chosen else { return };
        let is_fresh = |moved: &(String, f64, Instant)| moved.2.elapsed() < LINGER;
        let is_moving = self.held || is_busy || self.moved.as_ref().is_some_and(is_fresh);
        let only = (show.model().parameters.len() > MANY).then(|| parameter.to_string());
        let origin = Some((number, only.clone()));
        if !is_moving && self.origin != origin {
            self.clear();
            self.origin = origin;
            self.recording = Arc::new(show.recording.clone());
            self.ghosts.order((show.experiment.clone(), show.scale, only));
        } else if !is_moving {
            self.moved = None;
        }
        if let Some(ghost) = self.ghost.as_ref().filter(|_| self.asked.as_deref() != Some(parameter)) {
            self.curves.order((ghost.clone(), parameter.to_string(), ends));
            self.slopes
                .order((ghost.clone(), self.recording.clone(), parameter.to_string()));
            self.sides.clear();
            (self.asked, self.curve) = (Some(parameter.to_string()), None);
            if self.moved.as_ref().is_none_or(|(moved, ..)| moved != parameter) {
                self.deviations.clear();
            }
        }
    }

    /// Whether something is being prepared, or goes away in a moment.
    pub(super) fn is_busy(&self) -> bool {
        let is_working = [self.ghosts.is_busy(), self.curves.is_busy(), self.slopes.is_busy()];
        is_working.contains(&true) || self.moved.is_some()
    }

    /// Compares the prediction with the motion that was simulated for the same value.
    pub(super) fn compare(&mut self, simulated: &Show) {
        let (Some(ghost), Some((parameter, ..))) = (&self.ghost, &self.moved) else {
            return;
        };
        let parameters = &simulated.model().parameters;
        let Some(found) = parameters.iter().find(|found| found.name == *parameter) else {
            return;
        };
        let change = ghost.change(parameter, found.value);
        if let Some(deviation) = change.and_then(|dp| ghost.deviation(&dp, simulated)) {
            self.deviations.push((found.value, deviation));
        }
    }

    /// The blocks of the ghost at a time, while a slider is moved.
    pub(super) fn blocks(&self, t: f64) -> Vec<Block> {
        let (Some(ghost), Some((parameter, value, _))) = (&self.ghost, &self.moved) else {
            return Vec::new();
        };
        let change = ghost.change(parameter, *value);
        let blocks = change.and_then(|dp| ghost.blocks(t, &dp).ok());
        blocks.unwrap_or_default()
    }

    /// The outputs as predicted, while a slider is moved: none before they are prepared, nor towards a side without derivatives.
    pub(super) fn recording(&self) -> Option<Recording> {
        let (parameter, value, _) = self.moved.as_ref()?;
        let change = value - self.start(parameter)?;
        let side = if change < 0.0 { Towards::Below } else { Towards::Above };
        let is_asked = self.asked.as_ref() == Some(parameter);
        let mut sides = self.sides.iter().filter(|_| is_asked);
        let (_, curves) = sides.find(|(found, _)| found.is_none_or(|found| found == side))?;
        Some(curves.predicted(&self.recording, change))
    }

    /// What legends call the prediction, while a slider is moved.
    pub(super) fn label(&self) -> Option<String> {
        let (parameter, value, _) = self.moved.as_ref()?;
        let parameters = &self.ghost()?.experiment().mechanism.model.parameters;
        let found = parameters.iter().find(|found| found.name == *parameter)?;
        Some(format!("predicted: {}", assigned(parameter, *value, &found.unit)))
    }

    /// The prediction, once it is prepared.
    pub(super) fn ghost(&self) -> Option<&Ghost> {
        self.ghost.as_deref()
    }

    /// The value of a parameter that predictions start from.
    pub(super) fn start(&self, parameter: &str) -> Option<f64> {
        self.ghost.as_ref()?.value(parameter)
    }

    /// What the panel says about predictions for a parameter.
    pub(super) fn describe(&self, parameter: &str) -> String {
        let is_of_another = matches!(&self.origin, Some((_, Some(only))) if only != parameter);
        match (&self.ghost, &self.failure) {
            (Some(_), _) if is_of_another => "prepared when the slider is released".to_string(),
            (Some(ghost), _) if ghost.value(parameter).is_none() => format!("nothing uses {parameter}"),
            (Some(_), _) => format!("error of the prediction over {parameter}"),
            (None, Some(failure)) => format!("no prediction: {failure}"),
            (None, None) => "the prediction is being prepared".to_string(),
        }
    }
}
