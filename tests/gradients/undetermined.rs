//! Parameters that cannot change alone, since redundant joints or held values meet for one value only.

use costate::run::{Changes, Experiment, GradientReport, Method, Verdict};
use costate::scene::parse;

use crate::{changes, of, worst_difference};

fn experiment(fields: &str, changes: &Changes) -> Experiment {
    let text = format!(
        "Scene(name: \"undetermined\", space: Planar, gravity: [0, -9.81], {fields} simulation: (duration: 0.3))"
    );
    let file = parse("undetermined.ron", &text).unwrap_or_else(|error| panic!("{error}"));
    Experiment::new(&file, changes).unwrap_or_else(|error| panic!("{error}"))
}

/// The gradient with these parameters, and no others, without a derivative, by every method.
#[track_caller]
fn without(fields: &str, parameters: &[&str]) -> GradientReport {
    let experiment = experiment(fields, &changes(1e-10, 1e-12));
    let methods = [Method::Adjoint, Method::Forward, Method::FiniteDifference];
    let [adjoint, forward, differences] = methods.map(|method| experiment.gradient(method).unwrap());
    for report in [&adjoint, &forward, &differences] {
        let found: Vec<&str> = report.undetermined.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(found, parameters, "{}: {:?}", report.method, report.undetermined);
        for (name, slope) in report.parameters.iter().zip(&report.objectives[0].gradient) {
            assert_eq!(
                slope.is_finite(),
                !parameters.contains(&name.as_str()),
                "{}: {name}",
                report.method
            );
        }
    }
    if parameters.is_empty() {
        assert!(worst_difference(&adjoint, &forward) < 1e-7);
        assert!(worst_difference(&adjoint, &differences) < 1e-6);
    }
    adjoint
}

