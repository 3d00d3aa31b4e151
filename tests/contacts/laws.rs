//! Laws other than restitution: sticking and flipping.

use crate::support::*;

/// A mass of 2 kg with a sideways velocity falls on a sticky floor; at 1 s a pull begins that grows by 30 N/s.
fn caught(law: &str, duration: f64) -> String {
    let fields = format!(
        r#"gravity: [0, -{G}],
        points: {{ "P": (at: [0, 1], velocity: [0.7, 0], mass: 2) }},
        forces: {{ "pull": Load(at: "P", force: ["6*(t - 1)", "30*(t - 1)"], active: false) }},
        contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: {law}) }},
        events: {{ "pull on": (when: At(1), then: [Enable("pull")]) }},
        outputs: {{ "x": "P.x", "y": "P.y", "vx": "P.vx", "support": "floor.force" }},"#
    );
    planar(duration, &fields)
}

#[test]
fn a_stuck_mass_stays_where_it_touched() {
    let report = run(&caught("Stick", 0.9));
    let fall = (2.0 / G).sqrt();
    assert_eq!(happenings(&report), [("floor", "stick")]);
    close("time", report.events[0].t, fall, 1e-13);
    close("x", output(&report, "x"), 0.7 * fall, 1e-13);
    close("vx", output(&report, "vx"), 0.0, 1e-14);
    close("y", output(&report, "y"), 0.0, 1e-14);
    close("support", output(&report, "support"), 2.0 * G, 1e-11);
}

#[test]
fn sticking_ends_when_the_normal_force_pulls_harder_than_the_hold() {
    for (law, hold) in [("Stick", 0.0), ("StickUntil(7)", 7.0)] {
        let report = run(&caught(law, 3.0));
        assert_eq!(
            happenings(&report),
            [("floor", "stick"), ("pull on", "switch"), ("floor", "release")]
        );
        let release = 1.0 + (2.0 * G + hold) / 30.0;
        close("release", report.events[2].t, release, 1e-12);
        let s = 3.0 - release;
        close(
            "y",
            output(&report, "y"),
            (hold * s * s / 2.0 + 30.0 * s.powi(3) / 6.0) / 2.0,
            1e-10,
        );
        let along = 6.0 * (release - 1.0);
        let x = 0.7 * (2.0 / G).sqrt() + (along * s * s / 2.0 + 6.0 * s.powi(3) / 6.0) / 2.0;
        close("x", output(&report, "x"), x, 1e-10);
    }
}

#[test]
fn a_slider_sticks_to_its_end_stop_until_it_is_pulled_off() {
    let report = run(&planar(
        3.0,
        r#"points: { "P": (at: [0, 0], velocity: [2, 0], mass: 2) },
        forces: { "pull": Load(at: "P", force: ["-3*(t - 1)", 0], active: false) },
        contacts: { "stop": Limit(of: Coordinate("P.x"), at_most: 1, law: StickUntil(3)) },
        events: { "pull on": (when: At(1), then: [Enable("pull")]) },
        outputs: { "x": "P.x" },"#,
    ));
    assert_eq!(
        happenings(&report),
        [("stop", "stick"), ("pull on", "switch"), ("stop", "release")]
    );
    all_close("times", &times(&report), &[0.5, 1.0, 2.0], 1e-12);
    close("x", output(&report, "x"), 1.0 - (3.0 / 2.0 + 3.0 / 6.0) / 2.0, 1e-12);
}

#[test]
fn a_mass_caught_twice_remembers_its_second_place() {
    let fields = format!(
        r#"gravity: [0, -{G}],
        points: {{ "P": (at: [0, 1], velocity: [1, 0], mass: 2) }},
        forces: {{ "kick": Load(at: "P", force: [10, 40], active: false) }},
        contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Stick) }},
        events: {{
            "kick on": (when: At(1), then: [Enable("kick")]),
            "kick off": (when: At(1.1), then: [Disable("kick")]),
        }},
        outputs: {{ "x": "P.x", "y": "P.y" }},"#
    );
    let report = run(&planar(3.0, &fields));
    let want = [
        ("floor", "stick"),
        ("kick on", "switch"),
        ("floor", "release"),
        ("kick off", "switch"),
        ("floor", "stick"),
    ];
    assert_eq!(happenings(&report), want);
    let (vx, vy) = (0.5, 0.1 * (20.0 - G));
    let (x, y) = ((2.0 / G).sqrt() + 0.05 * vx, 0.05 * vy);
    let flight = (vy + (vy * vy + 2.0 * G * y).sqrt()) / G;
    close("time", report.events[4].t, 1.1 + flight, 1e-12);
    close("x", output(&report, "x"), x + vx * flight, 1e-12);
    close("y", output(&report, "y"), 0.0, 1e-14);
}

/// A point thrown against a slope with the normal (0.6, 0.8).
fn flipped(law: &str) -> [f64; 2] {
    let fields = format!(
        r#"points: {{ "P": (at: [0.6, 0.8], velocity: [0.5, -2], mass: 2) }},
        contacts: {{ "slope": Touch(point: "P", surface: Plane(through: [0, 0], normal: [3, 4]), law: {law}) }},
        outputs: {{ "vx": "P.vx", "vy": "P.vy" }},"#
    );
    let report = run(&planar(1.0, &fields));
    assert_eq!(happenings(&report), [("slope", "impact")]);
    close("time", report.events[0].t, 1.0 / 1.3, 1e-13);
    [output(&report, "vx"), output(&report, "vy")]
}

