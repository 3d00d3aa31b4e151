//! What predicted motions promise: second order in the change of the parameters through every kind of event, event times
//! included; what is extended beyond an event; how far to trust it; which events changed motions have.

#[path = "prediction/sequences.rs"]
mod sequences;
#[path = "prediction/trust.rs"]
mod trust;

mod support;

use std::sync::Arc;

use costate::error::ErrorKind;
use costate::hybrid::{HybridSystem, Trajectory, simulate};
use costate::model::Mode;
use costate::run::{Experiment, Prediction};
use costate::sensitivity::Switching::{self, Predicted, Recorded};
use support::{close, experiment, planar, shipped, tight};

/// Samples of every prediction: what the polynomials between them leave over is far below the errors that are asserted.
const INTERVALS: u32 = 8000;

fn prediction(experiment: &Experiment) -> Prediction {
    experiment
        .prediction(&[], INTERVALS, &mut |_| {})
        .unwrap_or_else(|error| panic!("{error}\n{:?}", error.advice()))
}

/// The motion that is predicted, simulated without sensitivities.
fn simulated(experiment: &Experiment) -> Trajectory<Mode> {
    let mechanism = &experiment.mechanism;
    let mut workspace = mechanism.workspace();
    let started = mechanism.start(experiment.start, &mut workspace).expect("it starts");
    let mut trajectory = Trajectory::default();
    let state = (experiment.start, started.mode, started.x);
    simulate(mechanism, state, &experiment.options, &mut workspace, &mut trajectory).expect("it runs");
    trajectory
}

/// Largest errors of a prediction over positions and velocities.
#[derive(Debug)]
struct Errors {
    /// Of the state, except between a predicted event and the event itself.
    state: f64,
    /// Of the positions, at all times.
    positions: f64,
    /// Of the times of the events.
    times: f64,
}

/// The motion that a prediction with one for all changes starts from.
fn motion_of(prediction: &Prediction) -> Arc<costate::sensitivity::Linearization<Mode>> {
    let still = vec![0.0; prediction.parameters().len()];
    prediction.motion(&still).expect("it predicts").0
}

/// Errors at equidistant times, and at three times between every recorded event and the predicted one.
fn errors(prediction: &Prediction, dp: &[f64], switching: Switching) -> Errors {
    let changed = prediction.changed(dp).expect("it compiles");
    let reference = simulated(&changed);
    let (motion, dp) = prediction.motion(dp).expect("it predicts");
    let (events, dp) = (motion.events(), &dp[..]);
    assert_eq!(events.len(), reference.jumps.len(), "another sequence of events");
    let pairs = || events.iter().zip(&reference.jumps);
    let (start, end) = motion.span();
    let grid = (0..=1000).map(|k| start + (end - start) * f64::from(k) / 1000.0);
    let delays = events
        .iter()
        .flat_map(|event| [0.25, 0.5, 0.75].map(|part| event.t + part * (event.time(dp) - event.t)));
    let mechanism = &changed.mechanism;
    let mut found = Errors {
        state: 0.0,
        positions: 0.0,
        times: pairs().fold(0.0, |most, (event, jump)| {
            f64::max(most, (event.time(dp) - jump.t).abs())
        }),
    };
    let mut x = vec![0.0; mechanism.dimension()];
    for t in grid.chain(delays) {
        motion.predict(t, dp, switching, &mut x).expect("it predicts");
        let exact = reference.state(t).expect("within");
        let off = |range: std::ops::Range<usize>| range.fold(0.0, |most, i| f64::max(most, (x[i] - exact[i]).abs()));
        let positions = off(mechanism.positions());
        found.positions = found.positions.max(positions);
        let between = |(event, jump): (&costate::sensitivity::LinearizedEvent, &costate::hybrid::JumpRecord)| {
            let predicted = event.time(dp);
            predicted.min(jump.t) <= t && t <= predicted.max(jump.t)
        };
        if !pairs().any(between) {
            found.state = found.state.max(positions).max(off(mechanism.velocities()));
        }
    }
    found
}

