//! Bounces that come to rest, lasting contact, lift-off.

use costate::scene::schema::FormulationKind::{Index3, Multipliers, Nullspace, Penalty, Stabilized};

use crate::support::*;

/// A ball of 0.5 kg dropped from 1 m; at 2 s a pull begins that grows by 20 N/s.
fn dropped(e: f64, duration: f64) -> String {
    let fields = format!(
        r#"gravity: [0, -{G}],
        points: {{ "ball": (at: [0, 1], velocity: [0.7, 0], mass: 0.5) }},
        forces: {{ "pull": Load(at: "ball", force: [0, "20*(t - 2)"], active: false) }},
        contacts: {{ "floor": Touch(point: "ball", surface: Plane(through: [0, 0], normal: [0, 3]), law: Restitution({e})) }},
        events: {{ "pull on": (when: At(2), then: [Enable("pull")]) }},
        outputs: {{ "x": "ball.x", "y": "ball.y", "vy": "ball.vy", "support": "floor.force" }},"#
    );
    planar(duration, &fields)
}

#[test]
fn accumulating_bounces_end_in_lasting_contact() {
    let report = run(&dropped(0.5, 1.9));
    let first = (2.0 / G).sqrt();
    let (rest, impacts) = report.events.split_last().unwrap();
    assert_eq!((rest.name.as_str(), rest.kind.as_str()), ("floor", "rest"));
    assert!(impacts.iter().all(|event| event.kind == "impact"));
    let flight = |k: usize| 2.0 * first * 0.5_f64.powi(i32::try_from(k).unwrap());
    let want: Vec<f64> = (0..impacts.len())
        .map(|k| first + (1..=k).map(flight).sum::<f64>())
        .collect();
    all_close("impacts", &times(&report)[..impacts.len()], &want, 1e-12);
    close("rest", rest.t, first * 1.5 / 0.5, 1e-6);
    close("height", output(&report, "y"), 0.0, 1e-14);
    close("support", output(&report, "support"), 0.5 * G, 1e-12);
    close("sliding without friction", output(&report, "x"), 0.7 * 1.9, 1e-12);
}

#[test]
fn a_resting_ball_lifts_off_when_the_load_exceeds_its_weight() {
    let report = run(&dropped(0.5, 3.0));
    let last: Vec<_> = happenings(&report).split_off(report.events.len() - 3);
    assert_eq!(last, [("floor", "rest"), ("pull on", "switch"), ("floor", "release")]);
    let lift = 2.0 + 0.5 * G / 20.0;
    close("lift-off", report.events.last().unwrap().t, lift, 1e-12);
    close(
        "height",
        output(&report, "y"),
        20.0 * (3.0 - lift).powi(3) / 6.0 / 0.5,
        1e-10,
    );
    close("support", output(&report, "support"), 0.0, 0.0);
}

#[test]
fn without_restitution_the_first_impact_rests_and_sliding_goes_on() {
    let report = run(&dropped(0.0, 1.9));
    assert_eq!(happenings(&report), [("floor", "rest")]);
    close("time", report.events[0].t, (2.0 / G).sqrt(), 1e-13);
    close("height", output(&report, "y"), 0.0, 1e-14);
    close("velocity", output(&report, "vy"), 0.0, 1e-14);
    close("sliding", output(&report, "x"), 0.7 * 1.9, 1e-12);
}

#[test]
fn a_bar_that_lies_on_two_supports_from_the_start_stays_and_lifts_off_at_once() {
    let scene = |duration: f64| {
        let fields = format!(
            r#"gravity: [0, -{G}],
            points: {{ "P": (at: [0, 0], velocity: [0, 0]), "Q": (at: [2, 0], velocity: [0, 0]) }},
            bodies: {{ "bar": Bar(from: "P", to: "Q", length: 2, mass: 3) }},
            forces: {{ "crane": Load(at: "bar.centre", force: [0, "10*t"]) }},
            contacts: {{
                "left": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.3)),
                "right": Touch(point: "Q", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.3)),
            }},
            outputs: {{ "on P": "left.force", "on Q": "right.force", "yP": "P.y", "yQ": "Q.y" }},"#
        );
        planar(duration, &fields)
    };
    let report = run(&scene(1.0));
    assert_eq!(happenings(&report), []);
    close("left", output(&report, "on P"), (3.0 * G - 10.0) / 2.0, 1e-12);
    close("right", output(&report, "on Q"), (3.0 * G - 10.0) / 2.0, 1e-12);
    let report = run(&scene(4.0));
    assert_eq!(happenings(&report), [("left", "release"), ("right", "release")]);
    let lift = 3.0 * G / 10.0;
    all_close("lift-off", &times(&report), &[lift, lift], 1e-12);
    for name in ["yP", "yQ"] {
        close(
            name,
            output(&report, name),
            10.0 * (4.0 - lift).powi(3) / 6.0 / 3.0,
            1e-11,
        );
    }
}

