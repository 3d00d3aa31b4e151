//! Second derivatives of mechanisms: a closed form, difference quotients of exact gradients, forward over adjoint.

#[cfg(feature = "cli")]
#[path = "hessian/command_line.rs"]
mod command_line;
#[path = "hessian/fixed_kinks.rs"]
mod fixed_kinks;
#[path = "hessian/mixtures.rs"]
mod mixtures;
#[path = "hessian/quadratic_drag.rs"]
mod quadratic_drag;
#[path = "hessian/reactions.rs"]
mod reactions;
#[path = "support/mod.rs"]
mod support;

use costate::equations::Study;
use costate::run::{Changes, Experiment, HessianReport, Method};
use support::{experiment, shipped, tolerances};

/// Second derivative of an objective by two parameters.
fn entry(report: &HessianReport, objective: &str, by: [&str; 2]) -> f64 {
    let hessian = report.objectives.iter().find(|found| found.objective == objective);
    let place = |name: &str| {
        report
            .parameters
            .iter()
            .position(|found| found == name)
            .expect("a parameter")
    };
    hessian.expect("an objective").rows[place(by[0])][place(by[1])]
}

fn hessian(experiment: &Experiment) -> HessianReport {
    match experiment.hessian(&|_| {}) {
        Ok(report) => report,
        Err(error) => panic!("{}: {error}\n{:?}", experiment.name, error.advice()),
    }
}

/// Largest difference of a column from the extrapolated difference quotient of the exact gradient, over the largest entry of
/// the Hessian; one list per objective.
fn column_errors(experiment: &Experiment, report: &HessianReport, column: usize, part: f64) -> Vec<f64> {
    let parameter = &experiment.mechanism.model.parameters[column];
    let step = part * parameter.value.abs().max(1e-2);
    let gradients = [1.0, -1.0, 2.0, -2.0].map(|times| {
        let shifted = experiment.with_parameter(&parameter.name, parameter.value + times * step);
        shifted
            .and_then(|shifted| shifted.gradient(Method::Forward))
            .expect("a gradient nearby")
    });
    let quotient = |objective: &str, i: usize| {
        let of = |k: usize| {
            let found = gradients[k].objectives.iter().find(|found| found.name == objective);
            found.expect("the objective").gradient[i]
        };
        (8.0 * (of(0) - of(1)) - (of(2) - of(3))) / (12.0 * step)
    };
    let error = |hessian: &costate::run::Hessian| {
        let size = hessian
            .rows
            .iter()
            .flatten()
            .fold(1e-9, |most: f64, x| most.max(x.abs()));
        let rows = hessian.rows.iter().enumerate();
        let errors = rows.map(|(i, row)| (row[column] - quotient(&hessian.objective, i)).abs() / size);
        errors.fold(0.0, f64::max)
    };
    report.objectives.iter().map(error).collect()
}

/// Every column agrees with difference quotients of the exact gradient.
fn agrees_with_quotients(experiment: &Experiment, part: f64, bound: f64) -> HessianReport {
    let report = hessian(experiment);
    assert!(!report.objectives.is_empty());
    for (column, name) in report.parameters.iter().enumerate() {
        let errors = column_errors(experiment, &report, column, part);
        for (error, found) in errors.iter().zip(&report.objectives) {
            let scene = &experiment.name;
            assert!(
                *error < bound,
                "{scene}: {} by {name}: off by {error:.1e}",
                found.objective
            );
        }
    }
    report
}

#[test]
fn a_bouncing_ball_has_the_published_second_derivative_by_its_restitution() {
    let report = hessian(&shipped("bouncing_ball", &tolerances(1e-12, 1e-13)));
    let found = entry(&report, "x_final", ["e", "e"]);
    assert!((found / -4187.746378 - 1.0).abs() < 1e-9, "{found}");
    // Height is linear in the place where everything happens, and in it alone.
    let shift = entry(&report, "x_final", ["v0", "x0"]);
    assert!(shift.abs() > 1e-3 && (shift - entry(&report, "x_final", ["x0", "v0"])).abs() < 1e-12);
}

