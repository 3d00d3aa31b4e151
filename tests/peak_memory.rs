//! A run takes little memory. Alone in its process: the largest resident size is that of everything before.

#![cfg(target_os = "linux")]

mod support;

use std::path::Path;

use costate::run::{Changes, Experiment, Method};

/// Largest resident size of this process so far, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells it");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
    let kilobytes: usize = line
        .split_whitespace()
        .nth(1)
        .expect("a number")
        .parse()
        .expect("a number");
    kilobytes * 1024
}

#[test]
fn runs_and_their_gradients_take_little_memory() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/five_bar.ron");
    let experiment = Experiment::open(&path, &Changes::default()).expect("a shipped scene");
    let (report, recording) = experiment.run(true, &mut |_| ()).expect("it runs");
    assert!(report.events.len() == 3 && recording.is_some());
    assert!(peak() < 30 << 20, "{} bytes after the run", peak());
    experiment.gradient(Method::Adjoint).expect("a gradient");
    assert!(peak() < 30 << 20, "{} bytes after the gradient", peak());

    // A thousand links: one matrix of the size of M, with its zeros, would take 32 MB.
    let experiment = support::experiment(&support::chain(1000, 0.02, "Auto"), &Changes::default());
    let before = peak();
    support::report(&experiment);
    assert!(peak() - before < 20 << 20, "{} bytes for a run", peak() - before);
    experiment.gradient(Method::Adjoint).expect("a gradient");
    assert!(peak() - before < 40 << 20, "{} bytes for a gradient", peak() - before);
}
