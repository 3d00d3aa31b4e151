//! Motions after positions and velocities are set.

use costate::run::Experiment;

use crate::support::*;
use crate::{DOUBLE_PENDULUM, FOUR_BAR};

#[test]
fn a_ball_whose_velocity_an_event_turns_round_moves_as_one_that_bounces() {
    let ball = |rest: &str| {
        let fields = format!(
            r#"parameters: {{ "e": 0.8, "h": 1.0 }}, gravity: [0, -9.81],
            points: {{ "P": (at: [0, "h"], velocity: [1, 0], mass: 2) }}, {rest}
            objectives: {{ "y": Final("P.y"), "way": Integral("P.x*P.y") }},"#
        );
        run(&planar(1.7, &fields))
    };
    let set = ball(r#"events: { "floor": (when: Falling("P.y"), then: [Reset("P.vy", "-e*P.vy")]) },"#);
    let struck = ball(
        r#"contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) },"#,
    );
    assert_eq!(set.events.len(), 2);
    all_close("times", &times(&set), &times(&struck), 1e-12);
    for (a, b) in set.objectives.iter().zip(&struck.objectives) {
        close(&a.0, a.1, b.1, 1e-11);
    }
}

#[test]
fn what_is_set_takes_the_values_just_before_all_at_once_and_the_rest_stays() {
    let fields = r#"points: { "P": (at: [1, 2], velocity: [3, 4], mass: 1), "Q": (at: [5, 6], velocity: [7, 8], mass: 1) },
        events: { "swap": (when: At(0), then: [Reset("P.x", "P.y"), Reset("P.y", "P.x"), Reset("P.vx", "P.vy + Q.vx")]) },
        outputs: { "px": "P.x", "py": "P.y", "vx": "P.vx", "vy": "P.vy", "qx": "Q.x", "qy": "Q.y" },"#;
    // At 0.5 s the places are (2.5, 4) and (8.5, 10).
    let report = run(&planar(0.75, &fields.replace("At(0)", "At(0.5)")));
    for (name, value) in [
        ("px", 4.0 + 0.25 * 11.0),
        ("py", 2.5 + 0.25 * 4.0),
        ("vx", 11.0),
        ("vy", 4.0),
        ("qx", 5.0 + 0.75 * 7.0),
        ("qy", 12.0),
    ] {
        close(name, output(&report, name), value, 1e-12);
    }
}

#[test]
fn the_rest_of_a_mechanism_moves_the_least_way_by_its_masses() {
    // A rod between two sliders is set at one end: the free end takes what the rod leaves it, the heavy cart stays.
    let fields = r#"points: { "A": (at: [0, 0], mass: 1), "B": (at: [2, 0], mass: 3) },
        bodies: { "rod": Bar(from: "A", to: "B", length: 2) },
        events: { "set": (when: At(0.5), then: [Reset("rod.angle", "pi/2")]) },
        outputs: { "ax": "A.x", "ay": "A.y", "bx": "B.x", "by": "B.y" },"#;
    let report = run(&planar(0.5 + 1e-9, fields));
    // The centre of mass at 1.5 does not move, as no other place is nearer.
    for (name, value) in [("ax", 1.5), ("ay", -1.5), ("bx", 1.5), ("by", 0.5)] {
        close(name, output(&report, name), value, 1e-12);
    }
}

#[test]
fn velocities_take_the_least_kinetic_energy_of_their_change() {
    // Two masses on a rod at rest: one gets a velocity along it, and the other the same.
    let fields = r#"points: { "A": (at: [0, 0], mass: 1), "B": (at: [2, 0], mass: 3) },
        bodies: { "rod": Bar(from: "A", to: "B", length: 2) },
        events: { "set": (when: At(0.5), then: [Reset("A.vx", 2), Reset("rod.omega", 0.5)]) },
        outputs: { "ax": "A.vx", "ay": "A.vy", "bx": "B.vx", "by": "B.vy" },"#;
    let report = run(&planar(0.5 + 1e-12, fields));
    // Turning about the centre of mass, which keeps its speed across the rod.
    for (name, value) in [("ax", 2.0), ("ay", -0.75), ("bx", 2.0), ("by", 0.25)] {
        close(name, output(&report, name), value, 1e-9);
    }
}

#[test]
fn all_formulations_agree_and_joints_hold_after_positions_are_set() {
    for (name, duration, fields) in [("double pendulum", 1.0, DOUBLE_PENDULUM), ("four-bar", 0.9, FOUR_BAR)] {
        let report = run(&planar(duration, fields));
        assert!(report.events.iter().any(|event| event.name == "set"), "{name}");
        assert!(
            report.residuals.position < 1e-11 && report.residuals.velocity < 1e-11,
            "{name}: {:?}",
            report.residuals
        );
    }
}

#[test]
fn the_balance_of_energy_has_what_is_set_by_the_name_of_its_event() {
    let fields = r#"points: { "P": (at: [0, 0], velocity: [1, 0], mass: 2) }, gravity: [0, -10],
        events: { "up": (when: At(0.5), then: [Reset("P.y", "P.y + 3")]), "fast": (when: At(0.7), then: [Reset("P.vx", 4)]) },"#;
    let (report, _) = experiment(&planar(1.0, fields), &tight())
        .run_balanced(false, &mut |_| {})
        .unwrap();
    let balance = report.balance.expect("a balance");
    let of = |name: &str| {
        balance
            .events
            .iter()
            .find(|(known, _)| known == name)
            .expect("the event")
            .1
    };
    close("up", of("up"), 60.0, 1e-11);
    close("fast", of("fast"), 15.0, 1e-11);
    assert!(balance.missing.abs() < 1e-10, "{}", balance.missing);
    for fields in [DOUBLE_PENDULUM, FOUR_BAR] {
        let experiment: Experiment = experiment(&planar(0.9, fields), &tight());
        let (report, _) = experiment.run_balanced(false, &mut |_| {}).unwrap();
        let balance = report.balance.expect("a balance");
        assert!(balance.missing.abs() < balance.tolerance, "{}", balance.missing);
    }
}

#[test]
fn angles_are_set_by_whole_turns_too() {
    let turned = |by: &str| {
        let fields = DOUBLE_PENDULUM.replace("low.angle + a*P.vy^2/2", by);
        run(&planar(1.0, &fields))
    };
    let (once, more) = (turned("low.angle + a"), turned("low.angle + a + 2*tau"));
    close(
        "angle",
        output(&more, "angle") - output(&once, "angle"),
        2.0 * std::f64::consts::TAU,
        1e-9,
    );
    close("first", output(&more, "first"), output(&once, "first"), 1e-9);
}

#[test]
fn one_sided_springs_and_kinks_know_the_new_place() {
    // The rope is slack until the place is set, the load bends there.
    let fields = r#"ground: { "O": [0, 0] }, points: { "P": (at: [0.5, 0], mass: 1), "Q": (at: [0, 1], mass: 1) },
        forces: { "rope": Spring(from: "O", to: "P", stiffness: 9, natural_length: 1, one_sided: Tension),
            "bent": Load(at: "Q", force: [0, "abs(P.x - 0.7)"]) },
        events: { "set": (when: At(1), then: [Reset("P.x", 2)]) },
        outputs: { "x": "P.x", "vy": "Q.vy" },"#;
    let report = run(&planar(1.2, fields));
    let t: f64 = 0.2 * 3.0;
    close("x", output(&report, "x"), 1.0 + t.cos(), 1e-10);
    close("vy", output(&report, "vy"), 0.2 + 0.3 * 0.2 + t.sin() / 3.0, 1e-10);
}

#[test]
fn an_angular_velocity_in_body_axes_is_set_while_the_centre_of_mass_and_the_others_go_on() {
    for shift in [0.0, 0.3] {
        let fields = format!(
            r#"bodies: {{ "a": Solid(mass: 2, inertia: [0.3, 0.4, 0.5, 0, 0, 0], centre_of_mass: [0, 0, {shift}], at: [0, 0, 0],
                velocity: [0.1, 0, 0], angular_velocity: [0.2, 0.3, 0.4]) }},
            events: {{ "spin": (when: At(0.5), then: [Reset("a.omega_y", "3*a.omega_y + 1")]) }},
            objectives: {{
                "set": AtEvents(event: "spin", side: After, of: "a.omega_y"), "to": AtEvents(event: "spin", of: "3*a.omega_y + 1"),
                "turn": AtEvents(event: "spin", side: After, of: "a.omega_x + 2*a.omega_z"),
                "turned": AtEvents(event: "spin", of: "a.omega_x + 2*a.omega_z"),
                "momentum": AtEvents(event: "spin", side: After, of: "a.p_x + 2*a.p_z"), "had": AtEvents(event: "spin", of: "a.p_x + 2*a.p_z"),
            }},"#
        );
        let report = run(&spatial(1.0, &fields));
        for (after, before) in [("set", "to"), ("turn", "turned"), ("momentum", "had")] {
            let [after, before] = [after, before].map(|name| objective(&report, name));
            assert!(before.abs() > 0.1);
            close("a value", after, before, 1e-12);
        }
    }
}
