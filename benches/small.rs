//! Two small mechanisms with known results: `cargo bench --bench small` in this folder prints the tables of
//! `docs/performance.md`.
//!
//! The gradient of the torsional pendulum beside straight-line code and `diffsol`, each at its loosest tolerance that keeps the
//! error; and the motion of Andrews' squeezing mechanism.

use std::hint::black_box;

use costate::run::{Experiment, Method};
use costate_benches::Scene;
use costate_benches::pendulum::{self, Gradient, error};
use costate_benches::timing::fastest;

/// Error of a gradient over its largest entry, and of Andrews' angles over the largest of them.
const GRADIENT: f64 = 1e-10;
const ANGLES: f64 = 1e-7;

/// Angles of Andrews' squeezing mechanism at 0.03 s: beta, theta, gamma, phi, delta, omega, epsilon (Test Set for IVP Solvers).
const ANDREWS: [(&str, f64); 7] = [
    ("beta", 15.810_771_196_299_04),
    ("theta", -15.756_371_059_842_98),
    ("gamma", 0.040_822_240_130_731_01),
    ("phi", -0.534_730_116_322_694_8),
    ("delta", 0.524_409_965_880_530_3),
    ("omega", 0.534_730_116_322_694_8),
    ("epsilon", 1.048_080_741_042_263),
];

fn main() {
    println!("| gradient of the torsional pendulum | tolerance | calls | error | time |");
    println!("| --- | --- | --- | --- | --- |");
    let scene = |method: Method| move |tolerance: f64| of_scene(&pendulum_of(tolerance), method);
    print("the scene, adjoint", scene(Method::Adjoint));
    print("the scene, forward", scene(Method::Forward));
    print("straight-line code, Dop853, costates", pendulum::by_costates);
    print(
        "straight-line code, Dop853, variational equations",
        pendulum::by_variation,
    );
    print(
        "straight-line code, diffsol tsit45, forward sensitivities",
        pendulum::by_diffsol,
    );
    println!("\n| Andrews' squeezing mechanism, 0.03 s | tolerance | right-hand sides | error | time |");
    println!("| --- | --- | --- | --- | --- |");
    andrews();
}

/// The tolerances, from tight to loose, three a decade.
fn tolerances() -> impl Iterator<Item = f64> {
    (12..=40).rev().map(|k| 10.0_f64.powf(-f64::from(k) / 3.0))
}

/// The loosest tolerance that keeps an error, as every tighter one does.
fn loosest(most: f64, error: impl Fn(f64) -> f64) -> f64 {
    let kept = tolerances().skip_while(|&tolerance| error(tolerance) > most);
    kept.take_while(|&tolerance| error(tolerance) <= most)
        .last()
        .unwrap_or(f64::NAN)
}

fn print(name: &str, gradient: impl Fn(f64) -> Gradient) {
    let tolerance = loosest(GRADIENT, |tolerance| error(&gradient(tolerance)));
    let found = gradient(tolerance);
    let time = fastest(|| {
        black_box(gradient(tolerance));
    });
    let (calls, error) = (found.calls, error(&found));
    println!(
        "| {name} | {tolerance:.1e} | {calls} | {error:.1e} | {:.3} ms |",
        1e3 * time
    );
}

/// The pendulum at a tolerance, with the first of its objectives only.
fn pendulum_of(tolerance: f64) -> Experiment {
    let mut experiment = Scene::with_tolerance("torsional_pendulum.ron", tolerance).lasting(pendulum::END);
    for objective in experiment.mechanism.model.objectives.iter_mut().skip(1) {
        objective.wanted = false;
    }
    experiment
}

fn of_scene(experiment: &Experiment, method: Method) -> Gradient {
    let report = experiment.gradient(method).expect("it is differentiable");
    let entry = |name: &str| {
        let place = report.parameters.iter().position(|parameter| parameter == name);
        report.objectives[0].gradient[place.expect("the scene has the parameter")]
    };
    Gradient {
        entries: pendulum::NAMES.map(entry),
        calls: report.forward.evaluations + report.backward.evaluations,
    }
}

fn andrews() {
    let of = |tolerance: f64| Scene::with_tolerance("andrews_squeezer.ron", tolerance).lasting(0.03);
    let error = |tolerance: f64| {
        let experiment = of(tolerance);
        let (report, _) = experiment.run(false, &mut |_| ()).expect("it moves");
        let angle = |name: &str| {
            let found = report.outputs.iter().find(|(output, _)| output == name);
            found.expect("the scene has the output").1
        };
        let errors = ANDREWS.map(|(name, exact)| (angle(name) - exact).abs());
        (
            errors.into_iter().fold(0.0, f64::max) / ANDREWS[0].1,
            report.statistics.evaluations,
        )
    };
    let tolerance = loosest(ANGLES, |tolerance| error(tolerance).0);
    for (name, tolerance) in [("to 1e-7", tolerance), ("at defaults", 1e-9)] {
        let (error, evaluations) = error(tolerance);
        let experiment = of(tolerance);
        let time = fastest(|| drop(black_box(experiment.run(false, &mut |_| ()))));
        println!(
            "| {name} | {tolerance:.1e} | {evaluations} | {error:.1e} | {:.2} ms |",
            1e3 * time
        );
    }
}
