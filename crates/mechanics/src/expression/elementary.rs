//! The functions of the language on real and dual numbers.
//!
//! Real parts are those of the functions on `f64`, to a few units in the last place. The formulas of `num-dual` are
//! replaced where they overflow or divide by zero although function and derivative exist: powers of small bases, `tanh`
//! of large arguments, `atan2` on the vertical axis.

use super::function::Unary;
use crate::scalar::Scalar;

/// Up to this size whole exponents are multiplied out; the relative rounding error grows with the exponent.
const MULTIPLIED_OUT: f64 = 32.0;

/// Squares of numbers between these bounds, and of their inverses, neither overflow nor vanish.
const SAFE_TO_SQUARE: std::ops::Range<f64> = 1e-140..1e140;

/// A function of one argument.
#[inline]
pub(super) fn unary<S: Scalar>(function: Unary, x: S) -> S {
    match function {
        Unary::Sqrt => at_singularity(x, x.re() == 0.0, |x| x.sqrt()),
        Unary::Cbrt => at_singularity(x, x.re() == 0.0, |x| x.cbrt()),
        Unary::Exp => x.exp(),
        Unary::Log => x.ln(),
        Unary::Log10 => x.log10(),
        Unary::Log2 => x.log2(),
        Unary::Sin => x.sin(),
        Unary::Cos => x.cos(),
        Unary::Tan => x.tan(),
        Unary::Asin => at_singularity(x, x.re().abs() == 1.0, |x| x.asin()),
        Unary::Acos => at_singularity(x, x.re().abs() == 1.0, |x| x.acos()),
        Unary::Atan => x.atan(),
        Unary::Sinh => x.sinh(),
        Unary::Cosh => x.cosh(),
        Unary::Tanh => tanh(x),
        Unary::Asinh => x.asinh(),
        Unary::Acosh => at_singularity(x, x.re() == 1.0, |x| x.acosh()),
        Unary::Atanh => x.atanh(),
        Unary::Abs => abs(x),
        Unary::Sign => piecewise_constant(x, if x.re() == 0.0 { 0.0 } else { x.re().signum() }),
        Unary::Step => piecewise_constant(x, if x.re() < 0.0 { 0.0 } else { 1.0 }),
        #[cfg(any(test, feature = "flawed"))]
        Unary::Flawed => x * 1.01 - S::constant(0.01 * x.re()),
    }
}

/// `f(x)`, where at a `singular` point, without a finite derivative, an argument that does not vary gives a result that
/// does not vary.
#[inline]
fn at_singularity<S: Scalar>(x: S, singular: bool, f: impl Fn(S) -> S) -> S {
    if singular && x.is_steady() {
        return S::constant(f(x).re());
    }
    f(x)
}

/// A function with derivative zero wherever it has one.
fn piecewise_constant<S: Scalar>(x: S, value: f64) -> S {
    S::constant(if x.re().is_nan() { f64::NAN } else { value })
}

/// `value` with derivative parts that are not a number, for varying arguments around `x`.
fn without_derivative<S: Scalar>(x: S, value: f64) -> S {
    (x - x.re()).sqrt() + value
}

/// `y` with its real part replaced.
fn with_real_part<S: Scalar>(y: S, value: f64) -> S {
    if y.re().is_finite() { y - y.re() + value } else { y }
}

fn abs<S: Scalar>(x: S) -> S {
    if x.re() < 0.0 { -x } else { x }
}

/// The lesser; the first of equals; NaN if either is.
#[inline]
pub(super) fn min<S: Scalar>(a: S, b: S) -> S {
    if a.re() <= b.re() || a.re().is_nan() { a } else { b }
}

/// The greater; the first of equals; NaN if either is.
#[inline]
pub(super) fn max<S: Scalar>(a: S, b: S) -> S {
    if a.re() >= b.re() || a.re().is_nan() { a } else { b }
}

/// Hyperbolic tangent as `-e/(e + 2)` with `e = exp(-2|x|) - 1`, which neither overflows nor cancels.
pub fn tanh<S: Scalar>(x: S) -> S {
    if S::NDERIV == 0 {
        return x.tanh();
    }
    let e = (abs(x) * -2.0).exp_m1();
    let magnitude = -e / (e + 2.0);
    let signed = if x.re() < 0.0 { -magnitude } else { magnitude };
    with_real_part(signed, x.re().tanh())
}

