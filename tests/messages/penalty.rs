//! What the factors of the penalty formulation mean: the same for mechanisms of any mass and size.

use costate::run::Report;
use costate::scene::schema::FormulationKind;

use crate::support::*;

/// A closed four-bar chain that falls, with lengths in units of `length` and masses in units of `mass`.
fn chain(mass: f64, length: f64, penalty: &str) -> String {
    format!(
        r#"Scene(name: "test", space: Planar,
        parameters: {{ "m": {mass:?}, "l": {length:?} }},
        gravity: [0, "-9.81*l"],
        ground: {{ "A": [0, 0], "B": ["3*l", 0] }},
        points: {{ "P": (at: ["l", 0]), "Q": (guess: ["2.5*l", "l"], mass: "m") }},
        bodies: {{
            "crank": Bar(from: "A", to: "P", length: "l", mass: "2*m"),
            "coupler": Bar(from: "P", to: "Q", length: "2*l", mass: "m"),
            "rocker": Bar(from: "B", to: "Q", length: "1.8*l", mass: "m"),
        }},
        outputs: {{ "x": "Q.x/l", "y": "Q.y/l", "vx": "Q.vx/l" }},
        simulation: (duration: 2, rtol: 1e-11, atol: {:e}, formulation: Penalty, penalty: ({penalty})))"#,
        1e-12 * length
    )
}

fn under_penalty(mass: f64, length: f64, penalty: &str) -> Report {
    report(&experiment(&chain(mass, length, penalty), &Default::default()))
}

/// Largest difference from the null-space formulation, in units of the length.
fn error(mass: f64, length: f64, penalty: &str) -> f64 {
    let changes = costate::run::Changes {
        formulation: Some(FormulationKind::Nullspace),
        ..Default::default()
    };
    let exact = report(&experiment(&chain(mass, length, penalty), &changes)).outputs;
    let outputs = under_penalty(mass, length, penalty).outputs;
    let differences = exact.iter().zip(&outputs).map(|((_, a), (_, b))| (a - b).abs());
    differences.fold(0.0, f64::max)
}

#[test]
fn the_error_of_the_plain_penalty_is_the_same_for_every_mass_and_size() {
    let plain = "augmented: 0";
    let usual = error(1.0, 1.0, plain);
    assert!(usual > 1e-9 && usual < 1e-5, "{usual:e}");
    for (mass, length) in [(1e-3, 1.0), (1e3, 1.0), (1.0, 1e-3), (1.0, 1e3), (1e-3, 1e-3)] {
        let other = error(mass, length, plain);
        assert!(
            (other / usual - 1.0).abs() < 1e-2,
            "{other:e} instead of {usual:e} for {mass} kg, {length} m"
        );
    }
}

#[test]
fn the_default_factors_leave_an_error_below_that_of_the_integration() {
    let found = error(1.0, 1e-3, "");
    assert!(found < 1e-8, "{found:e}");
}

#[test]
fn constraints_that_open_by_much_are_remarked_and_others_are_not() {
    assert_eq!(under_penalty(1.0, 1.0, "").remarks, Vec::<String>::new());
    for length in [1.0, 1e-3] {
        let report = under_penalty(1.0, length, "factor: 1e3, augmented: 0");
        assert!(report.residuals.position > 1e-5 * length, "{:?}", report.residuals);
        assert!(
            report.remarks.iter().any(|remark| remark.contains("penalty")),
            "{:?}",
            report.remarks
        );
    }
}
