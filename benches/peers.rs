//! This crate on a scene of `benches/scenes`, as one JSON object for `benches/peers/run.py`:
//! `cargo bench --bench peers -- SCENE N TOLERANCE..`.
//!
//! With `in_space SCENE N`, a right-hand side in space for `benches/peers/in_space.py`, with the outputs at the start.
//! Otherwise a line for each tolerance: where the outputs `x` and `y` end, the gradient of the first objective, and times. Without
//! arguments it does nothing.

use costate::run::{Experiment, Method};
use costate_benches::Scene;
use costate_benches::timing::{gradient, motion, right_hand_side};

/// Simulated time of the scenes.
const DURATION: f64 = 0.5;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if let [first, scene, size] = &words[..]
        && first == "in_space"
    {
        return println!("{}", in_space(scene, size));
    }
    let [scene, size, tolerances @ ..] = &words[..] else {
        return;
    };
    let size = size.parse().expect("a number of parts");
    let experiment = |tolerance: &String| {
        let tolerance = tolerance.parse().expect("a tolerance");
        Scene::many(scene, &[("n", size)], tolerance).lasting(DURATION)
    };
    for tolerance in tolerances {
        println!("{}", line(tolerance, &experiment(tolerance)));
    }
}

fn in_space(scene: &str, size: &str) -> String {
    let size = size.parse().expect("a number of parts");
    let counts: &[_] = if scene == "arm" { &[] } else { &[("n", size)] };
    let experiment = Scene::many(scene, counts, 1e-9).lasting(1e-9);
    let (_, _, flow) = right_hand_side(&experiment);
    let (report, _) = experiment.run(false, &mut |_| ()).expect("it runs");
    let outputs: Vec<f64> = report.outputs.iter().map(|(_, value)| *value).collect();
    format!(r#"{{"right_hand_side": {flow:e}, "outputs": {outputs:?}}}"#)
}

fn line(tolerance: &str, experiment: &Experiment) -> String {
    let (_, _, flow) = right_hand_side(experiment);
    let (report, _) = experiment.run(false, &mut |_| ()).expect("it runs");
    let gradient_report = experiment.gradient(Method::Adjoint).expect("it has a gradient");
    let slopes = &gradient_report.objectives[0].gradient;
    format!(
        r#"{{"tolerance": {tolerance}, "place": [{}, {}], "evaluations": {}, "right_hand_side": {flow:e}, "motion": {:e}, "gradient": {:e}, "slopes": {slopes:?}}}"#,
        report.outputs[0].1,
        report.outputs[1].1,
        report.statistics.evaluations,
        motion(experiment).expect("it runs"),
        gradient(experiment, Method::Adjoint).expect("it has a gradient"),
    )
}
