//! Objectives that are the greatest or least value of an expression over the motion.

use costate::run::{Changes, Experiment, Method, Verdict};

use crate::support::*;

/// Values and gradients by both methods against closed forms; rows are name, value and derivatives by parameter.
fn holds(scene: &Experiment, rows: &[(&str, f64, Vec<f64>)]) {
    let (run, _) = scene.run(false, &mut |_| {}).expect("a run");
    for method in [Method::Adjoint, Method::Forward] {
        let report = scene.gradient(method).expect("a gradient");
        for (name, value, slopes) in rows {
            close(name, objective(&run, name), *value, 1e-10);
            let found = report.objectives.iter().find(|found| found.name == *name);
            let found = found.expect("it is there");
            close(name, found.value, *value, 1e-10);
            all_close(&format!("{name} {method:?}"), &found.gradient, slopes, 1e-9);
        }
    }
}

#[test]
fn a_greatest_value_within_the_motion_has_the_derivative_of_its_closed_form() {
    let fields = r#"gravity: [0, "-g"],
        parameters: { "v": 3.0, "g": 9.81, "factor": 2.0 },
        points: { "P": (at: [0, 1], velocity: [1, "v"], mass: 2) },
        objectives: {
            "top": Max("P.y"),
            "bottom": Min("P.y"),
            "pull": Sum([("factor", Max("4*P.y - 3*P.x")), (1, Final("P.x"))]),
        },"#;
    let (v, g, factor, end) = (3.0, 9.81_f64, 2.0, 0.9_f64);
    // 4 y - 3 x is greatest where 4 (v - g t) = 3.
    let t = (v - 0.75) / g;
    let pull = 4.0 * (1.0 + v * t - 0.5 * g * t * t) - 3.0 * t;
    let rows = [
        ("top", 1.0 + v * v / (2.0 * g), vec![v / g, -v * v / (2.0 * g * g), 0.0]),
        (
            "bottom",
            1.0 + v * end - 0.5 * g * end * end,
            vec![end, -0.5 * end * end, 0.0],
        ),
        (
            "pull",
            factor * pull + end,
            vec![factor * 4.0 * t, -factor * 2.0 * t * t, pull],
        ),
    ];
    holds(&experiment(&planar(end, fields), &tight()), &rows);
}

#[test]
fn extreme_values_beside_impacts_move_with_the_time_of_the_impact() {
    let fields = r#"gravity: [0, "-g"],
        parameters: { "h": 1.1, "e": 0.5, "g": 9.81 },
        points: { "P": (at: [0, "h"], mass: 2) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) },
        objectives: {
            "fastest down": Min("P.vy"),
            "fastest up": Max("P.vy"),
            "highest": Max("P.y"),
            "deepest": Min("P.y - 0.1*t"),
        },"#;
    let (h, e, g) = (1.1, 0.5, 9.81_f64);
    let v = (2.0 * g * h).sqrt();
    // The second impact is the last one, at (1 + 2 e) v/g = 0.95 s; the end, at 1.15 s, is in the flight after it.
    let last = (1.0 + 2.0 * e) * v / g;
    let rows = [
        ("fastest down", -v, vec![-v / (2.0 * h), 0.0, -v / (2.0 * g)]),
        ("fastest up", e * v, vec![e * v / (2.0 * h), v, e * v / (2.0 * g)]),
        ("highest", h, vec![1.0, 0.0, 0.0]),
        (
            "deepest",
            -0.1 * last,
            vec![-0.1 * last / (2.0 * h), -0.2 * v / g, 0.1 * last / (2.0 * g)],
        ),
    ];
    holds(&experiment(&planar(1.1, fields), &tight()), &rows);
}

#[test]
fn extreme_values_at_the_start_and_at_the_end_move_with_them() {
    let text = r#"Scene(name: "test", space: Planar,
        parameters: { "from": 0.3, "lasts": 0.5, "v": 2.0 },
        points: { "P": (at: [0, 0], velocity: ["v", 0], mass: 1) },
        objectives: { "first": Min("t^2"), "last": Max("t^2"), "far": Max("P.x + t") },
        simulation: (start: "from", duration: "lasts"))"#;
    let (from, lasts, v): (f64, f64, f64) = (0.3, 0.5, 2.0);
    let end = from + lasts;
    let rows = [
        ("first", from * from, vec![2.0 * from, 0.0, 0.0]),
        ("last", end * end, vec![2.0 * end, 2.0 * end, 0.0]),
        ("far", v * lasts + end, vec![1.0, v + 1.0, lasts]),
    ];
    holds(&experiment(text, &tight()), &rows);
}

#[test]
fn a_speed_that_begins_at_rest_and_stops_on_the_way_has_a_greatest_value() {
    // Moves as cos(w t) on a line askew. The speed vanishes, with a kink, at the start and after half a period.
    let fields = r#"parameters: { "w": 3.0 },
        points: { "P": (at: [0.6, 0.8], velocity: [0, 0], mass: 1) },
        forces: { "push": Load(at: "P", force: ["-0.6*w^2*cos(w*t)", "-0.8*w^2*cos(w*t)"]) },
        objectives: { "fastest": Max("hypot(P.vx, P.vy)") },"#;
    holds(
        &experiment(&planar(1.4, fields), &tight()),
        &[("fastest", 3.0, vec![1.0])],
    );
}

