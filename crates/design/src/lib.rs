//! Scene files and what is computed of them: simulations, gradients, fits, optimized parameters, sweeps.
//!
//! | module | from | to |
//! | --- | --- | --- |
//! | [`scene`] | text of a scene | checked description, then model |
//! | [`analysis`] | model | degrees of freedom, redundant joints, what parameters touch |
//! | [`machine`] | | clock and threads, where the machine has them |
//! | [`run`] | scene and changes | report and recording of one simulation, gradients |
//! | [`optimize`] | runs and gradients at many points | better parameters |
//! | [`sweep`] | runs and gradients over a grid or sample | table |
//! | [`appearance`] | model | shapes that are drawn of it |
//! | [`show`] | run | motion with these shapes |
//!
//! What it stands on is in the packages `costate-mechanics` and `costate-engine`; the package `costate` has all modules under
//! the same names, with plots, files of other formats, the command line and the viewer.

#![warn(missing_docs)]

// The rooms below, under the names that they have in the package `costate`.
use costate_engine::{equations, error, hybrid, integrate, linear, scalar, sensitivity};
use costate_mechanics::{assembly, expression, formulation, mechanism, model};

pub mod analysis;
pub mod appearance;
pub mod files;
mod latin_hypercube;
pub mod machine;
pub mod optimize;
pub mod run;
pub mod scene;
pub mod show;
pub mod sweep;

/// The example of the README is tested like those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
