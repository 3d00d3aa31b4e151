//! Changes of the equations of motion, with what events put into memory: balances of energy and momentum.

use crate::support::*;

#[test]
fn a_string_goes_slack_and_taut_where_the_closed_form_says() {
    let report = run(&std::fs::read_to_string(scenes().join("taut_string.ron")).unwrap());
    assert_eq!(happenings(&report), [("slack", "switch"), ("taut", "switch")]);
    let (slack, taut) = (report.events[0].t, report.events[1].t);
    let v = f64::sqrt(9.81 / 2.0);
    close("flight", taut - slack, 4.0 * v * f64::sqrt(0.75) / 9.81, 1e-10);
    close("height", objective(&report, "height at slack"), 0.5, 1e-11);
    close(
        "lost",
        objective(&report, "energy lost"),
        27.0 / 16.0 * 0.5 * 9.81,
        1e-10,
    );
    close(
        "energy",
        output(&report, "energy"),
        (1.0 / 16.0 - 1.0) * 0.5 * 9.81,
        1e-10,
    );
}

#[test]
fn a_coupling_grips_where_the_discs_stand_and_slips_at_its_limit() {
    let report = run(include_str!("../scenes/coupling_with_limit.ron"));
    assert_eq!(happenings(&report), [("grip", "switch"), ("slips", "switch")]);
    all_close("times", &times(&report), &[1.0, 3.0], 1e-11);
    close("slip", objective(&report, "slip angle"), -11.0, 1e-11);
    close("lost", objective(&report, "energy lost"), 24.0, 1e-10);
    close("motor", objective(&report, "motor at the end"), 10.0, 1e-11);
    close("load", objective(&report, "load at the end"), 6.1875, 1e-11);
}

#[test]
fn a_dropped_mass_takes_its_momentum_along() {
    // Two masses on a spring, joined: 2 kg, 3 rad/s. At the natural length, at full speed, the lower one is let go.
    let report = run(&planar(
        2.0,
        r#"ground: { "wall": [0, 0] },
        points: { "P": (at: [1.5, 0], mass: 1.2), "Q": (at: [1.5, 0], mass: 0.8) },
        joints: { "hook": Revolute(between: ("P", "Q")) },
        forces: { "spring": Spring(from: "wall", to: "P", stiffness: 18, natural_length: 1) },
        events: { "drop": (when: Falling("P.x - 1"), then: [Disable("hook")], once: true) },
        outputs: { "v": "Q.vx", "energy": "energy.total", "x": "P.x" },"#,
    ));
    assert_eq!(happenings(&report), [("drop", "switch")]);
    let dropped = std::f64::consts::PI / 6.0;
    all_close("time", &times(&report), &[dropped], 1e-11);
    close("v", output(&report, "v"), -1.5, 1e-11);
    close("energy", output(&report, "energy"), 0.5 * 18.0 * 0.25, 1e-11);
    // The other goes on with sqrt(18/1.2) rad/s.
    let omega = f64::sqrt(15.0);
    let x = 1.0 - 1.5 / omega * (omega * (2.0 - dropped)).sin();
    close("x", output(&report, "x"), x, 1e-10);
}

#[test]
fn a_link_breaks_when_its_force_exceeds_what_it_holds() {
    // On a circle at constant angular acceleration the link carries m L omega^2: it breaks at omega = sqrt(limit/(m L)).
    let report = run(&planar(
        3.0,
        r#"ground: { "O": [0, 0] },
        points: { "P": (at: [2, 0], velocity: [0, 0], mass: 0.5) },
        joints: { "link": Link(from: "O", to: "P", length: 2) },
        forces: { "push": Load(at: "P", force: ["-0.5*1.2*sin(0.3*t^2)", "0.5*1.2*cos(0.3*t^2)"]) },
        events: { "breaks": (when: Rising("link.force - 1"), then: [Disable("link"), Disable("push")]) },
        outputs: { "speed": "hypot(P.vx, P.vy)", "distance": "hypot(P.x, P.y)" },"#,
    ));
    assert_eq!(happenings(&report), [("breaks", "switch")]);
    let t = f64::sqrt(1.0 / (0.5 * 2.0)) / 0.6;
    all_close("time", &times(&report), &[t], 1e-10);
    close("speed", output(&report, "speed"), 2.0, 1e-10);
    close(
        "distance",
        output(&report, "distance"),
        f64::hypot(2.0, 2.0 * (3.0 - t)),
        1e-9,
    );
}

