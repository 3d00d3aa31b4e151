//! All formulations of mechanisms with rigid bodies in space: one motion, and one gradient by both methods.

use std::path::Path;

use costate::hybrid::HybridSystem;
use costate::integrate::StagePoint;
use costate::run::{Changes, Experiment, GradientReport, Method};
use costate::scene::schema::FormulationKind::{self, Index3, Multipliers, Nullspace, Stabilized};

use crate::MIXTURE;
use crate::support::{close, experiment, objective, report, spatial, tolerances, under};

/// Scenes of the references, with how long their motion is compared.
const SCENES: [(&str, f64); 10] = [
    ("bennett", 1.0),
    ("box_corner_impact", 1.0),
    ("bricard", 1.0),
    ("bricard_of_balls", 1.0),
    ("bushing_large_motion", 1.0),
    ("gear_pair", 1.0),
    ("screw_joint", 0.5),
    ("slider_crank_3d", 0.5),
    ("tennis_racket", 1.0),
    ("top_asymmetric", 0.5),
];

fn open(name: &str, changes: &Changes) -> Experiment {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/scenes/spatial/{name}.ron"));
    Experiment::open(&path, changes).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Holds values and gradients to each other, these over the largest of their row; rows of rounding count as they are.
#[track_caller]
fn assert_same(what: &str, got: &GradientReport, want: &GradientReport) {
    assert_eq!(got.events.len(), want.events.len(), "{what}");
    for (got, want) in got.objectives.iter().zip(&want.objectives) {
        let within = 1e-8 * want.value.abs().max(1.0);
        close(&format!("{what} {}", want.name), got.value, want.value, within);
        let most = want.gradient.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let scale = if most < 1e-9 { 1.0 } else { most };
        for (got, exact) in got.gradient.iter().zip(&want.gradient) {
            // What cannot change alone has no derivative.
            if exact.is_nan() && got.is_nan() {
                continue;
            }
            let error = (got - exact).abs() / scale;
            assert!(error < 1e-9, "{what} {}: {got} {exact}", want.name);
        }
    }
}

#[test]
fn motions_and_gradients_are_those_of_the_null_space_formulation() {
    for (name, duration) in SCENES {
        let of = |formulation: FormulationKind, method: Method| {
            let changes = Changes {
                duration: Some(duration),
                ..under(formulation)
            };
            let found = open(name, &changes).gradient(method);
            found.unwrap_or_else(|error| panic!("{name} {formulation:?} {method}: {error}"))
        };
        let want = of(Nullspace, Method::Adjoint);
        assert!(
            want.objectives
                .iter()
                .any(|row| row.gradient.iter().any(|x| x.abs() > 1e-3))
        );
        for formulation in [Multipliers, Stabilized, Index3] {
            for method in [Method::Adjoint, Method::Forward] {
                let what = format!("{name} {formulation:?} {method}");
                assert_same(&what, &of(formulation, method), &want);
            }
        }
    }
}

#[test]
fn bodies_points_bars_and_slots_move_as_under_the_null_space_formulation() {
    let text = spatial(0.25, MIXTURE);
    let want = experiment(&text, &under(Nullspace)).gradient(Method::Adjoint).unwrap();
    for formulation in [Stabilized, Index3] {
        for method in [Method::Adjoint, Method::Forward] {
            let found = experiment(&text, &under(formulation)).gradient(method).unwrap();
            assert_same(&format!("{formulation:?} {method}"), &found, &want);
        }
    }
}

/// Derivatives by a moment of inertia of 1e-4 are larger than positions by many orders: an absolute tolerance for positions, taken for them
/// as it stands, is below their rounding and asks for fifty times the steps.
#[test]
fn sensitivities_by_small_numbers_take_about_the_steps_of_the_motion() {
    let changes = Changes {
        duration: Some(2.0),
        ..tolerances(1e-12, 1e-14)
    };
    let crank = open("slider_crank_3d", &changes);
    let [forward, adjoint] = [Method::Forward, Method::Adjoint].map(|method| crank.gradient(method).unwrap());
    assert_same("forward", &forward, &adjoint);
    let [with, without] = [forward.forward, report(&crank).statistics].map(|work| work.accepted);
    assert!(with < 4 * without, "{with} {without}");
}

/// The governor's springs and dampers are stiff: these steps stay as long as its motion asks for.
#[test]
fn the_stiff_governor_has_one_motion_too() {
    let of = |formulation| {
        let changes = Changes {
            duration: Some(2.0),
            formulation: Some(formulation),
            ..tolerances(1e-11, 1e-12)
        };
        report(&open("flyball_governor", &changes))
    };
    let want = of(Nullspace);
    for formulation in [Nullspace, Multipliers, Stabilized, Index3] {
        let found = of(formulation);
        assert!(found.statistics.accepted < 100, "{:?}", found.statistics);
        for (name, value) in &want.objectives {
            close(name, objective(&found, name), *value, 1e-9 * value.abs().max(1.0));
        }
    }
}

/// At a loose tolerance stages lengthen quaternions; the ends of steps keep constraints and lengths to rounding.
#[test]
fn steps_end_on_the_constraints() {
    let text = spatial(1.0, MIXTURE);
    for formulation in [Stabilized, Index3] {
        let changes = Changes {
            formulation: Some(formulation),
            ..tolerances(1e-5, 1e-7)
        };
        let residuals = report(&experiment(&text, &changes)).residuals;
        assert!(
            residuals.position < 1e-13 && residuals.velocity < 1e-12,
            "{formulation:?}: {residuals:?}"
        );
    }
}

/// At a state off the constraints, with quaternions of any length; without the second multipliers, whose derivatives by the
/// positions are left out.
#[test]
fn matrices_of_the_steps_are_the_derivatives_of_their_equations() {
    for formulation in [Stabilized, Index3] {
        let experiment = experiment(&spatial(0.25, MIXTURE), &under(formulation));
        let (mechanism, mut workspace) = (&experiment.mechanism, experiment.mechanism.workspace());
        let started = mechanism.start(0.0, &mut workspace).unwrap();
        let coupled = mechanism.velocities().end;
        let anything = |i: usize| 0.1 * (1.7 * i as f64 + 0.4).sin();
        let mut x = started.x;
        x.iter_mut()
            .take(coupled)
            .enumerate()
            .for_each(|(i, x)| *x += anything(i));
        let rate: Vec<f64> = (0..coupled).map(|i| 1.0 + anything(3 * i)).collect();
        let mut work = |system: &mut dyn costate::integrate::Hessenberg| {
            let n = system.structure().unknowns();
            let mut y: Vec<f64> = (coupled..n).map(|i| 2.0 + anything(i)).collect();
            y[started.mode.independent.len()..].fill(0.0);
            let unknowns = [&x[..coupled], &y].concat();
            let mut residual = |unknowns: &[f64], rate: &[f64]| {
                let mut state = x.clone();
                state[..coupled].copy_from_slice(&unknowns[..coupled]);
                let point = StagePoint {
                    t: 0.1,
                    x: &state,
                    rate,
                    multipliers: &unknowns[coupled..],
                };
                let mut r = vec![0.0; n];
                system.residual(&point, &mut r).map(|()| r)
            };
            let step = 1e-5;
            let mut differences = [vec![0.0; n * n], vec![0.0; n * n]];
            for j in 0..n {
                let mut moved = |by_rate: bool, change: f64| {
                    let (mut unknowns, mut rate) = (unknowns.clone(), rate.clone());
                    let slot = if by_rate { &mut rate[j] } else { &mut unknowns[j] };
                    *slot += change;
                    residual(&unknowns, &rate).unwrap()
                };
                for (by_rate, matrix) in [true, false].into_iter().zip(&mut differences) {
                    if by_rate && j >= coupled {
                        continue;
                    }
                    let (above, below) = (moved(by_rate, step), moved(by_rate, -step));
                    for i in 0..n {
                        matrix[i * n + j] = (above[i] - below[i]) / (2.0 * step);
                    }
                }
            }
            let point = StagePoint {
                t: 0.1,
                x: &x,
                rate: &rate,
                multipliers: &y,
            };
            let mut matrices = [vec![0.0; n * n], vec![0.0; n * n]];
            let [mass, jacobian] = &mut matrices;
            system.linearize(&point, mass, jacobian)?;
            for (got, want) in matrices.iter().flatten().zip(differences.iter().flatten()) {
                assert!(
                    (got - want).abs() < 1e-6 * want.abs().max(1.0),
                    "{formulation:?}: {got} {want}"
                );
            }
            assert!(matrices[1].iter().filter(|entry| entry.abs() > 0.1).count() > n);
            Ok(())
        };
        mechanism.hessenberg(&started.mode, &mut workspace, &mut work).unwrap();
    }
}
