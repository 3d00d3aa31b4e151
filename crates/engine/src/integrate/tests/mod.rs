//! Tests of the steppers on problems with known solutions.

mod explicit;
mod failures;
mod hessenberg;
mod implicit;
pub(super) mod problems;
mod root;
mod stepper;
mod trapezoidal;
