//! Where the sequence of events of a prediction ends: in closed form, and of shipped scenes by simulations within their ranges
//! of trust.

use costate::run::{Cause, Changes, Experiment, Interruption, Limit};
use costate::show::{Ghost, Show, TRUSTED};

use super::prediction;
use super::support::{close, experiment, planar, shipped, tight};

/// Part of the way from a value to an end of its range at which a prediction is held to a simulation.
const WITHIN: f64 = 0.9;

fn limit(experiment: &Experiment, dp: &[f64]) -> Option<Limit> {
    prediction(experiment).trust(dp).expect("it compiles").sequence
}

/// Asserts that a change has a new event of this name and kind at its given multiple.
#[track_caller]
fn assert_new(experiment: &Experiment, dp: &[f64], (fraction, name, kind, time): (f64, &str, &str, f64)) {
    match limit(experiment, dp) {
        Some(Limit {
            fraction: found,
            cause: Cause::New { name: a, kind: b, t },
        }) => {
            assert_eq!((a.as_str(), b.as_str()), (name, kind));
            close("fraction", found, fraction, 1e-6 * fraction);
            close("time", t, time, 1e-6);
        }
        other => panic!("{other:?}"),
    }
}

/// A mass swings about x = 3 from `x0` to 6 - `x0` and back within 2 pi, past a wall or against it.
fn swinging(wall: f64) -> Experiment {
    let text = format!(
        r#"parameters: {{ "wall": {wall}, "x0": 2.0, "k": 1.0 }}, ground: {{ "O": [0, 0] }},
        points: {{ "P": (at: ["x0", 0], velocity: [0, 0], mass: 1) }},
        forces: {{ "spring": Spring(from: "O", to: "P", stiffness: "k", natural_length: 3) }},
        contacts: {{ "wall": Touch(point: "P", surface: Plane(through: ["wall", 0], normal: [-1, 0]), law: Restitution(0.8)) }},"#
    );
    experiment(&planar(5.0, &text), &tight())
}

#[test]
fn a_contact_that_is_missed_is_new_where_it_would_be_touched() {
    let missed = swinging(4.05);
    let at = std::f64::consts::PI;
    assert_new(&missed, &[-0.01, 0.0, 0.0], (5.0, "wall", "impact", at));
    assert_new(&missed, &[0.0, -0.01, 0.0], (5.0, "wall", "impact", at));
    // On the other side it is missed by more, up to a start at the wall; the stiffness moves the time of the turn, not its place.
    assert_new(&missed, &[0.0, 0.01, 0.0], (205.0, "wall", "impact", 0.0));
    for dp in [[0.01, 0.0, 0.0], [0.0, 0.0, 0.01]] {
        let found = limit(&missed, &dp);
        assert!(found.as_ref().is_none_or(|limit| limit.fraction > 1e6), "{found:?}");
    }
}

#[test]
fn an_impact_is_lost_where_it_would_only_graze() {
    let struck = swinging(3.9);
    let found = limit(&struck, &[1e-3, 0.0, 0.0]).expect("it ends");
    // To first order in the square of the speed, 1 - (wall - 3)^2.
    close("fraction", found.fraction, 0.19 / 1.8e-3, 1.0);
    assert!(
        matches!(&found.cause, Cause::Lost { name, kind, .. } if name == "wall" && kind == "impact"),
        "{found:?}"
    );
}

#[test]
fn an_impact_just_after_the_end_is_new() {
    let text = planar(
        0.45,
        r#"parameters: { "h": 1.0 }, gravity: [0, -9.81], points: { "P": (at: [0, "h"], velocity: [0, 0], mass: 1) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)) },"#,
    );
    let left = 1.0 - 0.5 * 9.81 * 0.45 * 0.45;
    assert_new(
        &experiment(&text, &tight()),
        &[-1e-3],
        (1e3 * left, "floor", "impact", 0.45),
    );
}

#[test]
fn what_an_impact_turns_back_is_missed_where_that_happens() {
    let text = planar(
        2.0,
        r#"parameters: { "wall": 2.0, "stop": 1.5 }, points: { "P": (at: [0, 0], velocity: [1, 0], mass: 1) },
        contacts: {
            "wall": Touch(point: "P", surface: Plane(through: ["wall", 0], normal: [-1, 0]), law: Restitution(1)),
            "stop": Limit(of: Coordinate("P.x"), at_most: "stop", law: Restitution(1)),
        },"#,
    );
    let experiment = experiment(&text, &tight());
    assert_new(&experiment, &[-0.1, 0.0], (5.0, "wall", "impact", 1.5));
    assert_new(&experiment, &[0.0, 0.1], (5.0, "wall", "impact", 1.5));
}

