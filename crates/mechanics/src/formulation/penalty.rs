//! Penalty formulation (Corner, Sandu and Sandu; Bayo; theory, 1.8):
//! (M + C^T alpha C) a = f - C^T alpha (gamma + 2 xi omega c' + omega^2 c).
//!
//! Solved as [[M, C^T], [C, -1/alpha]] [a; -lambda] = [f; -(gamma + 2 xi omega c' + omega^2 c)], the same equations
//! without the loss of digits that the product C^T alpha C costs: by LU, or by blocks for many coordinates.

use super::blocks::{Blocks, Lanes};
use super::saddle_mut;
use crate::linear::{LANES, Lane, Lu, Row, pairs, pairs_within};
use crate::model::{Mode, Terms};
use crate::scalar::each;

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
    /// The penalty factors.
    pub factors: PenaltyFactors,
    kernel: Kernel,
    all_rows: Vec<usize>,
    /// Whether rows seem to depend on each other.
    dependent: bool,
    one: Work<1>,
    four: Work<LANES>,
}

/// Factors of the saddle system; LU with scratch.
#[derive(Clone, Debug)]
// One value lives in each workspace and is never moved.
#[allow(clippy::large_enum_variant)]
enum Kernel {
    Dense(Lu, Vec<f64>),
    Blocks(Blocks),
}

/// What solves with this many right-hand sides find, and their scratch.
#[derive(Clone, Debug)]
struct Work<const N: usize> {
    a: Vec<[f64; N]>,
    multipliers: Vec<[f64; N]>,
    /// Right-hand side of the rows.
    right: Vec<[f64; N]>,
    range: Range<N>,
}

/// Scratch: values in the range of C, forces on the mechanism, and solutions.
#[derive(Clone, Debug)]
struct Range<const N: usize> {
    kept: Vec<[f64; N]>,
    forces: Vec<[f64; N]>,
    lanes: Lanes<N>,
}

impl<const N: usize> Work<N> {
    fn new(nv: usize, rows: usize) -> Self {
        Self {
            a: vec![[0.0; N]; nv],
            multipliers: vec![[0.0; N]; rows],
            right: vec![[0.0; N]; rows],
            range: Range {
                kept: vec![[0.0; N]; rows],
                forces: vec![[0.0; N]; nv],
                lanes: Lanes::default(),
            },
        }
    }

    /// Writes what was found.
    fn take<T>(&self, a: &mut [T], lambda: Option<&mut [T]>, entry: impl Fn([f64; N]) -> T) {
        pairs(a, &self.a, |slot, value| *slot = entry(*value));
        if let Some(lambda) = lambda {
            pairs_within(lambda, &self.multipliers, |slot, value| *slot = entry(*value));
        }
    }
}

impl Penalty {
    /// Workspace for nv velocities and at most `rows` constraint rows; solves by blocks, or by LU.
    pub fn new(nv: usize, rows: usize, factors: PenaltyFactors, by_blocks: bool) -> Self {
        Self {
            factors,
            kernel: match by_blocks {
                true => Kernel::Blocks(Blocks::compliant(1.0 / factors.alpha)),
                false => Kernel::Dense(Lu::new(nv + rows), vec![0.0; nv + rows]),
            },
            all_rows: (0..rows).collect(),
            dependent: false,
            one: Work::new(nv, rows),
            four: Work::new(nv, rows),
        }
    }

    /// The factors, if it solves by blocks.
    pub(super) fn blocks(&self) -> Option<&Blocks> {
        match &self.kernel {
            Kernel::Blocks(blocks) => Some(blocks),
            Kernel::Dense(..) => None,
        }
    }

