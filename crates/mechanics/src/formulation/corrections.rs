//! Equations over any scalar that are solved by corrections with the values of [[M, C^T], [C, 0]].

use super::blocks::Blocks;
use crate::linear::{Frozen, Sparse, pairs};
use crate::scalar::Scalar;

/// The inverse of the values: written out, or applied by blocks for C with these rows.
#[derive(Clone, Debug)]
pub enum Corrections {
    /// Written out.
    Dense(Frozen),
    /// By blocks.
    Blocks(Box<Blocks>, Sparse),
}

impl Corrections {
    /// x <- x - K^-1 r until the derivatives of every order that the scalar has are exact.
    pub fn solve<S: Scalar>(&self, x: &mut [S], residual: impl Fn(&[S]) -> Vec<S>) {
        match self {
            Self::Dense(frozen) => frozen.solve(x, residual),
            Self::Blocks(blocks, jacobian) => {
                for _ in 0..=S::NDERIV + blocks.refinements() {
                    let mut change = residual(x);
                    blocks.apply_inverse_over(jacobian, &mut change);
                    pairs(x, &change, |x, change| *x -= *change);
                }
            }
        }
    }
}
