//! Second derivatives and predicted motions of mechanisms with rigid bodies in space, held to difference quotients of exact gradients
//! and to motions simulated anew.

use costate::hybrid::{HybridSystem, Trajectory, simulate};
use costate::run::{Method, Prediction};

use crate::MIXTURE;
use crate::support::{check_hessian, close, experiment, spatial, tight, tolerances};

/// A top on a ball joint, whose orientation follows from two parameters.
const TOP: &str = r#"
    gravity: [0, 0, "-g"], parameters: { "m": 1.2, "theta": 0.5, "phi": 0.3, "w": 6.0, "h": 0.4, "J": 0.05, "g": 9.81 },
    ground: { "O": [0, 0, 0] },
    bodies: { "top": Solid(mass: "m", inertia: ["J", 0.06, 0.04, 0.002, 0.001, -0.003], centre_of_mass: [0.01, 0.02, "h"], guess: [0, 0, 0],
        hold: [Orientation], orientation: Rotations([Z("phi"), X("theta")]), angular_velocity: [0.3, 0.2, "w"], markers: { "tip": [0, 0.1, "2*h"] }) },
    joints: { "ball": Spherical(between: ("O", "top.origin")) },
    objectives: { "x": Final("top.tip.x"), "vy": Final("top.tip.vy"), "az": Final("top.tip.az"), "w": Final("top.omega_y"), "q": Final("top.q1"),
        "F": Final("ball.fx"), "l": Final("top.l_z"), "E": Integral("energy.kinetic*top.omega_x") },
"#;

#[test]
fn second_derivatives_of_a_top_are_those_of_its_gradients() {
    check_hessian(&experiment(&spatial(0.5, TOP), &tight()), 1e-7);
}

/// A top as fast as those of gyroscopes, in steady precession as in the scene `heavy_top`.
const FAST: &str = r#"
    gravity: [0, 0, -9.81], parameters: { "C": 6e-4, "Jt": 3e-4 },
    ground: { "O": [0, 0, 0] },
    bodies: { "top": Solid(mass: 0.5, inertia: ["Jt", "Jt", "C", 0, 0, 0], centre_of_mass: [0, 0, 0.04], at: [0, 0, 0], orientation: Rotations([X(0.5)]),
        angular_velocity: [0, 1.5, 109], markers: { "tip": [0, 0, 1] }) },
    joints: { "ball": Spherical(between: ("O", "top.origin")) },
    objectives: { "x": Final("top.tip.x") },
"#;

/// Second derivatives by such moments of inertia are larger than positions by many orders: an absolute tolerance for positions, taken for
/// them as it stands, asks for steps without end.
#[test]
fn second_derivatives_of_a_fast_top_take_about_the_steps_of_its_motion() {
    let text = spatial(0.3, FAST).replace("duration: 0.3", "duration: 0.3, max_steps: 400");
    let top = experiment(&text, &tolerances(1e-9, 1e-11));
    let report = top.hessian(&|_| {}).unwrap_or_else(|error| panic!("{error}"));
    let (value, change) = (6e-4, 5e-4);
    let slope = |times: f64| {
        let shifted = top
            .with_parameter("C", value * (1.0 + times * change))
            .expect("a scene nearby");
        shifted.gradient(Method::Forward).expect("a gradient").objectives[0].gradient[0]
    };
    let quotient = (8.0 * (slope(1.0) - slope(-1.0)) - (slope(2.0) - slope(-2.0))) / (12.0 * change * value);
    close(
        "x by C twice",
        report.objectives[0].rows[0][0],
        quotient,
        1e-5 * quotient.abs(),
    );
}

/// Bodies, points, bars and slots; joints between frames with what acts on them; a start that follows from the assembly.
#[test]
fn second_derivatives_of_mixed_mechanisms_are_those_of_their_gradients() {
    let few = |text: &str, kept: &[&str]| {
        // Second derivatives by each pair take a motion of their own.
        let begin = text.find("parameters: {").unwrap() + "parameters: {".len();
        let end = begin + text[begin..].find("},").unwrap();
        let parts = text[begin..end]
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty());
        let is_kept = |part: &&str| kept.iter().any(|name| part.starts_with(&format!("\"{name}\"")));
        let (kept, fixed): (Vec<&str>, Vec<&str>) = parts.partition(is_kept);
        format!(
            "{}{} }}, constants: {{ {}{}",
            &text[..begin],
            kept.join(", "),
            fixed.join(", "),
            &text[end..]
        )
    };
    for (text, duration, kept) in [
        (MIXTURE, 0.1, &["cz", "Jxy", "theta", "w1", "px", "k", "L"][..]),
        (
            crate::joints::EVERY,
            0.1,
            &["ax", "turn", "lead", "ratio", "J", "w", "th"][..],
        ),
    ] {
        check_hessian(&experiment(&spatial(duration, &few(text, kept)), &tight()), 1e-6);
    }
}

