//! How accurate a step has to be.

use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};
use crate::scalar::shortest;

/// Smallest relative tolerance: below about ten units of rounding the error estimate measures rounding.
const SMALLEST_RELATIVE: f64 = 10.0 * f64::EPSILON;

/// Error allowed per step: component `i` may be wrong by `atol[i] + rtol |x[i]|`, in the root mean square over the
/// components under control.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerance {
    rtol: f64,
    /// Infinite where a component is free.
    atol: Vec<f64>,
    controlled: usize,
}

impl Tolerance {
    /// The same tolerance, larger by a factor.
    ///
    /// # Errors
    /// As [`Tolerance::new`].
    pub fn relaxed(&self, factor: f64) -> Result<Self> {
        Self::new(self.rtol * factor, self.atol.iter().map(|atol| atol * factor).collect())
    }

    /// Relative tolerance (no unit) and one absolute tolerance per component (unit of the component); an infinite one
    /// leaves its component out of the error control.
    ///
    /// # Errors
    /// Kind [`ErrorKind::Request`] if `rtol` is below ten units of rounding or not less than 1, or an `atol` is not positive.
    pub fn new(rtol: f64, atol: Vec<f64>) -> Result<Self> {
        if !(SMALLEST_RELATIVE..1.0).contains(&rtol) {
            return Err(Error::new(
                ErrorKind::Request,
                format!("the relative tolerance {} is out of range", shortest(rtol)),
            )
            .with_value(rtol)
            .advise(format!("choose rtol from {SMALLEST_RELATIVE:.1e} to below 1")));
        }
        if let Some((index, &value)) = atol.iter().enumerate().find(|(_, a)| a.is_nan() || **a <= 0.0) {
            return Err(Error::new(
                ErrorKind::Request,
                format!("the absolute tolerance {value} of component {index} is not positive"),
            )
            .with_value(value)
            .advise("choose the size below which the component does not matter"));
        }
        let controlled = atol.iter().filter(|a| a.is_finite()).count();
        Ok(Self { rtol, atol, controlled })
    }

    /// The same absolute tolerance for all `n` components.
    ///
    /// # Errors
    /// As [`Tolerance::new`].
    pub fn uniform(rtol: f64, atol: f64, n: usize) -> Result<Self> {
        Self::new(rtol, vec![atol; n])
    }

    /// Leaves the components of a range out of the error control (memory, quadratures).
    ///
    /// # Errors
    /// Kind [`ErrorKind::Request`] if the range exceeds the dimension.
    pub fn free(mut self, range: Range<usize>) -> Result<Self> {
        let n = self.atol.len();
        let components = self.atol.get_mut(range.clone()).ok_or_else(|| {
            Error::new(
                ErrorKind::Request,
                format!("components {} to {} exceed the dimension {n}", range.start, range.end),
            )
        })?;
        components.fill(f64::INFINITY);
        self.controlled = self.atol.iter().filter(|a| a.is_finite()).count();
        Ok(self)
    }

    /// Relative tolerance.
    pub fn rtol(&self) -> f64 {
        self.rtol
    }

    /// Absolute tolerance per component; infinite where the component is free.
    pub fn atol(&self) -> &[f64] {
        &self.atol
    }

    /// Number of components, free ones included.
    pub fn dimension(&self) -> usize {
        self.atol.len()
    }

    /// Number of components under error control.
    pub fn controlled(&self) -> usize {
        self.controlled
    }

    /// Error allowed for a component of the given absolute value; infinite if the component is free.
    pub fn scale(&self, index: usize, magnitude: f64) -> f64 {
        self.atol[index] + self.rtol * magnitude
    }

    /// Root mean square of `value(i) / scale(i, |x[i]|)` over the components under control; 0 if there are none.
    pub(super) fn norm(&self, x: &[f64], value: impl Fn(usize) -> f64) -> f64 {
        let square = |i: usize| {
            let scaled = value(i) / self.scale(i, x[i].abs());
            scaled * scaled
        };
        (x.iter().enumerate().map(|(i, _)| square(i)).sum::<f64>() / self.controlled.max(1) as f64).sqrt()
    }

    pub(super) fn check_dimension(&self, n: usize, x: &[f64]) -> Result<()> {
        if x.len() == n && self.dimension() == n {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Request,
            format!(
                "the integrator has {n} components, the state {} and the tolerance {}",
                x.len(),
                self.dimension()
            ),
        ))
    }
}
