//! The penalty formulation: its error on the constraints is proportional to 1/alpha, and the augmented iteration removes it.

use costate::formulation::PenaltyFactors;
use costate::hybrid::{At, HybridSystem};
use costate::mechanism::FormulationChoice::{self, Multipliers, Penalty};
use costate::model::Mode;

use super::systems::{PENALTY, System, systems};
use crate::element_support::{distance, size};

fn accelerations(system: &System, formulation: FormulationChoice, mode: &Mode, x: &[f64]) -> Vec<f64> {
    let mechanism = system.mechanism(formulation);
    let mut workspace = mechanism.workspace();
    mechanism
        .evaluate_motion(At::new(system.t, mode, x), true, &mut workspace)
        .expect("it moves");
    workspace.a.clone()
}

fn multipliers(system: &System, formulation: FormulationChoice, mode: &Mode, x: &[f64]) -> Vec<f64> {
    let mechanism = system.mechanism(formulation);
    let mut workspace = mechanism.workspace();
    mechanism
        .evaluate_motion(At::new(system.t, mode, x), true, &mut workspace)
        .expect("it moves");
    workspace.lambda[..mode.rows].to_vec()
}

fn error(system: &System, alpha: f64, augmented: u32, mode: &Mode, x: &[f64]) -> f64 {
    let exact = accelerations(system, Multipliers, mode, x);
    let found = accelerations(
        system,
        Penalty(PenaltyFactors {
            alpha,
            augmented,
            ..PENALTY
        }),
        mode,
        x,
    );
    distance(&exact, &found) / size_or_one(&exact)
}

/// Size of accelerations, or one where what is held has none.
fn size_or_one(values: &[f64]) -> f64 {
    let size = size(values);
    if size > 0.0 { size } else { 1.0 }
}

fn on_constraints(seed: u64, mut visit: impl FnMut(&System, &Mode, &[f64])) {
    let mut seen = 0;
    for system in systems().iter().filter(|system| system.closed && system.mode.rows > 0) {
        let (x, mode) = system.on(&mut system.random(seed));
        if multipliers(system, Multipliers, &mode, &x)
            .iter()
            .all(|lambda| *lambda == 0.0)
        {
            // Joints that carry nothing do not give way.
            assert_eq!(error(system, 1e5, 0, &mode, &x), 0.0, "{}", system.name);
            continue;
        }
        visit(system, &mode, &x);
        seen += 1;
    }
    assert!(seen >= 7, "{seen}");
}

#[test]
fn the_error_falls_with_the_penalty_factor() {
    on_constraints(131, |system, mode, x| {
        let (coarse, fine) = (error(system, 1e5, 0, mode, x), error(system, 1e6, 0, mode, x));
        assert!(coarse > 1e-9 && coarse < 0.3, "{}: {coarse:e}", system.name);
        assert!(
            (coarse / fine - 10.0).abs() < 1.5,
            "{}: {coarse:e} and {fine:e}",
            system.name
        );
    });
}

#[test]
fn each_augmented_iteration_gains_another_power_of_the_factor() {
    on_constraints(132, |system, mode, x| {
        let errors = [0, 1, 2].map(|augmented| error(system, 1e5, augmented, mode, x));
        let finer = [0, 1].map(|augmented| error(system, 1e6, augmented, mode, x));
        assert!(
            errors[1] < 0.3 * errors[0] && errors[2] < (0.3 * errors[1]).max(1e-10),
            "{}: {errors:?}",
            system.name
        );
        if errors[1] > 1e-8 {
            let gain = errors[1] / finer[1];
            assert!(
                (50.0..200.0).contains(&gain),
                "{}: {errors:?} and {finer:?}",
                system.name
            );
        }
        let converged = error(system, 1e6, 8, mode, x);
        assert!(converged < 1e-9, "{}: {converged:e}", system.name);
    });
}

#[test]
fn multipliers_of_the_penalty_formulation_approach_the_exact_ones() {
    on_constraints(133, |system, mode, x| {
        if mode.independent.len() < mode.rows {
            return;
        }
        let exact = multipliers(system, Multipliers, mode, x);
        let error = |alpha| {
            let factors = PenaltyFactors {
                alpha,
                augmented: 0,
                ..PENALTY
            };
            distance(&exact, &multipliers(system, Penalty(factors), mode, x)) / size(&exact)
        };
        let (coarse, fine) = (error(1e5), error(1e6));
        assert!(
            coarse < 0.3 && (coarse / fine - 10.0).abs() < 1.5,
            "{}: {coarse:e} and {fine:e}",
            system.name
        );
    });
}

#[test]
fn off_the_constraints_an_error_decays_with_the_given_frequency_and_damping() {
    // c'' + 2 xi omega c' + omega^2 c = 0 in the limit of a large factor.
    let factors = PenaltyFactors { alpha: 1e9, ..PENALTY };
    for system in systems()
        .iter()
        .filter(|system| system.name == "four-bar" || system.name == "in space")
    {
        let (x, mode) = system.off(&mut system.random(134));
        let mechanism = system.mechanism(Penalty(factors));
        let mut workspace = mechanism.workspace();
        mechanism
            .evaluate_motion(At::new(system.t, &mode, &x), false, &mut workspace)
            .expect("it moves");
        let terms = &workspace.terms;
        for row in 0..mode.rows {
            let along: f64 = terms.jacobian.row(row).dot(&workspace.a);
            let second = along + terms.gamma[row];
            let expected = -2.0 * factors.xi * factors.omega * terms.rate[row] - factors.omega.powi(2) * terms.c[row];
            assert!(
                (second - expected).abs() < 1e-5 * (1.0 + expected.abs()),
                "{} row {row}: {second} {expected}",
                system.name
            );
        }
    }
}
