//! The saddle system K = [[M, C^T], [C, -epsilon]] over the rows in use, factored by blocks: for mechanisms with many coordinates, at
//! a cost in proportion to their number. The compliance epsilon is zero, or 1/alpha of a penalty.
//!
//! A coordinate without mass that one row alone has, such as the angle of a joint, is eliminated with this row beforehand, and fills
//! nothing. Others are reached by alpha C_s^T C_s, added to M over the rows s that touch them, and alpha C_s^T r2 to
//! the right-hand side: since C a = r2 that changes no solution. Where rows give way, it takes that share off their own
//! stiffness, 1/epsilon - alpha instead of 1/epsilon, and (1 - alpha epsilon) off their multipliers.

use nalgebra::SVector;

use super::paired::Paired;
use crate::linear::{BlockLdl, FactorPattern, Indefinite, Over, Row, Scratch, Sparse, Unknown, pairs};
use crate::scalar::{Scalar, each};

/// Squares of sines between rows (see [`BlockLdl::least`]) below which solutions are refined once, and three times.
const REFINED: [f64; 2] = [1e-4, 1e-9];

/// Analyses for one more light coordinate each, before all of them count as light.
const MOST_FOUND: usize = 4;

/// Share of the stiffness of rows that goes to M at most.
const MOST_SHARE: f64 = 0.5;

/// Below this the rows count as dependent.
const SINGULAR: f64 = 1e-14;

/// Factors and scratch.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    /// What the patterns belong to, such as the acting constraints, and the rows that take part.
    key: Vec<usize>,
    rows: Vec<usize>,
    saddle: Option<BlockLdl>,
    /// Of the M that was taken over last.
    version: Option<u64>,
    /// Coordinates whose motion has no inertia of its own.
    light: Vec<bool>,
    /// Independent rows that touch them: the place among these, and the row.
    touching: Vec<(usize, usize)>,
    /// Of these the ones that are eliminated with a coordinate, and those that are added to M.
    paired: Paired,
    added: Vec<(usize, usize)>,
    /// M + alpha C_s^T C_s with the places of the entries of M and of the products, where there are light coordinates.
    mass: Sparse,
    places: Vec<usize>,
    added_places: Vec<usize>,
    alpha: f64,
    /// epsilon, and that of each row in the factors; empty where it is zero.
    compliance: f64,
    compliances: Vec<f64>,
    refinements: usize,
}

/// Scratch of solves with this many right-hand sides.
#[derive(Clone, Debug)]
pub struct Lanes<const N: usize> {
    /// [r1; r2] and then [a; -lambda] over the rows in use, and what that leaves of the equations.
    pub(super) unknowns: Vec<[f64; N]>,
    rest: Vec<[f64; N]>,
    kept: Vec<[f64; N]>,
    sweep: Scratch<[f64; N]>,
}

impl<const N: usize> Default for Lanes<N> {
    fn default() -> Self {
        Self {
            unknowns: Vec::new(),
            rest: Vec::new(),
            kept: Vec::new(),
            sweep: Scratch::default(),
        }
    }
}

impl Blocks {
    /// With rows that give way.
    pub fn compliant(compliance: f64) -> Self {
        Self {
            compliance,
            ..Self::default()
        }
    }

    /// Factors K for this M and these rows of this C, whose patterns are those of the last call if `key` and rows are, and whose
    /// M is that of the last call if `version` is.
    ///
    /// # Errors
    /// Where rows depend on each other or some motion has no inertia; QR and LU tell which. Where rows give way, the coordinate
    /// without inertia.
    pub fn factor(
        &mut self,
        (key, rows): (&[usize], &[usize]),
        (mass, version): (&Sparse, u64),
        jacobian: &Sparse,
    ) -> Result<(), Option<usize>> {
        if self.saddle.is_none() || self.key != key || self.rows != rows {
            self.key = key.to_vec();
            self.rows = rows.to_vec();
            self.version = None;
            self.light = (0..mass.len()).map(|i| mass.row(i).entry(i) == 0.0).collect();
            self.paired.are_possible = true;
            self.analyse(mass, jacobian);
        }
        if !self.paired.are_regular(mass, jacobian) {
            (self.paired.are_possible, self.version) = (false, None);
            self.analyse(mass, jacobian);
        }
        let mut found = 0;
        loop {
            self.load((mass, version), jacobian);
            let Some(saddle) = &mut self.saddle else {
                return Err(None);
            };
            match saddle.factor(jacobian, &self.paired.kept_rows, &self.compliances) {
                Ok(()) => break,
                Err(Indefinite::Coordinate(i)) if !self.light[i] => {
                    found += 1;
                    match found {
                        MOST_FOUND => self.light.fill(true),
                        _ => self.light[i] = true,
                    }
                    self.version = None;
                    self.analyse(mass, jacobian);
                }
                Err(Indefinite::Coordinate(i)) if self.compliance > 0.0 => return Err(Some(i)),
                // Where rows depend on each other, coordinates with inertia seem to have none: these count anew.
                Err(_) => {
                    self.saddle.take_if(|_| found > 0);
                    return Err(None);
                }
            }
        }
        let least = self.regularity().powi(2);
        self.refinements = match least {
            least if least < REFINED[1] => 3,
            least if least < REFINED[0] => 1,
            _ => 0,
        };
        if least >= SINGULAR || self.compliance > 0.0 {
            return Ok(());
        }
        self.saddle.take_if(|_| found > 0);
        Err(None)
    }

