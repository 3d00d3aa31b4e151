//! The stabilized and the index-3 equations: the motion and the derivatives of the null-space formulation, with the constraints
//! kept by the steps.

use std::path::Path;

use costate::mechanism::FormulationChoice;
use costate::run::{Changes, Experiment, GradientReport, Method, Report};
use costate::scene::schema::FormulationKind::{self, Index3, Nullspace, Stabilized};

use super::systems::{THREE_CRANKS, simulated};
use crate::element_support::{distance, model, planar};

fn experiment(scene: &str, formulation: FormulationKind, [rtol, atol]: [f64; 2]) -> Experiment {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/{scene}.ron"));
    let changes = Changes {
        formulation: Some(formulation),
        rtol: Some(rtol),
        atol: Some(atol),
        ..Changes::default()
    };
    Experiment::open(&path, &changes).unwrap_or_else(|error| panic!("{scene}: {error}"))
}

const TIGHT: [f64; 2] = [1e-11, 1e-12];
const TIGHTEST: [f64; 2] = [1e-12, 1e-13];

fn run(scene: &str, formulation: FormulationKind, tolerances: [f64; 2]) -> Report {
    let (report, _) = experiment(scene, formulation, tolerances)
        .run(false, &mut |_| {})
        .unwrap_or_else(|error| panic!("{scene} {formulation:?} {tolerances:?}: {error}"));
    report
}

fn gradient(scene: &str, formulation: FormulationKind, method: Method) -> GradientReport {
    let report = experiment(scene, formulation, TIGHTEST).gradient(method);
    report.unwrap_or_else(|error| panic!("{scene} {formulation:?}: {error}"))
}

/// Names of the shipped scenes.
fn scenes() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let files = std::fs::read_dir(folder).expect("the folder of scenes");
    let paths = files.map(|file| file.expect("an entry").path());
    let paths = paths.filter(|path| path.extension().is_some_and(|ending| ending == "ron"));
    let names: Vec<String> = paths
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_string()))
        .collect();
    assert!(names.len() > 20, "{names:?}");
    names
}

#[test]
fn motions_and_events_of_every_scene_are_those_of_the_null_space_formulation() {
    for scene in &scenes() {
        for tolerances in [TIGHT, TIGHTEST] {
            let want = run(scene, Nullspace, tolerances);
            for formulation in [Stabilized, Index3] {
                let got = run(scene, formulation, tolerances);
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
}

#[test]
fn constraints_of_positions_and_velocities_hold_to_rounding_at_every_step() {
    for scene in ["five_bar", "slider_crank", "double_pendulum_wall"] {
        for formulation in [Stabilized, Index3] {
            let residuals = run(scene, formulation, TIGHT).residuals;
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

/// The bound is what gradients of the null-space formulation by both methods leave between them, through singular positions and
/// over the motion of Andrews' squeezer: 6e-10.
#[track_caller]
fn gradients_by_both_methods_are_those_of_the_null_space_formulation(formulation: FormulationKind) {
    for scene in &scenes() {
        let want = gradient(scene, Nullspace, Method::Adjoint);
        for method in [Method::Adjoint, Method::Forward] {
            let error = worst(&gradient(scene, formulation, method), &want);
            assert!(error < 1e-9, "{scene} {formulation:?} {method:?}: {error:e}");
        }
    }
}

#[test]
fn stabilized_gradients_of_every_scene_are_those_of_the_null_space_formulation() {
    gradients_by_both_methods_are_those_of_the_null_space_formulation(Stabilized);
}

#[test]
fn index_3_gradients_of_every_scene_are_those_of_the_null_space_formulation() {
    gradients_by_both_methods_are_those_of_the_null_space_formulation(Index3);
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
