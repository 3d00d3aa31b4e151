//! Times of scenes: every one is the fastest of some.

use std::hint::black_box;
use std::time::{Duration, Instant};

use costate::error::Result;
use costate::hybrid::{At, HybridSystem};
use costate::run::{Experiment, Method};

/// Time that the evaluations of one sample take about.
const SAMPLE: f64 = 1e-3;

/// Time that the samples of one figure take together, and the fewest of them, unless they take long.
const TIME: Duration = Duration::from_millis(300);
const FEWEST: usize = 3;
const LONG: Duration = Duration::from_secs(5);

/// Seconds of the fastest of some calls.
pub fn fastest(mut call: impl FnMut()) -> f64 {
    let begin = Instant::now();
    let (mut least, mut count) = (f64::INFINITY, 0);
    while count == 0 || begin.elapsed() < TIME || (count < FEWEST && begin.elapsed() < LONG) {
        least = least.min(seconds(&mut call));
        count += 1;
    }
    least
}

fn seconds(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    call();
    start.elapsed().as_secs_f64()
}

/// Coordinates and rows at the start, and seconds of a right-hand side there.
pub fn right_hand_side(experiment: &Experiment) -> (usize, usize, f64) {
    let mechanism = &experiment.mechanism;
    let mut workspace = mechanism.workspace();
    let started = mechanism.start(experiment.start, &mut workspace).expect("it closes");
    let mut dx = vec![0.0; started.x.len()];
    let mut flow = || {
        let at = At::new(experiment.start, &started.mode, black_box(&started.x));
        mechanism.flow(at, &mut workspace, &mut dx).expect("it moves");
    };
    flow();
    let calls = (SAMPLE / seconds(&mut flow)).ceil().clamp(1.0, 1e4);
    let sample = fastest(|| (0..calls as usize).for_each(|_| flow()));
    (mechanism.model.nv(), started.mode.rows, sample / calls)
}

/// Seconds of a simulation, its start included.
///
/// # Errors
/// As [`Experiment::run`].
pub fn motion(experiment: &Experiment) -> Result<f64> {
    experiment.run(false, &mut |_| ())?;
    Ok(fastest(|| drop(black_box(experiment.run(false, &mut |_| ())))))
}

/// Seconds of a gradient.
///
/// # Errors
/// As [`Experiment::gradient`].
pub fn gradient(experiment: &Experiment, method: Method) -> Result<f64> {
    experiment.gradient(method)?;
    Ok(fastest(|| drop(black_box(experiment.gradient(method)))))
}
