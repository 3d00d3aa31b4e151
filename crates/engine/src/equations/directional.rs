//! A system together with the derivative of everything along a direction in its parameters, as equations again: their
//! sensitivities and gradients are second derivatives (theory, 3.9).
//!
//! ```text
//! s' = f_x s + f_y u + f_p w,   0 = g_x s + g_y u + g_p w,   tau = -(h_x s + h_y u + h_p w) / h'
//! s+ = T'(s- + f- tau, w, tau) - f+ tau,   d psi = integral of dr + sum of ((r- - r+) tau + dl) + dw
//! ```

use num_dual::Dual;

use super::algebraic::{Algebraic, Given};
use super::index::{Index, Reduction};
use super::{Equations, Point, Size};
use crate::hybrid::Crossing;
use crate::scalar::Scalar;

/// Corrections of algebraic variables over dual numbers: each makes the derivatives of one order more exact.
const CORRECTIONS: usize = 4;

/// Equations with their derivative along a direction w in the parameters.
///
/// States are [x | s | time of the latest event | its derivative] with s = dx along w, algebraic variables [y | u], costs
/// [psi | dpsi]; modes, guards and parameters are those of the equations.
#[derive(Debug)]
pub struct Directional<'a, E> {
    equations: &'a E,
    direction: &'a [f64],
    start: f64,
}

/// A point with numbers of its own.
struct Varied<S> {
    t: Dual<S>,
    x: Vec<Dual<S>>,
    y: Vec<Dual<S>>,
    p: Vec<Dual<S>>,
}

/// What happens at an event to first order in the direction.
struct Crossed<S, M> {
    /// Derivative of the time of the event.
    tau: S,
    /// The point before, moving with the event.
    before: Varied<S>,
    /// The mode and the states after, moving with the event.
    mode: M,
    x: Vec<Dual<S>>,
    /// f and r before and after.
    flows: [Vec<S>; 2],
    running: [Vec<S>; 2],
}

impl<S: Scalar> Varied<S> {
    fn point(&self) -> Point<'_, Dual<S>> {
        Point {
            t: self.t,
            x: &self.x,
            y: &self.y,
            p: &self.p,
        }
    }
}

fn pair<S: Scalar>(values: &[S], slopes: &[S]) -> Vec<Dual<S>> {
    values
        .iter()
        .zip(slopes)
        .map(|(re, eps)| Dual::new(*re, *eps))
        .collect()
}

fn zeros<S: Scalar>(count: usize) -> Vec<S> {
    vec![S::constant(0.0); count]
}

impl<'a, E: Equations> Directional<'a, E> {
    /// Along `direction`, one entry per parameter, for motions from a time on.
    pub fn new(equations: &'a E, direction: &'a [f64], start: f64) -> Self {
        Self {
            equations,
            direction,
            start,
        }
    }

    fn parts(&self) -> (usize, usize, usize) {
        let size = self.equations.size();
        (size.states, size.algebraic, size.costs)
    }

