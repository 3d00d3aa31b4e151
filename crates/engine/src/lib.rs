//! Hybrid systems and their exact derivatives: integration, event location, jumps, forward sensitivities, costates.
//!
//! Knows no mechanism. A system of one's own implements [`equations::Equations`], written once over a [`scalar::Scalar`], or
//! the traits [`hybrid::HybridSystem`] and [`hybrid::Differentiable`] by hand.
//!
//! | module | from | to |
//! | --- | --- | --- |
//! | [`linear`] | matrices on slices | factors; no allocation |
//! | [`integrate`] | flow | steps with error estimate and dense output |
//! | [`hybrid`] | flow, guards, jumps | trajectory |
//! | [`sensitivity`] | trajectory | gradients, forwards and backwards |
//! | [`equations`] | functions over a scalar | a hybrid system with all its derivatives |
//!
//! [`error`] and [`scalar`] serve all of them. The package `costate` has these modules under the same names.

#![warn(missing_docs)]

pub mod equations;
pub mod error;
pub mod hybrid;
pub mod integrate;
pub mod linear;
pub mod scalar;
pub mod sensitivity;
