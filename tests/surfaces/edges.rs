//! Edges and corners against closed forms.

use crate::support::*;
use crate::table;

#[test]
fn a_point_slides_off_the_end_of_a_table_and_falls() {
    let report = run(&planar(2.0, &table(0.0, "Restitution(0)", 1.0)));
    let fall = (0.4_f64 / G).sqrt();
    all_close("times", &times(&report), &[fall, 1.5], 1e-11);
    assert_eq!(happenings(&report)[1].1, "release");
    close("y", output(&report, "y"), 0.5 - 0.5 * G * 0.25, 1e-11);
}

#[test]
fn a_disc_slides_round_a_corner_until_it_lifts_off() {
    // Energy and the force along the radius: cos(angle) = (v^2/(g r) + 2)/3 at the place where it lifts off.
    let (v, r) = (0.5_f64, 0.1);
    let report = run(&planar(4.0, &table(r, "Restitution(0)", v)));
    let cosine = (v * v / (G * r) + 2.0) / 3.0;
    let speed = (G * r * cosine).sqrt();
    let (last, lift) = (report.events.last().expect("events"), times(&report)[1]);
    assert_eq!(
        (last.name.as_str(), last.kind.as_str()),
        ("table (corner 3)", "release")
    );
    let (t, sine) = (4.0 - lift, (1.0 - cosine * cosine).sqrt());
    close("x", output(&report, "x"), 1.0 + r * sine + speed * cosine * t, 1e-9);
    close(
        "y",
        output(&report, "y"),
        0.5 + r * cosine - speed * sine * t - 0.5 * G * t * t,
        1e-8,
    );
    // Too fast for the corner it flies on from the end of the edge.
    let fast = run(&planar(2.0, &table(r, "Restitution(0)", 1.0)));
    close("y", output(&fast, "y"), 0.6 - 0.5 * G * 0.25, 1e-11);
}

#[test]
fn a_disc_that_strikes_a_corner_bounces_along_the_line_of_centres() {
    let fields = r#"points: { "P": (at: [1.06, 2], velocity: [0, -1], mass: 1) },
        contacts: { "table": Touch(point: "P", radius: 0.1, surface: Polyline(points: [[-1, 0], [1, 0]]), law: Restitution(1)) },
        outputs: { "vx": "P.vx", "vy": "P.vy" },"#;
    let report = run(&planar(2.5, fields));
    // The normal is (0.6, 0.8): the velocity along it, -0.8, turns round.
    close("time", times(&report)[0], 1.92, 1e-12);
    close("vx", output(&report, "vx"), 0.96, 1e-12);
    close("vy", output(&report, "vy"), 0.28, 1e-12);
}

#[test]
fn beside_and_behind_an_edge_nothing_touches() {
    for place in ["[1.2, 1]", "[0, -0.3]"] {
        let fields = format!(
            r#"points: {{ "P": (at: {place}, velocity: [0, -1], mass: 1) }},
            contacts: {{ "table": Touch(point: "P", radius: 0.1, surface: Polyline(points: [[-1, 0], [1, 0]]), law: Restitution(1)) }},
            outputs: {{ "vy": "P.vy" }},"#
        );
        let report = run(&planar(2.5, &fields));
        assert!(report.events.is_empty());
        close("vy", output(&report, "vy"), -1.0, 1e-14);
    }
}

#[test]
fn what_comes_from_behind_passes_and_is_held_when_it_comes_back() {
    let fields = r#"gravity: [0, -10], points: { "P": (at: [0, -1], velocity: [0, 6], mass: 1) },
        contacts: { "trap": Touch(point: "P", surface: Polyline(points: [[-1, 0], [1, 0]]), law: Restitution(0)) },
        outputs: { "y": "P.y" },"#;
    let report = run(&planar(2.0, fields));
    assert_eq!(happenings(&report), [("trap", "rest")]);
    close("time", times(&report)[0], 1.0, 1e-11);
    close("y", output(&report, "y"), 0.0, 1e-12);
}

