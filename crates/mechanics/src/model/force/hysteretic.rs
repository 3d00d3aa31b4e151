//! A spring with the exponential material model of hysteresis (theory, 6.3 to 6.5; Vaiana, Sessa, Marmo and Rosati).

use crate::model::measure::Measure;
use crate::scalar::{Scalar, each};

/// Below this sinh(x)/x is summed as a series, whose next term is below rounding.
const SERIES: f64 = 0.1;

/// Memory slots of one spring.
pub const HYSTERETIC_SLOTS: usize = 6;

/// Tension along a measure that depends on where the elongation last turned round.
#[derive(Clone, Debug)]
pub struct HystereticSpring {
    /// What is elongated.
    pub measure: Measure,
    /// Number: the measure without elongation.
    pub natural: usize,
    /// Number: stiffness just after a reversal.
    pub ka: usize,
    /// Number: stiffness far from a reversal.
    pub kb: usize,
    /// Number: how fast the stiffness falls from the one to the other, per elongation.
    pub alpha: usize,
    /// Number: stiffening (positive) or softening at large elongation, per elongation.
    pub beta: usize,
    /// Numbers (memory): elongation u* and tension z* at the last reversal, and the direction xi since then.
    pub last: [usize; 3],
    /// The memory slots: those of `last`, then the work taken up until the last reversal, the one before, and the one
    /// before that.
    pub slots: [usize; HYSTERETIC_SLOTS],
}

/// Constants of the law.
struct Constants<S> {
    kb: S,
    alpha: S,
    beta: S,
    /// Half the width of the loop, F.
    width: S,
}

impl HystereticSpring {
    /// Elongation u.
    pub fn elongation<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> S {
        self.measure.value::<S, D>(q, numbers) - numbers[self.natural]
    }

    /// xi u': positive until the elongation turns round; the guard of a reversal.
    pub fn loading<S: Scalar, const D: usize>(&self, q: &[S], v: &[S], numbers: &[S]) -> S {
        self.measure.rate::<S, D>(q, v, numbers) * numbers[self.last[2]]
    }

    /// Tension z on the present branch (theory, 6.3).
    pub fn tension<S: Scalar>(&self, u: S, numbers: &[S]) -> S {
        let law = self.constants(numbers);
        let [from, _, xi] = each(|i| numbers[self.last[i]]);
        law.backbone(u) + xi * law.width - self.distance(&law, numbers) * (-law.alpha * xi * (u - from)).exp()
    }

    /// Tension of a spring without history (theory, 6.4).
    pub fn virgin<S: Scalar>(&self, u: S, numbers: &[S]) -> S {
        let law = self.constants(numbers);
        let xi = if u.re() < 0.0 { -1.0 } else { 1.0 };
        law.backbone(u) - law.width * xi * (-law.alpha * u * xi).exp_m1()
    }

    /// Work taken up since the last reversal: the integral of the tension from u* (theory, 6.5).
    pub fn work<S: Scalar>(&self, u: S, numbers: &[S]) -> S {
        let law = self.constants(numbers);
        let [from, _, xi] = each(|i| numbers[self.last[i]]);
        let rate = law.alpha * xi;
        law.backbone_work(u) - law.backbone_work(from)
            + xi * law.width * (u - from)
            + self.distance(&law, numbers) / rate * (-rate * (u - from)).exp_m1()
    }

    /// Adds the generalized force.
    pub fn apply<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S], f: &mut [S]) {
        let tension = self.tension(self.elongation::<S, D>(q, numbers), numbers);
        self.measure.pull::<S, D>(q, numbers, tension, f);
    }

    fn constants<S: Scalar>(&self, numbers: &[S]) -> Constants<S> {
        let alpha = numbers[self.alpha];
        Constants {
            kb: numbers[self.kb],
            alpha,
            beta: numbers[self.beta],
            width: (numbers[self.ka] - numbers[self.kb]) / (alpha * 2.0),
        }
    }

    /// How far the tension at the last reversal was from the limiting curve of the present direction.
    fn distance<S: Scalar>(&self, law: &Constants<S>, numbers: &[S]) -> S {
        let [from, tension, xi] = each(|i| numbers[self.last[i]]);
        law.backbone(from) + xi * law.width - tension
    }
}

