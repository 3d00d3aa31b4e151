//! Initial velocities of joints that are held, or free.

use costate::run::Method;

use crate::support::{close, experiment, objective, report, spatial, tight};

/// A fork on a cross, whose axes are x and y at the start, with these parameters, rates about them and angular velocity.
fn fork(parameters: &str, rates: &str, angular_velocity: &str) -> String {
    let fields = format!(
        r#"parameters: {{ {parameters} }}, ground: {{ "A": [0, 0, 0] }},
        bodies: {{ "fork": Solid(mass: 1, inertia: [0.1, 0.2, 0.3, 0, 0, 0], guess: [0, 0, 0], angular_velocity: {angular_velocity}) }},
        joints: {{ "cross": Universal(between: ("A", "fork.origin"), axes: ([1, 0, 0], [0, 1, 0]), angles: (0, 0), angular_velocities: {rates}) }},
        objectives: {{ "first": Final("cross.omega_1"), "second": Final("cross.omega_2") }},"#
    );
    spatial(1e-9, &fields)
}

#[test]
fn either_rate_of_a_cross_may_be_free() {
    for (rates, angular_velocity) in [
        (r#"("free", "w")"#, r#"["v", "free", "free"]"#),
        (r#"("v", "free")"#, r#"["free", "w", "free"]"#),
        (r#"("free", "free")"#, r#"["v", "w", "free"]"#),
    ] {
        let text = fork(r#""v": 0.7, "w": 0.2"#, rates, angular_velocity);
        let experiment = experiment(&text, &tight());
        let found = report(&experiment);
        close("first", objective(&found, "first"), 0.7, 1e-8);
        close("second", objective(&found, "second"), 0.2, 1e-8);
        let gradient = experiment.gradient(Method::Adjoint).unwrap();
        for (objective, wanted) in gradient.objectives.iter().zip([[1.0, 0.0], [0.0, 1.0]]) {
            for (slope, wanted) in objective.gradient.iter().zip(wanted) {
                close(rates, *slope, wanted, 1e-8);
            }
        }
    }
}

#[test]
fn a_parameter_of_the_name_free_is_a_number() {
    let text = fork(r#""free": 0.4"#, r#"("free", 0.2)"#, r#"[0.4, 0.2, 0]"#);
    close(
        "first",
        objective(&report(&experiment(&text, &tight())), "first"),
        0.4,
        1e-8,
    );
}
