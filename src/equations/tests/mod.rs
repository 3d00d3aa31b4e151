//! Systems with known solutions.

mod algebraic;
mod costs;
mod prediction;
mod systems;
