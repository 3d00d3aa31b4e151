//! Costs of all kinds and their gradients.

use super::systems::{ROOTS, Roots, closed_form};
use crate::equations::{Equations, Point, Scalar, Size, Study};
use crate::error::ErrorKind;
use crate::integrate::Method;

const END: f64 = 2.0;

/// Central differences of the closed form.
fn slopes(of: impl Fn([f64; 4]) -> f64) -> [f64; 4] {
    std::array::from_fn(|k| {
        let moved = |step: f64| {
            let mut p = ROOTS;
            p[k] += step;
            of(p)
        };
        let quotient = |h: f64| (moved(h) - moved(-h)) / (2.0 * h);
        (4.0 * quotient(1e-3) - quotient(2e-3)) / 3.0
    })
}

#[test]
fn costs_of_all_kinds_and_their_gradients_by_both_methods_are_those_of_the_closed_form() {
    let study = Study::new(Roots, &ROOTS, (0.0, END));
    let (forward, adjoint) = (study.forward().expect("forwards"), study.adjoint().expect("backwards"));
    let (event, costs) = closed_form(ROOTS, END);
    assert_eq!(forward.events.len(), 1);
    assert!((forward.events[0].t - event).abs() < 1e-12);
    for (slope, exact) in forward.events[0].slopes.iter().zip(slopes(|p| closed_form(p, END).0)) {
        assert!((slope - exact).abs() < 1e-9, "{slope} instead of {exact}");
    }
    for (k, cost) in costs.iter().enumerate() {
        assert!((forward.gradients.costs[k] - cost).abs() < 1e-11);
        assert!((adjoint.costs[k] - cost).abs() < 1e-11);
        for (parameter, exact) in slopes(|p| closed_form(p, END).1[k]).iter().enumerate() {
            let (by_forward, by_adjoint) = (forward.gradients.by(k, parameter), adjoint.by(k, parameter));
            assert!(exact.abs() > 1e-3);
            assert!((by_forward - exact).abs() < 1e-8, "{by_forward} instead of {exact}");
            assert!((by_forward - by_adjoint).abs() < 1e-11, "{by_forward} and {by_adjoint}");
        }
    }
}

#[test]
fn the_implicit_methods_find_the_same_gradients() {
    for (method, tolerance, allowed) in [(Method::Radau, 1e-10, 1e-7), (Method::Trapezoidal, 1e-8, 1e-4)] {
        let study = Study::new(Roots, &ROOTS, (0.0, END)).by(method);
        let study = study.to_tolerance(tolerance, 0.1 * tolerance);
        let (forward, adjoint) = (study.forward().expect("forwards"), study.adjoint().expect("backwards"));
        for k in 0..2 {
            for (parameter, exact) in slopes(|p| closed_form(p, END).1[k]).iter().enumerate() {
                let (by_forward, by_adjoint) = (forward.gradients.by(k, parameter), adjoint.by(k, parameter));
                assert!(
                    (by_forward - exact).abs() < allowed,
                    "{by_forward} instead of {exact}, {method:?}"
                );
                assert!(
                    (by_adjoint - exact).abs() < 10.0 * allowed,
                    "{by_adjoint} instead of {exact}, {method:?}"
                );
            }
        }
    }
}

/// x' = p0 until x is p1, then 3 p0, without a guard there.
#[derive(Debug)]
struct Unguarded;

impl Equations for Unguarded {
    type Mode = ();

    fn size(&self) -> Size {
        Size::of(1).costs(1)
    }

    fn start<S: Scalar>(&self, _: &[S], _: &mut [S]) {}

    fn flow<S: Scalar>(&self, (): &(), at: &Point<S>, dx: &mut [S]) {
        let factor = if at.x[0].re() < at.p[1].re() { 1.0 } else { 3.0 };
        dx[0] = at.p[0] * factor;
    }

    fn final_costs<S: Scalar>(&self, (): &(), at: &Point<S>, w: &mut [S]) {
        w[0] = at.x[0];
    }
}

/// It would lack the derivative by p1, -2.
#[test]
fn flows_that_jump_without_a_guard_have_a_motion_and_no_gradient() {
    for method in [Method::DormandPrince, Method::Radau] {
        let study = Study::new(Unguarded, &[0.7, 0.5], (0.0, END)).by(method);
        let motion = study.simulate().expect("a motion");
        let cost = motion.costs[0];
        assert!((cost - 3.2).abs() < 1e-8, "{method:?}: {cost}");
        for refused in [study.forward().err(), study.adjoint().err()] {
            let error = refused.expect("no gradient");
            assert_eq!(error.kind(), ErrorKind::Event);
            assert!(error.message().contains("component 0 jumps"), "{error}");
            assert!((error.time().expect("a time") - 0.5 / 0.7).abs() < 1e-7);
        }
    }
}
