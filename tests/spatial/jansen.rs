//! A body in space that walks on two Jansen legs: its feet are those of the planar leg, and it goes as the foot that sticks goes back.

use crate::support::{close, objective, shipped, times};
use costate::run::{Changes, Experiment, Method};

/// The published lengths in metres.
const A: f64 = 0.38;
const L: f64 = 0.078;
const M: f64 = 0.15;

fn walker() -> Experiment {
    let changes = Changes {
        rtol: Some(1e-10),
        atol: Some(1e-11),
        ..Changes::default()
    };
    shipped("jansen_walker_3d", &changes)
}

/// The place at these distances from two others, to the left of the way from the first to the second, or to the right.
fn meet(first: [f64; 2], radius: f64, second: [f64; 2], other: f64, side: f64) -> [f64; 2] {
    let d = [second[0] - first[0], second[1] - first[1]];
    let length = d[0].hypot(d[1]);
    let along = (length * length + radius * radius - other * other) / (2.0 * length);
    let aside = side * (radius * radius - along * along).sqrt();
    [
        first[0] + (along * d[0] - aside * d[1]) / length,
        first[1] + (along * d[1] + aside * d[0]) / length,
    ]
}

/// The foot of the planar leg about the shaft, at an angle of the crank.
fn foot(angle: f64) -> [f64; 2] {
    let (pin, fixed) = ([M * angle.cos(), M * angle.sin()], [-A, -L]);
    let shoulder = meet(fixed, 0.415, pin, 0.5, 1.0);
    let knee = meet(fixed, 0.393, pin, 0.619, -1.0);
    let hip = meet(fixed, 0.401, shoulder, 0.558, 1.0);
    let ankle = meet(hip, 0.394, knee, 0.367, -1.0);
    meet(ankle, 0.657, knee, 0.49, -1.0)
}

#[test]
fn its_feet_are_those_of_the_planar_leg_and_it_goes_as_the_foot_that_sticks_goes_back() {
    let (_, recording) = walker().run(true, &mut |_| ()).unwrap();
    let recording = recording.unwrap();
    let series = |name: &str| {
        &recording
            .outputs
            .iter()
            .find(|series| series.name == name)
            .unwrap()
            .values
    };
    let (stick, change) = (0.01, 3.13);
    let first = recording.times.iter().position(|t| *t > stick).unwrap();
    for (k, &t) in recording.times.iter().enumerate() {
        for (leg, turn) in [("1", 0.0), ("2", std::f64::consts::PI)] {
            let [x, z] = foot(4.8036 + t + turn);
            close("x of a foot", series(&format!("x[{leg}]"))[k], x, 1e-9);
            close("z of a foot", series(&format!("z[{leg}]"))[k], z, 1e-9);
        }
        close("aside", series("aside")[k], 0.0, 1e-9);
        if t > stick && t < change {
            let [now, before] = [t, recording.times[first]].map(|t| foot(4.8036 + t));
            close("way", series("way")[k] - series("way")[first], before[0] - now[0], 1e-8);
            close("height", series("height")[k], -now[1], 1e-9);
        }
    }
}

#[test]
fn it_changes_its_feet_once_and_its_energy_is_accounted_for() {
    let (found, _) = walker().run_balanced(false, &mut |_| {}).unwrap();
    let kinds: Vec<(&str, &str)> = found
        .events
        .iter()
        .map(|event| (event.name.as_str(), event.kind.as_str()))
        .collect();
    assert_eq!(
        kinds,
        [
            ("sole[1]", "rest"),
            ("sole[1]", "stick"),
            ("sole[1]", "release"),
            ("sole[2]", "rest")
        ]
    );
    // Both feet are equally low there, by bisection.
    let apart = |t: f64| foot(4.8036 + t)[1] - foot(4.8036 + t + std::f64::consts::PI)[1];
    let (mut low, mut high) = (3.0, 3.3);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if apart(middle) < 0.0 {
            low = middle
        } else {
            high = middle
        }
    }
    close("change of feet", times(&found)[3], low, 1e-9);
    close("change of feet", objective(&found, "change of feet"), low, 1e-9);
    let balance = found.balance.expect("a balance");
    assert!(balance.missing.abs() < 1e-8, "{balance:?}");
}

#[test]
fn its_gradients_agree() {
    let experiment = walker();
    let [adjoint, forward] = [Method::Adjoint, Method::Forward].map(|method| experiment.gradient(method).unwrap());
    for (a, b) in adjoint.objectives.iter().zip(&forward.objectives) {
        let size = a.gradient.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        assert!(size > 0.1 || a.name == "change of feet", "{}", a.name);
        for (a, b) in a.gradient.iter().zip(&b.gradient) {
            close("derivative", a / size, b / size, 1e-7);
        }
    }
}
