//! Slip that begins in space, by the default tolerances: its direction is regular only from a small speed on, where the flow is stiff.

use costate::run::{Changes, Method};
use costate::scene::schema::FormulationKind::{Index3, Nullspace};

use crate::support::{close, experiment, happenings, objective, planar, report, spatial, tight, under};

/// A ball that is pulled over a floor until it slips.
const PULLED: &str = r#"
    gravity: [0, 0, -9.81], parameters: { "ms": 0.45, "mu": 0.35, "a": 3.0, "b": 2.0 },
    bodies: { "ball": Solid(at: [0, 0, 0.1], mass: 1, inertia: [0.004, 0.004, 0.004, 0, 0, 0]) },
    forces: { "pull": Load(at: "ball.origin", force: ["4*a + 10*t", "5*b*t", 0]) },
    contacts: { "floor": Touch(point: "ball.origin", radius: 0.1, surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]),
        law: Friction(coefficient: "mu", static: "ms")) },
    objectives: { "energy": Final("energy.kinetic"), "heat": Integral("floor.heat") },
"#;

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
fn adjoint_gradients_are_as_good_as_those_forwards() {
    for (duration, text) in [(1.5, PULLED), (0.5, DOME)] {
        let text = spatial(duration, text);
        let of = |changes: &Changes, method| experiment(&text, changes).gradient(method).unwrap();
        let adjoint = of(&Changes::default(), Method::Adjoint);
        let reference = of(&tight(), Method::Forward);
        assert!(adjoint.events.iter().any(|(event, _)| event.kind == "slip"));
        for (found, wanted) in adjoint.objectives.iter().zip(&reference.objectives) {
            for (one, other) in found.gradient.iter().zip(&wanted.gradient) {
                let error = (one - other).abs() / other.abs();
                assert!(error < 3e-7, "{}: {one} {other} {error:e}", found.name);
            }
        }
    }
}

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

/// What slips from rest has no derivative by a velocity that it starts with, which is zero; by everything else it has.
#[test]
fn velocities_that_decide_the_direction_of_slip_are_refused() {
    let in_plane = |force: f64| {
        planar(
            1.0,
            &format!(
                r#"gravity: [0, -10], parameters: {{ "F": {force}, "v": 0.0, "mu": 0.3 }},
                points: {{ "P": (at: [0, 0], mass: 1, velocity: ["v", 0]) }},
                forces: {{ "pull": Load(at: "P", force: ["F", 0]) }},
                contacts: {{ "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: "mu")) }},
                objectives: {{ "x": Final("P.x") }},"#
            ),
        )
    };
    let in_space = spatial(
        1.0,
        r#"gravity: [0, 0, -10], parameters: { "F": 5.0, "v": 0.0, "mu": 0.3 },
        points: { "P": (at: [0, 0, 0], mass: 1, velocity: [0, "v", 0]) },
        forces: { "pull": Load(at: "P", force: ["F", 0, 0]) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: "mu")) },
        objectives: { "x": Final("P.x") },"#,
    );
    let of_a_joint = planar(
        1.0,
        r#"gravity: [0, -10], parameters: { "F": 5.0, "v": 0.0, "mu": 0.3 }, ground: { "O": [0, 0] },
        bodies: { "P": Rigid(mass: 1, inertia: 0.1, at: [0, 0, 0], velocity: ["v", 0, 0]) },
        joints: { "floor": Prismatic(between: ("O", "P.origin"), direction: [1, 0], friction: Reaction(coefficient: "mu", length: 0.1)) },
        forces: { "pull": Load(at: "P.origin", force: ["F", 0]) }, objectives: { "x": Final("P.x") },"#,
    );
    for text in [&in_plane(5.0), &in_space, &of_a_joint] {
        for method in [Method::Adjoint, Method::Forward] {
            let report = experiment(text, &Changes::default()).gradient(method).unwrap();
            let reason = report.undetermined_reason("v").unwrap_or_default();
            assert!(reason.contains("\"floor\" begins to slip from rest"), "{reason}");
            let slopes = &report.objectives[0].gradient;
            close("by F", slopes[0], 0.5, 1e-9);
            close("by mu", slopes[2], -5.0, 1e-9);
        }
    }
    // What sticks stops such a velocity at once.
    let sticks = experiment(&in_plane(1.0), &Changes::default())
        .gradient(Method::Adjoint)
        .unwrap();
    assert!(sticks.undetermined.is_empty());
    assert_eq!(sticks.objectives[0].gradient[1], 0.0);
}

/// A hysteretic spring turns round at the very instant at which slip begins, where the slip velocity is zero: what has just begun to slip goes
/// on, though its static limit is above what acts. The load 2 t + 2 sin(6 t) over a static limit of 2.2 lets it slip once in each of its three
/// rises.
#[test]
fn another_event_of_the_instant_does_not_end_slip_that_begins() {
    let text = planar(
        3.0,
        r#"ground: { "O": [0, 0] },
        points: { "P": (guess: [1, 0], hold: [X], mass: 1) },
        joints: { "g": PointOnLine(point: "P", line: Fixed(through: [0, 0], direction: [1, 0]), friction: Preload(kinetic: 1.5, static: 2.2)) },
        forces: {
            "l": Load(at: "P", force: ["2*t + 2*sin(6*t)", 0]),
            "hy": HystereticSpring(of: Coordinate("P.x"), natural: 1, ka: 20, kb: 5, alpha: 5),
        },"#,
    );
    for formulation in [Nullspace, Index3] {
        let found = report(&experiment(&text, &under(formulation)));
        let count = |kind| happenings(&found).iter().filter(|own| **own == ("g", kind)).count();
        assert_eq!((count("slip"), count("stick")), (3, 3), "{formulation:?}");
    }
}
