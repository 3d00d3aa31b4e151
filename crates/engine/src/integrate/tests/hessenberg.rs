//! The method for differential-algebraic systems on a pendulum in Cartesian coordinates, as index 2 and index 3.

use crate::error::Result;
use crate::integrate::{Attempt, Flow, Hessenberg, HessenbergWork, StagePoint, Stepper, Structure, Tolerance};

const G: f64 = 9.81;

/// Two masses 1 and 3 at (x, y) and (u, w): the first at distance 1 from the origin, the second at 0.5 from the first.
/// State (x, y, u, w, velocities, integral of x^2).
#[derive(Clone, Copy, Debug)]
struct Pendulum {
    stabilized: bool,
    projects: bool,
}

const MASS: [f64; 4] = [1.0, 1.0, 3.0, 3.0];

impl Pendulum {
    fn rows(q: &[f64]) -> [[f64; 4]; 2] {
        let d = [q[2] - q[0], q[3] - q[1]];
        [[q[0], q[1], 0.0, 0.0], [-d[0], -d[1], d[0], d[1]]]
    }

    fn times(rows: &[[f64; 4]; 2], v: &[f64]) -> [f64; 2] {
        rows.map(|row| row.iter().zip(v).map(|(c, v)| c * v).sum())
    }

    /// lambda from C M^-1 C^T lambda = b.
    fn solve(q: &[f64], b: [f64; 2]) -> [f64; 2] {
        let rows = Self::rows(q);
        let product = |i: usize, j: usize| (0..4).map(|k| rows[i][k] * rows[j][k] / MASS[k]).sum::<f64>();
        let (a, c, d) = (product(0, 0), product(0, 1), product(1, 1));
        let determinant = a * d - c * c;
        [(d * b[0] - c * b[1]) / determinant, (a * b[1] - c * b[0]) / determinant]
    }

    /// v <- v - M^-1 C^T (C M^-1 C^T)^-1 C v.
    fn remove_normal(q: &[f64], v: &mut [f64]) {
        let rows = Self::rows(q);
        let share = Self::solve(q, Self::times(&rows, v));
        for k in 0..4 {
            v[k] -= (rows[0][k] * share[0] + rows[1][k] * share[1]) / MASS[k];
        }
    }

    fn forces(q: &[f64], v: &[f64]) -> [f64; 2] {
        let rows = Self::rows(q);
        let (dx, dy) = (v[2] - v[0], v[3] - v[1]);
        let gamma = [v[0] * v[0] + v[1] * v[1], dx * dx + dy * dy];
        let free = Self::times(&rows, &[0.0, -G, 0.0, -G]);
        Self::solve(q, [-gamma[0] - free[0], -gamma[1] - free[1]])
    }
}

impl Flow for Pendulum {
    fn dimension(&self) -> usize {
        9
    }

    fn evaluate(&mut self, _: f64, x: &[f64], dx: &mut [f64]) -> Result<()> {
        let (rows, lambda) = (Self::rows(x), Self::forces(x, &x[4..8]));
        for k in 0..4 {
            dx[k] = x[4 + k];
            let weight = if k % 2 == 1 { -G } else { 0.0 };
            dx[4 + k] = weight + (rows[0][k] * lambda[0] + rows[1][k] * lambda[1]) / MASS[k];
        }
        dx[8] = x[0] * x[0];
        Ok(())
    }

    fn hessenberg(&mut self, work: HessenbergWork) -> Result<()> {
        work(self)
    }
}

impl Hessenberg for Pendulum {
    fn structure(&mut self) -> Structure {
        Structure {
            coupled: 8,
            multipliers: if self.stabilized { 4 } else { 2 },
            rates: 4..8,
            weakened: !self.stabilized,
            repaired: !self.stabilized && self.projects,
            quadratures: 8..9,
            block: 9,
            variations: 0,
        }
    }

