//! What a page predicts of the curves of the outputs: second order in the change of a parameter, through events.

use costate::export::Motion;
use costate::run::{Changes, Experiment};
use costate::show::Show;
use serde_json::Value;

use super::page::{courses, data, html, index, list, numbers};
use super::show;
use super::support::{planar, tight};

/// Enough that the polynomials between samples leave nothing over.
const SAMPLES: u32 = 1500;

fn experiment(text: &str, set: &[(&str, f64)]) -> Experiment {
    let parameters = set.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    super::support::experiment(text, &Changes { parameters, ..tight() })
}

/// Times and values of a predicted curve by smooth piece, as the page moves them.
fn predicted(page: &Value, (parameter, output): (usize, usize), change: f64) -> Vec<Vec<(f64, f64)>> {
    let (outputs, times) = (&page["outputs"], numbers(&page["outputs"]["times"]));
    let values = numbers(&outputs["series"][output]["values"]);
    let sides = list(&page["parameters"][parameter]["prediction"]["curves"]);
    let side = if change > 0.0 { "above" } else { "below" };
    let mut fitting = sides
        .iter()
        .filter(|curves| curves["side"].is_null() || curves["side"] == side);
    let curves = fitting.next().unwrap_or_else(|| panic!("no curves {side}"));
    let courses = courses(&curves["tracks"], times.len());
    let slope = |k: usize| match &curves["slopes"][output] {
        Value::Array(course) => super::page::value(course, &courses, k),
        constant => constant.as_f64().unwrap(),
    };
    let starts: Vec<usize> = list(&outputs["phases"]).iter().map(index).collect();
    let ends = starts[1..].iter().copied().chain([times.len()]);
    let pieces = starts.iter().zip(ends).zip(list(&curves["shifts"]));
    let piece = |((&first, end), shifts): ((&usize, usize), &Value)| {
        let (shifts, from, to) = (numbers(shifts), times[first], times[end - 1]);
        let point = |k: usize| {
            let part = if to > from {
                (times[k] - from) / (to - from)
            } else {
                0.0
            };
            let shift = shifts[0] + part * (shifts[1] - shifts[0]);
            (times[k] + change * shift, values[k] + change * slope(k))
        };
        (first..end).map(point).collect()
    };
    pieces.map(piece).collect()
}

/// The polynomial through the four samples about a time.
fn at(times: &[f64], values: &[f64], t: f64) -> f64 {
    let first = times
        .partition_point(|known| *known < t)
        .saturating_sub(2)
        .min(times.len() - 4);
    let places = first..first + 4;
    let weight = |i: usize| {
        let others = places.clone().filter(|&j| j != i);
        others.map(|j| (t - times[j]) / (times[i] - times[j])).product::<f64>()
    };
    places.clone().map(|i| weight(i) * values[i]).sum()
}

/// Largest difference between the curve that a page predicts and that of the changed scene, piece by piece.
fn error(page: &Value, changed: &Show, (parameter, output): (usize, usize), change: f64) -> f64 {
    let recording = &changed.recording;
    let pieces = predicted(page, (parameter, output), change);
    assert_eq!(pieces.len(), recording.phases.len(), "another sequence of events");
    let mut most: f64 = 0.0;
    for (points, range) in pieces.iter().zip(recording.phase_ranges()) {
        // Between events that were at one instant only few samples are.
        if points.len() < 4 || range.len() < 4 {
            continue;
        }
        let (times, values) = (
            &recording.times[range.clone()],
            &recording.outputs[output].values[range],
        );
        for (t, value) in points {
            most = most.max((at(times, values, *t) - value).abs());
        }
        let last = points.last().map_or(0.0, |(t, _)| t - times[times.len() - 1]);
        most = most.max(last.abs());
    }
    most
}

/// A rod of the length `l` swings against a wall at the distance `d`.
const SWING: &str = r#"parameters: { "l": (value: 1.0, bounds: (0.5, 1.5)), "d": (value: -0.3, bounds: (-0.5, -0.1)) },
    gravity: [0, -9.81],
    ground: { "O": [0, 0] }, points: { "E": (guess: [0.8, -0.4]) },
    bodies: { "rod": Bar(from: "O", to: "E", length: "l", mass: 1.0, angle: -0.6) },
    contacts: { "wall": Touch(point: "E", surface: Plane(through: ["d", 0], normal: [1, 0]), law: Restitution(0.8)) },
    outputs: { "x": "E.x", "mixed": "E.vx^2 + 0.1 * E.ay", "angle": "rod.angle", "clock": "t^2" },"#;

