//! Shows a mechanism: pictures without a display, and a window. The only room that knows the graphics library.
//!
//! No mathematics of mechanisms here: what moves is a [`Film`](crate::run::Film), what is seen are the
//! [`Block`](crate::appearance::Block)s of its [`Appearance`](crate::appearance::Appearance).

#![warn(missing_docs)]

// The rooms below, under the names that they have in the package `costate`.
use costate_design::{appearance, files, optimize, run, show};
use costate_engine::{error, scalar};

mod account;
mod arrows;
mod backdrop;
mod bars;
mod beside;
mod camera;
mod charts;
mod curves;
mod curves_menu;
mod design;
mod floor;
mod grab;
mod gradient;
mod graphics;
mod headless;
mod heat;
mod inspect;
mod kept;
mod keys;
mod light;
mod names;
mod optimizing;
mod optimizing_panel;
mod outline;
mod palette;
mod panels;
mod playback;
mod predictions;
mod pull;
mod quantities;
mod stage;
mod state;
#[cfg(test)]
mod tests;
mod through;
mod together;
mod trust;
mod waiting;
mod watch;
mod widgets;
mod window;
mod worker;
mod zoom;

pub use camera::Look;
pub use headless::{Studio, Style};
pub use window::view;
