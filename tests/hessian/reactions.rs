//! Magnitudes of reactions of one row have a kink where the reaction changes its sign.

use super::support::{experiment, report, tolerances};
use super::{Method, agrees_with_quotients, hessian};

/// A scene with the integral of an expression, which has to pass zero on the way.
fn scene(fields: &str, integrand: &str) -> String {
    format!(r#"Scene(name: "reaction", {fields}, objectives: {{ "m": Integral("{integrand}") }})"#)
}

const SLOPE: &str = r#"space: Planar, gravity: [0, -9.81], parameters: { "a": 0.3, "b": 3.0 },
    points: { "P": (at: [0.1, "0.1*a"], mass: 2) },
    joints: { "guide": PointOnLine(point: "P", line: Fixed(through: [0, 0], direction: [1, "a"])) },
    forces: { "push": Load(at: "P", force: ["b*cos(t)", "b*12*cos(2*t)"]) }, simulation: (duration: 3)"#;

const ARM: &str = r#"space: Planar, gravity: [0, -9.81], parameters: { "m": 0.3, "L": 1.2, "w": 2.0 }, ground: { "O": [0, 0] },
    points: { "A": (guess: ["L", 0], mass: 0.5), "P": (at: [0.6, 0], velocity: [0, 1], mass: "m") },
    joints: { "arm": Link(from: "O", to: "A", length: "L"), "guide": PointOnLine(point: "P", line: Through("O", "A")) },
    forces: { "push": Load(at: "A", force: [0, "w*sin(5*t)"]), "hold": Spring(from: "O", to: "P", stiffness: 50, natural_length: 0.6) },
    outputs: { "pressed": "guide.force", "turned": "abs((guide.fy*A.x - guide.fx*A.y)/L)" }, simulation: (duration: 1.3)"#;

const SLEEVE: &str = r#"space: Planar, gravity: [0, -9.81], parameters: { "b": 3.0, "c": 0.2 }, ground: { "O": [0, 0] },
    bodies: { "B": Rigid(mass: 2, inertia: 0.1, at: [0, 0, 0]) },
    joints: { "guide": Prismatic(between: ("O", "B.origin"), direction: [1, 0]) },
    forces: { "push": Load(at: "B.origin", force: ["b*cos(t)", "19.62 + b*9*cos(2*t + c)"]) }, simulation: (duration: 3)"#;

const PLANE: &str = r#"space: Spatial, gravity: [0, 0, -9.81], parameters: { "b": 3.0, "c": 0.2 },
    points: { "P": (at: [0, 0, 0], velocity: [1, 0.2, 0], mass: 2) },
    joints: { "guide": PointOnPlane(point: "P", through: [0, 0, 0], normal: [0, 0, 2]) },
    forces: { "push": Load(at: "P", force: ["b*cos(t)", "sin(t)", "19.62 + b*9*cos(2*t + c)"]) }, simulation: (duration: 3)"#;

const CROSS: &str = r#"space: Spatial, parameters: { "bend": 0.5, "omega": 1.5, "b": 0.3 },
    ground: { "in": [-1, 0, 0], "out": (at: ["cos(bend)", 0, "-sin(bend)"], orientation: Rotations([Y("bend")])) },
    bodies: {
        "first": Solid(mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0], guess: [0, 0, 0], markers: { "end": [-1, 0, 0] }),
        "second": Solid(mass: 1, inertia: [0.02, 0.01, 0.01, 0, 0, 0], guess: [0, 0, 0], orientation: Rotations([Y("bend")]),
            markers: { "end": [1, 0, 0] }),
    },
    joints: {
        "bearing": Revolute(between: ("in", "first.end"), axis: [1, 0, 0]),
        "motor": DriveAngle(body: "bearing", angle: "omega*t"),
        "cross": Universal(between: ("first.origin", "second.origin"), axes: ([0, 1, 0], [0, 0, 1])),
        "rest": PointOnLine(point: "second.end", line: Along("out", [1, 0, 0])),
        "output": Cylindrical(between: ("out", "second.end"), axis: [1, 0, 0], active: false),
    },
    forces: { "swing": Torque(on: "output.angle", torque: "b*sin(3*t)") }, simulation: (duration: 2)"#;

