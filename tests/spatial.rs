//! Rigid bodies in space: closed forms and reference values, what stays constant, gradients by every method, and what is refused.

mod support;

#[path = "spatial/arms.rs"]
mod arms;
#[path = "spatial/bushings.rs"]
mod bushings;
#[path = "spatial/closed_form.rs"]
mod closed_form;
#[path = "spatial/contacts.rs"]
mod contacts;
#[path = "spatial/derivatives.rs"]
mod derivatives;
#[path = "spatial/events.rs"]
mod events;
#[path = "spatial/formulations.rs"]
mod formulations;
#[path = "spatial/frames.rs"]
mod frames;
#[path = "spatial/free_rates.rs"]
mod free_rates;
#[path = "spatial/jansen.rs"]
mod jansen;
#[path = "spatial/joints.rs"]
mod joints;
#[path = "spatial/kept.rs"]
mod kept;
#[path = "spatial/redundant.rs"]
mod redundant;
#[path = "spatial/reference.rs"]
mod reference;
#[path = "spatial/refused.rs"]
mod refused;
#[path = "spatial/resets.rs"]
mod resets;
#[path = "spatial/rims.rs"]
mod rims;
#[path = "spatial/second.rs"]
mod second;
#[path = "spatial/shapes.rs"]
mod shapes;
#[path = "spatial/sliding.rs"]
mod sliding;
#[path = "spatial/written.rs"]
mod written;

/// Two bodies on spherical joints with bars, points, springs and slots, off the axes in every way: the inertia tensors have all entries, a
/// point along a line comes after the bodies, one orientation and some velocities follow from the assembly.
pub const MIXTURE: &str = r#"
    gravity: [0.3, 0, "-g"],
    parameters: {
        "m": 1.2, "cx": 0.05, "cy": -0.07, "cz": 0.4, "Jxx": 0.06, "Jyy": 0.09, "Jzz": 0.05, "Jxy": 0.01, "Jxz": -0.005, "Jyz": 0.008,
        "M": 0.7, "dx": 0.15, "Kxx": 0.02, "Kyz": 0.003, "g": 9.81, "theta": 0.6, "phi": 0.2, "w1": 0.3, "w3": 2.0,
        "px": 0.1, "pz": 0.5, "k": 30.0, "c": 0.8, "l": 0.5, "ax": 0.02, "L": 0.6, "mp": 0.4, "axis": 0.3,
    },
    ground: { "foot": [0, 0, "ax"], "hook": [0.7, 0.4, 0.2] },
    points: { "P": (guess: [0.9, 0.1, -0.2], mass: "mp"), "Q": (guess: [1.5, 0.1, -0.2], mass: "mp") },
    bodies: {
        "one": Solid(mass: "m", inertia: ["Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz"], centre_of_mass: ["cx", "cy", "cz"],
            guess: [0.01, 0.02, 0], hold: [Orientation], orientation: Rotations([Z("phi"), X("theta")]),
            angular_velocity: ["w1", 0.5, "w3"], markers: { "tip": ["px", 0.2, "pz"], "foot": [0.01, "ax", 0.03] }),
        "rod": Bar(from: "P", to: "Q", length: 0.6, mass: 0.3),
        "two": Solid(mass: "M", inertia: ["Kxx", 0.03, 0.025, 0.001, 0.002, "Kyz"], centre_of_mass: ["dx", 0.02, -0.1],
            guess: [0.2, 0.3, 0.6], orientation: AxisAngle(axis: [1, "axis", 0.2], angle: 0.4), angular_velocity: [1, "free", 0.5],
            markers: { "a": [-0.1, 0.05, 0.02], "b": [0.3, 0, -0.1] }),
    },
    joints: {
        "ball": Spherical(between: ("foot", "one.foot")),
        "knee": Spherical(between: ("one.tip", "two.a")),
        "link": Link(from: "two.b", to: "P", length: "L"),
        "slot": PointOnLine(point: "Q", line: Through("two.a", "two.b")),
        "plane": PointOnPlane(point: "two.b", through: [0.4, 0, 0], normal: [1, 0.2, 0.1]),
    },
    forces: {
        "spring": Spring(from: "hook", to: "two.b", stiffness: "k", natural_length: "l", damping: "c"),
        "inner": Spring(from: "foot", to: "Q", stiffness: "k", natural_length: 0.3),
        "wind": Load(at: "one.tip", force: ["2*sin(5*t)", 0, 0.4]),
        "drag": Drag(at: "two.b", linear: 0.05, quadratic: 0.02),
    },
    objectives: {
        "x": Final("two.b.x"), "vy": Final("two.b.vy"), "az": Final("two.b.az"), "q2": Final("two.q2"), "omega": Final("two.omega_y"),
        "alpha": Final("one.alpha_x"), "F": Final("knee.fy"), "T": Final("link.force"), "E": Integral("energy.kinetic"),
        "l": Final("two.l_x"), "p": Final("one.p_y"), "pull": Integral("spring.force^2"), "ay": Final("two.ay"),
        "total": Final("energy.total"), "U": Final("energy.potential"), "Pvx": Final("P.vx"),
    },
"#;