    /// Rows in use.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// About the sine of the smallest angle between a row and those before it, as M measures angles.
    pub fn regularity(&self) -> f64 {
        self.saddle.as_ref().map_or(1.0, |saddle| saddle.least().sqrt())
    }

    /// Whether rows depend on each other: then elimination leaves of one little more than its compliance, up to this factor.
    pub fn has_dependent_rows(&self, factor: f64) -> bool {
        (self.saddle.as_ref()).is_some_and(|saddle| saddle.least_pivot() < factor * self.compliance)
    }

    /// Pattern of the factors, once there are some; what is eliminated beforehand comes last, without entries beside its own.
    pub fn pattern(&self) -> Option<FactorPattern> {
        let nv = self.light.len();
        let mut pattern = self.saddle.as_ref()?.pattern();
        for unknown in pattern.order.iter_mut().filter(|unknown| **unknown >= nv) {
            *unknown = nv + self.paired.kept[*unknown - nv];
        }
        for pair in &self.paired.list {
            pattern.columns.push(vec![pattern.order.len()]);
            pattern.order.push(nv + pair.place);
        }
        Some(pattern)
    }

    /// Rows that are added to M, by their place among those in use, and alpha.
    pub fn touching(&self) -> (impl Iterator<Item = usize>, f64) {
        (self.touching.iter().map(|&(k, _)| k), self.alpha)
    }

    fn analyse(&mut self, mass: &Sparse, jacobian: &Sparse) {
        let touches = |(_, row): &(usize, usize)| jacobian.row(*row).columns.iter().any(|&j| self.light[j]);
        self.touching = self.rows.iter().copied().enumerate().filter(touches).collect();
        self.paired
            .find((&self.rows, &self.touching), &self.light, mass, jacobian);
        let is_added = |&(k, _): &(usize, usize)| self.paired.kept.binary_search(&k).is_ok();
        self.added = self.touching.iter().copied().filter(is_added).collect();
        let mut columns: Vec<Vec<usize>> = (0..mass.len()).map(|i| mass.row(i).columns.to_vec()).collect();
        for &(_, row) in &self.added {
            for &i in jacobian.row(row).columns {
                columns[i].extend(jacobian.row(row).columns);
            }
        }
        for columns in &mut columns {
            columns.sort_unstable();
            columns.dedup();
        }
        self.mass = Sparse::with_columns(columns.into_iter());
        let entries = (0..mass.len()).flat_map(|i| mass.row(i).columns.iter().map(move |&j| (i, j)));
        self.places = entries.filter_map(|(i, j)| self.mass.place(i, j)).collect();
        let products = self.added.iter().flat_map(|&(_, row)| {
            let columns = jacobian.row(row).columns;
            columns.iter().flat_map(move |&i| columns.iter().map(move |&j| (i, j)))
        });
        self.added_places = products.filter_map(|(i, j)| self.mass.place(i, j)).collect();
        let pattern = if self.added.is_empty() { mass } else { &self.mass };
        self.saddle = Some(BlockLdl::new(pattern, jacobian, &self.paired.kept_rows));
    }

