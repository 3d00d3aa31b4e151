//! The adjoint within a bound on memory.

use costate::run::{Experiment, GradientReport, Method};

use super::{changes, of, shipped, worst_difference};

fn gradient(scene: &str, duration: f64, memory: Option<usize>) -> costate::error::Result<GradientReport> {
    let mut changes = changes(1e-10, 1e-12);
    (changes.duration, changes.memory) = (Some(duration), memory);
    shipped(scene, &changes).gradient(Method::Adjoint)
}

#[test]
fn the_recording_of_a_five_bar_motion_of_5_s_takes_less_than_5_megabytes() {
    let report = shipped("five_bar", &changes(1e-12, 1e-13))
        .gradient(Method::Adjoint)
        .unwrap();
    assert!(
        (50_000..5_000_000).contains(&report.recording_bytes),
        "{}",
        report.recording_bytes
    );
}

#[test]
fn a_bound_on_memory_is_kept_and_changes_no_gradient() {
    for (scene, duration, bounds) in [
        ("five_bar", 10.0, [100_000, 60_000, 30_000]),
        ("five_bar_restitution", 10.0, [100_000, 60_000, 30_000]),
        ("double_pendulum_wall", 5.0, [40_000, 30_000, 20_000]),
    ] {
        let unbounded = gradient(scene, duration, None).unwrap();
        for bound in bounds {
            let bounded = gradient(scene, duration, Some(bound)).unwrap();
            assert!(
                unbounded.recording_bytes > bound,
                "{scene}: {} bytes suffice",
                unbounded.recording_bytes
            );
            assert!(
                bounded.recording_bytes <= bound,
                "{scene}: {} of {bound}",
                bounded.recording_bytes
            );
            assert!(bounded.recording_bytes > 0);
            let difference = worst_difference(&bounded, &unbounded);
            assert!(difference <= 1e-13, "{scene} within {bound} bytes: {difference:e}");
            assert!(
                bounded.forward.accepted > unbounded.forward.accepted,
                "{scene}: nothing was computed again"
            );
        }
    }
}

/// What is read at jumps is found again where the motion is resumed behind them.
#[test]
fn costs_at_events_are_kept_within_a_bound_on_memory() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/five_bar.ron")).unwrap();
    let text = text.replace(
        "    objectives: {",
        r#"    objectives: {
        "first": AtEvents(of: "x2", event: "ground", which: First), "last": AtEvents(of: "x2 + t", event: "ground", which: Last),
        "miss": Fit(data: "hit\n0.3\n1.8\n2.4\n", events: { "hit": "ground" }),"#,
    );
    let file = costate::scene::parse("five_bar.ron", &text).unwrap();
    let report = |memory: Option<usize>| {
        let mut changes = changes(1e-10, 1e-12);
        changes.memory = memory;
        let experiment = Experiment::new(&file, &changes).unwrap();
        experiment.gradient(Method::Adjoint).unwrap()
    };
    let (unbounded, bounded) = (report(None), report(Some(30_000)));
    assert!(unbounded.recording_bytes > 30_000, "{}", unbounded.recording_bytes);
    let difference = worst_difference(&bounded, &unbounded);
    assert!(difference <= 1e-12, "{difference:e}");
    for objective in ["first", "last", "miss"] {
        assert_ne!(of(&bounded, objective, "L01"), 0.0, "{objective}");
    }
}

#[test]
fn steps_of_the_implicit_method_are_taken_again_alike() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/five_bar.ron")).unwrap();
    let text = text.replace(
        "simulation: (duration: 5.0, rtol: 1e-12, atol: 1e-13)",
        "simulation: (duration: 3.0, integrator: Radau)",
    );
    let file = costate::scene::parse("five_bar.ron", &text).unwrap();
    let report = |memory: Option<usize>| {
        let mut changes = changes(1e-8, 1e-9);
        changes.memory = memory;
        Experiment::new(&file, &changes)
            .unwrap()
            .gradient(Method::Adjoint)
            .unwrap()
    };
    let (unbounded, bounded) = (report(None), report(Some(30_000)));
    assert!(unbounded.recording_bytes > 30_000, "{}", unbounded.recording_bytes);
    assert!(bounded.recording_bytes <= 30_000, "{}", bounded.recording_bytes);
    let difference = worst_difference(&bounded, &unbounded);
    assert!(difference <= 1e-12, "{difference:e}");
    assert_ne!(of(&bounded, "y2", "L01"), 0.0);
}

#[test]
fn a_bound_that_holds_no_block_is_an_error_with_the_least_that_does() {
    let error = gradient("five_bar", 5.0, Some(3000)).unwrap_err();
    let advice = error.to_string() + &format!("{error:?}");
    let least: usize = error
        .message()
        .rsplit(' ')
        .next()
        .and_then(|word| word.parse().ok())
        .unwrap_or_else(|| panic!("no size in: {advice}"));
    assert!(gradient("five_bar", 1.0, Some(least)).is_ok());
}