/// Angle of the vector (x, y), with the quotient that is at most one in size.
pub fn atan2<S: Scalar>(y: S, x: S) -> S {
    let angle = y.re().atan2(x.re());
    if S::NDERIV == 0 || (x.re() == 0.0 && y.re() == 0.0 && x.is_steady() && y.is_steady()) {
        return S::constant(angle);
    }
    if x.re() == 0.0 && y.re() == 0.0 {
        return without_derivative(x, angle);
    }
    let turned = if x.re().abs() >= y.re().abs() {
        (y / x).atan()
    } else {
        -(x / y).atan()
    };
    with_real_part(turned, angle)
}

/// Euclidean length of the `first` components and the `last`, scaled if squares could overflow or vanish.
pub(super) fn hypot<S: Scalar>(first: &[S], last: S) -> S {
    let largest = first
        .iter()
        .fold(last.re().abs(), |largest, x| largest.max(x.re().abs()));
    if largest == 0.0 && last.vanishes() && first.iter().all(S::vanishes) {
        return S::constant(0.0);
    }
    let scale = if largest == 0.0 || SAFE_TO_SQUARE.contains(&largest) {
        1.0
    } else {
        largest
    };
    let last = last / scale;
    let sum_of_squares = first.iter().fold(last * last, |sum, component| {
        let x = *component / scale;
        sum + x * x
    });
    sum_of_squares.sqrt() * scale
}

/// Power with an exponent that does not vary. Whole exponents take any base, with all derivatives right at zero.
#[inline]
pub(super) fn power_constant<S: Scalar>(x: S, exponent: f64) -> S {
    if exponent == 2.0 {
        return x * x;
    }
    if exponent.fract() == 0.0 && exponent.abs() <= MULTIPLIED_OUT {
        return whole_power(x, exponent as i32);
    }
    real_power(x, exponent)
}

/// `x^n` by repeated squaring.
fn whole_power<S: Scalar>(x: S, n: i32) -> S {
    if n == 0 {
        // Not the bare constant, so that a NaN stays one.
        return x * 0.0 + 1.0;
    }
    let positive = multiplied_out(x, n.unsigned_abs());
    if n > 0 {
        positive
    } else if SAFE_TO_SQUARE.contains(&positive.re().abs()) {
        positive.recip()
    } else {
        multiplied_out(x.recip(), n.unsigned_abs())
    }
}

/// `x^n` for `n >= 1`.
fn multiplied_out<S: Scalar>(x: S, n: u32) -> S {
    let mut square = x;
    let mut n = n;
    while n & 1 == 0 {
        square *= square;
        n >>= 1;
    }
    let mut power = square;
    n >>= 1;
    while n > 0 {
        square *= square;
        if n & 1 == 1 {
            power *= square;
        }
        n >>= 1;
    }
    power
}

/// `x^c` for any `c`.
fn real_power<S: Scalar>(x: S, c: f64) -> S {
    let base = x.re();
    if base.is_nan() || c.is_nan() {
        return S::constant(f64::NAN);
    }
    let value = base.powf(c);
    if S::NDERIV == 0 || (base == 0.0 && x.is_steady()) {
        return S::constant(value);
    }
    if base > 0.0 {
        return exponential((x.ln() * c).exp(), value);
    }
    if base < 0.0 {
        return match c.rem_euclid(2.0) {
            0.0 => real_power(-x, c),
            1.0 => -real_power(-x, c),
            _ => S::constant(f64::NAN),
        };
    }
    if c > S::NDERIV as f64 {
        // Every derivative that is asked for vanishes, as those of this power do.
        return multiplied_out(x, S::NDERIV as u32 + 1);
    }
    without_derivative(x, value)
}

/// `x^y` with both varying.
pub(super) fn power<S: Scalar>(x: S, y: S) -> S {
    let (base, exponent) = (x.re(), y.re());
    if y.is_steady() {
        return power_constant(x, exponent);
    }
    if base.is_nan() || exponent.is_nan() {
        return S::constant(f64::NAN);
    }
    let value = base.powf(exponent);
    if base > 0.0 {
        return exponential((x.ln() * y).exp(), value);
    }
    if base == 0.0 && exponent >= S::NDERIV as f64 {
        // Derivatives with respect to the exponent vanish, and mixed ones too.
        return power_constant(x, exponent);
    }
    if base == 0.0 && exponent > 0.0 && x.is_steady() {
        return S::constant(0.0);
    }
    without_derivative(y, value)
}

/// A power got as `exp(y log x)`, rid of the rounding error that the size of the logarithm multiplies.
fn exponential<S: Scalar>(power: S, value: f64) -> S {
    let ratio = value / power.re();
    if ratio.is_finite() {
        with_real_part(power * ratio, value)
    } else {
        power
    }
}
