//! Promises of the implicit method.

use super::problems::{Given, distance, fixed_steps, integrate, smooth, smooth_solution, van_der_pol};
use crate::error::ErrorKind;
use crate::integrate::{Blocks, DenseOutput, Flow, Method, Stepper, Tolerance};

/// Van der Pol's solution at t = 2 for epsilon = 1e-6 from (2, 0) (Test Set for Initial Value Problem Solvers,
/// Bari, problem VDPOL).
const VAN_DER_POL_AT_2: [f64; 2] = [1.706_167_732_170_483, -0.892_809_701_024_797_5];

/// Those of the smooth problem with integrals.
fn blocks(integrals: usize) -> Blocks {
    Blocks {
        size: 2,
        integrals,
        follow: false,
    }
}

/// The method with so many stages for the smooth problem.
fn with_stages(stages: usize) -> Stepper {
    Stepper::implicit_with_stages(2, blocks(0), stages)
}

/// Steps of one size over the smooth problem with its integral, with stages found to rounding.
fn end_after(stages: usize, steps: u32) -> Vec<f64> {
    let tol = Tolerance::uniform(1e-12, 1e-12, 3).unwrap();
    let mut stepper = Stepper::implicit_with_stages(3, blocks(1), stages);
    let (mut x, h) = (vec![1.0, 1.0, 0.0], 2.0 / f64::from(steps));
    for step in 0..steps {
        let t = h * f64::from(step);
        stepper.restart(&mut WithIntegral, t, &x).unwrap();
        stepper.attempt(&mut WithIntegral, t, &x, h, &tol).unwrap();
        x.copy_from_slice(stepper.x_new());
    }
    x
}

