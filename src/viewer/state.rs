//! What a window shows, and how it changes when something is asked for.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use kiss3d::prelude::Vec3;

use super::arrows::Shafts;
use super::curves::Plots;
use super::foresight::Foresight;
use super::influence::Influence;
use super::inspect::Inspector;
use super::keys::Request;
use super::optimizing::Optimizing;
use super::panels;
use super::playback::Playback;
use super::worker::Worker;
use crate::error::{Error, Result};
use crate::run::{Changes, Experiment, Interruption};
use crate::show::Show;

/// How often the scene file is looked at for changes, in seconds.
const FILE_INTERVAL: f64 = 0.5;

/// How long a frame waits for the simulation that it asked for.
const PATIENCE: Duration = Duration::from_millis(8);

/// A scene file and what is changed about it.
pub(super) type Order = (PathBuf, Changes);

/// What a window shows, apart from the graphics.
pub(super) struct Viewer {
    pub(super) scene: PathBuf,
    /// What the caller changes about the scene, and what the sliders change besides.
    pub(super) given: Changes,
    pub(super) changes: Changes,
    pub(super) show: Box<Show>,
    pub(super) playback: Playback,
    /// Simulates in the background.
    pub(super) worker: Worker<Order, Box<Show>>,
    /// Values of the sliders, one per parameter, and their ends, which stay where they are while a slider is dragged.
    pub(super) values: Vec<f64>,
    pub(super) ranges: Vec<(f64, f64)>,
    /// The parameter that keys change and predictions are about.
    pub(super) chosen: usize,
    pub(super) foresight: Foresight,
    pub(super) influence: Influence,
    /// The optimization under way, or the last one until its result is kept or discarded.
    pub(super) optimizing: Option<Optimizing>,
    /// What became of the last optimized scene that was to be saved.
    pub(super) note: Option<String>,
    /// When the last simulation was asked for, and how long it took until its motion was there.
    pub(super) asked: Option<Instant>,
    pub(super) delay: Option<Duration>,
    /// Counts the motions that were shown.
    number: u64,
    pub(super) arrows: Shafts,
    pub(super) inspector: Inspector,
    pub(super) plots: Plots,
    /// What went wrong last.
    pub(super) message: Option<String>,
    /// Which panels are shown.
    pub(super) shown: Shown,
    /// Paths of points on the stage, once they are asked for.
    pub(super) paths: Option<Vec<Vec<Vec3>>>,
    file_time: Option<SystemTime>,
    looked: Instant,
}

/// What is switched on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    pub(super) traces: bool,
    pub(super) help: bool,
    pub(super) parameters: bool,
    pub(super) plot: bool,
    pub(super) ghost: bool,
    pub(super) optimization: bool,
}

impl Viewer {
    pub(super) fn new(scene: &Path, changes: &Changes, show: Box<Show>) -> Self {
        Self {
            scene: scene.to_path_buf(),
            given: changes.clone(),
            changes: changes.clone(),
            playback: Playback::new(show.film.span()),
            values: values(&show),
            ranges: panels::ranges(&show),
            chosen: 0,
            foresight: Foresight::new(),
            influence: Influence::new(),
            optimizing: None,
            note: None,
            asked: None,
            delay: None,
            number: 0,
            show,
            worker: Worker::new(simulate),
            arrows: Shafts::default(),
            inspector: Inspector::default(),
            plots: Plots::default(),
            message: None,
            shown: Shown {
                traces: false,
                help: false,
                parameters: true,
                plot: true,
                ghost: true,
                optimization: false,
            },
            paths: None,
            file_time: modified(scene),
            looked: Instant::now(),
        }
    }