#[test]
fn the_certificate_confirms_peaks_of_reactions() {
    let scene = experiment(
        &planar(
            1.3,
            &format!(
                r#"gravity: [0, -{G}],
        parameters: {{ "length": 0.7, "mass": 1.2, "angle": -0.4 }},
        ground: {{ "O": [0, 0] }},
        points: {{ "P": (at: ["length*cos(angle)", "length*sin(angle)"], velocity: [0, 0], mass: "mass") }},
        bodies: {{ "rod": Bar(from: "O", to: "P", length: "length", mass: 0.3) }},
        objectives: {{ "pull": Max("rod.force"), "push": Min("rod.force"), "left": Min("P.x") }},"#
            ),
        ),
        &tight(),
    );
    let (_, certificate) = scene.certify(Method::Adjoint, &|_| {}).expect("a certificate");
    assert!(!certificate.entries.is_empty());
    for entry in &certificate.entries {
        assert_ne!(entry.verdict, Verdict::Failed, "{entry:?}");
    }
    let report = scene.gradient(Method::Forward).expect("a gradient");
    let steep = report
        .objectives
        .iter()
        .all(|objective| objective.gradient[2].abs() > 1e-3);
    assert!(steep, "{:?}", report.objectives);
}

/// Expressions of time alone do not shorten the steps of the motion; their extreme values are found all the same.
#[test]
fn extreme_values_between_long_steps_are_found() {
    let fields = r#"gravity: [0, -9.81], parameters: { "w": 40.0 },
        points: { "P": (at: [0, 1], velocity: [1, 0], mass: 2) },
        objectives: { "most": Max("t*sin(w*t)"), "least": Min("(1.2 - P.x)*cos(w*P.x)"), "spike": Max("1/(1 + 1e4*(t - 0.4)^2)") },"#;
    let scene = experiment(&planar(1.0, fields), &tight());
    let found = report(&scene);
    let fine = |f: fn(f64) -> f64| {
        (0..1_000_001)
            .map(|k| f(f64::from(k) * 1e-6))
            .fold(f64::NEG_INFINITY, f64::max)
    };
    close("most", objective(&found, "most"), fine(|t| t * (40.0 * t).sin()), 1e-8);
    close(
        "least",
        -objective(&found, "least"),
        fine(|t| -(1.2 - t) * (40.0 * t).cos()),
        1e-8,
    );
    close("spike", objective(&found, "spike"), 1.0, 1e-12);
    certified(&scene);
}

/// At a metre from where it moves the expression would be e^40; what its values are exact to is that of the states of the motion.
#[test]
fn extreme_values_of_steep_expressions_are_found() {
    let fields = r#"gravity: [0, 0], parameters: { "w": 4000 }, ground: { "O": [0, 0] },
        points: { "Q": (guess: [0, -1], mass: 1), "P": (at: [0, 1], velocity: [0.003, 0], mass: 1) },
        bodies: { "rod": Bar(from: "O", to: "Q", length: 1, mass: 1, angle: -1.5) },
        objectives: { "least": Min("P.x*exp(40*P.x)*cos(w*t) - t") },"#;
    let scene = experiment(&planar(3.0, fields), &Changes::default());
    let f = |t: f64| 0.003 * t * (0.12 * t).exp() * (4000.0 * t).cos() - t;
    let least = (0..1_000_001)
        .map(|k| f(3.0 - f64::from(k) * 1e-8))
        .fold(f64::INFINITY, f64::min);
    close("least", objective(&report(&scene), "least"), least, 1e-9);
    certified(&scene);
}

/// The certificate of every derivative of a scene passes.
fn certified(scene: &Experiment) {
    let (_, certificate) = scene.certify(Method::Adjoint, &|_| {}).expect("a certificate");
    for entry in &certificate.entries {
        assert_eq!(entry.verdict, Verdict::Passed, "{:?}: {}", entry.quantity, entry.reason);
    }
}

