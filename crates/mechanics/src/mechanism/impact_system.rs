//! The linear systems of an impact, [[M, R^T], [R, 0]] [y; -J] = [right; target] over rows that are chosen among all
//! (theory, 4.8).
//!
//! Few coordinates are solved for by LU. With many, K of the bilateral rows is factored by blocks, and each of the k other rows n
//! costs one solve, K [y; -l] = [n; 0]: its impulse changes the velocities by y. Of these the independent ones are chosen, and
//! what impulses they take follows, from their QR factors in the metric of M.

use super::impact_problem::{INDEPENDENCE, ImpactRow, Side, saddle};
use super::response::{Basis, Responses};
use crate::error::Result;
use crate::formulation::Elimination;
use crate::linear::{Lu, add_scaled, in_units, independent_rows_after};
use crate::model::Matrix;

/// What a solution leaves of its right-hand side, over the terms that this is the sum of, that is rounding.
const ROUNDING: f64 = 1e-14;

/// The system of an impact, with the factors of what all choices of rows have in common.
pub(super) struct ImpactSystem<'a> {
    pub t: f64,
    pub mass: &'a Matrix,
    pub rows: &'a [ImpactRow],
    /// Velocities, over the sizes of the coordinates, that are rounding.
    pub rounding: f64,
    responses: Option<Responses>,
}

/// Independent rows of an impact, and the factors of their system.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    /// The rows, ascending.
    pub independent: Vec<usize>,
    factors: Factors,
}

#[derive(Clone, Debug)]
enum Factors {
    Dense(Lu),
    Blocks(Basis),
}

/// The system over the independent rows of an impact, to be solved for other right-hand sides.
#[derive(Clone, Debug)]
pub(super) struct ImpactFactors {
    responses: Option<Responses>,
    chosen: Chosen,
}

impl<'a> ImpactSystem<'a> {
    pub fn new(t: f64, mass: &'a Matrix, rows: &'a [ImpactRow], by: Elimination) -> Self {
        let responses = by.is_by_blocks(mass.width()).then(|| Responses::new(mass, rows));
        Self {
            t,
            mass,
            rows,
            rounding: 0.0,
            // LU says what is wrong where blocks fail.
            responses: responses.flatten(),
        }
    }

    /// As many independent rows as possible among those that take part, joints first: where a contact depends on them, the
    /// contact gives way, not a joint.
    pub fn choose(&self, active: &[bool]) -> Result<Chosen> {
        let rows = self.rows;
        let equations = (0..rows.len()).filter(|&i| active[i] && rows[i].side != Side::Unilateral);
        let others = (0..rows.len()).filter(|&i| active[i] && rows[i].side == Side::Unilateral);
        let mut taking_part: Vec<usize> = equations.collect();
        let joints = taking_part.len();
        taking_part.extend(others);
        if let Some(responses) = &self.responses {
            let basis = responses.basis(joints, &taking_part);
            let independent = responses.independent(&basis);
            let factors = Factors::Blocks(basis);
            return Ok(Chosen { independent, factors });
        }
        let nv = self.mass.width();
        let matrix: Vec<f64> = taking_part.iter().flat_map(|&i| rows[i].row.dense(nv)).collect();
        let matrix = in_units(&matrix, self.mass.units());
        let mut independent: Vec<usize> = independent_rows_after(joints, &matrix, nv, INDEPENDENCE)
            .into_iter()
            .map(|k| taking_part[k])
            .collect();
        independent.sort_unstable();
        self.factored(independent)
    }

    fn factored(&self, independent: Vec<usize>) -> Result<Chosen> {
        let factors = Factors::Dense(saddle(self.t, self.mass, self.rows, &independent)?);
        Ok(Chosen { independent, factors })
    }

