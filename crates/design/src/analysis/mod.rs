//! What can be said of a mechanism before it moves.

mod structure;

pub use structure::{Structure, structure};
