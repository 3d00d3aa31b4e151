//! A pendulum that swings against a wall, in coordinates and in its angle.

use costate::equations::{Crossing, Equations, Index, Point, Scalar, Size};

/// Length, weight per mass, damping per mass, angle and its rate at the start, restitution, place of the wall.
pub const PENDULUM: [f64; 7] = [1.3, 9.81, 0.15, 1.1, 0.4, 0.7, -0.35];

/// A pendulum (q, v) that swings against a wall: q' = v + q mu, v' = weight - damping v - q lambda. Stabilized, with
/// 0 = q² - length² and 0 = q v for lambda and mu; otherwise with 0 = q v for lambda alone.
///
/// Costs: integral of lambda² and speeds before impacts; lambda at the end.
#[derive(Debug)]
pub struct Cartesian {
    pub stabilized: bool,
}

/// The same in its angle from straight down and its rate, with lambda = rate² + weight cos(angle) / length.
#[derive(Debug)]
pub struct Angle;

fn start<S: Scalar>(p: &[S], x: &mut [S]) {
    let (sin, cos) = p[3].sin_cos();
    x.copy_from_slice(&[sin * p[0], -cos * p[0], cos * p[0] * p[4], sin * p[0] * p[4]]);
}

impl Equations for Cartesian {
    type Mode = ();

    fn size(&self) -> Size {
        Size::of(4)
            .algebraic(if self.stabilized { 2 } else { 1 })
            .guards(1)
            .costs(2)
    }

    fn start<S: Scalar>(&self, p: &[S], x: &mut [S]) {
        start(p, x);
    }

    fn flow<S: Scalar>(&self, (): &(), at: &Point<S>, dx: &mut [S]) {
        let ([qx, qy, vx, vy], lambda) = ([at.x[0], at.x[1], at.x[2], at.x[3]], at.y[0]);
        (dx[0], dx[1]) = (vx, vy);
        if self.stabilized {
            (dx[0], dx[1]) = (vx + qx * at.y[1], vy + qy * at.y[1]);
        }
        dx[2] = -at.p[2] * vx - qx * lambda;
        dx[3] = -at.p[1] - at.p[2] * vy - qy * lambda;
    }

    fn constraint<S: Scalar>(&self, (): &(), at: &Point<S>, g: &mut [S]) {
        g[0] = at.x[0] * at.x[2] + at.x[1] * at.x[3];
        if self.stabilized {
            g[1] = at.x[0] * at.x[0] + at.x[1] * at.x[1] - at.p[0] * at.p[0];
        }
    }

    fn index(&self, _: usize, (): &()) -> Index {
        Index::Two
    }

    fn event_name(&self, _: usize) -> String {
        "impact".to_string()
    }

    fn crossing(&self, _: usize, (): &()) -> Option<Crossing> {
        Some(Crossing::Falling)
    }

    fn guard<S: Scalar>(&self, _: usize, (): &(), at: &Point<S>) -> S {
        at.x[0] - at.p[6]
    }

    fn jump<S: Scalar>(&self, _: usize, (): &(), before: &Point<S>, x: &mut [S]) {
        x[2] = -before.p[5] * before.x[2];
        x[3] = -before.p[5] * before.x[3];
    }

    fn running_costs<S: Scalar>(&self, (): &(), at: &Point<S>, r: &mut [S]) {
        r[0] = at.y[0] * at.y[0];
    }

    fn event_costs<S: Scalar>(&self, _: usize, (): &(), before: &Point<S>, l: &mut [S]) {
        l[0] = (before.x[2] * before.x[2] + before.x[3] * before.x[3]).sqrt();
    }

    fn final_costs<S: Scalar>(&self, (): &(), at: &Point<S>, w: &mut [S]) {
        w[1] = at.y[0];
    }
}

fn tension<S: Scalar>(at: &Point<S>) -> S {
    at.x[1] * at.x[1] + at.p[1] * at.x[0].cos() / at.p[0]
}

impl Equations for Angle {
    type Mode = ();

    fn size(&self) -> Size {
        Size::of(2).guards(1).costs(2)
    }

    fn start<S: Scalar>(&self, p: &[S], x: &mut [S]) {
        x.copy_from_slice(&p[3..5]);
    }

    fn flow<S: Scalar>(&self, (): &(), at: &Point<S>, dx: &mut [S]) {
        dx[0] = at.x[1];
        dx[1] = -at.p[1] / at.p[0] * at.x[0].sin() - at.p[2] * at.x[1];
    }

    fn crossing(&self, _: usize, (): &()) -> Option<Crossing> {
        Some(Crossing::Falling)
    }

    fn guard<S: Scalar>(&self, _: usize, (): &(), at: &Point<S>) -> S {
        at.x[0].sin() * at.p[0] - at.p[6]
    }

    fn jump<S: Scalar>(&self, _: usize, (): &(), before: &Point<S>, x: &mut [S]) {
        x[1] = -before.p[5] * before.x[1];
    }

    fn running_costs<S: Scalar>(&self, (): &(), at: &Point<S>, r: &mut [S]) {
        r[0] = tension(at) * tension(at);
    }

    fn event_costs<S: Scalar>(&self, _: usize, (): &(), before: &Point<S>, l: &mut [S]) {
        l[0] = -before.x[1] * before.p[0];
    }

    fn final_costs<S: Scalar>(&self, (): &(), at: &Point<S>, w: &mut [S]) {
        w[1] = tension(at);
    }
}
