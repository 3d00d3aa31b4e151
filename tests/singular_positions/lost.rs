//! Parameters that take a motion off its branch at a singular position on its way: no derivative by them later, and the others as if
//! they were not there.

use costate::run::{Changes, GradientReport, Method};
use costate::scene::schema::FormulationKind::{Index3, Multipliers, Nullspace, Stabilized};
use costate::show::Ghost;

use super::support::{experiment, planar};
use super::under;

/// Two squares side by side, the second coupler and the middle upright of lengths of their own.
fn squares(duration: f64) -> String {
    planar(
        duration,
        r#"parameters: { "c": 1, "u": 1, "m": 1, "v": 1, "L": 1 },
            gravity: [0, -9.81],
            ground: { "A0": [0, 0], "A1": ["L", 0], "A2": ["2*L", 0] },
            points: { "B0": (at: [0, "L"], velocity: ["v", 0]), "B1": (guess: [1, 1]), "B2": (guess: [2, 1]) },
            bodies: {
                "u0": Bar(from: "A0", to: "B0", length: "L", mass: "m"),
                "u1": Bar(from: "A1", to: "B1", length: "u*L", mass: 1),
                "u2": Bar(from: "A2", to: "B2", length: "L", mass: 1),
                "c1": Bar(from: "B0", to: "B1", length: "L", mass: 1),
                "c2": Bar(from: "B1", to: "B2", length: "c*L", mass: 1),
            },
            objectives: { "x": Final("B0.x"), "height": Integral("B0.y") },"#,
    )
}

fn gradient(text: &str, changes: &Changes, method: Method) -> GradientReport {
    experiment(text, changes).gradient(method).expect("a gradient")
}

#[test]
fn a_length_that_alone_opens_the_position_has_no_derivative_and_spoils_none() {
    // By difference quotients of motions that keep the branch; the adjoint gave -0.695 by `m`, and 2.6e11 by `c`.
    let experiment = experiment(&squares(10.0), &Changes::default());
    for method in [Method::Adjoint, Method::Forward, Method::FiniteDifference] {
        let report = experiment.gradient(method).expect("a gradient");
        for name in ["c", "u"] {
            let reason = report.undetermined_reason(name).expect("no derivative");
            let words = [
                "passes a singular position of \"u",
                "at t = 0.7143",
                "for this value only",
            ];
            assert!(words.iter().all(|words| reason.contains(words)), "{method}: {reason}");
        }
        for (k, expected) in [(2, 0.1528239), (3, 4.6026096), (4, -9.0881027)] {
            let slope = report.objectives[0].gradient[k];
            assert!(
                (slope - expected).abs() < 2e-6 * expected.abs(),
                "{method}, {k}: {slope}"
            );
        }
    }
}

#[test]
fn every_formulation_says_so_and_nothing_is_lost_before_the_position() {
    for formulation in [Nullspace, Multipliers, Stabilized, Index3] {
        let name = |k: usize| ["c", "u", "m", "v", "L"][k];
        let report = gradient(&squares(2.0), &under(formulation, 1e-9), Method::Adjoint);
        let lost: Vec<&str> = report.undetermined.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(lost, ["c", "u"], "{formulation:?}");
        let [adjoint, forward] = [Method::Adjoint, Method::Forward]
            .map(|method| gradient(&squares(0.5), &under(formulation, 1e-10), method));
        assert!(adjoint.undetermined.is_empty() && forward.undetermined.is_empty());
        for k in 0..5 {
            let [a, b] = [&adjoint, &forward].map(|report| report.objectives[0].gradient[k]);
            assert!((a - b).abs() < 1e-7, "{formulation:?}, {}: {a}, {b}", name(k));
        }
    }
}

#[test]
fn a_parallelogram_keeps_its_position_by_pairs_of_lengths() {
    let scene = |parameters: &str, [base, rocker]: [&str; 2]| {
        planar(
            3.0,
            &format!(
                r#"parameters: {{ {parameters} }},
                ground: {{ "O": [0, 0], "C": ["{base}", 0] }},
                points: {{ "A": (at: [0, "a"], velocity: ["3*a", 0], mass: 1), "B": (guess: [1.5, 1], mass: 2) }},
                bodies: {{
                    "crank": Bar(from: "O", to: "A", length: "a", mass: 1),
                    "rod": Bar(from: "A", to: "B", length: "b", mass: 1),
                    "rocker": Bar(from: "C", to: "B", length: "{rocker}", mass: 1),
                }},
                objectives: {{ "x": Final("A.x") }},"#
            ),
        )
    };
    let free = gradient(
        &scene(r#""a": 1, "b": 1.5, "g": 1.5, "r": 1"#, ["g", "r"]),
        &Changes::default(),
        Method::Adjoint,
    );
    assert_eq!(free.undetermined.len(), 4);
    assert!(free.objectives[0].gradient.iter().all(|slope| slope.is_nan()));
    // The crank turns evenly: x is a sin(3 t).
    let kept = gradient(
        &scene(r#""a": 1, "b": 1.5"#, ["b", "a"]),
        &Changes::default(),
        Method::Adjoint,
    );
    let [by_a, by_b] = kept.objectives[0].gradient[..] else {
        panic!("two parameters")
    };
    assert!(kept.undetermined.is_empty() && (by_a - 9_f64.sin()).abs() < 1e-7 && by_b.abs() < 1e-7);
}

#[test]
fn predictions_and_colours_leave_out_what_has_no_derivative() {
    let experiment = experiment(&squares(2.0), &Changes::default());
    let refused = experiment.prediction(&["c".to_string()], 100, &mut |_| ());
    let error = refused.expect_err("no prediction");
    assert!(error.message().contains("nothing has a derivative by \"c\""), "{error}");
    let scale = costate::show::Show::new(experiment.clone(), &mut |_| ())
        .expect("a motion")
        .scale;
    let ghost = Ghost::new(experiment.clone(), scale).expect("a prediction of the others");
    assert_eq!(ghost.value("c"), None);
    assert_eq!(ghost.value("m"), Some(1.0));
    let design = experiment.design_gradient("x").expect("a gradient");
    assert!(design.bars.iter().all(|bar| bar.slope.is_nan()), "{:?}", design.bars);
}
