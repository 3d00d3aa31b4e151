//! How costs grow with the size of a mechanism: `cargo bench --bench scale` in this folder prints the tables of
//! `docs/performance.md`.
//!
//! The scenes of `benches/scenes`, from few links to a thousand: time of a right-hand side, with the exponent by which it grows
//! from one size to the next, of a motion, and of gradients in simulations. Names of scenes behind `--` leave out the others.

use costate::run::{Experiment, Method};
use costate_benches::Scene;
use costate_benches::timing::{gradient, motion, right_hand_side};

/// Masses that the forward method is asked for.
const TANGENTS: usize = 12;

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    for (name, table) in [
        ("chain", chain as fn()),
        ("windows", windows),
        ("grid", || tens("grid", &[3, 5, 10, 20, 30], |n| 2 * n * (n + 1))),
        ("tree", || tens("tree", &[2, 3, 4, 5, 6, 7, 8, 9], |n| (2 << n) - 2)),
    ] {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            table();
            println!();
        }
    }
}

/// By which power of the size a time grew since the last size.
#[derive(Default)]
struct Exponent(Option<(usize, f64)>);

impl Exponent {
    fn next(&mut self, size: usize, time: f64) -> String {
        let last = self.0.replace((size, time));
        last.map_or(String::new(), |(before, earlier)| {
            format!("{:.2}", (time / earlier).ln() / (size as f64 / before as f64).ln())
        })
    }
}

fn chain() {
    println!(
        "| links | right-hand side | a link | exponent | 1 s at 1e-6 | gradient by all masses | by 12 masses, forward |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let mut exponent = Exponent::default();
    for links in [10, 20, 50, 100, 200, 500, 1000] {
        let scene = |free, tolerance| Scene::many("chain", &[("n", links), ("free", free)], tolerance);
        let (_, _, flow) = right_hand_side(&scene(links, 1e-6).lasting(1.0));
        println!(
            "| {links} | {:.2} us | {:.0} ns | {} | {:.1} ms | {:.1} simulations | {} |",
            1e6 * flow,
            1e9 * flow / links as f64,
            exponent.next(links, flow),
            1e3 * motion(&scene(links, 1e-6).lasting(1.0)).expect("it runs"),
            simulations(&scene(links, 1e-8).lasting(0.2), Method::Adjoint),
            if links < TANGENTS {
                String::new()
            } else {
                let ratio = simulations(&scene(TANGENTS, 1e-8).lasting(0.2), Method::Forward);
                format!("{ratio:.1} simulations")
            },
        );
    }
}

fn windows() {
    println!("| four-bars | right-hand side | a rod | 10 s at 1e-9 | drift of the energy |");
    println!("| --- | --- | --- | --- | --- |");
    for windows in [2, 10, 40, 200] {
        let experiment = Scene::many("windows", &[("n", windows)], 1e-9).lasting(10.0);
        let (_, _, flow) = right_hand_side(&experiment);
        let (report, _) = experiment.run(false, &mut |_| ()).expect("it runs");
        println!(
            "| {windows} | {:.2} us | {:.0} ns | {:.0} ms | {:.1e} J |",
            1e6 * flow,
            1e9 * flow / (2 * windows + 1) as f64,
            1e3 * motion(&experiment).expect("it runs"),
            (report.energy.1 - report.energy.0).abs(),
        );
    }
}

/// A mechanism whose number of bars grows faster than its size.
fn tens(name: &str, sizes: &[usize], bars: impl Fn(usize) -> usize) {
    println!("| {name} | bars | right-hand side | a bar | exponent | 1 s at 1e-6 | gradient by all masses |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let mut exponent = Exponent::default();
    for &size in sizes {
        let experiment = Scene::many(name, &[("n", size)], 1e-6).lasting(1.0);
        let (_, _, flow) = right_hand_side(&experiment);
        let bars = bars(size);
        println!(
            "| {size} | {bars} | {:.2} us | {:.0} ns | {} | {:.1} ms | {:.1} simulations |",
            1e6 * flow,
            1e9 * flow / bars as f64,
            exponent.next(bars, flow),
            1e3 * motion(&experiment).expect("it runs"),
            simulations(&Scene::many(name, &[("n", size)], 1e-8).lasting(0.2), Method::Adjoint),
        );
    }
}

/// Time of a gradient over that of the simulation without one.
fn simulations(experiment: &Experiment, method: Method) -> f64 {
    gradient(experiment, method).expect("it has a gradient") / motion(experiment).expect("it runs")
}
