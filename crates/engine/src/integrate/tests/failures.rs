//! What happens when the flow fails.

use super::problems::{Given, integrate};
use crate::error::{Error, ErrorKind, Result};
use crate::integrate::{Attempt, Stepper, Tolerance, minimum_step};

fn both(n: usize) -> [Stepper; 2] {
    [Stepper::explicit(n), Stepper::implicit(n, 1e-8)]
}

fn tolerance(n: usize) -> Tolerance {
    Tolerance::uniform(1e-8, 1e-8, n).unwrap()
}

/// `x' = 1` in component 0 and something of the time in component 1.
fn timed(second: impl FnMut(f64) -> Result<f64>) -> impl crate::integrate::Flow {
    let mut second = second;
    Given {
        n: 2,
        flow: move |t: f64, _: &[f64], dx: &mut [f64]| {
            dx.copy_from_slice(&[1.0, second(t)?]);
            Ok(())
        },
        jacobian: |_: f64, _: &[f64], j: &mut [f64]| j.fill(0.0),
    }
}

#[test]
fn a_flow_that_ceases_to_be_finite_is_reported_with_time_and_component() {
    for mut stepper in both(2) {
        let mut flow = timed(|t| Ok(1.0 + (1.0 - t).sqrt()));
        let error = integrate(&mut stepper, &mut flow, (0.0, &[0.0; 2]), 2.0, &tolerance(2), |_| {}).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFinite);
        assert!((error.time().unwrap() - 1.0).abs() < 1e-9, "{error}");
        assert!(error.message().contains("component 1 of the derivative"), "{error}");
        assert!(error.value().unwrap().is_nan());
    }
}

#[test]
fn a_failure_of_the_flow_is_kept_and_returned_when_the_step_collapses() {
    for mut stepper in both(2) {
        let mut flow = timed(|t| {
            if t > 0.5 {
                return Err(Error::new(
                    ErrorKind::Singular,
                    "the mechanism is in a singular position",
                ));
            }
            Ok(t)
        });
        let error = integrate(&mut stepper, &mut flow, (0.0, &[0.0; 2]), 2.0, &tolerance(2), |_| {}).unwrap_err();
        assert_eq!(
            (error.kind(), error.message()),
            (ErrorKind::Singular, "the mechanism is in a singular position")
        );
        assert!((error.time().unwrap() - 0.5).abs() < 1e-9, "{error}");
        assert!(stepper.statistics().rejected > 10);
    }
}

#[test]
fn other_failures_of_the_flow_are_returned_at_once() {
    for mut stepper in both(2) {
        let mut flow = timed(|_| Err(Error::new(ErrorKind::Event, "no outcome")));
        let error = stepper.restart(&mut flow, 0.0, &[0.0; 2]).unwrap_err();
        assert_eq!((error.kind(), error.time()), (ErrorKind::Event, Some(0.0)));
        let mut flow = timed(|t| {
            if t > 0.0 {
                Err(Error::new(ErrorKind::Event, "no outcome"))
            } else {
                Ok(0.0)
            }
        });
        let error = stepper
            .attempt(&mut flow, 0.0, &[0.0; 2], 0.1, &tolerance(2))
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Event);
    }
}

#[test]
fn a_failure_that_a_smaller_step_avoids_does_no_harm() {
    for mut stepper in both(1) {
        let mut flow = Given {
            n: 1,
            flow: |_: f64, x: &[f64], dx: &mut [f64]| {
                dx[0] = -x[0] * (1.0 + 1e-3 * x[0].ln());
                Ok(())
            },
            jacobian: |_: f64, x: &[f64], j: &mut [f64]| j[0] = -1.001 - 1e-3 * x[0].ln(),
        };
        stepper.restart(&mut flow, 0.0, &[1e-3]).unwrap();
        let attempt = stepper.attempt(&mut flow, 0.0, &[1e-3], -40.0, &tolerance(1)).unwrap();
        assert!(!attempt.acceptable());
        let attempt = stepper.attempt(&mut flow, 0.0, &[1e-3], 40.0, &tolerance(1)).unwrap();
        if stepper.order() == 8 {
            assert_eq!(attempt, Attempt::NotFinite);
            assert_eq!(stepper.judge().unwrap().next, 20.0);
        }
        let end = integrate(&mut stepper, &mut flow, (0.0, &[1.0]), 2.0, &tolerance(1), |_| {}).unwrap();
        // With u = ln x the solution is u = 1000 (exp(-t / 1000) - 1).
        let exact = (1000.0 * ((-2e-3_f64).exp() - 1.0)).exp();
        assert!((end[0] - exact).abs() < 1e-7, "{} {exact}", end[0]);
    }
}