    /// Does what a key or a button asks for.
    pub(super) fn answer(&mut self, request: Request) {
        let events = || self.show.report.events.iter().map(|event| event.t);
        match request {
            Request::Toggle => self.playback.toggle(),
            Request::Step(direction) => self.playback.step(direction),
            Request::Next => {
                let events: Vec<f64> = events().collect();
                self.playback.seek_next(events.into_iter());
            }
            Request::Previous => {
                let events: Vec<f64> = events().collect();
                self.playback.seek_previous(events.into_iter());
            }
            Request::Seek(t) => self.playback.seek(t),
            Request::Speed(speed) => self.playback.set_speed(speed),
            Request::Faster(factor) => self.playback.set_speed(self.playback.speed() * factor),
            Request::Loop => self.playback.looping = !self.playback.looping,
            Request::Traces => self.shown.traces = !self.shown.traces,
            Request::Help => self.shown.help = !self.shown.help,
            Request::Parameters => self.shown.parameters = !self.shown.parameters,
            Request::Plot => self.shown.plot = !self.shown.plot,
            Request::Set(parameter, value) => self.set(parameter, value),
            Request::Hold(held) => self.foresight.hold(held),
            Request::Choose(places) => self.choose(places),
            Request::Nudge(part) => self.nudge(part),
            Request::Side => self.shown.optimization = !self.shown.optimization,
            Request::Optimize => self.optimize(),
            Request::Keep => self.keep(),
            Request::Discard => self.discard(),
            Request::Save => self.save(),
            Request::Objective(index) => self.colour_by(index),
            Request::NextObjective => self.influence.choose_next(&self.show),
            Request::Ghost => self.shown.ghost = !self.shown.ghost,
            Request::Arrows(kind) => self.arrows.toggle(kind),
            Request::Energy => {
                self.plots.energy = !self.plots.energy;
                self.shown.plot = true;
            }
            Request::Output(index) => self.plots.toggle(index, &self.show.recording),
            Request::Press(at) => self.inspector.press(at),
            Request::Clear => self.inspector.select(None, &self.show),
            Request::Reset => self.reset(),
            Request::Close | Request::Fit | Request::Release(_) => {}
        }
    }

    /// Prepares predictions and gradients while nothing else is to be done.
    pub(super) fn foresee(&mut self) {
        let parameter = self.show.model().parameters.get(self.chosen);
        let chosen = parameter
            .map(|found| found.name.as_str())
            .zip(self.ranges.get(self.chosen).copied());
        let is_quiet = !self.is_optimizing();
        let chosen = chosen.filter(|_| self.shown.ghost && is_quiet);
        self.influence.update(&self.show, self.number, self.worker.is_busy());
        self.foresight
            .update(&self.show, self.number, self.worker.is_busy(), chosen);
    }

    pub(super) fn look_at_the_file(&mut self) {
        if self.looked.elapsed().as_secs_f64() < FILE_INTERVAL {
            return;
        }
        self.looked = Instant::now();
        let time = modified(&self.scene);
        if time.is_some() && time != self.file_time {
            self.file_time = time;
            self.optimizing = None;
            self.order();
        }
    }

    /// Shows the motion that the worker has made; until then and on an error the old one stays.
    pub(super) fn take_over(&mut self) {
        // A short simulation is seen in the frame that asked for it; a long one must not hold the frame up.
        let is_new = self.asked.is_some_and(|asked| asked.elapsed() < PATIENCE);
        let patience = if is_new { PATIENCE } else { Duration::ZERO };
        match self.worker.poll_within(patience) {
            Some(Ok(mut show)) => {
                let is_same = names(&show) == names(&self.show) && show.is_planar() == self.show.is_planar();
                if is_same {
                    // What only moves otherwise keeps its thickness.
                    show.scale = self.show.scale;
                } else {
                    self.foresight.forget();
                    self.chosen = 0;
                    (self.values, self.ranges) = (values(&show), panels::ranges(&show));
                }
                self.foresight.compare(&show);
                self.show = show;
                self.number += 1;
                self.delay = self.asked.map(|asked| asked.elapsed());
                self.paths = None;
                self.arrows.forget();
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

pub(super) fn simulate((scene, changes): Order, interruption: &Interruption) -> Result<Box<Show>> {
    let experiment = Experiment::open(&scene, &changes)?.interruptible(interruption);
    Show::new(experiment, &mut |_| ()).map(Box::new)
}

fn values(show: &Show) -> Vec<f64> {
    show.model()
        .parameters
        .iter()
        .map(|parameter| parameter.value)
        .collect()
}

fn names(show: &Show) -> Vec<&str> {
    show.model()
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect()
}

pub(super) fn modified(scene: &Path) -> Option<SystemTime> {
    scene.metadata().and_then(|metadata| metadata.modified()).ok()
}

/// An error on a few lines: place, message, advice.
pub(super) fn describe(error: &Error) -> String {
    let mut text = match error.line() {
        Some(line) => format!("line {line}: {}", error.message()),
        None => error.message().to_string(),
    };
    if let Some(advice) = error.advice() {
        text.push('\n');
        text.push_str(advice);
    }
    text
}
