//! Joints between the frames of bodies in space: closed forms, reactions, coordinates that elements act on, gradients, and mistakes.

use costate::run::Method;
use costate::scene::schema::FormulationKind::{Multipliers, Nullspace};

use crate::support::{
    certified, close, experiment, failure, objective, report, spatial, tight, tolerances, under, with_by,
};

/// Two shafts at an angle, joined by a cross or a joint of constant velocity.
fn shafts(joint: &str, outputs: &str) -> String {
    let fields = format!(
        r#"ground: {{ "A": [0, 0, 0], "B": (at: ["cos(0.5)", 0, "-sin(0.5)"], orientation: Rotations([Y(0.5)])) }},
        bodies: {{
            "one": Solid(mass: 1, inertia: [0.1, 0.1, 0.2, 0, 0, 0], guess: [0, 0, 0], markers: {{ "end": [0, 0, 0] }}),
            "two": Solid(mass: 1, inertia: [0.1, 0.1, 0.2, 0, 0, 0], guess: [0, 0, 0], orientation: Rotations([Y(0.5)]),
                markers: {{ "far": [1, 0, 0] }}),
        }},
        joints: {{
            "first": Revolute(between: ("A", "one.origin"), axis: [1, 0, 0]),
            "bearing": PointOnLine(point: "two.far", line: Along("B", [1, 0, 0])),
            "second": Cylindrical(between: ("B", "two.far"), axis: [1, 0, 0], active: false),
            "motor": DriveAngle(body: "first", angle: "3*t"),
            "joint": {joint},
        }},
        objectives: {{ "first": Final("first.angle"), "second": Final("second.angle"), "rate": Final("second.omega"), {outputs} }},"#
    );
    spatial(4.5, &fields)
}

