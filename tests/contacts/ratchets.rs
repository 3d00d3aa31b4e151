//! Ratchets: what has been gained is kept, with teeth and without, until it is released.

use crate::support::*;

/// A mass on a line, thrown against a spring-like load.
fn thrown(ratchet: &str, more: &str) -> String {
    planar(
        1.0,
        &format!(
            r#"points: {{ "P": (at: [0, 0], velocity: [2, 0], mass: 2) }},
            forces: {{ "back": Load(at: "P", force: [-8, 0]) }},
            contacts: {{ "pawl": Ratchet(of: Coordinate("P.x"), moves: Up{ratchet}) }},
            outputs: {{ "x": "P.x", "v": "P.vx", "position": "pawl.position", "force": "pawl.force", "gap": "pawl.gap",
                "energy": "energy.kinetic" }},
            {more}"#
        ),
    )
}

#[test]
fn without_teeth_the_farthest_place_is_held() {
    // 4 m/s^2 back: it turns at 0.5 s at x = 0.5, and the pawl carries the load.
    let report = run(&thrown("", ""));
    assert_eq!(happenings(&report), [("pawl", "rest")]);
    all_close("time", &times(&report), &[0.5], 1e-11);
    for (name, want) in [("x", 0.5), ("v", 0.0), ("position", 0.5), ("force", 8.0), ("gap", 0.0)] {
        close(name, output(&report, name), want, 1e-10);
    }
}

#[test]
fn with_teeth_it_falls_back_onto_the_last_one_it_passed() {
    // Teeth at 0.05 + 0.12 k: the last one passed is 0.41. From 0.5 it falls 0.09 m: for sqrt(0.09/2) s, at 4 times that.
    let report = run(&thrown(", pitch: 0.12, tooth: 0.05", ""));
    let fall = f64::sqrt(0.09 / 2.0);
    let passed = |x: f64| 0.5 - f64::sqrt((0.5 - x) / 2.0);
    let mut expected: Vec<f64> = [0.05, 0.17, 0.29, 0.41].into_iter().map(passed).collect();
    expected.push(0.5 + fall);
    all_close("times", &times(&report), &expected, 1e-10);
    let kinds: Vec<&str> = happenings(&report).into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(kinds, ["tooth", "tooth", "tooth", "tooth", "rest"]);
    for (name, want) in [("x", 0.41), ("v", 0.0), ("position", 0.41), ("force", 8.0)] {
        close(name, output(&report, name), want, 1e-10);
    }
}

#[test]
fn a_pawl_that_bounces_keeps_the_fraction_of_the_speed_and_comes_to_rest() {
    let report = run(&thrown(", pitch: 0.12, tooth: 0.05, restitution: 0.3", ""));
    assert_eq!(happenings(&report).last(), Some(&("pawl", "rest")));
    let bounces: Vec<f64> = times(&report)[4..7].to_vec();
    let fall = f64::sqrt(0.09 / 2.0);
    // After each impact it is away for twice the time that three tenths of the speed take to turn.
    all_close(
        "bounces",
        &bounces,
        &[0.5 + fall, 0.5 + 1.6 * fall, 0.5 + 1.78 * fall],
        1e-10,
    );
    close("x", output(&report, "x"), 0.41, 1e-9);
}

#[test]
fn a_released_ratchet_lets_go_and_catches_again_where_it_is_engaged() {
    let events = r#"events: {
        "off": (when: At(0.6), then: [Disable("pawl")]),
        "on": (when: At(0.8), then: [Enable("pawl")]),
    },"#;
    // Off for 0.2 s: 0.08 m back at 0.8 m/s, which the pawl stops at once.
    let report = run(&thrown("", events));
    assert_eq!(
        happenings(&report),
        [("pawl", "rest"), ("off", "switch"), ("on", "switch"), ("pawl", "rest")]
    );
    for (name, want) in [("x", 0.42), ("position", 0.42), ("force", 8.0), ("energy", 0.0)] {
        close(name, output(&report, name), want, 1e-10);
    }
    // With teeth it leaves that at 0.41, and falls on to the next one behind.
    let report = run(&thrown(", pitch: 0.12, tooth: 0.05", &events.replace("0.6", "0.75")));
    close("on a tooth", output(&report, "x"), 0.29, 1e-10);
}

