//! Promises of the trapezoidal rule, and of blocks that share their factors.

use super::problems::{distance, fixed_steps, integrate, order, smooth, smooth_solution, van_der_pol};
use crate::error::Result;
use crate::integrate::{Flow, Method, Stepper, Tolerance};

fn trapezoidal(n: usize) -> Stepper {
    Stepper::new(Method::Trapezoidal, n, n, 1e-6)
}

#[test]
fn the_error_at_the_end_has_order_2() {
    let span = (0.0, 2.0);
    let errors =
        [16, 32, 64].map(|steps| fixed_steps(&mut trapezoidal(2), &mut smooth(), span, steps, smooth_solution));
    for pair in errors.windows(2) {
        let observed = order(pair[0].0, pair[1].0);
        assert!((1.9..2.1).contains(&observed), "order {observed}, errors {errors:?}");
        let within = order(pair[0].1, pair[1].1);
        assert!((1.9..2.1).contains(&within), "order {within}, errors {errors:?}");
    }
}

#[test]
fn the_error_follows_the_tolerance() {
    for rtol in [1e-4, 1e-6, 1e-8] {
        let tol = Tolerance::uniform(rtol, rtol, 2).unwrap();
        let mut stepper = trapezoidal(2);
        let end = integrate(&mut stepper, &mut smooth(), (0.0, &[1.0, 1.0]), 2.0, &tol, |_| {}).unwrap();
        let error = distance(&end, &smooth_solution(2.0));
        assert!(error < 100.0 * rtol && error > 1e-3 * rtol, "{error} at {rtol}");
        assert!(stepper.statistics().rejected < stepper.statistics().accepted / 4);
    }
}

#[test]
fn a_very_stiff_oscillation_takes_steps_of_the_slow_time_scale() {
    let tol = Tolerance::uniform(1e-5, 1e-5, 2).unwrap();
    let mut stepper = trapezoidal(2);
    let mut flow = van_der_pol(1e-4);
    let end = integrate(&mut stepper, &mut flow, (0.0, &[2.0, 0.0]), 0.5, &tol, |_| {}).unwrap();
    let mut radau = Stepper::implicit(2, 1e-10);
    let tight = Tolerance::uniform(1e-10, 1e-10, 2).unwrap();
    let exact = integrate(&mut radau, &mut flow, (0.0, &[2.0, 0.0]), 0.5, &tight, |_| {}).unwrap();
    assert!(distance(&end, &exact) < 1e-3, "{end:?} instead of {exact:?}");
    assert!(stepper.statistics().accepted < 400, "{:?}", stepper.statistics());
}

/// A stiff linear state, and twice its derivative by a parameter of the right-hand side.
struct WithSlopes;

impl Flow for WithSlopes {
    fn dimension(&self) -> usize {
        3
    }

    fn evaluate(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<()> {
        for (k, (dx, x)) in dx.iter_mut().zip(x).enumerate() {
            let source = if k == 0 { t.sin() } else { t.cos() };
            *dx = -1e3 * (x - source);
        }
        Ok(())
    }

    fn blocks(&self) -> usize {
        3
    }

    fn jacobian(&mut self, _: f64, _: &[f64], j: &mut [f64]) -> Result<()> {
        assert_eq!(j.len(), 1, "one block for all");
        j[0] = -1e3;
        Ok(())
    }
}

#[test]
fn one_factorisation_serves_the_state_and_its_sensitivities() {
    for method in [Method::Radau, Method::Trapezoidal] {
        let tol = Tolerance::uniform(1e-7, 1e-7, 3).unwrap();
        let mut stepper = Stepper::new(method, 3, 1, 1e-7);
        let end = integrate(&mut stepper, &mut WithSlopes, (0.0, &[0.0; 3]), 1.0, &tol, |_| {}).unwrap();
        let (a, square) = (1e3_f64, 1e6 + 1.0);
        let exact = [
            a * (a * 1.0_f64.sin() - 1.0_f64.cos()) / square,
            a * (a * 1.0_f64.cos() + 1.0_f64.sin()) / square,
        ];
        assert!((end[0] - exact[0]).abs() < 1e-5, "{end:?} {exact:?}");
        assert!(
            (end[1] - exact[1]).abs() < 1e-5 && end[1] == end[2],
            "{end:?} {exact:?}"
        );
    }
}
