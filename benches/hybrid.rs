//! Speed of systems whose equations are written over a scalar: `cargo bench --bench hybrid` in this folder.
//!
//! The power system of `examples/power_system/`: three states, three algebraic variables, ten parameters, seven events. Without a
//! filter, a table of its runs over the plain run comes first, in times and in evaluations.

#[allow(dead_code)]
#[path = "../examples/power_system/model.rs"]
mod model;

use std::hint::black_box;

use costate::equations::Study;
use costate::integrate::Method;
use costate_benches::table::time;
use divan::Bencher;
use model::PowerSystem;

const METHODS: [Method; 3] = [Method::DormandPrince, Method::Radau, Method::Trapezoidal];

/// The study with as much accuracy as an order of the method can pay for.
fn study(method: Method) -> Study<PowerSystem> {
    let tolerance = match method {
        Method::DormandPrince => 1e-10,
        Method::Radau => 1e-8,
        Method::Trapezoidal => 1e-6,
    };
    model::study(0.65).by(method).to_tolerance(tolerance, 0.1 * tolerance)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.len() == 1 && arguments.any(|argument| argument == "--bench") {
        println!("power system, median times; ratios to the plain run");
        println!(
            "{:<16}{:>12}{:>12}{:>12}{:>12}",
            "method", "plain", "ten slopes", "ratio", "evaluations"
        );
        METHODS.into_iter().for_each(row);
    }
    divan::main();
}

fn row(method: Method) {
    let study = study(method);
    let directions = study.directions();
    let system = costate::sensitivity::ForwardSystem::new(study.system(), &directions);
    let plain = time(|| study.run(&mut ()).expect("it runs")).1;
    let forward = time(|| study.run_forward(&system, &mut ()).expect("it runs")).1;
    let plain_work = study.run(&mut ()).expect("it runs").statistics.evaluations;
    let work = study
        .run_forward(&system, &mut ())
        .expect("it runs")
        .statistics
        .evaluations;
    println!(
        "{:<16}{plain:>9.3} ms{forward:>9.3} ms{:>12.2}{plain_work:>6} / {work}",
        format!("{method:?}"),
        forward / plain,
    );
}

#[divan::bench(args = METHODS)]
fn motion(bencher: Bencher, method: Method) {
    let study = study(method);
    bencher.bench_local(|| black_box(study.run(&mut ())));
}

#[divan::bench(args = METHODS)]
fn sensitivities_by_ten_parameters(bencher: Bencher, method: Method) {
    let study = study(method);
    let directions = study.directions();
    let system = costate::sensitivity::ForwardSystem::new(study.system(), &directions);
    bencher.bench_local(|| black_box(study.run_forward(&system, &mut ())));
}

#[divan::bench]
fn gradient_by_the_adjoint(bencher: Bencher) {
    let study = study(Method::DormandPrince);
    bencher.bench_local(|| black_box(study.adjoint()));
}