    fn residual(&mut self, point: &StagePoint, r: &mut [f64]) -> Result<()> {
        let (q, v) = (&point.x[..4], &point.x[4..8]);
        let rows = Self::rows(q);
        let y = |i: usize| point.multipliers.get(i).copied().unwrap_or(0.0);
        for k in 0..4 {
            let weight = if k % 2 == 1 { -G * MASS[k] } else { 0.0 };
            r[k] = point.rate[k] - v[k] - rows[0][k] * y(2) - rows[1][k] * y(3);
            r[4 + k] = MASS[k] * point.rate[4 + k] - weight - rows[0][k] * y(0) - rows[1][k] * y(1);
        }
        let d = [q[2] - q[0], q[3] - q[1]];
        r[8] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
        r[9] = 0.5 * (d[0] * d[0] + d[1] * d[1] - 0.25);
        if self.stabilized {
            r[10..].copy_from_slice(&Self::times(&rows, v));
        }
        Ok(())
    }

    /// By central differences, which are exact for polynomials of second degree.
    fn linearize(&mut self, point: &StagePoint, mass: &mut [f64], jacobian: &mut [f64]) -> Result<()> {
        let n = self.structure().unknowns();
        mass.fill(0.0);
        for k in 0..8 {
            mass[k * n + k] = if k < 4 { 1.0 } else { MASS[k - 4] };
        }
        for j in 0..n {
            let mut sides = [vec![0.0; n], vec![0.0; n]];
            for (side, sign) in sides.iter_mut().zip([0.5, -0.5]) {
                let (mut x, mut y) = (point.x.to_vec(), point.multipliers.to_vec());
                if j < 8 {
                    x[j] += sign
                } else {
                    y[j - 8] += sign
                }
                let moved = StagePoint {
                    x: &x,
                    multipliers: &y,
                    ..*point
                };
                self.residual(&moved, side)?;
            }
            for i in 0..n {
                jacobian[i * n + j] = sides[0][i] - sides[1][i];
            }
        }
        Ok(())
    }

    fn multipliers(&mut self, _: f64, x: &[f64], y: &mut [f64]) -> Result<()> {
        y.fill(0.0);
        y[..2].copy_from_slice(&Self::forces(x, &x[4..8]));
        Ok(())
    }

    fn make_consistent(&mut self, _: f64, x: &mut [f64]) -> Result<()> {
        let (q, rest) = x.split_at_mut(4);
        Self::remove_normal(q, &mut rest[..4]);
        Ok(())
    }

    fn make_tangent(&mut self, _: f64, x: &[f64], change: &mut [f64]) -> Result<()> {
        Self::remove_normal(x, &mut change[..4]);
        Self::remove_normal(x, &mut change[4..8]);
        Ok(())
    }

    fn quadrature_rates(&mut self, _: f64, x: &[f64], rates: &mut [f64]) -> Result<()> {
        rates[0] = x[0] * x[0];
        Ok(())
    }
}

const START: [f64; 9] = [0.6, -0.8, 0.9, -1.2, 0.0, 0.0, 0.0, 0.0, 0.0];
const END: f64 = 0.8;

/// The state after steps of one size, whatever their error, with stages found to rounding.
fn state_after(mut pendulum: Pendulum, stages: usize, steps: usize) -> Vec<f64> {
    let tolerance = Tolerance::uniform(1e-11, 1e-11, 9).expect("positive");
    let mut stepper = Stepper::hessenberg_with_stages(9, stages);
    let mut x = START.to_vec();
    let h = END / steps as f64;
    for step in 0..steps {
        let t = step as f64 * h;
        stepper.restart(&mut pendulum, t, &x).expect("a start");
        let attempt = stepper.attempt(&mut pendulum, t, &x, h, &tolerance).expect("a step");
        assert!(
            matches!(attempt, Attempt::Done { .. }),
            "{attempt:?} after {step} steps"
        );
        x.copy_from_slice(stepper.x_new());
    }
    x
}

