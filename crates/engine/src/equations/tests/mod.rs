//! Systems with known solutions.

mod algebraic;
mod costs;
mod prediction;
mod second_order;
mod systems;
