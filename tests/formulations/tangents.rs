//! Derivatives along several directions at once are those along each of them.

use costate::formulation::{Elimination, PenaltyFactors};
use costate::hybrid::{At, Cotangents, Differentiable, HybridSystem, Tangent, Tangents};
use costate::linear::lanes;
use costate::mechanism::FormulationChoice::{self, Multipliers, Nullspace, Penalty};
use costate::mechanism::Mechanism;
use costate::model::Mode;

use super::agreement::each_state;
use super::systems::{PENALTY, System};
use crate::element_support::{Random, distance, size};

/// Mechanisms of a system under each formulation, by QR and by blocks.
fn mechanisms(system: &System) -> Vec<Mechanism> {
    let augmented = PenaltyFactors {
        augmented: 0,
        ..PENALTY
    };
    let dense = [Nullspace, Multipliers, Penalty(PENALTY), Penalty(augmented)].map(|choice| system.mechanism(choice));
    let sparse = [Nullspace, Multipliers].map(|choice: FormulationChoice| {
        let mut mechanism = system.mechanism(choice);
        mechanism.choices.by = Elimination::Blocks;
        mechanism
    });
    dense.into_iter().chain(sparse).collect()
}

/// Directions in the state and in the numbers; every third leaves the state alone, as the derivative by a mass does at first.
fn directions(mechanism: &Mechanism, x: &[f64], count: usize, random: &mut Random) -> (Vec<f64>, Vec<Vec<f64>>) {
    let of_x = (0..count * x.len()).map(|i| if i / x.len() % 3 == 2 { 0.0 } else { random.unit() });
    let of_x = of_x.collect();
    // Derivatives by numbers that no parameter feeds may be left out.
    let model = &mechanism.model;
    let mut number = |i: usize| {
        if model.is_fed(i) {
            model.numbers[i].value * random.unit()
        } else {
            0.0
        }
    };
    let numbers = (0..count).map(|_| (0..mechanism.numbers()).map(&mut number).collect());
    (of_x, numbers.collect())
}

fn check(system: &System, mechanism: &Mechanism, mode: &Mode, x: &[f64], count: usize, random: &mut Random) {
    let (n, at) = (x.len(), At::new(system.t, mode, x));
    let (of_x, numbers) = directions(mechanism, x, count, random);
    let tangents = Tangents {
        x: &of_x,
        numbers: &numbers,
        lanes: &lanes(&numbers),
    };
    let mut workspace = mechanism.workspace();
    let (mut dx, mut slopes) = (vec![f64::NAN; n], vec![f64::NAN; of_x.len()]);
    mechanism
        .flow_tangents(at, &tangents, &mut workspace, (&mut dx, &mut slopes), &mut Vec::new())
        .expect("it flows");
    let mut flow = vec![0.0; n];
    mechanism.flow(at, &mut workspace, &mut flow).expect("it flows");
    let what = format!(
        "{} {:?} {:?}",
        system.name, mechanism.choices.formulation, mechanism.choices.by
    );
    assert!(distance(&dx, &flow) <= 1e-13 * size(&flow), "{what}: another flow");
    mechanism.linearize(at, &mut workspace).expect("it flows");
    for ((s, numbers), found) in of_x.chunks(n).zip(&numbers).zip(slopes.chunks(n)) {
        let mut expected = vec![0.0; n];
        mechanism.flow_jvp(at, &Tangent::new(0.0, s, numbers), &mut workspace, &mut expected);
        let (apart, scale) = (distance(found, &expected), size(&expected).max(1.0));
        assert!(apart <= 1e-10 * scale, "{what}: {apart:e} of {scale:e}");
    }
}

#[test]
fn along_several_directions_the_flow_changes_as_along_each() {
    let mut random = Random::new(301);
    each_state(302, |system, mode, x| {
        for (k, mechanism) in mechanisms(system).iter().enumerate() {
            check(system, mechanism, mode, x, [1, 4, 7][k % 3], &mut random);
        }
    });
}

