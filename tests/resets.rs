//! Positions and velocities that events set: what the motion is afterwards, derivatives, refusals.

#[path = "resets/contacts.rs"]
mod contacts;
#[path = "resets/derivatives.rs"]
mod derivatives;
#[path = "resets/motions.rs"]
mod motions;
#[path = "resets/refused.rs"]
mod refused;
mod support;

/// A double pendulum whose second bar is turned on, and whose first is slowed down, when it comes by.
const DOUBLE_PENDULUM: &str = r#"
    ground: { "O": [0, 0] }, gravity: [0, -9.81],
    parameters: { "l": 1.0, "a": 0.8, "m": 2.0, "s": 0.5 },
    points: { "P": (guess: [1, 0], mass: 1), "Q": (guess: [2, 0], mass: "m") },
    bodies: {
        "up": Bar(from: "O", to: "P", length: "l", mass: 1, angle: 0.2),
        "low": Bar(from: "P", to: "Q", length: 0.7, mass: 0.4, angle: 0.1),
    },
    events: { "set": (
        when: Falling("P.y + 0.3"),
        then: [Reset("low.angle", "low.angle + a*P.vy^2/2"), Reset("up.omega", "s*up.omega + a/l")],
        once: true,
    ) },
    outputs: { "angle": "low.angle", "first": "up.angle" },
    objectives: { "end": Final("Q.x + P.y*Q.vy"), "way": Integral("low.angle + Q.x*P.y"),
        "jump": AtEvents(event: "set", side: After, of: "P.x + low.omega") },
"#;

/// A four-bar linkage whose crank is moved on while a spring pulls; its rod is a rigid body.
const FOUR_BAR: &str = r#"
    ground: { "O": [0, 0], "B": [1.5, 0] }, gravity: [0, -9.81],
    parameters: { "l": 1.0, "a": 0.4, "m": 1.5, "w": 1.0, "te": 0.3 },
    points: { "P": (guess: [0, 1], mass: "m"), "Q": (guess: [1.5, 1.2], mass: 1) },
    bodies: {
        "crank": Bar(from: "O", to: "P", length: "l", mass: 0.5, angle: 1.7, angular_velocity: "w"),
        "rod": Bar(from: "P", to: "Q", length: 1.6, mass: "0.5*m"),
        "rocker": Bar(from: "B", to: "Q", length: 1.3, mass: 0.7),
        "box": Rigid(mass: 1, inertia: 0.2, centre: [0.1, "0.1*m"], at: [-1, 0, 0.2], velocity: [0.3, 0, 1], markers: { "ear": [0.3, 0.2] }),
    },
    forces: {
        "spring": Spring(from: "P", to: "B", stiffness: 20, natural_length: 1),
        "tie": Spring(from: "box.ear", to: "Q", stiffness: 15, natural_length: 2, one_sided: Tension),
    },
    joints: { "catch": Link(from: "box.ear", to: "P", length: "1.2*l", active: false) },
    events: {
        "set": (when: At("te"), then: [Reset("crank.angle", "crank.angle + a*w + 0.1*crank.omega")]),
        "join": (when: At("te + 0.2"), then: [Enable("catch"), Reset("box.angle", "box.angle - a")]),
        "kick": (when: At("te + 0.4"), then: [Reset("Q.vx", "0.5*Q.vx - a")]),
    },
    objectives: { "end": Final("Q.y*Q.x + P.vy + box.x"), "way": Integral("Q.x*Q.y + rod.angle^2 + box.angle") },
"#;
