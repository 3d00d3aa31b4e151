//! An optimization that can be watched: it runs in the background, no faster than its iterations are shown.

use std::fs::OpenOptions;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind, Result};
use crate::optimize::{Iteration, Optimization, Report, SceneDesign, optimize, optimized_scene};
use crate::run::{Experiment, Interruption};

/// How long an iteration is seen at least.
const PACE: Duration = Duration::from_millis(120);
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
    /// What is optimized and how.
    pub(super) optimization: Optimization,
    /// When the last iteration was shown.
    shown_at: Instant,
    /// Iterations that have been shown.
    pub(super) history: Vec<Iteration>,
    /// How it ended.
    pub(super) report: Option<Result<Report>>,
}

impl Optimizing {
    /// Starts it; none if the scene does not say what to optimize.
    pub(super) fn start(experiment: &Experiment) -> Option<Self> {
        let optimization = experiment.optimization.clone()?;
        let interruption = Interruption::new();
        let experiment = experiment.clone().interruptible(&interruption);
        // The search waits until an iteration has been shown, so that it stops where it is seen to be.
        let (sender, messages) = sync_channel(1);
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
            shown_at: Instant::now(),
            history: Vec::new(),
            report: None,
        })
    }

    /// Ends the search, after the present step of its simulation, and shows the best that was found.
    pub(super) fn stop(&self) {
        self.interruption.set();
    }

    /// Whether it has ended.
    pub(super) fn is_over(&self) -> bool {
        self.report.is_some()
    }

    /// Values of the variables to be shown from now on, when it is time for others: not while those before are still awaited, unless
    /// the search is stopped.
    pub(super) fn poll(&mut self, is_awaited: bool) -> Option<Vec<(String, f64)>> {
        let is_stopped = self.interruption.is_set();
        let is_early = is_awaited || (self.shown_at.elapsed() < PACE && !self.history.is_empty());
        if self.is_over() || (is_early && !is_stopped) {
            return None;
        }
        loop {
            match self.messages.try_recv() {
                Ok(Message::Iteration(iteration)) => {
                    let values = self.named(&iteration.parameters);
                    self.history.push(iteration);
                    self.shown_at = Instant::now();
                    if !is_stopped {
                        return Some(values);
                    }
                }
                Ok(Message::End(report)) => return self.end(*report),
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => {
                    let message = "the optimization in the background has ended by itself";
                    return self.end(Err(Error::new(ErrorKind::Request, message)));
                }
            }
        }
    }

    /// Takes the result; returns the best values.
    fn end(&mut self, report: Result<Report>) -> Option<Vec<(String, f64)>> {
        let best = report.as_ref().ok().map(|report| self.named(&report.best.parameters));
        self.report = Some(report);
        best
    }

    /// What is shown, once something is: the best point in the end, the last iteration until then.
    pub(super) fn parameters(&self) -> Option<&[f64]> {
        match &self.report {
            Some(Ok(report)) => Some(&report.best.parameters),
            _ => self.history.last().map(|last| &last.parameters[..]),
        }
    }

    /// The values of what has limits, in their order, at the same point.
    pub(super) fn limited(&self) -> Vec<f64> {
        match &self.report {
            Some(Ok(report)) => report.limits.iter().map(|(_, value)| *value).collect(),
            _ => self.history.last().map_or_else(Vec::new, |last| last.limits.clone()),
        }
    }

    /// Values of the variables at the start.
    pub(super) fn start_values(&self) -> Vec<(String, f64)> {
        let variables = self.optimization.variables.iter();
        let starts: Vec<f64> = variables.map(|variable| variable.start).collect();
        self.named(&starts)
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
        let Some(Ok(report)) = &self.report else {
            let message = "there is no optimized scene to save yet";
            return Err(Error::new(ErrorKind::Request, message));
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
    let message = format!("{} cannot be written: {error}", path.display());
    Error::new(ErrorKind::File, message)
        .advise("allow writing to the folder of the scene, or run `costate optimize --out DIR`")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use super::Optimizing;
    use crate::optimize::Status;
    use crate::run::{Changes, Experiment};
    use costate_design::scene::read;

    /// A ball is thrown so that it is at height 2 after one second.
    const SCENE: &str = r#"Scene(
        name: "throw", space: Planar, parameters: { "v": (value: 4.0, bounds: (0, 20)) }, gravity: [0, -9.81],
        points: { "ball": (at: [0, 0], velocity: [0, "v"], mass: 1) },
        objectives: { "miss": Final("(ball.y - 2)^2") },
        simulation: (duration: 1.0),
        optimization: (minimize: "miss", over: ["v"], SOLVER),
    )"#;

    /// The optimization of a scene in a folder, and what was to be shown until it was over.
    fn watched(folder: &std::path::Path, solver: &str, stop_after: usize) -> (Optimizing, Vec<f64>) {
        let path = folder.join("throw.ron");
        fs::write(&path, SCENE.replace("SOLVER", solver)).unwrap();
        let experiment = Experiment::new(&read(&path).unwrap(), &Changes::default()).unwrap();
        let mut running = Optimizing::start(&experiment).unwrap();
        let (since, mut shown) = (Instant::now(), Vec::new());
        while !running.is_over() {
            shown.extend(running.poll(false).map(|values| values[0].1));
            if shown.len() == stop_after {
                running.stop();
            }
            sleep(Duration::from_millis(2));
            assert!(since.elapsed() < Duration::from_secs(60), "it does not end");
        }
        (running, shown)
    }

    #[test]
    fn every_iteration_is_shown_and_the_best_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let (running, shown) = watched(folder.path(), "solver: LbfgsB", usize::MAX);
        let report = running.report.as_ref().unwrap().as_ref().unwrap();
        assert_eq!(shown[0], 4.0);
        assert_eq!(shown.len(), report.history.len() + 1);
        assert!((shown.last().unwrap() - (2.0 + 9.81 / 2.0)).abs() < 1e-6, "{shown:?}");
        assert_eq!(running.history, report.history);
    }

    #[test]
    fn a_search_that_is_stopped_keeps_the_best_so_far() {
        let folder = tempfile::tempdir().unwrap();
        let endless = "solver: NelderMead, stopping: (decrease: 0, gradient: 0)";
        let (running, shown) = watched(folder.path(), endless, 2);
        let report = running.report.as_ref().unwrap().as_ref().unwrap();
        assert_eq!(report.status, Status::Interrupted);
        assert_eq!(shown.last(), report.best.parameters.first());
        assert!(report.best.value <= report.initial.value);
    }

    #[test]
    fn the_optimized_scene_stands_beside_the_scene_and_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (running, _) = watched(folder.path(), "solver: LbfgsB", usize::MAX);
        let scene = folder.path().join("throw.ron");
        let before = fs::read_to_string(&scene).unwrap();
        let (first, second) = (running.save(&scene).unwrap(), running.save(&scene).unwrap());
        assert_eq!(first, folder.path().join("throw-optimized.ron"));
        assert_eq!(second, folder.path().join("throw-optimized-2.ron"));
        assert_eq!(fs::read_to_string(&scene).unwrap(), before);
        let saved = Experiment::new(&read(&first).unwrap(), &Changes::default()).unwrap();
        let best = &running.report.as_ref().unwrap().as_ref().unwrap().best;
        assert_eq!(saved.mechanism.model.parameters[0].value, best.parameters[0]);
    }
}