    /// The point of the equations, without what belongs to the direction.
    fn plain<'p, S: Copy>(&self, at: &Point<'p, S>) -> Point<'p, S> {
        let (nx, ny, _) = self.parts();
        Point {
            t: at.t,
            x: &at.x[..nx],
            y: &at.y[..ny],
            p: at.p,
        }
    }

    fn parameters<S: Scalar>(&self, p: &[S]) -> Vec<Dual<S>> {
        let slopes: Vec<S> = self.direction.iter().map(|w| S::constant(*w)).collect();
        pair(p, &slopes)
    }

    /// The point, varying along (s, u, w) with time held.
    fn varied<S: Scalar>(&self, at: &Point<S>) -> Varied<S> {
        let (nx, ny, _) = self.parts();
        Varied {
            t: Dual::from_re(at.t),
            x: pair(&at.x[..nx], &at.x[nx..2 * nx]),
            y: pair(&at.y[..ny], &at.y[ny..]),
            p: self.parameters(at.p),
        }
    }

    /// Writes the values of a function of the point that varies so, and their derivatives after them.
    fn write<S: Scalar>(&self, at: &Point<S>, out: &mut [S], function: impl FnOnce(&Point<Dual<S>>, &mut [Dual<S>])) {
        let mut varied = zeros(out.len() / 2);
        function(&self.varied(at).point(), &mut varied);
        part(&varied, out);
    }

    /// Algebraic variables over any scalar; `guess` tells where to look for them.
    fn solve<S: Scalar>(&self, mode: &E::Mode, at: (S, &[S], &[S]), guess: &[f64]) -> Vec<S> {
        if !E::ALGEBRAIC {
            return Vec::new();
        }
        let (nx, ny, _) = self.parts();
        let (t, x, p) = at;
        let real = |values: &[S]| values.iter().map(|value| value.re()).collect::<Vec<f64>>();
        let (real_x, real_p) = (real(x), real(p));
        let place = Given {
            t: t.re(),
            mode,
            x: &real_x,
            p: &real_p,
        };
        let sizes = (nx, ny, p.len());
        let mut algebraic = Algebraic::new(sizes, 1);
        let solved = algebraic.solve(self.equations, &place, guess);
        let mut y: Vec<S> = algebraic.y.iter().map(|value| S::constant(*value)).collect();
        // The system meets the same equations right after the event and reports what is wrong with them.
        if ny == 0 || solved.is_err() || algebraic.factor(self.equations, &place).is_err() {
            return y;
        }
        let mut inverse = vec![0.0; ny * ny];
        algebraic.invert(&mut inverse);
        let mut reduction = Reduction::new(sizes);
        for _ in 0..CORRECTIONS {
            let mut g = zeros(ny);
            reduction.residuals(self.equations, mode, &Point { t, x, y: &y, p }, &mut g);
            for (y, row) in y.iter_mut().zip(inverse.chunks_exact(ny)) {
                *y += row.iter().zip(&g).fold(S::constant(0.0), |sum, (a, g)| sum - *g * *a);
            }
        }
        y
    }

    /// f and r at a point.
    fn rates<S: Scalar>(&self, mode: &E::Mode, at: &Point<S>) -> (Vec<S>, Vec<S>) {
        let (nx, _, nc) = self.parts();
        let (mut f, mut r) = (zeros(nx), zeros(nc));
        self.equations.flow(mode, at, &mut f);
        self.equations.running_costs(mode, at, &mut r);
        (f, r)
    }

    /// The point, moving along the flow f.
    fn moving<S: Scalar>(&self, mode: &E::Mode, at: &Point<S>, f: &[S]) -> Varied<S> {
        let t = Dual::new(at.t, S::constant(1.0));
        let x = pair(at.x, f);
        let p: Vec<Dual<S>> = at.p.iter().map(|p| Dual::from_re(*p)).collect();
        let guess: Vec<f64> = at.y.iter().map(|y| y.re()).collect();
        let y = self.solve(mode, (t, &x, &p), &guess);
        Varied { t, x, y, p }
    }

    /// Derivative of the time of an event; that of the event before if it follows on it at once.
    fn event_time<S: Scalar>(&self, guard: usize, mode: &E::Mode, at: &Point<S>, moving: &Varied<S>) -> S {
        let (nx, ..) = self.parts();
        if at.t.re() == at.x[2 * nx].re() {
            return at.x[2 * nx + 1];
        }
        let slope = self.equations.guard(guard, mode, &self.varied(at).point()).eps;
        let rate = self.equations.guard(guard, mode, &moving.point()).eps;
        -slope / rate
    }

    fn cross<S: Scalar>(&self, guard: usize, mode: &E::Mode, at: &Point<S>) -> Crossed<S, E::Mode> {
        let plain = self.plain(at);
        let (f, r) = self.rates(mode, &plain);
        let moving = self.moving(mode, &plain, &f);
        let tau = self.event_time(guard, mode, at, &moving);
        let mut before = self.varied(at);
        before.t.eps = tau;
        let shifted = before.x.iter_mut().zip(&moving.x);
        for (value, moving) in shifted.chain(before.y.iter_mut().zip(&moving.y)) {
            value.eps += moving.eps * tau;
        }
        let mut x = before.x.clone();
        let next = self.equations.jump(guard, mode, &before.point(), &mut x);
        let after: Vec<S> = x.iter().map(|x| x.re).collect();
        let guess: Vec<f64> = plain.y.iter().map(|y| y.re()).collect();
        let y = self.solve(&next, (at.t, &after, at.p), &guess);
        let end = Point {
            t: at.t,
            x: &after,
            y: &y,
            p: at.p,
        };
        let (f_after, r_after) = self.rates(&next, &end);
        Crossed {
            tau,
            before,
            mode: next,
            x,
            flows: [f, f_after],
            running: [r, r_after],
        }
    }
}

