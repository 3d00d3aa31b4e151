//! An optimization that can be watched: it runs in the background, and its iterations are shown one after another.

use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind, Result};
use crate::optimize::{Iteration, Report, SceneDesign, optimize, optimized_scene};
use crate::run::{Experiment, Interruption};
use crate::scene::compile::Optimization;

/// How long an iteration is seen at least.
const PACE: Duration = Duration::from_millis(250);
/// Files that may stand beside a scene with the same beginning of their names.
const MOST_COPIES: u32 = 1000;

/// What comes from the background.
enum Message {
    Iteration(Iteration),
    End(Box<Result<Report>>),
}

/// An optimization from the values that were shown when it began.
pub(super) struct Optimizing {
    messages: Receiver<Message>,
    interruption: Interruption,
    experiment: Experiment,
    optimization: Optimization,
    /// Iterations that are not shown yet.
    waiting: VecDeque<Iteration>,
    shown_at: Instant,
    /// Iterations that have been shown.
    pub(super) history: Vec<Iteration>,
    /// How it ended; the history may still be behind.
    report: Option<Result<Report>>,
    /// Whether all there is has been shown.
    is_over: bool,
}

impl Optimizing {
    /// Starts it; none if the scene does not say what to optimize.
    pub(super) fn start(experiment: &Experiment) -> Option<Self> {
        let optimization = experiment.optimization.clone()?;
        let interruption = Interruption::new();
        let experiment = experiment.clone().interruptible(&interruption);
        let (sender, messages) = channel();
        let (theirs, problem, flag) = (experiment.clone(), optimization.clone(), interruption.clone());
        thread::spawn(move || {
            let design = SceneDesign::new(&theirs, &problem);
            let found = optimize(&design, &problem, &mut |iteration| {
                let told = sender.send(Message::Iteration(iteration.clone()));
                match flag.is_set() || told.is_err() {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            });
            // Without a receiver nobody waits for the end.
            let _ = sender.send(Message::End(Box::new(found.map_err(|error| theirs.located(error)))));
        });
        Some(Self {
            messages,
            interruption,
            experiment,
            optimization,
            waiting: VecDeque::new(),
            shown_at: Instant::now(),
            history: Vec::new(),
            report: None,
            is_over: false,
        })
    }

    /// Ends the search, after the present step of its simulation, and shows the best that was found.
    pub(super) fn stop(&mut self) {
        self.interruption.set();
        self.shown_at = Instant::now();
    }

    /// What is optimized and how.
    pub(super) fn optimization(&self) -> &Optimization {
        &self.optimization
    }

    /// Whether everything has been shown.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// How it ended, once everything has been shown.
    pub(super) fn report(&self) -> Option<&Result<Report>> {
        self.report.as_ref().filter(|_| self.is_over)
    }

    /// Values of the variables to be shown from now on, when it is time for others.
    pub(super) fn poll(&mut self) -> Option<Vec<(String, f64)>> {
        loop {
            match self.messages.try_recv() {
                Ok(Message::Iteration(iteration)) => self.waiting.push_back(iteration),
                Ok(Message::End(report)) => self.report = Some(*report),
                Err(TryRecvError::Disconnected) if self.report.is_none() => {
                    let message = "the optimization in the background has ended by itself";
                    self.report = Some(Err(Error::new(ErrorKind::Request, message)));
                }
                Err(_) => break,
            }
        }
        let is_stopped = self.interruption.is_set();
        if self.is_over || (!is_stopped && self.shown_at.elapsed() < PACE && !self.history.is_empty()) {
            return None;
        }
        if is_stopped {
            self.history.extend(self.waiting.drain(..));
        }
        if let Some(iteration) = self.waiting.pop_front() {
            self.shown_at = Instant::now();
            let values = self.named(&iteration.parameters);
            self.history.push(iteration);
            return Some(values);
        }
        self.is_over = self.report.is_some();
        let best = self.report()?.as_ref().ok()?;
        Some(self.named(&best.best.parameters))
    }

    /// Values of the variables at the start.
    pub(super) fn start_values(&self) -> Vec<(String, f64)> {
        let variables = self.optimization.variables.iter();
        variables
            .map(|variable| (variable.name.clone(), variable.start))
            .collect()
    }

    fn named(&self, values: &[f64]) -> Vec<(String, f64)> {
        let variables = self.optimization.variables.iter();
        let names = variables.map(|variable| variable.name.clone());
        names.zip(values.iter().copied()).collect()
    }

    /// Writes the optimized scene beside the scene, under a name that is not taken yet.
    ///
    /// # Errors
    /// Kind `Request` before there is a result; kind `File` when nothing can be written.
    pub(super) fn save(&self, scene: &Path) -> Result<PathBuf> {
        let Some(Ok(report)) = self.report() else {
            return Err(Error::new(
                ErrorKind::Request,
                "there is no optimized scene to save yet",
            ));
        };
        let by = ("view", report.simulations);
        let text = optimized_scene(&self.experiment, &self.optimization, report, by, &[])?;
        let stem = scene.file_stem().unwrap_or_default().to_string_lossy();
        for number in 1..=MOST_COPIES {
            let name = match number {
                1 => format!("{stem}-optimized.ron"),
                _ => format!("{stem}-optimized-{number}.ron"),
            };
            let path = scene.with_file_name(name);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    let written = file.write_all(text.as_bytes());
                    return written.map(|()| path.clone()).map_err(|error| refused(&path, &error));
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(refused(&path, &error)),
            }
        }
        Err(Error::new(ErrorKind::File, "too many optimized scenes stand beside the scene").named(stem))
    }
}

impl Drop for Optimizing {
    fn drop(&mut self) {
        self.interruption.set();
    }
}

fn refused(path: &Path, error: &std::io::Error) -> Error {
    Error::new(
        ErrorKind::File,
        format!("{} cannot be written: {error}", path.display()),
    )
    .advise("allow writing to the folder of the scene, or run `costate optimize --out DIR`")
}
