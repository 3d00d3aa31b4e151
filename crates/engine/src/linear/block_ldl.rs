//! LDL^T of K = [[M, C^T], [C, -E]] by blocks and without pivoting, at a cost that grows with the fill: in proportion to the
//! size for chains, trees and rows of loops. E is zero, or diagonal and positive where rows give way.
//!
//! The order and every place in the factors are analysed once for a pattern ([`BlockLdl::new`]); [`BlockLdl::factor`] and the
//! solves allocate nothing.

mod order;
mod panels;
pub(super) mod program;
mod sweeps;

#[cfg(test)]
mod tests;

use super::Sparse;
use crate::scalar::Scalar;
use panels::{by_size, eliminate, eliminate_small};
use program::{NOWHERE, Program, Step};
use sweeps::Panel;
pub use sweeps::{Over, Unknown};

/// Pivots of coordinates below this fraction of their diagonal entry count as zero.
const SINGULAR: f64 = 1e-14;

/// Factors of K for a symmetric M with this pattern and some of the rows of a C with this pattern.
#[derive(Clone, Debug)]
pub struct BlockLdl {
    nv: usize,
    program: Program,
    panels: Vec<f64>,
    /// The panels with M alone, its diagonal, and the inverse of that.
    loaded: Vec<f64>,
    diagonal: Vec<f64>,
    inverse: Vec<f64>,
    /// Smallest pivot of a row over the square of its length as M^-1 measures it, coordinate by coordinate.
    least: f64,
    /// Smallest pivot of a row.
    least_pivot: f64,
    plain: Vec<f64>,
    sums: Vec<f64>,
}

/// The pattern of the factor L in P K P^T = L D L^T.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactorPattern {
    /// The unknowns in the order of elimination: coordinates, and behind them the rows in use.
    pub order: Vec<usize>,
    /// Of each column its rows from the diagonal on, by places in that order. Blocks hold some zeros, which count.
    pub columns: Vec<Vec<usize>>,
}

/// Scratch of solves with what an unknown consists of.
#[derive(Clone, Debug)]
pub struct Scratch<T> {
    x: Vec<T>,
    sums: Vec<T>,
}

/// Why K could not be factored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indefinite {
    /// M is not positive definite at this coordinate.
    Coordinate(usize),
    /// This row (counted among those in use) depends on the others, or is about to.
    Row(usize),
}

impl BlockLdl {
    /// Analyses the pattern of M, with its whole diagonal, and of these rows of C.
    pub fn new(mass: &Sparse, jacobian: &Sparse, rows: &[usize]) -> Self {
        let program = Program::new(mass, jacobian, rows);
        let most = |size: fn(&Step) -> usize| program.steps.iter().map(size).max().unwrap_or(0);
        Self {
            nv: mass.len(),
            panels: vec![0.0; program.len],
            loaded: vec![0.0; program.len],
            diagonal: vec![0.0; mass.len()],
            inverse: vec![0.0; mass.len()],
            least: 1.0,
            least_pivot: f64::INFINITY,
            plain: vec![0.0; most(|step| step.k * step.u)],
            sums: vec![0.0; most(|step| step.u)],
            program,
        }
    }

    /// Takes over M, whose pattern is that analysed.
    pub fn set_mass(&mut self, mass: &Sparse) {
        self.loaded.fill(0.0);
        scatter(&self.program.mass, mass.values(), &mut self.loaded);
        for (i, slot) in self.diagonal.iter_mut().enumerate() {
            *slot = self.loaded[self.program.diagonal[i] as usize];
            self.inverse[i] = 1.0 / *slot;
        }
    }

    /// Gives the M taken over last a one for a coordinate that is coupled with nothing.
    pub fn stand_alone(&mut self, i: usize) {
        self.loaded[self.program.diagonal[i] as usize] = 1.0;
        (self.diagonal[i], self.inverse[i]) = (1.0, 1.0);
    }

    /// Factors K for the M taken over last and these rows, whose pattern is that analysed; `compliance` is the diagonal of E, or
    /// empty where E is zero.
    ///
    /// # Errors
    /// The unknown at which elimination fails: M is not positive definite there, or the row depends on others.
    pub fn factor(&mut self, jacobian: &Sparse, rows: &[usize], compliance: &[f64]) -> Result<(), Indefinite> {
        self.panels.copy_from_slice(&self.loaded);
        scatter(&self.program.jacobian, jacobian.values(), &mut self.panels);
        for (place, value) in self.program.diagonal[self.nv..].iter().zip(compliance) {
            self.panels[*place as usize] = -value;
        }
        self.eliminate();
        self.judge(jacobian, rows)
    }

    fn eliminate(&mut self) {
        let Self {
            program,
            panels,
            plain,
            sums,
            ..
        } = self;
        for step in &program.steps {
            let (k, u) = (step.k, step.u);
            let base = step.panel + k * (k + u);
            let (panel, later) = panels[step.panel..].split_at_mut(k * (k + u));
            let updates = &program.updates[step.updates..][..u * (u + 1) / 2];
            by_size!(
                k,
                u,
                eliminate_small(panel, later, base, updates),
                eliminate((k, u), panel, later, base, updates, plain, sums)
            );
        }
    }

