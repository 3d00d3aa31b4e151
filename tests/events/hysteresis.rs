//! Springs with hysteresis: reversals, memory, energy.

use crate::support::*;

const LAW: &str = "ka: 100, kb: 10, alpha: 5";

/// Limiting force F = (ka - kb)/(2 alpha) of that law.
const WIDTH: f64 = 9.0;

#[test]
fn a_distance_that_a_bar_holds_has_no_reversals() {
    let text = |rtol: f64| {
        format!(
            r#"Scene(name: "held", space: Planar, gravity: [0, -9.81], ground: {{ "A": [0, 0] }}, points: {{ "P": (at: [1, 0], mass: 1) }},
            bodies: {{ "rod": Bar(from: "A", to: "P", length: 1, mass: 1) }},
            forces: {{ "bearing": HystereticSpring(of: Distance("A", "P"), natural: 1, ka: 200, kb: 20, alpha: 50) }},
            simulation: (duration: 3, rtol: {rtol:e}, atol: {:e}))"#,
            0.1 * rtol
        )
    };
    for rtol in [1e-4, 1e-6, 1e-8, 1e-10] {
        let report = report(&experiment(&text(rtol), &costate::run::Changes::default()));
        assert_eq!(report.events.len(), 0, "{rtol:e}");
    }
}

#[test]
fn a_driven_loop_is_the_closed_curve_of_the_model_and_its_work_is_the_area() {
    // Two turns of u = 2 sin(2 pi t): once the branches have reached the limiting curves, each loop repeats the last one.
    let report = run(&planar(
        2.25,
        &format!(
            r#"points: {{ "P": (guess: [0, 0], hold: [Y], mass: 1) }},
            joints: {{ "shaker": DriveCoordinate(coordinate: "P.x", value: "2*sin(2*pi*t)") }},
            forces: {{ "spring": HystereticSpring(of: Coordinate("P.x"), {LAW}) }},
            outputs: {{ "force": "spring.force", "loss": "spring.loss", "reaction": "shaker.force", "u": "spring.elongation" }},"#
        ),
    ));
    // The last one is at the very end, and happens.
    assert_eq!(happenings(&report), [("spring", "reversal"); 5]);
    all_close("times", &times(&report), &[0.25, 0.75, 1.25, 1.75, 2.25], 1e-10);
    close("u", output(&report, "u"), 2.0, 1e-9);
    close("force", output(&report, "force"), 20.0 + WIDTH, 1e-6);
    // From u = -2 on z = kb u + F - 2 F exp(-alpha (u + 2)): both branches leave out 2 F/alpha of the area 2 F (2 - -2).
    close(
        "loss",
        output(&report, "loss"),
        2.0 * WIDTH * 4.0 - 2.0 * 2.0 * WIDTH / 5.0,
        1e-6,
    );
    // The driver carries the force of the spring and the inertia -2 (2 pi)^2.
    let inertia = -2.0 * (2.0 * std::f64::consts::PI).powi(2);
    close("reaction", output(&report, "reaction"), 20.0 + WIDTH + inertia, 1e-6);
}

#[test]
fn what_the_spring_takes_up_is_missing_from_the_energy_of_the_rest() {
    let report = run(&planar(
        3.0,
        &format!(
            r#"gravity: [0, -9.81],
            ground: {{ "A": [0, 0] }},
            points: {{ "P": (at: [0.3, -1], velocity: [2, 1], mass: 2) }},
            forces: {{
                "spring": HystereticSpring(of: Distance("A", "P"), natural: 1, {LAW}, beta: 0.7),
                "side": HystereticSpring(of: Coordinate("P.x"), {LAW}),
            }},
            outputs: {{ "balance": "energy.total + spring.work + side.work", "start": "2*9.81*(-1) + 5", "work": "spring.work" }},"#
        ),
    ));
    assert!(report.events.len() > 6, "{:?}", happenings(&report));
    close("balance", output(&report, "balance"), output(&report, "start"), 1e-9);
    assert!(output(&report, "work") > 0.5);
}

#[test]
fn a_spring_released_under_load_goes_the_way_of_the_load() {
    for (force, direction) in [(3.0, 1.0), (-3.0, -1.0)] {
        let report = run(&planar(
            0.05,
            &format!(
                r#"points: {{ "P": (at: [0, 0], velocity: [0, 0], mass: 1) }},
                forces: {{ "spring": HystereticSpring(of: Coordinate("P.x"), {LAW}), "push": Load(at: "P", force: [{force}, 0]) }},
                outputs: {{ "x": "P.x" }},"#
            ),
        ));
        assert_eq!(happenings(&report), [], "{force}");
        assert!(output(&report, "x") * direction > 1e-3);
    }
}