#[test]
fn extreme_values_past_poles_and_jumps_are_refused_by_name() {
    let text = |objective: &str| {
        let fields = format!(
            r#"gravity: [0, -9.81], parameters: {{ "c": 0.37 }},
            points: {{ "P": (at: [0, 1], velocity: [1, 0], mass: 2) }},
            outputs: {{ "inverse": "1/(P.x - c)" }}, objectives: {{ "wild": {objective} }},"#
        );
        planar(1.0, &fields)
    };
    let poles = [
        "inverse",
        "1/(t - c)",
        "-1/(t - c)",
        "3 + tan(4*P.x)",
        "1/(P.x - c)^3",
        "1e-3*inverse + t",
    ];
    for pole in poles {
        for kind in ["Max", "Min"] {
            let error = failure(&text(&format!(r#"{kind}("{pole}")"#)));
            assert_eq!(error.name(), Some("wild"), "{pole}: {error}");
            assert!(
                error.message().contains("infinity") || error.message().contains("inf"),
                "{pole}: {error}"
            );
            assert!(error.time().is_some_and(|t| (t - 0.37).abs() < 0.03), "{pole}: {error}");
            assert!(error.advice().is_some());
        }
        failure(&text(&format!(r#"Integral("{pole}")"#)));
    }
    for pole in [
        r#"Max("1/(P.x - c)^2")"#,
        r#"Min("log(abs(P.x - c))")"#,
        r#"Max("1/sqrt(abs(t - c))")"#,
    ] {
        assert_eq!(failure(&text(pole)).name(), Some("wild"), "{pole}");
    }
    let error = failure(&text(
        r#"Max("t - 3*P.vx/hypot(P.vx, P.vy)*cbrt(P.x - c)/hypot(cbrt(P.x - c), 0)")"#,
    ));
    assert!(error.message().contains("jumps"), "{error}");
}

/// y = v t - g t^2/2 and x = u t, on the way up: what has its extreme value at a kink moves with that, and not as either side does.
#[test]
fn extreme_values_at_kinks_and_beside_jumps_move_with_these() {
    let fields = r#"gravity: [0, "-g"],
        parameters: { "v": 2.0, "g": 9.81, "h": 0.1, "c": 0.1 },
        points: { "P": (at: [0, 0], velocity: [0.6, "v"], mass: 1) },
        outputs: { "miss": "abs(P.y - h)" },
        objectives: {
            "nearest": Min("miss"),
            "with way": Min("abs(P.y - h) + 0.2*P.x"),
            "roof": Max("P.y - 4*abs(P.x - c)"),
            "sooner": Max("P.y*step(c/2 - P.x)"),
            "least of two": Max("min(P.y, c - P.x)"),
        },"#;
    let (u, v, g, h, c, end) = (0.6, 2.0, 9.81_f64, 0.1, 0.1, 0.2);
    let y = |t: f64| v * t - 0.5 * g * t * t;
    // The times at which y = h, x = c, x = c/2 and y = c - x, with the derivatives of the first and last by v, g, h, c.
    let root = |b: f64, y: f64| (b - (b * b - 2.0 * g * y).sqrt()) / g;
    let (passes, meets) = (root(v, h), root(v + u, c));
    let [by_passes, by_meets] = [v - g * passes, v + u - g * meets];
    let (over, half) = (c / u, 0.5 * c / u);
    let rows = [
        ("nearest", 0.0, vec![0.0; 4]),
        (
            "with way",
            0.2 * u * passes,
            [-passes, 0.5 * passes * passes, 1.0, 0.0]
                .map(|slope| 0.2 * u * slope / by_passes)
                .to_vec(),
        ),
        ("roof", y(over), vec![over, -0.5 * over * over, 0.0, (v - g * over) / u]),
        (
            "sooner",
            y(half),
            vec![half, -0.5 * half * half, 0.0, 0.5 * (v - g * half) / u],
        ),
        (
            "least of two",
            c - u * meets,
            [-meets, 0.5 * meets * meets, 0.0, 1.0]
                .map(|slope| -u * slope / by_meets)
                .iter()
                .zip([0.0, 0.0, 0.0, 1.0])
                .map(|(slope, own)| slope + own)
                .collect(),
        ),
    ];
    let text = planar(end, fields);
    holds(&experiment(&text, &tight()), &rows);
    let report = report(&experiment(&text, &tight()));
    assert!(
        report
            .events
            .iter()
            .any(|event| event.kind == "kink" && event.name == "roof")
    );
    let (_, certificate) = experiment(&text, &Changes::default())
        .certify(Method::Adjoint, &|_| {})
        .unwrap();
    assert_eq!(certificate.verdict, Verdict::Passed, "{:?}", certificate.entries);
}

/// What is bent upwards is greatest at none of its kinks, which then are no events: grazed ones would have no derivative.
#[test]
fn kinks_that_no_extreme_value_is_at_are_left_alone() {
    let fields = r#"gravity: [0, -9.81], parameters: { "l": 1.0 }, ground: { "O": [0, 0] },
        points: { "P": (guess: [1, 0], mass: 1) },
        bodies: { "rod": Bar(from: "O", to: "P", length: "l", angle: 0, angular_velocity: 0) },
        objectives: { "fastest": Max("abs(P.vx)"), "either": Max("max(abs(P.vx), abs(P.vy))"), "least": Min("5 - abs(P.vx)") },"#;
    let experiment = experiment(&planar(1.2, fields), &tight());
    assert!(report(&experiment).events.is_empty());
    let gradient = experiment.gradient(Method::Adjoint).expect("a gradient");
    // At the lowest point v^2 = 2 g l.
    let v = (2.0 * 9.81_f64).sqrt();
    close("fastest", gradient.objectives[0].value, v, 1e-10);
    close("by length", gradient.objectives[0].gradient[0], 0.5 * v, 1e-9);
    close("least", gradient.objectives[2].value, 5.0 - v, 1e-10);
}
