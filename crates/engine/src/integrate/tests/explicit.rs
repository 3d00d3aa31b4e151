//! Promises of the explicit method.

use std::f64::consts::TAU;

use super::problems::{distance, fixed_steps, integrate, kepler, order, pericentre, plain, smooth, smooth_solution};
use crate::error::Result;
use crate::integrate::{Attempt, DenseOutput, Flow, Stepper, Tolerance};

#[test]
fn the_error_at_the_end_has_order_8() {
    let errors = [6, 12, 24].map(|steps| {
        fixed_steps(
            &mut Stepper::explicit(2),
            &mut smooth(),
            (0.0, 2.0),
            steps,
            smooth_solution,
        )
        .0
    });
    for pair in errors.windows(2) {
        let observed = order(pair[0], pair[1]);
        assert!((7.5..9.2).contains(&observed), "order {observed}, errors {errors:?}");
    }
}

#[test]
fn one_step_errs_by_the_ninth_power_and_its_interpolant_by_the_eighth() {
    let errors = [0.4, 0.2].map(|h| {
        fixed_steps(
            &mut Stepper::explicit(2),
            &mut smooth(),
            (0.5, 0.5 + h),
            1,
            smooth_solution,
        )
    });
    let (end, inside) = (order(errors[0].0, errors[1].0), order(errors[0].1, errors[1].1));
    assert!((8.4..9.8).contains(&end), "order {end}, errors {errors:?}");
    assert!((7.5..8.6).contains(&inside), "order {inside}, errors {errors:?}");
}

#[test]
fn polynomials_of_degree_7_are_reproduced_between_the_ends() {
    let mut flow = plain(1, |t, _, dx| {
        dx[0] = 7.0 * t.powi(6) - 3.0 * t * t + 1.0;
        Ok(())
    });
    let mut stepper = Stepper::explicit(1);
    let tol = Tolerance::uniform(1e-6, 1e6, 1).unwrap();
    stepper.attempt(&mut flow, -1.0, &[-1.0], 2.5, &tol).unwrap();
    let mut dense = DenseOutput::new();
    stepper.dense(&mut flow, &mut dense).unwrap();
    for t in [-1.0, -0.3, 0.0, 0.8, 1.5] {
        let exact: f64 = t * t * t * t * t * t * t - t * t * t + t;
        assert!((dense.evaluate_component(0, t) - exact).abs() < 1e-13, "at {t}");
        let slope = 7.0 * t * t * t * t * t * t - 3.0 * t * t + 1.0;
        assert!((dense.derivative_component(0, t) - slope).abs() < 1e-12, "at {t}");
    }
}

#[test]
fn an_eccentric_orbit_closes_at_tight_tolerance_within_a_bounded_effort() {
    let x = pericentre(0.5);
    let tol = Tolerance::uniform(1e-12, 1e-12, 4).unwrap();
    let mut stepper = Stepper::explicit(4);
    let end = integrate(&mut stepper, &mut kepler(), (0.0, &x), TAU, &tol, |_| {}).unwrap();
    let error = distance(&end, &x);
    // The error grows by two orders over a period: a shift along the orbit at the pericentre.
    assert!(error < 3e-10, "error {error}");
    let statistics = stepper.statistics();
    assert!(statistics.evaluations < 1000, "{statistics:?}");
    assert!(
        statistics.accepted > 20 && statistics.rejected < statistics.accepted / 4,
        "{statistics:?}"
    );
}

#[test]
fn integrating_back_returns_to_the_start() {
    let x = pericentre(0.3);
    let tol = Tolerance::uniform(1e-12, 1e-13, 4).unwrap();
    let mut stepper = Stepper::explicit(4);
    let middle = integrate(&mut stepper, &mut kepler(), (0.0, &x), 2.0, &tol, |_| {}).unwrap();
    assert!(distance(&middle, &x) > 0.5);
    let back = integrate(&mut stepper, &mut kepler(), (2.0, &middle), 0.0, &tol, |_| {}).unwrap();
    assert!(distance(&back, &x) < 1e-10);
}

#[test]
fn the_error_follows_the_tolerance() {
    let x = pericentre(0.5);
    let error = |rtol: f64| {
        let tol = Tolerance::uniform(rtol, rtol, 4).unwrap();
        let end = integrate(&mut Stepper::explicit(4), &mut kepler(), (0.0, &x), TAU, &tol, |_| {}).unwrap();
        distance(&end, &x)
    };
    for rtol in [1e-5, 1e-7, 1e-9] {
        let observed = error(rtol);
        assert!(
            observed < 100.0 * rtol && observed > 1e-3 * rtol,
            "{observed} at {rtol}"
        );
    }
}

