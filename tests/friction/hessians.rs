//! Second derivatives through stick, slip and impacts with friction, held to differences of exact gradients.

use costate::run::Changes;

use crate::support::{check_hessian, close, experiment, happenings, planar, report, spatial, tight, tolerances};

/// A block on a slope, pushed about: it sticks, slips and turns back.
const BLOCK: &str = r#"
    gravity: ["-g*sin(theta)", "-g*cos(theta)"],
    parameters: { "m": 2.0, "theta": 0.2, "mu": 0.4, "ms": 0.5, "F": 22.0 }, constants: { "g": 9.81 },
    points: { "block": (at: [0, 0], mass: "m") },
    forces: { "push": Load(at: "block", force: ["F*sin(4*t)", "-3*cos(7*t)"]) },
    contacts: { "slope": Touch(point: "block", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: "mu", static: "ms", viscous: 0.1)) },
    objectives: { "x": Final("block.x"), "W": Integral("slope.heat"), "T": Integral("slope.friction^2"), "v": At(of: "block.vx", time: 0.7) },"#;

/// A pendulum whose pin rubs with its reaction, and strikes a wall in passing.
const PENDULUM: &str = r#"
    gravity: [0, -9.81],
    parameters: { "mu": 0.3, "rho": 0.05, "m": 1.2, "w0": 3.0, "e": 0.6 }, constants: { "l": 0.8 },
    ground: { "O": [0, 0] },
    bodies: { "rod": Rigid(mass: "m", inertia: "m*l^2/12", guess: [0.2, -0.3, -1.6], hold: [Angle], velocity: ["free", "free", "w0"], markers: { "a": ["-l/2", 0], "b": ["l/2", 0] }) },
    joints: { "pin": Revolute(between: ("O", "rod.a"), friction: Reaction(coefficient: "mu", static: "1.2*mu", radius: "rho")) },
    contacts: { "wall": Touch(point: "rod.b", surface: Plane(through: [0.4, 0], normal: [-1, 0.2]), law: Restitution("e")) },
    objectives: { "phi": Final("rod.angle"), "W": Integral("pin.heat"), "w": Final("rod.omega") },"#;

/// A ball that strikes the floor with spin and slides on.
const BALL: &str = r#"
    gravity: [0, -9.81], parameters: { "mu": 0.05, "e": 0.6, "w": 4.0, "v": 1.5, "h": 0.3 },
    bodies: { "ball": Rigid(mass: 1, inertia: 0.004, at: [0, "0.1 + h", 0], velocity: ["v", 0, "w"]) },
    contacts: { "floor": Touch(point: "ball.centre", radius: 0.1, surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: "mu", restitution: "e")) },
    objectives: { "x": Final("ball.x"), "w": Final("ball.omega"), "y": Final("ball.y") },"#;

#[test]
fn they_are_the_differences_of_gradients() {
    for (name, duration, text) in [("block", 1.5, BLOCK), ("pendulum", 0.6, PENDULUM), ("ball", 0.4, BALL)] {
        println!("{name}");
        check_hessian(&experiment(&planar(duration, text), &tight()), 2e-5);
    }
}

