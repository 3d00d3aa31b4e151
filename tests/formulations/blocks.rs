//! Elimination by blocks solves what QR and LU solve, whatever the mechanism, with the same derivatives.

use costate::formulation::Elimination;
use costate::hybrid::{At, Cotangents, Differentiable, HybridSystem, Tangent};
use costate::mechanism::FormulationChoice::{self, Multipliers, Nullspace, Penalty};
use costate::mechanism::Mechanism;
use costate::model::Mode;

use super::agreement::each_state;
use super::systems::{PENALTY, System, systems};
use crate::element_support::{Random, distance, size, slope};

fn by_blocks(system: &System, formulation: FormulationChoice) -> Mechanism {
    let mut mechanism = system.mechanism(formulation);
    mechanism.choices.by = Elimination::Blocks;
    mechanism
}

fn assert_near(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    let (apart, scale) = (distance(found, expected), size(expected).max(1.0));
    assert!(apart <= tolerance * scale, "{what}: {apart:e} of {scale:e}");
}

/// The small parts of the squeezer make its system worse conditioned.
fn tolerance(system: &System) -> f64 {
    if system.name.starts_with("andrews") {
        1e-10
    } else {
        1e-11
    }
}

#[test]
fn accelerations_and_multipliers_are_those_of_the_dense_solution() {
    let mut light = 0;
    each_state(201, |system, mode, x| {
        for formulation in [Nullspace, Multipliers, Penalty(PENALTY)] {
            let at = At::new(system.t, mode, x);
            let found = [system.mechanism(formulation), by_blocks(system, formulation)].map(|mechanism| {
                let mut workspace = mechanism.workspace();
                let result = mechanism.evaluate_motion(at, true, &mut workspace);
                result.unwrap_or_else(|error| panic!("{}: {error}", system.name));
                let mass = &workspace.terms.mass;
                light += usize::from((0..mass.len()).any(|i| mass.row(i).entry(i) == 0.0));
                (workspace.a.clone(), workspace.lambda[..mode.rows].to_vec())
            });
            let [(a, lambda), (b, mu)] = found;
            assert_near(&system.name, &b, &a, tolerance(system));
            assert_near(&system.name, &mu, &lambda, 1e1 * tolerance(system));
        }
    });
    assert!(light > 0, "no system has coordinates without mass");
}

fn flow(mechanism: &Mechanism, t: f64, mode: &Mode, x: &[f64]) -> Vec<f64> {
    let mut dx = vec![0.0; x.len()];
    let mut workspace = mechanism.workspace();
    mechanism
        .flow(At::new(t, mode, x), &mut workspace, &mut dx)
        .expect("it flows");
    dx
}

fn direction(system: &System, x: &[f64], random: &mut Random) -> Vec<f64> {
    let memory = x.len() - system.model.memory.len();
    (0..x.len())
        .map(|i| if i < memory { random.unit() } else { 0.0 })
        .collect()
}

#[test]
fn derivatives_are_those_of_the_flow_on_and_off_the_constraints() {
    let mut random = Random::new(202);
    each_state(203, |system, mode, x| {
        for formulation in [Nullspace, Multipliers, Penalty(PENALTY)] {
            let mechanism = by_blocks(system, formulation);
            let (dx, still) = (direction(system, x, &mut random), vec![0.0; mechanism.numbers()]);
            let mut workspace = mechanism.workspace();
            let at = At::new(system.t, mode, x);
            mechanism.linearize(at, &mut workspace).expect("it flows");
            let mut along = vec![0.0; x.len()];
            mechanism.flow_jvp(at, &Tangent::new(0.0, &dx, &still), &mut workspace, &mut along);
            let quotient = slope(5e-5, |s| {
                let moved: Vec<f64> = x.iter().zip(&dx).map(|(x, dx)| x + s * dx).collect();
                flow(&mechanism, system.t, mode, &moved)
            });
            assert_near(&format!("{} {formulation:?}", system.name), &along, &quotient, 1e-6);
        }
    });
}

#[test]
fn the_transposed_derivative_is_that_of_the_tangent() {
    for system in systems().iter().filter(|system| system.closed) {
        for formulation in [Nullspace, Penalty(PENALTY)] {
            transpose_is_that_of_the_tangent(system, &by_blocks(system, formulation));
        }
    }
}

fn transpose_is_that_of_the_tangent(system: &System, mechanism: &Mechanism) {
    let mut random = system.random(204);
    let (x, mode) = system.on(&mut random);
    let mut workspace = mechanism.workspace();
    let at = At::new(system.t, &mode, &x);
    let dx = direction(system, &x, &mut random);
    // Those that no parameter feeds have no gradient.
    let fed = |number: usize| f64::from(u8::from(system.model.is_fed(number)));
    let numbers: Vec<f64> = (0..mechanism.numbers())
        .map(|number| fed(number) * random.unit())
        .collect();
    let mu: Vec<f64> = x.iter().map(|_| random.unit()).collect();
    let mut along = vec![0.0; x.len()];
    mechanism.linearize(at, &mut workspace).expect("it flows");
    mechanism.flow_jvp(at, &Tangent::new(0.0, &dx, &numbers), &mut workspace, &mut along);
    let (mut x_bar, mut numbers_bar) = (vec![0.0; x.len()], vec![0.0; numbers.len()]);
    let cotangents = Cotangents::new(&mut x_bar, &mut numbers_bar);
    mechanism.flow_vjp(at, &mu, &mut workspace, cotangents);
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let (forth, back) = (dot(&mu, &along), dot(&x_bar, &dx) + dot(&numbers_bar, &numbers));
    let scale = size(&along).max(size(&x_bar)).max(1.0);
    assert!((forth - back).abs() < 1e-10 * scale, "{}: {forth} {back}", system.name);
}

#[test]
fn projection_and_its_derivatives_are_those_of_qr() {
    for system in systems().iter().filter(|system| system.closed) {
        let mut random = system.random(205);
        let (x, mode) = system.on(&mut random);
        let off: Vec<f64> = x.iter().map(|x| x + 1e-5 * random.unit()).collect();
        let dx = direction(system, &x, &mut random);
        let found = [system.mechanism(Nullspace), by_blocks(system, Nullspace)].map(|mechanism| {
            let mut workspace = mechanism.workspace();
            let mut projected = off.clone();
            let moved = mechanism.project(system.t, &mode, &mut projected, &mut workspace);
            assert!(moved.is_ok(), "{}", system.name);
            let at = At::new(system.t, &mode, &x);
            let mut along = dx.clone();
            let numbers = vec![0.0; mechanism.numbers()];
            mechanism.linearize_projection(at, &mut workspace);
            mechanism.project_jvp(at, &mut along, &numbers, &mut workspace);
            let (mut mu, mut numbers_bar) = (dx.clone(), numbers.clone());
            mechanism.project_vjp(at, &mut mu, &mut numbers_bar, &mut workspace);
            (projected, along, mu, numbers_bar)
        });
        let [dense, blocks] = found;
        assert_near(&system.name, &blocks.0, &dense.0, 1e-11);
        for (found, expected) in [(&blocks.1, &dense.1), (&blocks.2, &dense.2), (&blocks.3, &dense.3)] {
            assert_near(&system.name, found, expected, 1e-9);
        }
    }
}