/// Asserts that errors fall to about a quarter when the change is halved, for states, positions and event times.
#[track_caller]
fn assert_second_order(prediction: &Prediction, dp: &[f64]) {
    let half: Vec<f64> = dp.iter().map(|change| change / 2.0).collect();
    let (whole, half) = (errors(prediction, dp, Predicted), errors(prediction, &half, Predicted));
    for (what, whole, half) in [
        ("states", whole.state, half.state),
        ("positions", whole.positions, half.positions),
        ("event times", whole.times, half.times),
    ] {
        let ratio = whole / half;
        assert!(half > 1e-9, "{what}: {half:e} tells no order");
        assert!((3.3..4.8).contains(&ratio), "{what}: {whole:e} falls to {half:e} only");
    }
}

/// One change per parameter, as fractions of the values.
fn fractions(prediction: &Prediction, fractions: &[f64]) -> Vec<f64> {
    let parameters = prediction.parameters();
    assert_eq!(parameters.len(), fractions.len());
    parameters
        .iter()
        .zip(fractions)
        .map(|((_, value), part)| part * value)
        .collect()
}

/// A ball dropped from `h`: bounces three times.
fn ball() -> Experiment {
    let text = planar(
        2.2,
        r#"parameters: { "h": 1.0, "v": 0.1, "g": 9.81, "e": 0.8 }, gravity: [0, "-g"],
        points: { "P": (at: [0, "h"], velocity: [0, "v"], mass: 1) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) },"#,
    );
    experiment(&text, &tight())
}

/// Height and velocity of the ball in closed form.
fn ball_at(t: f64, [h, v, g, e]: [f64; 4]) -> (f64, f64) {
    let speed = (v * v + 2.0 * g * h).sqrt();
    let mut bounce = (v + speed) / g;
    if t < bounce {
        return (h + v * t - 0.5 * g * t * t, v - g * t);
    }
    let mut up = e * speed;
    while t >= bounce + 2.0 * up / g {
        bounce += 2.0 * up / g;
        up *= e;
    }
    let since = t - bounce;
    (up * since - 0.5 * g * since * since, up - g * since)
}

#[test]
fn without_a_change_the_recorded_motion_is_predicted_between_and_at_samples() {
    let prediction = prediction(&ball());
    let dp = [0.0; 4];
    for k in 0..=977 {
        let t = 2.2 * f64::from(k) / 977.0;
        let (_, x) = prediction.frame(t, &dp).expect("it predicts");
        let (y, v) = ball_at(t, [1.0, 0.1, 9.81, 0.8]);
        close("height", x[1], y, 1e-11);
        close("velocity", x[3], v, 1e-11);
    }
}

#[test]
fn predicted_bounces_are_right_to_second_order_at_all_times() {
    let prediction = prediction(&ball());
    assert_eq!(motion_of(&prediction).events().len(), 3);
    assert_second_order(&prediction, &fractions(&prediction, &[4e-4, -1e-3, -3e-4, 6e-4]));
}

#[test]
fn plain_predictions_are_right_to_first_order_only_between_recorded_and_changed_bounces() {
    let prediction = prediction(&ball());
    let dp = fractions(&prediction, &[4e-4, -1e-3, -3e-4, 6e-4]);
    let half: Vec<f64> = dp.iter().map(|change| change / 2.0).collect();
    let ratio = errors(&prediction, &dp, Recorded).positions / errors(&prediction, &half, Recorded).positions;
    assert!((1.8..2.2).contains(&ratio), "{ratio}");
    assert!(
        errors(&prediction, &dp, Recorded).state > 1.0,
        "no jump between the events"
    );
    // Clear of the events both predictions are the same, and as good.
    let clear = |t: f64| {
        let mut x = [0.0; 4];
        let (motion, dp) = prediction.motion(&dp).expect("it predicts");
        motion.predict(t, &dp, Recorded, &mut x).expect("it predicts");
        assert_eq!(prediction.frame(t, &dp).expect("it predicts").1, x);
        let moved: Vec<f64> = prediction
            .parameters()
            .iter()
            .zip(&dp)
            .map(|((_, p), dp)| p + dp)
            .collect();
        (x[1] - ball_at(t, [moved[0], moved[1], moved[2], moved[3]]).0).abs()
    };
    assert!([0.2, 0.8, 1.5, 2.0].into_iter().all(|t| clear(t) < 5e-5));
}