/// Writes values and derivatives one after the other.
fn part<S: Scalar>(from: &[Dual<S>], out: &mut [S]) {
    let (values, rest) = out.split_at_mut(from.len());
    for ((from, value), slope) in from.iter().zip(values).zip(rest) {
        (*value, *slope) = (from.re, from.eps);
    }
}

impl<E: Equations> Equations for Directional<'_, E> {
    type Mode = E::Mode;

    const ALGEBRAIC: bool = E::ALGEBRAIC;

    fn size(&self) -> Size {
        let size = self.equations.size();
        Size {
            states: 2 * size.states + 2,
            algebraic: 2 * size.algebraic,
            costs: 2 * size.costs,
            ..size
        }
    }

    fn start<S: Scalar>(&self, p: &[S], x: &mut [S]) -> E::Mode {
        let (nx, ..) = self.parts();
        let mut varied = zeros(nx);
        let mode = self.equations.start(&self.parameters(p), &mut varied);
        part(&varied, x);
        x[2 * nx] = S::constant(self.start);
        mode
    }

    fn flow<S: Scalar>(&self, mode: &E::Mode, at: &Point<S>, dx: &mut [S]) {
        let (nx, ..) = self.parts();
        self.write(at, &mut dx[..2 * nx], |at, f| self.equations.flow(mode, at, f));
    }

    fn guess(&self, x: &[f64], p: &[f64], y: &mut [f64]) {
        let (nx, ny, _) = self.parts();
        self.equations.guess(&x[..nx], p, &mut y[..ny]);
    }

    fn constraint<S: Scalar>(&self, mode: &E::Mode, at: &Point<S>, g: &mut [S]) {
        self.write(at, g, |at, g| self.equations.constraint(mode, at, g));
    }

    fn index(&self, equation: usize, mode: &E::Mode) -> Index {
        let (_, ny, _) = self.parts();
        self.equations.index(equation % ny, mode)
    }

    fn event_name(&self, guard: usize) -> String {
        self.equations.event_name(guard)
    }

    fn crossing(&self, guard: usize, mode: &E::Mode) -> Option<Crossing> {
        self.equations.crossing(guard, mode)
    }

    fn guard<S: Scalar>(&self, guard: usize, mode: &E::Mode, at: &Point<S>) -> S {
        self.equations.guard(guard, mode, &self.plain(at))
    }

    fn jump<S: Scalar>(&self, guard: usize, mode: &E::Mode, before: &Point<S>, x: &mut [S]) -> E::Mode {
        let (nx, ..) = self.parts();
        let crossed = self.cross(guard, mode, before);
        part(&crossed.x, x);
        for (slope, f) in x[nx..2 * nx].iter_mut().zip(&crossed.flows[1]) {
            *slope -= *f * crossed.tau;
        }
        x[2 * nx] = before.t;
        x[2 * nx + 1] = crossed.tau;
        crossed.mode
    }

    fn running_costs<S: Scalar>(&self, mode: &E::Mode, at: &Point<S>, r: &mut [S]) {
        self.write(at, r, |at, r| self.equations.running_costs(mode, at, r));
    }

    fn event_costs<S: Scalar>(&self, guard: usize, mode: &E::Mode, before: &Point<S>, l: &mut [S]) {
        let (_, _, nc) = self.parts();
        let crossed = self.cross(guard, mode, before);
        let mut varied = zeros(nc);
        self.equations
            .event_costs(guard, mode, &crossed.before.point(), &mut varied);
        part(&varied, l);
        let [r_before, r_after] = &crossed.running;
        for ((l, before), after) in l[nc..].iter_mut().zip(r_before).zip(r_after) {
            *l += (*before - *after) * crossed.tau;
        }
    }

    fn final_costs<S: Scalar>(&self, mode: &E::Mode, at: &Point<S>, w: &mut [S]) {
        self.write(at, w, |at, w| self.equations.final_costs(mode, at, w));
    }
}