#[test]
fn the_ends_of_edges_that_meet_in_a_nook_hold_together() {
    for radius in [0.0, 0.1] {
        let fields = format!(
            r#"gravity: [0, -9.81], points: {{ "P": (at: [0.3, 1], velocity: [0.4, 0], mass: 1) }},
            contacts: {{ "cup": Touch(point: "P", radius: {radius}, surface: Polyline(points: [[-1, 1], [0, 0], [1, 1]]), law: Restitution(0)) }},
            forces: {{ "air": Drag(at: "P", linear: 3) }}, outputs: {{ "x": "P.x", "y": "P.y" }},"#
        );
        let report = run(&planar(8.0, &fields));
        close("x", output(&report, "x"), 0.0, 1e-9);
        close("y", output(&report, "y"), radius * 2.0_f64.sqrt(), 1e-9);
    }
}

#[test]
fn edges_move_with_the_body_that_carries_them() {
    // A plank that turns throws the disc off; against a fixed disc the same in the frame of the plank.
    let fields = r#"bodies: { "plank": Rigid(mass: 1, inertia: 1, guess: [0, 0, 0], hold: [Angle], velocity: [0, 0, 1]) }, ground: { "O": [0, 0] },
        joints: { "axle": Revolute(between: ("plank.origin", "O")), "motor": DriveAngle(body: "plank", angle: "t") },
        points: { "P": (at: [0.5, 0.3], mass: 1) },
        contacts: { "top": Touch(point: "P", radius: 0.1, surface: Polyline(points: [[0, 0], [1, 0]], on: "plank"), law: Restitution(0)) },
        outputs: { "along": "P.x*cos(plank.angle) + P.y*sin(plank.angle)", "above": "P.y*cos(plank.angle) - P.x*sin(plank.angle)" },"#;
    let report = run(&planar(1.0, fields));
    // It is struck where 0.3 cos t - 0.5 sin t = 0.1.
    let (size, phase) = (0.34_f64.sqrt(), (0.5_f64).atan2(0.3));
    let t = (0.1 / size).acos() - phase;
    close("time", times(&report)[0], t, 1e-11);
    close("gap", output(&report, "above"), 0.1, 1e-10);
    // Along the plank s'' = s, from s' = v along it + 0.1 of the turning.
    let s = 0.5 * t.cos() + 0.3 * t.sin();
    let rate = 0.1;
    let rest = 1.0 - t;
    close(
        "along",
        output(&report, "along"),
        s * rest.cosh() + rate * rest.sinh(),
        1e-9,
    );
}

#[test]
fn a_contact_that_sticks_holds_on_edges_and_corners() {
    for (place, contact) in [("[0.5, 1]", "table (edge 1)"), ("[1.06, 1]", "table (corner 2)")] {
        let fields = format!(
            r#"gravity: [0, -9.81], bodies: {{ "disc": Rigid(mass: 1, inertia: 0.01, at: [0, 0, 0], velocity: [0, 0, 0], markers: {{ "c": [0, 0] }}) }},
            contacts: {{ "table": Touch(point: "disc.c", radius: 0.1, surface: Polyline(points: [[-1, 0], [1, 0]]), law: StickUntil(1000)) }},
            outputs: {{ "gap": "'{contact}'.gap", "angle": "disc.angle" }},"#
        );
        let coordinates = place.trim_matches(['[', ']']);
        let report = run(&planar(
            0.45,
            &fields.replace("at: [0, 0, 0]", &format!("at: [{coordinates}, 0]")),
        ));
        assert_eq!(happenings(&report), [(contact, "stick")]);
        close("gap", output(&report, "gap"), 0.0, 1e-9);
    }
}

#[test]
fn bounces_over_a_corner_end_in_rest_as_on_one_edge() {
    // The speed at which it rests is a share of the fastest impact, on whichever edge that was.
    let impacts = |corner: &str| {
        let fields = format!(
            r#"gravity: [0, -9.81], points: {{ "P": (at: [-0.9, 1], velocity: [0.6, 0], mass: 1) }},
            contacts: {{ "floor": Touch(point: "P", surface: Polyline(points: [[-1, 0], {corner} [3, 0]]), law: Restitution(0.6)) }},"#
        );
        run(&planar(3.0, &fields)).events.len()
    };
    assert_eq!(impacts("[0.15, 0],"), impacts(""));
}
