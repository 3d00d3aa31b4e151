//! Promises of both methods through the common interface.

use super::problems::{distance, integrate, smooth, smooth_solution};
use crate::error::ErrorKind;
use crate::integrate::{DenseOutput, Flow, Statistics, Stepper, Tolerance};

fn both() -> [Stepper; 2] {
    [Stepper::explicit(2), Stepper::implicit(2, 1e-9)]
}

#[test]
fn interpolants_are_continuous_with_the_steps_and_accurate_between() {
    let tol = Tolerance::uniform(1e-9, 1e-9, 2).unwrap();
    let allowances = [(1e-7, 1e-12), (1e-7, 1e-5)];
    for (mut stepper, (between, at_end)) in both().into_iter().zip(allowances) {
        let mut end: Option<(f64, [f64; 2])> = None;
        let mut steps = 0;
        let start = smooth_solution(0.0);
        let last = integrate(&mut stepper, &mut smooth(), (0.0, &start), 3.0, &tol, |dense| {
            let (mut x, mut dx, mut exact) = ([0.0; 2], [0.0; 2], [0.0; 2]);
            dense.evaluate(dense.start(), &mut x);
            if let Some((t, before)) = end {
                assert_eq!(t, dense.start());
                assert!(distance(&x, &before) < 1e-15, "{x:?} {before:?}");
            }
            let middle = dense.start() + 0.4 * dense.step();
            dense.evaluate(middle, &mut x);
            assert!(distance(&x, &smooth_solution(middle)) < between, "at {middle}");
            dense.evaluate(dense.end(), &mut x);
            dense.derivative(dense.end(), &mut dx);
            smooth().evaluate(dense.end(), &x, &mut exact).unwrap();
            assert!(distance(&dx, &exact) < at_end, "{dx:?} {exact:?}");
            end = Some((dense.end(), x));
            steps += 1;
        })
        .unwrap();
        let (t, x) = end.unwrap();
        assert_eq!((t, stepper.t_new(), steps), (3.0, 3.0, stepper.statistics().accepted));
        assert!(distance(&x, &last) < 1e-14);
        assert!(distance(&last, &smooth_solution(3.0)) < 1e-7);
    }
}

#[test]
fn the_derivatives_at_both_ends_are_those_of_the_flow() {
    let tol = Tolerance::uniform(1e-6, 1e-6, 2).unwrap();
    for mut stepper in both() {
        let x = smooth_solution(0.3);
        stepper.restart(&mut smooth(), 0.3, &x).unwrap();
        assert!(
            stepper
                .attempt(&mut smooth(), 0.3, &x, 0.01, &tol)
                .unwrap()
                .acceptable()
        );
        let mut dx = [0.0; 2];
        smooth().evaluate(0.3, &x, &mut dx).unwrap();
        assert_eq!(stepper.derivative(), dx);
        smooth().evaluate(stepper.t_new(), stepper.x_new(), &mut dx).unwrap();
        assert_eq!(stepper.derivative_new(), dx);
    }
}

#[test]
fn a_filled_interpolant_is_a_value_of_its_own() {
    let tol = Tolerance::uniform(1e-6, 1e-6, 2).unwrap();
    let mut dense = DenseOutput::new();
    for mut stepper in both() {
        let x = smooth_solution(0.0);
        stepper.attempt(&mut smooth(), 0.0, &x, 0.1, &tol).unwrap();
        stepper.dense(&mut smooth(), &mut dense).unwrap();
        let kept = dense.clone();
        stepper.attempt(&mut smooth(), 0.0, &x, 0.02, &tol).unwrap();
        stepper.dense(&mut smooth(), &mut dense).unwrap();
        assert!(distance(&[kept.end(), dense.end()], &[0.1, 0.02]) < 1e-16);
        assert!((kept.evaluate_component(0, 0.02) - dense.evaluate_component(0, 0.02)).abs() < 1e-5);
    }
}

#[test]
fn the_first_step_size_keeps_sign_and_bound_and_is_near_what_is_accepted() {
    let tol = Tolerance::uniform(1e-9, 1e-9, 2).unwrap();
    for mut stepper in both() {
        let x = smooth_solution(0.5);
        for max_step in [10.0, -10.0, 1e-5, -1e-5] {
            let h = stepper.initial_step(&mut smooth(), 0.5, &x, &tol, max_step).unwrap();
            assert!(h * max_step > 0.0 && h.abs() <= max_step.abs());
            assert!(h.abs() >= 1e-5, "{h}");
            assert!(
                stepper.attempt(&mut smooth(), 0.5, &x, h, &tol).unwrap().acceptable(),
                "{h}"
            );
        }
    }
}

#[test]
fn misuse_is_refused() {
    let tol = Tolerance::uniform(1e-6, 1e-6, 2).unwrap();
    let kind = |result: crate::error::Result<()>| result.unwrap_err().kind();
    for mut stepper in both() {
        let mut dense = DenseOutput::new();
        assert_eq!(kind(stepper.accept()), ErrorKind::Request);
        assert_eq!(kind(stepper.dense(&mut smooth(), &mut dense)), ErrorKind::Request);
        assert_eq!(kind(stepper.judge().map(|_| ())), ErrorKind::Request);
        let attempt = stepper.attempt(&mut smooth(), 0.0, &[1.0], 0.1, &tol);
        assert_eq!(kind(attempt.map(|_| ())), ErrorKind::Request);
        for h in [0.0, 1e-20, f64::NAN, f64::INFINITY] {
            let attempt = stepper.attempt(&mut smooth(), 1.0, &[1.0, 1.0], h, &tol);
            assert_eq!(kind(attempt.map(|_| ())), ErrorKind::StepSize);
        }
        assert!(
            !stepper
                .attempt(&mut smooth(), 0.0, &[1.0, 1.0], 4.0, &tol)
                .unwrap()
                .acceptable()
        );
        assert_eq!(kind(stepper.accept()), ErrorKind::Request);
    }
    assert!(Tolerance::uniform(1e-17, 1e-6, 2).is_err());
    assert!(Tolerance::uniform(1e-6, 0.0, 2).is_err());
    assert!(Tolerance::uniform(1e-6, f64::NAN, 2).is_err());
    assert!(tol.free(1..3).is_err());
}

#[test]
fn counters_add_up() {
    let tol = Tolerance::uniform(1e-8, 1e-8, 2).unwrap();
    let parts = both().map(|mut stepper| {
        integrate(&mut stepper, &mut smooth(), (0.0, &[1.0, 1.0]), 1.0, &tol, |_| {}).unwrap();
        stepper.statistics()
    });
    let sum: Statistics = parts.into_iter().sum();
    assert_eq!(sum.evaluations, parts[0].evaluations + parts[1].evaluations);
    assert_eq!(sum.accepted, parts[0].accepted + parts[1].accepted);
    assert!(parts[0].jacobians == 0 && sum.jacobians > 0 && sum.factorisations > 0);
}
