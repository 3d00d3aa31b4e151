//! What is wrong with a system of index 2 is said, with time, value and advice.

use costate::equations::{Crossing, Equations, Index, Point, Scalar, Size, Study};
use costate::error::{Error, ErrorKind};

/// What is wrong with [`Circle`].
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Nothing,
    StartOff,
    StartOffForOthers,
    JumpOff,
    JumpOffForOthers,
    ContainsVariable,
    NoEffect,
    Aslant,
}

/// A point that is driven round a circle of radius p0 with speed p1 and pushed onto it by z, and at x = 0 set back by a
/// quarter turn. Pushed aslant, along x instead of the radius, it cannot reach x = 0.
#[derive(Debug)]
struct Circle(Fault);

impl Equations for Circle {
    type Mode = ();

    fn size(&self) -> Size {
        Size::of(2).algebraic(1).guards(1).costs(1)
    }

    fn start<S: Scalar>(&self, p: &[S], x: &mut [S]) {
        x[0] = match self.0 {
            Fault::StartOff => p[0] + 0.01,
            Fault::StartOffForOthers => S::constant(2.0),
            _ => p[0],
        };
    }

    fn flow<S: Scalar>(&self, (): &(), at: &Point<S>, dx: &mut [S]) {
        let z = at.y[0];
        if self.0 == Fault::Aslant {
            (dx[0], dx[1]) = (z, S::one());
            return;
        }
        let push = if self.0 == Fault::NoEffect { S::zero() } else { z };
        dx[0] = -at.x[1] / at.p[0] * at.p[1] + at.x[0] * push;
        dx[1] = at.x[0] / at.p[0] * at.p[1] + at.x[1] * push + S::constant(0.1);
    }

    fn constraint<S: Scalar>(&self, (): &(), at: &Point<S>, g: &mut [S]) {
        g[0] = at.x[0] * at.x[0] + at.x[1] * at.x[1] - at.p[0] * at.p[0];
        if self.0 == Fault::ContainsVariable {
            g[0] += at.y[0] * 0.1;
        }
    }

    fn index(&self, _: usize, (): &()) -> Index {
        Index::Two
    }

    fn event_name(&self, _: usize) -> String {
        "set back".to_string()
    }

    fn crossing(&self, _: usize, (): &()) -> Option<Crossing> {
        (self.0 != Fault::Aslant).then_some(Crossing::Falling)
    }

    fn guard<S: Scalar>(&self, _: usize, (): &(), at: &Point<S>) -> S {
        at.x[0]
    }

    fn jump<S: Scalar>(&self, _: usize, (): &(), before: &Point<S>, x: &mut [S]) {
        x[0] = match self.0 {
            Fault::JumpOff => before.p[0] * 0.9,
            Fault::JumpOffForOthers => S::constant(2.0),
            _ => before.p[0],
        };
        x[1] = S::zero();
    }

    fn final_costs<S: Scalar>(&self, (): &(), at: &Point<S>, w: &mut [S]) {
        w[0] = at.x[1];
    }
}

fn study(fault: Fault) -> Study<Circle> {
    Study::new(Circle(fault), &[2.0, 4.0], (0.0, 2.5))
}

fn fails(fault: Fault) -> Error {
    study(fault).simulate().map(|_| ()).expect_err("a fault")
}

/// Both gradients fail for the same reason, and the motion alone is fine.
fn fails_to_differentiate(fault: Fault) -> Error {
    let study = study(fault);
    study.simulate().expect("it runs");
    let forward = study.forward().map(|_| ()).expect_err("a fault");
    let adjoint = study.adjoint().map(|_| ()).expect_err("a fault");
    assert_eq!((forward.kind(), forward.name()), (adjoint.kind(), adjoint.name()));
    forward
}

#[test]
fn without_fault_it_runs_and_both_gradients_agree() {
    let study = study(Fault::Nothing);
    let motion = study.forward().expect("it runs");
    assert!(!motion.events.is_empty());
    let adjoint = study.adjoint().expect("it runs");
    for k in 0..2 {
        assert!((adjoint.by(0, k) - motion.gradients.by(0, k)).abs() < 1e-10);
    }
}

#[test]
fn a_start_off_the_equations_is_refused_with_residual_and_distance() {
    let error = fails(Fault::StartOff);
    assert_eq!((error.kind(), error.time()), (ErrorKind::Assembly, Some(0.0)));
    assert!((error.value().expect("a value") - (2.01_f64.powi(2) - 4.0)).abs() < 1e-12);
    let text = error.to_string();
    assert!(text.contains("g[0]") && text.contains("1.0e-2 away"), "{text}");
    assert!(error.advice().is_some());
}

#[test]
fn a_start_on_the_equations_for_one_value_of_a_parameter_only_has_no_gradient() {
    let error = fails_to_differentiate(Fault::StartOffForOthers);
    assert_eq!(error.kind(), ErrorKind::Assembly);
    assert!(error.to_string().contains("parameter 0"), "{error}");
    assert!((error.value().expect("a value") + 4.0).abs() < 1e-12);
}

#[test]
fn a_jump_off_the_equations_is_refused_with_its_name_and_time() {
    let error = fails(Fault::JumpOff);
    assert_eq!((error.kind(), error.name()), (ErrorKind::Event, Some("set back")));
    assert!(
        error.time().is_some_and(|t| t > 0.1) && error.to_string().contains("g[0]"),
        "{error}"
    );
}

#[test]
fn a_jump_onto_the_equations_for_one_value_of_a_parameter_only_has_no_gradient() {
    let error = fails_to_differentiate(Fault::JumpOffForOthers);
    assert_eq!(
        (error.kind(), error.name()),
        (ErrorKind::Event, Some("set back")),
        "{error}"
    );
}

#[test]
fn an_equation_of_index_2_with_an_algebraic_variable_is_refused() {
    let error = fails(Fault::ContainsVariable);
    assert_eq!(error.kind(), ErrorKind::Request);
    assert!(error.to_string().contains("contains y[0]"), "{error}");
}

#[test]
fn a_variable_without_effect_on_its_equation_is_an_error_with_time_and_condition() {
    let error = fails(Fault::NoEffect);
    assert_eq!(
        (error.kind(), error.time()),
        (ErrorKind::Singular, Some(0.0)),
        "{error}"
    );
    assert!(error.to_string().contains("condition of g_x f_y"), "{error}");
}

#[test]
fn an_effect_that_fades_away_is_an_error_where_it_does() {
    let error = fails(Fault::Aslant);
    assert_eq!(error.kind(), ErrorKind::Singular, "{error}");
    assert!((error.time().expect("a time") - 2.0).abs() < 1e-4, "{error}");
    assert!(error.value().is_some_and(|condition| condition > 1e4) && error.to_string().contains("condition"));
}
