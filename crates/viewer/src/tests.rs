//! What a window does, without the window.

use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::state::Viewer;
use crate::run::{Changes, Experiment};
use crate::show::Show;

/// What a window on a scene shows, and the folder of the scene.
pub(super) fn opened(scene: &str) -> (TempDir, Viewer) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("scene.ron");
    std::fs::write(&path, scene).expect("a file");
    let experiment = Experiment::open(&path, &Changes::default()).expect("an experiment");
    let show = Show::new(experiment, &mut |_| ()).expect("a motion");
    let viewer = Viewer::new(&path, &Changes::default(), Box::new(show));
    (folder, viewer)
}

/// Makes frame after frame until something holds.
fn wait_until(viewer: &mut Viewer, mut holds: impl FnMut(&mut Viewer) -> bool) {
    let since = Instant::now();
    while !holds(viewer) {
        assert!(since.elapsed() < Duration::from_secs(60), "it does not come");
        sleep(Duration::from_millis(5));
        viewer.show_new_motion();
    }
}

/// Waits for the next motion.
pub(super) fn wait(viewer: &mut Viewer) {
    wait_until(viewer, |viewer| !viewer.worker.is_busy());
}

/// A mass that swings fast, and whose speed is to be found within a limit.
const SWING: &str = r#"Scene(
    name: "slow", space: Planar, parameters: { "v": (value: 1, bounds: (0, 5)) },
    points: { "mass": (at: [0, 0], velocity: ["v", 0], mass: 1) },
    forces: { "spring": Spring(from: "wall", to: "mass", stiffness: 1e6, natural_length: 1) },
    ground: { "wall": [-1, 0] },
    outputs: { "x": "mass.x" },
    objectives: { "miss": Final("(v - 2)^2 + 1e-9*mass.x"), "speed": Final("v + 1e-9*mass.x") },
    simulation: (duration: DURATION),
    optimization: (minimize: "miss", over: ["v"], subject_to: { "speed": (at_most: 1.8) }, stopping: (max_iterations: 3)),
)"#;

#[test]
fn every_iteration_of_an_optimization_is_seen_however_long_its_motion_takes() {
    // The search takes no time, but what is shown of it is long.
    let (_folder, mut viewer) = opened(&SWING.replace("DURATION", "0.01"));
    std::fs::write(&viewer.scene, SWING.replace("DURATION", "10")).expect("a file");
    viewer.optimize();
    let mut seen = Vec::new();
    wait_until(&mut viewer, |viewer| {
        if viewer.playback.span().1 == 10.0 {
            seen.push(viewer.show.model().parameters[0].value);
        }
        viewer.follow_optimization();
        !viewer.is_optimizing() && !viewer.worker.is_busy()
    });
    seen.dedup();
    let running = viewer.optimizing.as_ref().expect("it is not discarded yet");
    let mut tried: Vec<f64> = running.history.iter().map(|one| one.parameters[0]).collect();
    tried.extend(running.parameters().expect("an optimum"));
    tried.dedup();
    assert!(tried.len() > 2, "{tried:?}");
    assert_eq!(seen, tried);
    assert!((running.limited()[0] - 1.8).abs() < 1e-6, "{:?}", running.limited());
}

/// A ball that bounces.
const BALL: &str = r#"Scene(
    name: "ball", space: Planar, gravity: [0, -9.81], parameters: { "h": (value: 1, unit: "m", bounds: (0.5, 2)) },
    points: { "ball": (at: [0, "h"], mass: 1) },
    contacts: { "floor": Touch(point: "ball", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.8)) },
    outputs: { "height": "ball.y", "rise": "ball.vy" },
    simulation: (duration: 1),
)"#;

#[test]
fn curves_are_predicted_while_a_slider_moves_and_named() {
    let (_folder, mut viewer) = opened(BALL);
    wait_until(&mut viewer, |viewer| {
        viewer.update_background();
        viewer.predictions.ghost().is_some() && !viewer.predictions.is_busy()
    });
    assert!(
        viewer.predicted_recording().is_none() && viewer.predictions.label().is_none(),
        "nothing moves"
    );
    viewer.set(0, 0.999);
    let predicted = viewer.predicted_recording().expect("a prediction");
    assert_eq!(viewer.predictions.label().as_deref(), Some("predicted: h = 0.999 m"));
    wait(&mut viewer);
    let simulated = &viewer.show.recording;
    for (series, found) in simulated.outputs.iter().zip(&predicted.outputs) {
        // Not next to the impact at 0.45 s, which is predicted to a microsecond.
        for t in [0.0, 0.2, 0.4, 0.44, 0.46, 0.7, 0.99] {
            let value =
                |recording: &crate::run::Recording, values: &[f64]| recording.read(values, t).expect("a value").0;
            let apart = value(simulated, &series.values) - value(&predicted, &found.values);
            assert!(apart.abs() < 3e-6, "{} at {t}: {apart:e}", series.name);
        }
    }
    viewer.shown.ghost = false;
    assert!(viewer.predicted_recording().is_none());
}
