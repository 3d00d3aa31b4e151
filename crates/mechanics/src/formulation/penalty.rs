//! Penalty formulation (Corner, Sandu and Sandu; Bayo; theory, 1.8):
//! (M + C^T alpha C) a = f - C^T alpha (gamma + 2 xi omega c' + omega^2 c).
//!
//! Solved as [[M, C^T], [C, -1/alpha]] [a; -lambda] = [f; -(gamma + 2 xi omega c' + omega^2 c)], the same equations
//! without the loss of digits that the product C^T alpha C costs.

use super::saddle_mut;
use crate::linear::{Lu, Row, max_abs};
use crate::model::Terms;

/// Factors of the penalty formulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltyFactors {
    /// Penalty factor alpha; a number of the method, constant during a run, which no derivative sees.
    pub alpha: f64,
    /// Natural frequency omega of a constraint error, rad/s.
    pub omega: f64,
    /// Damping ratio xi of a constraint error.
    pub xi: f64,
    /// Augmented-Lagrangian iterations beyond the first solution.
    pub augmented: u32,
}

/// Shortest row, over the longest, that counts in [`penalty_scale`]: shorter ones belong to a singular position.
const SHORTEST_ROW: f64 = 1e-6;

/// The alpha that makes a violated constraint as heavy as the mechanism, at the assembled terms: the largest diagonal entry
/// of M over the square of the shortest constraint row, which is that of a contact, one, where nothing is joined. One where
/// nothing has mass.
pub fn penalty_scale(terms: &Terms) -> f64 {
    let inertia = (0..terms.mass.width())
        .map(|i| terms.mass.row(i).entry(i))
        .fold(0.0, f64::max);
    let squares = (0..terms.rows).map(|row| terms.jacobian.row(row).square());
    let longest = squares.clone().fold(0.0, f64::max);
    let shortest = squares
        .filter(|square| *square > SHORTEST_ROW * SHORTEST_ROW * longest)
        .fold(f64::INFINITY, f64::min);
    let scale = inertia / if shortest.is_finite() { shortest } else { 1.0 };
    if scale > 0.0 && scale.is_finite() { scale } else { 1.0 }
}

/// Most repetitions that look for multipliers in the range of C; each gains as many digits as alpha has. Weaker penalties keep
/// what they have.
const MOST_REPETITIONS: usize = 8;

/// Pivots of rows, over those that dependent ones have, from which rows are independent.
const INDEPENDENT: f64 = 1e3;

/// Change of multipliers, over the largest, that is rounding.
const SETTLED: f64 = 1e-14;

impl PenaltyFactors {
    /// 2 xi omega c' + omega^2 c.
    pub fn stabilization(&self, c: f64, rate: f64) -> f64 {
        2.0 * self.xi * self.omega * rate + self.omega * self.omega * c
    }
}

/// Factors and scratch.
#[derive(Clone, Debug)]
pub struct Penalty {
    nv: usize,
    /// The penalty factors.
    pub factors: PenaltyFactors,
    lu: Lu,
    all_rows: Vec<usize>,
    unknowns: Vec<f64>,
    /// Whether rows seem to depend on each other.
    dependent: bool,
    /// Multipliers of the last iteration.
    multipliers: Vec<f64>,
    /// Right-hand side of the rows.
    right: Vec<f64>,
}

impl Penalty {
    /// Workspace for nv velocities and at most `rows` constraint rows.
    pub fn new(nv: usize, rows: usize, factors: PenaltyFactors) -> Self {
        Self {
            nv,
            factors,
            lu: Lu::new(nv + rows),
            all_rows: (0..rows).collect(),
            unknowns: vec![0.0; nv + rows],
            dependent: false,
            multipliers: vec![0.0; rows],
            right: vec![0.0; rows],
        }
    }

    pub(super) fn factor(&mut self, terms: &Terms) -> Result<(), Option<usize>> {
        let (nv, n) = (self.nv, self.nv + terms.rows);
        let rows = terms.jacobian.rows(&self.all_rows[..terms.rows]);
        let matrix = saddle_mut(&mut self.lu, &terms.mass, rows.map(Row::entries));
        for k in nv..n {
            matrix[k * n + k] = -1.0 / self.factors.alpha;
        }
        self.lu.factor().map_err(|column| (column < nv).then_some(column))?;
        // What elimination leaves of a dependent row is its entry -1/alpha.
        self.dependent = self.lu.least_pivot(nv) * self.factors.alpha < INDEPENDENT;
        Ok(())
    }

