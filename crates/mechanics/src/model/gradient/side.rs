//! Derivatives of outputs at places where their expressions have none, such as `hypot` where all its arguments vanish: those
//! on the side that the motion goes to, or that on all sides (theory, 3.3). Where the motion stays at such a place, those of what is
//! integrated are between those on two sides: they matter only by what moves off it ([`Output::tip`]).

use super::output::MotionView;
use crate::linear::{max_abs, pairs_within};
use crate::model::local::{MAX_LOCAL, Slots};
use crate::model::quantity::{Motion, Output, Quantity};
use crate::model::{Mode, Model};
use crate::scalar::Dual64;

/// How far on along the motion the derivative is looked at, over the size of what moves.
const AHEAD: f64 = 1e-12;

/// How far beside such a place the derivatives on its sides are looked at, over the size of what is there.
const BESIDE: f64 = 1e-8;

/// Difference of the derivatives at two places on that side, over the largest there and far on, up to which they have a limit.
const LIMIT: f64 = 1e-5;

/// Makes the parts of several arguments in such a move independent of each other.
const GOLDEN: f64 = 0.618_034;

/// Derivatives beside a place that has none.
struct Sides {
    /// The mean of those on two opposite sides, and those that are there.
    mean: Slots<f64>,
    /// What those on the two sides differ by.
    differences: Slots<f64>,
    /// Whether they are the same on all sides that were looked at.
    is_smooth: bool,
}

/// The arguments by which there are no derivatives.
fn bare(slopes: &[f64]) -> impl Iterator<Item = usize> {
    let all = slopes.iter().enumerate();
    all.filter(|(_, slope)| !slope.is_finite()).map(|(j, _)| j)
}

/// Whether such arguments do not change along the motion, as far as their rates are known.
fn is_still(slopes: &[f64], rates: &[f64]) -> bool {
    bare(slopes).all(|j| rates[j] == 0.0 || rates[j].is_nan())
}

impl Output {
    /// Derivatives by the arguments; not finite where there are none on the side that the motion goes to either.
    pub(super) fn slopes(&self, at: &MotionView) -> Slots<f64> {
        let mut values = self.values(at);
        let here = self.slopes_at(&mut values);
        if here.iter().all(|slope| slope.is_finite()) {
            return here;
        }
        let rates = self.rates(at);
        let size = values
            .iter()
            .fold(max_abs(&rates), |most, value| most.max(value.re.abs()));
        let moved = |share: f64| -> Slots<f64> {
            let mut values = values.clone();
            for (value, rate) in values.iter_mut().zip(&rates) {
                value.re += share * size * (rate / max_abs(&rates));
            }
            self.slopes_at(&mut values)
        };
        let (near, next, far) = (moved(AHEAD), moved(4.0 * AHEAD), moved(1.0));
        let size = max_abs(&next).max(max_abs(&far));
        // Not so where one of them is not a number.
        let tends = near
            .iter()
            .zip(next.iter())
            .all(|(near, next)| (near - next).abs() <= LIMIT * size);
        if tends {
            return near;
        }
        match self.sides(&values, &here) {
            Some(sides) if sides.is_smooth || (at.over_time && is_still(&here, &rates)) => sides.mean,
            _ => here,
        }
    }

    /// Where the motion stays at a place without derivatives, as on the tip of a cone: what those by each argument differ by on two
    /// opposite sides.
    pub fn tip(&self, at: &MotionView) -> Option<Vec<f64>> {
        let mut values = self.values(at);
        let here = self.slopes_at(&mut values);
        if here.iter().all(|slope| slope.is_finite()) || !is_still(&here, &self.rates(at)) {
            return None;
        }
        let sides = self.sides(&values, &here).filter(|sides| !sides.is_smooth)?;
        Some(sides.differences.to_vec())
    }

    /// What the derivatives along a direction differ by on two sides whose derivatives by the arguments differ by these.
    pub fn difference(&self, by: &[f64], model: &Model, mode: &Mode, motion: &Motion<Dual64>) -> f64 {
        let terms = by.iter().zip(&self.arguments).filter(|(by, _)| **by != 0.0);
        terms
            .map(|(by, quantity)| by * quantity.along(model, mode, motion, true))
            .sum()
    }

    fn values(&self, at: &MotionView) -> Slots<Dual64> {
        let mut values = Slots::new(self.arguments.len(), Dual64::from(0.0));
        pairs_within(&mut values, &self.arguments, |slot, quantity| {
            slot.re = quantity.evaluate(at.model, at.mode, &at.motion);
        });
        values
    }