#[test]
fn memory_counts_and_keeps_what_the_motion_was_just_before() {
    // x = cos(t): the maxima of y = sin(t)/2 come at pi/2, 5 pi/2; each event reads the values before both of its settings.
    let report = run(&planar(
        9.0,
        r#"parameters: { "first": 5.0 },
        ground: { "O": [0, 0] },
        points: { "P": (at: [1, 0], velocity: [0, 0.5], mass: 1) },
        forces: { "spring": Spring(from: "O", to: "P", stiffness: 1, natural_length: 0) },
        memory: { "count": "first", "before": 0, "height": 0, "time": 0 },
        events: { "top": (when: Falling("P.vy"), then: [
            Set("count", "count + 1"), Set("before", "10*count"), Set("height", "P.y"), Set("time", "t"),
        ]) },
        outputs: { "counted": "count", "before it": "before", "highest": "height", "when": "time" },"#,
    ));
    close("count", output(&report, "counted"), 7.0, 0.0);
    close("before", output(&report, "before it"), 60.0, 0.0);
    close("height", output(&report, "highest"), 0.5, 1e-11);
    close("time", output(&report, "when"), 2.5 * std::f64::consts::PI, 1e-10);
}

#[test]
fn forces_and_drivers_follow_memory() {
    // A thermostat: the load reads a memory that two events set. A driver takes over from where the point is.
    let report = run(&planar(
        3.0,
        r#"points: { "P": (at: [0, 0], velocity: [0, 0], mass: 2) },
        memory: { "push": 1, "x0": 0, "y0": 0 },
        forces: { "load": Load(at: "P", force: ["4*push", 0]) },
        joints: {
            "hold": DriveCoordinate(coordinate: "P.x", value: "x0 + 3*(t - 2)", active: false),
            "low": DriveCoordinate(coordinate: "P.y", value: "y0"),
        },
        events: {
            "back": (when: Rising("P.x - 1"), then: [Set("push", -1.5)], once: true),
            "hold": (when: At(2), then: [Set("x0", "P.x"), Enable("hold")]),
        },
        outputs: { "x": "P.x", "v": "P.vx", "memory": "x0" },"#,
    ));
    // 2 m/s^2 for 1 s up to x = 1, then -3 m/s^2 for another second: x = 1 + 2 - 1.5.
    all_close("times", &times(&report), &[1.0, 2.0], 1e-11);
    close("memory", output(&report, "memory"), 1.5, 1e-11);
    close("x", output(&report, "x"), 4.5, 1e-11);
    close("v", output(&report, "v"), 3.0, 1e-12);
}

#[test]
fn a_joint_cannot_be_set_to_where_the_mechanism_is_not() {
    let error = failure(&planar(
        1.0,
        r#"points: { "P": (at: [0, 0], mass: 2) },
        memory: { "x0": 0 },
        joints: { "hold": DriveCoordinate(coordinate: "P.x", value: "x0") },
        events: { "set": (when: At(0.5), then: [Set("x0", 0.25)]) },"#,
    ));
    assert!(
        error
            .message()
            .contains("\"hold\" cannot be switched on or set: it is open by 2.5"),
        "{error}"
    );
    assert!(error.to_string().contains("0.5"), "{error}");
}

#[test]
fn a_memory_is_never_set_to_what_is_no_number() {
    let error = failure(&planar(
        1.0,
        r#"points: { "P": (at: [0, 0], velocity: [1, 0], mass: 2) },
        memory: { "inverse": 0 },
        events: { "set": (when: At(0.5), then: [Set("inverse", "1/(P.vx - 1)")]) },"#,
    ));
    assert!(error.message().contains("`inverse` would be set to"), "{error}");
}
