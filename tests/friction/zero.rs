//! Derivatives by coefficients of friction that are zero: there are motions with more of it only.

use costate::run::{Changes, Method};
use costate::scene::schema::FormulationKind::{Multipliers, Nullspace, Stabilized};

use super::support::{certified, close, experiment, objective, planar, run, spatial};

/// A pendulum that falls onto a stop and comes back from it.
fn pendulum(mu: f64) -> String {
    planar(
        0.6,
        &format!(
            r#"parameters: {{ "mu": {mu}, "e": 0.5 }}, gravity: [0, -9.81],
            ground: {{ "O": [0, 0] }},
            bodies: {{ "b": Rigid(mass: 1, inertia: 0.1, centre: [0.5, 0], guess: [0, 0, 0.4], hold: [Angle]) }},
            joints: {{ "pin": Revolute(between: ("O", "b.origin"), friction: Reaction(coefficient: "mu", radius: 0.05)) }},
            contacts: {{ "stop": Limit(of: Angle("b"), at_least: -0.3, law: Restitution("e")) }},
            objectives: {{ "a": Final("b.angle"), "E": Final("energy.total") }},"#
        ),
    )
}

#[test]
fn a_pin_without_friction_that_is_struck_has_the_derivative_from_above() {
    // Impacts left it out: -0.022 and -0.110.
    let gradient = experiment(&pendulum(0.0), &Changes::default())
        .gradient(Method::Forward)
        .unwrap();
    for (k, name) in ["a", "E"].into_iter().enumerate() {
        let [here, near, far] = [0.0, 1e-5, 2e-5].map(|mu| objective(&run(&pendulum(mu)), name));
        let quotient = (4.0 * near - 3.0 * here - far) / 2e-5;
        assert!(quotient.abs() > 0.1);
        close(name, gradient.objectives[k].gradient[0], quotient, 1e-7);
    }
    for formulation in [Nullspace, Multipliers, Stabilized] {
        certified(&pendulum(0.0), formulation);
    }
}

#[test]
fn what_is_struck_where_friction_cannot_take_part_has_no_derivative_by_its_coefficient() {
    // A shaft with friction that is struck is refused. Without friction it is not, and its derivatives were those of friction everywhere
    // but in the impact.
    let text = spatial(
        0.6,
        r#"parameters: { "mu": 0.0, "e": 0.5 }, gravity: [0, 0, -9.81],
        ground: { "O": [0, 0, 0] },
        bodies: { "b": Solid(mass: 1, inertia: [0.1, 0.1, 0.1, 0, 0, 0], centre_of_mass: [0.5, 0, 0], guess: [0, 0, 0]) },
        joints: { "shaft": Cylindrical(between: ("O", "b.origin"), axis: [0, 1, 0], angle: 0.1, position: 0, velocity: 0.2,
            friction: Reaction(coefficient: "mu", radius: 0.05, length: 0.2)) },
        contacts: { "stop": Limit(of: Coordinate("shaft.angle"), at_most: 0.6, law: Restitution("e")) },
        objectives: { "a": Final("shaft.angle") },"#,
    );
    for method in [Method::Adjoint, Method::Forward] {
        let report = experiment(&text, &Changes::default()).gradient(method).unwrap();
        let reason = report.no_derivative(0, 0).expect("none by mu");
        assert!(reason.contains("an impact acts on \"shaft\" at t = 0.27"), "{reason}");
        assert_eq!(report.no_derivative(0, 1), None, "by e there is one");
        assert!(report.objectives[0].gradient[1].abs() > 0.1);
    }
}
