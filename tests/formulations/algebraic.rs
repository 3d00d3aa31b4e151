//! The stabilized and the index-3 equations: the motion and the derivatives of the null-space formulation, with the constraints
//! kept by the steps.

use std::path::Path;

use costate::mechanism::FormulationChoice;
use costate::run::{Changes, Experiment, GradientReport, Method, Report};
use costate::scene::schema::FormulationKind::{self, Index3, Nullspace, Stabilized};

use super::systems::{THREE_CRANKS, simulated};
use crate::element_support::{distance, model, planar};

fn experiment(scene: &str, formulation: FormulationKind) -> Experiment {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/{scene}.ron"));
    let changes = Changes {
        formulation: Some(formulation),
        rtol: Some(1e-11),
        atol: Some(1e-12),
        ..Changes::default()
    };
    Experiment::open(&path, &changes).unwrap_or_else(|error| panic!("{scene}: {error}"))
}

fn run(scene: &str, formulation: FormulationKind) -> Report {
    let (report, _) = experiment(scene, formulation)
        .run(false, &mut |_| {})
        .unwrap_or_else(|error| panic!("{scene} {formulation:?}: {error}"));
    report
}

fn gradient(scene: &str, formulation: FormulationKind, method: Method) -> GradientReport {
    let report = experiment(scene, formulation).gradient(method);
    report.unwrap_or_else(|error| panic!("{scene} {formulation:?}: {error}"))
}

/// Impacts, a stop, sticking, a driver, events, a ratchet, singular positions.
const SCENES: [&str; 9] = [
    "five_bar",
    "five_bar_restitution",
    "double_pendulum_wall",
    "pendulum_with_stop",
    "slider_crank",
    "latch",
    "taut_string",
    "ratchet_hoist",
    "n_four_bar",
];

#[test]
fn motions_and_events_are_those_of_the_null_space_formulation() {
    for scene in SCENES {
        let want = run(scene, Nullspace);
        for formulation in [Stabilized, Index3] {
            let got = run(scene, formulation);
            assert_eq!(got.events.len(), want.events.len(), "{scene} {formulation:?}");
            for (got, want) in got.events.iter().zip(&want.events) {
                assert!(
                    (got.t - want.t).abs() < 1e-8,
                    "{scene} {formulation:?}: {got:?} {want:?}"
                );
            }
            for ((name, got), (_, want)) in got.objectives.iter().zip(&want.objectives) {
                let error = (got - want).abs() / want.abs().max(1.0);
                assert!(error < 1e-8, "{scene} {formulation:?} {name}: {got} instead of {want}");
            }
        }
    }
}

#[test]
fn constraints_of_positions_and_velocities_hold_to_rounding_at_every_step() {
    for scene in ["five_bar", "slider_crank", "double_pendulum_wall"] {
        for formulation in [Stabilized, Index3] {
            let residuals = run(scene, formulation).residuals;
            assert!(
                residuals.position < 1e-13 && residuals.velocity < 1e-12,
                "{scene} {formulation:?}: {residuals:?}"
            );
        }
    }
}

/// Largest difference of gradients over the largest entry of their row.
fn worst(got: &GradientReport, want: &GradientReport) -> f64 {
    let rows = got.objectives.iter().zip(&want.objectives);
    let errors = rows.map(|(got, want)| {
        let scale = want
            .gradient
            .iter()
            .fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
        let entries = got.gradient.iter().zip(&want.gradient);
        entries.fold(0.0_f64, |most, (got, want)| most.max((got - want).abs() / scale))
    });
    errors.fold(0.0, f64::max)
}

#[test]
fn gradients_by_both_methods_are_those_of_the_null_space_formulation() {
    for scene in ["five_bar", "slider_crank", "latch", "taut_string", "ratchet_hoist"] {
        let want = gradient(scene, Nullspace, Method::Adjoint);
        for formulation in [Stabilized, Index3] {
            for method in [Method::Adjoint, Method::Forward] {
                let error = worst(&gradient(scene, formulation, method), &want);
                assert!(error < 1e-8, "{scene} {formulation:?} {method:?}: {error:e}");
            }
        }
    }
}

#[test]
fn gradients_are_those_of_the_integrated_motion_itself() {
    for formulation in [Stabilized, Index3] {
        let differences = gradient("pendulum_with_stop", formulation, Method::FiniteDifference);
        let error = worst(
            &gradient("pendulum_with_stop", formulation, Method::Adjoint),
            &differences,
        );
        assert!(error < 1e-6, "{formulation:?}: {error:e}");
    }
}

#[test]
fn redundant_joints_change_nothing() {
    let cranks = model(&planar(THREE_CRANKS));
    let want = simulated(&cranks, FormulationChoice::Nullspace, 1.3).x;
    for formulation in [FormulationChoice::Stabilized, FormulationChoice::Index3] {
        let apart = distance(&simulated(&cranks, formulation, 1.3).x, &want);
        assert!(apart < 1e-7, "{formulation:?}: {apart:e}");
    }
}
