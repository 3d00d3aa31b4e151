//! The scalar over which element functions are written once.
//!
//! `f64` gives values; the (nested) dual numbers of `num-dual` give exact directional derivatives of the same code.

use std::ops::Neg;

use nalgebra::{Const, U1};
use num_dual::{DualSVec64, HyperDual};

pub use num_dual::{Dual, Dual2, Dual2_64, Dual64, DualNum, HyperDual64};

/// A real number or a (nested) dual number over `f64`.
pub trait Scalar: DualNum<Primitive = f64> + Copy {
    /// A constant: every derivative part is zero.
    fn constant(value: f64) -> Self {
        Self::from(value)
    }

    /// Whether every derivative part is zero.
    fn is_steady(&self) -> bool;

    /// Whether it is zero with every derivative part.
    fn vanishes(&self) -> bool {
        self.re() == 0.0 && self.is_steady()
    }
}

impl Scalar for f64 {
    fn is_steady(&self) -> bool {
        true
    }
}

impl<T: Scalar> Scalar for Dual<T> {
    fn is_steady(&self) -> bool {
        self.re.is_steady() && self.eps.vanishes()
    }
}

impl<T: Scalar> Scalar for Dual2<T> {
    fn is_steady(&self) -> bool {
        self.re.is_steady() && self.v1.vanishes() && self.v2.vanishes()
    }
}

impl<T: Scalar> Scalar for HyperDual<T> {
    fn is_steady(&self) -> bool {
        self.re.is_steady() && [self.eps1, self.eps2, self.eps1eps2].iter().all(T::vanishes)
    }
}

impl<const N: usize> Scalar for DualSVec64<N> {
    fn is_steady(&self) -> bool {
        self.eps
            .unwrap_generic(Const::<N>, U1)
            .iter()
            .all(|slope| *slope == 0.0)
    }
}

/// An array (not empty) by its entries. Unlike `std::array::from_fn` it is inlined whole in every profile: element functions
/// consist of little else. Over all crates at once, as users get it, either takes the same instructions; in the daily build a
/// gradient of the five-bar takes 1.8 times as many without this.
#[inline(always)]
pub fn each<T: Copy, const N: usize>(mut entry: impl FnMut(usize) -> T) -> [T; N] {
    let mut all = [entry(0); N];
    let mut k = 1;
    while k < N {
        all[k] = entry(k);
        k += 1;
    }
    all
}

/// The entries with the other sign.
#[inline(always)]
pub fn negated<T: Copy + Neg<Output = T>, const N: usize>(entries: [T; N]) -> [T; N] {
    each(|k| -entries[k])
}

/// A number in the fewest digits that give it back, with an exponent where it is tiny or huge.
pub fn shortest(value: f64) -> String {
    if value == 0.0 || (1e-5..1e15).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// A number for a label: as it is if that is short, else to four decimals or digits.
pub fn short(value: f64) -> String {
    let text = shortest(value);
    match value.abs() {
        _ if text.len() <= 7 => text,
        1e-3..1e5 => format!("{value:.4}"),
        _ => format!("{value:.3e}"),
    }
}
