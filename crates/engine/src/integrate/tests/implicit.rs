//! Promises of the implicit method.

use super::problems::{Given, distance, fixed_steps, integrate, order, smooth, smooth_solution, van_der_pol};
use crate::error::ErrorKind;
use crate::integrate::{DenseOutput, Flow, Method, Stepper, Tolerance};

/// Van der Pol's solution at t = 2 for epsilon = 1e-6 from (2, 0) (Test Set for Initial Value Problem Solvers,
/// Bari, problem VDPOL).
const VAN_DER_POL_AT_2: [f64; 2] = [1.706_167_732_170_483, -0.892_809_701_024_797_5];

#[test]
fn the_error_at_the_end_has_order_5() {
    let errors = [8, 16, 32].map(|steps| {
        fixed_steps(
            &mut Stepper::implicit(2),
            &mut smooth(),
            (0.0, 2.0),
            steps,
            smooth_solution,
        )
        .0
    });
    for pair in errors.windows(2) {
        let observed = order(pair[0], pair[1]);
        assert!((4.6..5.8).contains(&observed), "order {observed}, errors {errors:?}");
    }
}

/// The smooth problem with the integral of `x y` behind it.
struct WithIntegral;

impl Flow for WithIntegral {
    fn dimension(&self) -> usize {
        3
    }

    fn integrals(&self) -> usize {
        1
    }

