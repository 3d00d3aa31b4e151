//! How costs grow with the size of a mechanism: `cargo bench --bench scale` in this folder prints the tables of
//! `docs/figures.md`.
//!
//! A chain of bars released horizontally, and rows of four-bars, from few links to a thousand: time of a right-hand side, of
//! a motion, and of the gradient by all masses, with the exponent by which a right-hand side grows from one size to the next.

use std::hint::black_box;
use std::time::Instant;

use costate::hybrid::{At, HybridSystem};
use costate::model::quantity::Motion;
use costate::run::{Changes, Experiment, Method};
use costate::scene::parse;
use costate::scene::schema::FormulationKind::Nullspace;
use costate_benches::{Prepared, Scene};

/// Evaluations of a right-hand side in one sample.
const CALLS: usize = 50;

/// Samples, of which the fastest counts.
const SAMPLES: usize = 20;

fn main() {
    println!("| links | right-hand side | a link | exponent | 1 s at 1e-6 | gradient by all masses |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let mut last: Option<(usize, f64)> = None;
    for links in [10, 20, 50, 100, 200, 500, 1000] {
        let mut prepared = Prepared::new(&Scene::links(links), Nullspace);
        let flow = right_hand_side(&mut prepared);
        let exponent = last.map_or(String::new(), |(before, time)| {
            let growth = (flow / time).ln() / (links as f64 / before as f64).ln();
            format!("{growth:.2}")
        });
        let mut prepared = prepared.with_tolerance(1e-6).until(1.0);
        let motion = fastest(3, || drop(black_box(prepared.run())));
        println!(
            "| {links} | {:.2} us | {:.0} ns | {exponent} | {:.1} ms | {:.1} simulations |",
            1e6 * flow,
            1e9 * flow / links as f64,
            1e3 * motion,
            gradient_ratio(links),
        );
        last = Some((links, flow));
    }
    println!("\n| four-bars | right-hand side | a rod | 10 s at 1e-9 | drift of the energy |");
    println!("| --- | --- | --- | --- | --- |");
    for windows in [2, 10, 40, 200] {
        let mut prepared = Prepared::new(&Scene::chain(windows), Nullspace);
        let flow = right_hand_side(&mut prepared);
        let start = energy(&prepared, &prepared.x);
        let mut end = Vec::new();
        let mut prepared = prepared.until(10.0);
        let motion = fastest(1, || end = prepared.run().x);
        println!(
            "| {windows} | {:.2} us | {:.0} ns | {:.0} ms | {:.1e} J |",
            1e6 * flow,
            1e9 * flow / (2 * windows + 1) as f64,
            1e3 * motion,
            (energy(&prepared, &end) - start).abs(),
        );
    }
}

/// Seconds of the fastest of some calls.
fn fastest(samples: usize, mut call: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        call();
        start.elapsed().as_secs_f64()
    };
    (0..samples).map(time).fold(f64::INFINITY, f64::min)
}

fn right_hand_side(prepared: &mut Prepared) -> f64 {
    let Prepared {
        mechanism,
        workspace,
        mode,
        x,
        ..
    } = prepared;
    let mut dx = vec![0.0; x.len()];
    let calls = fastest(SAMPLES, || {
        for _ in 0..CALLS {
            let at = At::new(0.0, mode, black_box(x));
            mechanism.flow(at, workspace, &mut dx).expect("it moves");
        }
    });
    calls / CALLS as f64
}

/// Time of the adjoint gradient by all masses over that of the motion alone, start and compilation left out of neither.
fn gradient_ratio(links: usize) -> f64 {
    let file = parse("chain.ron", &costate_benches::chain::links(links)).expect("the generated scene is sound");
    let experiment = Experiment::new(&file, &Changes::default()).expect("the scene compiles");
    let run = fastest(3, || {
        experiment.run(false, &mut |_| ()).expect("it runs");
    });
    let gradient = fastest(3, || {
        experiment.gradient(Method::Adjoint).expect("it has a gradient");
    });
    gradient / run
}

/// Kinetic and potential energy.
fn energy(prepared: &Prepared, x: &[f64]) -> f64 {
    let mechanism = &prepared.mechanism;
    let motion = Motion {
        t: 0.0,
        q: &x[mechanism.positions()],
        v: &x[mechanism.velocities()],
        a: &[],
        lambda: &[],
        numbers: &mechanism.model.number_values(),
    };
    let (kinetic, potential) = mechanism.model.energy(&prepared.mode, &motion);
    kinetic + potential
}
