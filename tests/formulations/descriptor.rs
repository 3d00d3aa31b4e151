//! The derivative of the flow in descriptor form is that by columns: what solves the sparse systems solves the dense ones.

use costate::formulation::Elimination;
use costate::hybrid::{At, HybridSystem};
use costate::integrate::{Hessenberg, StagePoint};
use costate::linear::{Descriptor, Shifted};
use costate::mechanism::FormulationChoice::{Index3, Multipliers, Nullspace, Penalty, Stabilized};

use super::systems::{PENALTY, systems};
use crate::element_support::{distance, size};

/// sigma x - J x, or sigma x + J^T x for costates.
fn shifted(jacobian: &[f64], sigma: f64, x: &[f64], of_costates: bool) -> Vec<f64> {
    let n = x.len();
    let entry = |i: usize, j: usize| match of_costates {
        false => jacobian[i * n + j],
        true => -jacobian[j * n + i],
    };
    let product = |i: usize| -> f64 { (0..n).map(|j| entry(i, j) * x[j]).sum() };
    (0..n).map(|i| sigma * x[i] - product(i)).collect()
}

#[test]
fn sparse_systems_have_the_solutions_of_the_dense_ones() {
    let (mut sparse, mut light, mut memory, mut integrals) = (0, 0, 0, 0);
    for system in systems().iter().filter(|system| system.closed) {
        let mut random = system.random(301);
        for formulation in [Nullspace, Multipliers, Penalty(PENALTY)] {
            let (x, mode) = system.on(&mut random);
            let mut mechanism = system.mechanism(formulation);
            mechanism.choices.by = Elimination::Blocks;
            let (mut workspace, n) = (mechanism.workspace(), x.len());
            let (at, mut descriptor) = (At::new(system.t, &mode, &x), Descriptor::default());
            let is_sparse = mechanism.flow_descriptor(at, &mut workspace, &mut descriptor);
            if !is_sparse.expect("it has a derivative") {
                continue;
            }
            sparse += 1;
            light += usize::from(!descriptor.touching.0.is_empty());
            memory += descriptor.memory.len();
            integrals += descriptor.integrands.len();
            let mut jacobian = vec![0.0; n * n];
            mechanism.flow_jacobian(at, &mut workspace, &mut jacobian).unwrap();
            for (sigma, of_costates) in [(30.0, false), (-30.0, true), (1e4, false)] {
                descriptor.of_costates = of_costates;
                let expected: Vec<f64> = (0..n).map(|_| random.unit()).collect();
                let right = shifted(&jacobian, sigma, &expected, of_costates);
                let (mut factors, mut found) = (Shifted::default(), right.clone());
                assert!(factors.factor(&descriptor, sigma), "{}", system.name);
                factors.solve(&descriptor, &mut found);
                let rest = distance(&shifted(&jacobian, sigma, &found, of_costates), &right);
                let name = format!("{} {formulation:?} {sigma} {of_costates}", system.name);
                assert!(rest < 1e-9 * size(&right), "{name}: {rest:e} of {:e}", size(&right));
            }
        }
    }
    let seen = [sparse, light, memory, integrals];
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}

/// x, (sigma E + J) x by dense matrices, and what the sparse ones make of that; none where there are no sparse ones.
fn solved(equations: &mut dyn Hessenberg, point: &StagePoint, sigma: f64, x: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
    let (n, mut descriptor) = (x.len(), Descriptor::default());
    let (mut inertia, mut jacobian) = (vec![0.0; n * n], vec![0.0; n * n]);
    equations
        .linearize(point, &mut inertia, &mut jacobian)
        .expect("a derivative");
    if !equations.descriptor(point, &mut descriptor).expect("a derivative") {
        return None;
    }
    let times = |x: &[f64]| -> Vec<f64> {
        let entry = |i: usize, j: usize| sigma * inertia[i * n + j] + jacobian[i * n + j];
        (0..n).map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum()).collect()
    };
    let right = times(x);
    let (mut factors, mut found) = (Shifted::default(), right.clone());
    assert!(factors.factor(&descriptor, sigma));
    factors.solve_equations(&descriptor, &mut found);
    Some((times(&found), right))
}

#[test]
fn sparse_steps_of_differential_algebraic_equations_are_the_dense_ones() {
    let mut seen = 0;
    for system in systems().iter().filter(|system| system.closed && system.mode.rows > 0) {
        let mut random = system.random(302);
        for formulation in [Index3, Stabilized] {
            let (x, mode) = system.on(&mut random);
            let mut mechanism = system.mechanism(formulation);
            mechanism.choices.by = Elimination::Blocks;
            let (mut workspace, mut rate) = (mechanism.workspace(), vec![0.0; x.len()]);
            let at = At::new(system.t, &mode, &x);
            mechanism.flow(at, &mut workspace, &mut rate).expect("it flows");
            mechanism
                .hessenberg(&mode, &mut workspace, &mut |equations| {
                    let structure = equations.structure();
                    let mut multipliers = vec![0.0; structure.multipliers];
                    equations.multipliers(system.t, &x, &mut multipliers)?;
                    let point = StagePoint {
                        t: system.t,
                        x: &x,
                        rate: &rate[..structure.coupled],
                        multipliers: &multipliers,
                    };
                    for sigma in [30.0, 1e4] {
                        let unknowns: Vec<f64> = (0..structure.unknowns()).map(|_| random.unit()).collect();
                        let Some((found, right)) = solved(equations, &point, sigma, &unknowns) else {
                            continue;
                        };
                        seen += 1;
                        let (rest, name) = (distance(&found, &right), &system.name);
                        assert!(rest < 1e-8 * size(&right), "{name} {formulation:?} {sigma}: {rest:e}");
                    }
                    Ok(())
                })
                .expect("equations");
        }
    }
    assert!(seen > 10, "{seen}");
}