/// A follower in a guide that rubs with its reaction, on a wedge; beside it a ball bounces, whose impacts press no guide.
#[test]
fn impacts_elsewhere_change_nothing() {
    let text = planar(
        1.2,
        r#"gravity: [0, -9.81], parameters: { "slope": 0.3, "e": 0.5 }, ground: { "O": [0, 0] },
        points: { "f": (guess: [0, 0.11], velocity: ["free", "free"], mass: 0.5), "ball": (at: [6, 0.5], velocity: [0.3, 0], mass: 0.4) },
        bodies: { "wedge": Rigid(mass: 1, inertia: 0.1, at: [0, 0, 0], velocity: [-1, 0, 0]) },
        joints: {
            "guide": PointOnLine(point: "f", line: Fixed(through: [0, 0], direction: [0, 1]), friction: Reaction(coefficient: 0.1)),
            "slide": Prismatic(between: ("O", "wedge.origin"), direction: [1, 0]),
        },
        forces: { "push": Load(at: "wedge.origin", force: ["-4 - 3*wedge.x + 2*sin(5*t)", 0]) },
        contacts: {
            "face": Touch(point: "f", radius: 0.1, surface: Plane(through: [0, 0], normal: ["-slope", 1], on: "wedge"), law: Friction(coefficient: 0.25)),
            "table": Touch(point: "ball", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")),
        },
        objectives: { "x": Final("wedge.x") },"#,
    );
    let found = experiment(&text, &Changes::default()).hessian(&|_| {}).unwrap();
    let rows = &found.objectives[0].rows;
    // A difference of gradients.
    close("by the slope twice", rows[0][0], 0.952_045_237_768, 1e-9);
    close("by the slope and e", rows[0][1], 0.0, 1e-12);
}

/// A pendulum whose pin rubs, and beside it a ram that a driver moves with a kink in its speed.
#[test]
fn drivers_that_jump_elsewhere_change_nothing() {
    let text = planar(
        1.2,
        r#"gravity: [0, -9.81], parameters: { "l": 0.4, "t0": 0.3, "w": 1.0 }, ground: { "O": [0, 0] },
        points: { "ram": (guess: [3, -0.3]) },
        bodies: { "rod": Rigid(mass: 1, inertia: "l^2/12", centre: [0, "-l/2"], guess: [0, 0, 0.7], hold: [Angle], velocity: ["free", "free", "w"]) },
        joints: {
            "pin": Revolute(between: ("O", "rod.origin"), friction: Reaction(coefficient: 0.2, radius: 0.02)),
            "rx": DriveCoordinate(coordinate: "ram.x", value: "3 + 1.5*max(0, t - t0)"), "ry": DriveCoordinate(coordinate: "ram.y", value: -0.3),
        },
        objectives: { "a": Final("rod.angle") },"#,
    );
    for rtol in [1e-9, 1e-10, 1e-11] {
        let changes = Changes {
            rtol: Some(rtol),
            ..Changes::default()
        };
        let found = experiment(&text, &changes).hessian(&|_| {}).unwrap();
        let rows = &found.objectives[0].rows;
        // Differences of gradients at an `rtol` of 1e-12, with the ram and without it.
        close("by the length twice", rows[0][0], -52.856_516_514_5, 1e-7);
        for entry in &rows[1] {
            close("by the time of the kink", *entry, 0.0, 1e-12);
        }
    }
}

/// In space, joints with one freedom have them too.
#[test]
fn hinges_in_space_have_them() {
    let rotor = r#"
        gravity: [0, 0, -9.81], parameters: { "mu": 0.2, "rho": 0.02, "d": 0.03, "w0": 4.0 }, ground: { "O": [0, 0, 0] },
        bodies: { "disc": Solid(mass: 3, inertia: [0.02, 0.01, 0.02, 0, 0, 0], centre_of_mass: [0.02, "d", 0], guess: [0, 0, 0]) },
        joints: { "bearing": Revolute(between: ("O", "disc.origin"), axis: [0, 1, 0], angle: 0, angular_velocity: "w0", friction: Reaction(coefficient: "mu", radius: "rho", length: 0.1)) },
        objectives: { "phi": Final("bearing.angle"), "W": Integral("bearing.heat") },"#;
    check_hessian(&experiment(&spatial(0.3, rotor), &tolerances(1e-10, 1e-12)), 2e-5);
}

/// A point that is pulled about on a floor: it begins to slip, turns, and comes to rest.
const POINT: &str = r#"
    gravity: [0, 0, -10], parameters: { "m": 2.0, "mu": 0.3, "ms": 0.36, "F": 6.0, "v": 0.3 },
    points: { "P": (at: [0, 0, 0], mass: "m", velocity: ["v", 0.1, 0]) },
    forces: { "pull": Load(at: "P", force: ["F*sin(3*t)", "0.7*F*sin(2.3*t + 0.4)", "-2*cos(5*t)"]) },
    contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: "mu", static: "ms", viscous: 0.1)) },
    objectives: { "x": Final("P.x"), "y": Final("P.y"), "W": Integral("floor.heat") },"#;