/// An impact of a corner, velocities and positions that events set, a joint that lets go.
const EVENTS: &str = r#"
    gravity: [0.3, 0, "-g"], parameters: { "g": 9.81, "m": 1.3, "J": 0.05, "w": 3.0, "e": 0.7, "z": 0.62, "d": 0.2, "t1": 0.35 },
    ground: { "O": [0, 0, 0], "H": [0.3, 0.2, 1.4] }, memory: { "u": 0.0 },
    bodies: {
        "b": Solid(mass: "m", inertia: ["J", 0.06, 0.07, 0.002, 0.001, -0.003], centre_of_mass: [0.02, 0.01, 0.03], at: [0, 0, "z"],
            orientation: Rotations([X(0.6), Y(0.3)]), angular_velocity: [0.3, "w", 0.5], markers: { "corner": [0.2, 0.1, -0.3], "top": [0, 0, 0.2] }),
        "c": Solid(mass: 0.5, inertia: [0.01, 0.02, 0.015, 0, 0, 0], guess: [0.3, 0.2, 1.4], angular_velocity: [1, 2, 0.5], markers: { "k": [0, 0, 0.3] }),
    },
    joints: { "ball": Spherical(between: ("H", "c.k")) },
    contacts: { "floor": Touch(point: "b.corner", surface: Plane(through: [0, 0, 0], normal: [0.1, 0, 1]), law: Restitution("e")) },
    events: {
        "set": (when: At("t1"), then: [Reset("c.x", "c.x + d*b.omega_x"), Reset("b.vy", "d"), Set("u", "b.top.z*c.omega_y")]),
        "free": (when: Rising("c.k.vx - c.vx - 0.4"), then: [Disable("ball")], once: true),
    },
    forces: { "s": Spring(from: "b.top", to: "c.origin", stiffness: 20, natural_length: "1 + 0.1*u") },
    objectives: { "x": Final("b.top.x"), "w": Final("b.omega_y"), "q": Final("c.q2"), "E": Integral("energy.kinetic"),
        "strike": AtEvents(of: "b.omega_x", event: "floor", side: After) },
"#;

#[test]
fn second_derivatives_go_through_events() {
    let found = experiment(&spatial(0.6, EVENTS), &tight());
    let (report, _) = found.run(false, &mut |_| {}).unwrap();
    assert!(report.events.len() >= 3, "{:?}", report.events);
    check_hessian(&found, 1e-6);
}

/// Largest error of the predicted state at some times, away from events.
fn prediction_error(prediction: &Prediction, dp: &[f64]) -> f64 {
    let changed = prediction.changed(dp).unwrap();
    let (mechanism, mut workspace) = (&changed.mechanism, changed.mechanism.workspace());
    let started = mechanism.start(changed.start, &mut workspace).unwrap();
    let mut trajectory = Trajectory::default();
    let from = (changed.start, started.mode, started.x);
    simulate(mechanism, from, &changed.options, &mut workspace, &mut trajectory).unwrap();
    let off = |t: f64| {
        let (exact, (_, x)) = (trajectory.state(t).unwrap(), prediction.frame(t, dp).unwrap());
        for frame in &mechanism.model.frames {
            let square: f64 = x[frame.first + 3..][..4].iter().map(|x| x * x).sum();
            close("length", square, 1.0, 1e-14);
        }
        (0..mechanism.velocities().end).fold(0.0, |most: f64, i| most.max((x[i] - exact[i]).abs()))
    };
    [0.05, 0.2, 0.45, 0.59].into_iter().map(off).fold(0.0, f64::max)
}

#[test]
fn predicted_motions_are_off_by_the_square_of_the_change() {
    let experiment = experiment(&spatial(0.6, EVENTS), &tight());
    let chosen = ["w", "e", "z"].map(String::from);
    let prediction = experiment.prediction(&chosen, 4000, &mut |_| {}).unwrap();
    let change = [0.004, -0.002, 0.0008];
    let error = |share: f64| prediction_error(&prediction, &change.map(|x| share * x));
    let (whole, half) = (error(1.0), error(0.5));
    assert!(whole < 1e-2 && whole > 1e-6, "{whole:e}");
    assert!((whole / half - 4.0).abs() < 0.5, "{whole:e} {half:e}");
    let trust = prediction.trust(&change).unwrap();
    let worst = trust.residuals().fold(0.0, f64::max);
    assert!(worst < 1e-2, "{worst:e}");
}