#[test]
fn states_and_integrals_have_order_5_and_9_at_the_end_and_more_with_7_stages() {
    let exact = end_after(7, 64);
    assert!(distance(&exact[..2], &smooth_solution(2.0)) < 1e-12);
    // At its longest steps the error of order 13 is rounding already.
    assert!(distance(&end_after(7, 6), &exact) < 1e-12 && distance(&end_after(5, 6), &exact) > 1e-10);
    for (stages, steps) in [(3, [32, 64, 128]), (5, [8, 12, 16])] {
        let ends = steps.map(|steps| end_after(stages, steps));
        for range in [0..2, 2..3] {
            let errors = ends
                .each_ref()
                .map(|end| distance(&end[range.clone()], &exact[range.clone()]));
            let growth = (f64::from(steps[2]) / f64::from(steps[0])).ln();
            let observed = (errors[0] / errors[2]).ln() / growth;
            let order = 2.0 * stages as f64 - 1.0;
            assert!(
                (observed - order).abs() < 1.5,
                "order {observed} with {stages} stages, errors {errors:?}"
            );
        }
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
fn the_interpolant_of_one_step_errs_by_one_power_more_than_it_has_stages() {
    for (stages, steps) in [(3, [0.2, 0.05]), (5, [0.4, 0.2]), (7, [0.6, 0.4])] {
        let errors = steps.map(|h| {
            let span = (0.5, 0.5 + h);
            fixed_steps(&mut with_stages(stages), &mut smooth(), span, 1, smooth_solution).1
        });
        let observed = (errors[0] / errors[1]).ln() / (steps[0] / steps[1]).ln();
        let order = stages as f64 + 1.0;
        assert!(
            (observed - order).abs() < 0.8,
            "order {observed} with {stages} stages, errors {errors:?}"
        );
    }
}

#[test]
fn the_interpolant_meets_the_flow_at_the_end_of_the_step() {
    let tol = Tolerance::uniform(1e-12, 1e-6, 2).unwrap();
    for stages in [3, 5, 7] {
        let mut stepper = with_stages(stages);
        stepper
            .attempt(&mut smooth(), 0.5, &smooth_solution(0.5), 0.04, &tol)
            .unwrap();
        let mut dense = DenseOutput::new();
        stepper.dense(&mut smooth(), &mut dense).unwrap();
        assert_eq!((dense.degree(), dense.start()), (stages, 0.5));
        let (mut x, mut slope, mut dx) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        let root = 6.0_f64.sqrt();
        let nodes = [(4.0 - root) / 10.0, (4.0 + root) / 10.0, 1.0];
        for c in nodes.into_iter().filter(|c| stages == 3 || *c == 1.0) {
            let t = 0.5 + c * dense.step();
            dense.evaluate(t, &mut x);
            dense.derivative(t, &mut slope);
            smooth().evaluate(t, &x, &mut dx).unwrap();
            assert!(
                distance(&slope, &dx) < 1e-7,
                "{slope:?} {dx:?} at {c} with {stages} stages"
            );
        }
    }
}

#[test]
fn very_stiff_relaxation_oscillation_matches_the_reference_with_few_steps() {
    for (rtol, allowed, steps) in [(1e-4, 1e-3, 260), (1e-7, 2e-6, 800), (1e-10, 5e-9, 3000)] {
        let tol = Tolerance::uniform(rtol, rtol, 2).unwrap();
        let mut stepper = Stepper::implicit(2, rtol);
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
    let mut stepper = Stepper::implicit(2, 1e-6);
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
    let mut stepper = Stepper::implicit(1, 1e-3);
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
    let mut stepper = Stepper::implicit(1, 1e-6);
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
    let mut stepper = Stepper::implicit(1, 1e-6);
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
    let mut stepper = Stepper::implicit(1, 1e-6);
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
    let mut stepper = Stepper::implicit(1, 1e-7);
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
    let error = Stepper::implicit(1, 1e-6)
        .attempt(&mut Bare, 0.0, &[1.0], 0.1, &tol)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Request);
    assert!(error.advice().is_some());
}

/// `x' = k (sin(5 t) - x - x^3)` with its derivative by `k`, or alone.
struct Following {
    blocks: usize,
}

impl Following {
    const K: f64 = 1e4;
}

impl Flow for Following {
    fn dimension(&self) -> usize {
        self.blocks
    }

    fn blocks(&self) -> usize {
        self.blocks
    }

    fn evaluate(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> crate::error::Result<()> {
        let distance = (5.0 * t).sin() - x[0] - x[0].powi(3);
        dx[0] = Self::K * distance;
        if let (Some(dx), Some(slope)) = (dx.get_mut(1), x.get(1)) {
            *dx = -Self::K * (1.0 + 3.0 * x[0] * x[0]) * slope + distance;
        }
        Ok(())
    }

    fn jacobian(&mut self, _: f64, x: &[f64], j: &mut [f64]) -> crate::error::Result<()> {
        j[0] = -Self::K * (1.0 + 3.0 * x[0] * x[0]);
        Ok(())
    }
}

#[test]
fn sensitivities_that_follow_the_state_by_an_iteration_do_not_shorten_its_steps() {
    let steps = |method: Method, rtol: f64, blocks: usize| {
        let tol = Tolerance::new(rtol, [0.1 * rtol, 1e-5 * rtol][..blocks].to_vec()).unwrap();
        let mut stepper = Stepper::new(method, blocks, 1, rtol);
        let x = [0.0, 0.0];
        integrate(
            &mut stepper,
            &mut Following { blocks },
            (0.0, &x[..blocks]),
            2.0,
            &tol,
            |_| {},
        )
        .unwrap();
        let statistics = stepper.statistics();
        (statistics.accepted, statistics.factorisations)
    };
    for (method, rtol) in [(Method::Radau, 1e-9), (Method::Trapezoidal, 1e-5)] {
        let (alone, followed) = (steps(method, rtol, 1), steps(method, rtol, 2));
        assert!(
            followed.0 < 2 * alone.0 && followed.1 < 2 * alone.1,
            "{method:?}: {alone:?} {followed:?}"
        );
    }
}
