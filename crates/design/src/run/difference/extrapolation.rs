//! Richardson's extrapolation of difference quotients to a step of zero, with an estimate of the error that is left.

use serde::Serialize;

/// Most columns of the table: further ones would only combine rounding.
const COLUMNS: usize = 5;

/// The limit of a sequence of difference quotients.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The derivative.
    pub value: f64,
    /// Estimate of its error: truncation and the noise of the function.
    pub error: f64,
    /// Smallest step that took part.
    pub step: f64,
}

/// Powers of the step in the error of a difference quotient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Series {
    /// h, h^2, ..: one-sided quotients.
    All,
    /// h^2, h^4, ..: central quotients.
    Even,
}

/// Extrapolates pairs (step, quotient) with falling steps by Neville's algorithm; of all entries of the table the one with
/// the least error is taken (Ridders, Advances in Engineering Software 4, 1982). `noise` is the error of a function value.
/// None for less than two quotients.
pub(super) fn extrapolate(quotients: &[(f64, f64)], series: Series, noise: f64) -> Option<Estimate> {
    let argument = |step: f64| match series {
        Series::All => step,
        Series::Even => step * step,
    };
    let mut best: Option<Estimate> = None;
    let mut previous: Vec<f64> = Vec::new();
    for (i, &(step, quotient)) in quotients.iter().enumerate() {
        let mut row = vec![quotient];
        for j in 1..=i.min(COLUMNS) {
            let ratio = argument(quotients[i - j].0) / argument(step);
            let (left, above) = (row[j - 1], previous[j - 1]);
            // A sum with zero is never a negative zero.
            let value = left + (left - above) / (ratio - 1.0) + 0.0;
            let error = f64::max((value - left).abs(), (value - above).abs()) + noise / step;
            if value.is_finite() && best.is_none_or(|best| error < best.error) {
                best = Some(Estimate { value, error, step });
            }
            row.push(value);
        }
        previous = row;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::{Series, extrapolate};

    fn halvings(quotient: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        (0..10)
            .map(|k| 0.2 / f64::from(1 << k))
            .map(|h| (h, quotient(h)))
            .collect()
    }

    #[test]
    fn central_and_one_sided_quotients_reach_the_derivative_within_the_error_they_state() {
        let f = |x: f64| (3.0 * x).sin().exp();
        let (x, exact) = (0.4, 3.0 * (1.2_f64).cos() * (1.2_f64).sin().exp());
        let central = halvings(|h| (f(x + h) - f(x - h)) / (2.0 * h));
        let above = halvings(|h| (f(x + h) - f(x)) / h);
        for (quotients, series, bound) in [(central, Series::Even, 1e-11), (above, Series::All, 1e-8)] {
            let found = extrapolate(&quotients, series, 1e-16).unwrap();
            assert!(
                (found.value - exact).abs() < bound,
                "{series:?}: {found:?} against {exact}"
            );
            assert!((found.value - exact).abs() <= 2.0 * found.error);
        }
    }

    #[test]
    fn noise_is_part_of_the_error() {
        let sign = |h: f64| {
            if ((h * 1e6) as u64).is_multiple_of(2) {
                1.0
            } else {
                -1.0
            }
        };
        let quotients = halvings(|h| 2.0 + 1e-9 * sign(h) / h);
        let found = extrapolate(&quotients, Series::Even, 1e-9).unwrap();
        assert!(
            (found.value - 2.0).abs() <= found.error && found.error < 1e-6,
            "{found:?}"
        );
    }

    #[test]
    fn one_quotient_has_no_estimate() {
        assert_eq!(extrapolate(&[(0.1, 1.0)], Series::Even, 0.0), None);
    }
}
