//! Mechanisms as hybrid systems: bodies, joints, forces and contacts, the formulations of their equations of motion, assembly,
//! impacts, and the derivatives of all of these.
//!
//! | module | from | to |
//! | --- | --- | --- |
//! | [`expression`] | text of a formula | values and derivatives |
//! | [`model`] | state | terms of the equations of motion, and their derivatives |
//! | [`formulation`] | terms | velocities, accelerations, multipliers |
//! | [`assembly`] | guesses | closed initial state |
//! | [`mechanism`] | model and formulation | a hybrid system: guards, jumps, impacts |
//!
//! What it stands on is in the package `costate-engine`; the package `costate` has all modules under the same names.

#![warn(missing_docs)]

// The rooms below, under the names that they have in the package `costate`.
use costate_engine::{equations, error, hybrid, integrate, linear, scalar, sensitivity};

pub mod assembly;
pub mod expression;
pub mod formulation;
pub mod mechanism;
pub mod model;
