//! What the certificate of gradients promises: green where all methods agree, marked where a difference crosses a change of
//! events, with margins that can be checked by hand; reasons where a parameter has no influence; the command line.

mod support;

#[cfg(feature = "cli")]
#[path = "certificate/command_line.rs"]
mod command_line;
#[path = "certificate/event_changes.rs"]
mod event_changes;
#[path = "certificate/influence.rs"]
mod influence;
#[path = "certificate/margins.rs"]
mod margins;
#[path = "certificate/sensitivities.rs"]
mod sensitivities;
#[path = "certificate/wanted.rs"]
mod wanted;

use costate::run::{Certificate, Changes, Experiment, Method, Verdict};
use support::{experiment, scenes, tolerances};

fn certify(experiment: &Experiment) -> Certificate {
    match experiment.certify(Method::Adjoint, &|_| {}) {
        Ok((_, certificate)) => certificate,
        Err(error) => panic!("{}: {error}", experiment.name),
    }
}

fn shipped(scene: &str, changes: &Changes) -> Experiment {
    Experiment::open(&scenes().join(format!("{scene}.ron")), changes).unwrap()
}

fn assert_green(experiment: &Experiment) {
    let certificate = certify(experiment);
    assert!(!certificate.entries.is_empty());
    for entry in &certificate.entries {
        let shown = format!(
            "{}: {:?} by {}: {}",
            experiment.name, entry.quantity, entry.parameter, entry.reason
        );
        assert_eq!(entry.verdict, Verdict::Passed, "{shown}");
        assert!(entry.difference.is_some() && entry.tolerance.is_finite(), "{shown}");
    }
}

#[test]
fn every_derivative_of_the_shipped_scenes_with_events_passes() {
    for scene in [
        "bouncing_ball",
        "double_pendulum_wall",
        "five_bar",
        "five_bar_restitution",
        "latch",
        "pendulum_with_stop",
    ] {
        assert_green(&shipped(scene, &Changes::default()));
    }
}

#[test]
fn every_derivative_of_the_shipped_scenes_without_events_passes() {
    for scene in ["n_four_bar", "slider_crank", "torsional_pendulum"] {
        assert_green(&shipped(scene, &Changes::default()));
    }
    // Less than the shipped time, which is slow.
    let short = Changes {
        duration: Some(0.3),
        ..Changes::default()
    };
    assert_green(&shipped("four_bar", &short));
}

/// A ball thrown on a floor from the height h; closed form of everything.
fn ball(duration: f64, e: f64) -> String {
    support::planar(
        duration,
        &format!(
            r#"parameters: {{ "h": 1.0, "e": (value: {e}, bounds: (0, 1)), "g": 10.0 }},
            gravity: [0, "-g"],
            points: {{ "ball": (at: [0, "h"], velocity: [0, 0], mass: 2) }},
            contacts: {{ "floor": Touch(point: "ball", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) }},
            outputs: {{ "y": "ball.y" }},
            objectives: {{ "y": Final("y") }},"#
        ),
    )
}

#[test]
fn difference_quotients_reach_the_closed_form_within_the_error_they_state() {
    let report = experiment(&ball(0.8, 0.5), &tolerances(1e-9, 1e-11))
        .gradient(Method::FiniteDifference)
        .unwrap();
    // y = e v s - g s^2/2 with v = sqrt(2 g h), t1 = v/g and s = T - t1.
    let (h, e, g, t) = (1.0_f64, 0.5, 10.0_f64, 0.8);
    let (v, t1) = ((2.0 * g * h).sqrt(), (2.0 * h / g).sqrt());
    let s = t - t1;
    let (v_h, t1_h, v_g, t1_g) = (g / v, t1 / (2.0 * h), h / v, -t1 / (2.0 * g));
    let slope = |v_p: f64, t1_p: f64| e * v_p * s - (e * v - g * s) * t1_p;
    let exact = [slope(v_h, t1_h), v * s, slope(v_g, t1_g) - s * s / 2.0];
    let differences = report.differences.as_ref().unwrap();
    for (k, exact) in exact.iter().enumerate() {
        let found = report.objectives[0].gradient[k];
        let error = differences.studies[k].estimates[0].unwrap().error;
        assert!(
            *exact != 0.0 && (found - exact).abs() <= 2.0 * error && error < 1e-6,
            "{k}: {found} {exact} {error:e}"
        );
    }
    let slopes = report.events[0].1.as_ref().unwrap();
    assert!((slopes[0] - t1_h).abs() < 1e-8 && (slopes[2] - t1_g).abs() < 1e-8);
}

#[test]
fn at_a_bound_of_a_parameter_the_difference_is_one_sided() {
    assert_green(&experiment(&ball(0.8, 1.0), &tolerances(1e-9, 1e-11)));
}
