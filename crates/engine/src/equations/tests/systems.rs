//! Small systems that the tests share.

use crate::equations::{Crossing, Equations, Point, Scalar, Size};

/// A decaying state that is halved whenever it falls below a threshold, with an algebraic square root of it:
/// x' = -rate x, 0 = y² - x, and at y = threshold: x+ = jump + y-² / 2. Parameters: x(0), rate, threshold, jump.
///
/// Costs: integral of y, plus y- of every event; and y at the end.
#[derive(Debug)]
pub struct Roots;

impl Equations for Roots {
    /// Number of events so far.
    type Mode = usize;

    fn size(&self) -> Size {
        Size::of(1).algebraic(1).guards(1).costs(2)
    }

    fn start<S: Scalar>(&self, p: &[S], x: &mut [S]) -> usize {
        x[0] = p[0];
        0
    }

    fn guess(&self, _: &[f64], _: &[f64], y: &mut [f64]) {
        y[0] = 100.0;
    }

    fn flow<S: Scalar>(&self, _: &usize, at: &Point<S>, dx: &mut [S]) {
        dx[0] = -at.p[1] * at.y[0] * at.y[0];
    }

    fn constraint<S: Scalar>(&self, _: &usize, at: &Point<S>, g: &mut [S]) {
        g[0] = at.y[0] * at.y[0] - at.x[0];
    }

    fn crossing(&self, _: usize, _: &usize) -> Option<Crossing> {
        Some(Crossing::Falling)
    }

    fn guard<S: Scalar>(&self, _: usize, _: &usize, at: &Point<S>) -> S {
        at.y[0] - at.p[2]
    }

    fn jump<S: Scalar>(&self, _: usize, mode: &usize, before: &Point<S>, x: &mut [S]) -> usize {
        x[0] = before.p[3] + before.y[0] * before.y[0] * 0.5;
        mode + 1
    }

    fn running_costs<S: Scalar>(&self, _: &usize, at: &Point<S>, r: &mut [S]) {
        r[0] = at.y[0];
    }

    fn event_costs<S: Scalar>(&self, _: usize, _: &usize, before: &Point<S>, l: &mut [S]) {
        l[0] = before.y[0] * before.x[0];
    }

    fn final_costs<S: Scalar>(&self, _: &usize, at: &Point<S>, w: &mut [S]) {
        w[1] = at.y[0] * at.p[0];
    }
}

/// x(0), rate, threshold, jump.
pub const ROOTS: [f64; 4] = [4.0, 1.0, 1.0, 2.0];

/// Time of the event of [`Roots`] and its costs up to a time after it, in closed form.
pub fn closed_form([start, rate, threshold, jump]: [f64; 4], end: f64) -> (f64, [f64; 2]) {
    let event = (start / (threshold * threshold)).ln() / rate;
    let after = jump + 0.5 * threshold * threshold;
    let integral = |from: f64, duration: f64| from.sqrt() * 2.0 / rate * (1.0 - (-0.5 * rate * duration).exp());
    let last = after.sqrt() * (-0.5 * rate * (end - event)).exp();
    let running = integral(start, event) + integral(after, end - event);
    (event, [running + threshold * threshold * threshold, last * start])
}
