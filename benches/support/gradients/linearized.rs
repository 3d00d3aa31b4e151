//! Derivatives of the straight-line code by state and parameters, along directions and transposed.
//!
//! M a = f + C^T lambda, C a + gamma = 0 are differentiated with a and lambda held, and solved with the factors of the
//! value, as in equations 2.1 and 2.3 of docs/theory.md. Lengths of bars do not appear: they act through the start alone.

use std::array::from_fn;

use super::PARAMETERS;
use crate::by_hand::{ByHand, GRAVITY, NATURAL, RIGHT, STIFFNESS, Solved, dot, minus};

/// x and y of P1, P2, P3 along N directions at once.
pub type Points<const N: usize> = [[f64; N]; 6];

/// x and y of the four bars along N directions at once.
type Bars<const N: usize> = [[f64; N]; 8];

/// Places of masses, stiffnesses and natural lengths among the parameters.
const MASS: usize = 4;
const SPRING: usize = 8;
const NATURAL_LENGTH: usize = 10;

/// A spring's force along its arm, `share` times the arm, and its derivative by the arm.
#[derive(Clone, Copy, Debug)]
struct Spring {
    arm: [f64; 2],
    length: f64,
    share: f64,
    /// k l0 / l^3.
    turning: f64,
}

impl Spring {
    fn new(k: usize, p: [f64; 2]) -> Self {
        let arm = minus(RIGHT, p);
        let length = dot(arm, arm).sqrt();
        Self {
            arm,
            length,
            share: STIFFNESS * (length - NATURAL[k]) / length,
            turning: STIFFNESS * NATURAL[k] / (length * length * length),
        }
    }

    /// Adds minus the symmetric stiffness matrix times a displacement of the point.
    fn add<const N: usize>(&self, displacement: &[[f64; N]], force: &mut [[f64; N]]) {
        let mut along = [0.0; N];
        for (arm, displacement) in self.arm.iter().zip(displacement) {
            add_scaled(*arm, displacement, &mut along);
        }
        for ((arm, displacement), force) in self.arm.iter().zip(displacement).zip(force) {
            add_scaled(-self.share, displacement, force);
            add_scaled(-self.turning * arm, &along, force);
        }
    }
}

/// The flow linearized at a state.
#[derive(Clone, Copy, Debug)]
pub struct Linearized {
    solved: Solved,
    inverse: [[f64; 3]; 3],
    springs: [Spring; 2],
}

impl Linearized {
    #[inline]
    pub fn new(system: &ByHand, x: &[f64]) -> Self {
        Self {
            solved: system.solved(x),
            inverse: *system.inverse(),
            springs: [Spring::new(0, [x[0], x[1]]), Spring::new(1, [x[2], x[3]])],
        }
    }

    pub fn acceleration(&self) -> &[[f64; 2]; 3] {
        &self.solved.acceleration
    }

    /// Derivatives of the acceleration along directions of positions and velocities, with the force that parameters add.
    #[inline]
    pub fn along<const N: usize>(
        &self,
        dq: &Points<N>,
        dv: &Points<N>,
        force: &mut Points<N>,
        acceleration: &mut Points<N>,
    ) {
        let (arms, turns) = (self.solved.arms.as_flattened(), self.solved.turns.as_flattened());
        let (mut d_arms, d_turns) = (spread(dq), spread(dv));
        for (k, spring) in self.springs.iter().enumerate() {
            spring.add(&dq[2 * k..2 * k + 2], &mut force[2 * k..2 * k + 2]);
        }
        let held = self.held();
        let mut d_lambda = [[0.0; N]; 4];
        for i in 0..8 {
            add_scaled(-2.0 * turns[i], &d_turns[i], &mut d_lambda[i / 2]);
            add_scaled(-held[i], &d_arms[i], &mut d_lambda[i / 2]);
            d_arms[i] = d_arms[i].map(|arm| self.solved.lambda[i / 2] * arm);
        }
        gather(&d_arms, force);
        self.over_mass(force, acceleration);
        for (i, free) in spread(acceleration).iter().enumerate() {
            add_scaled(-arms[i], free, &mut d_lambda[i / 2]);
        }
        self.substitute(&mut d_lambda);
        self.add_responses(&d_lambda, 1.0, acceleration);
    }

