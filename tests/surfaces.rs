//! Surfaces with ends and corners, and curves through points: closed forms, derivatives, refusals.

#[path = "surfaces/curves.rs"]
mod curves;
#[path = "surfaces/derivatives.rs"]
mod derivatives;
#[path = "surfaces/edges.rs"]
mod edges;
#[path = "surfaces/refused.rs"]
mod refused;
mod support;

/// A point or disc that comes down on a table with corners.
fn table(radius: f64, law: &str, speed: f64) -> String {
    format!(
        r#"gravity: [0, -9.81], parameters: {{ "v": {speed}, "h": 0.5, "e": 0.5, "r": {radius} }},
        points: {{ "P": (at: [-0.5, 0.7], velocity: ["v", 0], mass: 1) }},
        contacts: {{ "table": Touch(point: "P", radius: {}, surface: Polyline(points: [[-1, 0], [-1, "h"], [1, "h"], [1, 0]]), law: {law}) }},
        outputs: {{ "x": "P.x", "y": "P.y", "vy": "P.vy" }},
        objectives: {{ "end": Final("P.x + P.y + P.vy"), "way": Integral("P.y^2 + P.x") }},"#,
        if radius > 0.0 { "\"r\"" } else { "0" },
    )
}

/// A follower on a cam that turns, pressed by a spring.
const CAM: &str = r#"
    ground: { "O": [0, 0] }, parameters: { "a": 0.5, "b": 0.7, "w": 3.0, "m": 1.0, "r": 0.1, "k": 300.0 },
    bodies: { "cam": Rigid(mass: 1, inertia: 0.1, guess: [0, 0, 0.2], hold: [Angle], velocity: [0, 0, "w"]) },
    points: { "F": (at: [0, 0.85], mass: "m") },
    joints: {
        "axle": Revolute(between: ("cam.origin", "O")),
        "motor": DriveAngle(body: "cam", angle: "0.2 + w*t"),
        "guide": PointOnLine(point: "F", line: Fixed(through: [0, 0], direction: [0, 1])),
    },
    forces: { "spring": Spring(from: "O", to: "F", stiffness: "k", natural_length: 0.2) },
    contacts: { "face": Touch(point: "F", radius: "r",
        surface: Spline(points: [["a", 0], [0, -0.5], [-0.5, 0], [0, "b"]], closed: true, on: "cam"), law: Restitution(0)) },
    outputs: { "y": "F.y" },
    objectives: { "end": Final("F.y + F.vy"), "way": Integral("F.y^2"), "pull": Integral("motor.torque^2") },
"#;
