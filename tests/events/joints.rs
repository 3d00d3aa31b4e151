//! Joints that events switch on and off.

use std::f64::consts::PI;

use costate::error::ErrorKind;

use crate::support::*;

#[test]
fn two_masses_coupled_in_passing_go_on_with_their_common_momentum() {
    let report = run(&planar(
        3.0,
        r#"points: {
            "P": (at: [-2, 0], velocity: [2, 0], mass: 3),
            "Q": (at: [0, 0], velocity: [0, 0], mass: 1),
        },
        joints: { "clutch": Revolute(between: ("P", "Q"), active: false) },
        events: { "couple": (when: Rising("P.x - Q.x"), then: [Enable("clutch")], once: true) },
        outputs: { "vP": "P.vx", "vQ": "Q.vx", "x": "Q.x" },"#,
    ));
    assert_eq!(happenings(&report), [("couple", "switch")]);
    close("time", report.events[0].t, 1.0, 1e-14);
    for name in ["vP", "vQ"] {
        close(name, output(&report, name), 1.5, 1e-14);
    }
    close("x", output(&report, "x"), 3.0, 1e-13);
    // Half the reduced mass times the square of the relative velocity is lost.
    close("energy", report.energy.0 - report.energy.1, 0.5 * 0.75 * 4.0, 1e-13);
}

#[test]
fn a_mass_caught_by_a_link_keeps_only_the_velocity_across_it() {
    // Passing the pivot in a distance of 0.6, caught where the link of length 1 closes: 0.8 before the nearest place.
    let report = run(&planar(
        1.0,
        r#"ground: { "O": [0, 0] },
        points: { "P": (at: [-1.8, 0.6], velocity: [2, 0], mass: 3) },
        joints: { "link": Link(from: "O", to: "P", length: 1, active: false) },
        events: { "catch": (when: Falling("hypot(P.x, P.y) - 1"), then: [Enable("link")], once: true) },
        outputs: { "speed": "hypot(P.vx, P.vy)", "tension": "link.force", "angle": "atan2(P.y, P.x)" },"#,
    ));
    close("time", report.events[0].t, 0.5, 1e-14);
    let speed = 2.0 * 0.6;
    close("speed", output(&report, "speed"), speed, 1e-12);
    close("tension", output(&report, "tension"), 3.0 * speed * speed, 1e-11);
    close(
        "angle",
        output(&report, "angle"),
        PI - 0.6_f64.asin() - 0.5 * speed,
        1e-12,
    );
}

#[test]
fn a_joint_switched_on_while_open_is_an_error_that_names_it() {
    let error = failure(&planar(
        1.0,
        r#"ground: { "O": [0, 0] },
        points: { "P": (at: [1, 0], mass: 3) },
        joints: { "far catch": Revolute(between: ("O", "P"), active: false) },
        events: { "catch": (when: At(0.5), then: [Enable("far catch")]) },"#,
    ));
    assert_eq!(error.kind(), ErrorKind::Event);
    assert_eq!(error.name(), Some("far catch"));
    close("time", error.time().unwrap(), 0.5, 1e-15);
    close("opening", error.value().unwrap(), 1.0, 1e-15);
}

