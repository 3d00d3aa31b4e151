//! How near to a singular start something may happen, how slow the start may be, and what is refused there by name.

use costate::error::ErrorKind;
use costate::run::{Changes, Method};
use costate::scene::schema::FormulationKind::{Nullspace, Penalty};

use super::starts::{CROSSED, PARALLEL, gradient, in_line};
use super::support::{self, experiment, report};
use super::{entry, under, worst_difference};

/// Gradient by a method with the absolute tolerance that a scene has by itself.
fn derivatives(text: &str, rtol: f64, method: Method) -> costate::error::Result<costate::run::GradientReport> {
    let changes = Changes {
        rtol: Some(rtol),
        ..Changes::default()
    };
    experiment(text, &changes).gradient(method)
}

#[test]
fn derivatives_through_an_event_soon_after_the_start_are_right_or_refused() {
    let scene = |time: &str| {
        let event = format!(
            r#"memory: {{ "mark": 0 }}, events: {{ "early": (when: At({time}), then: [Set("mark", "B.vy")]) }},"#
        );
        in_line(CROSSED, 1.0, 0.8, &event)
    };
    let want = gradient(&in_line(CROSSED, 1.0, 0.8, ""), Method::Forward);
    let mut found = [0, 0];
    for rtol in [1e-6, 1e-9, 1e-11] {
        for time in ["1e-7", "3e-7", "1e-6", "3e-6", "1e-5", "1e-4", "1e-3", "1e-2", "0.1"] {
            for method in [Method::Adjoint, Method::Forward] {
                match derivatives(&scene(time), rtol, method) {
                    Ok(gradient) => {
                        let error = worst_difference(&gradient, &want);
                        assert!(
                            error < 1e3 * rtol + 1e-7,
                            "{method:?} at {rtol:e}, event at {time}: {error:e}"
                        );
                        found[0] += 1;
                    }
                    Err(error) => {
                        assert!(
                            matches!(error.kind(), ErrorKind::StepSize | ErrorKind::Event),
                            "{error}"
                        );
                        assert!(error.advice().is_some());
                        found[1] += 1;
                    }
                }
            }
        }
    }
    assert!(found[0] >= 6 && found[1] >= 6, "{found:?}");
}

#[test]
fn slow_starts_are_right_or_refused() {
    for velocity in ["1e-2", "1e-4", "1e-6", "1e-8", "1e-10"] {
        let scene = in_line(CROSSED, 1.0, 0.4, "").replace(r#""v": 1.5"#, &format!(r#""v": {velocity}"#));
        let found = experiment(&scene, &under(Nullspace, 1e-9)).run(false, &mut |_| {});
        match found {
            Ok((report, _)) => {
                let (before, after) = report.energy;
                // Potential and kinetic energy of some 10 J.
                assert!((after - before).abs() < 1e-7, "{velocity}: {before} and {after}");
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::StepSize, "{error}");
                assert!(
                    velocity != "1e-2" && error.advice().unwrap().contains("start faster"),
                    "{error}"
                );
            }
        }
    }
}

/// A driven parallelogram that starts in its line.
const DRIVEN: &str = r#"gravity: [0, -9.81],
    parameters: { "L": 1.0, "w": 2.0, "u": 2.0, "a": 0.5 },
    ground: { "A": [0, 0], "D": ["2*L", 0] },
    points: { "B": (guess: ["L", 0], mass: 0.3), "C": (guess: ["3*L", 0], hold: [X], velocity: ["free", "RATE*L"]) },
    bodies: {
        "crank": Bar(from: "A", to: "B", length: "L", mass: 1), "rocker": Bar(from: "D", to: "C", length: "L", mass: 1),
        "coupler": Bar(from: "B", to: "C", length: "2*L", mass: 2),
    },
    joints: { "motor": DriveAngle(body: "crank", angle: "w*t + a*t^2") },
    objectives: { "x": Final("C.x"), "y": Final("C.y"), "energy": Final("energy.total") },"#;

#[test]
fn a_driven_parallelogram_has_the_derivatives_of_its_driver() {
    let end: f64 = 0.5;
    let scene = support::planar(end, &DRIVEN.replace("RATE", "w"));
    let angle = 2.0 * end + 0.5 * end * end;
    for method in [Method::Adjoint, Method::Forward] {
        let found = derivatives(&scene, 1e-10, method).unwrap();
        for (parameter, slope) in [("w", end), ("a", end * end)] {
            let error = (entry(&found, "x", parameter) + slope * angle.sin())
                .abs()
                .max((entry(&found, "y", parameter) - slope * angle.cos()).abs());
            assert!(error < 1e-8, "{method:?} by {parameter}: {error:e}");
        }
    }
    let scene = support::planar(end, &DRIVEN.replace("RATE", "u"));
    let found = derivatives(&scene, 1e-10, Method::Forward).unwrap();
    for name in ["w", "u"] {
        assert!(found.undetermined_reason(name).unwrap().contains("along the branch"));
    }
}

#[test]
fn penalties_and_second_derivatives_are_refused_by_name() {
    let scene = in_line(PARALLEL, 1.0, 0.4, "");
    let penalty = experiment(&scene, &under(Penalty, 1e-9))
        .run(false, &mut |_| {})
        .unwrap_err();
    assert!(penalty.message().contains("penalties"), "{penalty}");
    let hessian = experiment(&scene, &under(Nullspace, 1e-9))
        .hessian(&|_| {})
        .unwrap_err();
    assert!(hessian.message().contains("no second derivatives"), "{hessian}");
    for error in [penalty, hessian] {
        assert!(error.name().is_some() && error.advice().is_some(), "{error}");
    }
}

#[test]
fn degrees_of_freedom_are_those_beside_a_singular_start() {
    let scene = in_line(PARALLEL, 1.0, 0.4, "");
    let experiment = experiment(&scene, &under(Nullspace, 1e-9));
    report(&experiment);
    let found = costate::analysis::structure(&experiment.mechanism.model, 0.0).unwrap();
    assert_eq!((found.degrees_of_freedom, found.redundant.len()), (1, 0));
}
