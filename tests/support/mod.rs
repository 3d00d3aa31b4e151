//! Shared by the tests of motions: scenes from text and from the folder `scenes`, tight runs, comparisons.

// Each test file uses its own part.
#![allow(dead_code)]

pub mod reference;

use std::path::PathBuf;

use costate::error::Error;
use costate::mechanism::FormulationChoice;
use costate::run::{Changes, Experiment, GradientReport, Method, Report, Verdict};
use costate::scene::parse;
use costate::scene::schema::FormulationKind;

/// Acceleration of free fall in the scenes of the tests, m/s^2.
pub const G: f64 = 9.81;

/// Formulations beside the null-space one whose joints do not give way.
pub const EXACT: [FormulationKind; 3] = [
    FormulationKind::Multipliers,
    FormulationKind::Stabilized,
    FormulationKind::Index3,
];

/// The program with these arguments.
#[cfg(feature = "cli")]
pub fn costate(arguments: &[&str]) -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_costate"));
    command.args(arguments);
    command
}

/// Tolerances at which the reference values are compared.
pub fn tight() -> Changes {
    Changes {
        rtol: Some(1e-12),
        atol: Some(1e-13),
        ..Changes::default()
    }
}

/// Changes for a run with these tolerances.
pub fn tolerances(rtol: f64, atol: f64) -> Changes {
    Changes {
        rtol: Some(rtol),
        atol: Some(atol),
        ..Changes::default()
    }
}

/// Tight changes with a formulation.
pub fn under(formulation: FormulationKind) -> Changes {
    Changes {
        formulation: Some(formulation),
        ..tight()
    }
}

/// A planar scene with these fields, lasting `duration` seconds.
pub fn planar(duration: f64, fields: &str) -> String {
    scene("Planar", duration, fields)
}

/// A spatial scene with these fields, lasting `duration` seconds.
pub fn spatial(duration: f64, fields: &str) -> String {
    scene("Spatial", duration, fields)
}

fn scene(space: &str, duration: f64, fields: &str) -> String {
    format!("Scene(name: \"test\", space: {space},\n{fields}\nsimulation: (duration: {duration}))")
}

/// A chain of bars of 1 m, released horizontally, with a mass of its own each.
pub fn chain(links: usize, duration: f64, by: &str) -> String {
    let fields = format!(
        r#"gravity: [0, -9.81], constants: {{ "n": {links}, "middle": {} }},
        parameters: {{ "m[i = 1..n]": "1 + 0.5*sin(i)" }},
        ground: {{ "P[0]": [0, 0] }}, points: {{ "P[i = 1..n]": (at: ["i", 0]) }},
        bodies: {{ "b[i = 1..n]": Bar(from: "P[i-1]", to: "P[i]", length: 1, mass: "m[i]") }},
        objectives: {{ "x": Final("P[middle].x"), "y": Integral("P[middle].y") }},"#,
        links / 2
    );
    with_by(&planar(duration, &fields), by)
}

/// The scene with its linear systems solved this way.
pub fn with_by(scene: &str, by: &str) -> String {
    let changed = scene.replace("duration:", &format!("by: {by}, duration:"));
    assert_ne!(changed, scene);
    changed
}

/// The experiment of a scene text; any error fails the test.
pub fn experiment(text: &str, changes: &Changes) -> Experiment {
    let prepared = parse("test.ron", text).and_then(|file| Experiment::new(&file, changes));
    prepared.unwrap_or_else(|error| panic!("{error}\n{:?}\n{text}", error.advice()))
}

/// A tight run of a scene text; any error fails the test. All other formulations must agree with it, penalties with their
/// augmentation.
pub fn run(text: &str) -> Report {
    let nullspace = report(&experiment(text, &tight()));
    // Bounces that come to rest magnify differences, by at most a factor of 1e5 here.
    for formulation in EXACT {
        let other = report(&experiment(text, &under(formulation)));
        agree(&format!("{formulation:?}"), &other, &nullspace, 1e-7);
    }
    let penalty = with_augmentation(experiment(text, &under(FormulationKind::Penalty)), 2);
    agree("penalty", &report(&penalty), &nullspace, 1e-6);
    nullspace
}