#[test]
fn a_cross_joint_turns_the_second_shaft_unevenly() {
    let cross = r#"Universal(between: ("one.end", "two.origin"), axes: ([0, 1, 0], [0, 0, 1]))"#;
    let found = report(&experiment(
        &shafts(cross, r#""a": Final("joint.angle_1"), "b": Final("joint.angle_2")"#),
        &tight(),
    ));
    // The published ratio of the rates, with the first angle measured from where the cross of the first shaft is in the plane of both
    // axes: here y, across it, at the start.
    let (first, bend): (f64, f64) = (3.0 * 4.5, 0.5);
    let from_plane = first + std::f64::consts::FRAC_PI_2;
    let ratio = bend.cos() / (1.0 - (bend.sin() * from_plane.cos()).powi(2));
    close("first", objective(&found, "first"), first, 1e-10);
    close("rate", objective(&found, "rate"), 3.0 * ratio, 1e-9);
    // tan(second) = tan(first)/cos(bend), from there on too, on the turn where the first shaft is.
    let turns = (first / std::f64::consts::TAU).round();
    let rest = first - turns * std::f64::consts::TAU;
    let second = turns * std::f64::consts::TAU + (rest.sin() * bend.cos()).atan2(rest.cos());
    close("second", objective(&found, "second"), second, 1e-9);
    // The angle between the shafts, seen about both axes of the cross.
    let (a, b) = (objective(&found, "a"), objective(&found, "b"));
    close("bend", a.cos() * b.cos(), bend.cos(), 1e-10);
}

#[test]
fn a_joint_of_constant_velocity_turns_both_shafts_alike() {
    let joint = r#"ConstantVelocity(between: ("one.end", "two.origin"), axis: [1, 0, 0])"#;
    let found = report(&experiment(&shafts(joint, ""), &tight()));
    close("second", objective(&found, "second"), 13.5, 1e-9);
    close("rate", objective(&found, "rate"), 3.0, 1e-9);
}

#[test]
fn a_weld_holds_weight_and_moment() {
    let fields = r#"gravity: [0, 0, -10], ground: { "wall": (at: [1, 2, 3], orientation: Rotations([X(0.3), Z(1)])) },
        bodies: { "beam": Solid(mass: 2, inertia: [0.1, 0.2, 0.3, 0, 0, 0], centre_of_mass: [0.5, 0.1, 0], guess: [1.1, 2, 3],
            orientation: Rotations([X(0.3), Z(1)]), markers: { "end": [0.02, 0.03, 0.01] }) },
        joints: { "weld": Weld(between: ("wall", "beam.end")) },
        objectives: { "fx": Final("weld.fx"), "fz": Final("weld.fz"), "tx": Final("weld.tx"), "ty": Final("weld.ty"), "tz": Final("weld.tz"),
            "torque": Final("weld.torque"), "dx": Final("beam.centre.x - beam.end.x"), "dy": Final("beam.centre.y - beam.end.y") },"#;
    for formulation in [Nullspace, Multipliers] {
        let found = report(&experiment(&spatial(0.1, fields), &under(formulation)));
        let of = |name: &str| objective(&found, name);
        close("fz", of("fz"), 20.0, 1e-10);
        close("fx", of("fx"), 0.0, 1e-10);
        // The weight pulls down at the centre of mass: the wall holds against r x (-20 z).
        close("tx", of("tx"), 20.0 * of("dy"), 1e-9);
        close("ty", of("ty"), -20.0 * of("dx"), 1e-9);
        close("tz", of("tz"), 0.0, 1e-9);
        close("torque", of("torque"), 20.0 * of("dx").hypot(of("dy")), 1e-9);
    }
}

/// Every joint between frames, and what acts on their coordinates, off the axes in every way; axes of several lengths, markers with
/// orientations of their own, a plane and a line that bodies carry.
pub const EVERY: &str = r#"
    gravity: [0.5, -0.3, -9.81],
    parameters: { "ax": 0.3, "turn": 0.4, "k": 3.0, "d": 0.1, "lead": 0.2, "ratio": -1.3, "r": 0.15, "J": 0.03, "c": 0.2, "w": 1.5,
        "px": 0.2, "n": 0.5, "r1": 0.2, "th": 0.25 },
    ground: { "A": (at: [0, 0, 0], orientation: Rotations([X("turn"), Z(0.2)])), "B": [1, 0.2, 0], "C": [0, 2, 0], "D": [3, 0, 0], "E": [0, 4, 0],
        "F": [5, 0, 0], "G": [7, 1, 0] },
    bodies: {
        "arm": Solid(mass: 1.1, inertia: ["J", 0.04, 0.05, 0.002, 0.001, 0.003], centre_of_mass: ["c", 0.1, -0.05], guess: [0, 0, 0],
            orientation: Rotations([X("turn"), Z(0.2)]), markers: { "end": (at: [0.5, 0, 0], orientation: Rotations([Y("ax")])) }),
        "sleeve": Solid(mass: 0.6, inertia: [0.02, 0.03, 0.025, 0, 0.001, 0], centre_of_mass: [0.03, 0, 0.02], guess: [0.5, 0, 0],
            orientation: Rotations([X("turn"), Z(0.2), Y("ax")]), markers: { "eye": ["px", 0.1, 0.1] }),
        "nut": Solid(mass: 0.5, inertia: [0.01, 0.02, 0.015, 0, 0, 0.001], centre_of_mass: [0.02, 0.05, 0], guess: [1, 0.2, 0]),
        "rack": Solid(mass: 0.7, inertia: [0.01, 0.02, 0.015, 0, 0, 0], guess: [0, 2, 0]),
        "plate": Solid(mass: 0.9, inertia: [0.05, 0.06, 0.07, 0.01, 0, 0], guess: [3, 0, 0], centre_of_mass: [0.1, 0, 0.05],
            velocity: [0.2, "free", "free"]),
        "fork": Solid(mass: 0.8, inertia: [0.03, 0.02, 0.04, 0, 0, 0], guess: [0, 4, 0], centre_of_mass: [0.2, 0.1, -0.3]),
        "tail": Solid(mass: 0.4, inertia: [0.01, 0.02, 0.03, 0, 0, 0], guess: [0.3, 4, 0.2], markers: { "root": [0.1, 0, 0.05] }),
        "shaft": Solid(mass: 0.4, inertia: [0.01, 0.02, 0.03, 0, 0, 0], guess: [5, 0, 0], orientation: Rotations([X(0.3)]),
            centre_of_mass: [0, 0, -0.3], angular_velocity: [0.4, 0.2, "free"]),
        "bead": Solid(mass: 0.3, inertia: [0.01, 0.01, 0.01, 0, 0, 0], guess: [7.2, 1, -0.1], angular_velocity: [0.3, 0.1, 0]),
        "wheel": Solid(mass: 0.5, inertia: [0.02, 0.02, 0.03, 0, 0, 0], guess: [7, 1, 0]),
    },
    joints: {
        "hinge": Revolute(between: ("A", "arm.origin"), axis: [0.1, "n", 1], angle: "th", angular_velocity: "w"),
        "tube": Cylindrical(between: ("arm.end", "sleeve.origin"), axis: [1, 0.2, 0], position: 0.05, velocity: 0.3),
        "screw": Screw(between: ("B", "nut.origin"), axis: [0, 0.3, 1], lead: "lead"),
        "guide": Prismatic(between: ("C", "rack.origin"), direction: [1, 0, "d"]),
        "table": Planar(between: ("D", "plate.origin"), normal: [0.1, 0.2, 1]),
        "cross": Universal(between: ("E", "fork.origin"), axes: ([1, 0, 0], [0, 1, 0.1]), angles: (0.2, -0.1), angular_velocities: (0.5, 0.2)),
        "stub": Weld(between: ("fork.centre", "tail.root")),
        "double": ConstantVelocity(between: ("F", "shaft.origin"), axis: [0, 0, 1]),
        "axle": Revolute(between: ("G", "wheel.origin"), axis: [0, 1, 0], angular_velocity: 2),
        "wire": PointOnLine(point: "bead.origin", line: Along("wheel.centre", [1, 0, -0.5])),
        "face": PointOnPlane(point: "sleeve.eye", of: "nut.centre", normal: [0.3, 1, "d"], active: false),
        "gear": Gear(between: ("hinge", "screw"), ratio: "ratio"),
        "rail": RackAndPinion(pinion: "axle", rack: "guide.position", radius: "r"),
        "belt": Belt(between: ("axle", "table"), radii: ("r1", 0.3), crossed: true),
    },
    forces: {
        "coil": TorsionSpring(between: ("ground", "hinge"), stiffness: "k", natural_angle: 0.1, damping: 0.2),
        "twist": TorsionSpring(between: ("cross.angle_1", "cross.angle_2"), stiffness: 5, natural_angle: 0),
        "motor": Torque(on: "tube", torque: "0.3*sin(4*t)"),
        "piston": Torque(on: "guide.position", from: "tube.position", torque: "k/5*cos(3*t)"),
        "grease": Torque(on: "tube.position", torque: "-0.1*tube.velocity"),
        "push": Load(at: "tail.root", force: [0.2, 0, "k/10"], frame: Body("tail")),
        "spring": Spring(from: "C", to: "sleeve.eye", stiffness: 4, natural_length: 1),
        "hold": Spring(from: "G", to: "bead.centre", stiffness: 20, natural_length: 0.1),
    },
    objectives: {
        "a": Final("hinge.angle"), "w": Final("tube.omega"), "s": Final("tube.position"), "v": Final("tube.velocity"), "as": Final("tube.acceleration"),
        "turns": Integral("screw.angle"), "thrust": Final("screw.thrust"), "rack": Final("rack.x"), "fx": Final("guide.fx"), "tz": Final("guide.tz"),
        "plate": Final("plate.x"), "spin": Final("table.omega"), "u1": Final("cross.angle_1"), "u2": Final("cross.omega_2"),
        "weld": Final("stub.torque"), "ty": Final("hinge.ty"), "cv": Final("shaft.omega_z"), "tooth": Final("gear.torque"),
        "alpha": Final("hinge.alpha"), "bead": Final("bead.z"), "E": Final("energy.total"), "wire": Final("wire.fz"),
    },
"#;

#[test]
fn every_joint_has_certified_gradients() {
    let report = certified(&spatial(0.3, EVERY), Nullspace);
    for k in 0..report.parameters.len() {
        let moves = report
            .objectives
            .iter()
            .any(|objective| objective.gradient[k].abs() > 1e-7);
        assert!(moves, "{}", report.parameters[k]);
    }
}

#[test]
fn every_joint_has_the_same_gradients_by_every_way() {
    let reference = experiment(&spatial(0.3, EVERY), &under(Nullspace))
        .gradient(Method::Adjoint)
        .unwrap();
    for (formulation, by, method) in [
        (Nullspace, "Qr", Method::Forward),
        (Nullspace, "Blocks", Method::Adjoint),
        (Multipliers, "Qr", Method::Adjoint),
        (Multipliers, "Blocks", Method::Forward),
    ] {
        let found = experiment(&with_by(&spatial(0.3, EVERY), by), &under(formulation))
            .gradient(method)
            .unwrap();
        for (a, b) in reference.objectives.iter().zip(&found.objectives) {
            let scale = a.gradient.iter().fold(1e-6, |most: f64, x| most.max(x.abs()));
            close(&a.name, b.value, a.value, 1e-9 * a.value.abs().max(1.0));
            for (x, y) in a.gradient.iter().zip(&b.gradient) {
                assert!(
                    (x - y).abs() < 2e-9 * scale,
                    "{} {formulation:?} {by} {method}: {x} {y}",
                    a.name
                );
            }
        }
    }
}

#[test]
fn what_acts_on_joints_balances_the_energy() {
    let (found, _) = experiment(&spatial(0.5, EVERY), &tight())
        .run_balanced(false, &mut |_| {})
        .unwrap();
    let balance = found.balance.expect("the balance of energy");
    assert!(balance.missing.abs() < 1e-9, "{balance:?}");
    assert!((found.energy.1 - found.energy.0).abs() > 1e-3);
}

#[test]
fn a_hinged_body_keeps_energy_and_momentum_over_a_hundred_turns() {
    let fields = r#"ground: { "A": (at: [0.2, 0, 0], orientation: Rotations([X(0.4)])) },
        bodies: {
            "rotor": Solid(mass: 1, inertia: [0.02, 0.03, 0.04, 0.001, 0, 0], guess: [0.2, 0, 0], orientation: Rotations([X(0.4)]),
                markers: { "pin": [0.3, 0, 0] }),
            "blade": Solid(mass: 0.5, inertia: [0.01, 0.02, 0.02, 0, 0, 0.001], centre_of_mass: [0.1, 0, 0.05], guess: [0.5, 0, 0],
                orientation: Rotations([X(0.4)])),
        },
        joints: { "axle": Revolute(between: ("A", "rotor.origin"), axis: [0, 0, 1], angular_velocity: 7),
            "flap": Revolute(between: ("rotor.pin", "blade.origin"), axis: [0, 1, 0], angular_velocity: 1) },
        outputs: { "ly": "rotor.l_y + blade.l_y", "lz": "rotor.l_z + blade.l_z",
            "py": "rotor.p_y + blade.p_y", "pz": "rotor.p_z + blade.p_z" },
        objectives: { "E": Final("energy.total"), "turned": Final("axle.angle"),
            "L": Final("-(ly + 0.2*pz)*sin(0.4) + (lz - 0.2*py)*cos(0.4)") },"#;
    let at = |duration| report(&experiment(&spatial(duration, fields), &tolerances(1e-13, 1e-14)));
    let (start, end) = (at(1e-9), at(100.0));
    assert!(objective(&end, "turned") > 100.0 * std::f64::consts::TAU);
    close("E", objective(&end, "E"), objective(&start, "E"), 1e-10);
    // About the axle only: the bearing takes the rest.
    close("L", objective(&end, "L"), objective(&start, "L"), 1e-10);
}

#[test]
fn the_angle_of_a_joint_is_held_where_it_is_given() {
    let fields = r#"ground: { "A": [0, 0, 0] },
        bodies: { "arm": Solid(mass: 1, inertia: [1, 1, 1, 0, 0, 0], guess: [0, 0, 0], markers: { "end": [1, 0, 0] }) },
        joints: { "hinge": Revolute(between: ("A", "arm.origin"), axis: [0, 0, 2], angle: "6*pi + 0.7", angular_velocity: 0) },
        objectives: { "angle": Final("hinge.angle"), "x": Final("arm.end.x"), "y": Final("arm.end.y") },"#;
    let found = report(&experiment(&spatial(0.1, fields), &tight()));
    close(
        "angle",
        objective(&found, "angle"),
        6.0 * std::f64::consts::PI + 0.7,
        1e-12,
    );
    close("x", objective(&found, "x"), 0.7_f64.cos(), 1e-12);
    close("y", objective(&found, "y"), 0.7_f64.sin(), 1e-12);
}

#[test]
fn an_angle_is_held_wherever_the_guess_is() {
    for (angle, second, crossed) in [(2.0, 1.6, 0.3), (3.0, -2.5, -2.0), (2.0, 0.0, 0.0), (0.0, 3.1, 2.5)] {
        let fields = format!(
            r#"ground: {{ "A": [0, 0, 0] }},
            bodies: {{ "arm": Solid(mass: 1, inertia: [1, 1, 1, 0, 0, 0], guess: [0, 0, 0], markers: {{ "end": [1, 0, 0] }}),
                "hand": Solid(mass: 1, inertia: [1, 1, 1, 0, 0, 0], guess: [1, 0, 0], markers: {{ "end": [0, 0, 1] }}),
                "fork": Solid(mass: 1, inertia: [1, 1, 1, 0, 0, 0], guess: [1, 0, 1]) }},
            joints: {{ "hinge": Revolute(between: ("A", "arm.origin"), axis: [1, 2, 3], angle: {angle}, angular_velocity: 0),
                "wrist": Revolute(between: ("arm.end", "hand.origin"), axis: [0, 1, 1], angle: {second}, angular_velocity: 0),
                "cross": Universal(between: ("hand.end", "fork.origin"), axes: ([1, 0, 0], [0, 1, 0]), angles: ({crossed}, 0.2),
                    angular_velocities: (0, 0)) }},
            objectives: {{ "a": Final("hinge.angle"), "b": Final("wrist.angle"), "c": Final("cross.angle_1"), "d": Final("cross.angle_2"),
                "w": Final("arm.q0") }},"#
        );
        let found = report(&experiment(&spatial(1e-6, &fields), &tight()));
        for (name, wanted) in [("a", angle), ("b", second), ("c", crossed), ("d", 0.2)] {
            close(name, objective(&found, name), wanted, 1e-10);
        }
        // The scalar of the quaternion, whose sign is open.
        close("w", objective(&found, "w").abs(), (0.5 * angle).cos().abs(), 1e-10);
    }
}

#[test]
fn mistakes_are_named_with_advice() {
    let scene = |joint: &str| {
        let fields = format!(
            r#"ground: {{ "A": [0, 0, 0] }}, points: {{ "P": (at: [1, 0, 0], mass: 1), "Q": (guess: [2, 0, 0], mass: 1) }},
            bodies: {{ "one": Solid(mass: 1, inertia: [1, 1, 1, 0, 0, 0], at: [0, 0, 0], markers: {{ "m": [1, 0, 0] }}),
                "bar": Bar(from: "P", to: "Q", length: 1, markers: {{ "m": [0.5] }}) }},
            joints: {{ {joint} }},"#
        );
        spatial(0.1, &fields)
    };
    for (joint, word) in [
        (r#""j": Revolute(between: ("A", "one.origin"))"#, "no axis"),
        (
            r#""j": Revolute(between: ("A", "one.origin"), axis: [0, 0, 0])"#,
            "zero vector",
        ),
        (
            r#""j": Revolute(between: ("A", "one.origin"), axis: [0, 1])"#,
            "2 components",
        ),
        (
            r#""j": Revolute(between: ("P", "one.origin"), axis: [0, 0, 1])"#,
            "no orientation",
        ),
        (r#""j": Revolute(between: ("A", "bar.m"), axis: [0, 0, 1])"#, "on a bar"),
        (
            r#""j": Revolute(between: ("one.m", "one.origin"), axis: [0, 0, 1])"#,
            "same body",
        ),
        (r#""j": Weld(between: ("A", "one.origin"), angle: 1)"#, "planar scenes"),
        (
            r#""j": Screw(between: ("A", "one.origin"), axis: [0, 0, 1], lead: 0)"#,
            "different from zero",
        ),
        (
            r#""j": PointOnPlane(point: "P", normal: [0, 0, 1])"#,
            "place of its plane",
        ),
        (
            r#""j": Weld(between: ("A", "one.origin")), "d": DriveAngle(body: "j", angle: 1)"#,
            "no angle",
        ),
        (
            r#""j": Universal(between: ("A", "one.origin"), axes: ([1, 0, 0], [0, 1, 0])), "d": DriveAngle(body: "j", angle: 1)"#,
            "two angles",
        ),
        (r#""j": DriveAngle(body: "one", angle: 1)"#, "no angle"),
    ] {
        let error = failure(&scene(joint));
        let text = format!("{error} {:?}", error.advice());
        assert!(text.contains(word), "{joint}: {text}");
        assert!(error.advice().is_some(), "{text}");
    }
}