#[test]
fn a_shortened_step_is_that_of_a_new_stepper_and_reuses_the_derivative() {
    let x = pericentre(0.5);
    let tol = Tolerance::uniform(1e-6, 1e-6, 4).unwrap();
    let (mut tried, mut new) = (Stepper::explicit(4), Stepper::explicit(4));
    let mut dense = DenseOutput::new();
    tried.attempt(&mut kepler(), 0.0, &x, 0.2, &tol).unwrap();
    tried.dense(&mut kepler(), &mut dense).unwrap();
    let before = tried.statistics().evaluations;
    tried.attempt(&mut kepler(), 0.0, &x, 0.07, &tol).unwrap();
    assert_eq!(tried.statistics().evaluations - before, 12);
    new.attempt(&mut kepler(), 0.0, &x, 0.07, &tol).unwrap();
    assert_eq!(tried.x_new(), new.x_new());
    assert_eq!(tried.derivative_new(), new.derivative_new());
    tried.accept().unwrap();
    assert_eq!((tried.t_new(), tried.derivative()), (0.07, new.derivative_new()));
}

#[test]
fn the_derivative_is_kept_after_acceptance_but_not_if_the_state_is_changed() {
    let tol = Tolerance::uniform(1e-6, 1e-6, 2).unwrap();
    let mut stepper = Stepper::explicit(2);
    let mut flow = smooth();
    stepper.restart(&mut flow, 0.0, &[1.0, 1.0]).unwrap();
    stepper.attempt(&mut flow, 0.0, &[1.0, 1.0], 0.1, &tol).unwrap();
    assert_eq!(stepper.statistics().evaluations, 13);
    let mut x = stepper.x_new().to_vec();
    stepper.accept().unwrap();
    stepper.attempt(&mut flow, 0.1, &x, 0.1, &tol).unwrap();
    assert_eq!(stepper.statistics().evaluations, 25);
    stepper.accept().unwrap();
    x[0] = 0.5;
    stepper.attempt(&mut flow, 0.2, &x, 0.1, &tol).unwrap();
    assert_eq!(stepper.statistics().evaluations, 38);
    assert_eq!(stepper.derivative()[0], -2.0 * 0.2 * 0.25);
    stepper.attempt(&mut flow, 0.7, &x, 0.1, &tol).unwrap();
    assert_eq!(stepper.derivative()[0], -2.0 * 0.7 * 0.25);
}

#[test]
fn free_components_do_not_restrict_the_step() {
    let mut flow = plain(2, |t, _, dx| {
        dx.copy_from_slice(&[1.0, (200.0 * t).sin() * 1e3]);
        Ok(())
    });
    let mut stepper = Stepper::explicit(2);
    let tol = Tolerance::uniform(1e-8, 1e-8, 2).unwrap();
    let attempt = stepper.attempt(&mut flow, 0.0, &[0.0; 2], 1.0, &tol).unwrap();
    assert!(!attempt.acceptable());
    let tol = tol.free(1..2).unwrap();
    assert_eq!(tol.controlled(), 1);
    let attempt = stepper.attempt(&mut flow, 0.0, &[0.0; 2], 1.0, &tol).unwrap();
    assert!(matches!(attempt, Attempt::Done { error } if error < 1e-6));
}

#[test]
fn every_dimension_gives_the_same_component() {
    for n in 1..=9 {
        let mut flow = plain(n, |t, x, dx| {
            for (dx, x) in dx.iter_mut().zip(x) {
                *dx = -2.0 * t * x * x;
            }
            Ok(())
        });
        let mut stepper = Stepper::explicit(n);
        let tol = Tolerance::uniform(1e-6, 1e-6, n).unwrap();
        stepper.attempt(&mut flow, 0.0, &vec![1.0; n], 0.05, &tol).unwrap();
        let mut dense = DenseOutput::new();
        stepper.dense(&mut flow, &mut dense).unwrap();
        for i in 0..n {
            assert!((stepper.x_new()[i] - 1.0 / 1.0025).abs() < 1e-13, "{i} of {n}");
            assert!(
                (dense.evaluate_component(i, 0.02) - 1.0 / 1.0004).abs() < 1e-12,
                "{i} of {n}"
            );
        }
    }
}

/// An oscillation, and beside it a rate that begins to grow at the end of the step from 0 to 0.25.
struct Pulse;

impl Flow for Pulse {
    fn dimension(&self) -> usize {
        3
    }

    fn evaluate(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<()> {
        dx.copy_from_slice(&[x[1], -x[0], 1e-8 * ((t - 0.25) / 1e-6).exp()]);
        Ok(())
    }

    fn pulses(&self) -> bool {
        true
    }
}

#[test]
fn what_begins_at_the_end_of_a_step_is_seen_beside_smooth_components() {
    let tol = Tolerance::uniform(1e-11, 1e-11, 3).unwrap();
    let error = |h: f64| {
        let (mut flow, start) = (Pulse, [1.0, 0.0, 0.0]);
        let mut stepper = Stepper::explicit(3);
        stepper.restart(&mut flow, 0.0, &start).unwrap();
        let attempt = stepper.attempt(&mut flow, 0.0, &start, h, &tol).unwrap();
        (attempt.acceptable(), stepper.x_new()[2])
    };
    // The last stage alone sees it, and counts it as if it had lasted for a twentieth of the step.
    assert!(!error(0.25).0, "{:?}", error(0.25));
    let (accepted, wrong) = error(0.249);
    assert!(accepted && wrong < 1e-14, "{wrong}");
}