#[test]
fn the_fall_goes_on_until_the_predicted_bounce_along_its_parabola() {
    let prediction = prediction(&ball());
    let dp = [0.02, 0.1, 0.0, 0.0];
    let (recorded, predicted) = (
        prediction.events(&[0.0; 4]).expect("it predicts")[0].t,
        prediction.events(&dp).expect("it predicts")[0].t,
    );
    assert!(predicted - recorded > 4e-3);
    // The state depends linearly on h and v before the bounce: the prediction is exact beyond the recorded bounce too.
    let t = recorded + 0.9 * (predicted - recorded);
    let (mode, x) = prediction.frame(t, &dp).expect("it predicts");
    assert_eq!(mode, prediction.frame(0.0, &dp).expect("it predicts").0);
    close("height", x[1], 1.02 + 0.2 * t - 0.5 * 9.81 * t * t, 1e-12);
    close("velocity", x[3], 0.2 - 9.81 * t, 1e-12);
}

#[test]
fn the_rebound_begins_early_where_the_predicted_bounce_is_earlier() {
    let prediction = prediction(&ball());
    let dp = [-0.02, 0.0, 0.0, 0.0];
    let (recorded, predicted) = (
        prediction.events(&[0.0; 4]).expect("it predicts")[0].t,
        prediction.events(&dp).expect("it predicts")[0].t,
    );
    let t = predicted + 0.1 * (recorded - predicted);
    let (_, x) = prediction.frame(t, &dp).expect("it predicts");
    let (y, v) = ball_at(t, [0.98, 0.1, 9.81, 0.8]);
    close("height", x[1], y, 2e-3);
    close("velocity", x[3], v, 5e-3);
}

#[test]
fn phases_are_extended_with_the_growth_of_a_force_that_depends_on_time() {
    let text = planar(
        1.5,
        r#"parameters: { "h": 1.0 }, points: { "P": (at: [0, "h"], velocity: [0, 0], mass: 1) },
        forces: { "push": Load(at: "P", force: [0, "-9*t"]) },
        contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)) },"#,
    );
    let prediction = prediction(&experiment(&text, &tight()));
    let dp = [0.05];
    let (recorded, predicted) = (
        prediction.events(&[0.0]).expect("it predicts")[0].t,
        prediction.events(&dp).expect("it predicts")[0].t,
    );
    let t = recorded + 0.9 * (predicted - recorded);
    let (_, x) = prediction.frame(t, &dp).expect("it predicts");
    close("velocity", x[3], -4.5 * t * t, 1e-12);
}

#[test]
fn a_five_bar_is_predicted_to_second_order_through_its_impacts() {
    let prediction = prediction(&shipped("five_bar", &tight()));
    assert_eq!(motion_of(&prediction).events().len(), 3);
    let directions = [1.0, -1.0, 0.5, 1.0, -0.3, 0.4, 0.2, -0.5];
    let parts: Vec<f64> = directions.iter().map(|part| 2e-5 * part).collect();
    assert_second_order(&prediction, &fractions(&prediction, &parts));
}

#[test]
fn a_double_pendulum_against_a_wall_is_predicted_to_second_order() {
    let prediction = prediction(&shipped("double_pendulum_wall", &tight()));
    assert!(motion_of(&prediction).events().len() > 1);
    let parts: Vec<f64> = [1.0, -1.0, 0.5, 1.0, -0.3, 0.4, 0.2, -0.5, 1.0]
        .iter()
        .map(|part| 4e-5 * part)
        .collect();
    assert_second_order(&prediction, &fractions(&prediction, &parts));
}

