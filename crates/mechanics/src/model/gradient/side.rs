//! Derivatives of outputs at places where their expressions have none, such as `hypot` where all its arguments vanish: those
//! on the side that the motion goes to (theory, 3.3).

use super::output::MotionView;
use crate::linear::{max_abs, pairs_within};
use crate::model::local::{MAX_LOCAL, Slots};
use crate::model::quantity::{Motion, Output, Quantity};
use crate::model::{Mode, Model};
use crate::scalar::Dual64;

/// How far on along the motion the derivative is looked at, over the size of what moves.
const AHEAD: f64 = 1e-12;

/// Difference of the derivatives at two places on that side, over the largest there and far on, up to which they have a limit.
const LIMIT: f64 = 1e-5;

impl Output {
    /// Derivatives by the arguments; not finite where there are none on the side that the motion goes to either.
    pub(super) fn slopes(&self, at: &MotionView) -> Slots<f64> {
        let mut values = Slots::new(self.arguments.len(), Dual64::from(0.0));
        pairs_within(&mut values, &self.arguments, |slot, quantity| {
            slot.re = quantity.evaluate(at.model, at.mode, &at.motion);
        });
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
        if tends { near } else { here }
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
        let rate = |quantity: &Quantity| quantity.along(at.model, at.mode, &moving);
        self.arguments.iter().map(rate).collect()
    }

    /// Derivative along a direction; not finite where there is none on the side that the motion goes to either.
    pub fn along(&self, model: &Model, mode: &Mode, motion: &Motion<Dual64>) -> f64 {
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
        };
        let terms = self.slopes(&at);
        let terms = terms.iter().zip(&self.arguments);
        terms
            .map(|(slope, quantity)| slope * quantity.along(model, mode, motion))
            .sum()
    }
}

impl Quantity {
    fn along(&self, model: &Model, mode: &Mode, motion: &Motion<Dual64>) -> f64 {
        match self {
            Self::Output(i) => model.outputs[*i].1.along(model, mode, motion),
            _ => self.evaluate(model, mode, motion).eps,
        }
    }
}
