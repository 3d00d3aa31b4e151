//! Scenes changed at random, and what must hold of each: no panic, no error without place or advice, and the same results
//! from every formulation, tolerance and method of differentiation.

mod compare;
mod corpus;
mod mutate;
mod random;

pub use compare::{Outcome, examine, read, read_and_compile};
pub use corpus::Corpus;
pub use mutate::mutate;
pub use random::Random;
