//! Plain numbers.

use serde::Deserialize;
use serde::de::{self, Deserializer};

/// A plain number that is neither infinite nor NaN, both of which the text format would admit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finite(pub f64);

impl Finite {
    pub(super) fn checked<E: de::Error>(value: f64) -> Result<f64, E> {
        match value.is_finite() {
            true => Ok(value),
            false => Err(E::custom(format!("{value} is not a finite number"))),
        }
    }

    /// The numbers of an interval.
    pub fn interval((low, high): (Self, Self)) -> (f64, f64) {
        (low.0, high.0)
    }
}

impl<'de> Deserialize<'de> for Finite {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::checked(f64::deserialize(deserializer)?).map(Self)
    }
}