/// By the explicit method on the underlying ordinary differential equation.
fn exact() -> Vec<f64> {
    let tolerance = Tolerance::uniform(1e-13, 1e-14, 9).expect("positive");
    let mut pendulum = Pendulum {
        stabilized: true,
        projects: true,
    };
    let mut stepper = Stepper::explicit(9);
    let (mut t, mut x, steps) = (0.0, START.to_vec(), 400);
    stepper.restart(&mut pendulum, t, &x).expect("a start");
    for step in 1..=steps {
        let next = END * f64::from(step) / f64::from(steps);
        let attempt = stepper
            .attempt(&mut pendulum, t, &x, next - t, &tolerance)
            .expect("a step");
        assert!(attempt.acceptable());
        (t, x) = (next, stepper.x_new().to_vec());
        stepper.accept().expect("a step");
    }
    x
}

fn largest_error(x: &[f64], exact: &[f64], range: std::ops::Range<usize>) -> f64 {
    range.map(|i| (x[i] - exact[i]).abs()).fold(0.0, f64::max)
}

/// Orders of positions, velocities and quadrature with three stages.
fn orders(pendulum: Pendulum) -> [f64; 3] {
    let exact = exact();
    let [coarse, fine] = [64, 128].map(|steps| state_after(pendulum, 3, steps));
    [0..4, 4..8, 8..9].map(|range| {
        let (coarse, fine) = (
            largest_error(&coarse, &exact, range.clone()),
            largest_error(&fine, &exact, range),
        );
        (coarse / fine).log2()
    })
}

#[test]
fn stabilized_equations_have_order_5_in_positions_velocities_and_quadratures() {
    let found = orders(Pendulum {
        stabilized: true,
        projects: true,
    });
    assert!(found.iter().all(|order| (4.7..5.8).contains(order)), "{found:?}");
}

#[test]
fn index_3_has_order_5_in_positions_and_3_in_velocities_that_are_not_made_consistent() {
    let plain = Pendulum {
        stabilized: false,
        projects: false,
    };
    let found = orders(plain);
    assert!(
        (4.7..5.3).contains(&found[0]) && (2.7..3.5).contains(&found[1]),
        "{found:?}"
    );
    let repaired = orders(Pendulum {
        projects: true,
        ..plain
    });
    assert!(repaired.iter().all(|order| (4.7..5.8).contains(order)), "{repaired:?}");
}

#[test]
fn more_stages_are_more_accurate_by_orders_of_magnitude() {
    let exact = exact();
    for stabilized in [true, false] {
        let pendulum = Pendulum {
            stabilized,
            projects: true,
        };
        let [three, five, seven] =
            [3, 5, 7].map(|stages| largest_error(&state_after(pendulum, stages, 64), &exact, 0..9));
        assert!(five < 1e-3 * three && seven < 1e-11, "{three:e} {five:e} {seven:e}");
    }
}

#[test]
fn steps_of_the_stabilized_equations_end_on_both_constraints() {
    let x = state_after(
        Pendulum {
            stabilized: true,
            projects: true,
        },
        7,
        64,
    );
    let opening = 0.5 * (x[0] * x[0] + x[1] * x[1] - 1.0);
    let rates = Pendulum::times(&Pendulum::rows(&x), &x[4..8]);
    assert!(
        opening.abs() < 1e-13 && rates.iter().all(|rate| rate.abs() < 1e-11),
        "{opening:e} {rates:?}"
    );
}

#[test]
fn a_flow_without_constraints_is_refused() {
    struct Plain;
    impl Flow for Plain {
        fn dimension(&self) -> usize {
            1
        }
        fn evaluate(&mut self, _: f64, _: &[f64], dx: &mut [f64]) -> Result<()> {
            dx[0] = 0.0;
            Ok(())
        }
    }
    let error = Stepper::hessenberg(1, 1e-6)
        .restart(&mut Plain, 0.0, &[1.0])
        .expect_err("no constraints");
    assert!(error.to_string().contains("differential-algebraic"), "{error}");
}