    /// Takes over M where it has changed, or M + alpha C_s^T C_s where there are light coordinates, both parts of one size.
    fn load(&mut self, (mass, version): (&Sparse, u64), jacobian: &Sparse) {
        let is_new = self.version != Some(version) || !self.added.is_empty();
        if !self.touching.is_empty() {
            self.weigh(mass, jacobian);
        }
        if !self.added.is_empty() {
            self.add_rows(mass, jacobian);
        }
        let values = if self.added.is_empty() { mass } else { &self.mass };
        if let Some(saddle) = &mut self.saddle
            && is_new
        {
            saddle.set_mass(values);
            // What is eliminated beforehand.
            (self.paired.list.iter()).for_each(|pair| saddle.stand_alone(pair.coordinate));
            self.version = Some(version);
        }
        if self.compliance > 0.0 {
            self.compliances.clear();
            let share_kept = self.share_kept();
            let of = |k: &usize| match self.added.iter().any(|(added, _)| added == k) {
                true => self.compliance / share_kept,
                false => self.compliance,
            };
            self.compliances.extend(self.paired.kept.iter().map(of));
        }
    }

    /// What rows that are added to M keep of their own stiffness.
    fn share_kept(&self) -> f64 {
        1.0 - self.alpha * self.compliance
    }

    /// As much as the least inertia that such a row meets: more would leave few of its digits in M + alpha C_s^T C_s.
    fn weigh(&mut self, mass: &Sparse, jacobian: &Sparse) {
        let lightness = |(_, row): &(usize, usize)| -> f64 {
            let entries = jacobian.row(*row).entries();
            let parts = entries.filter(|&(j, _)| !self.light[j]);
            parts.map(|(j, entry)| entry * entry / mass.row(j).entry(j)).sum()
        };
        let most = self.touching.iter().map(lightness).fold(0.0, f64::max);
        let longest = || {
            let rows = self.touching.iter().map(|&(_, row)| jacobian.row(row).square());
            rows.fold(0.0, f64::max) / crate::linear::max_abs(mass.values())
        };
        let alpha = 1.0 / if most > 0.0 { most } else { longest() };
        let alpha = if alpha.is_finite() && alpha > 0.0 { alpha } else { 1.0 };
        self.alpha = f64::min(alpha, MOST_SHARE / self.compliance);
    }

    fn add_rows(&mut self, mass: &Sparse, jacobian: &Sparse) {
        let values = self.mass.values_mut();
        values.fill(0.0);
        for (&place, value) in self.places.iter().zip(mass.values()) {
            values[place] = *value;
        }
        let mut places = self.added_places.iter();
        for &(_, row) in &self.added {
            let row = jacobian.row(row);
            for x in row.values {
                for (y, &place) in row.values.iter().zip(&mut places) {
                    values[place] += self.alpha * x * y;
                }
            }
        }
    }

    /// Solves K [a; -lambda] = [r1; r2] for several right-hand sides at once, `r1` by the coordinate and `r2` by the row of C.
    pub fn solve_lanes<const N: usize>(
        &self,
        (mass, jacobian): (&Sparse, &Sparse),
        r1: impl Fn(usize) -> [f64; N],
        r2: impl Fn(usize) -> [f64; N],
        lanes: &mut Lanes<N>,
    ) {
        let (nv, n) = (mass.len(), mass.len() + self.rows.len());
        lanes.unknowns.clear();
        lanes.unknowns.extend((0..nv).map(&r1));
        lanes.unknowns.extend(self.rows.iter().map(|&row| r2(row)));
        self.apply_inverse(jacobian, nv, &mut lanes.unknowns, (&mut lanes.kept, &mut lanes.sweep));
        for _ in 0..self.refinements {
            let (a, minus_lambda) = lanes.unknowns.split_at(nv);
            lanes.rest.resize(n, [0.0; N]);
            let (top, bottom) = lanes.rest.split_at_mut(nv);
            for (i, slot) in top.iter_mut().enumerate() {
                *slot = less_product(r1(i), mass.row(i), a);
            }
            for ((slot, &row), value) in bottom.iter_mut().zip(&self.rows).zip(minus_lambda) {
                let given = each(|lane| r2(row)[lane] + self.compliance * value[lane]);
                *slot = less_product(given, jacobian.row(row), a);
                for (j, entry) in jacobian.row(row).entries() {
                    top[j] = each(|lane| top[j][lane] - entry * value[lane]);
                }
            }
            self.apply_inverse(jacobian, nv, &mut lanes.rest, (&mut lanes.kept, &mut lanes.sweep));
            pairs(&mut lanes.unknowns, &lanes.rest, |slot, value| {
                *slot = each(|lane| slot[lane] + value[lane]);
            });
        }
    }