    pub(super) fn factor(&mut self, mode: &Mode, terms: &Terms) -> Result<(), Option<usize>> {
        let (nv, rows) = (terms.mass.width(), &self.all_rows[..terms.rows]);
        match &mut self.kernel {
            Kernel::Dense(lu, _) => {
                let n = nv + rows.len();
                let matrix = saddle_mut(lu, &terms.mass, terms.jacobian.rows(rows).map(Row::entries));
                for k in nv..n {
                    matrix[k * n + k] = -1.0 / self.factors.alpha;
                }
                lu.factor().map_err(|column| (column < nv).then_some(column))?;
                // What elimination leaves of a dependent row is its entry -1/alpha.
                self.dependent = lu.least_pivot(nv) * self.factors.alpha < INDEPENDENT;
            }
            Kernel::Blocks(blocks) => {
                let mass = (&*terms.mass, terms.mass_version);
                blocks.factor((&mode.constraints, rows), mass, &terms.jacobian)?;
                self.dependent = blocks.has_dependent_rows(INDEPENDENT);
            }
        }
        Ok(())
    }

    pub(super) fn accelerations(&mut self, terms: &Terms, a: &mut [f64], lambda: Option<&mut [f64]>) {
        let (factors, work) = (self.factors, &mut self.one);
        let stabilized = |row: usize| terms.gamma[row] + factors.stabilization(terms.c[row], terms.rate[row]);
        let mut factored = Factored::new(&mut self.kernel, (factors, self.dependent), terms);
        work.right.clear();
        work.right.extend((0..terms.rows).map(|row| [-stabilized(row)]));
        factored.iterate(|i| [terms.force[i]], work);
        if lambda.is_some() {
            factored.keep_range(&mut work.multipliers, &mut work.range);
        }
        work.take(a, lambda, |[value]| value);
    }

    /// K [a; -lambda] = [r1; r2].
    pub(super) fn solve(&mut self, terms: &Terms, r1: &[f64], r2: &[f64], a: &mut [f64], lambda: &mut [f64]) {
        let mut factored = Factored::new(&mut self.kernel, (self.factors, self.dependent), terms);
        factored.solve(|i| [r1[i]], |row| [r2[row]], &mut self.one);
        self.one.take(a, Some(lambda), |[value]| value);
    }

    /// The same for several right-hand sides.
    pub(super) fn solve_lanes(
        &mut self,
        terms: &Terms,
        r1: impl Fn(usize) -> Lane,
        r2: impl Fn(usize) -> Lane,
        (a, lambda): (&mut [Lane], Option<&mut [Lane]>),
    ) {
        let mut factored = Factored::new(&mut self.kernel, (self.factors, self.dependent), terms);
        factored.solve(|i| r1(i).into(), |row| r2(row).into(), &mut self.four);
        self.four.take(a, lambda, Lane::from);
    }
}

/// The system with the terms that it was factored at.
struct Factored<'a> {
    kernel: &'a mut Kernel,
    factors: PenaltyFactors,
    dependent: bool,
    terms: &'a Terms,
}

impl<'a> Factored<'a> {
    fn new(kernel: &'a mut Kernel, (factors, dependent): (PenaltyFactors, bool), terms: &'a Terms) -> Self {
        Self {
            kernel,
            factors,
            dependent,
            terms,
        }
    }

    /// K [a; -lambda] = [r1; r2], with the iteration of the augmented Lagrangian differentiated like the rest. What r2 is across
    /// the range of C is left out: it moves nothing, and its multipliers would drown the others.
    fn solve<const N: usize>(
        &mut self,
        r1: impl Fn(usize) -> [f64; N],
        r2: impl Fn(usize) -> [f64; N],
        work: &mut Work<N>,
    ) {
        work.right.clear();
        work.right.extend((0..self.terms.rows).map(r2));
        self.keep_range(&mut work.right, &mut work.range);
        self.iterate(r1, work);
        self.keep_range(&mut work.multipliers, &mut work.range);
    }