#[test]
fn a_latch_is_predicted_to_second_order_through_sticking_switching_and_release() {
    let prediction = prediction(&shipped("latch", &tight()));
    let kinds: Vec<String> = prediction
        .events(&[0.0; 6])
        .expect("it predicts")
        .into_iter()
        .map(|event| event.kind)
        .collect();
    assert_eq!(kinds, ["stick", "switch", "release"]);
    assert_second_order(
        &prediction,
        &fractions(&prediction, &[1e-3, 2e-3, -1e-3, 1e-3, 5e-4, -2e-3]),
    );
}

#[test]
fn what_an_event_sets_off_at_once_keeps_the_predicted_time_of_that() {
    let text = planar(
        3.0,
        r#"parameters: { "ts": 2.0, "F": 3.0, "v": 1.0 },
        points: { "a": (at: [0, 0], velocity: ["v", 0], mass: 1), "b": (at: [1, 0], mass: 2) },
        joints: { "rail a": Coupling(terms: [("a.y", 1)], equals: 0), "rail b": Coupling(terms: [("b.y", 1)], equals: 0) },
        forces: { "pull": Load(at: "b", force: ["F*t", 0], active: false) },
        contacts: { "bump": Touch(point: "a", radius: 0.1, surface: Circle(centre: "b", radius: 0.1), law: Restitution(0)) },
        events: { "go": (when: At("ts"), then: [Enable("pull")]) },"#,
    );
    let prediction = prediction(&experiment(&text, &tight()));
    let dp = [2e-3, 3e-3, 1e-3];
    let events = prediction.events(&dp).expect("it predicts");
    assert_eq!(events.len(), 3, "{events:?}");
    assert_eq!((events[1].t, events[2].t), (2.002, 2.002));
    let found = errors(&prediction, &dp, Predicted);
    assert!(found.state < 1e-5 && found.times < 1e-5, "{found:?}");
}

/// A block on a slope that sticks, slips and turns back, and a pendulum whose pin rubs and that strikes a wall.
#[test]
fn friction_is_predicted_to_second_order_through_stick_slip_and_impacts() {
    let block = r#"gravity: ["-9.81*sin(theta)", "-9.81*cos(theta)"],
        parameters: { "m": 2.0, "theta": 0.2, "mu": 0.4, "ms": 0.5, "F": 22.0 },
        points: { "block": (at: [0, 0], mass: "m") },
        forces: { "push": Load(at: "block", force: ["F*sin(4*t)", "-3*cos(7*t)"]) },
        contacts: { "slope": Touch(point: "block", surface: Plane(through: [0, 0], normal: [0, 1]), law: Friction(coefficient: "mu", static: "ms")) },"#;
    let pendulum = r#"gravity: [0, -9.81], constants: { "l": 0.8 },
        parameters: { "mu": 0.3, "rho": 0.05, "m": 1.2, "w0": 3.0, "e": 0.6 }, ground: { "O": [0, 0] },
        bodies: { "rod": Rigid(mass: "m", inertia: "m*l^2/12", guess: [0.2, -0.3, -1.6], hold: [Angle], velocity: ["free", "free", "w0"], markers: { "a": ["-l/2", 0], "b": ["l/2", 0] }) },
        joints: { "pin": Revolute(between: ("O", "rod.a"), friction: Reaction(coefficient: "mu", static: "1.2*mu", radius: "rho")) },
        contacts: { "wall": Touch(point: "rod.b", surface: Plane(through: [0.4, 0], normal: [-1, 0.2]), law: Restitution("e")) },"#;
    for (duration, text) in [(1.5, block), (0.6, pendulum)] {
        let prediction = prediction(&experiment(&planar(duration, text), &tight()));
        let dp = fractions(&prediction, &[0.004, -0.003, 0.005, 0.002, -0.004]);
        assert_second_order(&prediction, &dp);
    }
}

#[test]
fn one_parameter_alone_is_predicted_as_among_all() {
    let experiment = ball();
    let all = prediction(&experiment);
    let one = experiment
        .prediction(&["g".to_string()], INTERVALS, &mut |_| {})
        .expect("it runs");
    assert_eq!(one.parameters(), [("g".to_string(), 9.81)]);
    for t in [0.3, 0.46, 0.47, 1.4, 2.2] {
        let (a, b) = (
            one.frame(t, &[0.1]).expect("it predicts").1,
            all.frame(t, &[0.0, 0.0, 0.1, 0.0]).expect("it predicts").1,
        );
        a.iter().zip(&b).for_each(|(a, b)| close("state", *a, *b, 1e-9));
    }
}