/// The report of an experiment; any error fails the test.
pub fn report(experiment: &Experiment) -> Report {
    let name = &experiment.name;
    match experiment.run(false, &mut |_| {}) {
        Ok((report, _)) => report,
        Err(error) => panic!("{name}: {error}\n{:?}", error.advice()),
    }
}

/// The error with which a scene text fails to run.
pub fn failure(text: &str) -> Error {
    let outcome = parse("test.ron", text)
        .and_then(|file| Experiment::new(&file, &tight()))
        .and_then(|experiment| experiment.run(false, &mut |_| {}));
    match outcome {
        Ok((report, _)) => panic!("the scene runs: {:?}", report.outputs),
        Err(error) => error,
    }
}

/// The gradient of a scene under a formulation; its certificate must pass.
pub fn certified(text: &str, formulation: FormulationKind) -> GradientReport {
    let found = experiment(text, &under(formulation)).certify(Method::Adjoint, &|_| {});
    let (report, certificate) = found.unwrap_or_else(|error| panic!("{formulation:?}: {error}"));
    let (verdict, entries) = (certificate.verdict, certificate.entries);
    assert_eq!(verdict, Verdict::Passed, "{formulation:?}: {entries:?}");
    report
}

/// Gradients by both methods, held to each other over the largest of an objective, at least 1e-3.
#[track_caller]
pub fn agreed(experiment: &Experiment, most: f64) -> GradientReport {
    let [adjoint, forward] = [Method::Adjoint, Method::Forward].map(|method| experiment.gradient(method).unwrap());
    for (a, b) in adjoint.objectives.iter().zip(&forward.objectives) {
        let scale = b.gradient.iter().fold(1e-3, |most: f64, slope| most.max(slope.abs()));
        for (one, other) in a.gradient.iter().zip(&b.gradient) {
            assert!(
                (one - other).abs() < most * scale,
                "{}: {one} {other} {scale:e}",
                a.name
            );
        }
    }
    adjoint
}

/// Both methods under every formulation, held to each other, and values and gradients to those of the first.
#[track_caller]
pub fn agreed_in_every_formulation(text: &str, changes: impl Fn(FormulationKind) -> Changes, most: f64) {
    use FormulationKind::{Index3, Multipliers, Nullspace, Penalty, Stabilized};
    let mut first: Option<GradientReport> = None;
    for formulation in [Nullspace, Multipliers, Stabilized, Index3, Penalty] {
        println!("{formulation:?}");
        let found = agreed(&experiment(text, &changes(formulation)), 1e-6);
        let wanted = first.get_or_insert_with(|| found.clone());
        for (one, other) in found.objectives.iter().zip(&wanted.objectives) {
            close(&one.name, one.value, other.value, 1e-7);
            let scale = other
                .gradient
                .iter()
                .fold(1e-3, |most: f64, slope| most.max(slope.abs()));
            for (slope, wanted) in one.gradient.iter().zip(&other.gradient) {
                assert!((slope - wanted).abs() < most * scale, "{}: {slope} {wanted}", one.name);
            }
        }
    }
}

/// Certifies gradients at these tolerances; every entry has to pass.
#[track_caller]
pub fn certified_within(name: &str, text: &str, [rtol, atol]: [f64; 2]) {
    let (_, certificate) = experiment(text, &tolerances(rtol, atol))
        .certify(Method::Adjoint, &|_| {})
        .unwrap();
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

/// Holds the second derivatives of an experiment to difference quotients of its gradients, over the largest of an objective.
pub fn check_hessian(experiment: &Experiment, tolerance: f64) {
    let report = experiment.hessian(&|_| {}).unwrap_or_else(|error| panic!("{error}"));
    for (column, parameter) in experiment.mechanism.model.parameters.iter().enumerate() {
        let step = 1e-4 * parameter.value.abs().max(0.1);
        let gradients = [1.0, -1.0, 2.0, -2.0].map(|times| {
            let shifted = experiment.with_parameter(&parameter.name, parameter.value + times * step);
            shifted
                .expect("a scene nearby")
                .gradient(Method::Forward)
                .expect("a gradient")
        });
        for (row, hessian) in report.objectives.iter().enumerate() {
            let of = |k: usize, i: usize| gradients[k].objectives[row].gradient[i];
            let size = hessian
                .rows
                .iter()
                .flatten()
                .fold(0.0, |most: f64, x| most.max(x.abs()));
            for (i, entries) in hessian.rows.iter().enumerate() {
                let quotient = (8.0 * (of(0, i) - of(1, i)) - (of(2, i) - of(3, i))) / (12.0 * step);
                let (name, error) = (&hessian.objective, (entries[column] - quotient).abs());
                assert!(
                    error <= tolerance * size,
                    "{name} by {column} and {i}: {error:e} of {size:e}"
                );
            }
        }
    }
}

/// Folder of the shipped scenes.
pub fn scenes() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenes")
}

