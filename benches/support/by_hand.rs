//! The five-bar mechanism without ground as straight-line code: what one would write for this mechanism alone.
//!
//! Coordinates of P1, P2, P3; M a = f + C^T lambda, C a + gamma = 0, by the Schur complement with the constant inverse
//! of M. State [q | v], twelve entries.

use costate::error::Result;
use costate::hybrid::{At, Crossing, HybridSystem, Jump};
use costate::scene::schema::FormulationKind;

use super::{Prepared, Scene};

pub type State = [f64; 12];

pub const MASSES: [f64; 4] = [1.0, 1.5, 1.5, 1.0];
pub const GRAVITY: f64 = -9.81;
pub const LEFT: [f64; 2] = [-0.5, 0.0];
pub const RIGHT: [f64; 2] = [0.5, 0.0];
pub const STIFFNESS: f64 = 100.0;
/// sqrt(5) and sqrt(4.25).
pub const NATURAL: [f64; 2] = [2.236_067_977_499_79, 2.061_552_812_808_830_3];

/// Inverse of the 3 x 3 mass matrix that x and y share.
fn inverse_mass() -> [[f64; 3]; 3] {
    let [a, b, c, d] = MASSES;
    let (p, q, r, s, t) = ((a + b) / 3.0, (b + c) / 3.0, (c + d) / 3.0, b / 6.0, c / 6.0);
    let determinant = p * (q * r - t * t) - s * s * r;
    let cofactors = [
        [q * r - t * t, -s * r, s * t],
        [-s * r, p * r, -p * t],
        [s * t, -p * t, p * q - s * s],
    ];
    cofactors.map(|row| row.map(|x| x / determinant))
}

/// The mechanism: x' = F(x).
#[derive(Clone, Copy, Debug)]
pub struct ByHand {
    inverse: [[f64; 3]; 3],
}

/// The equations of motion at a state, solved. Bars are A-P1, P1-P2, P2-P3, P3-B.
#[derive(Clone, Copy, Debug)]
pub struct Solved {
    /// Differences of the ends of each bar, and their rates.
    pub arms: [[f64; 2]; 4],
    pub turns: [[f64; 2]; 4],
    /// M^-1 times the rows of C / 2.
    pub responses: [[[f64; 2]; 3]; 4],
    /// Cholesky factor of the Schur complement, as `factor` leaves it.
    pub schur: [[f64; 4]; 4],
    pub lambda: [f64; 4],
    /// Of P1, P2, P3.
    pub acceleration: [[f64; 2]; 3],
}

impl Default for ByHand {
    fn default() -> Self {
        Self {
            inverse: inverse_mass(),
        }
    }
}

impl ByHand {
    pub fn derivative(&self, x: &[f64], dx: &mut [f64]) {
        let solved = self.solved(x);
        dx[..6].copy_from_slice(&x[6..12]);
        dx[6..12].copy_from_slice(solved.acceleration.as_flattened());
    }

    /// Solves the equations of motion at a state.
    #[inline]
    pub fn solved(&self, x: &[f64]) -> Solved {
        let (q, v) = x.split_at(6);
        let point = |k: usize| [q[2 * k], q[2 * k + 1]];
        let rate = |k: usize| [v[2 * k], v[2 * k + 1]];
        let arms = [
            minus(point(0), LEFT),
            minus(point(1), point(0)),
            minus(point(2), point(1)),
            minus(RIGHT, point(2)),
        ];
        let turns = [
            rate(0),
            minus(rate(1), rate(0)),
            minus(rate(2), rate(1)),
            minus([0.0, 0.0], rate(2)),
        ];
        // Rows of C / 2 by the points at both ends of each bar.
        let rows = [
            [arms[0], [0.0; 2], [0.0; 2]],
            [negative(arms[1]), arms[1], [0.0; 2]],
            [[0.0; 2], negative(arms[2]), arms[2]],
            [[0.0; 2], [0.0; 2], negative(arms[3])],
        ];
        let gamma = turns.map(|turn| dot(turn, turn));
        let mut acceleration = self.over_mass(forces(point(0), point(1)));
        let responses = rows.map(|row| self.over_mass(row));
        let mut schur = [[0.0; 4]; 4];
        let mut lambda = [0.0; 4];
        for i in 0..4 {
            lambda[i] = -gamma[i] - product(&rows[i], &acceleration);
            for j in 0..=i {
                schur[i][j] = product(&rows[i], &responses[j]);
            }
        }
        factor(&mut schur);
        substitute(&schur, &mut lambda);
        for (lambda, response) in lambda.iter().zip(&responses) {
            for (acceleration, response) in acceleration.iter_mut().zip(response) {
                acceleration[0] += lambda * response[0];
                acceleration[1] += lambda * response[1];
            }
        }
        Solved {
            arms,
            turns,
            responses,
            schur,
            lambda,
            acceleration,
        }
    }

