//! Slip that begins in space, by the default tolerances: its direction is regular only from a small speed on, where the flow is stiff.

use costate::run::Changes;
use costate::scene::schema::FormulationKind::{Index3, Nullspace};

use crate::support::{experiment, happenings, objective, report, spatial};

/// A ball that rolls down a dome until it slips.
const DOME: &str = r#"
    gravity: [0, 0, -9.81], parameters: { "mu": 0.35, "ms": 0.45, "v": 0.5, "J": 0.011 }, ground: { "O": [0, 0, 0] },
    bodies: { "ball": Solid(mass: 1.5, inertia: ["J", "J", "J", 0, 0, 0], at: ["0.92*sin(0.3)", 0, "0.92*cos(0.3)"],
        velocity: ["0.2*cos(0.3)", "v", "-0.2*sin(0.3)"], angular_velocity: [0.5, 4, 6]) },
    contacts: { "dome": Touch(point: "ball.origin", radius: 0.12, surface: Circle(centre: "O", radius: 0.8),
        law: Friction(coefficient: "mu", static: "ms")) },
    objectives: { "x": Final("ball.omega_x"), "y": Final("ball.omega_y"), "heat": Integral("dome.heat") },
"#;

#[test]
fn index_3_is_as_good_as_the_null_space() {
    let text = spatial(0.5, DOME);
    let of = |formulation| {
        let formulation = Some(formulation);
        report(&experiment(
            &text,
            &Changes {
                formulation,
                ..Changes::default()
            },
        ))
    };
    let (found, wanted) = (of(Index3), of(Nullspace));
    assert!(happenings(&found).contains(&("dome", "slip")));
    for name in ["x", "y", "heat"] {
        let [one, other] = [&found, &wanted].map(|report| objective(report, name));
        let error = (one - other).abs() / other.abs();
        assert!(error < 2e-8, "{name}: {one} {other} {error:e}");
    }
}