#[test]
fn events_keep_their_order_in_a_prediction_far_beyond_its_range() {
    let prediction = prediction(&ball());
    // Bounces 2 and 3 are predicted to come before bounce 1, which they wait for.
    let dp = [0.0, 0.0, 0.0, -0.9];
    let times: Vec<f64> = prediction
        .events(&dp)
        .expect("it predicts")
        .iter()
        .map(|event| event.t)
        .collect();
    assert!(times[1] < times[0] && times[2] < times[0], "{times:?}");
    let fastest = |t: f64| prediction.frame(t, &dp).expect("it predicts").0.fastest[0];
    assert_eq!(fastest(times[0] - 1e-6), 0.0);
    assert!(fastest(times[0]) > 0.0);
}

#[test]
fn requests_that_do_not_fit_are_refused_with_advice() {
    let ball = ball();
    let refused = |names: &[String], intervals| match ball.prediction(names, intervals, &mut |_| {}) {
        Ok(_) => panic!("{names:?} with {intervals} intervals is predicted"),
        Err(error) => error,
    };
    let unknown = refused(&["height".to_string()], 10);
    assert_eq!((unknown.kind(), unknown.name()), (ErrorKind::Request, Some("height")));
    let none = refused(&[], 0);
    assert_eq!(none.kind(), ErrorKind::Request);
    let prediction = prediction(&ball);
    let twice = refused(&["g".to_string(), "g".to_string()], 10);
    let mut errors = vec![unknown, none, twice];
    errors
        .extend([&[0.0; 3][..], &[0.0, f64::NAN, 0.0, 0.0]].map(|dp| prediction.frame(0.1, dp).expect_err("refused")));
    errors.push(prediction.frame(f64::NAN, &[0.0; 4]).expect_err("refused"));
    errors.push(prediction.trust(&[0.0; 3]).expect_err("refused"));
    for error in errors {
        assert!(
            error.kind() == ErrorKind::Request && error.advice().is_some(),
            "{error}"
        );
    }
}

#[test]
fn a_parameter_that_nothing_uses_moves_nothing() {
    let text = planar(
        1.0,
        r#"parameters: { "h": 1.0, "idle": 2.0 }, points: { "P": (at: [0, "h"], velocity: [0, 0], mass: 1) },"#,
    );
    let prediction = prediction(&experiment(&text, &tight()));
    let (_, still) = prediction.frame(0.5, &[0.0, 0.0]).expect("it predicts");
    let (_, moved) = prediction.frame(0.5, &[0.0, 1.0]).expect("it predicts");
    assert_eq!(still, moved);
}

#[test]
fn parameters_written_as_expressions_of_a_changed_one_follow_it() {
    let text = planar(
        1.0,
        r#"parameters: { "h": 1.0, "H": "2*h" }, gravity: [0, -9.81],
        points: { "P": (at: ["h", "H"], velocity: [0, 0], mass: 1) },"#,
    );
    let prediction = prediction(&experiment(&text, &tight()));
    let dp = [0.1, 0.05];
    let changed = prediction.changed(&dp).expect("it compiles").mechanism.model;
    let values: Vec<f64> = changed.parameters.iter().map(|parameter| parameter.value).collect();
    assert_eq!(values, [1.1, 2.25]);
    let (_, x) = prediction.frame(0.0, &dp).expect("it predicts");
    close("H", x[1], 2.25, 1e-15);
}

#[test]
fn predictions_stop_at_the_ends_of_the_recorded_time() {
    let prediction = prediction(&ball());
    let dp = [0.01, 0.0, 0.0, 0.0];
    let at = |t: f64| prediction.frame(t, &dp).expect("it predicts").1;
    assert_eq!((at(-1.0), at(9.0)), (at(0.0), at(2.2)));
    assert_eq!(motion_of(&prediction).span(), (0.0, 2.2));
}
