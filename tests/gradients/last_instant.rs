//! Events at the very end: they happen under every formulation, are remarked, and values at the end have the derivatives of either
//! side.

use costate::error::ErrorKind;
use costate::run::{Changes, Experiment, GradientReport, Method, Verdict};
use costate::scene::parse;
use costate::scene::schema::FormulationKind;

use crate::of;

/// A rod that falls flat from 5 m lands after 1 s.
fn landing(duration: &str) -> String {
    format!(
        r#"Scene(name: "landing", space: Planar, gravity: [0, "-g"],
        parameters: {{ "h": 5.0, "g": 10.0, "w": 2.0 }},
        points: {{ "P": (at: [0, "h"], velocity: ["w", 0], mass: 1), "Q": (guess: [1, 5], mass: 1) }},
        bodies: {{ "rod": Bar(from: "P", to: "Q", length: 1, mass: 0, angle: 0, angular_velocity: 0) }},
        contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)) }},
        objectives: {{ "y": Final("P.y"), "vy": Final("P.vy"), "x": Final("P.x"), "area": Integral("P.y") }},
        simulation: (duration: {duration}))"#
    )
}

fn under(text: &str, formulation: FormulationKind) -> Experiment {
    let changes = Changes {
        formulation: Some(formulation),
        ..Changes::default()
    };
    Experiment::new(&parse("scene.ron", text).unwrap(), &changes).unwrap()
}

const ALL: [FormulationKind; 5] = [
    FormulationKind::Nullspace,
    FormulationKind::Multipliers,
    FormulationKind::Penalty,
    FormulationKind::Stabilized,
    FormulationKind::Index3,
];

#[test]
fn an_impact_at_the_last_instant_happens_under_every_formulation_and_is_remarked() {
    for formulation in ALL {
        for (duration, happens) in [
            ("1", true),
            ("1.000000000000001", true),
            ("0.999999999999999", true),
            ("0.9999", false),
        ] {
            let (report, _) = under(&landing(duration), formulation).run(false, &mut |_| {}).unwrap();
            let said = report
                .remarks
                .iter()
                .any(|remark| remark.contains("\"floor\"") && remark.contains("at the very end"));
            let count = report.events.len();
            assert_eq!(
                (said, count > 0),
                (happens, happens),
                "{formulation:?}, {duration}: {:?}",
                report.remarks
            );
        }
    }
}

fn sides(report: &GradientReport, objective: &str, parameter: &str) -> [f64; 2] {
    let k = report
        .objectives
        .iter()
        .position(|found| found.name == objective)
        .unwrap();
    let sides = report.sides.iter().find(|sides| sides.name == parameter).unwrap();
    sides.of(k)
}

/// A higher start lands later, and the motion ends before it.
#[test]
fn values_at_the_end_have_the_derivatives_of_the_side_without_the_impact_and_of_that_with_it() {
    for method in [Method::Adjoint, Method::Forward] {
        for formulation in ALL {
            let experiment = under(&landing("1"), formulation);
            let error = experiment.gradient(method).unwrap_err();
            assert_eq!(
                (error.kind(), error.name()),
                (ErrorKind::Event, Some("floor")),
                "{error}"
            );
            let report = experiment.gradient_or_sides(method).unwrap();
            let [below, above] = sides(&report, "y", "h");
            // dy-/dh = 1 above; below, the impact is 1/10 s earlier per metre: its speed is 5 m/s upwards instead of 10 m/s downwards.
            assert!(
                (below + 0.5).abs() < 1e-6 && (above - 1.0).abs() < 1e-6,
                "{formulation:?}: {below} {above}"
            );
            let [below, above] = sides(&report, "vy", "h");
            assert!(
                above.is_nan() && (below - 1.5).abs() < 1e-6,
                "{formulation:?}: {below} {above}"
            );
            // What both sides agree on is the gradient.
            for (objective, parameter, want) in [("x", "w", 1.0), ("y", "w", 0.0), ("area", "h", 1.0)] {
                let slope = of(&report, objective, parameter);
                assert!(
                    (slope - want).abs() < 1e-6,
                    "{formulation:?}: {objective} by {parameter}: {slope}"
                );
            }
            assert!(of(&report, "y", "h").is_nan());
            let refused = experiment.gradient_in_common(method, |name| name == "h").unwrap_err();
            assert!(refused.message().contains("at the very end"), "{refused}");
        }
    }
}

#[test]
fn the_certificate_holds_both_sides_to_differences() {
    let (_, certificate) = under(&landing("1"), FormulationKind::Nullspace)
        .certify(Method::Adjoint, &|_| {})
        .unwrap();
    let failed: Vec<_> = certificate
        .entries
        .iter()
        .filter(|entry| entry.verdict == Verdict::Failed)
        .collect();
    assert!(failed.is_empty(), "{failed:?}");
    assert!(certificate.entries.iter().any(|entry| entry.verdict == Verdict::Passed));
}

/// An event whose time is that of the end, whatever the parameters, is never past it.
#[test]
fn an_event_that_keeps_to_the_end_has_a_derivative() {
    let text = landing("\"sqrt(2*h/g)\"");
    let (forward, adjoint) = (
        under(&text, FormulationKind::Nullspace)
            .gradient(Method::Forward)
            .unwrap(),
        under(&text, FormulationKind::Nullspace)
            .gradient(Method::Adjoint)
            .unwrap(),
    );
    for report in [forward, adjoint] {
        // e sqrt(2 g h) after the impact.
        let slope = of(&report, "vy", "h");
        assert!((slope - 0.5).abs() < 1e-6, "{slope}");
    }
}
