//! Random slider-cranks and braked shafts with friction in their joints: no energy from nowhere, and the methods agree.

use costate::error::ErrorKind;
use costate::run::Method;

use crate::support::{experiment, planar, tolerances};

/// How many of each are tried.
const COUNT: u64 = 60;

/// A generator of numbers in a range, the same at every run.
pub(super) struct Random(pub u64);

impl Random {
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let unit = (self.0 >> 11) as f64 / (1_u64 << 53) as f64;
        low + (high - low) * unit
    }
}

fn slider_crank(random: &mut Random) -> String {
    let mut any = |low, high| random.within(low, high);
    let (r, l) = (any(0.05, 0.15), any(0.2, 0.5));
    let guide = match any(0.0, 3.0) {
        x if x < 1.0 => format!("Preload(kinetic: \"{}*mu\")", any(0.0, 20.0)),
        x if x < 2.0 => format!("Reaction(coefficient: \"mu\", static: \"{}*mu\")", any(1.0, 1.5)),
        _ => format!(
            "Reaction(coefficient: \"mu\", viscous: {}, stribeck: {}, static: \"1.2*mu\")",
            any(0.0, 1.0),
            any(0.1, 1.0)
        ),
    };
    let pivot = match any(0.0, 2.0) {
        x if x < 1.0 => String::new(),
        _ => format!(
            ", friction: Reaction(coefficient: \"mu\", radius: {})",
            any(0.005, 0.03)
        ),
    };
    let (angle, speed, turn) = (any(-3.0, 3.0), any(-20.0, 20.0), any(-0.3, 0.3));
    planar(
        0.4,
        &format!(
            r#"gravity: [0, -9.81], parameters: {{ "mu": {mu}, "r": {r}, "l": {l}, "T": {torque}, "w0": {speed} }},
            ground: {{ "O": [0, 0] }},
            points: {{ "slider": (guess: [{guess}, 0], mass: {mass}) }},
            bodies: {{
                "crank": Rigid(mass: 0.1, inertia: 0.003, at: [0, 0, {angle}], velocity: [0, 0, "w0"], markers: {{ "pin": ["r", 0] }}),
                "rod": Rigid(mass: 0.3, inertia: "0.3*l^2/12", guess: [{middle}, {high}, {tilt}], markers: {{ "a": ["-l/2", 0], "b": ["l/2", 0] }}),
            }},
            joints: {{
                "pivot": Revolute(between: ("O", "crank.origin"){pivot}),
                "pin": Revolute(between: ("crank.pin", "rod.a")),
                "wrist": Revolute(between: ("rod.b", "slider")),
                "guide": PointOnLine(point: "slider", line: Fixed(through: [0, 0], direction: [1, 0]), friction: {guide}),
            }},
            forces: {{ "motor": Torque(on: "crank", torque: "T*cos({frequency}*t)") }},
            objectives: {{ "phi": Final("crank.angle"), "W": Integral("guide.heat") }},"#,
            mu = any(0.02, 0.4),
            torque = any(-0.5, 0.5),
            guess = r * f64::cos(angle) + l,
            mass = any(0.1, 1.0),
            middle = r * f64::cos(angle) + 0.5 * l,
            high = 0.5 * r * f64::sin(angle),
            tilt = -r * f64::sin(angle) / l + 0.01 * turn,
            frequency = any(0.0, 30.0),
        ),
    )
}

fn shaft(random: &mut Random) -> String {
    let mut any = |low, high| random.within(low, high);
    planar(
        3.0,
        &format!(
            r#"parameters: {{ "J": {}, "w1": {}, "w2": {}, "Tk": {}, "Tc": {}, "a": {} }},
            ground: {{ "A": [0, 0] }},
            bodies: {{
                "one": Rigid(mass: 1, inertia: "J", at: [0, 0, 0], velocity: [0, 0, "w1"]),
                "two": Rigid(mass: 1, inertia: 0.7, at: [0, 0, 0], velocity: [0, 0, "w2"]),
            }},
            joints: {{
                "brake": Revolute(between: ("A", "one.origin"), friction: Preload(kinetic: "Tk*(1 + 0.5*sin({}*t))", static: "{}*Tk*(1 + 0.5*sin(3*t)) + Tk")),
                "clutch": Revolute(between: ("one.origin", "two.origin"), friction: Preload(kinetic: "Tc", static: "{}*Tc", stribeck: {})),
            }},
            forces: {{ "load": Torque(on: "two", torque: "a*sin({}*t)"), "motor": Torque(on: "one", torque: "a*cos(t)") }},
            objectives: {{ "two": Final("two.angle"), "W": Integral("brake.heat + clutch.heat") }},"#,
            any(0.1, 1.0),
            any(-5.0, 5.0),
            any(-5.0, 5.0),
            any(0.1, 2.0),
            any(0.1, 2.0),
            any(0.5, 4.0),
            any(1.0, 5.0),
            any(1.0, 1.5),
            any(1.0, 1.5),
            any(0.2, 1.0),
            any(1.0, 6.0),
        ),
    )
}

/// How many end with a value, and events of each kind on the way. All others are refused as singular.
fn hold(scene: impl Fn(&mut Random) -> String, seed: u64) -> (u64, Vec<String>) {
    let (mut random, mut done, mut kinds) = (Random(seed), 0, Vec::new());
    for k in 0..COUNT {
        let text = scene(&mut random);
        let experiment = experiment(&text, &tolerances(1e-11, 1e-13));
        let report = match experiment.run_balanced(false, &mut |_| {}) {
            Ok((report, _)) => report,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Singular, "{k}: {error}\n{text}");
                continue;
            }
        };
        let balance = report.balance.as_ref().unwrap();
        assert!(balance.missing.abs() < 1e-8, "{k}: {:e}\n{text}", balance.missing);
        let heat = report.objectives.iter().find(|(name, _)| name == "W").unwrap().1;
        assert!(heat >= -1e-10, "{k}: {heat}");
        kinds.extend(report.events.iter().map(|event| event.kind.clone()));
        let [adjoint, forward] = [Method::Adjoint, Method::Forward].map(|method| experiment.gradient(method).unwrap());
        for (a, b) in adjoint.objectives.iter().zip(&forward.objectives) {
            let scale = b.gradient.iter().fold(1e-3, |most: f64, slope| most.max(slope.abs()));
            for (a, b) in a.gradient.iter().zip(&b.gradient) {
                assert!((a - b).abs() < 1e-9 * scale, "{k}: {a} {b}\n{text}");
            }
        }
        done += 1;
    }
    (done, kinds)
}

#[test]
fn slider_cranks_gain_nothing_and_the_methods_agree() {
    let (done, kinds) = hold(slider_crank, 1);
    // Of those that come to rest with friction from the reactions of two joints it is not determined which of them holds.
    assert!(done > 3 * COUNT / 4, "{done}");
    for kind in ["reverse", "side", "stick"] {
        assert!(kinds.iter().any(|other| other == kind), "{kind}");
    }
}

#[test]
fn shafts_gain_nothing_and_the_methods_agree() {
    let (done, kinds) = hold(shaft, 2);
    assert_eq!(done, COUNT);
    for kind in ["reverse", "slip", "stick"] {
        assert!(kinds.iter().any(|other| other == kind), "{kind}");
    }
}