#[test]
fn a_locked_ratchet_goes_on_when_it_is_pushed_and_locks_again() {
    // 4 m/s^2 back until 1 s, then forward with 2 (t - 1) for 1 s and back again.
    let text = planar(
        4.0,
        r#"points: { "P": (at: [0, 0], velocity: [2, 0], mass: 2) },
        memory: { "push": -8 },
        forces: { "load": Load(at: "P", force: ["push", 0]) },
        events: { "on": (when: At(1), then: [Set("push", 4)]), "back": (when: At(2), then: [Set("push", -8)]) },
        contacts: { "pawl": Ratchet(of: Coordinate("P.x"), moves: Up) },
        outputs: { "x": "P.x", "position": "pawl.position" },"#,
    );
    let report = run(&text);
    // 0.5 + 1 at 2 s with 2 m/s, turning after half a second and another 0.5 m.
    assert_eq!(happenings(&report).last(), Some(&("pawl", "rest")));
    close("time", *times(&report).last().unwrap(), 2.5, 1e-10);
    close("x", output(&report, "x"), 2.0, 1e-10);
    close("position", output(&report, "position"), 2.0, 1e-10);
}

#[test]
fn an_impact_never_drives_a_ratchet_back() {
    // A second mass strikes the first backwards: the ratchet takes the blow, and the striker bounces as from a wall.
    let report = run(&planar(
        1.0,
        r#"points: { "P": (at: [0, 0], velocity: [0.5, 0], mass: 2), "Q": (at: [1, 0], velocity: [-2, 0], mass: 1) },
        contacts: {
            "pawl": Ratchet(of: Coordinate("P.x"), moves: Up),
            "balls": Touch(point: "Q", surface: Circle(centre: "P", radius: 0.2), law: Restitution(1)),
        },
        outputs: { "v": "P.vx", "u": "Q.vx", "x": "P.x" },"#,
    ));
    assert!(output(&report, "v") >= -1e-12, "{:?}", report.outputs);
    assert!(output(&report, "u") > 1.0);
}

#[test]
fn a_ratchet_on_a_distance_holds() {
    let report = run(&planar(
        2.0,
        r#"gravity: [0, -9.81],
        ground: { "B": [3, 0] },
        points: { "P": (at: [3, -1], velocity: [0, 3], mass: 1) },
        contacts: { "winch": Ratchet(of: Distance("B", "P"), moves: Down) },
        outputs: { "distance": "hypot(P.x - 3, P.y)", "pull": "winch.force" },"#,
    ));
    close("distance", output(&report, "distance"), 1.0 - 9.0 / (2.0 * 9.81), 1e-9);
    close("pull", output(&report, "pull"), 9.81, 1e-8);
}

#[test]
fn a_ratchet_on_an_angle_holds() {
    let report = run(&planar(
        2.0,
        r#"gravity: [0, -9.81],
        ground: { "A": [0, 0] },
        points: { "tip": (guess: [0.5, -0.8]) },
        bodies: { "rod": Bar(from: "A", to: "tip", length: 1, mass: 1, angle: -1, angular_velocity: 2) },
        contacts: { "wheel": Ratchet(of: Angle("rod"), moves: Up) },
        outputs: { "angle": "rod.angle", "omega": "rod.omega", "held": "wheel.position" },"#,
    ));
    // omega^2/6 is spent on half of g (sin(angle) + sin(1)).
    let angle = f64::asin(2.0 * 4.0 / 6.0 / 9.81 - f64::sin(1.0));
    close("angle", output(&report, "angle"), angle, 1e-9);
    close("omega", output(&report, "omega"), 0.0, 1e-9);
    close("held", output(&report, "held"), angle, 1e-9);
}

#[test]
fn the_hoist_gains_six_teeth_as_its_closed_form_says() {
    let report = run(&std::fs::read_to_string(scenes().join("ratchet_hoist.ron")).unwrap());
    let (rise, g) = (40.0 / 2.0 - 9.81, 9.81);
    let (speed, height) = (rise * 0.2, rise * 0.02);
    let passed = |tooth: i32| {
        let y = 0.06 * f64::from(tooth);
        match y < height {
            true => 0.1 + f64::sqrt(2.0 * y / rise),
            false => 0.3 + (speed - f64::sqrt(speed * speed - 2.0 * g * (y - height))) / g,
        }
    };
    let fall = height + speed * speed / (2.0 * g) - 0.36;
    let rest = 0.3 + speed / g + f64::sqrt(2.0 * fall / g);
    let mut expected = vec![0.1, 0.1];
    expected.extend((1..4).map(passed));
    expected.push(0.3);
    expected.extend((4..7).map(passed));
    expected.extend([rest, 1.0]);
    all_close("times", &times(&report), &expected, 1e-11);
    close("y", output(&report, "y"), 0.36 - g * 0.02, 1e-11);
    close("lost", objective(&report, "energy lost"), 2.0 * g * fall, 1e-10);
    let balance = objective(&report, "work") - objective(&report, "energy lost");
    close("balance", balance, output(&report, "energy"), 1e-10);
}
