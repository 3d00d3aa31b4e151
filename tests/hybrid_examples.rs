//! Every example of a hybrid system gives the reference values.

// Each example is a program of its own with the same support.
#![allow(clippy::duplicate_mod)]

#[allow(dead_code)]
#[path = "../examples/bouncing_ball.rs"]
mod bouncing_ball;
#[allow(dead_code)]
#[path = "../examples/hybrid_ode.rs"]
mod hybrid_ode;
#[allow(dead_code)]
#[path = "../examples/hysteresis.rs"]
mod hysteresis;
#[allow(dead_code)]
#[path = "../examples/power_system/main.rs"]
mod power_system;
#[allow(dead_code)]
#[path = "../examples/resets.rs"]
mod resets;
#[allow(dead_code)]
#[path = "../examples/switched_linear.rs"]
mod switched_linear;

use costate::error::ErrorKind;
use costate::integrate::Method;

#[test]
fn the_bouncing_ball_agrees_with_its_closed_form() {
    let comparison = bouncing_ball::compare().expect("it runs");
    assert!(comparison.worst() < 1e-10, "{:e}", comparison.worst());
}

#[test]
fn the_switched_linear_system_agrees_with_its_closed_form() {
    let comparison = switched_linear::compare().expect("it runs");
    assert!(
        comparison.0.len() > 90 && comparison.worst() < 1e-10,
        "{:e}",
        comparison.worst()
    );
}

#[test]
fn the_oscillator_with_resets_agrees_with_its_closed_form() {
    let comparison = resets::compare().expect("it runs");
    assert!(
        comparison.0.len() > 70 && comparison.worst() < 1e-10,
        "{:e}",
        comparison.worst()
    );
}

#[test]
fn resets_past_their_accumulation_are_an_error_that_names_it() {
    let error = resets::study(7.0).simulate().expect_err("there is no motion beyond");
    assert_eq!(
        (error.kind(), error.name()),
        (ErrorKind::Event, Some("reset")),
        "{error}"
    );
    assert!(
        (error.time().expect("a time") - 6.363_961_030_678_928).abs() < 1e-5,
        "{error}"
    );
    assert!(error.to_string().contains("accumulate"), "{error}");
}

#[test]
fn the_gradient_of_the_hybrid_differential_equation_is_the_published_one_forwards_and_backwards() {
    let comparison = hybrid_ode::compare().expect("it runs");
    assert!(comparison.worst() < 1e-10, "{:e}", comparison.worst());
    let slopes = comparison.0.iter().filter(|row| row.0.starts_with("dG/dp"));
    let published = -2.31195310744;
    assert_eq!(slopes.filter(|row| (row.1 - published).abs() < 1e-11).count(), 2);
}

#[test]
fn the_oscillator_with_memory_agrees_with_the_reference_in_both_gradients() {
    let [gradients, rest] = hysteresis::compare().expect("it runs");
    assert!(rest.worst() < 1e-10, "{:e}", rest.worst());
    assert_eq!(rest.0.iter().filter(|row| row.0.starts_with("t_")).count(), 19);
    for pair in gradients.0.chunks(2) {
        let [forwards, adjoint] = pair else {
            panic!("both methods")
        };
        assert!(
            (forwards.1 - forwards.2).abs() <= 1e-7 * forwards.2.abs(),
            "{forwards:?}"
        );
        assert!((forwards.1 - adjoint.1).abs() <= 1e-9 * forwards.1.abs(), "{pair:?}");
    }
}

#[test]
fn the_power_system_agrees_with_the_reference_in_states_voltages_and_all_sensitivities() {
    let comparison = power_system::compare().expect("it runs");
    assert!(
        comparison.0.len() > 400 && comparison.worst() < 1e-9,
        "{:e}",
        comparison.worst()
    );
}

#[test]
fn the_power_system_comes_out_alike_by_the_implicit_methods() {
    let by_default = power_system::study(0.65);
    let exact = by_default
        .forward()
        .expect("it runs")
        .at(95.0)
        .expect("within the motion");
    for (method, tolerance, allowed) in [(Method::Radau, 1e-10, 1e-7), (Method::Trapezoidal, 1e-8, 1e-4)] {
        let study = power_system::study(0.65)
            .by(method)
            .to_tolerance(tolerance, 0.1 * tolerance);
        let motion = study.forward().expect("it runs");
        assert_eq!(motion.events.len(), 7);
        let at = motion.at(95.0).expect("within the motion");
        for (y, exact) in at.y.iter().zip(&exact.y) {
            assert!((y - exact).abs() < allowed, "{y} instead of {exact}, {method:?}");
        }
        for (slopes, exact) in at.dy.iter().zip(&exact.dy) {
            assert!(
                (slopes[0] - exact[0]).abs() < allowed,
                "{slopes:?} instead of {exact:?}, {method:?}"
            );
        }
    }
}

#[test]
fn where_the_voltage_collapses_the_error_gives_time_and_condition() {
    let error = power_system::study(0.69).simulate().expect_err("the voltage collapses");
    assert_eq!(error.kind(), ErrorKind::Singular, "{error}");
    assert!(error.time().is_some_and(|t| (10.0..200.0).contains(&t)), "{error}");
    assert!(error.value().is_some_and(|condition| condition > 1e4), "{error}");
}
