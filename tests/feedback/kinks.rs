//! Limits and other kinks of feedback are events.

use costate::scene::schema::FormulationKind::Nullspace;

use crate::slope;
use crate::support::{certified, close, experiment, happenings, objective, planar, report, tight, times};

/// A mass that is pulled back by its distance, at most by a limit: from x = 2 with F = 1, k = 1, m = 1.
const LIMITED: &str = r#"
    parameters: { "k": 1.0, "F": 1.0, "x0": 2.0 },
    points: { "P": (at: ["x0", 0], velocity: [0, 0], mass: 1) },
    forces: { "pull": Load(at: "P", force: ["max(-F, min(F, -k*P.x))", 0]) },
    objectives: { "x": Final("P.x"), "v": Final("P.vx") },"#;

#[test]
fn a_limit_of_feedback_is_left_at_an_instant_of_its_own() {
    // x = x0 - F t^2/2 until x = F/k, then a circle about zero.
    let report = report(&experiment(&planar(2.0, LIMITED), &tight()));
    assert_eq!(happenings(&report), [("pull", "kink")]);
    let left = 2.0_f64.sqrt();
    close("time", times(&report)[0], left, 1e-12);
    let (s, c) = (2.0 - left).sin_cos();
    close("x", objective(&report, "x"), c - left * s, 1e-11);
    // By the start: dx = cos(s) dx0 minus what the shorter circle adds; all of it by the chain rule.
    let by_start = slope(&certified(&planar(2.0, LIMITED), Nullspace), "x", "x0");
    // t1 = sqrt(2 (x0 - 1)), v1 = -t1: x = cos(2 - t1) - t1 sin(2 - t1), dt1/dx0 = 1/t1.
    close("x by x0", by_start, (s - s + left * c) / left, 1e-9);
}

#[test]
fn a_relay_with_a_dead_zone_and_a_magnitude_pass_the_certificate() {
    let fields = r#"
        parameters: { "h": 0.3, "u": 0.8, "c": 0.2, "g": 0.4 },
        points: { "P": (at: [1, 0.5], velocity: [0.2, -0.4], mass: 1) },
        memory: { "count": 0 },
        forces: {
            "relay": Load(at: "P", force: ["-u*(step(P.x - h) - step(-P.x - h))", "-g*sign(P.y)*(1 + 0.1*count)*abs(P.x)"]),
            "drag": Drag(at: "P", linear: "c*max(0.5, abs(P.vx))"),
        },
        events: { "pass": (when: Crossing("P.x"), then: [Set("count", "count + 1")]) },
        objectives: { "x": Final("P.x"), "y": Final("P.y"), "w": Integral("P.vx^2") },"#;
    certified(&planar(6.0, fields), Nullspace);
    let report = report(&experiment(&planar(6.0, fields), &tight()));
    let kinks = happenings(&report).iter().filter(|(_, kind)| *kind == "kink").count();
    assert!(kinks > 6, "{:?}", happenings(&report));
}

#[test]
fn a_kink_that_an_impact_jumps_over_takes_its_side_at_the_impact() {
    // The brake acts while the ball falls: g - b up, and from the impact on not at all.
    let fields = r#"
        parameters: { "b": 2.0, "e": 0.5 }, gravity: [0, -10],
        points: { "P": (at: [0, 1], mass: 1) },
        forces: { "brake": Load(at: "P", force: [0, "b*step(-P.vy)"]) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) },
        objectives: { "y": Final("P.y") },"#;
    let report = report(&experiment(&planar(0.7, fields), &tight()));
    // Falls for 0.5 s with 8 m/s^2 and leaves with 2 m/s; it turns round after another 0.2 s, where the run ends.
    close("time", times(&report)[0], 0.5, 1e-12);
    close("y", objective(&report, "y"), 0.2, 1e-11);
    certified(&planar(0.65, fields), Nullspace);
}
