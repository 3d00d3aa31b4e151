//! Guides that something else holds carry no friction, under every formulation.

use costate::run::Method;
use costate::scene::schema::FormulationKind::{Index3, Multipliers, Nullspace, Penalty, Stabilized};

use crate::support::{close, experiment, objective, planar, report, under};

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
