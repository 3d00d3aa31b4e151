//! Forces that follow the motion: closed loops against closed forms, power, derivatives, refusals.

#[path = "feedback/closed_form.rs"]
mod closed_form;
#[path = "feedback/derivatives.rs"]
mod derivatives;
#[path = "feedback/kinks.rs"]
mod kinks;
#[path = "feedback/lags.rs"]
mod lags;
#[path = "feedback/memory.rs"]
mod memory;
#[path = "feedback/power.rs"]
mod power;
#[path = "feedback/refused.rs"]
mod refused;
mod support;

use costate::run::{Experiment, GradientReport, Method};

/// Feedback of every kind in one mechanism: through a spring, another spring's force, an output, memory and time.
const MIXTURE: &str = r#"
    parameters: { "k": 40.0, "c": 0.8, "l0": 0.7, "kt": 3.0, "s": 2.0, "F": 1.5, "e": 0.6 },
    gravity: [0, -9.81],
    ground: { "O": [0, 0], "W": [1.5, 0.5] },
    points: { "P": (guess: [0.8, -0.6], mass: 1), "Q": (guess: [1.4, -1.1], mass: 0.7) },
    bodies: {
        "a": Bar(from: "O", to: "P", length: 1, mass: 0.5, angle: -0.6),
        "b": Bar(from: "P", to: "Q", length: 0.8, mass: 0.3, angle: -0.7),
        "box": Rigid(mass: 1, inertia: 0.2, at: [-1, 0, 0.2], velocity: [0.3, 0, 1]),
    },
    forces: {
        "s1": Spring(from: "W", to: "Q", stiffness: "k*(1 + 0.3*sin(a.angle))", natural_length: "l0 + 0.05*b.omega",
            damping: "c*(1 + Q.vx^2)"),
        "s2": Spring(from: "box.origin", to: "P", stiffness: "5 + 0.2*s1.force + speed", natural_length: 1),
        "rope": Spring(from: "box.origin", to: "Q", stiffness: 6, natural_length: "1.9 + 0.1*a.omega", one_sided: Tension),
        "t1": TorsionSpring(between: ("a", "b"), stiffness: "kt*(1 + energy.kinetic/20)", natural_angle: "0.2*box.angle",
            damping: "0.1 + 0.05*t"),
        "push": Load(at: "Q", force: ["-F*P.vx - s2.length", "F*cos(t)*Q.y*gain"], frame: Body("a")),
        "turn": Torque(on: "box", from: "a",
            torque: "max(-s, min(s, -3*(box.angle - a.angle) - 0.4*(box.omega - a.omega)))"),
        "air": Drag(at: "box.origin", linear: "0.1*abs(box.x)", quadratic: "0.05*(1 + t1.torque^2)"),
        "lift": Load(at: "box.origin", force: [0, 9.81]),
    },
    memory: { "gain": 0.5 },
    contacts: { "ceiling": Touch(point: "Q", surface: Plane(through: [0, -0.65], normal: [0, -1]), law: Restitution("e")) },
    events: { "up": (when: Rising("a.omega - 0.4"), then: [Set("gain", "gain + 0.1*P.vy")]) },
    outputs: { "speed": "P.vx^2 + P.vy^2" },
    objectives: {
        "place": Final("a.angle + box.x"),
        "pull": Integral("s2.force^2/100 + box.angle"),
        "energy": Integral("energy.total/10"),
        "force": Final("Q.ay/20 + t1.torque + s1.force/10"),
    },"#;

/// Entry of a gradient.
fn slope(report: &GradientReport, objective: &str, parameter: &str) -> f64 {
    let place = report.parameters.iter().position(|name| name == parameter);
    let found = report.objectives.iter().find(|found| found.name == objective);
    found.expect("an objective").gradient[place.expect("a parameter")]
}

/// Largest difference of two gradients, over the largest entry of the row.
fn apart(a: &GradientReport, b: &GradientReport) -> f64 {
    let rows = a.objectives.iter().zip(&b.objectives);
    let of_row = rows.map(|(a, b)| {
        let size = a.gradient.iter().fold(1e-9, |most: f64, x| most.max(x.abs()));
        let differences = a.gradient.iter().zip(&b.gradient).map(|(a, b)| (a - b).abs() / size);
        differences.fold(0.0, f64::max)
    });
    of_row.fold(0.0, f64::max)
}

fn gradient(experiment: &Experiment, method: Method) -> GradientReport {
    experiment.gradient(method).unwrap_or_else(|error| panic!("{error}"))
}
