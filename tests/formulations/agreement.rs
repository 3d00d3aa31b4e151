//! Null space and multipliers solve the same equations, whatever the state.

use costate::hybrid::{At, HybridSystem};
use costate::mechanism::FormulationChoice::{self, Multipliers, Nullspace, Penalty};

use super::reference;
use super::systems::{PENALTY, System, systems};
use crate::element_support::{distance, size};
use costate::model::Mode;

/// Accelerations and multipliers.
fn solved(system: &System, formulation: FormulationChoice, mode: &Mode, x: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mechanism = system.mechanism(formulation);
    let mut workspace = mechanism.workspace();
    let result = mechanism.evaluate_motion(At::new(system.t, mode, x), true, &mut workspace);
    result.unwrap_or_else(|error| panic!("{}: {error}", system.name));
    (workspace.a.clone(), workspace.lambda[..mode.rows].to_vec())
}

/// Random states of all systems, on the constraints where they can be, and off.
pub fn each_state(seed: u64, mut visit: impl FnMut(&System, &Mode, &[f64])) {
    for system in systems() {
        let mut random = system.random(seed);
        for _ in 0..3 {
            if system.closed {
                let (x, mode) = system.on(&mut random);
                visit(&system, &mode, &x);
            }
            let (x, mode) = system.off(&mut random);
            visit(&system, &mode, &x);
        }
    }
}

#[test]
fn null_space_and_multipliers_give_the_same_accelerations_and_multipliers() {
    let mut moving = 0;
    each_state(101, |system, mode, x| {
        let (a, lambda) = solved(system, Nullspace, mode, x);
        let (b, mu) = solved(system, Multipliers, mode, x);
        moving += usize::from(size(&a) > 0.1 && size(&lambda) > 0.1);
        let (apart, error) = (distance(&a, &b), distance(&lambda, &mu));
        // The small parts of the squeezer make its system worse conditioned.
        let tolerance = if system.name.starts_with("andrews") {
            1e-11
        } else {
            1e-12
        };
        assert!(
            apart <= tolerance * size(&a),
            "{}: accelerations differ by {apart:e} of {:e}",
            system.name,
            size(&a)
        );
        assert!(
            error <= tolerance * size(&lambda),
            "{}: multipliers differ by {error:e} of {:e}",
            system.name,
            size(&mu)
        );
    });
    assert!(moving > 50, "{moving}");
}

#[test]
fn accelerations_and_multipliers_satisfy_the_equations_of_motion() {
    each_state(102, |system, mode, x| {
        let nv = system.model.nq();
        let mechanism = system.mechanism(Nullspace);
        let numbers: Vec<f64> = system
            .model
            .numbers
            .iter()
            .map(|n| n.value)
            .chain(x[mechanism.quadratures().end..].to_vec())
            .collect();
        let full = reference::terms(&mechanism, system.t, mode, &x[..nv], &x[nv..2 * nv], &numbers);
        for formulation in [Nullspace, Multipliers] {
            let (a, lambda) = solved(system, formulation, mode, x);
            for i in 0..nv {
                let inertia: f64 = full.mass[i].iter().zip(&a).map(|(m, a)| m * a).sum();
                let reaction: f64 = full
                    .jacobian
                    .iter()
                    .zip(&lambda)
                    .map(|(row, lambda)| row[i] * lambda)
                    .sum();
                let open = (inertia - full.force[i] - reaction).abs();
                let scale = size(&full.force) + size(&a) + size(&lambda);
                assert!(
                    open <= 1e-12 * scale,
                    "{} {formulation:?}: force {open:e} at {i} of {scale:e}",
                    system.name
                );
            }
            for &row in &mode.independent {
                let open: f64 = full.jacobian[row].iter().zip(&a).map(|(c, a)| c * a).sum::<f64>() + full.gamma[row];
                assert!(
                    open.abs() <= 1e-12 * (size(&a) + size(&full.gamma)),
                    "{} {formulation:?}: {open:e}",
                    system.name
                );
            }
        }
    });
}

#[test]
fn the_flow_is_that_of_the_plain_equations() {
    each_state(103, |system, mode, x| {
        for formulation in [Nullspace, Multipliers, Penalty(PENALTY)] {
            let mechanism = system.mechanism(formulation);
            let mut found = vec![f64::NAN; x.len()];
            let mut workspace = mechanism.workspace();
            mechanism
                .flow(At::new(system.t, mode, x), &mut workspace, &mut found)
                .expect("it flows");
            let expected = reference::flow(&mechanism, system.t, mode, x);
            let apart = distance(&found, &expected);
            assert!(
                apart <= 1e-11 * size(&expected),
                "{} {formulation:?}: {apart:e}",
                system.name
            );
        }
    });
}
