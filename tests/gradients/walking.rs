//! A rimless wheel that walks down a slope: the trailing foot sticks until the next one lands, and lets go then.

use std::f64::consts::PI;

use costate::run::{Experiment, Method};
use costate::scene::parse;

use crate::{changes, of, worst_difference};

/// Length and mass of the wheel, inertia of its hub, slope, speed at the start, gravity.
const VALUES: [(&str, f64); 6] = [
    ("l", 1.0),
    ("m", 1.5),
    ("J", 0.25),
    ("s", 0.15),
    ("w", 1.2),
    ("g", 9.81),
];

/// A wheel with six feet that starts upright on one of them.
fn wheel(law: &str, duration: f64) -> Experiment {
    let values: Vec<String> = VALUES
        .iter()
        .map(|(name, value)| format!("\"{name}\": {value:?}"))
        .collect();
    let foot = |k: usize| format!(r#""f{k}": ["l*sin({k}*pi/3)", "-l*cos({k}*pi/3)"]"#);
    let contact = |k: usize| {
        format!(r#""foot {k}": Touch(point: "hub.f{k}", surface: Plane(through: [0, 0], normal: [0, 1]), law: {law})"#)
    };
    let objective = |k: usize| format!(r#""foot {k}": AtEvents(of: "hub.omega^2", event: "foot {k}", side: Before)"#);
    let all = |text: &dyn Fn(usize) -> String| (0..6).map(text).collect::<Vec<_>>().join(", ");
    let text = format!(
        r#"Scene(name: "rimless wheel", space: Planar, gravity: ["g*sin(s)", "-g*cos(s)"], parameters: {{ {} }},
        bodies: {{ "hub": Rigid(mass: "m", inertia: "J", at: [0, "l", 0], velocity: ["l*w", 0, "-w"], markers: {{ {} }}) }},
        contacts: {{ {} }},
        objectives: {{ {} }},
        simulation: (duration: {duration}))"#,
        values.join(", "),
        all(&foot),
        all(&contact),
        (1..4).map(objective).collect::<Vec<_>>().join(", ")
    );
    Experiment::new(&parse("wheel.ron", &text).unwrap(), &changes(1e-12, 1e-14)).unwrap()
}

/// Squares of the speeds just before the feet land: energy from step to step, omega+ = omega- (J + m l^2 cos(pi/3)) / (J + m l^2).
fn landings([l, m, j, s, w, g]: [f64; 6], steps: usize) -> Vec<f64> {
    let (whole, half) = (j + m * l * l, PI / 6.0);
    let kept = (j + m * l * l * (2.0 * half).cos()) / whole;
    let gained = |from: f64, to: f64| 2.0 * m * g * l * ((s + from).cos() - (s + to).cos()) / whole;
    let next = |square: &f64| Some(square * kept * kept + gained(-half, half));
    let first = w * w + gained(0.0, half);
    std::iter::successors(Some(first), next).take(steps).collect()
}

/// What the objective `foot k` comes to: the squares of the speeds at which the foot lands and lets go.
fn at_foot(k: usize, values: [f64; 6]) -> f64 {
    let landings = landings(values, k + 1);
    landings[k - 1] + landings[k]
}

#[test]
fn each_foot_lets_go_when_the_next_one_lands() {
    for law in ["Stick", "StickUntil(1e3)"] {
        let (report, _) = wheel(law, 8.0).run(false, &mut |_| {}).unwrap();
        let feet: Vec<(&str, &str)> = (report.events.iter())
            .map(|event| (event.name.as_str(), event.kind.as_str()))
            .collect();
        let want = [
            ("foot 1", "stick"),
            ("foot 0", "release"),
            ("foot 2", "stick"),
            ("foot 1", "release"),
        ];
        assert_eq!(feet[..4], want);
        assert!(feet.len() >= 8, "{feet:?}");
        for pair in report.events.chunks_exact(2) {
            assert_eq!(pair[0].t, pair[1].t);
        }
        for k in 1..4 {
            let (got, want) = (report.objectives[k - 1].1, at_foot(k, VALUES.map(|(_, value)| value)));
            assert!((got - want).abs() < 1e-10, "foot {k}: {got} instead of {want}");
        }
    }
}

#[test]
fn the_gradient_follows_the_wheel_over_its_steps() {
    let wheel = wheel("Stick", 8.0);
    let adjoint = wheel.gradient(Method::Adjoint).unwrap();
    let error = worst_difference(&adjoint, &wheel.gradient(Method::Forward).unwrap());
    assert!(error < 1e-10, "adjoint against forward: {error:e}");
    let values = VALUES.map(|(_, value)| value);
    for (i, (parameter, value)) in VALUES.into_iter().enumerate() {
        let at = |h: f64| {
            let mut moved = values;
            moved[i] += h;
            at_foot(3, moved)
        };
        let h = 1e-5 * value;
        let want = (at(h) - at(-h)) / (2.0 * h);
        let got = of(&adjoint, "foot 3", parameter);
        assert!(
            (got - want).abs() < 1e-8 * want.abs().max(1.0),
            "by {parameter}: {got} instead of {want}"
        );
        assert!(got != 0.0);
    }
}

#[test]
fn the_wheel_comes_to_walk_evenly() {
    let (report, _) = wheel("Stick", 40.0).run(false, &mut |_| {}).unwrap();
    let landings: Vec<f64> = (report.events.iter())
        .filter(|event| event.kind == "stick")
        .map(|event| event.t)
        .collect();
    let steps: Vec<f64> = landings.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps.len() > 20, "{steps:?}");
    let (last, before) = (steps[steps.len() - 1], steps[steps.len() - 2]);
    assert!((last - before).abs() < 1e-9, "{steps:?}");
    assert!((steps[0] - before).abs() > 1e-3, "{steps:?}");
}