#[test]
fn curves_are_right_to_second_order_through_impacts() {
    let text = planar(1.2, SWING);
    let original = show(experiment(&text, &[]), SAMPLES);
    let page = data(&html(&original));
    for (parameter, (name, value)) in [("l", 1.0), ("d", -0.3)].into_iter().enumerate() {
        for change in [-4e-3, 4e-3] {
            let [one, half] =
                [change, 0.5 * change].map(|change| show(experiment(&text, &[(name, value + change)]), SAMPLES));
            for output in 0..4 {
                let [one, half] = [(&one, change), (&half, 0.5 * change)]
                    .map(|(changed, change)| error(&page, changed, (parameter, output), change));
                // t + t' squared lacks the square of t' alone, which is small.
                assert!((3.4..4.6).contains(&(one / half)), "{name}, {output}: {one:e} {half:e}");
                let most = original.recording.outputs[output]
                    .values
                    .iter()
                    .fold(0.0, |most, x| f64::max(most, x.abs()));
                assert!(one < 1e-3 * most, "{name}, {output}: {one:e} of {most}");
            }
        }
    }
    // Without derivatives the curve would be that of the original.
    let moved = predicted(&page, (1, 0), 4e-3);
    let times: Vec<f64> = moved.iter().flatten().map(|(t, _)| *t).collect();
    assert!(
        times
            .iter()
            .zip(numbers(&page["outputs"]["times"]))
            .any(|(a, b)| (a - b).abs() > 1e-4)
    );
}

#[test]
fn a_part_of_the_motion_has_the_same_curves() {
    let show = show(experiment(&planar(1.2, SWING), &[]), 300);
    let (_, end) = show.film.span();
    let whole = data(&html(&show));
    let part = data(&Motion::new(&show, 0.7, end).page(None).unwrap());
    for parameter in [0, 1] {
        let points = |page| {
            predicted(page, (parameter, 1), 1e-3)
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
        };
        let (whole, part) = (points(&whole), points(&part));
        assert!(part.len() > 100);
        for (one, other) in whole.iter().rev().zip(part.iter().rev()) {
            // Each is packed with the range of its own.
            assert!(
                (one.0 - other.0).abs() < 1e-12 && (one.1 - other.1).abs() < 1e-5,
                "{one:?} {other:?}"
            );
        }
    }
}

#[test]
fn an_output_without_a_derivative_says_so_and_leaves_the_others() {
    let text = planar(
        1.0,
        r#"parameters: { "v": (value: 1.0, bounds: (0.5, 2)) }, points: { "P": (at: ["v - 1", 0], velocity: ["v", 0], mass: 1) },
        outputs: { "x": "P.x", "root": "sqrt(P.x)" },"#,
    );
    let page = data(&html(&show(experiment(&text, &[]), 50)));
    let slopes = list(&page["parameters"][0]["prediction"]["curves"][0]["slopes"]);
    assert!(slopes[0].is_array());
    assert!(
        slopes[1]
            .as_str()
            .is_some_and(|reason| reason.contains("no derivative")),
        "{}",
        slopes[1]
    );
}

#[test]
fn each_side_has_curves_of_its_own_where_events_at_one_instant_have_none_in_common() {
    let text = planar(
        0.6,
        r#"gravity: [0, -9.81], parameters: { "h1": 1.0, "h2": 1.5 },
        points: { "P": (at: [0, "h1"], mass: 1), "Q": (at: [1, "h2"], mass: 3) },
        forces: { "d": Spring(from: "P", to: "Q", stiffness: 0, natural_length: 0, damping: 1.5) },
        contacts: {
            "p": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)),
            "q": Touch(point: "Q", surface: Plane(through: [0, 0.5], normal: [0, 1]), law: Restitution(0.5)),
        },
        outputs: { "y": "P.y" },"#,
    );
    let page = data(&html(&show(experiment(&text, &[]), SAMPLES)));
    assert_eq!(list(&page["parameters"][0]["prediction"]["curves"]).len(), 2);
    for (parameter, change) in [(0, -2e-3), (0, 2e-3), (1, -2e-3), (1, 2e-3)] {
        let error = |change: f64| {
            let set = [("h1", 1.0), ("h2", 1.5)][parameter];
            let changed = show(experiment(&text, &[(set.0, set.1 + change)]), SAMPLES);
            error(&page, &changed, (parameter, 0), change)
        };
        let (one, half) = (error(change), error(0.5 * change));
        assert!(
            one < 1e-5 && (3.4..4.6).contains(&(one / half)),
            "{parameter}, {change}: {one:e} {half:e}"
        );
    }
}
