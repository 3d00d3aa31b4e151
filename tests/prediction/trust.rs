//! How far predictions say that they may be trusted.

use costate::error::ErrorKind;
use costate::run::{Cause, Experiment, Trust};

use super::support::{close, experiment, planar, shipped, tight};
use super::{ball, prediction};

fn trust(experiment: &Experiment, dp: &[f64]) -> Trust {
    let trust = prediction(experiment).trust(dp).expect("it compiles");
    assert!(trust.times.len() == trust.opening.len() && trust.times.len() == trust.defect.len());
    trust
}

fn order(first: &str, second: &str) -> Cause {
    let [first, second] = [first, second].map(str::to_string);
    Cause::Order { first, second }
}

fn most(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| f64::max(most, *value))
}

#[test]
fn the_defect_of_an_oscillator_is_that_of_its_closed_form() {
    let text = planar(
        3.0,
        r#"parameters: { "k": 4.0 }, ground: { "O": [0, 0] },
        points: { "P": (at: [1.5, 0], velocity: [0, 0], mass: 1) },
        forces: { "spring": Spring(from: "O", to: "P", stiffness: "k", natural_length: 1) },"#,
    );
    let dk = 0.05;
    let trust = trust(&experiment(&text, &tight()), &[dk]);
    // r = 1 + cos(w t)/2, dr/dk = -t sin(w t)/(4 w): the accelerations differ by dk^2 dr/dk; the largest is 2.
    for (t, defect) in trust.times.iter().zip(&trust.defect) {
        let slope = -t * (2.0 * t).sin() / 8.0;
        close("defect", *defect, dk * dk * slope.abs() / 2.0, 1e-10);
    }
    assert!(most(&trust.defect) > 1e-4);
    // Nothing is closed by a constraint here, and nothing happens.
    assert!(trust.opening.iter().all(|opening| *opening == 0.0) && trust.sequence.is_none());
    close("reach", trust.reach(1e-6), (1e-6 / most(&trust.defect)).sqrt(), 1e-12);
}

#[test]
fn residuals_vanish_without_a_change_and_grow_with_its_square() {
    let experiment = shipped("double_pendulum_wall", &tight());
    let dp: Vec<f64> = (1..=9).map(|k| 1e-4 / f64::from(k)).collect();
    let double: Vec<f64> = dp.iter().map(|change| 2.0 * change).collect();
    let [none, one, two] = [&[0.0; 9][..], &dp, &double].map(|dp| trust(&experiment, dp));
    for residual in [
        |trust: &Trust| most(&trust.opening),
        |trust: &Trust| most(&trust.defect),
    ] {
        let ratio = residual(&two) / residual(&one);
        assert!(
            residual(&none) < 1e-3 * residual(&one),
            "{:e} {:e}",
            residual(&none),
            residual(&one)
        );
        assert!((3.5..4.5).contains(&ratio), "{ratio}");
    }
    close("reach", two.reach(1e-9) / one.reach(1e-9), 0.5, 0.05);
}

#[test]
fn the_order_of_events_ends_where_one_is_predicted_to_overtake_another() {
    let text = planar(
        1.0,
        r#"parameters: { "h": 1.0, "H": 1.21 }, gravity: [0, -9.81],
        points: { "low": (at: [0, "h"], velocity: [0, 0], mass: 1), "high": (at: [1, "H"], velocity: [0, 0], mass: 1) },
        contacts: {
            "left":  Touch(point: "low", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.9)),
            "right": Touch(point: "high", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.9)),
        },"#,
    );
    let experiment = experiment(&text, &tight());
    let time = |h: f64| (2.0 * h / 9.81).sqrt();
    let limit = trust(&experiment, &[0.1, 0.0]).sequence.expect("it ends");
    assert_eq!(limit.cause, order("left", "right"));
    close(
        "fraction",
        limit.fraction,
        (time(1.21) - time(1.0)) / (0.1 * time(1.0) / 2.0),
        1e-9,
    );
    // The other way they part, until one leaves the simulated time.
    let limit = trust(&experiment, &[0.0, 0.1]).sequence.expect("it ends");
    assert_eq!(limit.cause, order("right", "end"));
    close(
        "fraction",
        limit.fraction,
        (1.0 - time(1.21)) / (0.1 * time(1.21) / 2.42),
        1e-9,
    );
}

#[test]
fn the_reach_ends_with_the_order_of_events_where_that_is_nearer() {
    let trust = trust(&ball(), &[0.1, 0.0, 0.0, 0.0]);
    let limit = trust.sequence.clone().expect("a bounce leaves");
    assert_eq!(limit.cause, order("floor", "end"));
    // A free fall depends linearly on its height, and nothing else limits the prediction.
    assert_eq!(trust.reach(1e-6), limit.fraction);
}

#[test]
fn a_change_beyond_the_bounds_of_a_parameter_is_refused() {
    let text = planar(
        1.0,
        r#"parameters: { "h": (value: 1.0, bounds: (0.5, 1.5)) },
        points: { "P": (at: [0, "h"], velocity: [0, 0], mass: 1) },"#,
    );
    let prediction = prediction(&experiment(&text, &tight()));
    let error = prediction.trust(&[0.7]).expect_err("beyond the bounds");
    assert!(
        error.kind() == ErrorKind::Request && error.advice().is_some(),
        "{error}"
    );
}
