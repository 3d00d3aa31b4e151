//! Interrupting and resuming.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use costate::error::{ErrorKind, Result};
use costate::optimize::{
    Checkpoint, Design, Evaluation, Interruptible, Iteration, MultistartReport, SceneDesign, Status,
    optimize_from_starts,
};
use costate::run::{Changes, Experiment, Interruption};
use costate::scene::compiled::Optimization;
use costate::scene::schema::Solver;

use crate::formula::{Formula, task, waves};
use crate::{by, open};

fn wavy() -> Formula {
    Formula {
        wall: 4.5,
        ..Formula::new(waves)
    }
}

fn several() -> Optimization {
    let mut task = task(Solver::LbfgsB, 4.0, [-5.0, 5.0], 2);
    task.starts = 8;
    task
}

fn from_starts(design: &(dyn Design + Sync), task: &Optimization) -> MultistartReport {
    let watch = |_: usize, _: &Iteration| ControlFlow::Continue(());
    optimize_from_starts(design, task, 3, &watch).unwrap()
}

/// Sets a flag after so many evaluations.
struct Counted<'a> {
    design: &'a Formula,
    most: u32,
    flag: &'a Interruption,
}

impl Design for Counted<'_> {
    fn evaluate(&self, p: &[f64], gradient: bool) -> Result<Evaluation> {
        let found = self.design.evaluate(p, gradient);
        if self.design.calls() >= self.most {
            self.flag.set();
        }
        found
    }
}

/// A log of the task interrupted after so many evaluations, and its result.
fn interrupted(path: &Path, task: &Optimization, most: u32) -> MultistartReport {
    let (formula, flag) = (wavy(), Interruption::new());
    let counted = Counted {
        design: &formula,
        most,
        flag: &flag,
    };
    let design = Interruptible::new(&counted, &flag);
    let log = Checkpoint::create(path, "waves", "1", &design).unwrap();
    let found = from_starts(&log, task);
    log.finish().unwrap();
    found
}

#[test]
fn an_interrupted_search_keeps_the_best_and_resumes_to_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let task = several();
    let (whole, all) = (from_starts(&wavy(), &task), wavy());
    from_starts(&all, &task);
    for most in [1, 10, 40] {
        let part = interrupted(&path, &task, most);
        assert!(part.interrupted);
        assert!(part.runs.iter().any(|run| run.status == Status::Interrupted));
        let design = wavy();
        let log = Checkpoint::resume(&path, "waves", "1", &design).unwrap();
        let again = from_starts(&log, &task);
        assert!(log.recalled() >= most as usize);
        // Nothing is simulated twice.
        assert_eq!(design.calls() as usize + log.recalled(), all.calls() as usize);
        assert_eq!(again.minima, whole.minima);
        for (a, b) in again.runs.iter().zip(&whole.runs) {
            assert_eq!((&a.history, &a.best, a.status), (&b.history, &b.best, b.status));
            assert_eq!((a.simulations, a.failures.len()), (b.simulations, b.failures.len()));
        }
        let reasons = |found: &MultistartReport| found.failures.iter().map(|f| f.error.to_string()).collect::<Vec<_>>();
        assert_eq!(reasons(&again), reasons(&whole));
    }
}

#[test]
fn a_torn_last_line_is_simulated_again_and_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let task = several();
    interrupted(&path, &task, 20);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() - 7]).unwrap();
    let design = wavy();
    let log = Checkpoint::resume(&path, "waves", "1", &design).unwrap();
    assert_eq!(log.recalled(), text.lines().count() - 2);
    from_starts(&log, &task);
    drop(log);
    // The completed log resumes without simulating.
    let design = wavy();
    let log = Checkpoint::resume(&path, "waves", "1", &design).unwrap();
    from_starts(&log, &task);
    assert_eq!(design.calls(), 0);
}

