//! What a window shows, and how it changes when something is asked for.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kiss3d::event::Key;

use super::account::Account;
use super::arrows::ShownArrows;
use super::backdrop::Trace;
use super::curves::{Plots, Subject};
use super::gradient::ObjectiveGradient;
use super::inspect::{Grab, Hand, Inspector};
use super::optimizing::Optimizing;
use super::playback::Playback;
use super::predictions::Predictions;
use super::quantities::Quantities;
use super::watch::FileWatch;
use super::worker::Worker;
use crate::error::{Error, Result};
use crate::run::{Changes, Experiment, Interruption, Pull, Recording};
use crate::show::{Comparison, Show};

/// How long a frame waits for the simulation that it asked for.
const FRAME_WAIT: Duration = Duration::from_millis(8);

/// A motion that is asked for.
#[derive(Default)]
pub(super) struct Order {
    /// The scene file, and what is changed about it.
    pub(super) scene: PathBuf,
    pub(super) changes: Changes,
    /// Outputs besides those of the scene.
    pub(super) outputs: Vec<String>,
    /// What the mouse draws on.
    pub(super) pulls: Vec<Pull>,
}

/// What a window shows, apart from the graphics.
pub(super) struct Viewer {
    pub(super) scene: PathBuf,
    /// What the caller changes about the scene, and what the sliders change besides.
    pub(super) given: Changes,
    pub(super) changes: Changes,
    pub(super) show: Box<Show>,
    /// A motion that stays beside the shown one, if there is one.
    pub(super) kept: Comparison,
    pub(super) playback: Playback,
    /// Simulates in the background.
    pub(super) worker: Worker<Order, Box<Show>>,
    /// Values of the sliders, one per parameter, and their ends, which stay where they are while a slider is dragged.
    pub(super) values: Vec<f64>,
    pub(super) ranges: Vec<(f64, f64)>,
    /// The parameter that keys change and predictions are about.
    pub(super) chosen: usize,
    pub(super) predictions: Predictions,
    pub(super) gradient: ObjectiveGradient,
    /// The optimization under way, or the last one until its result is kept or discarded.
    pub(super) optimizing: Option<Optimizing>,
    /// What became of the last optimized scene that was to be saved.
    pub(super) note: Option<String>,
    /// When the last simulation was asked for, and how long it took until its motion was there.
    pub(super) asked: Option<Instant>,
    pub(super) delay: Option<Duration>,
    /// Counts the motions that were shown.
    number: u64,
    pub(super) arrows: ShownArrows,
    pub(super) inspector: Inspector,
    /// What the mouse holds.
    pub(super) grab: Option<Grab>,
    /// What the mouse has drawn on until now, and what it holds.
    pub(super) pulls: Vec<Pull>,
    pub(super) hand: Option<Hand>,
    pub(super) plots: Plots,
    pub(super) quantities: Quantities,
    pub(super) account: Account,
    /// What went wrong last.
    pub(super) message: Option<String>,
    /// Which panels are shown.
    pub(super) shown: Shown,
    /// Paths of points on the stage, once they are asked for.
    pub(super) paths: Option<Vec<Trace>>,
    watch: FileWatch,
    /// Whether the next frame is to show everything.
    pub(super) is_refitted: bool,
    /// Whether the window is to close.
    pub(super) is_closing: bool,
}

/// What is switched on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    pub(super) traces: bool,
    pub(super) names: bool,
    pub(super) frames: bool,
    pub(super) help: bool,
    pub(super) parameters: bool,
    pub(super) plot: bool,
    pub(super) ghost: bool,
    pub(super) optimization: bool,
}

type Change = Box<dyn FnOnce(&mut Viewer)>;

/// What panels ask for: changes of the window, made once all panels are drawn.
#[derive(Default)]
pub(super) struct Requests(Vec<Change>);

impl Requests {
    /// Asks for a change, if so.
    pub(super) fn when(&mut self, is_asked: bool, change: impl FnOnce(&mut Viewer) + 'static) {
        if is_asked {
            self.0.push(Box::new(change));
        }
    }

    /// Asks for what a key does, if so.
    pub(super) fn key(&mut self, is_asked: bool, key: Key) {
        self.when(is_asked, move |viewer| viewer.press(key));
    }

    pub(super) fn apply(self, viewer: &mut Viewer) {
        self.0.into_iter().for_each(|change| change(viewer));
    }
}