/// Thrown up to a height of 0.8 at 0.4 s; an event when it falls below `height`.
fn thrown(height: f64) -> Experiment {
    let text = format!(
        r#"parameters: {{ "v": 4.0 }}, gravity: [0, -10], points: {{ "P": (at: [0, 0], velocity: [0, "v"], mass: 1) }},
        forces: {{ "wind": Load(at: "P", force: [1, 0], active: false) }},
        events: {{ "down": (when: Falling("P.y - {height}"), then: [Enable("wind")]) }},"#
    );
    experiment(&planar(0.7, &text), &tight())
}

#[test]
fn a_condition_that_fires_one_way_is_missed_on_either_side() {
    assert_new(&thrown(0.85), &[0.01], (12.5, "down", "switch", 0.4));
}

#[test]
fn a_condition_that_is_passed_the_way_it_does_not_fire_is_not_missed_there() {
    let thrown = thrown(0.5);
    assert!(thrown.margins().expect("it runs").near_misses.is_empty());
    let found = limit(&thrown, &[-0.01]).expect("it ends");
    assert!(matches!(found.cause, Cause::Lost { .. }), "{found:?}");
    // To first order in the square of the speed there, v^2 - 10.
    close("fraction", found.fraction, 6.0 / 0.08, 0.5);
}

/// Names and kinds of the events of a motion in their order.
fn sequence(events: &[costate::run::EventMark]) -> Vec<(&str, &str)> {
    events.iter().map(|event| (&event.name[..], &event.kind[..])).collect()
}

/// Holds the prediction to simulations within the range of trust of every parameter, and returns the largest deviation.
fn held(scene: &str) -> f64 {
    let show = |experiment| Show::new(experiment, &mut |_| ()).expect("it runs");
    let shown = show(shipped(scene, &Changes::default()));
    let ghost = Ghost::new(shown.experiment.clone(), shown.scale).expect("it has derivatives");
    let mut worst = 0.0_f64;
    for (parameter, ends) in shown.model().parameters.iter().zip(shown.ranges()) {
        let (name, value) = (&parameter.name, parameter.value);
        let curve = ghost.trust_curve(name, ends, &Interruption::default());
        let Some(curve) = curve.expect("it is followed") else {
            continue;
        };
        for end in [curve.range.0, curve.range.1].into_iter().filter(|end| *end != value) {
            let at = value + WITHIN * (end - value);
            let simulated = show(shown.experiment.with_parameter(name, at).expect("it compiles"));
            let dp = ghost.change(name, at).expect("the scene uses it");
            let (predicted, found) = (ghost.events(&dp).expect("it predicts"), &simulated.report.events);
            let deviation = ghost.deviation(&dp, &simulated).expect("the same coordinates");
            let place = format!("{scene}: {name} = {at} of {:?}", curve.range);
            assert_eq!(sequence(&predicted), sequence(found), "{place}, off by {deviation}");
            assert!(deviation <= TRUSTED, "{place}: off by {deviation}");
            worst = worst.max(deviation);
        }
    }
    worst
}

#[test]
fn within_ranges_of_trust_linkages_have_the_predicted_events() {
    for scene in [
        "five_bar",
        "five_bar_restitution",
        "double_pendulum_wall",
        "pendulum_with_stop",
    ] {
        println!("{scene}: {:.1e}", held(scene));
    }
}

#[test]
fn within_ranges_of_trust_bodies_that_bounce_have_the_predicted_events() {
    for scene in ["bouncing_ball", "bouncing_ball_fit", "box_drop", "superball"] {
        println!("{scene}: {:.1e}", held(scene));
    }
}

#[test]
fn within_ranges_of_trust_what_sticks_slips_and_latches_has_the_predicted_events() {
    for scene in ["latch", "belt_oscillator", "brake", "tipping_block", "ratchet_hoist"] {
        println!("{scene}: {:.1e}", held(scene));
    }
}