#[test]
fn a_body_at_rest_on_an_incline_slides_down_without_friction() {
    let fields = format!(
        r#"gravity: [0, -{G}],
        points: {{ "P": (at: [0, 0], velocity: [0, 0], mass: 3) }},
        contacts: {{ "slope": Touch(point: "P", surface: Plane(through: [0, 0], normal: [3, 4]), law: Restitution(0.5)) }},
        outputs: {{ "x": "P.x", "y": "P.y", "support": "slope.force" }},"#
    );
    let report = run(&planar(2.0, &fields));
    assert_eq!(happenings(&report), []);
    // Normal (0.6, 0.8): down the slope along (0.8, -0.6) with g 0.6.
    let way = 0.6 * G * 2.0;
    close("x", output(&report, "x"), 0.8 * way, 1e-11);
    close("y", output(&report, "y"), -0.6 * way, 1e-11);
    close("support", output(&report, "support"), 3.0 * G * 0.8, 1e-11);
}

#[test]
fn a_bead_sliding_down_a_circle_lifts_off_at_two_thirds_of_its_height() {
    // From rest at the angle a from the top of a circle of radius 2 it leaves where cos(angle) = 2/3 cos(a).
    let fields = format!(
        r#"gravity: [0, -{G}],
        ground: {{ "O": [0, 0] }},
        points: {{ "P": (at: ["2*sin(0.2)", "2*cos(0.2)"], velocity: [0, 0], mass: 3) }},
        contacts: {{ "hill": Touch(point: "P", surface: Circle(centre: "O", radius: 2), law: Restitution(0.5)) }},
        outputs: {{ "vx": "P.vx" }},"#
    );
    let report = run(&planar(1.6, &fields));
    assert_eq!(happenings(&report), [("hill", "release")]);
    let cos = 2.0 / 3.0 * 0.2_f64.cos();
    close("speed", output(&report, "vx"), (G * 2.0 * cos).sqrt() * cos, 1e-10);
}

#[test]
fn a_second_impact_beside_a_resting_contact_keeps_it_closed() {
    // The bead slides on the floor, bounces off a wall, and goes on along the floor.
    let fields = format!(
        r#"gravity: [0, -{G}],
        points: {{ "P": (at: [0, 0], velocity: [2, 0], mass: 3) }},
        contacts: {{
            "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)),
            "wall": Touch(point: "P", surface: Plane(through: [1, 0], normal: [-1, 0]), law: Restitution(0.5)),
        }},
        outputs: {{ "x": "P.x", "y": "P.y", "support": "floor.force" }},"#
    );
    let report = run(&planar(1.0, &fields));
    assert_eq!(happenings(&report), [("wall", "impact")]);
    close("x", output(&report, "x"), 0.5, 1e-13);
    close("y", output(&report, "y"), 0.0, 1e-14);
    close("support", output(&report, "support"), 3.0 * G, 1e-12);
}

#[test]
fn bounces_come_to_rest_whatever_the_height_of_the_floor() {
    for (k, floor) in [0.0, 0.3, 1.1, -7.7, 123.456].into_iter().enumerate() {
        let e = [0.3, 0.5, 0.8, 0.9, 0.7][k];
        let fields = format!(
            r#"gravity: [0, -{G}],
            points: {{ "P": (at: [0, "{floor} + 1"], velocity: [0, 0], mass: 2) }},
            contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, {floor}], normal: [0, 1]), law: Restitution({e})) }},
            outputs: {{ "y": "P.y" }},"#
        );
        // The last bounces are a few roundings of the height of the floor high: formulations may count them differently.
        for formulation in [Nullspace, Multipliers, Stabilized, Index3, Penalty] {
            let report = report(&experiment(&planar(10.0, &fields), &under(formulation)));
            let first = (2.0 / G).sqrt();
            let (rest, impacts) = report.events.split_last().unwrap();
            assert_eq!(rest.kind, "rest", "floor at {floor}");
            close("rest", rest.t, first * (1.0 + e) / (1.0 - e), 1e-5);
            let want = f64::ln(1e-7) / f64::ln(e);
            close("number of impacts", impacts.len() as f64, want, 2.0);
            close("height", output(&report, "y"), floor, 1e-13 * (1.0 + floor.abs()));
        }
    }
}

