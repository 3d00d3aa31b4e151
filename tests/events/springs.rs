//! One-sided springs and forces that events switch.

use std::f64::consts::PI;

use crate::support::*;

#[test]
fn a_buffer_acts_for_half_a_period_and_gives_the_speed_back() {
    // Mass 2 kg, stiffness 50 N/m: 5 rad/s. It meets the buffer (natural length 1) at 0.5 s.
    let report = run(&planar(
        2.0,
        r#"ground: { "wall": [0, 0] },
        points: { "P": (at: [2, 0], velocity: [-2, 0], mass: 2) },
        forces: { "buffer": Spring(from: "wall", to: "P", stiffness: 50, natural_length: 1, one_sided: Compression) },
        outputs: { "x": "P.x", "v": "P.vx", "force": "buffer.force" },"#,
    ));
    assert_eq!(happenings(&report), [("buffer", "switch"); 2]);
    let out = 0.5 + PI / 5.0;
    all_close("times", &times(&report), &[0.5, out], 1e-12);
    close("v", output(&report, "v"), 2.0, 1e-11);
    close("x", output(&report, "x"), 1.0 + 2.0 * (2.0 - out), 1e-11);
    close("force", output(&report, "force"), 0.0, 0.0);
}

#[test]
fn a_rope_with_damping_acts_only_when_stretched() {
    // Slack until 0.5 s; then x'' + 2 x' + 26 x = 0 about the natural length: slack again after pi/5 at the speed exp(-pi/5).
    let report = run(&planar(
        2.0,
        r#"ground: { "wall": [0, 0] },
        points: { "P": (at: [0.5, 0], velocity: [1, 0], mass: 2) },
        forces: { "rope": Spring(from: "wall", to: "P", stiffness: 52, natural_length: 1, damping: 4, one_sided: Tension) },
        outputs: { "x": "P.x", "v": "P.vx" },"#,
    ));
    assert_eq!(happenings(&report), [("rope", "switch"); 2]);
    let out = 0.5 + PI / 5.0;
    all_close("times", &times(&report), &[0.5, out], 1e-12);
    let speed = (-PI / 5.0).exp();
    close("v", output(&report, "v"), -speed, 1e-11);
    close("x", output(&report, "x"), 1.0 - speed * (2.0 - out), 1e-11);
}

#[test]
fn a_one_sided_spring_that_only_touches_its_natural_length_stays_slack() {
    // Gravity-like pull of 2 m/s^2 back from the rope: the farthest place is a billionth short of the natural length.
    for (reach, events) in [(-1e-9, 0), (1e-9, 2)] {
        let fields = format!(
            r#"gravity: [-2, 0],
            ground: {{ "wall": [0, 0] }},
            points: {{ "P": (at: [{}, 0], velocity: [1, 0], mass: 2) }},
            forces: {{ "rope": Spring(from: "wall", to: "P", stiffness: 50, natural_length: 1, one_sided: Tension) }},"#,
            0.75 + reach
        );
        assert_eq!(run(&planar(1.0, &fields)).events.len(), events, "reach {reach}");
    }
}

#[test]
fn a_one_sided_spring_that_starts_on_its_natural_length_acts_from_there() {
    let report = run(&planar(
        1.0,
        r#"ground: { "wall": [0, 0] },
        points: { "P": (at: [1, 0], velocity: [-2, 0], mass: 2) },
        forces: { "buffer": Spring(from: "wall", to: "P", stiffness: 50, natural_length: 1, one_sided: Compression) },
        outputs: { "v": "P.vx" },"#,
    ));
    assert!(report.events.len() <= 2, "{:?}", report.events);
    close("time", report.events.last().unwrap().t, PI / 5.0, 1e-12);
    close("v", output(&report, "v"), 2.0, 1e-11);
}

#[test]
fn a_spring_switched_on_and_off_acts_in_between() {
    // Starts at rest at x = 1 (natural length 0.5, 2 rad/s); a quarter period later it is at the natural length with speed 1.
    let fields = format!(
        r#"ground: {{ "wall": [0, 0] }},
        points: {{ "P": (at: [1, 0], velocity: [0, 0], mass: 3) }},
        forces: {{ "spring": Spring(from: "wall", to: "P", stiffness: 12, natural_length: 0.5, active: false) }},
        events: {{ "on": (when: At(0.3), then: [Enable("spring")]), "off": (when: At({}), then: [Disable("spring")]) }},
        outputs: {{ "x": "P.x", "v": "P.vx" }},"#,
        0.3 + PI / 4.0
    );
    let report = run(&planar(1.2, &fields));
    assert_eq!(happenings(&report), [("on", "switch"), ("off", "switch")]);
    close("v", output(&report, "v"), -1.0, 1e-12);
    close("x", output(&report, "x"), 0.5 - (1.2 - 0.3 - PI / 4.0), 1e-12);
}