    /// Whether the pivots have the signs of a regular system, and how far the rows are from depending on each other.
    fn judge(&mut self, jacobian: &Sparse, rows: &[usize]) -> Result<(), Indefinite> {
        let Self { program, panels, .. } = &*self;
        let inverse = |unknown: usize| panels[program.diagonal[unknown] as usize];
        for (i, &size) in self.diagonal.iter().enumerate() {
            // Of a pivot that is not positive enough, or not a number.
            let positive = inverse(i) > 0.0 && inverse(i) * size * SINGULAR < 1.0;
            if !positive {
                return Err(Indefinite::Coordinate(i));
            }
        }
        let (mut most, mut softest) = (1.0, 0.0);
        for (k, &row) in rows.iter().enumerate() {
            let row = jacobian.row(row);
            let entries = row.columns.iter().zip(row.values);
            let length: f64 = entries.map(|(&j, value)| value * value * self.inverse[j]).sum();
            let softness = -inverse(self.nv + k);
            let ratio = softness * length;
            let negative = softness > 0.0 && ratio.is_finite();
            if !negative {
                return Err(Indefinite::Row(k));
            }
            (most, softest) = (f64::max(most, ratio), f64::max(softest, softness));
        }
        (self.least, self.least_pivot) = (1.0 / most, 1.0 / softest);
        Ok(())
    }

    /// Which entries L may have.
    pub fn pattern(&self) -> FactorPattern {
        let Program {
            place, steps, below, ..
        } = &self.program;
        let mut order = vec![0; place.len()];
        for (unknown, &place) in place.iter().enumerate() {
            order[place as usize] = unknown;
        }
        let columns = steps.iter().flat_map(|step| {
            let below = below[step.below..][..step.u].iter().map(|&row| row as usize);
            (step.at..step.at + step.k).map(move |j| (j..step.at + step.k).chain(below.clone()).collect())
        });
        FactorPattern {
            columns: columns.collect(),
            order,
        }
    }

    /// About the square of the sine of the smallest angle between a row and those before it.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// Magnitudes of the pivots of the rows.
    pub fn row_pivots(&self) -> impl Iterator<Item = f64> {
        let places = self.program.diagonal[self.nv..].iter();
        places.map(|&place| 1.0 / self.panels[place as usize].abs())
    }

    /// The smallest pivot of a row; that of a row that depends on others is about its entry of E.
    pub fn least_pivot(&self) -> f64 {
        self.least_pivot
    }

    /// x <- K^-1 x for several right-hand sides at once, the entries of the rows after the nv of the coordinates: two take little
    /// more time than one.
    pub fn solve_lanes<const N: usize>(&self, x: &mut [[f64; N]], scratch: &mut Scratch<[f64; N]>) {
        scratch.x.resize(x.len(), [0.0; N]);
        scratch.sums.resize(self.sums.len(), [0.0; N]);
        let forward = |panel: Panel, x: &mut [_], sums: &mut [_]| panel.forward(x, sums);
        let backward = |panel: Panel, x: &mut [_], sums: &mut [_]| panel.backward(x, sums);
        sweep(&self.program, &self.panels, (x, scratch), forward, backward);
    }
}

impl BlockLdl {
    /// x <- K^-1 x over any scalar.
    pub fn solve_over<S: Scalar>(&self, x: &mut [Over<S>]) {
        let zeros = |n: usize| vec![Over(S::from(0.0)); n];
        let (x_of_sweep, sums) = (zeros(x.len()), zeros(self.sums.len()));
        let mut scratch = Scratch { x: x_of_sweep, sums };
        let forward = |panel: Panel, x: &mut [_], sums: &mut [_]| panel.forward_any(x, sums);
        let backward = |panel: Panel, x: &mut [_], sums: &mut [_]| panel.backward_any(x, sums);
        sweep(&self.program, &self.panels, (x, &mut scratch), forward, backward);
    }
}

impl<T> Default for Scratch<T> {
    fn default() -> Self {
        Self {
            x: Vec::new(),
            sums: Vec::new(),
        }
    }
}

fn scatter(places: &[u32], values: &[f64], to: &mut [f64]) {
    for (&place, &value) in places.iter().zip(values) {
        if place != NOWHERE {
            to[place as usize] = value;
        }
    }
}

/// Goes through L and back, with what the sweep of a panel is called.
#[inline]
fn sweep<T: Unknown>(
    program: &Program,
    panels: &[f64],
    (values, Scratch { x, sums }): (&mut [T], &mut Scratch<T>),
    forward: impl Fn(Panel, &mut [T], &mut [T]),
    backward: impl Fn(Panel, &mut [T], &mut [T]),
) {
    for (value, &place) in values.iter().zip(&program.place) {
        x[place as usize] = *value;
    }
    let panel = |step: &Step| Panel {
        at: step.at,
        k: step.k,
        entries: &panels[step.panel..][..step.k * (step.k + step.u)],
        below: &program.below[step.below..][..step.u],
    };
    program.steps.iter().for_each(|step| forward(panel(step), x, sums));
    program
        .steps
        .iter()
        .rev()
        .for_each(|step| backward(panel(step), x, sums));
    for (value, &place) in values.iter_mut().zip(&program.place) {
        *value = x[place as usize];
    }
}
