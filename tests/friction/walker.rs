//! The walker on two legs: its gait, and the friction that it needs.

use crate::support::{close, objective, report, shipped, tight, times};
use costate::run::{Changes, FrictionState, Method};

/// From an independent integration of the equations of its header.
const PERIOD: f64 = 1.231_350_881_662_110_6;

fn with(values: &[(&str, f64)]) -> Changes {
    Changes {
        parameters: values.iter().map(|(name, value)| (name.to_string(), *value)).collect(),
        ..tight()
    }
}

#[test]
fn the_gait_repeats_itself_and_its_heels_hold() {
    let experiment = shipped("walker_foot", &tight());
    let found = report(&experiment);
    let strikes: Vec<f64> = found
        .events
        .iter()
        .zip(times(&found))
        .filter(|(event, _)| event.kind == "rest")
        .map(|(_, t)| t)
        .collect();
    assert_eq!(strikes.len(), 2);
    close("first strike", strikes[0], PERIOD, 1e-9);
    close("second strike", strikes[1], 2.0 * PERIOD, 1e-8);
    let theta: f64 = 0.193_153_985_118_955_1;
    close("two steps", objective(&found, "last step"), 4.0 * theta.sin(), 1e-8);
    let ratio = objective(&found, "speed after the first step") / objective(&found, "speed before the first step");
    let closed_form = (2.0 * theta).cos() * 10.0 / (10.0 + 0.5 * (2.0 * theta).sin().powi(2));
    close("what a strike leaves", ratio, closed_form, 1e-9);
    let (_, recording) = experiment.run(true, &mut |_| ()).unwrap();
    let recording = recording.unwrap();
    let series = |name: &str| {
        &recording
            .outputs
            .iter()
            .find(|series| series.name == name)
            .unwrap()
            .values
    };
    let share = series("friction")
        .iter()
        .zip(series("normal force"))
        .map(|(along, normal)| (along / normal).abs());
    close("friction needed", share.fold(0.0, f64::max), 0.186_402_6, 1e-7);
    for course in &recording.frictions {
        assert!(!course.states.contains(&FrictionState::Slip), "{course:?}");
    }
}

#[test]
fn nearly_without_mass_of_the_feet_the_gait_is_the_published_one() {
    let found = report(&shipped(
        "walker_foot",
        &with(&[
            ("m", 0.001),
            ("mu", 0.2033),
            ("theta0", 0.200_310_9),
            ("rate0", -0.199_832_5),
        ]),
    ));
    let first = found
        .events
        .iter()
        .zip(times(&found))
        .find(|(event, _)| event.kind == "rest")
        .unwrap()
        .1;
    // The digits of the published start are magnified 85 times within a step.
    close("period", first * 9.81_f64.sqrt(), 3.882, 4e-3);
}

#[test]
fn with_less_friction_than_its_legs_ask_for_a_heel_slips() {
    let experiment = shipped("walker_foot", &with(&[("mu", 0.18)]));
    let (_, recording) = experiment.run(true, &mut |_| ()).unwrap();
    let slips = |course: &costate::run::FrictionCourse| course.states.contains(&FrictionState::Slip);
    assert!(recording.unwrap().frictions.iter().any(slips));
}

#[test]
fn its_gradients_agree_and_friction_that_holds_changes_nothing() {
    let experiment = shipped("walker_foot", &tight());
    let [adjoint, forward] = [Method::Adjoint, Method::Forward].map(|method| experiment.gradient(method).unwrap());
    for (a, b) in adjoint.objectives.iter().zip(&forward.objectives) {
        let [a, b] = [&a.gradient, &b.gradient];
        let size = a.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        for (parameter, (a, b)) in a.iter().zip(b).enumerate() {
            close("derivative", a / size, b / size, 1e-8);
            assert_eq!(*a == 0.0, parameter == 1, "only that by mu vanishes");
        }
    }
}