    /// Limits of the derivatives towards a place without, from two pairs of opposite sides of those arguments by which there are none.
    fn sides(&self, values: &Slots<Dual64>, here: &Slots<f64>) -> Option<Sides> {
        let largest = bare(here).fold(0.0, |largest, j| f64::max(largest, values[j].re.abs()));
        let size = if largest > 0.0 { largest } else { 1.0 };
        let beside = |way: usize, share: f64| -> Slots<f64> {
            let mut values = values.clone();
            for j in bare(here) {
                let part = 0.5 + (GOLDEN * (j + 1) as f64).fract();
                let sign = if way == 0 || j % 2 == 0 { 1.0 } else { -1.0 };
                values[j].re += share * size * part * sign;
            }
            self.slopes_at(&mut values)
        };
        let limit = |way: usize, sign: f64| -> Option<(Slots<f64>, f64)> {
            let [mut near, next, far] = [BESIDE, 4.0 * BESIDE, 1.0].map(|share| beside(way, sign * share));
            let size = max_abs(&near).max(max_abs(&next)).max(max_abs(&far));
            for j in bare(here) {
                let change = next[j] - near[j];
                if change.is_nan() || change.abs() > LIMIT * size {
                    return None;
                }
                near[j] -= change / 3.0;
            }
            Some((near, size))
        };
        let [one, other] = [limit(0, 1.0)?, limit(0, -1.0)?];
        let across = [limit(1, 1.0)?, limit(1, -1.0)?];
        let same = |limits: &(Slots<f64>, f64)| {
            let differs = |j: usize| (limits.0[j] - one.0[j]).abs() > LIMIT * limits.1.max(one.1);
            !bare(here).any(differs)
        };
        let is_smooth = [&other, &across[0], &across[1]].into_iter().all(same);
        let (mut mean, mut differences) = (here.clone(), Slots::new(here.len(), 0.0));
        for j in bare(here) {
            mean[j] = 0.5 * (one.0[j] + other.0[j]);
            differences[j] = one.0[j] - other.0[j];
        }
        Some(Sides {
            mean,
            differences,
            is_smooth,
        })
    }

    fn slopes_at(&self, values: &mut [Dual64]) -> Slots<f64> {
        let mut slopes = Slots::new(values.len(), 0.0);
        if values.len() > MAX_LOCAL {
            let values: Vec<f64> = values.iter().map(|value| value.re).collect();
            slopes.copy_from_slice(&self.expression.slopes(&values));
            return slopes;
        }
        for j in 0..values.len() {
            values[j].eps = 1.0;
            slopes[j] = self.expression.evaluate(values).eps;
            values[j].eps = 0.0;
        }
        slopes
    }

    /// Rates of the arguments along the motion; not a number for what reads accelerations or multipliers.
    fn rates(&self, at: &MotionView) -> Vec<f64> {
        let Motion {
            t,
            q,
            v,
            a,
            lambda,
            numbers,
            frames,
        } = at.motion;
        let paired = |values: &[f64], rates: &[f64]| -> Vec<Dual64> {
            values
                .iter()
                .zip(rates)
                .map(|(&value, &rate)| Dual64::new(value, rate))
                .collect()
        };
        let (of_a, of_lambda) = (vec![f64::NAN; a.len()], vec![f64::NAN; lambda.len()]);
        let rates: Vec<f64> = (0..q.len()).map(|i| at.motion.rate(i)).collect();
        let (t, q, v, a) = (Dual64::new(t, 1.0), paired(q, &rates), paired(v, a), paired(a, &of_a));
        let mut numbers = paired(numbers, &vec![0.0; numbers.len()]);
        at.model.follow(at.mode, t, &q, &v, &mut numbers);
        let moving = Motion {
            t,
            q: &q,
            v: &v,
            a: &a,
            lambda: &paired(lambda, &of_lambda),
            numbers: &numbers,
            frames,
        };
        let rate = |quantity: &Quantity| quantity.along(at.model, at.mode, &moving, false);
        self.arguments.iter().map(rate).collect()
    }

    /// Derivative along a direction, of what is integrated `over_time` or at an instant; not finite where there is none.
    pub fn along(&self, model: &Model, mode: &Mode, motion: &Motion<Dual64>, over_time: bool) -> f64 {
        let found = self.evaluate(model, mode, motion).eps;
        if found.is_finite() {
            return found;
        }
        let real = |values: &[Dual64]| -> Vec<f64> { values.iter().map(|value| value.re).collect() };
        let (q, v, a) = (real(motion.q), real(motion.v), real(motion.a));
        let (lambda, numbers) = (real(motion.lambda), real(motion.numbers));
        let motion_now = Motion {
            t: motion.t.re,
            q: &q,
            v: &v,
            a: &a,
            lambda: &lambda,
            numbers: &numbers,
            frames: motion.frames,
        };
        let at = MotionView {
            model,
            mode,
            motion: motion_now,
            over_time,
        };
        let terms = self.slopes(&at);
        let terms = terms.iter().zip(&self.arguments);
        terms
            .map(|(slope, quantity)| slope * quantity.along(model, mode, motion, over_time))
            .sum()
    }
}

impl Quantity {
    fn along(&self, model: &Model, mode: &Mode, motion: &Motion<Dual64>, over_time: bool) -> f64 {
        match self {
            Self::Output(i) => model.outputs[*i].1.along(model, mode, motion, over_time),
            _ => self.evaluate(model, mode, motion).eps,
        }
    }
}