/// Names of the shipped scenes, without ending, in alphabetical order.
pub fn shipped_names() -> Vec<String> {
    let files = std::fs::read_dir(scenes()).expect("the folder of scenes");
    let paths = files.map(|file| file.expect("an entry of the folder").path());
    let mut names: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "ron"))
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 12, "scenes are missing: {names:?}");
    names
}

/// A shipped scene.
pub fn shipped(name: &str, changes: &Changes) -> Experiment {
    let path = scenes().join(format!("{name}.ron"));
    Experiment::open(&path, changes).unwrap_or_else(|error| panic!("{name}: {error}\n{:?}", error.advice()))
}

/// An experiment with another number of augmented-Lagrangian iterations of its penalty formulation.
pub fn with_augmentation(mut experiment: Experiment, iterations: u32) -> Experiment {
    let FormulationChoice::Penalty(factors) = &mut experiment.mechanism.choices.formulation else {
        panic!("\"{}\" does not run with penalties", experiment.name)
    };
    factors.augmented = iterations;
    experiment
}

/// Final value of an output.
pub fn output(report: &Report, name: &str) -> f64 {
    value(&report.outputs, name)
}

/// Value of an objective.
pub fn objective(report: &Report, name: &str) -> f64 {
    value(&report.objectives, name)
}

fn value(list: &[(String, f64)], name: &str) -> f64 {
    list.iter()
        .find(|(n, _)| n == name)
        .unwrap_or_else(|| panic!("no \"{name}\" in {list:?}"))
        .1
}

/// What happened, as pairs of name and kind.
pub fn happenings(report: &Report) -> Vec<(&str, &str)> {
    report
        .events
        .iter()
        .map(|event| (event.name.as_str(), event.kind.as_str()))
        .collect()
}

/// Times of the events.
pub fn times(report: &Report) -> Vec<f64> {
    report.events.iter().map(|event| event.t).collect()
}

/// Fails unless |got - want| is at most the tolerance.
#[track_caller]
pub fn close(what: &str, got: f64, want: f64, tolerance: f64) {
    assert!(
        (got - want).abs() <= tolerance,
        "{what}: {got} instead of {want}: off by {:.2e}, more than {tolerance:.0e}",
        got - want
    );
}

/// Fails unless both lists have the same length and agree within the tolerance.
#[track_caller]
pub fn all_close(what: &str, got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{what}: {got:?} instead of {want:?}");
    for (k, (got, want)) in got.iter().zip(want).enumerate() {
        close(&format!("{what} [{k}]"), *got, *want, tolerance);
    }
}

/// Fails unless outputs, objectives and events of two runs agree; values relative to their size where that is above 1.
#[track_caller]
pub fn agree(what: &str, a: &Report, b: &Report, tolerance: f64) {
    assert_eq!(happenings(a), happenings(b), "{what}: the events differ");
    all_close(&format!("{what}: event times"), &times(a), &times(b), tolerance);
    let values =
        |report: &Report| -> Vec<(String, f64)> { report.outputs.iter().chain(&report.objectives).cloned().collect() };
    for ((name, x), (_, y)) in values(a).iter().zip(&values(b)) {
        close(&format!("{what}: {name}"), *x, *y, tolerance * y.abs().max(1.0));
    }
}