    fn over_mass(&self, f: [[f64; 2]; 3]) -> [[f64; 2]; 3] {
        self.inverse
            .map(|row| std::array::from_fn(|k| row[0] * f[0][k] + row[1] * f[1][k] + row[2] * f[2][k]))
    }

    /// M^-1, which x and y share.
    pub fn inverse(&self) -> &[[f64; 3]; 3] {
        &self.inverse
    }
}

/// Weights and the springs from P1 and P2 to B.
fn forces(p1: [f64; 2], p2: [f64; 2]) -> [[f64; 2]; 3] {
    let [a, b, c, d] = MASSES;
    let mut f = [
        [0.0, 0.5 * (a + b) * GRAVITY],
        [0.0, 0.5 * (b + c) * GRAVITY],
        [0.0, 0.5 * (c + d) * GRAVITY],
    ];
    for (k, p) in [p1, p2].into_iter().enumerate() {
        let arm = minus(RIGHT, p);
        let length = dot(arm, arm).sqrt();
        let share = STIFFNESS * (length - NATURAL[k]) / length;
        f[k][0] += share * arm[0];
        f[k][1] += share * arm[1];
    }
    f
}

/// Cholesky factor of the lower triangle in its place, with the inverses of its diagonal.
fn factor(a: &mut [[f64; 4]; 4]) {
    for i in 0..4 {
        for j in 0..i {
            let known: f64 = (0..j).map(|k| a[i][k] * a[j][k]).sum();
            a[i][j] = (a[i][j] - known) * a[j][j];
        }
        let known: f64 = (0..i).map(|k| a[i][k] * a[i][k]).sum();
        a[i][i] = 1.0 / (a[i][i] - known).sqrt();
    }
}

/// x <- A^-1 x by the factor.
fn substitute(a: &[[f64; 4]; 4], x: &mut [f64; 4]) {
    for i in 0..4 {
        let known: f64 = (0..i).map(|k| a[i][k] * x[k]).sum();
        x[i] = (x[i] - known) * a[i][i];
    }
    for i in (0..4).rev() {
        let known: f64 = (i + 1..4).map(|k| a[k][i] * x[k]).sum();
        x[i] = (x[i] - known) * a[i][i];
    }
}

pub fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn negative(a: [f64; 2]) -> [f64; 2] {
    [-a[0], -a[1]]
}

pub fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn product(a: &[[f64; 2]; 3], b: &[[f64; 2]; 3]) -> f64 {
    dot(a[0], b[0]) + dot(a[1], b[1]) + dot(a[2], b[2])
}

/// The start of the scene without ground, by its assembly.
pub fn start() -> State {
    start_of(&Scene::five_bar_smooth())
}

/// The start of a five-bar scene, by its assembly.
pub fn start_of(scene: &Scene) -> State {
    let prepared = Prepared::new(scene, FormulationKind::Nullspace);
    std::array::from_fn(|i| prepared.x[i])
}

/// The same as a hybrid system without guards, for this crate's integrator.
impl HybridSystem for ByHand {
    type Mode = ();
    type Workspace = ();

    fn dimension(&self) -> usize {
        12
    }

    fn workspace(&self) {}

    fn flow(&self, at: At<()>, (): &mut (), dx: &mut [f64]) -> Result<()> {
        let At { x, .. } = at;
        self.derivative(x, dx);
        Ok(())
    }

    fn guards(&self) -> usize {
        0
    }

    fn crossing(&self, _guard: usize, (): &()) -> Option<Crossing> {
        None
    }

    fn guard(&self, _guard: usize, _: At<()>, (): &mut ()) -> Result<f64> {
        Ok(1.0)
    }

    fn jump(&self, _t: f64, (): &(), _x: &mut [f64], _fired: &[usize], (): &mut ()) -> Result<Jump<()>> {
        Ok(Jump {
            mode: (),
            happenings: Vec::new(),
            remarks: Vec::new(),
        })
    }
}
