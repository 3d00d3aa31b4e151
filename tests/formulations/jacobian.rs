//! The derivative of the flow by the state: every column against dual numbers through the plain equations, and against
//! differences.

use costate::formulation::PenaltyFactors;
use costate::hybrid::{At, HybridSystem};
use costate::mechanism::FormulationChoice::{self, Multipliers, Nullspace, Penalty};
use costate::model::Mode;
use costate::scalar::Dual64;

use super::reference;
use super::systems::{PENALTY, System, systems};
use crate::element_support::{distance, size, slope};

/// Rounding of a Jacobian, over its size.
const ROUNDING: f64 = 1e-13;

/// Columns of dF/dx by dual numbers.
fn by_duals(system: &System, formulation: FormulationChoice, mode: &Mode, x: &[f64]) -> Vec<Vec<f64>> {
    let mechanism = system.mechanism(formulation);
    let column = |j: usize| {
        let x: Vec<Dual64> = x
            .iter()
            .enumerate()
            .map(|(i, x)| Dual64::new(*x, f64::from(u8::from(i == j))))
            .collect();
        let dx = reference::flow(&mechanism, Dual64::from(system.t), mode, &x);
        dx.iter().map(|dx| dx.eps).collect()
    };
    (0..x.len()).map(column).collect()
}

/// Columns of dF/dx by differences of the flow.
fn by_differences(system: &System, formulation: FormulationChoice, mode: &Mode, x: &[f64]) -> Vec<Vec<f64>> {
    let mechanism = system.mechanism(formulation);
    let mut workspace = mechanism.workspace();
    let mut column = |j: usize| {
        slope(5e-4, |s| {
            let mut moved = x.to_vec();
            moved[j] += s;
            let mut dx = vec![0.0; x.len()];
            mechanism
                .flow(At::new(system.t, mode, &moved), &mut workspace, &mut dx)
                .expect("it flows");
            dx
        })
    };
    (0..x.len()).map(&mut column).collect()
}

/// Columns of dF/dx from the system.
fn by_system(system: &System, formulation: FormulationChoice, mode: &Mode, x: &[f64]) -> Vec<Vec<f64>> {
    let mechanism = system.mechanism(formulation);
    let n = x.len();
    let mut jacobian = vec![f64::NAN; n * n];
    let mut workspace = mechanism.workspace();
    mechanism
        .flow_jacobian(At::new(system.t, mode, x), &mut workspace, &mut jacobian)
        .expect("it has a Jacobian");
    (0..n).map(|j| (0..n).map(|i| jacobian[i * n + j]).collect()).collect()
}

fn check(system: &System, formulation: FormulationChoice, mode: &Mode, x: &[f64], place: &str) {
    let what = format!("{} {formulation:?} {place} the constraints", system.name);
    let found = by_system(system, formulation, mode, x).concat();
    let exact = by_duals(system, formulation, mode, x).concat();
    let quotient = by_differences(system, formulation, mode, x).concat();
    let scale = size(&exact);
    let (from_exact, from_quotient) = (distance(&found, &exact), distance(&found, &quotient));
    assert!(scale >= 1.0, "{what}: zero");
    assert!(
        from_exact <= 1e-10 * scale,
        "{what}: {from_exact:e} from the exact one, size {scale:e}"
    );
    assert!(
        from_quotient <= 1e-6 * scale,
        "{what}: {from_quotient:e} from the quotient, size {scale:e}"
    );
    // Beyond the rounding of stiff systems, the exact one is nearer.
    assert!(
        from_exact <= from_quotient.max(ROUNDING * scale),
        "{what}: {from_exact:e} from exact, {from_quotient:e} from the quotient"
    );
}

#[test]
fn on_the_constraints_the_state_jacobian_is_the_derivative_of_the_flow() {
    for system in systems().iter().filter(|system| system.closed) {
        let mut random = system.random(111);
        for formulation in [Nullspace, Multipliers, Penalty(PENALTY)] {
            let (x, mode) = system.on(&mut random);
            check(system, formulation, &mode, &x, "on");
        }
    }
}

#[test]
fn off_the_constraints_the_state_jacobian_is_the_derivative_of_the_flow() {
    let augmented = PenaltyFactors {
        augmented: 0,
        xi: 1.3,
        ..PENALTY
    };
    for system in systems() {
        let mut random = system.random(112);
        for formulation in [Nullspace, Multipliers, Penalty(augmented)] {
            let (x, mode) = system.off(&mut random);
            check(&system, formulation, &mode, &x, "off");
        }
    }
}

#[test]
fn with_augmented_iterations_the_jacobian_is_as_exact_as_they_leave_the_constraints() {
    // The iterations share one linearization: their derivative is wrong by a power of what a single one leaves.
    let all = systems();
    let system = all
        .iter()
        .find(|system| system.name == "four-bar")
        .expect("it is there");
    let mut random = system.random(113);
    for (alpha, augmented) in [(1e3, 1), (1e3, 2), (1e5, 1), (1e5, 2), (1e7, 1)] {
        let factors = PenaltyFactors {
            alpha,
            augmented,
            ..PENALTY
        };
        let (x, mode) = system.on(&mut random);
        let found = by_system(system, Penalty(factors), &mode, &x).concat();
        let quotient = by_differences(system, Penalty(factors), &mode, &x).concat();
        let plain = by_system(
            system,
            Penalty(PenaltyFactors {
                augmented: 0,
                ..factors
            }),
            &mode,
            &x,
        )
        .concat();
        let [error, change] = [&quotient, &plain].map(|other| distance(&found, other) / size(&found));
        assert!(
            change > 0.1 / alpha,
            "{alpha:e} {augmented}: the iteration changes nothing"
        );
        assert!(
            error <= change.powi(augmented as i32 + 1).max(1e-11),
            "{alpha:e} {augmented}: {error:e}, change {change:e}"
        );
    }
}

#[test]
fn memory_and_quadratures_are_among_the_columns_and_rows() {
    let (mut remembered, mut integrated) = (0, 0);
    for system in systems() {
        let mechanism = system.mechanism(Nullspace);
        let (x, mode) = system.off(&mut system.random(114));
        let columns = by_system(&system, Nullspace, &mode, &x);
        let end = mechanism.quadratures().end;
        let felt = columns[end..]
            .iter()
            .filter(|column| size(&column[..end]) > 1e-3)
            .count();
        remembered = remembered.max(felt);
        let mut rows = mechanism.quadratures();
        if rows.all(|row| columns.iter().any(|column| column[row].abs() > 1e-6)) && !mechanism.quadratures().is_empty()
        {
            integrated += 1;
        }
        assert!(
            columns[mechanism.quadratures()]
                .iter()
                .all(|column| size(column) == 0.0),
            "{}",
            system.name
        );
        assert!(
            columns.iter().all(|column| size(&column[end..]) == 0.0),
            "{}: memory flows",
            system.name
        );
    }
    assert!(
        remembered >= 4 && integrated >= 5,
        "{remembered} memory columns, {integrated} systems with quadratures"
    );
}