#[test]
fn a_load_that_begins_at_zero_may_push_either_way() {
    // Nothing tells the direction at the start; the motion against it is a reversal at once.
    let text = |sign: f64| {
        planar(
            0.4,
            &format!(
                r#"points: {{ "P": (at: [0, 0], velocity: [0, 0], mass: 1) }},
                forces: {{ "spring": HystereticSpring(of: Coordinate("P.x"), {LAW}), "push": Load(at: "P", force: ["{sign}*20*t", 0]) }},
                outputs: {{ "x": "P.x" }},"#
            ),
        )
    };
    let (right, left) = (run(&text(1.0)), run(&text(-1.0)));
    assert!(output(&right, "x") > 0.03);
    close("mirrored", output(&left, "x"), -output(&right, "x"), 1e-11);
}

#[test]
fn an_impact_that_turns_the_elongation_round_is_a_reversal_at_that_instant() {
    let report = run(&planar(
        0.3,
        &format!(
            r#"points: {{ "P": (at: [0, 0], velocity: [2, 0], mass: 1) }},
            forces: {{ "spring": HystereticSpring(of: Coordinate("P.x"), {LAW}) }},
            contacts: {{ "wall": Limit(of: Coordinate("P.x"), at_most: 0.1, law: Restitution(1)) }},
            outputs: {{ "balance": "energy.total + spring.work" }},"#
        ),
    ));
    assert_eq!(happenings(&report)[..2], [("wall", "impact"), ("spring", "reversal")]);
    assert_eq!(report.events[0].t, report.events[1].t);
    close("balance", output(&report, "balance"), 2.0, 1e-10);
}

#[test]
fn a_spring_that_is_held_still_keeps_its_force_and_reverses_only_when_it_is_let_go() {
    let report = run(&planar(
        2.0,
        &format!(
            r#"points: {{ "P": (at: [0, 0], velocity: [2, 0], mass: 1) }},
            forces: {{ "spring": HystereticSpring(of: Coordinate("P.x"), {LAW}) }},
            contacts: {{ "wall": Limit(of: Coordinate("P.x"), at_most: 0.1, law: StickUntil(50)) }},
            events: {{ "let go": (when: At(1), then: [Disable("wall")]) }},
            outputs: {{ "force": "spring.force", "work": "spring.work + energy.total" }},"#
        ),
    ));
    let happened = happenings(&report);
    assert_eq!(
        happened[..3],
        [("wall", "stick"), ("let go", "switch"), ("spring", "reversal")]
    );
    close("time of the reversal", report.events[2].t, 1.0, 1e-12);
    // Let go at rest, with what was taken up until the wall.
    let taken_up = 0.5 * 10.0 * 0.01 + WIDTH * 0.1 + WIDTH / 5.0 * (f64::exp(-0.5) - 1.0);
    close("work", output(&report, "work"), taken_up, 1e-9);
}

#[test]
fn a_spring_that_is_switched_on_has_no_history_and_one_switched_off_keeps_its_work() {
    let report = run(&planar(
        1.0,
        &format!(
            r#"points: {{ "P": (guess: [0, 0], hold: [Y], mass: 1) }},
            joints: {{ "shaker": DriveCoordinate(coordinate: "P.x", value: "t - 0.25") }},
            forces: {{ "spring": HystereticSpring(of: Coordinate("P.x"), {LAW}, active: false) }},
            events: {{
                "on": (when: At(0.1), then: [Enable("spring")]),
                "off": (when: At(0.6), then: [Disable("spring")]),
                "on again": (when: At(0.8), then: [Enable("spring")]),
            }},
            outputs: {{ "force": "spring.force", "work": "spring.work" }},"#
        ),
    ));
    // At u = 0.55 it is enabled without history: it goes on along the curve that it would have come on.
    let virgin = |u: f64| 10.0 * u + WIDTH * (1.0 - f64::exp(-5.0 * u));
    close("force", output(&report, "force"), virgin(0.75), 1e-9);
    let stored = |u: f64| 5.0 * u * u + WIDTH * u + WIDTH / 5.0 * f64::exp(-5.0 * u);
    // Enabled at u = -0.15 moving up: a reversal at once, from z* = -virgin(0.15).
    let first =
        |u: f64| 5.0 * u * u + WIDTH * u + (10.0 * -0.15 + WIDTH + virgin(0.15)) / 5.0 * f64::exp(-5.0 * (u + 0.15));
    let work = first(0.35) - first(-0.15) + stored(0.75) - stored(0.55);
    close("work", output(&report, "work"), work, 1e-9);
}

#[test]
fn a_spring_as_stiff_as_dry_friction_reverses_no_more_often_than_it_turns_round() {
    for (rtol, atol) in [(1e-9, 1e-11), (1e-12, 1e-13), (1e-13, 1e-14)] {
        let text = planar(
            6.0,
            r#"points: { "P": (at: [-0.4, 0], velocity: [0, 0], mass: 1) },
            forces: {
                "spring": HystereticSpring(of: Coordinate("P.x"), natural: -0.1, ka: 5e5, kb: 20, alpha: 20000),
                "load": Load(at: "P", force: ["6 + 60*sin(3*t)", 0]),
            },
            outputs: { "x": "P.x" },"#,
        );
        let report = report(&experiment(&text, &tolerances(rtol, atol)));
        assert!((4..9).contains(&report.events.len()), "{:?}", times(&report));
    }
}
