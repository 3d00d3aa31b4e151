//! The derivative of the flow in descriptor form is that by columns: what solves the sparse systems solves the dense ones.

use costate::formulation::Elimination;
use costate::hybrid::{At, HybridSystem};
use costate::linear::{Descriptor, Shifted};
use costate::mechanism::FormulationChoice::{Multipliers, Nullspace};

use super::systems::systems;
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
        for formulation in [Nullspace, Multipliers] {
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