#[test]
fn shipped_scenes_agree_with_quotients_of_their_gradients() {
    let scenes = [
        "pendulum_with_stop",
        "slider_crank",
        "latch",
        "hanging_lamp",
        "ratchet_hoist",
        "hysteretic_oscillator",
        "torsional_pendulum",
        "four_bar_path",
        "bouncing_ball_fit",
        "box_drop",
        "universal_shaft",
    ];
    for scene in scenes {
        agrees_with_quotients(&shipped(scene, &tolerances(1e-11, 1e-13)), 1e-4, 2e-6);
    }
    let coupling = experiment(
        include_str!("scenes/coupling_with_limit.ron"),
        &tolerances(1e-11, 1e-13),
    );
    agrees_with_quotients(&coupling, 1e-4, 2e-6);
}

#[test]
fn a_five_bar_through_its_impacts_agrees_with_quotients_of_its_gradients() {
    // Events of the five-bar change within 1e-4 of a length.
    agrees_with_quotients(&shipped("five_bar", &tolerances(1e-12, 1e-14)), 2e-6, 2e-5);
}

#[test]
fn forward_over_adjoint_gives_the_same_as_derivatives_along_two_directions() {
    for scene in ["pendulum_with_stop", "ratchet_hoist", "latch"] {
        let experiment = shipped(scene, &tolerances(1e-11, 1e-13));
        let report = hessian(&experiment);
        let parameters = experiment.mechanism.model.parameters.iter();
        let p: Vec<f64> = parameters.map(|parameter| parameter.value).collect();
        let direction: Vec<f64> = (0..p.len()).map(|k| 1.0 - 0.3 * k as f64).collect();
        let span = (experiment.start, experiment.options.end + 1e-3);
        let products = experiment.along_events(|events| {
            let study = Study::new(events, &p, span).to_tolerance(1e-11, 1e-13);
            study.hessian_times(&direction)
        });
        let products = products.unwrap_or_else(|error| panic!("{scene}: {error}"));
        let times = experiment.hessian_times(&direction).expect("second derivatives");
        for ((hessian, product), times) in report.objectives.iter().zip(&products).zip(&times) {
            let size = hessian
                .rows
                .iter()
                .flatten()
                .fold(1e-9, |most: f64, x| most.max(x.abs()));
            for (i, row) in hessian.rows.iter().enumerate() {
                let want: f64 = row.iter().zip(&direction).map(|(h, w)| h * w).sum();
                let name = &hessian.objective;
                assert!(
                    (product[i] - want).abs() < 1e-8 * size,
                    "{scene}, {name}: {} for {want}",
                    product[i]
                );
                assert!(
                    (times[i] - want).abs() < 1e-8 * size,
                    "{scene}, {name}: {} for {want}",
                    times[i]
                );
            }
        }
    }
}

#[test]
fn formulations_with_exact_constraints_have_the_same_second_derivatives() {
    use costate::scene::schema::FormulationKind::{Index3, Multipliers, Stabilized};
    let of = |formulation| {
        let changes = Changes {
            formulation,
            ..tolerances(1e-10, 1e-12)
        };
        hessian(&shipped("pendulum_with_stop", &changes))
    };
    let wanted = of(None);
    for formulation in [Multipliers, Stabilized, Index3] {
        let found = of(Some(formulation));
        for (found, wanted) in found.objectives.iter().zip(&wanted.objectives) {
            let size = wanted
                .rows
                .iter()
                .flatten()
                .fold(1e-9, |most: f64, x| most.max(x.abs()));
            let pairs = found.rows.iter().flatten().zip(wanted.rows.iter().flatten());
            let error = pairs.fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
            assert!(error < 1e-7 * size, "{formulation:?}: {error:e} of {size:e}");
        }
    }
}