    /// Solves and repeats with C a + (lambda - previous lambda) / alpha in the place of C a + lambda / alpha.
    fn iterate<const N: usize>(&mut self, r1: impl Fn(usize) -> [f64; N], work: &mut Work<N>) {
        let nv = self.terms.mass.width();
        let (lanes, right, multipliers) = (&mut work.range.lanes, &work.right, &mut work.multipliers);
        multipliers.clear();
        multipliers.resize(right.len(), [0.0; N]);
        for _ in 0..=self.factors.augmented {
            let before = |row: usize, lane: usize| multipliers[row][lane] / self.factors.alpha;
            let r2 = |row: usize| each(|lane| right[row][lane] + before(row, lane));
            self.kernel.solve(self.terms, &r1, r2, lanes);
            pairs(multipliers, &lanes.unknowns[nv..], |slot, value| {
                *slot = value.map(|value| -value)
            });
        }
        work.a.copy_from_slice(&lanes.unknowns[..nv]);
    }

    /// Moves values of the rows into the range of C, with the same C^T lambda. What multipliers are across it, where rows depend
    /// on each other, is alpha times the rounding of gamma and c, which the derivative of C^T lambda would be made of.
    ///
    /// Forces C^T delta alone move the mechanism by b, and -alpha C b is in that range and nearly has these forces; repeated for
    /// what is left of them. As a product it is free of the rounding that the solution of the saddle system has across the range.
    fn keep_range<const N: usize>(&mut self, values: &mut [[f64; N]], range: &mut Range<N>) {
        if !self.dependent {
            return;
        }
        let (jacobian, Range { kept, forces, lanes }) = (&self.terms.jacobian, range);
        kept.clear();
        kept.resize(values.len(), [0.0; N]);
        let mut settled = [false; N];
        for _ in 0..MOST_REPETITIONS {
            forces.fill([0.0; N]);
            for (row, (value, kept)) in values.iter().zip(&*kept).enumerate() {
                for (j, entry) in jacobian.row(row).entries() {
                    forces[j] = each(|lane| forces[j][lane] + (kept[lane] - value[lane]) * entry);
                }
            }
            self.kernel.solve(self.terms, |i| forces[i], |_| [0.0; N], lanes);
            let (mut change, mut most) = ([0.0; N], [0.0; N]);
            for (row, slot) in kept.iter_mut().enumerate() {
                let entries = jacobian.row(row).entries();
                let moved = entries.fold([0.0; N], |sum, (j, entry)| {
                    each(|lane| sum[lane] + entry * lanes.unknowns[j][lane])
                });
                let gained = moved.map(|moved| -self.factors.alpha * moved);
                *slot = each(|lane| slot[lane] + gained[lane]);
                change = each(|lane| f64::max(change[lane], gained[lane].abs()));
                most = each(|lane| f64::max(most[lane], slot[lane].abs()));
            }
            for lane in 0..N {
                if !settled[lane] && change[lane] <= SETTLED * most[lane] {
                    settled[lane] = true;
                    pairs(values, kept, |slot, kept| slot[lane] = kept[lane]);
                }
            }
            if settled == [true; N] {
                return;
            }
        }
    }
}

impl Kernel {
    /// [a; -lambda] = K^-1 [r1; r2].
    fn solve<const N: usize>(
        &mut self,
        terms: &Terms,
        r1: impl Fn(usize) -> [f64; N],
        r2: impl Fn(usize) -> [f64; N],
        lanes: &mut Lanes<N>,
    ) {
        let (nv, rows) = (terms.mass.width(), terms.rows);
        match self {
            Self::Blocks(blocks) => blocks.solve_lanes((&terms.mass, &terms.jacobian), r1, r2, lanes),
            Self::Dense(lu, scratch) => {
                lanes.unknowns.clear();
                lanes.unknowns.extend((0..nv).map(r1).chain((0..rows).map(r2)));
                let scratch = &mut scratch[..nv + rows];
                for lane in 0..N {
                    pairs(scratch, &lanes.unknowns, |slot, value| *slot = value[lane]);
                    lu.solve(scratch);
                    pairs(&mut lanes.unknowns, scratch, |slot, value| slot[lane] = *value);
                }
            }
        }
    }
}