/// The seventh power of a tenth is the speed of rest but for rounding: which bounce is the last must not depend on that.
#[test]
fn bounces_by_a_tenth_are_as_many_from_any_height() {
    for k in 0..40 {
        let height = 0.5 + 0.0437 * f64::from(k);
        let fields = format!(
            r#"gravity: [0, -{G}], points: {{ "P": (at: [0, {height}], mass: 2) }},
            contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.1)) }},"#
        );
        let report = report(&experiment(&planar(2.0, &fields), &under(Nullspace)));
        assert_eq!(report.events.len(), 7, "from {height}");
    }
}

#[test]
fn an_inelastic_impact_that_is_pulled_back_does_not_rest() {
    // The wall is reached at 1 s with speed 1 against a pull of 1 m/s^2; without restitution the fall back starts from rest.
    let report = run(&planar(
        3.0,
        r#"gravity: [-1, 0],
        points: { "P": (at: [0, 0], velocity: [2, 0], mass: 3) },
        contacts: { "wall": Touch(point: "P", surface: Plane(through: [1.5, 0], normal: [-1, 0]), law: Restitution(0)) },
        outputs: { "x": "P.x" },"#,
    ));
    assert_eq!(happenings(&report), [("wall", "impact")]);
    close("time", report.events[0].t, 1.0, 1e-14);
    close("x", output(&report, "x"), 1.5 - 2.0, 1e-13);
}

#[test]
fn a_bar_pulled_up_at_one_end_turns_about_its_other_support() {
    // The end P is lifted with F, more than half the weight: it leaves at once, Q stays. About the centre m L^2/12 alpha =
    // (N - F) L/2, and Q is not accelerated: N = (m g + 2 F)/4. Nothing pushes the centre sideways.
    let fields = format!(
        r#"gravity: [0, -{G}],
        points: {{ "P": (at: [0, 0], velocity: [0, 0]), "Q": (at: [2, 0], velocity: [0, 0]) }},
        bodies: {{ "bar": Bar(from: "P", to: "Q", length: 2, mass: 3) }},
        forces: {{ "hoist": Load(at: "P", force: [0, 16]) }},
        contacts: {{
            "left": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.3)),
            "right": Touch(point: "Q", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.3)),
        }},
        outputs: {{ "pressed": "right.force", "yQ": "Q.y", "centre": "bar.centre.x", "work": "16*P.y" }},"#
    );
    let report = run(&planar(0.01, &fields));
    assert_eq!(happenings(&report), []);
    close(
        "pressed",
        output(&report, "pressed"),
        (3.0 * G + 2.0 * 16.0) / 4.0,
        1e-2,
    );
    close("yQ", output(&report, "yQ"), 0.0, 1e-14);
    close("centre", output(&report, "centre"), 1.0, 1e-13);
    close(
        "energy",
        report.energy.1 - report.energy.0,
        output(&report, "work"),
        1e-13,
    );
}

#[test]
fn a_falling_row_of_balls_comes_to_rest_as_a_stack() {
    let fields = format!(
        r#"gravity: [0, -{G}],
        points: {{
            "A": (at: [0, 1], velocity: [0, 0], mass: 1),
            "B": (at: [0, 2], velocity: [0, 0], mass: 0.5),
            "C": (at: [0, 3], velocity: [0, 0], mass: 2),
        }},
        contacts: {{
            "floor": Touch(point: "A", radius: 0.2, surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)),
            "AB": Touch(point: "B", radius: 0.2, surface: Circle(centre: "A", radius: 0.2), law: Restitution(0.5)),
            "BC": Touch(point: "C", radius: 0.2, surface: Circle(centre: "B", radius: 0.2), law: Restitution(0.5)),
        }},
        outputs: {{ "yA": "A.y", "yB": "B.y", "yC": "C.y", "on floor": "floor.force", "on B": "BC.force" }},"#
    );
    for formulation in [Nullspace, Multipliers, Stabilized, Index3, Penalty] {
        let report = report(&experiment(&planar(1.5, &fields), &under(formulation)));
        let rests = report.events.iter().filter(|event| event.kind == "rest").count();
        assert_eq!(rests, 3, "{formulation:?}");
        for (name, want) in [("yA", 0.2), ("yB", 0.6), ("yC", 1.0)] {
            close(name, output(&report, name), want, 1e-9);
        }
        close("on floor", output(&report, "on floor"), 3.5 * G, 1e-5);
        close("on B", output(&report, "on B"), 2.0 * G, 1e-5);
    }
}

