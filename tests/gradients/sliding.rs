//! Motions along a guard that both of its sides lead back to: dry friction that sticks and lets go, relays. Against closed
//! forms, by both methods, in all formulations, and refused where there is no such motion.

use costate::error::{Error, ErrorKind};
use costate::run::{Changes, Experiment, GradientReport, Method, Report, Verdict};
use costate::scene::parse;
use costate::scene::schema::FormulationKind::{self, Index3, Multipliers, Nullspace, Penalty, Stabilized};

use crate::{changes, of, worst_difference};

const G: f64 = 9.81;

pub fn under(fields: &str, formulation: FormulationKind) -> Experiment {
    let text = format!(r#"Scene(name: "sliding", space: Planar, {fields})"#);
    let file = parse("sliding.ron", &text).unwrap_or_else(|error| panic!("{error}"));
    let changes = Changes {
        formulation: Some(formulation),
        ..changes(1e-12, 1e-13)
    };
    Experiment::new(&file, &changes).unwrap_or_else(|error| panic!("{error}"))
}

pub fn experiment(fields: &str) -> Experiment {
    under(fields, Nullspace)
}

pub fn run(fields: &str) -> Report {
    let found = experiment(fields).run(false, &mut |_| {});
    found.unwrap_or_else(|error| panic!("{error}")).0
}

pub fn refused(fields: &str) -> Error {
    let error = experiment(fields).run(false, &mut |_| {}).expect_err(fields);
    assert!(
        [ErrorKind::Event, ErrorKind::Singular].contains(&error.kind()),
        "{error}"
    );
    assert!(
        error.advice().is_some_and(|advice| advice.contains("hysteresis")),
        "{error}"
    );
    error
}

/// The gradient by the adjoint, which agrees with the forward one and passes its certificate.
pub fn certified(fields: &str) -> GradientReport {
    let experiment = experiment(fields);
    let (report, certificate) = experiment.certify(Method::Adjoint, &|_| {}).unwrap();
    assert_eq!(certificate.verdict, Verdict::Passed, "{:#?}", certificate.entries);
    let forward = experiment.gradient(Method::Forward).unwrap();
    let difference = worst_difference(&report, &forward);
    assert!(difference < 1e-9, "{difference:e}");
    report
}

#[track_caller]
pub fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() < tolerance, "{found} is not {expected}");
}

pub fn happenings(report: &Report) -> Vec<(&str, &str, f64)> {
    let events = report.events.iter();
    events
        .map(|event| (event.name.as_str(), event.kind.as_str(), event.t))
        .collect()
}

pub fn value(report: &Report, objective: &str) -> f64 {
    report.objectives.iter().find(|(name, _)| name == objective).unwrap().1
}

#[test]
fn a_block_laid_on_a_belt_is_carried_along_from_the_time_at_which_it_is_as_fast() {
    let fields = r#"gravity: [0, -9.81], parameters: { "vb": 0.6, "mu": 0.3, "m": 1.5 },
        points: { "P": (at: [0, 0], mass: "m") }, ground: { "O": [0, 0] },
        contacts: { "belt": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0)) },
        forces: { "dry": Load(at: "P", force: ["-mu*m*9.81*sign(P.vx - vb)", 0]) },
        objectives: { "x": Final("P.x"), "work": Integral("dry.power") }, simulation: (duration: 2)"#;
    let (vb, mu, m) = (0.6, 0.3, 1.5);
    let report = run(fields);
    let events = happenings(&report);
    assert_eq!(
        (events.len(), events[0].0, events[0].1),
        (1, "dry", "slide"),
        "{events:?}"
    );
    close(events[0].2, vb / (mu * G), 1e-12);
    close(value(&report, "x"), 2.0 * vb - 0.5 * vb * vb / (mu * G), 1e-11);
    close(value(&report, "work"), 0.5 * m * vb * vb, 1e-11);
    let gradient = certified(fields);
    close(of(&gradient, "x", "vb"), 2.0 - vb / (mu * G), 1e-10);
    close(of(&gradient, "x", "mu"), 0.5 * vb * vb / (mu * mu * G), 1e-10);
    close(of(&gradient, "work", "vb"), m * vb, 1e-10);
    close(of(&gradient, "work", "m"), 0.5 * vb * vb, 1e-10);
}

