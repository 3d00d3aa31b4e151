//! Derivatives over time.

use costate::run::Changes;

use crate::support::{experiment, tolerances};
use crate::{ball, shipped};

#[test]
fn derivatives_over_time_are_those_of_the_closed_form_on_both_sides_of_the_impact() {
    let found = experiment(&ball(0.8, 0.5), &tolerances(1e-11, 1e-13))
        .sensitivities()
        .unwrap()
        .remove(0);
    let recording = &found.recording;
    let (h, e, g) = (1.0_f64, 0.5, 10.0_f64);
    let (v, t1) = ((2.0 * g * h).sqrt(), (2.0 * h / g).sqrt());
    for (phase, range) in recording.phase_ranges().enumerate() {
        for k in range {
            let s = recording.times[k] - t1;
            let by_h = match phase {
                0 => 1.0,
                _ => e * (g / v) * s - (e * v - g * s) * t1 / (2.0 * h),
            };
            assert!((found.slopes[0][0][k] - by_h).abs() < 1e-9, "{phase} {s}");
        }
    }
    // Two rows at the event: the derivative jumps from 1 to -e.
    let after = recording.phases[1];
    assert_eq!(recording.times[after - 1], recording.times[after]);
    assert!((found.slopes[0][0][after] + e).abs() < 1e-9);
    assert!((found.event_slopes[0][0] - t1 / (2.0 * h)).abs() < 1e-10);
}

#[test]
fn the_last_row_is_the_gradient_of_the_final_values() {
    let experiment = shipped("five_bar_restitution", &Changes::default());
    let found = experiment.sensitivities().unwrap().remove(0);
    let report = experiment.gradient(costate::run::Method::Forward).unwrap();
    for (output, slopes) in found.recording.outputs.iter().zip(&found.slopes) {
        let objective = report
            .objectives
            .iter()
            .find(|objective| objective.name == output.name)
            .unwrap();
        for (slopes, slope) in slopes.iter().zip(&objective.gradient) {
            let last = slopes.last().unwrap();
            assert!(
                (last - slope).abs() <= 1e-9 * slope.abs().max(1e-3),
                "{}: {last} {slope}",
                output.name
            );
        }
    }
}