#[test]
fn integrals_of_them_are_those_of_the_component() {
    for (fields, magnitude, component) in [
        (SLOPE, "guide.force", "abs(guide.fy)*sqrt(1 + a^2)"),
        (
            SLOPE,
            "guide.force^2 - t*guide.force",
            "guide.fy^2*(1 + a^2) - t*abs(guide.fy)*sqrt(1 + a^2)",
        ),
        (ARM, "pressed*t", "turned*t"),
        (SLEEVE, "guide.force", "abs(guide.fy)"),
        (PLANE, "guide.force", "abs(guide.fz)"),
    ] {
        let [found, wanted] = [magnitude, component].map(|integrand| {
            let experiment = experiment(&scene(fields, integrand), &tolerances(1e-11, 1e-13));
            let gradient = experiment
                .gradient(Method::Adjoint)
                .expect("a gradient")
                .objectives
                .remove(0);
            (
                gradient.value,
                gradient.gradient,
                hessian(&experiment).objectives.remove(0).rows,
            )
        });
        let entries = |(value, gradient, rows): &(f64, Vec<f64>, Vec<Vec<f64>>)| {
            [&[*value], &gradient[..], &rows.concat()].concat()
        };
        let (found, wanted) = (entries(&found), entries(&wanted));
        let size = wanted.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        for (found, wanted) in found.iter().zip(&wanted) {
            assert!(
                (found - wanted).abs() < 1e-8 * size,
                "{magnitude}: {found} for {wanted}"
            );
        }
    }
}

#[test]
fn a_torque_across_two_axes_agrees_with_quotients_of_its_gradients() {
    let experiment = experiment(&scene(CROSS, "cross.torque"), &tolerances(1e-11, 1e-13));
    agrees_with_quotients(&experiment, 1e-4, 2e-6);
}

#[test]
fn a_guide_without_load_has_a_derivative() {
    let fields = r#"space: Planar, parameters: { "a": 0.3 }, points: { "P": (at: [0, 0], mass: 2) },
        joints: { "guide": PointOnLine(point: "P", line: Fixed(through: [0, 0], direction: ["a", 0.7])) },
        forces: { "push": Load(at: "P", force: ["a*cos(t)", "0.7*cos(t)"]) }, simulation: (duration: 3)"#;
    let experiment = experiment(&scene(fields, "guide.force"), &tolerances(1e-10, 1e-12));
    assert!(report(&experiment).events.is_empty());
    for method in [Method::Adjoint, Method::Forward] {
        let gradient = experiment.gradient(method).expect("a gradient").objectives.remove(0);
        assert!(
            gradient.value.abs() < 1e-14 && gradient.gradient[0].abs() < 1e-13,
            "{gradient:?}"
        );
    }
}

#[test]
fn of_a_joint_that_is_switched_off_they_are_those_of_before() {
    let planar = r#"space: Planar, gravity: [0, -9.81], parameters: { "w": 3.0, "ts": 0.3 }, ground: { "A": [0, 0] },
        bodies: { "b": Rigid(mass: 1, inertia: 0.05, at: [0, 0, 0], velocity: [0, 0, "w"], centre: [0.3, 0]) },
        joints: { "v": Revolute(between: ("A", "b.origin")) }, events: { "snap": (when: At("ts"), then: [Disable("v")]) },
        simulation: (duration: 0.6)"#;
    let spatial = r#"space: Spatial, gravity: [0, 0, -9.81], parameters: { "w": 3.0, "ts": 0.3 }, ground: { "A": [0, 0, 0] },
        bodies: { "b": Solid(mass: 1, inertia: [0.02, 0.03, 0.03, 0.001, 0.002, 0.003], at: [0, 0, 0],
            angular_velocity: ["w", 0.5, 1], velocity: [0, 0, 0], centre_of_mass: [0.3, 0, 0], markers: { "m": [0, 0, 0] }) },
        joints: { "v": Spherical(between: ("A", "b.m")) }, events: { "snap": (when: At("ts"), then: [Disable("v")]) },
        simulation: (duration: 0.6)"#;
    for (fields, integrand) in [(planar, "v.force^2"), (planar, "v.force"), (spatial, "v.force^2 + b.z")] {
        let experiment = experiment(&scene(fields, integrand), &tolerances(1e-11, 1e-13));
        agrees_with_quotients(&experiment, 1e-4, 2e-6);
    }
}

#[test]
fn only_the_magnitude_that_a_parameter_moves_away_from_zero_has_none() {
    let text = scene(
        r#"space: Planar, parameters: { "f": 0.0, "k": 2.0 }, ground: { "A": [0, 0] },
        bodies: { "b": Rigid(mass: 1, inertia: 0.05, at: [0, 0, 0], velocity: [0, 0, 1]) },
        joints: { "v": Revolute(between: ("A", "b.origin")) }, forces: { "push": Load(at: "b.origin", force: ["f", "k*f"]) },
        simulation: (duration: 1)"#,
        "v.force^2",
    )
    .replace("objectives: {", r#"objectives: { "parts": Integral("v.fx^2 + v.fy^2"), "of": Formula("2*m"),"#);
    let report = hessian(&experiment(&text, &tolerances(1e-10, 1e-12)));
    let missing: Vec<&str> = report.missing.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(missing, ["m", "of"]);
    assert!(report.missing.iter().all(|(_, reason)| reason.contains("not finite")));
    assert!((super::entry(&report, "parts", ["f", "f"]) - 10.0).abs() < 1e-8);
}