#[test]
fn a_block_under_a_load_that_swings_sticks_lets_go_and_turns_round() {
    let fields = |duration: f64, x: &str| {
        format!(
            r#"gravity: [0, 0], parameters: {{ "F": 5.0, "w": 2.0, "mu": 0.3, "m": 1.0 }},
            points: {{ "P": (at: [0, 0], mass: "m") }}, outputs: {{ "f": "-mu*m*9.81*sign(P.vx)" }},
            forces: {{ "swing": Load(at: "P", force: ["F*sin(w*t)", 0]), "dry": Load(at: "P", force: ["f", 0]) }},
            objectives: {{ "x": {x}, "f": Final("f"), "path": Integral("abs(P.vx)"), "momentum": Integral("f") }},
            simulation: (duration: {duration})"#
        )
    };
    let (force, w, mu, t) = (5.0_f64, 2.0_f64, 0.3, 1.2);
    let leaves = (mu * G / force).asin() / w;
    let pushed = (w * leaves).cos() * (t - leaves) - ((w * t).sin() - (w * leaves).sin()) / w;
    let x = force / w * pushed - 0.5 * mu * G * (t - leaves).powi(2);
    let one_way = fields(t, r#"Final("P.x")"#);
    let gradient = certified(&one_way);
    close(value(&run(&one_way), "x"), x, 1e-11);
    close(of(&gradient, "x", "F"), pushed / w, 1e-10);
    close(of(&gradient, "x", "mu"), -0.5 * G * (t - leaves).powi(2), 1e-10);
    // It sticks again, is let go to the other side, and sticks: there the friction is what the load asks for.
    let back = fields(3.4, r#"Integral("P.x")"#);
    let (report, gradient) = (run(&back), certified(&back));
    let kinds: Vec<&str> = report.events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["leave", "slide", "leave", "slide"]);
    close(value(&report, "f"), -force * (w * 3.4).sin(), 1e-11);
    close(of(&gradient, "f", "F"), -(w * 3.4).sin(), 1e-10);
    close(of(&gradient, "f", "mu"), 0.0, 1e-10);
    close(value(&report, "momentum"), -force / w * (1.0 - (w * 3.4).cos()), 1e-10);
    close(report.energy.1, 0.0, 1e-20);
}

#[test]
fn a_relay_leads_along_its_line_to_rest() {
    for (scene, values) in [
        (
            r#"memory: { "u": -1 }, forces: { "c": Load(at: "P", force: ["u", 0]) },
            events: { "up": (when: Rising("P.x + P.vx"), then: [Set("u", -1)]),
                      "down": (when: Falling("P.x + P.vx"), then: [Set("u", 1)]) },
            outputs: { "u": "u" },"#,
            ("down", "slide"),
        ),
        (
            r#"forces: { "c": Load(at: "P", force: ["u", 0]) }, outputs: { "u": "-sign(P.x + P.vx)" },"#,
            ("u", "slide"),
        ),
    ] {
        let scene = scene.replace(r#"outputs: { "u": "u" },"#, r#"outputs: { "mixed": "u" },"#);
        let fields = format!(
            r#"gravity: [0, 0], parameters: {{ "x0": 1.0 }}, points: {{ "P": (at: ["x0", 0], mass: 1) }}, {scene}
            objectives: {{ "x": Final("P.x"), "v": Final("P.vx") }}, simulation: (duration: 3)"#
        );
        let report = run(&fields);
        let events = happenings(&report);
        assert_eq!((events.len(), (events[0].0, events[0].1)), (1, values), "{events:?}");
        let begins = 3.0_f64.sqrt() - 1.0;
        close(events[0].2, begins, 1e-12);
        let decay = (begins - 3.0_f64).exp();
        close(value(&report, "x"), begins * decay, 1e-11);
        // On the line the acceleration is -v = x.
        close(report.outputs[0].1, begins * decay, 1e-11);
        let gradient = certified(&fields);
        close(of(&gradient, "x", "x0"), decay, 1e-10);
        close(of(&gradient, "v", "x0"), -decay, 1e-10);
    }
}

#[test]
fn friction_as_a_memory_whose_size_is_a_parameter_sticks_and_lets_go() {
    let fields = r#"gravity: [0, 0], parameters: { "k": 2.0, "c": 3.0 }, points: { "P": (at: [0, 0], velocity: [1, 0], mass: 1) },
        memory: { "r": "k" }, forces: { "dry": Load(at: "P", force: ["c*t - r", 0]) },
        events: { "forth": (when: Rising("P.vx"), then: [Set("r", "k")]), "back": (when: Falling("P.vx"), then: [Set("r", "-k/2")]) },
        objectives: { "x": Final("P.x"), "r": Integral("r") }, simulation: (duration: 2)"#;
    let report = run(&fields.replace("\"k\": 2.0", "\"k\": 4.0"));
    let kinds: Vec<&str> = report.events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["slide", "leave"]);
    close(report.events[1].t, 4.0 / 3.0, 1e-11);
    let gradient = certified(&fields.replace("\"k\": 2.0", "\"k\": 4.0"));
    assert!(of(&gradient, "r", "k").abs() > 0.1 && of(&gradient, "x", "k").abs() > 0.1);
}

#[test]
fn what_is_mixed_besides_the_friction_follows_the_share_of_the_sides() {
    // The share follows from r alone, which k scales; w moves another body by it.
    let fields = r#"gravity: [0, 0], parameters: { "k": 4.0, "c": 3.0 },
        points: { "P": (at: [0, 0], velocity: [1, 0], mass: 1), "Q": (at: [0, 1], mass: 2) },
        memory: { "r": "k", "w": "k^2" }, forces: { "dry": Load(at: "P", force: ["c*t - r", 0]), "push": Load(at: "Q", force: ["w", 0]) },
        events: {
            "forth": (when: Rising("P.vx"), then: [Set("r", "k"), Set("w", "k^2")]),
            "back": (when: Falling("P.vx"), then: [Set("r", "-k/2"), Set("w", "-k")]),
        },
        objectives: { "y": Final("Q.x"), "w": Integral("w") }, simulation: (duration: 1)"#;
    let gradient = certified(fields);
    // With r = c t the share of "back" is (k - c t)/(1.5 k): w = k^2 - (k^2 + k)(k - c t)/(1.5 k), from the time t1 at which P stops on.
    let integral = |k: f64| {
        let (c, end) = (3.0, 1.0);
        let t1 = (k - (k * k - 2.0 * c).sqrt()) / c;
        let mixed = |t: f64| k * k * t - (k + 1.0) * (k * t - 0.5 * c * t * t) / 1.5;
        k * k * t1 + mixed(end) - mixed(t1)
    };
    let slope = (integral(4.0 + 1e-5) - integral(4.0 - 1e-5)) / 2e-5;
    close(of(&gradient, "w", "k"), slope, 1e-7);
}

#[test]
fn two_bodies_that_rub_on_each_other_go_on_as_one_however_their_friction_is_written() {
    let fields = |other: &str| {
        format!(
            r#"gravity: [0, 0], parameters: {{ "F": 6.0, "c": 3.0, "m": 1.0, "v0": 1.0 }},
            points: {{ "P": (at: [0, 0], velocity: ["v0", 0], mass: "m"), "Q": (at: [0, 1], mass: 2) }},
            forces: {{ "pull": Load(at: "P", force: ["F*t^2", 0]),
                       "on P": Load(at: "P", force: ["-c*sign(P.vx - Q.vx)", 0]), "on Q": Load(at: "Q", force: ["{other}", 0]) }},
            objectives: {{ "x": Final("P.x"), "y": Final("Q.x"), "apart": Integral("abs(P.vx - Q.vx)*t") }},
            simulation: (duration: 2)"#
        )
    };
    let gradients = [
        "c*sign(P.vx - Q.vx)",
        "-c*sign(2*Q.vx - 2*P.vx)",
        "c*(2*step(P.vx - Q.vx) - 1)",
    ]
    .map(|other| certified(&fields(other)));
    assert!(worst_difference(&gradients[0], &gradients[1]) < 1e-10);
    assert!(worst_difference(&gradients[0], &gradients[2]) < 1e-10);
}

#[test]
fn a_motion_that_starts_on_the_guard_has_derivatives_by_what_takes_it_off() {
    // For v0 beside vb the speed is vb after a time in proportion to the difference.
    let gradient = experiment(
        r#"gravity: [0, 0], parameters: { "vb": 0.5, "v0": 0.5, "c": 2.0 }, points: { "P": (at: [0, 0], velocity: ["v0", 0], mass: 1) },
        forces: { "dry": Load(at: "P", force: ["-c*sign(P.vx - vb)", 0]) },
        objectives: { "x": Final("P.x"), "work": Integral("dry.power") }, simulation: (duration: 2)"#,
    );
    for method in [Method::Adjoint, Method::Forward] {
        let gradient = gradient.gradient(method).unwrap();
        close(of(&gradient, "x", "v0"), 0.0, 1e-11);
        close(of(&gradient, "x", "vb"), 2.0, 1e-11);
        close(of(&gradient, "work", "v0"), -0.5, 1e-11);
        close(of(&gradient, "work", "vb"), 0.5, 1e-11);
    }
}

const RODS: &str = r#"gravity: [0, -9.81], parameters: { "c": 0.9, "L": 0.7, "k": 30.0 },
    ground: { "O": [0, 0] }, points: { "P": (guess: [0.7, -0.1], mass: 1), "Q": (guess: [1.2, -0.3], mass: 0.5) },
    bodies: { "b": Bar(from: "O", to: "P", length: "L", mass: 0.4, angle: -0.2, angular_velocity: 1),
              "d": Bar(from: "P", to: "Q", length: 0.6, mass: 0.2, angle: -0.5, angular_velocity: 0) },
    forces: { "s": NonlinearSpring(from: "O", to: "Q", natural_length: 0.5, force: "k*(length - 1.2) + 20*c*sign(rate)") },
    objectives: { "E": Integral("P.vx^2 + Q.vy^2"), "F": Final("P.x"), "R": Integral("b.force"), "H": Final("Q.y") },
    simulation: (duration: 1.1)"#;

#[test]
fn rods_with_a_brake_stick_and_let_go_alike_in_every_formulation() {
    let events = run(RODS).events;
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
    assert!(kinds.contains(&"slide") && kinds.contains(&"leave"), "{kinds:?}");
    let reference = certified(RODS);
    for (formulation, tolerance) in [(Multipliers, 1e-8), (Penalty, 1e-5), (Stabilized, 1e-7), (Index3, 1e-7)] {
        let found = under(RODS, formulation);
        let (adjoint, forward) = [Method::Adjoint, Method::Forward]
            .map(|method| found.gradient(method).unwrap())
            .into();
        let error = worst_difference(&adjoint, &reference);
        assert!(error < tolerance, "{formulation:?}: {error:e}");
        let error = worst_difference(&adjoint, &forward);
        assert!(error < 1e-7, "{formulation:?}: {error:e}");
    }
}

#[test]
fn stiff_integrators_slide_as_the_explicit_one_does() {
    let implicit = RODS.replace("(duration: 1.1)", "(duration: 1.1, integrator: Radau)");
    let error = worst_difference(
        &experiment(&implicit).gradient(Method::Forward).unwrap(),
        &experiment(RODS).gradient(Method::Forward).unwrap(),
    );
    assert!(error < 1e-7, "{error:e}");
}

#[test]
fn a_blow_takes_what_sticks_off_the_guard() {
    let fields = r#"gravity: [0, 0], parameters: { "c": 4.0, "e": 0.6, "v": 2.0 },
        points: { "P": (at: [1, 0], mass: 1), "Q": (at: [0, 0], velocity: ["v", 0], mass: 0.7) },
        forces: { "dry": Load(at: "P", force: ["-c*sign(P.vx)", 0]) },
        contacts: { "blow": Touch(point: "Q", surface: Circle(centre: "P", radius: 0.1), law: Restitution("e")) },
        objectives: { "x": Final("P.x"), "heat": Integral("dry.power") }, simulation: (duration: 1.5)"#;
    let report = run(fields);
    let events: Vec<(&str, &str)> = report
        .events
        .iter()
        .map(|event| (event.name.as_str(), event.kind.as_str()))
        .collect();
    assert_eq!(events, [("blow", "impact"), ("dry", "leave"), ("dry", "slide")]);
    let gradient = certified(fields);
    let speed = 0.7 * 1.6 * 2.0 / 1.7;
    close(value(&report, "x"), 1.0 + 0.5 * speed * speed / 4.0, 1e-10);
    close(of(&gradient, "x", "v"), speed * speed / (4.0 * 2.0), 1e-10);
    close(of(&gradient, "heat", "c"), 0.0, 1e-10);
}

#[test]
fn where_no_motion_slides_the_run_ends_with_the_names() {
    let block = |force: &str, more: &str| {
        format!(
            r#"gravity: [0, 0], points: {{ "P": (at: [1, 0], mass: 1) }},
            forces: {{ "dry": Load(at: "P", force: ["{force}", 0]) {more} simulation: (duration: 2)"#
        )
    };
    let away = refused(&block("2*sign(P.vx)", "},"));
    assert!(away.to_string().contains("lead away"), "{away}");
    assert_eq!((away.name(), away.time()), (Some("dry"), Some(0.0)));
    let bent = refused(&block(
        "-2*sign(P.vx)",
        r#"}, objectives: { "J": Integral("(2*sign(P.vx) + 1)^2") },"#,
    ));
    assert!(bent.to_string().contains("(2*sign(P.vx) + 1)^2"), "{bent}");
    // The brake wears off, and pushes.
    let worn = refused(&block("-(1 - t)*sign(P.vx)", "},"));
    assert!((worn.time().unwrap() - 1.0).abs() < 1e-6, "{worn}");
}

#[test]
fn on_the_verge_of_sliding_there_is_a_motion_but_no_gradient() {
    let fields = |force: f64| {
        format!(
            r#"gravity: [0, 0], parameters: {{ "F": {force} }}, points: {{ "P": (at: [0, 0], mass: 1) }},
            forces: {{ "pull": Load(at: "P", force: ["F", 0]), "dry": Load(at: "P", force: ["-2*sign(P.vx)", 0]) }},
            objectives: {{ "x": Final("P.x") }}, simulation: (duration: 3)"#
        )
    };
    close(value(&run(&fields(2.0)), "x"), 0.0, 1e-15);
    for method in [Method::Adjoint, Method::Forward] {
        let error = experiment(&fields(2.0))
            .gradient(method)
            .expect_err("the least change decides");
        assert_eq!((error.name(), error.time()), (Some("dry"), Some(0.0)), "{error}");
    }
    close(of(&certified(&fields(1.9)), "x", "F"), 0.0, 1e-12);
    close(of(&certified(&fields(2.1)), "x", "F"), 4.5, 1e-11);
}

#[test]
fn a_belt_that_swings_is_followed_through_other_kinks_and_from_a_start_that_moves() {
    let gradient = certified(
        r#"gravity: [0, 0], parameters: { "A": 0.5, "w": 3.0, "c": 1.0, "k": 2.0, "t0": 0.1, "v0": 0.1 },
        points: { "P": (at: [0.2, 0], velocity: ["v0", 0], mass: 1) },
        forces: { "d": Load(at: "P", force: ["-c*sign(P.vx - A*sin(w*t)) - k*max(0, P.x - 0.3) - 0.3*P.vx*abs(P.vx)", 0]) },
        objectives: { "x": Final("P.x"), "work": Integral("d.power*t"), "beyond": Integral("step(P.x - 0.25)") },
        simulation: (start: "t0", duration: 2.5)"#,
    );
    assert!(of(&gradient, "beyond", "t0").abs() > 0.1);
}

#[test]
fn what_else_reads_or_sets_what_is_mixed_is_refused() {
    let relay = |more: &str, event: &str| {
        format!(
            r#"gravity: [0, 0], points: {{ "P": (at: [1, 0], mass: 1), "Q": (at: [0, 1], mass: 1) }}, memory: {{ "u": -1 }},
            forces: {{ "c": Load(at: "P", force: ["u", 0]) }}, {more}
            events: {{ "up": (when: Rising("P.x + P.vx"), then: [Set("u", -1)]), "down": (when: Falling("P.x + P.vx"), then: [Set("u", 1)]) {event} }},
            simulation: (duration: 3)"#
        )
    };
    let reader = refused(&relay(
        "",
        r#", "far": (when: Rising("u*P.x - 0.9"), then: [Disable("c")])"#,
    ));
    assert!(reader.to_string().contains("\"far\" reads"), "{reader}");
    let joint = refused(&relay(
        r#"joints: { "q": DriveCoordinate(coordinate: "Q.y", value: "1 + 0*u") },"#,
        "",
    ));
    assert!(joint.to_string().contains("\"q\""), "{joint}");
    let set = refused(&relay("", r#", "later": (when: At(2), then: [Set("u", 0)])"#));
    assert_eq!(set.time(), Some(2.0), "{set}");
    // A force that is switched back and forth is no number between two values.
    let switched = refused(
        r#"gravity: [0, 0], points: { "P": (at: [1, 0], mass: 1) },
        forces: { "c": Load(at: "P", force: [-1, 0]), "e": Load(at: "P", force: [2, 0], active: false) },
        events: { "up": (when: Rising("P.x + P.vx"), then: [Disable("e")]), "down": (when: Falling("P.x + P.vx"), then: [Enable("e")]) },
        simulation: (duration: 3)"#,
    );
    assert!(
        switched.to_string().contains("\"up\"") && switched.to_string().contains("\"down\""),
        "{switched}"
    );
}

#[test]
fn second_derivatives_along_a_guard_are_refused_by_name() {
    let found = experiment(
        r#"gravity: [0, 0], parameters: { "c": 2.0 }, points: { "P": (at: [0, 0], velocity: [1, 0], mass: 1) },
        forces: { "dry": Load(at: "P", force: ["-c*sign(P.vx)", 0]) },
        objectives: { "x": Final("P.x") }, simulation: (duration: 2)"#,
    );
    let error = found.hessian(&|_| {}).expect_err("it slides");
    assert!(error.to_string().contains("\"dry\" slides"), "{error}");
}