    /// Velocities, and the impulses of the independent rows.
    pub fn solve(&self, chosen: &Chosen, right: &[f64], target: impl Fn(usize) -> f64) -> (Vec<f64>, Vec<f64>) {
        let mut unknowns = right.to_vec();
        unknowns.extend(chosen.independent.iter().map(|&i| target(i)));
        let wanted = unknowns.clone();
        chosen.solve(self.responses.as_ref(), &mut unknowns);
        // Rows with and without mass may leave more than rounding: one step of refinement takes it (Skeel 1980).
        if let Some(mut rest) = self.rest(chosen, wanted, &unknowns) {
            chosen.solve(self.responses.as_ref(), &mut rest);
            add_scaled(&mut unknowns, 1.0, &rest);
        }
        let mut impulses = unknowns.split_off(right.len());
        impulses.iter_mut().for_each(|value| *value = -*value);
        (unknowns, impulses)
    }

    /// What unknowns [y; -J] leave of a right-hand side, if that is more than rounding of the terms.
    fn rest(&self, chosen: &Chosen, mut wanted: Vec<f64>, unknowns: &[f64]) -> Option<Vec<f64>> {
        let mut sizes: Vec<f64> = wanted.iter().map(|value| value.abs()).collect();
        let (v, impulses) = unknowns.split_at(self.mass.width());
        let count = v.len();
        let mut take = |k: usize, term: f64| {
            wanted[k] -= term;
            sizes[k] += term.abs();
        };
        for (k, product) in self.mass.times(v).enumerate() {
            take(k, product);
        }
        for (k, (&i, impulse)) in chosen.independent.iter().zip(impulses).enumerate() {
            for (j, entry) in self.rows[i].row.iter() {
                take(j, entry * impulse);
                take(count + k, entry * v[j]);
            }
        }
        let is_left = |(rest, size): (&f64, &f64)| rest.abs() > ROUNDING * size;
        wanted.iter().zip(&sizes).any(is_left).then_some(wanted)
    }

    /// Whether a row depends on independent ones.
    pub fn implies(&self, independent: &[usize], i: usize) -> bool {
        let mut active = vec![false; self.rows.len()];
        independent.iter().chain([&i]).for_each(|&row| active[row] = true);
        match &self.responses {
            Some(responses) => {
                let all: Vec<usize> = independent.iter().copied().chain([i]).collect();
                let basis = responses.basis(independent.len(), &all);
                !responses.independent(&basis).contains(&i)
            }
            None => {
                let nv = self.mass.width();
                let matrix = independent.iter().chain([&i]).flat_map(|&k| self.rows[k].row.dense(nv));
                let matrix = in_units(&matrix.collect::<Vec<f64>>(), self.mass.units());
                independent_rows_after(0, &matrix, nv, INDEPENDENCE).len() == independent.len()
            }
        }
    }
}

impl Chosen {
    /// Solves for [y; -J] in place.
    fn solve(&self, responses: Option<&Responses>, unknowns: &mut [f64]) {
        match (&self.factors, responses) {
            (Factors::Dense(lu), _) => lu.clone().solve(unknowns),
            (Factors::Blocks(basis), Some(responses)) => responses.solve(basis, &self.independent, unknowns),
            (Factors::Blocks(_), None) => unknowns.fill(f64::NAN),
        }
    }
}

impl ImpactFactors {
    /// The system over rows that are independent.
    ///
    /// # Errors
    /// Kind `Singular` when some motion has no inertia.
    pub fn new(t: f64, mass: &Matrix, rows: &[ImpactRow], independent: &[usize], by: Elimination) -> Result<Self> {
        let rows: Vec<ImpactRow> = independent.iter().map(|&i| rows[i].clone()).collect();
        let mut system = ImpactSystem::new(t, mass, &rows, by);
        let chosen = match &system.responses {
            Some(_) => Some(system.choose(&vec![true; rows.len()])?),
            None => None,
        };
        let chosen = match chosen.filter(|chosen| chosen.independent.len() == rows.len()) {
            Some(chosen) => chosen,
            None => {
                system.responses = None;
                system.factored((0..rows.len()).collect())?
            }
        };
        let responses = system.responses;
        Ok(Self { responses, chosen })
    }

    /// Solves for the velocities and the negative impulses in place.
    pub fn solve(&self, unknowns: &mut [f64]) {
        self.chosen.solve(self.responses.as_ref(), unknowns);
    }
}
