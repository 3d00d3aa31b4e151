//! Roots of scalar functions of time, to the resolution of time.

use crate::error::{Error, ErrorKind, Result};

/// Halvings of the first bracket after which a root counts as located even if it lies at time 0.
const MOST_HALVINGS: i32 = 70;

/// Evaluations the interpolation may spend without shrinking the bracket as bisection would.
const PATIENCE: i32 = 16;

/// A root located in a bracket.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Root {
    /// Best estimate: the end of the last bracket with the smaller value.
    pub t: f64,
    /// Function value at `t`.
    pub value: f64,
    /// End of the last bracket on the side of `a`, where the function has the sign of `g(a)`; `t` if `value` is zero.
    pub before: f64,
    /// End of the last bracket on the side of `b`, where the function has the sign of `g(b)`; `t` if `value` is zero.
    pub after: f64,
    /// Evaluations of the function.
    pub evaluations: u32,
}

impl Root {
    fn between(best: Point, before: Point, after: Point, evaluations: u32) -> Self {
        Self {
            t: best.t,
            value: best.g,
            before: before.t,
            after: after.t,
            evaluations,
        }
    }
}

/// A point and the function value there.
#[derive(Clone, Copy, Debug)]
struct Point {
    t: f64,
    g: f64,
}

/// Root of `g` between `a` and `b` (either order), where its values `g_a` and `g_b` have opposite signs; a zero value at an
/// end is a root, at `a` first. The last bracket is no wider than two units of rounding of `t` (`2 EPSILON |t|`) or
/// `2^-70` of the first bracket, after at most 90 evaluations whatever the function, typically after 6 to 10.
/// Inverse quadratic interpolation where safe, else bisection (Chandrupatla, Advances in Engineering Software 28, 1997),
/// and bisection whenever the bracket lags behind bisection.
///
/// # Errors
/// Kind [`ErrorKind::Request`] if the signs are equal, kind [`ErrorKind::NotFinite`] if a value is NaN, or the error of `g`.
pub fn bracketed_root(
    (a, g_a): (f64, f64),
    (b, g_b): (f64, f64),
    mut g: impl FnMut(f64) -> Result<f64>,
) -> Result<Root> {
    let (first, second) = (checked(a, g_a)?, checked(b, g_b)?);
    if let Some(end) = [first, second].into_iter().find(|end| end.g == 0.0) {
        return Ok(Root::between(end, end, end, 0));
    }
    let mut bracket = Bracket::new(first, second);
    if (g_a < 0.0) == (g_b < 0.0) {
        let message = format!("no change of sign between t = {a} s and t = {b} s");
        return Err(Error::new(ErrorKind::Request, message).at_time(a).with_value(g_a));
    }
    let mut evaluations = 0;
    while let Some(t) = bracket.next(evaluations) {
        bracket.insert(checked(t, g(t)?)?);
        evaluations += 1;
    }
    Ok(bracket.root(evaluations))
}

fn checked(t: f64, g: f64) -> Result<Point> {
    if g.is_nan() || !t.is_finite() {
        return Err(Error::new(
            ErrorKind::NotFinite,
            "the function whose root is sought is not a number",
        )
        .at_time(t)
        .with_value(g));
    }
    Ok(Point { t, g })
}

/// A bracket with the point it replaced.
struct Bracket {
    /// The newest end.
    new: Point,
    /// The opposite end.
    old: Point,
    /// The point replaced last.
    gone: Point,
    /// Sign at the first end, and width, of the first bracket.
    negative_at_a: bool,
    width: f64,
}

impl Bracket {
    fn new(first: Point, second: Point) -> Self {
        Self {
            new: second,
            old: first,
            gone: first,
            negative_at_a: first.g < 0.0,
            width: (second.t - first.t).abs(),
        }
    }

    /// The end with the smaller value.
    fn best(&self) -> Point {
        // The end on the side of `a` wins a tie.
        let (before, after) = self.ordered();
        if after.g.abs() < before.g.abs() { after } else { before }
    }

    /// The ends on the side of `a` and of `b`.
    fn ordered(&self) -> (Point, Point) {
        if (self.new.g < 0.0) == self.negative_at_a {
            (self.new, self.old)
        } else {
            (self.old, self.new)
        }
    }

    /// Where to evaluate next; none if the root is located.
    fn next(&self, evaluations: i32) -> Option<f64> {
        let (new, old) = (self.new, self.old);
        let width = (old.t - new.t).abs();
        let resolution = 2.0 * f64::EPSILON * self.best().t.abs();
        let tolerance = resolution.max(self.width * 2.0_f64.powi(-MOST_HALVINGS));
        if self.best().g == 0.0 || width <= tolerance {
            return None;
        }
        let lagging = width > self.width * 2.0_f64.powi(PATIENCE - evaluations);
        let fraction = if lagging { 0.5 } else { self.fraction() };
        // Off the ends by half the tolerance: a root beside the best point is then enclosed by the next.
        let margin = (0.5 * tolerance / width).min(0.5);
        let t = new.t + fraction.clamp(margin, 1.0 - margin) * (old.t - new.t);
        let middle = new.t + 0.5 * (old.t - new.t);
        let inside = |t: &f64| *t != new.t && *t != old.t;
        [t, middle].into_iter().find(inside)
    }

    /// Where between `new` (0) and `old` (1) the root is expected.
    fn fraction(&self) -> f64 {
        let Self { new, old, gone, .. } = self;
        let share = |a: f64, b: f64| a / (b - a);
        let position = (new.t - old.t) / (gone.t - old.t);
        let level = (new.g - old.g) / (gone.g - old.g);
        let safe = level * level < position && (1.0 - level) * (1.0 - level) < 1.0 - position;
        let fraction = if gone.t == old.t {
            -share(new.g, old.g)
        } else if safe {
            share(new.g, old.g) * share(gone.g, old.g)
                + (gone.t - new.t) / (old.t - new.t) * share(new.g, gone.g) * share(old.g, gone.g)
        } else {
            0.5
        };
        if fraction.is_finite() { fraction } else { 0.5 }
    }

    fn insert(&mut self, point: Point) {
        let same_side = (point.g < 0.0) == (self.new.g < 0.0);
        if same_side {
            self.gone = self.new;
        } else {
            self.gone = self.old;
            self.old = self.new;
        }
        self.new = point;
    }

    fn root(&self, evaluations: i32) -> Root {
        let best = self.best();
        let (before, after) = if best.g == 0.0 { (best, best) } else { self.ordered() };
        Root::between(best, before, after, evaluations.unsigned_abs())
    }
}