impl Viewer {
    pub(super) fn new(scene: &Path, changes: &Changes, show: Box<Show>) -> Self {
        Self {
            scene: scene.to_path_buf(),
            given: changes.clone(),
            changes: changes.clone(),
            playback: Playback::new(show.film.span()),
            values: values(&show),
            ranges: show.ranges(),
            chosen: 0,
            predictions: Predictions::new(),
            gradient: ObjectiveGradient::new(),
            optimizing: None,
            note: None,
            asked: None,
            delay: None,
            number: 0,
            show,
            kept: Comparison::default(),
            worker: Worker::new(simulate),
            arrows: ShownArrows::default(),
            inspector: Inspector::default(),
            grab: None,
            pulls: Vec::new(),
            hand: None,
            plots: Plots::default(),
            quantities: Quantities::default(),
            account: Account::new(),
            message: None,
            shown: Shown {
                traces: false,
                names: false,
                frames: false,
                help: false,
                parameters: true,
                plot: true,
                ghost: true,
                optimization: false,
            },
            paths: None,
            watch: FileWatch::new(scene),
            is_refitted: false,
            is_closing: false,
        }
    }

    /// Prepares predictions, gradients and the balance of energy while nothing else is to be done.
    pub(super) fn update_background(&mut self) {
        let is_wanted = self.shown.plot && self.plots.subject == Subject::Balance && !self.worker.is_busy();
        self.account.update(&mut self.show, self.number, is_wanted);
        let parameter = self.show.model().parameters.get(self.chosen);
        let chosen = parameter
            .map(|found| found.name.as_str())
            .zip(self.ranges.get(self.chosen).copied());
        let is_quiet = !self.is_optimizing();
        let chosen = chosen.filter(|_| self.shown.ghost && is_quiet);
        self.gradient.update(&self.show, self.number, self.worker.is_busy());
        self.predictions
            .update(&self.show, self.number, self.worker.is_busy(), chosen);
    }

    /// The outputs as predicted for what a slider is moved to, where predictions are shown.
    pub(super) fn predicted_recording(&self) -> Option<Recording> {
        self.predictions.recording().filter(|_| self.shown.ghost)
    }

    /// Whether every frame would be as the last one until something comes from outside.
    pub(super) fn is_at_rest(&self) -> bool {
        let is_held = self.hand.is_some() || self.grab.is_some();
        let works = [
            self.worker.is_busy(),
            self.predictions.is_busy(),
            self.gradient.is_busy(),
            self.account.is_busy(),
            self.is_optimizing(),
        ];
        !self.playback.playing && !is_held && !works.contains(&true)
    }

    pub(super) fn reload_if_changed(&mut self) {
        if self.watch.has_changed() {
            self.optimizing = None;
            self.pulls.clear();
            self.order();
        }
    }

    /// Shows the motion that the worker has made; until then and on an error the old one stays.
    pub(super) fn show_new_motion(&mut self) {
        // A short simulation is seen in the frame that asked for it; a long one must not hold the frame up.
        let is_new = self.asked.is_some_and(|asked| asked.elapsed() < FRAME_WAIT);
        let patience = if is_new { FRAME_WAIT } else { Duration::ZERO };
        match self.worker.poll_within(patience) {
            Some(Ok(mut show)) => {
                let is_same = names(&show) == names(&self.show) && show.is_planar() == self.show.is_planar();
                if is_same {
                    // What only moves otherwise keeps its thickness.
                    show.scale = self.show.scale;
                } else {
                    self.predictions.clear();
                    self.kept = Comparison::default();
                    self.chosen = 0;
                    (self.values, self.ranges) = (values(&show), show.ranges());
                }
                self.predictions.compare(&show);
                self.show = show;
                self.label_kept();
                self.number += 1;
                self.delay = self.asked.map(|asked| asked.elapsed());
                self.paths = None;
                self.arrows.clear();
                self.inspector.move_to(&self.show);
                self.message = None;
                self.playback.set_span(self.show.film.span());
                if !self.worker.is_busy() {
                    self.values = values(&self.show);
                }
            }
            Some(Err(error)) => self.message = Some(describe(&error)),
            None => {}
        }
    }
}

pub(super) fn simulate(order: Order, interruption: &Interruption) -> Result<Box<Show>> {
    let mut experiment = Experiment::open(&order.scene, &order.changes)?;
    if !order.pulls.is_empty() {
        experiment = experiment.with_pulls(&order.pulls)?;
    }
    if !order.outputs.is_empty() {
        experiment = experiment.with_outputs(&order.outputs)?;
    }
    Show::new(experiment.interruptible(interruption), &mut |_| ()).map(Box::new)
}

fn values(show: &Show) -> Vec<f64> {
    let parameters = show.model().parameters.iter();
    parameters.map(|parameter| parameter.value).collect()
}

fn names(show: &Show) -> Vec<&str> {
    let parameters = show.model().parameters.iter();
    parameters.map(|parameter| parameter.name.as_str()).collect()
}

/// An error on a few lines: place, message, advice.
pub(super) fn describe(error: &Error) -> String {
    let place = error.line().map_or(String::new(), |line| format!("line {line}: "));
    let advice = error.advice().map_or(String::new(), |advice| format!("\n{advice}"));
    format!("{place}{}{advice}", error.message())
}