#[test]
fn bounces_in_a_bowl_end_without_chatter_at_any_tolerance() {
    // Each bounce keeps half of the normal velocity: a ten-millionth is left after 23 of them.
    let fields = format!(
        r#"gravity: [0, -{G}],
        ground: {{ "O": [0, 0] }},
        points: {{ "P": (at: [1, 0], velocity: [0, 0], mass: 1) }},
        contacts: {{ "bowl": Touch(point: "P", radius: 0.2, surface: Circle(centre: "O", radius: 2, inside: true), law: Restitution(0.5)) }},"#
    );
    for (rtol, atol) in [(1e-6, 1e-8), (1e-9, 1e-11), (1e-12, 1e-13)] {
        let report = report(&experiment(&planar(3.0, &fields), &tolerances(rtol, atol)));
        let (rest, impacts) = report.events.split_last().unwrap();
        assert_eq!(rest.kind, "rest", "atol {atol}");
        assert!(
            (15..=25).contains(&impacts.len()),
            "{} impacts with atol {atol}",
            impacts.len()
        );
    }
}

#[test]
fn a_foot_that_is_stopped_by_two_others_lies_on_the_floor_as_well() {
    for formulation in [Nullspace, Multipliers, Stabilized, Index3, Penalty] {
        let text = planar(
            1.0,
            r#"gravity: [0, -9.81],
            bodies: { "table": Rigid(mass: 4, inertia: 0.6, centre: [0.1, 0.5], at: [0, 0.1, 0], velocity: [0, 0, 0],
                markers: { "a": [-1, 0], "c": [0.4, 0], "d": [1, 0] }) },
            forces: { "push": Load(at: "table.centre", force: ["3*t", 0]) },
            contacts: {
                "a": Touch(point: "table.a", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.2)),
                "c": Touch(point: "table.c", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.2)),
                "d": Touch(point: "table.d", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.2)),
            },
            outputs: { "angle": "table.angle" },"#,
        );
        let report = report(&experiment(&text, &under(formulation)));
        let last = report.events.last().unwrap().t;
        assert!(last < 0.25, "{formulation:?}: {:?}", report.events);
        for foot in ["a", "c", "d"] {
            let ends = report.events.iter().rfind(|event| event.name == foot).unwrap();
            assert_eq!(ends.kind, "rest", "{formulation:?} {foot}");
        }
        close("angle", output(&report, "angle"), 0.0, 1e-9);
    }
}

#[test]
fn a_stop_that_a_blow_closes_is_struck_even_where_it_would_open_again_at_once() {
    // The floor and the stop throw a leg to each other; the stop, on zero, fell below it and came back within a step, unseen, and the next
    // event found it 5.6e-6 deep.
    let scene = planar(
        1.2,
        r#"gravity: [1, -9.81],
        parameters: { "e": 0.4 },
        ground: { "O": [0, 0] },
        bodies: {
            "a": Rigid(mass: 1.333, inertia: 0.047, centre: [0.15, 0.025], guess: [0, 0, 0.1], markers: { "k": [0.313, -0.046] }),
            "b": Rigid(mass: 1.224, inertia: 0.047, centre: [0.147, -0.007], guess: [0.3, 0, 0.1], markers: { "k": [0.309, -0.013] }),
            "c": Rigid(mass: 1.696, inertia: 0.011, centre: [0.052, 0.044], guess: [0.6, 0, 0.1], markers: { "t": [0.35, 0.02] }),
        },
        joints: {
            "hip": Revolute(between: ("O", "a.origin")),
            "guide": Prismatic(between: ("a.k", "b.origin"), direction: [0.604, -0.874]),
            "knee": Revolute(between: ("b.k", "c.origin")),
        },
        forces: { "motor": Torque(on: "c", torque: "-2.71*sin(5.694*t)") },
        contacts: {
            "stop": Limit(of: AngleBetween("b", "c"), at_least: -0.487, at_most: 0.313, law: Restitution("e")),
            "floor": Touch(point: "c.t", radius: 0.02, surface: Plane(through: [0, -0.64], normal: [0.1, 1]), law: Restitution("e")),
        },
        objectives: { "q": Final("a.angle") },"#,
    );
    let at = |rtol: f64| objective(&report(&experiment(&scene, &tolerances(rtol, 1e-3 * rtol))), "q");
    let found = [1e-8, 1e-9, 1e-11].map(at);
    assert!(found.iter().all(|q| (q - 0.432_647_928).abs() < 1e-8), "{found:?}");
    agreed(&experiment(&scene, &tight()), 1e-7);
}