#[test]
fn a_spring_whose_ends_meet_is_remarked_and_has_no_derivative() {
    let scene = |beside: f64, natural: f64| {
        format!(
            r#"Scene(name: "through", space: Planar, gravity: [0, 0], parameters: {{ "k": 10.0 }}, ground: {{ "A": [0, {beside}] }},
            points: {{ "P": (at: [1, 0], velocity: [-1, 0], mass: 1) }},
            forces: {{ "s": Spring(from: "A", to: "P", stiffness: "k", natural_length: {natural}) }},
            objectives: {{ "x": Final("P.x") }}, simulation: (duration: 3))"#
        )
    };
    for (beside, natural, meet) in [(0.0, 0.2, true), (0.0, 0.0, false), (0.3, 0.2, false)] {
        let file = costate::scene::parse("through.ron", &scene(beside, natural)).unwrap();
        let experiment = costate::run::Experiment::new(&file, &costate::run::Changes::default()).unwrap();
        let (report, _) = experiment.run(false, &mut |_| {}).unwrap();
        let remarks = report
            .remarks
            .iter()
            .filter(|remark| remark.contains("the ends of \"s\" meet"));
        assert_eq!(remarks.count(), usize::from(meet), "{:?}", report.remarks);
        for method in [costate::run::Method::Adjoint, costate::run::Method::Forward] {
            let found = experiment.gradient(method);
            assert_eq!(
                found.err().and_then(|error| error.name().map(str::to_string)),
                meet.then(|| "s".to_string())
            );
        }
    }
}

/// A mass that hangs from a spring whose ends meet at the start, with its natural length.
fn from_one_place(natural: &str) -> String {
    format!(
        r#"Scene(name: "meet", space: Planar, gravity: [0, -9.81], parameters: {{ "k": 3.0, "x": 0.0, "l": 0.0 }}, ground: {{ "A": [0, 1] }},
        points: {{ "P": (at: ["x", 1], mass: 1) }},
        forces: {{ "s": Spring(from: "A", to: "P", stiffness: "k", natural_length: {natural}) }},
        objectives: {{ "x": Final("P.x"), "y": Final("P.y"), "energy": Integral("energy.potential"), "force": Final("s.force") }},
        simulation: (duration: 1))"#
    )
}

#[test]
fn a_spring_without_natural_length_and_damping_may_start_with_ends_that_meet() {
    let solid = from_one_place("0")
        .replace("Planar, gravity: [0, -9.81]", "Spatial, gravity: [0, 0.3, -9.81]")
        .replace("ground: { \"A\": [0, 1] }", "ground: { \"A\": [0, 1, 0.2] }")
        .replace(
            r#"points: { "P": (at: ["x", 1], mass: 1) }"#,
            r#"bodies: { "P": Solid(mass: 1, inertia: [0.1, 0.2, 0.3, 0, 0, 0], at: ["x", 0, 0], markers: { "e": [0, 1, 0.2] }) }"#,
        )
        .replace(r#"to: "P""#, r#"to: "P.e""#);
    let rigid = from_one_place("0")
        .replace(
            r#"points: { "P": (at: ["x", 1], mass: 1) }"#,
            r#"bodies: { "P": Rigid(mass: 1, inertia: 0.1, at: ["x", 0.8, 0], markers: { "e": [0, 0.2] }) }"#,
        )
        .replace(r#"to: "P""#, r#"to: "P.e""#);
    assert!(solid.contains("Solid") && rigid.contains("P.e"));
    use costate::run::{Changes, Experiment, Method, Verdict};
    use costate::scene::schema::FormulationKind::{Index3, Nullspace, Penalty};
    for (text, formulation) in [
        (from_one_place("0"), Nullspace),
        (from_one_place("0"), Penalty),
        (from_one_place("0"), Index3),
        (
            from_one_place("0").replace("duration: 1", "duration: 1, integrator: Radau"),
            Nullspace,
        ),
        (rigid, Nullspace),
        (solid, Nullspace),
    ] {
        let changes = Changes {
            formulation: Some(formulation),
            ..Changes::default()
        };
        let experiment = Experiment::new(&costate::scene::parse("meet.ron", &text).unwrap(), &changes).unwrap();
        let (_, certificate) = experiment.certify(Method::Adjoint, &|_| {}).unwrap();
        assert_eq!(
            certificate.verdict,
            Verdict::Passed,
            "{text}: {:?}",
            certificate.entries
        );
        assert!(formulation == Penalty || experiment.hessian(&|_| {}).unwrap().missing.is_empty());
    }
}

#[test]
fn a_natural_length_of_zero_that_is_a_parameter_is_refused_where_the_ends_meet_at_the_start() {
    use costate::run::{Changes, Experiment, Method};
    let file = costate::scene::parse("meet.ron", &from_one_place("\"l\"")).unwrap();
    let experiment = Experiment::new(&file, &Changes::default()).unwrap();
    let (report, _) = experiment.run(false, &mut |_| {}).unwrap();
    let fall = 9.81 / 3.0 * (1.0 - 3.0_f64.sqrt().cos());
    assert!(
        (report.objectives[1].1 - (1.0 - fall)).abs() < 1e-7,
        "{:?}",
        report.objectives
    );
    for method in [Method::Adjoint, Method::Forward] {
        let error = experiment.gradient(method).unwrap_err();
        assert_eq!(error.name(), Some("s"), "{method:?}: {error}");
    }
}