    /// The same for one right-hand side, with `r1` zero when none; multipliers of dependent rows are zero.
    pub fn solve(
        &self,
        matrices: (&Sparse, &Sparse),
        r1: Option<&[f64]>,
        r2: impl Fn(usize) -> f64,
        (a, lambda): (&mut [f64], Option<&mut [f64]>),
        lanes: &mut Lanes<1>,
    ) {
        self.solve_lanes(matrices, |i| [r1.map_or(0.0, |r1| r1[i])], |row| [r2(row)], lanes);
        self.take(0, lanes, a, lambda);
    }

    /// Writes the solution of one lane.
    pub fn take<const N: usize>(&self, lane: usize, lanes: &Lanes<N>, a: &mut [f64], lambda: Option<&mut [f64]>) {
        let (found, minus_lambda) = lanes.unknowns.split_at(a.len());
        pairs(a, found, |slot, value| *slot = value[lane]);
        if let Some(lambda) = lambda {
            lambda.fill(0.0);
            for (&row, value) in self.rows.iter().zip(minus_lambda) {
                lambda[row] = -value[lane];
            }
        }
    }

    /// Writes all lanes of a solution.
    pub fn take_all<const N: usize>(
        &self,
        lanes: &Lanes<N>,
        a: &mut [SVector<f64, N>],
        lambda: Option<&mut [SVector<f64, N>]>,
    ) {
        let (found, minus_lambda) = lanes.unknowns.split_at(a.len());
        pairs(a, found, |slot, value| *slot = (*value).into());
        if let Some(lambda) = lambda {
            self.take_multipliers(minus_lambda, lambda);
        }
    }

    /// Writes all lanes of the multipliers of a solution, from its unknowns behind the accelerations.
    pub fn take_multipliers<const N: usize>(&self, minus_lambda: &[[f64; N]], lambda: &mut [SVector<f64, N>]) {
        lambda.fill(SVector::zeros());
        for (&row, value) in self.rows.iter().zip(minus_lambda) {
            lambda[row] = -SVector::from(*value);
        }
    }

    /// Corrections that a solution takes beyond the first.
    pub fn refinements(&self) -> usize {
        self.refinements
    }

    /// x <- K^-1 x over any scalar, uncorrected, for rows that do not give way.
    pub fn apply_inverse_over<S: Scalar>(&self, jacobian: &Sparse, x: &mut [S]) {
        let nv = x.len() - self.rows.len();
        let mut values: Vec<Over<S>> = x.iter().map(|value| Over(*value)).collect();
        self.apply_with(jacobian, nv, &mut values, &mut Vec::new(), |saddle, x| {
            saddle.solve_over(x)
        });
        pairs(x, &values, |slot, value| *slot = value.0);
    }

    /// x <- K^-1 x.
    fn apply_inverse<const N: usize>(
        &self,
        jacobian: &Sparse,
        nv: usize,
        x: &mut [[f64; N]],
        (kept, sweep): (&mut Vec<[f64; N]>, &mut Scratch<[f64; N]>),
    ) {
        self.apply_with(jacobian, nv, x, kept, |saddle, x| saddle.solve_lanes(x, sweep));
    }

    fn apply_with<T: Unknown>(
        &self,
        jacobian: &Sparse,
        nv: usize,
        x: &mut [T],
        kept: &mut Vec<T>,
        solve: impl FnOnce(&BlockLdl, &mut [T]),
    ) {
        let Some(saddle) = &self.saddle else { return };
        for &(k, row) in &self.added {
            let value = x[nv + k];
            for (j, entry) in jacobian.row(row).entries() {
                x[j] = x[j].less(-self.alpha * entry, value);
            }
        }
        (self.paired).solve((jacobian, self.compliance), nv, x, kept, |x| solve(saddle, x));
        if self.compliance > 0.0 {
            let scale = 1.0 / self.share_kept();
            self.added.iter().for_each(|&(k, _)| x[nv + k] = x[nv + k].times(scale));
        }
    }
}

/// value - row x.
fn less_product<const N: usize>(value: [f64; N], row: Row, x: &[[f64; N]]) -> [f64; N] {
    row.entries()
        .fold(value, |sum, (j, entry)| each(|lane| sum[lane] - entry * x[j][lane]))
}
