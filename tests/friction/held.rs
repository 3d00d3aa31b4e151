//! Guides that something else holds carry no friction, under every formulation.

use costate::run::{Changes, Method};
use costate::scene::schema::FormulationKind::{Index3, Multipliers, Nullspace, Penalty, Stabilized};

use crate::support::{close, experiment, objective, planar, report, spatial, under};

/// A mass on a vertical guide meets what holds it at zero, and is pulled off by a load that grows by 5 N/s from `t0` on.
fn guide(holds: &str, t0: f64) -> String {
    let fields = format!(
        r#"parameters: {{ "F": 5.0, "T": 0.5, "t0": {t0} }},
        points: {{ "P": (at: [0, 0.5], velocity: [0, -1], mass: 1) }},
        joints: {{ "g": PointOnLine(point: "P", line: Fixed(through: [0, 0], direction: [0, 1]), friction: Preload(kinetic: "T", static: "1.6*T")) }},
        forces: {{ "f": Load(at: "P", force: [15, "F*(t - t0)"]) }},
        contacts: {{ "stop": {holds} }},
        objectives: {{ "y": Final("P.y"), "T": At(time: 1.3, of: "g.friction"), "N": At(time: 1.3, of: "stop.force") }},"#
    );
    planar(3.0, &fields)
}

/// Height at the end after a release at rest at `start`, where the load is `load` and kinetic friction 0.5.
fn height(start: f64, load: f64) -> f64 {
    let s = 3.0 - start;
    0.5 * (load - 0.5) * s * s + 5.0 * s.powi(3) / 6.0
}

#[test]
fn what_holds_a_guide_bears_the_load_alone() {
    let touch =
        |law: &str| format!(r#"Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: {law})"#);
    let limit = r#"Limit(of: Coordinate("P.y"), at_least: 0, law: Restitution(0))"#.to_string();
    // A stop lets go where the load turns, and static friction holds up to 0.8 N; a magnet of 9 N lets go of what then slips at once.
    let cases = [
        (limit, 1.5, height(1.66, 0.8), 1.0),
        (touch("Restitution(0)"), 1.5, height(1.66, 0.8), 1.0),
        (touch("StickUntil(9)"), 0.5, height(2.3, 9.0), -4.0),
    ];
    for (holds, t0, y, force) in cases {
        for formulation in [Nullspace, Multipliers, Penalty, Stabilized, Index3] {
            let name = format!("{holds} {formulation:?}");
            let experiment = experiment(&guide(&holds, t0), &under(formulation));
            let found = report(&experiment);
            close(&name, objective(&found, "y"), y, 1e-8);
            close(&name, objective(&found, "T"), 0.0, 1e-8);
            close(&name, objective(&found, "N"), force, 1e-6);
            let [adjoint, forward] =
                [Method::Adjoint, Method::Forward].map(|method| experiment.gradient(method).unwrap());
            for (a, b) in adjoint.objectives.iter().zip(&forward.objectives) {
                for (a, b) in a.gradient.iter().zip(&b.gradient) {
                    assert!((a - b).abs() < 1e-7 * b.abs().max(1.0), "{name}: {a} {b}");
                }
            }
        }
    }
}

/// What a stop holds, and a ball that sticks elsewhere, share nothing.
#[test]
fn a_brake_on_a_stop_shares_nothing_with_what_sticks_elsewhere() {
    let text = spatial(
        2.0,
        r#"gravity: [0, 0, -9.81],
        ground: { "A": [0, 0, 1] },
        bodies: {
            "ball": Solid(mass: 0.5, inertia: [0.002, 0.0022, 0.0024, 0.0001, 0, 0], at: [0, 0, 0.5], velocity: [0.8, 0.1, 0], angular_velocity: [3, -10, 0]),
            "arm": Solid(mass: 1.2, inertia: [0.02, 0.03, 0.01, 0, 0, 0], centre_of_mass: [0.3, 0, 0], guess: [0, 0, 1]),
            "nut": Solid(mass: 0.3, inertia: [0.001, 0.001, 0.001, 0, 0, 0], guess: [0.3, 0, 1], orientation: Rotations([X(3.7699111843077517)])),
        },
        joints: {
            "h": Revolute(between: ("A", "arm.origin"), axis: [0, 1, 0.3], angle: 0, angular_velocity: 1, friction: Preload(kinetic: 0.3)),
            "s": Screw(between: ("arm.origin", "nut.origin"), axis: [1, 0, 0], lead: 0.5, angle: 3.7699111843077517, angular_velocity: 0),
        },
        contacts: {
            "floor": Touch(point: "ball.origin", radius: 0.1, surface: Plane(through: [0, 0, 0], normal: [0.02, 0, 1]), law: Friction(coefficient: 0.3, restitution: 0.4)),
            "stop": Limit(of: Coordinate("h.angle"), at_most: 1, law: Restitution(0.3)),
        },
        objectives: { "x": Final("ball.x"), "a": Final("h.angle") },"#,
    );
    let at = |rtol: f64| {
        let changes = Changes {
            rtol: Some(rtol),
            ..Changes::default()
        };
        report(&experiment(&text, &changes))
    };
    let want = at(1e-9);
    for rtol in [3e-6, 1e-6, 3e-7, 1e-7] {
        let found = at(rtol);
        close("x", objective(&found, "x"), objective(&want, "x"), 1e-4);
        close("a", objective(&found, "a"), 1.0, 1e-6);
    }
}