    pub(super) fn accelerations(&mut self, terms: &Terms, a: &mut [f64], lambda: Option<&mut [f64]>) {
        let factors = self.factors;
        let stabilized = |row: usize| terms.gamma[row] + factors.stabilization(terms.c[row], terms.rate[row]);
        self.iterate(terms.rows, &terms.force, |row| -stabilized(row), a);
        if let Some(lambda) = lambda {
            let lambda = &mut lambda[..terms.rows];
            lambda.copy_from_slice(&self.multipliers[..terms.rows]);
            self.keep_range(terms, lambda);
        }
    }

    /// Moves values of the rows into the range of C, with the same C^T lambda. What multipliers are across it, where rows depend
    /// on each other, is alpha times the rounding of gamma and c, which the derivative of C^T lambda would be made of.
    ///
    /// Forces C^T delta alone move the mechanism by b, and -alpha C b is in that range and nearly has these forces; repeated for
    /// what is left of them. As a product it is free of the rounding that the solution of the saddle system has across the range.
    fn keep_range(&mut self, terms: &Terms, lambda: &mut [f64]) {
        if !self.dependent {
            return;
        }
        let (nv, rows) = (self.nv, terms.rows);
        let kept = &mut self.multipliers[..rows];
        kept.fill(0.0);
        for _ in 0..MOST_REPETITIONS {
            self.unknowns[..nv + rows].fill(0.0);
            let (forces, _) = self.unknowns.split_at_mut(nv);
            for (row, (value, kept)) in lambda.iter().zip(&*kept).enumerate() {
                terms.jacobian.row(row).add_to(kept - value, forces);
            }
            self.lu.solve(&mut self.unknowns[..nv + rows]);
            let mut change = 0.0;
            for (row, slot) in kept.iter_mut().enumerate() {
                let gained = -self.factors.alpha * terms.jacobian.row(row).dot(&self.unknowns[..nv]);
                change = f64::max(change, gained.abs());
                *slot += gained;
            }
            if change <= SETTLED * max_abs(kept) {
                lambda.copy_from_slice(kept);
                return;
            }
        }
    }

    /// K [a; -lambda] = [r1; r2], with the iteration of the augmented Lagrangian differentiated like the rest. What r2 is across
    /// the range of C is left out: it moves nothing, and its multipliers would drown the others.
    pub(super) fn solve(&mut self, terms: &Terms, r1: &[f64], r2: &[f64], a: &mut [f64], lambda: &mut [f64]) {
        let mut right = std::mem::take(&mut self.right);
        right[..terms.rows].copy_from_slice(&r2[..terms.rows]);
        self.keep_range(terms, &mut right[..terms.rows]);
        self.iterate(terms.rows, r1, |row| right[row], a);
        self.right = right;
        let lambda = &mut lambda[..terms.rows];
        lambda.copy_from_slice(&self.multipliers[..terms.rows]);
        self.keep_range(terms, lambda);
    }

    /// Solves and repeats with C a + (lambda - previous lambda) / alpha in the place of C a + lambda / alpha.
    fn iterate(&mut self, rows: usize, r1: &[f64], r2: impl Fn(usize) -> f64, a: &mut [f64]) {
        self.multipliers[..rows].fill(0.0);
        for _ in 0..=self.factors.augmented {
            let (top, bottom) = self.unknowns[..self.nv + rows].split_at_mut(self.nv);
            top.copy_from_slice(r1);
            for (row, (slot, lambda)) in bottom.iter_mut().zip(&self.multipliers).enumerate() {
                *slot = r2(row) + lambda / self.factors.alpha;
            }
            self.lu.solve(&mut self.unknowns[..self.nv + rows]);
            for (slot, value) in self.multipliers[..rows].iter_mut().zip(&self.unknowns[self.nv..]) {
                *slot = -value;
            }
        }
        a.copy_from_slice(&self.unknowns[..self.nv]);
    }
}