impl<S: Scalar> Constants<S> {
    /// The curve in the middle of the loop, g(u).
    fn backbone(&self, u: S) -> S {
        (u * self.beta).sinh() * 2.0 - self.beta * u * 2.0 + self.kb * u
    }

    /// Its integral from zero, with 2 (cosh(beta u) - 1)/beta written without the division.
    fn backbone_work(&self, u: S) -> S {
        let ratio = hyperbolic_sinc(self.beta * u * 0.5);
        u * u * (self.beta * (ratio * ratio - 1.0) + self.kb * 0.5)
    }
}

/// sinh(x)/x.
fn hyperbolic_sinc<S: Scalar>(x: S) -> S {
    if x.re().abs() > SERIES {
        return x.sinh() / x;
    }
    let square = x * x;
    (((square / 72.0 + 1.0) * square / 42.0 + 1.0) * square / 20.0 + 1.0) * square / 6.0 + 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Dual64;

    fn spring() -> HystereticSpring {
        HystereticSpring {
            measure: Measure::Coordinate { a: None, b: 0 },
            natural: 0,
            ka: 1,
            kb: 2,
            alpha: 3,
            beta: 4,
            last: [5, 6, 7],
            slots: [0; HYSTERETIC_SLOTS],
        }
    }

    /// natural, ka, kb, alpha, beta, u*, z*, xi.
    fn numbers(beta: f64, last: [f64; 3]) -> [f64; 8] {
        [0.3, 40.0, 6.0, 9.0, beta, last[0], last[1], last[2]]
    }

    #[test]
    fn the_tension_is_continuous_at_a_reversal_where_the_stiffness_is_that_of_the_model() {
        for xi in [1.0, -1.0] {
            let numbers = numbers(0.0, [0.2, -1.3, xi]).map(Dual64::from);
            let tension = spring().tension(Dual64::new(0.2, 1.0), &numbers);
            assert!((tension.re + 1.3).abs() < 1e-14);
            // dz/du = kb + alpha xi (distance to the limiting curve).
            let width = 34.0 / 18.0;
            let stiffness = 6.0 + 9.0 * xi * (6.0 * 0.2 + xi * width + 1.3);
            assert!((tension.eps - stiffness).abs() < 1e-12, "{} {stiffness}", tension.eps);
        }
    }

    #[test]
    fn the_work_is_the_integral_of_the_tension() {
        for beta in [0.0, 0.05, -0.4, 3.0] {
            for (u, last) in [(0.7, [0.2, -1.3, 1.0]), (-0.6, [0.1, 2.0, -1.0])] {
                let numbers = numbers(beta, last).map(Dual64::from);
                let work = spring().work(Dual64::new(u, 1.0), &numbers);
                let tension = spring().tension(Dual64::from(u), &numbers);
                assert!((work.eps - tension.re).abs() < 1e-12 * tension.re.abs(), "beta {beta}");
                assert_eq!(spring().work(Dual64::from(last[0]), &numbers).re, 0.0);
            }
        }
    }

    #[test]
    fn the_work_is_smooth_in_beta_through_zero() {
        let at = |beta: f64| {
            let mut numbers = numbers(beta, [0.2, -1.3, 1.0]).map(Dual64::from);
            numbers[4].eps = 1.0;
            spring().work(Dual64::from(0.7), &numbers)
        };
        // The two ways of sinh(x)/x meet at |beta u| = 2 SERIES.
        let (below, above) = (at(0.2 / 0.7 - 1e-9), at(0.2 / 0.7 + 1e-9));
        assert!((below.re - above.re).abs() < 1e-8 && (below.eps - above.eps).abs() < 1e-7);
        assert!(at(0.2 / 0.7).eps.abs() > 1e-3);
        assert!(at(0.0).eps.is_finite());
    }

    #[test]
    fn a_spring_without_history_is_odd_and_starts_with_the_first_stiffness() {
        let numbers = numbers(0.5, [0.0, 0.0, 1.0]).map(Dual64::from);
        let at = |u: f64| spring().virgin(Dual64::new(u, 1.0), &numbers);
        assert_eq!(at(0.4).re, -at(-0.4).re);
        assert!((at(0.0).eps - (6.0 + 9.0 * 34.0 / 18.0)).abs() < 1e-13);
        assert!((at(0.4).re - spring().tension(Dual64::from(0.4), &numbers).re).abs() < 1e-14);
    }
}