    fn evaluate(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> crate::error::Result<()> {
        dx[2] = x[0] * x[1];
        smooth().evaluate(t, &x[..2], &mut dx[..2])
    }

    fn jacobian(&mut self, t: f64, x: &[f64], j: &mut [f64]) -> crate::error::Result<()> {
        smooth().jacobian(t, &x[..2], j)
    }
}

#[test]
fn integrals_have_order_5_and_leave_the_rest_alone() {
    let tol = Tolerance::uniform(1e-12, 1e-12, 3).unwrap();
    let end = |steps: u32| {
        let mut stepper = Stepper::with_integrals(Method::Radau, 3, 2, 1);
        let (mut x, h) = (vec![1.0, 1.0, 0.0], 2.0 / f64::from(steps));
        stepper.restart(&mut WithIntegral, 0.0, &x).unwrap();
        for step in 0..steps {
            stepper
                .attempt(&mut WithIntegral, h * f64::from(step), &x, h, &tol)
                .unwrap();
            x.copy_from_slice(stepper.x_new());
            stepper.restart(&mut WithIntegral, h * f64::from(step + 1), &x).unwrap();
        }
        x
    };
    let exact = end(200);
    assert!(distance(&exact[..2], &smooth_solution(2.0)) < 1e-9);
    let errors = [32, 64, 128].map(|steps| (end(steps)[2] - exact[2]).abs());
    for pair in errors.windows(2) {
        let observed = order(pair[0], pair[1]);
        assert!((4.4..5.8).contains(&observed), "order {observed}, errors {errors:?}");
    }
}

#[test]
fn the_interpolant_of_one_step_errs_by_the_fourth_power() {
    let errors = [0.2, 0.1].map(|h| {
        fixed_steps(
            &mut Stepper::implicit(2),
            &mut smooth(),
            (0.5, 0.5 + h),
            1,
            smooth_solution,
        )
    });
    let (end, inside) = (order(errors[0].0, errors[1].0), order(errors[0].1, errors[1].1));
    assert!((5.4..6.6).contains(&end), "order {end}, errors {errors:?}");
    assert!((3.6..4.4).contains(&inside), "order {inside}, errors {errors:?}");
}

#[test]
fn the_interpolant_meets_the_flow_at_the_collocation_points() {
    let mut stepper = Stepper::implicit(2);
    let tol = Tolerance::uniform(1e-12, 1e-6, 2).unwrap();
    let h = 0.1;
    stepper
        .attempt(&mut smooth(), 0.5, &smooth_solution(0.5), h, &tol)
        .unwrap();
    let mut dense = DenseOutput::new();
    stepper.dense(&mut smooth(), &mut dense).unwrap();
    assert_eq!((dense.degree(), dense.start()), (3, 0.5));
    let root = 6.0_f64.sqrt();
    let (mut x, mut slope, mut dx) = ([0.0; 2], [0.0; 2], [0.0; 2]);
    for c in [(4.0 - root) / 10.0, (4.0 + root) / 10.0, 1.0] {
        let t = 0.5 + c * h;
        dense.evaluate(t, &mut x);
        dense.derivative(t, &mut slope);
        smooth().evaluate(t, &x, &mut dx).unwrap();
        assert!(distance(&slope, &dx) < 3e-6, "{slope:?} {dx:?} at {c}");
    }
}

#[test]
fn very_stiff_relaxation_oscillation_matches_the_reference_with_few_steps() {
    for (rtol, allowed, steps) in [(1e-4, 1e-3, 260), (1e-7, 2e-6, 800), (1e-10, 5e-9, 3000)] {
        let tol = Tolerance::uniform(rtol, rtol, 2).unwrap();
        let mut stepper = Stepper::implicit(2);
        let mut flow = van_der_pol(1e-6);
        let end = integrate(&mut stepper, &mut flow, (0.0, &[2.0, 0.0]), 2.0, &tol, |_| {}).unwrap();
        let (error, statistics) = (distance(&end, &VAN_DER_POL_AT_2), stepper.statistics());
        assert!(error < allowed, "error {error} at {rtol}, {statistics:?}");
        assert!(statistics.accepted < steps, "{statistics:?} at {rtol}");
        assert!(statistics.jacobians <= statistics.factorisations, "{statistics:?}");
        assert!(statistics.rejected < statistics.accepted / 3, "{statistics:?}");
    }
}

#[test]
fn a_stiff_linear_system_takes_steps_of_the_slow_time_scale() {
    let mut flow = Given {
        n: 2,
        flow: |t: f64, x: &[f64], dx: &mut [f64]| {
            dx[0] = -1e7 * (x[0] - x[1]) - x[1].sin();
            dx[1] = -x[1] + t.cos();
            Ok(())
        },
        jacobian: |_: f64, x: &[f64], j: &mut [f64]| {
            j.copy_from_slice(&[-1e7, 1e7 - x[1].cos(), 0.0, -1.0]);
        },
    };
    let tol = Tolerance::uniform(1e-6, 1e-8, 2).unwrap();
    let mut stepper = Stepper::implicit(2);
    let end = integrate(&mut stepper, &mut flow, (0.0, &[1.0, 0.0]), 10.0, &tol, |_| {}).unwrap();
    let exact = 0.5 * (10.0_f64.cos() + 10.0_f64.sin() - (-10.0_f64).exp());
    assert!(
        (end[1] - exact).abs() < 1e-6 && (end[0] - exact).abs() < 2e-6,
        "{end:?}, {exact}"
    );
    let statistics = stepper.statistics();
    assert!(
        statistics.accepted < 120 && statistics.jacobians < statistics.accepted,
        "{statistics:?}"
    );
}

#[test]
fn factors_and_jacobian_are_reused_for_a_repeated_step_size() {
    let mut flow = Given {
        n: 1,
        flow: |_: f64, x: &[f64], dx: &mut [f64]| {
            dx[0] = -x[0];
            Ok(())
        },
        jacobian: |_: f64, _: &[f64], j: &mut [f64]| j[0] = -1.0,
    };
    let tol = Tolerance::uniform(1e-3, 1e-3, 1).unwrap();
    let mut stepper = Stepper::implicit(1);
    let mut x = vec![1.0];
    stepper.restart(&mut flow, 0.0, &x).unwrap();
    for step in 0..20 {
        assert!(
            stepper
                .attempt(&mut flow, 0.1 * f64::from(step), &x, 0.1, &tol)
                .unwrap()
                .acceptable()
        );
        x.copy_from_slice(stepper.x_new());
        stepper.accept().unwrap();
    }
    let statistics = stepper.statistics();
    assert_eq!((statistics.jacobians, statistics.factorisations), (1, 1));
    assert!((x[0] - (-2.0_f64).exp()).abs() < 1e-6);
    stepper.restart(&mut flow, 2.0, &x).unwrap();
    stepper.attempt(&mut flow, 2.0, &x, 0.1, &tol).unwrap();
    assert_eq!(stepper.statistics().jacobians, 2);
}

#[test]
fn an_old_jacobian_is_replaced_when_the_iteration_fails_with_it() {
    let rate = std::cell::Cell::new(-1.0);
    let mut flow = Given {
        n: 1,
        flow: |_: f64, x: &[f64], dx: &mut [f64]| {
            dx[0] = rate.get() * x[0];
            Ok(())
        },
        jacobian: |_: f64, _: &[f64], j: &mut [f64]| j[0] = rate.get(),
    };
    let tol = Tolerance::uniform(1e-6, 1e6, 1).unwrap();
    let mut stepper = Stepper::implicit(1);
    stepper.restart(&mut flow, 0.0, &[1.0]).unwrap();
    stepper.attempt(&mut flow, 0.0, &[1.0], 0.1, &tol).unwrap();
    stepper.accept().unwrap();
    rate.set(-1e4);
    let attempt = stepper.attempt(&mut flow, 0.1, &[1e6], 0.1, &tol).unwrap();
    assert!(matches!(attempt, crate::integrate::Attempt::Done { .. }), "{attempt:?}");
    assert_eq!(stepper.statistics().jacobians, 2);
}

/// `x' = rate (cos(frequency t) - x)`.
fn forced(rate: f64, frequency: f64) -> impl Flow {
    Given {
        n: 1,
        flow: move |t: f64, x: &[f64], dx: &mut [f64]| {
            dx[0] = rate * ((frequency * t).cos() - x[0]);
            Ok(())
        },
        jacobian: move |_: f64, _: &[f64], j: &mut [f64]| j[0] = -rate,
    }
}

#[test]
fn a_rejection_with_an_old_jacobian_asks_for_a_new_one() {
    let mut flow = forced(1.0, 50.0);
    let tol = Tolerance::uniform(1e-6, 1e-6, 1).unwrap();
    let mut stepper = Stepper::implicit(1);
    assert!(
        stepper
            .attempt(&mut flow, 0.0, &[1.0], 1e-4, &tol)
            .unwrap()
            .acceptable()
    );
    let x = stepper.x_new().to_vec();
    stepper.accept().unwrap();
    assert!(!stepper.attempt(&mut flow, 1e-4, &x, 0.5, &tol).unwrap().acceptable());
    assert_eq!(stepper.statistics().jacobians, 1);
    stepper.attempt(&mut flow, 1e-4, &x, 1e-4, &tol).unwrap();
    assert_eq!(stepper.statistics().jacobians, 2);
}

#[test]
fn the_first_step_off_a_stiff_manifold_is_not_rejected_for_the_part_that_decays() {
    let tol = Tolerance::uniform(1e-6, 1e-6, 1).unwrap();
    let mut stepper = Stepper::implicit(1);
    let attempt = stepper
        .attempt(&mut forced(1e8, 1.0), 0.0, &[1.01], 0.01, &tol)
        .unwrap();
    assert!(attempt.acceptable(), "{attempt:?}");
    assert!((stepper.x_new()[0] - 0.01_f64.cos()).abs() < 1e-6);
}

#[test]
fn integrating_a_stiff_system_backwards_in_its_stable_direction_works() {
    let mut flow = Given {
        n: 1,
        flow: |t: f64, x: &[f64], dx: &mut [f64]| {
            dx[0] = 1e6 * (x[0] - t.sin()) + t.cos();
            Ok(())
        },
        jacobian: |_: f64, _: &[f64], j: &mut [f64]| j[0] = 1e6,
    };
    let tol = Tolerance::uniform(1e-7, 1e-7, 1).unwrap();
    let mut stepper = Stepper::implicit(1);
    let end = integrate(&mut stepper, &mut flow, (3.0, &[0.5]), 1.0, &tol, |_| {}).unwrap();
    assert!((end[0] - 1.0_f64.sin()).abs() < 1e-6, "{end:?}");
    assert!(stepper.statistics().accepted < 100);
}

#[test]
fn a_flow_without_jacobian_is_refused_with_advice() {
    struct Bare;
    impl Flow for Bare {
        fn dimension(&self) -> usize {
            1
        }
        fn evaluate(&mut self, _: f64, x: &[f64], dx: &mut [f64]) -> crate::error::Result<()> {
            dx[0] = -x[0];
            Ok(())
        }
    }
    let tol = Tolerance::uniform(1e-6, 1e-6, 1).unwrap();
    let error = Stepper::implicit(1)
        .attempt(&mut Bare, 0.0, &[1.0], 0.1, &tol)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Request);
    assert!(error.advice().is_some());
}