/// A plate on three parallel cranks; the third has this length, and may wait for an event.
fn plate(third: &str, active: bool) -> String {
    format!(
        "parameters: {{\"L\": 1.0, \"L3\": 1.0, \"m\": 2.0}},
         ground: {{\"A\": [0, 0], \"B\": [1, 0], \"C\": [2, 0.5], \"hook\": [1, 2]}},
         bodies: {{\"plate\": Rigid(mass: \"m\", inertia: 0.3, guess: [0.6, 0.8, 0], hold: [X], markers: {{\"q\": [1, 0], \"r\": [2, 0.5]}})}},
         joints: {{\"a\": Link(from: \"A\", to: \"plate.origin\", length: \"L\"), \"b\": Link(from: \"B\", to: \"plate.q\", length: \"L\"),
                   \"c\": Link(from: \"C\", to: \"plate.r\", length: \"{third}\", active: {active})}},
         events: {{\"join\": (when: At(0.1), then: [Enable(\"c\")])}},
         forces: {{\"s\": Spring(from: \"hook\", to: \"plate.r\", stiffness: \"20*L3\", natural_length: 1)}},
         objectives: {{\"x\": Final(\"plate.x\")}},"
    )
}

#[test]
fn lengths_that_scale_together_have_a_derivative() {
    let report = without(&plate("L", true), &[]);
    assert!(of(&report, "x", "L").abs() > 1e-3);
    without(&plate("L^3/L^2", true), &[]);
}

#[test]
fn the_length_of_a_redundant_crank_alone_has_none() {
    let report = without(&plate("L3", true), &["L", "L3"]);
    let reason = report.undetermined_reason("L3").unwrap();
    assert!(
        ["\"a\"", "\"b\"", "\"c\""].iter().all(|name| reason.contains(name)),
        "{reason}"
    );
}

#[test]
fn a_redundant_crank_that_an_event_adds_decides_as_well() {
    without(&plate("L", false), &[]);
    without(&plate("L3", false), &["L", "L3"]);
}

#[test]
fn a_straight_bar_of_two_hides_the_contradiction_from_first_derivatives() {
    let bars = |third: &str| {
        format!(
            "parameters: {{\"L\": 1.0, \"L3\": 1.0, \"m\": 1.0}}, ground: {{\"A\": [0, 0], \"B\": [1, 0], \"C\": [2, 0]}},
             points: {{\"P\": (guess: [0.6, 0.8]), \"Q\": (guess: [1.6, 0.8]), \"R\": (guess: [2.6, 0.8])}},
             bodies: {{\"a\": Bar(from: \"A\", to: \"P\", length: \"L\", mass: \"m*L3\", angle: 0.9, angular_velocity: 0),
                       \"b\": Bar(from: \"B\", to: \"Q\", length: \"L\", mass: 1),
                       \"c\": Bar(from: \"C\", to: \"R\", length: \"{third}\", mass: 1),
                       \"pq\": Bar(from: \"P\", to: \"Q\", length: 1, mass: 1), \"qr\": Bar(from: \"Q\", to: \"R\", length: 1, mass: 1),
                       \"pr\": Bar(from: \"P\", to: \"R\", length: 2, mass: 1)}},
             objectives: {{\"x\": Final(\"P.x\")}},"
        )
    };
    without(&bars("L"), &[]);
    without(&bars("L3"), &["L", "L3"]);
}

/// A pendulum with its mass at a place that is given as a whole, in part, or roughly.
fn pendulum(place: &str) -> String {
    format!(
        "parameters: {{\"c\": 0.6, \"s\": 0.8, \"L\": 1.0, \"u\": 0.8, \"m\": 2.0}}, ground: {{\"O\": [0, 0]}},
         points: {{\"P\": ({place}, mass: \"m*(1 + c*s*u)\")}},
         bodies: {{\"rod\": Bar(from: \"O\", to: \"P\", length: \"L\", mass: 0.5)}},
         objectives: {{\"x\": Final(\"P.x\")}},"
    )
}

#[test]
fn places_that_are_held_beside_a_length_have_no_derivative() {
    let report = without(&pendulum("at: [\"c\", \"-s\"], velocity: [0, 0]"), &["c", "s", "L"]);
    let reason = report.undetermined_reason("L").unwrap();
    assert!(
        ["\"rod\"", "P.x", "P.y"].iter().all(|name| reason.contains(name)),
        "{reason}"
    );
    without(&pendulum("at: [\"c*L\", \"-L*sqrt(1 - c^2)\"], velocity: [0, 0]"), &[]);
    without(&pendulum("guess: [\"c\", \"-s\"], hold: [X]"), &[]);
}

#[test]
fn velocities_that_are_held_beside_a_joint_have_no_derivative() {
    let held = |velocity: &str| pendulum(&format!("guess: [\"c\", -0.8], hold: [X], velocity: {velocity}"));
    let report = without(&held("[\"u\", 0.6]"), &["c", "L", "u"]);
    let reason = report.undetermined_reason("u").unwrap();
    assert!(
        reason.contains("\"rod\" with the held velocities of P.x, P.y"),
        "{reason}"
    );
    without(&held("[\"u\", \"u*c/sqrt(L^2 - c^2)\"]"), &[]);
}

#[test]
fn the_other_lines_of_the_certificate_stay_conclusive() {
    let experiment = experiment(&plate("L3", true), &changes(1e-10, 1e-12));
    let (_, certificate) = experiment.certify(Method::Adjoint, &|_| {}).unwrap();
    for entry in &certificate.entries {
        let expected = if entry.parameter == "m" {
            Verdict::Passed
        } else {
            Verdict::NoDerivative
        };
        assert_eq!(entry.verdict, expected, "{entry:?}");
    }
    let hessian = experiment.hessian(&|_| {}).unwrap();
    let finite = hessian.objectives[0]
        .rows
        .iter()
        .flatten()
        .filter(|value| value.is_finite());
    assert_eq!(finite.count(), 1);
    assert_eq!(experiment.sensitivities().unwrap()[0].parameters, ["m"]);
    assert!(experiment.prediction(&["L".to_string()], 10, &mut |_| ()).is_err());
    assert!(experiment.prediction(&["m".to_string()], 10, &mut |_| ()).is_ok());
}

/// A mass that is pushed by a force, with more of the scene.
fn pushed(force: &str, mass: &str) -> String {
    format!(
        r#"parameters: {{ "z": 0.0, "a": 0.1, "b": 0.2, "c": 0.3 }},
        points: {{ "P": (at: [0, 0], mass: "{mass}") }}, forces: {{ "push": Load(at: "P", force: ["{force} + a + b + c", 0]) }},
        objectives: {{ "x": Final("P.x") }},"#
    )
}

#[test]
fn by_a_parameter_at_a_kink_nothing_has_a_derivative() {
    for (force, mass) in [
        ("abs(z)", "1"),
        ("t", "1 + max(z, 0)"),
        ("t*max(z, 0)", "1"),
        ("P.x*min(0, z) - P.vx", "1"),
        ("step(z)", "1"),
        ("sign(sin(z))*t", "1"),
        // Whatever moves.
        ("abs(z*t)", "1"),
        ("max(P.x*z, 0) - 2*P.x", "1"),
        ("sqrt(t)*abs(z*P.vx) - log(2 + t)", "1"),
        ("step(z*(P.x + 3))*max(t - 0.2, 0)", "1"),
    ] {
        without(&pushed(force, mass), &["z"]);
    }
    without(&pushed("min((a + z)*P.x, 0.1*P.x)", "1"), &["z", "a"]);
    // To rounding, though a + b is not c.
    without(&pushed("abs(a + b - c)", "1"), &["a", "b", "c"]);
    for (force, mass) in [
        ("abs(z + 1) + max(z, a)", "1"),
        ("max(P.x, z - 1)", "1 + abs(z - a)"),
        ("abs(z*t + 0.01) + sign(a*t)", "1"),
        ("t*abs(z*t)*z", "1"),
    ] {
        without(&pushed(force, mass), &[]);
    }
    // Both sides alike; difference quotients see the curvature of one.
    for mass in ["1 + max(z, 0)^2", "2 + z*abs(z)"] {
        let experiment = experiment(&pushed("t", mass), &changes(1e-10, 1e-12));
        for method in [Method::Adjoint, Method::Forward] {
            let report = experiment.gradient(method).unwrap();
            assert!(report.undetermined.is_empty());
            assert_eq!(of(&report, "x", "z"), 0.0, "{mass}");
        }
    }
}

#[test]
fn by_a_parameter_at_a_kink_of_what_is_read_at_an_instant_nothing_has_a_derivative() {
    let bent = r#"outputs: { "bent": "max(z*P.x, 0)" }, "#;
    for (outputs, value) in [
        ("", r#"Final("abs(z)*P.x")"#),
        ("", r#"Max("P.x + abs(z*P.vx)")"#),
        (bent, r#"Final("bent")"#),
    ] {
        let fields = pushed("t + z", "1").replace(
            r#"objectives: { "x": Final("P.x") }"#,
            &format!(r#"{outputs}objectives: {{ "x": {value} }}"#),
        );
        assert!(fields.contains(value));
        without(&fields, &["z"]);
    }
}

/// A mass on a rail, pushed along it at a force of `b*t` from `start` on, with an integral or a force.
fn railed(start: &str, load: &str, integrand: &str) -> String {
    format!(
        r#"parameters: {{ "v0": 0.0, "h": 0.0, "b": 1.0 }},
        points: {{ "P": (at: [0, "h"], velocity: ["v0", 0], mass: 1) }},
        joints: {{ "rail": PointOnLine(point: "P", line: Fixed(through: [0, "h"], direction: [1, 0])) }},
        forces: {{ "push": Load(at: "P", force: ["max(0, t - {start})*b + {load}", 0]) }},
        objectives: {{ "x": Final("P.x + b*t*v0"), "i": Integral("{integrand}") }},"#
    )
}

#[test]
fn by_a_parameter_that_moves_the_motion_off_a_kink_that_it_stays_on_nothing_has_a_derivative() {
    for (start, load, integrand, parameters) in [
        ("2", "0", "abs(P.vx) + h*t", &["v0"][..]),
        ("0.3", "0", "abs(P.vx) + h*t", &["v0"]),
        ("2", "0", "t*max(P.y, 0) + v0", &["h"]),
        ("2", "0", "abs(P.y - 2*v0)", &["v0", "h"]),
        ("2", "max(0, P.vx)", "t", &["v0"]),
    ] {
        let fields = railed(start, load, integrand);
        without(&fields, parameters);
        let curves = experiment(&fields, &changes(1e-8, 1e-10)).sensitivities().unwrap();
        assert!(
            curves[0]
                .parameters
                .iter()
                .all(|name| !parameters.contains(&name.as_str()))
        );
    }
    // Both sides alike, or left at once; difference quotients see the curvature of one.
    for (load, integrand) in [
        ("0", "P.vx*abs(P.vx) + max(0, P.y)^2 + abs(P.y - h) + v0"),
        ("1", "abs(P.vx)"),
    ] {
        let experiment = experiment(&railed("2", load, integrand), &changes(1e-10, 1e-12));
        for method in [Method::Adjoint, Method::Forward] {
            let report = experiment.gradient(method).unwrap();
            assert!(report.undetermined.is_empty(), "{:?}", report.undetermined);
            assert!((of(&report, "i", "v0") - 0.3).abs() < 1e-9 && of(&report, "i", "h").abs() < 1e-12);
        }
    }
}

#[test]
fn a_kink_that_another_objective_has_does_not_matter() {
    let fields = pushed("t + z", "1").replace(
        r#"objectives: { "x": Final("P.x") }"#,
        r#"objectives: { "x": Final("P.x"), "far": Final("P.x - abs(z)"), "farther": Formula("2 * far") }"#,
    );
    assert!(fields.contains("farther"));
    for (wanted, is_undetermined) in [("x", false), ("far", true), ("farther", true)] {
        let mut experiment = experiment(&fields, &changes(1e-10, 1e-12));
        experiment.want_objectives(|name| name == wanted);
        let report = experiment.gradient(Method::Adjoint).unwrap();
        assert_eq!(!report.undetermined.is_empty(), is_undetermined, "{wanted}");
    }
}

#[test]
fn magnitudes_that_stay_at_zero_are_refused_by_the_name_of_the_objective() {
    let rotor = r#"parameters: {"m": 1.0}, ground: {"O": [0, 0]},
        bodies: {"wheel": Rigid(mass: "m", inertia: 0.1, at: [0, 0, 0], velocity: ["free", "free", 3])},
        joints: {"pin": Revolute(between: ("O", "wheel.origin"))},
        forces: {"lift": Load(at: "wheel.origin", force: [0, "9.81*m"])},
        objectives: {"load": Final("pin.force")},"#;
    let resting = r#"parameters: {"m": 1.0}, points: {"P": (at: [0, 0], mass: "m")},
        contacts: {"floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5))},
        objectives: {"way": Final("hypot(P.vx, P.vy)")},"#;
    for (fields, objective) in [(rotor, "load"), (resting, "way")] {
        let error = experiment(fields, &changes(1e-8, 1e-10))
            .gradient(Method::Adjoint)
            .unwrap_err();
        assert_eq!(error.name(), Some(objective), "{error}");
        assert!(error.advice().is_some_and(|advice| advice.contains("1e-12")), "{error}");
    }
}
