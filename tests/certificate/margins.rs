//! Margins against closed forms.

use crate::support::{experiment, planar, tolerances};

#[test]
fn margins_of_a_thrown_ball_are_those_of_its_closed_form() {
    // Thrown upwards with 4 m/s under g = 10: turns at 0.8 m at t = 0.4 s, 0.2 m below the ceiling; back on the floor at
    // 0.8 s with 4 m/s; a switch at 0.81 s changes nothing.
    let text = planar(
        1.0,
        r#"parameters: { "v": 4.0, "c": 1.0 },
        gravity: [0, -10],
        points: { "ball": (at: [0, 1e-9], velocity: [0, "v"], mass: 1) },
        forces: { "wind": Load(at: "ball", force: ["c", 0], active: false) },
        contacts: {
            "ceiling": Touch(point: "ball", surface: Plane(through: [0, 1], normal: [0, -1]), law: Restitution(0.5)),
            "floor": Touch(point: "ball", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)),
        },
        events: {
            "wind": (when: At(0.81), then: [Enable("wind")]),
            "high": (when: Rising("ball.y - 0.85"), then: [Enable("wind")]),
        },
        objectives: { "y": Final("ball.y"), "x": Final("ball.x") },"#,
    );
    let margins = experiment(&text, &tolerances(1e-10, 1e-12)).margins().unwrap();
    let grazing = margins.grazing.unwrap();
    assert_eq!(grazing.name, "floor");
    assert!((grazing.speed - 4.0).abs() < 1e-7 && (grazing.t - 0.8).abs() < 1e-8);
    let found: Vec<(&str, &str)> = margins
        .near_misses
        .iter()
        .map(|miss| (miss.name.as_str(), miss.kind))
        .collect();
    assert_eq!(found, [("high", "switch"), ("ceiling", "impact")]);
    for (miss, clearance) in margins.near_misses.iter().zip([0.05, 0.2]) {
        assert!(
            (miss.clearance - clearance).abs() < 1e-8 && (miss.t - 0.4).abs() < 1e-7,
            "{miss:?}"
        );
    }
    let closest = margins.closest_events.unwrap();
    assert_eq!((closest.first.as_str(), closest.second.as_str()), ("floor", "wind"));
    assert!((closest.seconds - 0.01).abs() < 1e-8 && (closest.t - 0.8).abs() < 1e-8);
}

#[test]
fn a_gap_that_another_impact_turns_back_is_missed_at_that_impact() {
    // Slides towards the far wall at 2 m, but a stop at 1.5 m turns it back at t = 1.5 s, half a metre before.
    let text = planar(
        2.0,
        r#"parameters: { "u": 1.0 },
        points: { "P": (at: [0, 0], velocity: ["u", 0], mass: 1) },
        contacts: {
            "wall": Touch(point: "P", surface: Plane(through: [2, 0], normal: [-1, 0]), law: Restitution(1)),
            "stop": Limit(of: Coordinate("P.x"), at_most: 1.5, law: Restitution(1)),
        },
        objectives: { "x": Final("P.x") },"#,
    );
    let margins = experiment(&text, &tolerances(1e-10, 1e-12)).margins().unwrap();
    let [miss] = &margins.near_misses[..] else {
        panic!("{:?}", margins.near_misses)
    };
    assert_eq!(miss.name, "wall");
    assert!((miss.clearance - 0.5).abs() < 1e-9 && (miss.t - 1.5).abs() < 1e-9);
}