#[test]
fn a_flip_reverses_the_normal_and_keeps_the_tangential_velocity() {
    let normal = 0.6 * 0.5 - 0.8 * 2.0;
    all_close(
        "v",
        &flipped("Flip"),
        &[0.5 - 2.0 * normal * 0.6, -2.0 - 2.0 * normal * 0.8],
        1e-13,
    );
}

#[test]
fn a_flip_keeps_the_coordinates_that_it_is_told_to_keep() {
    let normal = 0.6 * 0.5 - 0.8 * 2.0;
    all_close(
        "vx kept",
        &flipped(r#"FlipKeeping(["P.x"])"#),
        &[0.5, (-normal - 0.6 * 0.5) / 0.8],
        1e-13,
    );
    all_close(
        "vy kept",
        &flipped(r#"FlipKeeping(["P.y"])"#),
        &[(-normal + 0.8 * 2.0) / 0.6, -2.0],
        1e-13,
    );
    all_close(
        "none kept",
        &flipped("FlipKeeping([])"),
        &flipped("Restitution(1)"),
        1e-13,
    );
}

#[test]
fn a_flip_that_keeps_more_than_the_mechanism_can_is_an_error_that_names_it() {
    let error = failure(&planar(
        1.0,
        r#"ground: { "A": [0, 0] },
        points: { "P": (guess: [1, 0]) },
        bodies: { "bar": Bar(from: "A", to: "P", length: 1, mass: 1, angle: 0, angular_velocity: -1) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, -0.5], normal: [0, 1]), law: FlipKeeping(["P.x"])) },"#,
    ));
    assert_eq!(error.name(), Some("floor"));
    close("time", error.time().unwrap(), std::f64::consts::PI / 6.0, 1e-12);
}

/// A point that meets a circle of radius 2 about the origin from outside at (1.6, 1.2), after 0.5 s.
fn meets_circle(law: &str) -> String {
    let fields = format!(
        r#"ground: {{ "O": [0, 0] }},
        points: {{ "P": (at: [2.1, 1.3], velocity: [-1, -0.2], mass: 2) }},
        contacts: {{ "drum": Touch(point: "P", surface: Circle(centre: "O", radius: 2), law: {law}) }},
        outputs: {{ "x": "P.x", "y": "P.y", "vx": "P.vx", "vy": "P.vy" }},"#
    );
    planar(1.0, &fields)
}

#[test]
fn a_flip_on_a_circle_keeps_the_velocity_along_it() {
    let report = run(&meets_circle("Flip"));
    assert_eq!(happenings(&report), [("drum", "impact")]);
    close("time", report.events[0].t, 0.5, 1e-13);
    let normal = -0.8 - 0.6 * 0.2;
    close("vx", output(&report, "vx"), -1.0 - 2.0 * normal * 0.8, 1e-12);
    close("vy", output(&report, "vy"), -0.2 - 2.0 * normal * 0.6, 1e-12);
}

#[test]
fn a_mass_sticks_to_a_circle_where_it_touched() {
    let report = run(&meets_circle("Stick"));
    assert_eq!(happenings(&report), [("drum", "stick")]);
    for (name, want) in [("x", 1.6), ("y", 1.2), ("vx", 0.0), ("vy", 0.0)] {
        close(name, output(&report, name), want, 1e-13);
    }
}

#[test]
fn a_mass_thrown_at_a_sticky_floor_from_the_start_sticks_at_once() {
    let report = run(&planar(
        1.0,
        r#"points: { "P": (at: [0, 0], velocity: [1, -1], mass: 2), "Q": (at: [1, 0], velocity: [0, 0], mass: 2) },
        contacts: {
            "thrown": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Stick),
            "lying": Touch(point: "Q", surface: Plane(through: [0, 0], normal: [0, 1]), law: Stick),
        },
        outputs: { "x": "P.x" },"#,
    ));
    assert_eq!(happenings(&report), [("thrown", "stick")]);
    close("time", report.events[0].t, 0.0, 0.0);
    close("x", output(&report, "x"), 0.0, 1e-14);
}

/// A plate with two feet that hold the floor, of which the second stands at `x` on it; from 1 s on it is pulled up off its middle.
fn held_by_two_feet(x: f64) -> String {
    let fields = format!(
        r#"gravity: [0, -{G}],
        bodies: {{ "plate": Rigid(mass: 2, inertia: 0.3, at: [0, 0.1, 0], markers: {{ "a": [-0.5, 0], "b": [{x}, 0], "c": [0.1, 0] }}) }},
        forces: {{ "pull": Load(at: "plate.c", force: [0, "40*t"]) }},
        contacts: {{
            "one": Touch(point: "plate.a", surface: Plane(through: [0, 0], normal: [0, 1]), law: StickUntil(7)),
            "two": Touch(point: "plate.b", surface: Plane(through: [0, 0], normal: [0, 1]), law: StickUntil(7)),
        }},"#
    );
    planar(1.0, &fields)
}

#[test]
fn feet_that_share_their_pull_are_refused_and_others_let_go_where_they_are_pulled_off() {
    let error = failure(&held_by_two_feet(-0.5));
    let text = format!("{error}");
    assert!(text.contains("what pulls at \"one\" is not unique"), "{text}");
    // Both together hold along the floor as well, which says nothing about the pull.
    let report = run(&held_by_two_feet(0.5));
    let first = report.events.iter().find(|event| event.kind == "release").unwrap();
    // 0.6 of the pull acts on the second foot, half of the weight.
    assert_eq!(first.name, "two");
    close("release", first.t, (7.0 + G) / (0.6 * 40.0), 1e-11);
}