#[test]
fn along_several_directions_the_projection_ends_on_the_joints() {
    let mut random = Random::new(303);
    let mut moved = 0;
    each_state(304, |system, mode, x| {
        if !system.closed {
            return;
        }
        for mechanism in mechanisms(system).iter().filter(|mechanism| mechanism.projects(mode)) {
            let mut workspace = mechanism.workspace();
            let mut projected = x.to_vec();
            if system.closed
                && mechanism
                    .project(system.t, mode, &mut projected, &mut workspace)
                    .is_err()
            {
                continue;
            }
            let (mut along, numbers) = directions(mechanism, x, 5, &mut random);
            let before = along.clone();
            let at = At::new(system.t, mode, &projected);
            mechanism.linearize_projection(at, &mut workspace);
            mechanism.project_tangents(at, &mut along, (&numbers, &lanes(&numbers)), &mut workspace);
            for ((found, s), numbers) in along.chunks(x.len()).zip(before.chunks(x.len())).zip(&numbers) {
                // A second projection changes nothing.
                let mut again = found.to_vec();
                mechanism.project_jvp(at, &mut again, numbers, &mut workspace);
                let scale = size(found).max(1.0);
                let apart = distance(&again, found);
                assert!(apart <= 1e-10 * scale, "{}: {apart:e} of {scale:e}", system.name);
                moved += usize::from(distance(found, s) > 1e-3);
            }
        }
    });
    assert!(moved > 0, "nothing was to be projected");
}

/// Several costates at once, with those of the integrands among them, against each alone.
fn check_costates(
    system: &System,
    mechanism: &Mechanism,
    (mode, x): (&Mode, &[f64]),
    count: usize,
    random: &mut Random,
) {
    let (n, numbers, at) = (x.len(), mechanism.numbers(), At::new(system.t, mode, x));
    let mu: Vec<f64> = (0..count * n).map(|_| random.unit()).collect();
    let mut workspace = mechanism.workspace();
    mechanism.linearize(at, &mut workspace).expect("it flows");
    // Both are added to what is there.
    let (mut x_bar, mut numbers_bar) = (vec![1.0; count * n], vec![1.0; count * numbers]);
    mechanism.flow_vjps(at, &mu, &mut workspace, (&mut x_bar, &mut numbers_bar));
    let compare = |what: &str, k: usize, found: &[f64], expected: &[f64]| {
        let (apart, scale) = (distance(found, expected), size(expected).max(1.0));
        let system = format!("{} {:?}", system.name, mechanism.choices);
        assert!(
            apart <= 1e-11 * scale,
            "{system}: {what} of {k} of {count}: {apart:e} of {scale:e}"
        );
    };
    for k in 0..count {
        let (mut x_expected, mut expected) = (vec![1.0; n], vec![1.0; numbers]);
        let cotangents = Cotangents::new(&mut x_expected, &mut expected);
        mechanism.flow_vjp(at, &mu[k * n..][..n], &mut workspace, cotangents);
        compare("costate", k, &x_bar[k * n..][..n], &x_expected);
        compare("gradient", k, &numbers_bar[k * numbers..][..numbers], &expected);
    }
    let (mut projected, mut moved) = (mu.clone(), vec![1.0; count * numbers]);
    mechanism.linearize_projection(at, &mut workspace);
    mechanism.project_vjps(at, (&mut projected, &mut moved), &mut workspace);
    for k in 0..count {
        let (mut x_expected, mut expected) = (mu[k * n..][..n].to_vec(), vec![1.0; numbers]);
        mechanism.project_vjp(at, &mut x_expected, &mut expected, &mut workspace);
        compare("projected costate", k, &projected[k * n..][..n], &x_expected);
        compare(
            "what the projection moves",
            k,
            &moved[k * numbers..][..numbers],
            &expected,
        );
    }
}

#[test]
fn several_costates_are_carried_as_each_alone() {
    let mut random = Random::new(303);
    each_state(304, |system, mode, x| {
        for (k, mechanism) in mechanisms(system).iter().enumerate() {
            check_costates(system, mechanism, (mode, x), [2, 4, 7][k % 3], &mut random);
        }
    });
}