#[test]
fn a_start_that_is_not_finite_is_an_error_at_once() {
    for mut stepper in both(2) {
        let mut flow = timed(|t| Ok(1.0 / (t - 3.0)));
        let error = stepper.restart(&mut flow, 3.0, &[0.0; 2]).unwrap_err();
        assert_eq!((error.kind(), error.time()), (ErrorKind::NotFinite, Some(3.0)));
        let error = stepper.restart(&mut flow, 0.0, &[0.0, f64::NAN]).unwrap_err();
        assert!(error.message().contains("component 1 of the state"), "{error}");
    }
}

#[test]
fn a_solution_that_grows_without_bound_ends_with_a_step_size_error_and_advice() {
    for mut stepper in both(1) {
        let mut flow = Given {
            n: 1,
            flow: |_: f64, x: &[f64], dx: &mut [f64]| {
                dx[0] = x[0] * x[0];
                Ok(())
            },
            jacobian: |_: f64, x: &[f64], j: &mut [f64]| j[0] = 2.0 * x[0],
        };
        let error = integrate(&mut stepper, &mut flow, (0.0, &[1.0]), 2.0, &tolerance(1), |_| {}).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::StepSize | ErrorKind::NotFinite),
            "{error}"
        );
        assert!((error.time().unwrap() - 1.0).abs() < 1e-6, "{error}");
        assert!(error.advice().is_some());
    }
}

#[test]
fn an_accepted_step_of_a_few_units_of_rounding_does_not_count_as_collapse() {
    for stepper in both(2) {
        // A discontinuity of growing size within the step, until the next should be shorter.
        for units in [8.0, 17.0] {
            let h = units * f64::EPSILON;
            let asks_for_less = (0..60).any(|k| {
                let mut stepper = stepper.clone();
                let size = 1e3 * 1.5_f64.powi(k);
                let mut flow = timed(|t| Ok(if t > 1.0 + 3e-16 { size } else { 0.0 }));
                let attempt = stepper.attempt(&mut flow, 1.0, &[0.0; 2], h, &tolerance(2)).unwrap();
                if !attempt.acceptable() {
                    return false;
                }
                let verdict = stepper.judge().unwrap();
                assert!(verdict.accepted && verdict.next >= h.min(minimum_step(1.0)));
                verdict.next == minimum_step(1.0)
            });
            assert!(asks_for_less);
        }
    }
}

#[test]
fn after_a_rejection_the_step_does_not_grow_at_once() {
    let mut stepper = Stepper::explicit(2);
    let mut flow = timed(|t| Ok((20.0 * t).sin()));
    stepper.restart(&mut flow, 0.0, &[0.0; 2]).unwrap();
    assert!(
        !stepper
            .attempt(&mut flow, 0.0, &[0.0; 2], 3.0, &tolerance(2))
            .unwrap()
            .acceptable()
    );
    let verdict = stepper.judge().unwrap();
    assert!(!verdict.accepted && verdict.next < 3.0 && verdict.next > 0.9);
    assert!(
        stepper
            .attempt(&mut flow, 0.0, &[0.0; 2], 1e-3, &tolerance(2))
            .unwrap()
            .acceptable()
    );
    assert_eq!(stepper.judge().unwrap().next, 1e-3);
}