#[test]
fn a_pendulum_whose_link_is_cut_flies_on_as_a_projectile() {
    // Released from rest at the level of the pivot and cut at the angle a below it, with speed sqrt(2 g sin(a)).
    let angle: f64 = 0.9;
    let fields = format!(
        r#"gravity: [0, -{G}],
        ground: {{ "O": [0, 0] }},
        points: {{ "P": (at: [1, 0], velocity: [0, 0], mass: 3) }},
        joints: {{ "link": Link(from: "O", to: "P", length: 1) }},
        events: {{ "cut": (when: Falling("P.y + sin({angle})"), then: [Disable("link")], once: true) }},
        outputs: {{ "vx": "P.vx", "vy": "P.vy", "x": "P.x", "y": "P.y", "tension": "link.force" }},"#
    );
    let report = run(&planar(1.0, &fields));
    assert_eq!(happenings(&report), [("cut", "switch")]);
    let speed = (2.0 * G * angle.sin()).sqrt();
    let (vx, vy) = (-speed * angle.sin(), -speed * angle.cos());
    let s = 1.0 - report.events[0].t;
    close("vx", output(&report, "vx"), vx, 1e-11);
    close("vy", output(&report, "vy"), vy - G * s, 1e-11);
    close("x", output(&report, "x"), angle.cos() + vx * s, 1e-11);
    close(
        "y",
        output(&report, "y"),
        -angle.sin() + vy * s - G * s * s / 2.0,
        1e-11,
    );
    close("tension", output(&report, "tension"), 0.0, 0.0);
    close("energy", report.energy.1, report.energy.0, 1e-11);
}

#[test]
fn a_link_breaks_where_its_tension_exceeds_its_strength() {
    // The tension of a pendulum from the level of its pivot is 3 m g sin(a): 2 m g at sin(a) = 2/3.
    let fields = format!(
        r#"gravity: [0, -{G}],
        ground: {{ "O": [0, 0] }},
        points: {{ "P": (at: [1, 0], velocity: [0, 0], mass: 3) }},
        joints: {{ "link": Link(from: "O", to: "P", length: 1) }},
        events: {{ "break": (when: Rising("link.force - 2*3*{G}"), then: [Disable("link")], once: true) }},
        outputs: {{ "vx": "P.vx" }},"#
    );
    let report = run(&planar(1.0, &fields));
    assert_eq!(happenings(&report), [("break", "switch")]);
    close(
        "vx",
        output(&report, "vx"),
        -(2.0 * G * 2.0 / 3.0).sqrt() * 2.0 / 3.0,
        1e-11,
    );
}

#[test]
fn a_joint_exchanged_for_another_at_one_instant_keeps_what_both_allow() {
    // A mass circles the pivot A; at the lowest place the link to A is exchanged for one to B, half as far: speed stays.
    let fields = format!(
        r#"gravity: [0, -{G}],
        ground: {{ "A": [0, 0], "B": [0, -0.5] }},
        points: {{ "P": (at: [1, 0], velocity: [0, 0], mass: 3) }},
        joints: {{
            "long": Link(from: "A", to: "P", length: 1),
            "short": Link(from: "B", to: "P", length: 0.5, active: false),
        }},
        events: {{ "peg": (when: Falling("P.x"), then: [Disable("long"), Enable("short")], once: true) }},
        outputs: {{ "distance": "hypot(P.x, P.y + 0.5)" }},"#
    );
    let report = run(&planar(0.9, &fields));
    assert_eq!(happenings(&report), [("peg", "switch")]);
    close("distance", output(&report, "distance"), 0.5, 1e-12);
    close("energy", report.energy.1, report.energy.0, 1e-11);
}

#[test]
fn a_driver_switched_on_sets_the_speed_at_once() {
    let report = run(&planar(
        2.0,
        r#"ground: { "O": [0, 0] },
        bodies: { "wheel": Rigid(mass: 1, inertia: 0.1, at: [0, 0, 0], velocity: [0, 0, 1]) },
        joints: {
            "pin": Revolute(between: ("O", "wheel.origin")),
            "motor": DriveAngle(body: "wheel", angle: "0.5 + 3*(t - 0.5)", active: false),
        },
        events: { "engage": (when: At(0.5), then: [Enable("motor")]), "off": (when: At(1), then: [Disable("motor")]) },
        outputs: { "angle": "wheel.angle", "omega": "wheel.omega" },"#,
    ));
    close("omega", output(&report, "omega"), 3.0, 1e-13);
    close("angle", output(&report, "angle"), 0.5 + 1.5 + 3.0, 1e-12);
}
