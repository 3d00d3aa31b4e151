//! Simulation of multibody mechanisms with impacts, built so that every step of it can be differentiated exactly.
//!
//! A scene file becomes an immutable model, the model a hybrid system, the hybrid system a trajectory:
//!
//! ```
//! use costate::run::{Changes, Experiment};
//!
//! let text = r#"Scene(
//!     name: "Falling ball",
//!     space: Planar,
//!     parameters: { "height": 5.0, "e": 0.5 },
//!     gravity: [0, -10],
//!     points: { "ball": (at: [0, "height"], velocity: [0, 0], mass: 1) },
//!     contacts: {
//!         "floor": Touch(point: "ball", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")),
//!     },
//!     outputs: { "y": "ball.y" },
//!     simulation: (duration: 1.5),
//! )"#;
//! let scene = costate::scene::parse("ball.ron", text)?;
//! let changes = Changes { parameters: vec![("height".to_string(), 1.25)], ..Changes::default() };
//! let experiment = Experiment::new(&scene, &changes)?;
//! let (report, _) = experiment.run(false, &mut |_time| {})?;
//!
//! // It falls for 0.5 s, bounces with half its speed, and falls for another 0.5 s.
//! let times: Vec<f64> = report.events.iter().map(|event| event.t).collect();
//! assert!((times[0] - 0.5).abs() < 1e-12 && (times[1] - 1.0).abs() < 1e-12);
//! # Ok::<(), costate::error::Error>(())
//! ```
//!
//! # Governing equations
//!
//! ```text
//! M a = f + C^T lambda,  c(t, q) = 0,  C a + gamma = 0                         mechanism          (theory, 1.1 - 1.3)
//! q' = v - C+ c',  v' = Q2 (Q2^T M Q2)^-1 Q2^T (f + M C+ gamma) - C+ gamma     null-space form    (theory, 1.4 - 1.6)
//! x' = F_m(t, x);  h(t, x) = 0  =>  x+ = T(t, x-), next mode                   hybrid system      (theory, 3.1)
//! [[M, R^T], [R, 0]] [v+; -J] = [M v-; b],  0 <= J, n v+ >= b, complementary   impact             (theory, 4.1 - 4.2)
//! ```
//!
//! The theory is `docs/theory.md`, with the equation numbers that the source cites; scene files are described in
//! `docs/scene-format.md`.
//!
//! | symbol | shape | meaning | field |
//! | --- | --- | --- | --- |
//! | t | 1 | time, s | |
//! | q, v, a | nq, nv, nv | positions (redundant), velocities, accelerations; m, rad and their rates | [`model::Model::coordinates`] |
//! | M | nv x nv | mass matrix | [`model::Terms::mass`] |
//! | f | nv | weight, inertia and applied forces | [`model::Terms::force`] |
//! | c | rows | constraints, in the unit of their kind | [`model::Terms::c`] |
//! | C | rows x nv | constraint Jacobian dc/dq | [`model::Terms::jacobian`] |
//! | c' | rows | C v + c_t | [`model::Terms::rate`] |
//! | gamma | rows | velocity part of c'' = C a + gamma | [`model::Terms::gamma`] |
//! | lambda | rows | multipliers, M a = f + C^T lambda | [`mechanism::Workspace::lambda`] |
//! | x | n | [q, v, quadratures, memory] | [`hybrid::HybridSystem::dimension`] |
//! | m | | mode: which constraints, forces and contacts act | [`model::Mode`] |
//!
//! # Modules, in the order in which data passes through them
//!
//! | module | from | to |
//! | --- | --- | --- |
//! | [`scene`] | text of a scene | checked description, then model |
//! | [`model`] | state | terms of the equations of motion, and their derivatives |
//! | [`formulation`] | terms | velocities, accelerations, multipliers, on the factors of [`linear`] |
//! | [`assembly`] | guesses | closed initial state |
//! | [`mechanism`] | model and formulation | a hybrid system: guards, jumps, impacts |
//! | [`integrate`] | flow | steps with error estimate and dense output; knows no mechanism |
//! | [`hybrid`] | flow, guards, jumps | trajectory; knows no mechanism |
//! | [`sensitivity`] | trajectory | gradients, forwards and backwards; knows no mechanism |
//! | [`equations`] | functions over a scalar | a hybrid system with all its derivatives; knows no mechanism |
//! | [`machine`] | | clock and threads, where the machine has them |
//! | [`files`] | names and contents | files, all of them or none |
//! | [`run`] | scene and changes | report and recording of one simulation |
//! | [`optimize`] | runs and gradients at many points | better parameters |
//! | [`sweep`] | runs and gradients over a grid or sample | table |
//! | [`show`] | run | motion with the shapes that are drawn of it |
//! | [`sketch`] | motion with shapes | vector pictures of planar mechanisms |
//! | `viewer` (feature) | motion with shapes | window and pictures |
//! | [`export`] | motion | animated glTF, poses, polygonal data |
//! | [`analysis`] | model | degrees of freedom, redundant joints, what parameters touch |
//! | [`output`] | recording | tables and plots |
//! | [`report`] | all of these | one page with everything that is computed of a scene |
//! | [`cli`] | arguments | calls and prints; no mathematics |
//!
//! [`error`], [`scalar`] and [`expression`] serve all of them. Failures are an [`error::Error`] with kind, name, time, value and advice.

#![warn(missing_docs)]

pub use costate_design::{analysis, appearance, files, machine, optimize, run, scene, show, sweep};
pub use costate_engine::{equations, error, hybrid, integrate, linear, scalar, sensitivity};
pub use costate_mechanics::{assembly, expression, formulation, mechanism, model};
#[cfg(feature = "viewer")]
pub use costate_viewer as viewer;

#[cfg(feature = "cli")]
pub mod cli;
pub mod export;
pub mod output;
pub mod report;
pub mod sketch;

/// The examples of the README are tested like those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Those of the guide to gradients too.
#[cfg(doctest)]
#[doc = include_str!("../docs/gradients.md")]
struct Gradients;

/// And those of the guide to hybrid systems.
#[cfg(doctest)]
#[doc = include_str!("../docs/hybrid-systems.md")]
struct HybridSystems;
