//! What the motion shown for another value of a parameter promises before it is simulated, and how work is ended.

mod support;

use costate::appearance::Block;
use costate::error::ErrorKind;
use costate::run::{Changes, Experiment, Interruption};
use costate::show::{Ghost, Show, TRUSTED};
use support::{experiment, planar, tight};

/// A rod swings from a pivot at height `p` against a wall at the distance `d`; `p` moves the ground, and `unused` nothing.
const SCENE: &str = r#"parameters: {
        "p": (value: 0.2, bounds: (0, 0.4)), "d": (value: -0.3, bounds: (-0.5, -0.1)), "unused": 1.0
    },
    gravity: [0, -9.81],
    ground: { "O": [0, "p"] }, points: { "E": (guess: [0.8, -0.4]) },
    bodies: { "rod": Bar(from: "O", to: "E", length: 1.0, mass: 1.0, angle: -0.6) },
    contacts: { "wall": Touch(point: "E", surface: Plane(through: ["d", 0], normal: [1, 0]), law: Restitution(0.8)) },
    objectives: { "x": Final("E.x") },"#;

fn swinging(changes: &Changes) -> Experiment {
    experiment(&planar(1.2, SCENE), changes)
}

fn show(experiment: Experiment) -> Show {
    Show::new(experiment, &mut |_| ()).expect("it runs")
}

fn ghost() -> (Show, Ghost) {
    let shown = show(swinging(&tight()));
    let ghost = Ghost::new(shown.experiment.clone(), shown.scale).expect("it has derivatives");
    (shown, ghost)
}

/// Largest distance between the origins of the same blocks.
fn distance(a: &[Block], b: &[Block]) -> f64 {
    assert_eq!(a.len(), b.len(), "other blocks");
    let pairs = a.iter().zip(b);
    pairs.fold(0.0, |most, (a, b)| {
        assert_eq!((a.unit, a.material), (b.unit, b.material));
        (0..3).fold(most, |most, k| f64::max(most, (a.origin[k] - b.origin[k]).abs()))
    })
}

#[test]
fn a_ghost_of_no_change_is_the_motion() {
    let (shown, ghost) = ghost();
    let change = ghost.change("d", -0.3).expect("the scene uses it");
    for t in [0.0, 0.35, 0.7, 1.1] {
        let blocks = ghost.blocks(t, &change).expect("it is predicted");
        assert!(distance(&blocks, &shown.blocks(t).1) < 1e-6, "t = {t}");
    }
}

#[test]
fn a_ghost_of_one_parameter_predicts_as_one_of_all() {
    let (shown, all) = ghost();
    let of_one = Ghost::of(shown.experiment.clone(), shown.scale, |name| name == "d").expect("it has derivatives");
    assert_eq!((of_one.value("d"), of_one.value("p")), (Some(-0.3), None));
    let blocks = |ghost: &Ghost| {
        let change = ghost.change("d", -0.27).expect("the scene uses it");
        ghost.blocks(0.7, &change).expect("it is predicted")
    };
    assert!(distance(&blocks(&of_one), &blocks(&all)) < 1e-7);
    assert!(distance(&blocks(&of_one), &shown.blocks(0.7).1) > 1e-3);
}

#[test]
fn what_is_fixed_in_the_ground_follows_its_parameter() {
    let (shown, ghost) = ghost();
    let change = ghost.change("p", 0.3).expect("the scene uses it");
    let raised = ghost.blocks(0.0, &change).expect("it is predicted");
    let moved = raised.iter().zip(shown.blocks(0.0).1);
    let lifts: Vec<f64> = moved
        .map(|(after, before)| after.origin[1] - before.origin[1])
        .collect();
    // All of the pendulum is raised with its pivot; the slab of the wall stays.
    let count = |lift: f64| lifts.iter().filter(|found| (**found - lift).abs() < 1e-9).count();
    assert!(count(0.1) >= 5 && count(0.0) == 1, "{lifts:?}");
}

#[test]
fn the_deviation_from_the_simulated_motion_falls_with_the_square_of_the_change() {
    let (_, ghost) = ghost();
    let deviation = |value: f64| {
        let parameters = vec![("d".to_string(), value)];
        let simulated = show(swinging(&Changes { parameters, ..tight() }));
        let change = ghost.change("d", value).expect("the scene uses it");
        ghost.deviation(&change, &simulated).expect("the same coordinates")
    };
    let (whole, half) = (deviation(-0.26), deviation(-0.28));
    assert!(
        half > 1e-5 && (3.0..5.0).contains(&(whole / half)),
        "{whole:e} and {half:e}"
    );
}

#[test]
fn the_range_of_trust_ends_where_the_estimate_passes_the_bound() {
    let (_, ghost) = ghost();
    let curve = ghost.trust_curve("d", (-0.5, -0.1), &Interruption::default());
    let curve = curve.expect("it is followed").expect("the scene uses it");
    let (low, high) = curve.range;
    assert!(
        (-0.5..-0.3).contains(&low) && high > -0.3 && high <= -0.1,
        "{:?}",
        curve.range
    );
    assert!(low > -0.5 || high < -0.1, "a bound that nothing passes tells nothing");
    assert!(curve.points.is_sorted_by(|a, b| a.0 < b.0));
    for (value, estimate) in &curve.points {
        let is_within = low <= *value && *value <= high;
        assert!(
            !is_within || *estimate <= TRUSTED,
            "{value}: {estimate} within {:?}",
            curve.range
        );
    }
    let nearest = curve.points.iter().find(|(value, _)| *value == -0.3);
    assert!(nearest.is_some_and(|(_, estimate)| *estimate < 1e-9), "{nearest:?}");
}

#[test]
fn parameters_without_use_have_no_ghost_and_do_not_hinder_the_others() {
    let (_, ghost) = ghost();
    assert!(ghost.change("unused", 2.0).is_none());
    let curve = ghost.trust_curve("unused", (0.5, 1.5), &Interruption::default());
    assert_eq!(curve.expect("nothing to follow"), None);
}

#[test]
fn a_flag_ends_runs_recordings_gradients_and_predictions() {
    let flag = Interruption::new();
    let running = swinging(&tight()).interruptible(&flag);
    running.run(false, &mut |_| ()).expect("the flag is not set yet");
    let changed = running.with_parameter("d", -0.2).expect("it compiles");
    let mut steps = 0;
    let mut stop = |_| {
        steps += 1;
        if steps == 3 {
            flag.set();
        }
    };
    let ended = running.run(false, &mut stop).expect_err("it was interrupted");
    assert_eq!((ended.kind(), steps), (ErrorKind::Interrupted, 3));
    let names = ["d".to_string()];
    let kinds = [
        running.film(10, &mut |_| ()).err(),
        running.prediction(&names, 10, &mut |_| ()).err(),
        changed.run(false, &mut |_| ()).err(),
        changed.design_gradient("x").err(),
    ];
    for (k, error) in kinds.into_iter().enumerate() {
        let kind = error.map(|error| error.kind());
        assert_eq!(kind, Some(ErrorKind::Interrupted), "number {k}");
    }
    let fresh = changed.interruptible(&Interruption::new());
    fresh.design_gradient("x").expect("another flag");
}
