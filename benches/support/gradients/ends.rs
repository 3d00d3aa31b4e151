//! What holds at the start and at an impact: start positions by lengths, and the prescribed jump, with derivatives.
//!
//! P2 is given; P1 and P3 follow from two bars each, and so do their derivatives and their velocities.

use super::PARAMETERS;
use crate::by_hand::{LEFT, RIGHT, State, dot, minus};

/// Height of the ground.
pub const GROUND: f64 = -2.35;

/// Two directions that fix a point: of the bar to the ground and of the bar to P2.
struct Pair([[f64; 2]; 2]);

impl Pair {
    /// Solves for the vector with these components along the two directions.
    fn solve(&self, along: [f64; 2]) -> [f64; 2] {
        let Self([a, b]) = self;
        let determinant = a[0] * b[1] - a[1] * b[0];
        [
            (along[0] * b[1] - a[1] * along[1]) / determinant,
            (a[0] * along[1] - along[0] * b[0]) / determinant,
        ]
    }

    fn solve_transposed(&self, components: [f64; 2]) -> [f64; 2] {
        let Self([a, b]) = self;
        Self([[a[0], b[0]], [a[1], b[1]]]).solve(components)
    }
}

/// The pairs that fix P1 and P3, both from the ground and from P2 to the point.
fn pairs(x: &[f64]) -> [(usize, Pair); 2] {
    let point = |k: usize| [x[2 * k], x[2 * k + 1]];
    [(0, LEFT), (2, RIGHT)].map(|(p, ground)| (p, Pair([minus(point(p), ground), minus(point(p), point(1))])))
}

/// Lengths that place P1 and P3, in the order of the pairs.
const LENGTHS: [[usize; 2]; 2] = [[0, 1], [3, 2]];

/// Derivative of the start positions by the parameters: columns of states. The start velocities are zero.
pub fn start_along(x: &State) -> [State; PARAMETERS] {
    let mut columns = [[0.0; 12]; PARAMETERS];
    for ((p, pair), lengths) in pairs(x).into_iter().zip(LENGTHS) {
        for (k, length) in lengths.into_iter().enumerate() {
            let mut along = [0.0; 2];
            along[k] = dot(pair.0[k], pair.0[k]).sqrt();
            columns[length][2 * p..2 * p + 2].copy_from_slice(&pair.solve(along));
        }
    }
    columns
}

/// The prescribed jump: P2 keeps its horizontal velocity and turns its vertical one, the bars give the others. P2 is put on
/// the ground exactly, so that a search for sign changes does not find the same impact again.
pub fn jump(x: &[f64], after: &mut [f64]) {
    after.copy_from_slice(x);
    after[3] = GROUND;
    after[9] = -x[9];
    let v2 = [after[8], after[9]];
    for (p, pair) in pairs(x) {
        after[6 + 2 * p..8 + 2 * p].copy_from_slice(&pair.solve([0.0, dot(pair.0[1], v2)]));
    }
}

/// Derivative of the jump along a direction.
pub fn jump_along(x: &[f64], dx: &[f64], out: &mut [f64]) {
    let mut after = [0.0; 13];
    jump(x, &mut after[..x.len()]);
    out.copy_from_slice(dx);
    out[3] = 0.0;
    out[9] = -dx[9];
    let (v2, dv2) = ([after[8], after[9]], [out[8], out[9]]);
    for (p, pair) in pairs(x) {
        let v = [after[6 + 2 * p], after[7 + 2 * p]];
        let dp = [dx[2 * p], dx[2 * p + 1]];
        let apart = minus(dp, [dx[2], dx[3]]);
        let along = [-dot(dp, v), dot(pair.0[1], dv2) - dot(apart, minus(v, v2))];
        out[6 + 2 * p..8 + 2 * p].copy_from_slice(&pair.solve(along));
    }
}

/// The transposed derivative of the jump times a costate.
pub fn jump_transposed(x: &[f64], mu: &[f64], out: &mut [f64]) {
    let mut after = [0.0; 13];
    jump(x, &mut after[..x.len()]);
    out.copy_from_slice(mu);
    let v2 = [after[8], after[9]];
    let mut by_v2 = [mu[8], mu[9]];
    out[3] = 0.0;
    for (p, pair) in pairs(x) {
        let v = [after[6 + 2 * p], after[7 + 2 * p]];
        let beta = pair.solve_transposed([mu[6 + 2 * p], mu[7 + 2 * p]]);
        let relative = minus(v, v2);
        for i in 0..2 {
            by_v2[i] += beta[1] * pair.0[1][i];
            out[2 * p + i] -= beta[0] * v[i] + beta[1] * relative[i];
            out[2 + i] += beta[1] * relative[i];
            out[6 + 2 * p + i] = 0.0;
        }
    }
    out[8] = by_v2[0];
    out[9] = -by_v2[1];
}
