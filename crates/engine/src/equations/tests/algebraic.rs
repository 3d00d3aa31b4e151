//! Algebraic variables: consistent starts, branches, jumps, sensitivities, and where the solution is lost.

use super::systems::{ROOTS, Roots};
use crate::equations::{Equations, Point, Scalar, Size, Study};
use crate::error::ErrorKind;
use crate::hybrid::{At, HybridSystem};

#[test]
fn algebraic_variables_are_consistent_from_the_start_and_after_a_jump() {
    let study = Study::new(Roots, &ROOTS, (0.0, 2.0));
    let motion = study.simulate().expect("it runs");
    for t in [0.0, 0.5, 1.38, 1.39, 2.0] {
        let (x, y) = motion.at(t).expect("within the motion");
        assert!((y[0] - x[0].sqrt()).abs() < 1e-14 && y[0] > 0.0, "{y:?} at {t}");
    }
    let (before, after) = (motion.at(1.38).expect("before"), motion.at(1.39).expect("after"));
    assert!(after.1[0] > before.1[0] + 0.5);
}

#[test]
fn slopes_of_algebraic_variables_follow_their_equations() {
    let study = Study::new(Roots, &ROOTS, (0.0, 2.0));
    let motion = study.forward().expect("it runs");
    for t in [0.3, 1.8] {
        let at = motion.at(t).expect("within the motion");
        for (dx, dy) in at.dx.iter().zip(&at.dy) {
            assert!((2.0 * at.y[0] * dy[0] - dx[0]).abs() < 1e-12, "{dy:?}");
        }
    }
    let start = motion.at(0.0).expect("the start");
    assert!((start.dy[0][0] - 0.25).abs() < 1e-14);
}

#[test]
fn results_do_not_depend_on_what_a_workspace_held_before() {
    let study = Study::new(Roots, &ROOTS, (0.0, 2.0));
    let system = study.system();
    let mut used = system.workspace();
    let (mode, x) = system.start(0.0, &mut used).expect("a start");
    let mut other = x.clone();
    (other[0], other[3]) = (900.0, 30.0);
    let (mut dirty, mut clean) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    system
        .flow(At::new(0.0, &mode, &other), &mut used, &mut dirty)
        .expect("defined");
    system
        .flow(At::new(0.0, &mode, &x), &mut used, &mut dirty)
        .expect("defined");
    let fresh = &mut system.workspace();
    system
        .flow(At::new(0.0, &mode, &x), fresh, &mut clean)
        .expect("defined");
    assert_eq!(dirty, clean);
}

/// x' = 1 and 0 = y² + x - p: two solutions y meet where x = p.
#[derive(Debug)]
struct Fold {
    /// Where the solution at the start is looked for.
    guess: f64,
}

impl Equations for Fold {
    type Mode = ();

    fn size(&self) -> Size {
        Size::of(1).algebraic(1)
    }

    fn start<S: Scalar>(&self, _: &[S], _: &mut [S]) {}

    fn guess(&self, _: &[f64], _: &[f64], y: &mut [f64]) {
        y[0] = self.guess;
    }

    fn flow<S: Scalar>(&self, (): &(), _: &Point<S>, dx: &mut [S]) {
        dx[0] = S::one();
    }

    fn constraint<S: Scalar>(&self, (): &(), at: &Point<S>, g: &mut [S]) {
        g[0] = at.y[0] * at.y[0] + at.x[0] - at.p[0];
    }
}

#[test]
fn each_branch_is_followed_from_its_guess() {
    for guess in [3.0, -3.0] {
        let study = Study::new(Fold { guess }, &[1.0], (0.0, 0.99));
        let motion = study.simulate().expect("it runs");
        let (_, y) = motion.at(0.99).expect("the end");
        assert!((y[0] - 0.1_f64.copysign(guess)).abs() < 1e-12, "{y:?}");
    }
}

#[test]
fn a_lost_solution_is_an_error_with_time_and_condition() {
    let study = Study::new(Fold { guess: 3.0 }, &[1.0], (0.0, 2.0));
    let error = study.simulate().expect_err("there is no solution beyond 1");
    assert_eq!(error.kind(), ErrorKind::Singular);
    assert!((error.time().expect("a time") - 1.0).abs() < 1e-6, "{error}");
    assert!(
        error.value().is_some() && error.to_string().contains("condition"),
        "{error}"
    );
    assert!(error.advice().is_some());
}

#[test]
fn a_start_without_solution_is_an_error() {
    let study = Study::new(Fold { guess: 1.0 }, &[-1.0], (0.0, 2.0));
    let error = study.simulate().expect_err("no solution");
    assert_eq!(
        (error.kind(), error.time()),
        (ErrorKind::Singular, Some(0.0)),
        "{error}"
    );
}
