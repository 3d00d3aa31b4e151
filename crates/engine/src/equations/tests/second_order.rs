//! Second derivatives against closed forms.

use super::systems::{ROOTS, Roots, closed_form};
use crate::equations::{Crossing, Equations, Point, Scalar, Size, Study};

const END: f64 = 2.0;

/// A ball that falls, bounces and is weighed at the end: its height, and its energy as a running cost. Where it has two guards,
/// the first one turns its velocity round and the second one takes its part of it.
struct Ball {
    guards: usize,
}

/// Height and velocity at the start, weight per mass, restitution.
const BALL: [f64; 4] = [50.0, 0.0, 9.8, 0.8];

impl Equations for Ball {
    type Mode = ();

    fn size(&self) -> Size {
        Size::of(2).guards(self.guards).costs(2)
    }

    fn start<S: Scalar>(&self, p: &[S], x: &mut [S]) {
        x.copy_from_slice(&p[..2]);
    }

    fn flow<S: Scalar>(&self, (): &(), at: &Point<S>, dx: &mut [S]) {
        dx[0] = at.x[1];
        dx[1] = -at.p[2];
    }

    fn crossing(&self, _: usize, (): &()) -> Option<Crossing> {
        Some(Crossing::Falling)
    }

    fn guard<S: Scalar>(&self, _: usize, (): &(), at: &Point<S>) -> S {
        at.x[0]
    }

    fn jump<S: Scalar>(&self, guard: usize, (): &(), before: &Point<S>, x: &mut [S]) {
        x[1] = match (self.guards, guard) {
            (1, _) => -before.p[3] * before.x[1],
            (_, 0) => -before.x[1],
            _ => before.p[3] * before.x[1],
        };
    }

    fn running_costs<S: Scalar>(&self, (): &(), at: &Point<S>, r: &mut [S]) {
        r[1] = at.x[1] * at.x[1] * 0.5 + at.p[2] * at.x[0];
    }

    fn final_costs<S: Scalar>(&self, (): &(), at: &Point<S>, w: &mut [S]) {
        w[0] = at.x[0];
    }
}

/// Second differences with the error of fourth order taken off.
fn curvatures(p: [f64; 4], of: impl Fn([f64; 4]) -> f64) -> [[f64; 4]; 4] {
    let mixed = |i: usize, j: usize, h: f64| {
        let moved = |a: f64, b: f64| {
            let mut p = p;
            p[i] += a;
            p[j] += b;
            of(p)
        };
        (moved(h, h) - moved(h, -h) - moved(-h, h) + moved(-h, -h)) / (4.0 * h * h)
    };
    std::array::from_fn(|i| std::array::from_fn(|j| (4.0 * mixed(i, j, 2e-3) - mixed(i, j, 4e-3)) / 3.0))
}

fn assert_close(found: f64, exact: f64, tolerance: f64) {
    assert!(
        (found - exact).abs() <= tolerance * (1.0 + exact.abs()),
        "{found} instead of {exact}"
    );
}

#[test]
fn the_height_of_a_ball_after_five_bounces_curves_with_its_restitution_as_in_the_closed_form() {
    let study = Study::new(Ball { guards: 1 }, &BALL, (0.0, 15.0));
    let times = study
        .hessian_times(&[0.0, 0.0, 0.0, 1.0])
        .expect("a Hessian times a direction");
    assert_close(times[0][3], -4187.746378, 1e-9);
    let direction = [0.0, 0.0, 0.0, 1.0];
    let directional = study.along(&direction).expect("a direction");
    let forward = directional.forward().expect("forwards");
    // States are [x | dx/de | ...].
    assert_close(forward.at(15.0).expect("the end").dx[3][2], -4187.746378, 1e-9);
}

#[test]
fn hessians_of_costs_of_all_kinds_are_those_of_the_closed_form() {
    let study = Study::new(Roots, &ROOTS, (0.0, END));
    let hessians = study.hessians().expect("Hessians");
    for (k, hessian) in hessians.iter().enumerate() {
        let exact = curvatures(ROOTS, |p| closed_form(p, END).1[k]);
        assert!(exact.as_flattened().iter().filter(|entry| entry.abs() > 1e-3).count() >= 6);
        for (found, exact) in hessian.iter().flatten().zip(exact.as_flattened()) {
            assert_close(*found, *exact, 1e-7);
        }
        for (i, row) in hessian.iter().enumerate() {
            for (j, entry) in row.iter().enumerate() {
                assert_close(*entry, hessian[j][i], 1e-10);
            }
        }
    }
}

#[test]
fn forwards_and_backwards_give_the_same_second_derivatives() {
    let study = Study::new(Roots, &ROOTS, (0.0, END));
    let direction = [0.3, -0.2, 0.5, 0.7];
    let backwards = study.hessian_times(&direction).expect("backwards");
    let directional = study.along(&direction).expect("a direction");
    let forwards = directional.forward().expect("forwards").gradients;
    for (k, row) in backwards.iter().enumerate() {
        for (parameter, entry) in row.iter().enumerate() {
            assert_close(*entry, forwards.by(2 + k, parameter), 1e-10);
        }
    }
    // The derivative along the direction itself is the gradient times it.
    let gradients = study.adjoint().expect("gradients");
    for k in 0..2 {
        let along: f64 = direction.iter().enumerate().map(|(p, w)| w * gradients.by(k, p)).sum();
        assert_close(forwards.costs[2 + k], along, 1e-11);
    }
}

#[test]
fn a_jump_in_two_parts_has_the_second_derivatives_of_the_whole() {
    let hessians = |guards: usize| {
        Study::new(Ball { guards }, &BALL, (0.0, 8.0))
            .hessians()
            .expect("Hessians")
    };
    let (whole, parts) = (hessians(1), hessians(2));
    for (whole, parts) in whole.iter().flatten().flatten().zip(parts.iter().flatten().flatten()) {
        assert_close(*parts, *whole, 1e-10);
    }
    assert!(whole[1][0][3].abs() > 1.0);
}

#[test]
fn a_direction_needs_an_entry_per_parameter() {
    let study = Study::new(Roots, &ROOTS, (0.0, END));
    let error = study.hessian_times(&[1.0]).expect_err("too short");
    assert!(error.to_string().contains("1 entries for 4 parameters"), "{error}");
}
