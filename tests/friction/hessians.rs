//! Second derivatives through stick, slip and impacts with friction, held to differences of exact gradients.

use costate::error::Error;
use costate::run::Changes;

use crate::support::{check_hessian, experiment, planar, spatial, tight, tolerances};

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

/// In space, joints with one freedom have them too.
#[test]
fn hinges_in_space_have_them_and_surfaces_are_refused() {
    let rotor = r#"
        gravity: [0, 0, -9.81], parameters: { "mu": 0.2, "rho": 0.02, "d": 0.03, "w0": 4.0 }, ground: { "O": [0, 0, 0] },
        bodies: { "disc": Solid(mass: 3, inertia: [0.02, 0.01, 0.02, 0, 0, 0], centre_of_mass: [0.02, "d", 0], guess: [0, 0, 0]) },
        joints: { "bearing": Revolute(between: ("O", "disc.origin"), axis: [0, 1, 0], angle: 0, angular_velocity: "w0", friction: Reaction(coefficient: "mu", radius: "rho", length: 0.1)) },
        objectives: { "phi": Final("bearing.angle"), "W": Integral("bearing.heat") },"#;
    check_hessian(&experiment(&spatial(0.3, rotor), &tolerances(1e-10, 1e-12)), 2e-5);
    let point = r#"points: { "P": (at: [0, 0, 0], mass: 1, velocity: [1, 0, 0]) }, gravity: [0, 0, -9.81], parameters: { "mu": 0.1 },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Friction(coefficient: "mu")) },
        objectives: { "x": Final("P.x") },"#;
    let error: Error = experiment(&spatial(0.1, point), &Changes::default())
        .hessian(&|_| {})
        .map(|_| ())
        .unwrap_err();
    assert!(
        error.to_string().contains("floor") && error.to_string().contains("second derivatives"),
        "{error}"
    );
}