    /// F_x^T mu and F_p^T mu.
    #[inline]
    pub fn transposed(&self, mu: &[f64]) -> ([f64; 12], [f64; PARAMETERS]) {
        let (arms, turns) = (self.solved.arms.as_flattened(), self.solved.turns.as_flattened());
        let mut alpha = [[0.0]; 6];
        self.over_mass(&from_fn(|i| [mu[6 + i]]), &mut alpha);
        let mut beta = [[0.0]; 4];
        for (i, weight) in spread(&alpha).iter().enumerate() {
            add_scaled(arms[i], weight, &mut beta[i / 2]);
        }
        self.substitute(&mut beta);
        self.add_responses(&beta, -1.0, &mut alpha);
        let (held, ends) = (self.held(), spread(&alpha));
        let by_arm = from_fn(|i| [self.solved.lambda[i / 2] * ends[i][0] - beta[i / 2][0] * held[i]]);
        let by_turn = from_fn(|i| [-2.0 * beta[i / 2][0] * turns[i]]);
        let (mut by_position, mut by_velocity) = ([[0.0]; 6], from_fn(|i| [mu[i]]));
        gather(&by_arm, &mut by_position);
        gather(&by_turn, &mut by_velocity);
        for (k, spring) in self.springs.iter().enumerate() {
            spring.add(&alpha[2 * k..2 * k + 2], &mut by_position[2 * k..2 * k + 2]);
        }
        let mut by_parameter = [0.0; PARAMETERS];
        self.parameter_forces(|point, parameter, [x, y]| {
            by_parameter[parameter] += x * alpha[2 * point][0] + y * alpha[2 * point + 1][0];
        });
        let by_state = from_fn(|i| {
            if i < 6 {
                by_position[i][0]
            } else {
                by_velocity[i - 6][0]
            }
        });
        (by_state, by_parameter)
    }

    /// Differences of the accelerations over the bars.
    fn held(&self) -> [f64; 8] {
        let flat = self.solved.acceleration.as_flattened();
        spread(&from_fn(|i| [flat[i]])).map(|[x]| x)
    }

    /// Derivatives of f - M a by the parameters: point, parameter, force.
    #[inline]
    pub fn parameter_forces(&self, mut add: impl FnMut(usize, usize, [f64; 2])) {
        let [a, b, c] = self.solved.acceleration;
        let ends = [([0.0; 2], a), (a, b), (b, c), (c, [0.0; 2])];
        for (bar, (from, to)) in ends.into_iter().enumerate() {
            let share = |near: [f64; 2], far: [f64; 2]| {
                let inertia: [f64; 2] = from_fn(|i| (2.0 * near[i] + far[i]) / 6.0);
                [-inertia[0], 0.5 * GRAVITY - inertia[1]]
            };
            if bar > 0 {
                add(bar - 1, MASS + bar, share(from, to));
            }
            if bar < 3 {
                add(bar, MASS + bar, share(to, from));
            }
        }
        for (k, spring) in self.springs.iter().enumerate() {
            let stretch = (spring.length - NATURAL[k]) / spring.length;
            add(k, SPRING + k, spring.arm.map(|arm| stretch * arm));
            add(
                k,
                NATURAL_LENGTH + k,
                spring.arm.map(|arm| -STIFFNESS / spring.length * arm),
            );
        }
    }

    /// Writes M^-1 f.
    fn over_mass<const N: usize>(&self, f: &Points<N>, out: &mut Points<N>) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = [0.0; N];
            for (k, entry) in self.inverse[i / 2].iter().enumerate() {
                add_scaled(*entry, &f[2 * k + i % 2], out);
            }
        }
    }

    fn add_responses<const N: usize>(&self, lambda: &[[f64; N]; 4], sign: f64, to: &mut Points<N>) {
        for (lambda, response) in lambda.iter().zip(&self.solved.responses) {
            for (to, response) in to.iter_mut().zip(response.as_flattened()) {
                add_scaled(sign * response, lambda, to);
            }
        }
    }

    /// x <- S^-1 x by the Cholesky factor of the Schur complement.
    fn substitute<const N: usize>(&self, x: &mut [[f64; N]; 4]) {
        let factor = &self.solved.schur;
        for (i, row) in factor.iter().enumerate() {
            let (known, rest) = x.split_at_mut(i);
            for (entry, known) in row.iter().zip(known) {
                add_scaled(-entry, known, &mut rest[0]);
            }
            rest[0] = rest[0].map(|x| x * row[i]);
        }
        for i in (0..4).rev() {
            let (rest, known) = x.split_at_mut(i + 1);
            for (row, known) in factor[i + 1..].iter().zip(known) {
                add_scaled(-row[i], known, &mut rest[i]);
            }
            rest[i] = rest[i].map(|x| x * factor[i][i]);
        }
    }
}

fn add_scaled<const N: usize>(by: f64, from: &[f64; N], to: &mut [f64; N]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += by * from;
    }
}

/// Differences over the bars of values at the points; the ground does not move.
fn spread<const N: usize>(points: &Points<N>) -> Bars<N> {
    let mut bars = [[0.0; N]; 8];
    bars[..6].copy_from_slice(points);
    for (bar, point) in bars[2..].iter_mut().zip(points) {
        add_scaled(-1.0, point, bar);
    }
    bars
}

/// Adds the transpose of `spread`.
fn gather<const N: usize>(bars: &Bars<N>, points: &mut Points<N>) {
    for ((point, to), from) in points.iter_mut().zip(bars).zip(&bars[2..]) {
        add_scaled(1.0, to, point);
        add_scaled(-1.0, from, point);
    }
}
