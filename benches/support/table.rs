//! Tables of work against precision for the smooth motion of 5 s.

use std::hint::black_box;
use std::time::Instant;

use costate::scene::schema::FormulationKind;

use super::others::{END, Method, Outcome};
use super::{Prepared, Scene, by_hand};

/// Error that is asked for: of P2 at the end in metres, of a gradient relative to its largest entry.
const ERROR: f64 = 1e-8;

/// Runs of which the fastest and the median are shown.
const RUNS: usize = 51;

/// Tolerances from loose to tight, three a decade.
fn tolerances() -> impl DoubleEndedIterator<Item = f64> {
    (12..=38).map(|k| 10.0_f64.powf(-f64::from(k) / 3.0))
}

/// The loosest tolerance that keeps the error, and with it every tighter one up to rounding.
pub fn sufficient_tolerance(mut error: impl FnMut(f64) -> f64) -> f64 {
    tolerances()
        .rev()
        .take_while(|&tolerance| error(tolerance) <= ERROR)
        .last()
        .unwrap_or(f64::NAN)
}

/// Fastest and median time of a run in milliseconds.
pub fn time<T>(mut run: impl FnMut() -> T) -> (f64, f64) {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let clock = Instant::now();
            black_box(run());
            clock.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[0], times[RUNS / 2])
}

/// The scene through the library, at a tolerance.
fn scene_run(prepared: &mut Prepared) -> Outcome {
    let finish = prepared.run();
    Outcome {
        p2: [finish.x[2], finish.x[3]],
        evaluations: finish.statistics.evaluations,
    }
}

fn prepared(tolerance: f64) -> Prepared {
    Prepared::new(&Scene::five_bar_smooth(), FormulationKind::Nullspace)
        .with_tolerance(tolerance)
        .until(END)
}

fn row(name: &str, tolerance: f64, mut run: impl FnMut() -> Outcome) -> f64 {
    let outcome = run();
    let (least, median) = time(run);
    println!(
        "{name:<22} {tolerance:>9.1e} {:>8} {:>9.1e} {least:>9.3} {median:>9.3}",
        outcome.evaluations,
        outcome.error()
    );
    median
}

fn heading(title: &str) {
    println!(
        "\n{title}\n{:<22} {:>9} {:>8} {:>9} {:>9} {:>9}",
        "", "tolerance", "calls", "error, m", "least, ms", "median, ms"
    );
}

/// Prints the tables.
pub fn print_all() {
    heading("Five-bar mechanism without ground, 5 s: the scene in null-space form, calls of the right-hand side");
    for tolerance in tolerances() {
        let mut prepared = prepared(tolerance);
        row("scene", tolerance, || scene_run(&mut prepared));
    }
    heading(
        "The same at the loosest tolerance that keeps 1e-8 m: the scene, and straight-line code for this mechanism alone",
    );
    let tolerance = sufficient_tolerance(|tolerance| scene_run(&mut prepared(tolerance)).error());
    let mut prepared = prepared(tolerance);
    let scene = row("scene", tolerance, || scene_run(&mut prepared));
    let start = by_hand::start();
    for method in Method::ALL {
        let tolerance = sufficient_tolerance(|tolerance| method.run(&start, tolerance).error());
        let median = row(&method.to_string(), tolerance, || method.run(&start, tolerance));
        println!("{:<22} {:.2} times the scene", "", median / scene);
    }
    println!();
}
