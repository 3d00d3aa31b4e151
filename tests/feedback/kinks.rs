//! Limits and other kinks of feedback are events.

use costate::scene::schema::FormulationKind::Nullspace;

use crate::slope;
use crate::support::{agreed, certified, close, experiment, happenings, objective, planar, report, tight, times};

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

/// A torque that follows the principal value of an angle jumps where that does.
#[test]
fn the_cut_of_an_angle_is_a_jump() {
    let text = planar(
        2.0,
        r#"parameters: { "v": 1.3, "y0": 1.0 },
        points: { "P": (at: [-1, "y0"], velocity: [0, "-v"], mass: 1) },
        forces: { "f": Load(at: "P", force: ["0.5*atan2(P.y, -1)", 0]) },
        objectives: { "vx": Final("P.vx"), "I": Integral("atan2(P.y, -1)") },"#,
    );
    let experiment = experiment(&text, &tight());
    let report = report(&experiment);
    assert_eq!(happenings(&report), [("f", "kink"), ("I", "kink")]);
    // The integral of pi - atan(y) over y from 0 to y0, and of atan(-y) - pi below, over v.
    let inner = |y: f64| y * y.atan() - 0.5 * (1.0 + y * y).ln();
    let (v, y0) = (1.3, 1.0);
    let y1 = 2.0 * v - y0;
    let pi = std::f64::consts::PI;
    let wanted = (pi * y0 - inner(y0) - pi * y1 + inner(y1)) / v;
    close("I", objective(&report, "I"), wanted, 1e-11);
    close("vx", objective(&report, "vx"), 0.5 * wanted, 1e-11);
    let by_y0 = (pi - y0.atan() + pi - y1.atan()) / v;
    let by_v = (2.0 * (y1.atan() - pi) - wanted) / v;
    let found = agreed(&experiment, 1e-9);
    for (slope, wanted) in found.objectives[1].gradient.iter().zip([by_v, by_y0]) {
        close("slope", *slope, wanted, 1e-9);
    }
    certified(&text, Nullspace);
}

/// A kink within an angle comes to zero together with the cut, which is no event then: values are those as written.
#[test]
fn angles_of_what_has_a_kink_keep_their_values() {
    let text = planar(
        4.0,
        r#"ground: { "O": [0, 0] }, points: { "P": (guess: [1, 0.3], mass: 1) },
        bodies: { "b": Bar(from: "O", to: "P", length: 1, angle: 0.3, angular_velocity: 3) },
        objectives: { "max": Integral("atan2(max(P.y, 0), P.x)"), "abs": Integral("atan2(abs(P.y), P.x)") },"#,
    );
    let report = report(&experiment(&text, &tight()));
    let pi = std::f64::consts::PI;
    close("max", objective(&report, "max"), (2.0 * pi * pi - 0.045) / 3.0, 1e-8);
    let rest = 4.0 * pi - 12.3;
    close(
        "abs",
        objective(&report, "abs"),
        (2.0 * pi * pi - 0.045 - 0.5 * rest * rest) / 3.0,
        1e-8,
    );
}

/// A point that goes round meets the cut once a turn; what rests on the axis opposite is far from it.
#[test]
fn angles_of_what_goes_round_are_integrated_turn_by_turn() {
    let turns = |start: &str, w: f64| {
        let text = planar(
            4.0,
            &format!(
                r#"parameters: {{ "w": {w:?} }}, ground: {{ "O": [0, 0] }}, points: {{ "P": (guess: {start}, mass: 1) }},
                bodies: {{ "b": Bar(from: "O", to: "P", length: 1, angle: 0, angular_velocity: "w") }},
                objectives: {{ "I": Integral("atan2(P.y, P.x)"), "J": Integral("atan2(P.y, P.x)^2") }},"#
            ),
        );
        let found = agreed(&experiment(&text, &tight()), 1e-9);
        (found.objectives[0].value, found.objectives[0].gradient[0])
    };
    // The area under a saw tooth, of whole turns zero.
    for w in [3.0, -3.0, 8.0] {
        let angle: f64 = 4.0 * w;
        let rest = angle - std::f64::consts::TAU * (angle / std::f64::consts::TAU).round();
        let (value, slope) = turns("[1, 0]", w);
        close("I", value, 0.5 * rest * rest / w, 1e-10);
        close("slope", slope, (4.0 * rest - 0.5 * rest * rest / w) / w, 1e-9);
    }
    let (value, slope) = turns("[1, 0]", 0.0);
    close("at rest", value, 0.0, 1e-14);
    close("slope at rest", slope, 8.0, 1e-9);
}

/// Beyond its kink a root that is held has no value: a contact after Hertz.
#[test]
fn roots_of_what_is_zero_beyond_a_kink_are_forces() {
    let text = planar(
        0.6,
        r#"gravity: [0, -9.81], parameters: { "k": 3000.0, "h": 0.3 },
        points: { "P": (at: [0, "h"], velocity: [0, 0], mass: 1) },
        forces: { "ground": Load(at: "P", force: [0, "k*max(0, -P.y)^1.5"]) },
        outputs: { "energy": "0.5*P.vy^2 + 9.81*P.y + 0.4*k*max(0, -P.y)^2.5" },
        objectives: { "y": Final("P.y"), "E": Final("energy") },"#,
    );
    let experiment = experiment(&text, &tight());
    let report = report(&experiment);
    assert_eq!(happenings(&report), [("ground", "kink"), ("ground", "kink")]);
    close("E", objective(&report, "E"), 0.3 * 9.81, 1e-9);
    let found = agreed(&experiment, 1e-6);
    let quotient = experiment.gradient(costate::run::Method::FiniteDifference).unwrap();
    for (slope, wanted) in found.objectives[0]
        .gradient
        .iter()
        .zip(&quotient.objectives[0].gradient)
    {
        close("slope", *slope, *wanted, 1e-6);
    }
}
