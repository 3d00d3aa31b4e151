//! Equations that switch between index 1 and 2: a mass on a string, which is slack while it would have to push.

use costate::equations::{Crossing, Equations, Index, Point, Scalar, Size, Study};

use super::pendulum::difference;

/// A mass (q, v) on a string, thrown round: taut with 0 = q v for its force lambda, until that vanishes; then slack with
/// 0 = lambda, until the string is as long as it can be and takes the velocity along it. Without `algebraic`, lambda while taut
/// is written out. Parameters: length, weight per mass, speed at the lowest point.
#[derive(Debug)]
struct Thrown {
    algebraic: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Taut,
    Slack,
}

const THROWN: [f64; 3] = [0.8, 9.81, 5.7];
const END: f64 = 2.5;

fn dot<S: Scalar>(a: &[S], b: &[S]) -> S {
    a[0] * b[0] + a[1] * b[1]
}

impl Thrown {
    fn lambda<S: Scalar>(&self, mode: Mode, at: &Point<S>) -> S {
        let (q, v) = at.x.split_at(2);
        match (self.algebraic, mode) {
            (true, _) => at.y[0],
            (false, Mode::Taut) => (dot(v, v) - q[1] * at.p[1]) / dot(q, q),
            (false, Mode::Slack) => S::zero(),
        }
    }
}

impl Equations for Thrown {
    type Mode = Mode;

    fn size(&self) -> Size {
        Size::of(4).algebraic(usize::from(self.algebraic)).guards(2).costs(1)
    }

    fn start<S: Scalar>(&self, p: &[S], x: &mut [S]) -> Mode {
        (x[1], x[2]) = (-p[0], p[2]);
        Mode::Taut
    }

    fn flow<S: Scalar>(&self, mode: &Mode, at: &Point<S>, dx: &mut [S]) {
        let lambda = self.lambda(*mode, at);
        (dx[0], dx[1]) = (at.x[2], at.x[3]);
        (dx[2], dx[3]) = (-at.x[0] * lambda, -at.p[1] - at.x[1] * lambda);
    }

    fn constraint<S: Scalar>(&self, mode: &Mode, at: &Point<S>, g: &mut [S]) {
        g[0] = match mode {
            Mode::Taut => dot(&at.x[..2], &at.x[2..]),
            Mode::Slack => at.y[0],
        };
    }

    fn index(&self, _: usize, mode: &Mode) -> Index {
        match mode {
            Mode::Taut => Index::Two,
            Mode::Slack => Index::One,
        }
    }

    fn crossing(&self, guard: usize, mode: &Mode) -> Option<Crossing> {
        match (guard, mode) {
            (0, Mode::Taut) | (1, Mode::Slack) => Some(Crossing::Falling),
            _ => None,
        }
    }

    fn guard<S: Scalar>(&self, guard: usize, mode: &Mode, at: &Point<S>) -> S {
        let q = &at.x[..2];
        if guard == 0 {
            self.lambda(*mode, at)
        } else {
            at.p[0] * at.p[0] - dot(q, q)
        }
    }

    fn jump<S: Scalar>(&self, guard: usize, _: &Mode, before: &Point<S>, x: &mut [S]) -> Mode {
        if guard == 0 {
            return Mode::Slack;
        }
        let (q, v) = before.x.split_at(2);
        let along = dot(q, v) / dot(q, q);
        (x[2], x[3]) = (v[0] - q[0] * along, v[1] - q[1] * along);
        Mode::Taut
    }

    fn running_costs<S: Scalar>(&self, mode: &Mode, at: &Point<S>, r: &mut [S]) {
        r[0] = self.lambda(*mode, at) * at.x[0];
    }
}

#[test]
fn a_string_that_turns_slack_and_taut_moves_as_with_its_force_written_out() {
    let study = |algebraic| Study::new(Thrown { algebraic }, &THROWN, (0.0, END));
    let (with, without) = (study(true), study(false));
    let (found, exact) = (with.forward().expect("it runs"), without.forward().expect("it runs"));
    assert!(exact.events.len() >= 2, "{:?}", exact.events);
    assert_eq!(found.events.len(), exact.events.len());
    for (found, exact) in found.events.iter().zip(&exact.events) {
        assert!(difference(&[found.t], &[exact.t]) < 1e-11 && difference(&found.slopes, &exact.slopes) < 1e-10);
    }
    let (end, exact_end) = (found.at(END).expect("the end"), exact.at(END).expect("the end"));
    assert!(difference(&end.x, &exact_end.x) < 1e-10);
    assert!(difference(&end.dx.concat(), &exact_end.dx.concat()) < 1e-9);
    let adjoint = with.adjoint().expect("it runs");
    for gradient in [&found.gradients.gradients[0], &adjoint.gradients[0]] {
        assert!(
            difference(gradient, &exact.gradients.gradients[0]) < 1e-9,
            "{gradient:?}"
        );
    }
}