/// A ball with spin that strikes a floor, slips on and rolls.
const SPINNING: &str = r#"
    gravity: [0, 0, -9.81], parameters: { "mu": 0.2, "e": 0.5, "w": 4.0, "h": 0.3 },
    bodies: { "ball": Solid(mass: 1, inertia: [0.004, 0.004, 0.004, 0, 0, 0], at: [0, 0, "0.1 + h"], velocity: [1.5, 0.4, 0], angular_velocity: ["-w", "w", 1]) },
    contacts: { "floor": Touch(point: "ball.origin", radius: 0.1, surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: "mu", restitution: "e")) },
    objectives: { "x": Final("ball.x"), "y": Final("ball.y"), "w": Final("ball.l_x"), "z": Final("ball.z") },"#;

/// The corner of a box strikes, and its slip turns in the impact.
const CORNER: &str = r#"
    gravity: [0, 0, -9.81], parameters: { "h": 0.6, "e": 0.5, "mu": 0.2, "phi": 0.5 },
    bodies: { "box": Solid(mass: 2, inertia: [0.022, 0.034, 0.042, 0, 0, 0], at: [0, 0, "h"], velocity: [1, 0.3, 0],
        orientation: Rotations([X("phi"), Y(0.7)]), angular_velocity: [0, 0, 2], markers: { "c": [0.2, -0.15, -0.1] }) },
    contacts: { "floor": Touch(point: "box.c", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: "mu", restitution: "e")) },
    objectives: { "x": Final("box.x"), "y": Final("box.y"), "turn": Final("box.omega_y") },"#;

/// A shaft that turns and goes along its axis in a bush, and comes to rest.
const BUSH: &str = r#"
    parameters: { "B": 3.0, "w": 8.0, "v": 0.3, "r": 0.05 }, ground: { "O": [0, 0, 0] },
    bodies: { "shaft": Solid(mass: 2, inertia: [0.01, 0.01, 0.02, 0, 0, 0], guess: [0, 0, 0]) },
    joints: { "bush": Cylindrical(between: ("O", "shaft.origin"), axis: [0, 0, 1], angle: 0, angular_velocity: "w", position: 0, velocity: "v", friction: Preload(kinetic: "B", radius: "r")) },
    objectives: { "s": Final("bush.position"), "phi": Final("bush.angle"), "W": Integral("bush.heat") },"#;

/// A ball joint that turns in all ways and comes to rest, and a nut that comes down its thread.
const SOCKET: &str = r#"
    parameters: { "B": 0.3, "w": 3.0, "mu": 0.1, "lead": 0.05 }, ground: { "O": [0, 0, 0], "A": [1, 0, 0] }, gravity: [0, 0, -9.81],
    bodies: {
        "arm": Solid(mass: 1, inertia: [0.02, 0.03, 0.025, 0, 0, 0], at: [0, 0, 0], angular_velocity: ["w", 1, -2]),
        "nut": Solid(mass: 1, inertia: [0.02, 0.02, 0.01, 0, 0, 0], guess: [1, 0, 0]),
    },
    joints: {
        "ball": Spherical(between: ("O", "arm.origin"), friction: Preload(kinetic: "B")),
        "thread": Screw(between: ("A", "nut.origin"), axis: [0, 0, 1], lead: "lead", angle: 0, angular_velocity: 0, friction: Reaction(coefficient: "mu", radius: 0.02)),
    },
    objectives: { "W": Integral("ball.heat"), "u": Integral("ball.slip^2"), "phi": Final("thread.angle") },"#;

/// In space the direction of slip follows from the motion: through its beginning, its end, and impacts.
#[test]
fn slip_in_two_directions_has_them() {
    let scenes = [
        ("point", 1.2, POINT, vec!["stick", "slip", "stick"]),
        ("spinning", 0.5, SPINNING, vec!["impact", "impact"]),
        ("corner", 0.45, CORNER, vec!["impact"]),
        ("bush", 0.7, BUSH, vec![]),
        ("socket", 0.2, SOCKET, vec![]),
    ];
    for (name, duration, text, kinds) in scenes {
        let experiment = experiment(&spatial(duration, text), &tolerances(1e-10, 1e-12));
        let found = report(&experiment);
        let happened: Vec<&str> = happenings(&found).into_iter().map(|(_, kind)| kind).collect();
        assert_eq!(happened, kinds, "{name}");
        check_hessian(&experiment, 2e-5);
    }
}
