//! Step-size control.

/// Steps shorter than this many units of rounding of the time do not advance it reliably.
const UNITS_OF_ROUNDING: f64 = 16.0;

/// Stands for |t| near t = 0, in seconds; it only bounds the number of halvings there.
const SMALLEST_TIME: f64 = 1e-12;

/// Shortest step size (positive, in seconds) that still resolves time at `t`.
pub fn minimum_step(t: f64) -> f64 {
    UNITS_OF_ROUNDING * f64::EPSILON * t.abs().max(SMALLEST_TIME)
}

/// Chooses the next step size from the error of this one and the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Controller {
    /// Whether the trend since the last accepted step counts.
    predictive: bool,
    exponent: f64,
    safety: f64,
    smallest: f64,
    largest: f64,
    /// Step size and floored error of the last accepted step.
    previous: Option<(f64, f64)>,
}

impl Controller {
    /// For the explicit method of order 8: safety 0.9, factors from 0.333 to 6.
    pub fn of_order_eight() -> Self {
        Self::of(false, 8, [0.333, 6.0])
    }

    /// For the trapezoidal rule of order 2: safety 0.9, factors from 0.2 to 5.
    pub fn of_order_two() -> Self {
        Self::of(false, 3, [0.2, 5.0])
    }

    /// For an implicit method whose error estimate has the given order: safety 0.9, factors from 0.2 to 8. The control is
    /// predictive (Gustafsson; Hairer and Wanner, Solving Ordinary Differential Equations II, equation IV.8.25).
    pub fn predictive(order_of_estimate: u32) -> Self {
        Self::of(true, order_of_estimate + 1, [0.2, 8.0])
    }

    fn of(predictive: bool, root: u32, [smallest, largest]: [f64; 2]) -> Self {
        Self {
            predictive,
            exponent: 1.0 / f64::from(root),
            safety: 0.9,
            smallest,
            largest,
            previous: None,
        }
    }

    /// Factor from this step size to the next after an acceptable step of scaled error `error`; `caution` (at most 1)
    /// multiplies the safety.
    pub fn after_success(&self, h: f64, error: f64, caution: f64) -> f64 {
        let plain = caution * self.safety * error.powf(-self.exponent);
        let factor = match self.previous {
            Some((h_before, before)) if self.predictive => {
                let trend = self.safety * (h / h_before).abs() * (before / (error * error)).powf(self.exponent);
                plain.min(trend)
            }
            _ => plain,
        };
        factor.clamp(self.smallest, self.largest)
    }

    /// Factor (below 1) from this step size to the next after a step whose scaled error was 1 or more.
    pub fn after_rejection(&self, error: f64, caution: f64) -> f64 {
        (caution * self.safety * error.powf(-self.exponent)).clamp(self.smallest, self.safety)
    }

    /// Remembers an accepted step.
    pub fn record(&mut self, h: f64, error: f64) {
        self.previous = Some((h, error.max(1e-2)));
    }

    /// Forgets the past: after a jump it says nothing about the steps to come.
    pub fn reset(&mut self) {
        self.previous = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_stay_within_their_bounds() {
        let controller = Controller::of_order_eight();
        assert_eq!(controller.after_success(0.1, 0.0, 1.0), 6.0);
        assert_eq!(controller.after_rejection(1e30, 1.0), 0.333);
        assert!(controller.after_rejection(1.0, 1.0) <= 0.9);
        assert_eq!(Controller::predictive(3).after_success(0.1, 0.0, 1.0), 8.0);
    }

    #[test]
    fn an_error_of_one_asks_for_the_safety_factor() {
        for controller in [Controller::of_order_eight(), Controller::predictive(3)] {
            assert!((controller.after_success(0.1, 1.0, 1.0) - 0.9).abs() < 1e-15);
        }
    }

    #[test]
    fn the_predictive_law_sees_a_growing_error() {
        let mut controller = Controller::predictive(3);
        controller.record(0.1, 0.05);
        let alone = 0.9 * 0.5_f64.powf(-0.25);
        assert!(controller.after_success(0.1, 0.5, 1.0) < 0.9 * alone);
        controller.reset();
        assert!((controller.after_success(0.1, 0.5, 1.0) - alone).abs() < 1e-15);
    }
}