#[test]
fn logs_of_other_problems_and_damaged_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let task = several();
    interrupted(&path, &task, 20);
    let design = wavy();
    let refused = |scene, fingerprint| Checkpoint::resume(&path, scene, fingerprint, &design).err().unwrap();
    assert_eq!(refused("waves", "2").kind(), ErrorKind::Request);
    assert!(refused("waves", "2").message().contains("another problem"));
    assert!(
        refused("other", "1")
            .message()
            .contains("belongs to the scene \"waves\"")
    );
    let text = std::fs::read_to_string(&path).unwrap();
    let log = Checkpoint::resume(&path, "waves", "1", &design).unwrap();
    assert!(refused("waves", "1").message().contains("by process"));
    drop(log);
    std::fs::write(&path, text.replacen("\"values\"", "\"valves\"", 1)).unwrap();
    let error = refused("waves", "1");
    assert_eq!(error.kind(), ErrorKind::File);
    assert!(error.message().contains("line 2 "), "{error}");
    // A number with another digit is another number.
    let digit = text.find("\"values\":[").unwrap() + "\"values\":[".len();
    let other = if text.as_bytes()[digit] == b'1' { "2" } else { "1" };
    std::fs::write(&path, format!("{}{other}{}", &text[..digit], &text[digit + 1..])).unwrap();
    assert!(refused("waves", "1").message().contains("line 2 "));
    for content in [&b""[..], b"{\"checkpoint\":1", b"\xff\xfe\n", b"[]\n"] {
        std::fs::write(&path, content).unwrap();
        let error = refused("waves", "1");
        assert_eq!(error.kind(), ErrorKind::File);
        assert!(error.message().contains("is not a checkpoint"), "{error}");
    }
    let missing = folder.path().join("none");
    let error = Checkpoint::resume(&missing, "waves", "1", &design).err().unwrap();
    assert!(error.message().contains("no checkpoint"), "{error}");
}

#[test]
fn a_new_log_keeps_the_one_that_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let task = several();
    interrupted(&path, &task, 20);
    let before = std::fs::read_to_string(&path).unwrap();
    interrupted(&path, &task, 5);
    let old = std::fs::read_to_string(folder.path().join("log.jsonl.old")).unwrap();
    assert_eq!(old, before);
}

#[test]
fn the_fingerprint_tells_problems_apart_and_not_the_ways_to_solve_them() {
    let experiment = open("slider_crank");
    let task = experiment.optimization.clone().unwrap();
    let of = |task: &Optimization| SceneDesign::new(&experiment, task).fingerprint();
    let again = open("slider_crank");
    assert_eq!(of(&task), SceneDesign::new(&again, &task).fingerprint());
    let mut other = task.clone();
    (other.stopping.max_iterations, other.starts, other.variables[0].lower) = (7, 3, 0.3);
    assert_eq!(of(&task), of(&other));
    other.limits[0].bound += 1e-9;
    assert_ne!(of(&task), of(&other));
    let heavier = experiment.with_parameter("mp", 1.6).unwrap();
    assert_ne!(of(&task), SceneDesign::new(&heavier, &task).fingerprint());
}

#[test]
fn an_interrupted_single_start_is_an_end_like_others() {
    let (formula, flag) = (wavy(), Interruption::new());
    let counted = Counted {
        design: &formula,
        most: 3,
        flag: &flag,
    };
    let found = by(
        &Interruptible::new(&counted, &flag),
        &task(Solver::Bfgs, 4.0, [-5.0, 5.0], 2),
    );
    assert_eq!((found.status, found.simulations), (Status::Interrupted, 3));
}

#[test]
fn an_interruption_ends_a_simulation_under_way() {
    let changes = Changes {
        duration: Some(1e5),
        ..Changes::default()
    };
    let flag = Interruption::new();
    let experiment = Experiment::open(Path::new("scenes/five_bar_smooth.ron"), &changes)
        .unwrap()
        .interruptible(&flag);
    let mut task = task(Solver::Bfgs, 2.2, [1.5, 3.0], 1);
    task.variables[0].name = "L01".to_string();
    let design = SceneDesign::new(&experiment, &task);
    let begun = Instant::now();
    let found = std::thread::scope(|scope| {
        let evaluation = scope.spawn(|| design.evaluate(&[2.2], false));
        std::thread::sleep(Duration::from_millis(50));
        flag.set();
        evaluation.join().unwrap()
    });
    assert_eq!(found.unwrap_err().kind(), ErrorKind::Interrupted);
    assert!(begun.elapsed() < Duration::from_secs(20));
}
