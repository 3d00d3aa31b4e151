//! Cases with values and gradients of two independent programs, in their own parameters.

use std::path::{Path, PathBuf};

use costate::run::{Changes, Experiment, Method, Verdict};
use costate::scene::schema::FormulationKind::{self, Index3, Multipliers, Nullspace, Penalty, Stabilized};
use serde_json::Value;

use crate::support::{report, times, tolerances};

const CASES: [&str; 16] = [
    "incline_push",
    "oscillator",
    "belt",
    "belt_stribeck",
    "roll_incline",
    "rod_impact",
    "superball",
    "fivebar_friction",
    "fivebar_friction2",
    "fivebar_friction_poisson",
    "block_two_corners",
    "slider_crank",
    "particle_incline_3d",
    "point_pulled_3d",
    "sphere3d",
    "sphere_pair",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn reference(name: &str) -> Value {
    let text = std::fs::read_to_string(folder().join("friction/references.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()[name].take()
}

fn case(name: &str, formulation: FormulationKind) -> Experiment {
    let changes = Changes {
        formulation: Some(formulation),
        ..tolerances(1e-12, 1e-14)
    };
    Experiment::open(&folder().join(format!("scenes/friction/{name}.ron")), &changes).unwrap()
}

/// Worst error of the values, and of the gradients over the largest entry of their row.
fn errors(name: &str, method: Method, formulation: FormulationKind) -> [f64; 2] {
    let reference = reference(name);
    let report = case(name, formulation).gradient(method).unwrap();
    let mut worst = [0.0_f64; 2];
    let values = reference["values"].as_object().unwrap();
    assert_eq!(values.len(), report.objectives.len());
    for objective in &report.objectives {
        let want = values[&objective.name].as_f64().unwrap();
        worst[0] = worst[0].max((objective.value - want).abs() / want.abs().max(1.0));
        let row = reference["gradients"][&objective.name].as_object().unwrap();
        // Some references leave parameters out.
        let wanted = |parameter: &String| row.get(parameter).and_then(Value::as_f64);
        let scale = report
            .parameters
            .iter()
            .filter_map(wanted)
            .fold(0.0, |most, slope| f64::max(most, slope.abs()));
        for (parameter, slope) in report.parameters.iter().zip(&objective.gradient) {
            let Some(wanted) = wanted(parameter) else { continue };
            let size = if scale > 0.0 { scale } else { 1.0 };
            worst[1] = worst[1].max((slope - wanted).abs() / size);
        }
    }
    worst
}

#[test]
fn values_and_gradients_are_those_of_the_references() {
    for name in CASES {
        for formulation in [Nullspace, Multipliers, Penalty, Stabilized, Index3] {
            // The adjoint of these two is that of the underlying equation.
            let both = [Method::Adjoint, Method::Forward];
            let methods = if matches!(formulation, Stabilized | Index3) {
                &both[1..]
            } else {
                &both[..]
            };
            for &method in methods {
                let [values, gradients] = errors(name, method, formulation);
                let what = format!("{name} {method} {formulation:?}");
                // Penalties are without augmentation here.
                let most = if formulation == Penalty { 1e-6 } else { 1e-9 };
                assert!(values < most, "{what}: values {values:e}");
                assert!(gradients < 10.0 * most, "{what}: gradients {gradients:e}");
            }
        }
    }
}

#[test]
fn events_are_those_of_the_references() {
    for name in CASES {
        let (report, reference) = (report(&case(name, Nullspace)), reference(name));
        let wanted = reference["events"].as_array().unwrap();
        let kinds: Vec<&str> = report.events.iter().map(|event| event.kind.as_str()).collect();
        let wanted_kinds: Vec<&str> = wanted.iter().map(|event| event[0].as_str().unwrap()).collect();
        assert_eq!(kinds, wanted_kinds, "{name}");
        for (time, wanted) in times(&report).into_iter().zip(wanted) {
            let wanted = wanted[1].as_f64().unwrap();
            assert!((time - wanted).abs() < 1e-9, "{name}: {time} {wanted}");
        }
    }
}

#[test]
fn certificates_pass() {
    for name in CASES {
        let experiment = Experiment::open(
            &folder().join(format!("scenes/friction/{name}.ron")),
            &tolerances(1e-10, 1e-12),
        );
        let (_, certificate) = experiment.unwrap().certify(Method::Adjoint, &|_| {}).unwrap();
        assert!(!certificate.entries.is_empty());
        for entry in &certificate.entries {
            assert_eq!(
                entry.verdict,
                Verdict::Passed,
                "{name}: {:?} {}",
                entry.quantity,
                entry.reason
            );
        }
    }
}

/// Implicit steps see the friction force in their Jacobian: they follow stick and slip to their tolerance.
#[test]
fn implicit_steps_follow_stick_and_slip() {
    for name in ["belt_stribeck", "incline_push"] {
        let text = std::fs::read_to_string(folder().join(format!("scenes/friction/{name}.ron"))).unwrap();
        let text = text.replace("duration:", "integrator: Radau, duration:");
        let found = report(&crate::support::experiment(&text, &tolerances(1e-10, 1e-12)));
        let values = reference(name)["values"].take();
        for (objective, value) in &found.objectives {
            let want = values[objective].as_f64().unwrap();
            assert!((value - want).abs() < 1e-7, "{name} {objective}: {value} {want}");
        }
    }
}
