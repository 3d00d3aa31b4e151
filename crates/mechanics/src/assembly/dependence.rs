//! Constraint rows that depend on others over some of the coordinates, and how far a change opens their combination.

use nalgebra::{DMatrix, DVector};

use super::system::{dense, row_length};
use crate::in_dimension;
use crate::linear::{MANY, Sparse, circuits_of, independent_rows_of};
use crate::model::constraint::{ConstraintKind, Direction};
use crate::model::local::Local;
use crate::model::{Mode, Model, Terms};
use crate::scalar::{Dual2, Scalar};

/// Share of a row in a combination, over the largest, below which it is rounding.
const SHARE: f64 = 1e-9;

/// Singular values of unit rows that count as zero.
const SINGULAR: f64 = 1e-12;

/// A combination of rows that vanishes over the coordinates that may move: pairs of a row and its weight.
pub(crate) struct Dependence(pub Vec<(usize, f64)>);

/// A sum with the sizes of its terms, which say what of it is rounding.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    pub value: f64,
    pub size: f64,
}

impl Sum {
    fn add(&mut self, term: f64) {
        self.value += term;
        self.size += term.abs();
    }
}

/// The independent rows of a Jacobian over coordinates that can be compared, and one combination for every row that depends on
/// others, up to this part of a unit row.
pub(crate) fn dependences(jacobian: &Sparse, width: usize, tolerance: f64) -> (Vec<usize>, Vec<Dependence>) {
    let units = vec![1.0; width];
    if width >= MANY
        && let Some((rows, circuits)) = circuits_of(jacobian, &units, tolerance)
    {
        let combination = |(row, shares): (usize, Vec<(usize, f64)>)| {
            let length = row_length(jacobian.row(row).square().sqrt());
            let others = shares.into_iter().map(|(other, share)| (other, -share / length));
            Dependence(std::iter::once((row, 1.0 / length)).chain(others).collect())
        };
        return (rows, circuits.into_iter().map(combination).collect());
    }
    let rows = independent_rows_of(jacobian, &units, tolerance);
    if rows.len() == jacobian.len() {
        return (rows, Vec::new());
    }
    let found = combinations(&dense(jacobian, width), &rows);
    (rows, found)
}

/// Combinations of all rows but the independent ones.
fn combinations(jacobian: &DMatrix<f64>, rows: &[usize]) -> Vec<Dependence> {
    // Of unit rows, so that shares can be compared whatever the units.
    let length = |row: usize| row_length(jacobian.row(row).norm());
    let columns = DMatrix::from_fn(jacobian.ncols(), rows.len(), |j, k| {
        jacobian[(rows[k], j)] / length(rows[k])
    });
    let factors = (!columns.is_empty()).then(|| columns.svd(true, true));
    let combination = |row: usize| {
        let target = jacobian.row(row).transpose() / length(row);
        let shares = factors
            .as_ref()
            .and_then(|factors| factors.solve(&target, SINGULAR).ok());
        let shares = shares.unwrap_or_else(|| DVector::zeros(rows.len()));
        let least = SHARE * shares.amax().max(1.0);
        let others = rows.iter().zip(shares.iter()).filter(|(_, share)| share.abs() > least);
        let others = others.map(|(&other, share)| (other, -share / length(other)));
        Dependence(std::iter::once((row, 1.0 / length(row))).chain(others).collect())
    };
    let dependent = (0..jacobian.nrows()).filter(|row| rows.binary_search(row).is_err());
    dependent.map(combination).collect()
}

impl Dependence {
    /// The combination of what every row changes by.
    pub(super) fn of(&self, rows: &[Sum]) -> Sum {
        let mut sum = Sum::default();
        for &(row, weight) in &self.0 {
            sum.value += weight * rows[row].value;
            sum.size += weight.abs() * rows[row].size;
        }
        sum
    }

    /// Coordinates that the combination does not leave alone.
    pub fn coordinates(&self, terms: &Terms) -> Vec<usize> {
        let entry = |j: usize| {
            let mut sum = Sum::default();
            for &(row, weight) in &self.0 {
                sum.add(weight * terms.jacobian.row(row).entry(j));
            }
            sum.value.abs() > SHARE * sum.size
        };
        (0..terms.jacobian.width()).filter(|&j| entry(j)).collect()
    }

    /// Constraints of the model whose rows take part, each once, but for the lengths of quaternions.
    pub fn joints(&self, model: &Model, mode: &Mode) -> Vec<usize> {
        let place = |row: usize| mode.offsets.partition_point(|&first| first <= row) - 1;
        let mut places: Vec<usize> = self.0.iter().map(|(row, _)| place(*row)).collect();
        places.sort_unstable();
        places.dedup();
        let joints = places.into_iter().map(|place| mode.constraints[place]);
        let of_joint = |&index: &usize| !matches!(model.constraints[index].kind, ConstraintKind::Unit(_));
        joints.filter(of_joint).collect()
    }
}

/// Names of the joints that take part in combinations, each once.
pub(super) fn joint_names<'a>(found: impl Iterator<Item = &'a Dependence>, model: &Model, mode: &Mode) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for index in found.flat_map(|dependence| dependence.joints(model, mode)) {
        let name = &model.constraints[index].name;
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Constraints in a mode at a state.
pub(super) struct Rows<'a> {
    pub model: &'a Model,
    pub mode: &'a Mode,
    pub t: f64,
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub terms: &'a Terms,
}

impl Rows<'_> {
    /// Change of c and c' of every row along a direction, term by term.
    pub fn along(&self, direction: &Direction) -> (Vec<Sum>, Vec<Sum>) {
        let mut c = vec![Sum::default(); self.mode.rows];
        let mut rate = c.clone();
        let mut single = Single::new(direction);
        for (&index, &first) in self.mode.constraints.iter().zip(&self.mode.offsets) {
            let constraint = &self.model.constraints[index];
            for part in parts(&constraint.local) {
                if !single.choose(part, direction) {
                    continue;
                }
                let rest = vec![0.0; self.q.len()];
                let along = in_dimension!(self.model.dimension, D => constraint.along::<D>(
                    self.t, self.q, self.v, &rest, &[], &self.terms.numbers, &single.direction()));
                for row in 0..constraint.rows {
                    c[first + row].add(along.c[row]);
                    rate[first + row].add(along.rate[row]);
                }
                single.forget(part);
            }
        }
        if !self.model.frames.is_empty() {
            self.measure_turning(direction, &mut c, &mut rate);
        }
        (c, rate)
    }

    /// A turn of a body may leave a row alone exactly, and what is left is rounding of what the row can change.
    fn measure_turning(&self, direction: &Direction, c: &mut [Sum], rate: &mut [Sum]) {
        for (&index, &first) in self.mode.constraints.iter().zip(&self.mode.offsets) {
            let constraint = &self.model.constraints[index];
            let largest = |values: &[f64]| {
                let own = constraint.local.coordinates.iter().filter_map(|&i| values.get(i));
                own.fold(0.0, |most: f64, value| most.max(value.abs()))
            };
            let (moved, faster) = (largest(direction.q), largest(direction.v));
            for row in first..first + constraint.rows {
                let reach = self.terms.jacobian.row(row).max_abs();
                c[row].size += reach * moved;
                rate[row].size += reach * moved.max(faster);
            }
        }
    }

    /// Second derivative of c of every row along a curve given by its first and second derivatives.
    pub fn second(&self, first: &Direction, second: &Direction) -> Vec<f64> {
        let t = Dual2::new(self.t, first.t, second.t);
        let q = |i: usize| Dual2::new(self.q[i], first.q[i], second.q[i]);
        let numbers = |i: usize| Dual2::new(self.terms.numbers[i], first.numbers[i], second.numbers[i]);
        self.values(t, q, numbers).iter().map(|c: &Dual2<f64>| c.v2).collect()
    }

    /// Every row over any scalar.
    pub fn values<S: Scalar>(&self, t: S, q: impl Fn(usize) -> S, numbers: impl Fn(usize) -> S) -> Vec<S> {
        let mut values = Vec::with_capacity(self.mode.rows);
        for constraint in self
            .mode
            .constraints
            .iter()
            .map(|&index| &self.model.constraints[index])
        {
            let own = in_dimension!(self.model.dimension, D => constraint.value_at::<S, D>(t, &q, &numbers));
            values.extend(own.into_iter().take(constraint.rows));
        }
        values
    }
}

/// The arguments of a constraint.
fn parts(local: &Local) -> impl Iterator<Item = Part> + '_ {
    let of_coordinates = local
        .coordinates
        .iter()
        .flat_map(|&i| [Part::Position(i), Part::Velocity(i)]);
    let of_numbers = local.numbers.iter().map(|&i| Part::Number(i));
    std::iter::once(Part::Time).chain(of_coordinates).chain(of_numbers)
}

/// One argument of the constraints.
#[derive(Clone, Copy)]
enum Part {
    Time,
    Position(usize),
    Velocity(usize),
    Number(usize),
}

/// A direction with one entry.
struct Single {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    numbers: Vec<f64>,
}

impl Single {
    fn new(direction: &Direction) -> Self {
        Self {
            t: 0.0,
            q: vec![0.0; direction.q.len()],
            v: vec![0.0; direction.v.len()],
            numbers: vec![0.0; direction.numbers.len()],
        }
    }

    fn direction(&self) -> Direction<'_> {
        Direction {
            t: self.t,
            q: &self.q,
            v: &self.v,
            numbers: &self.numbers,
        }
    }

    fn slot(&mut self, part: Part) -> &mut f64 {
        match part {
            Part::Time => &mut self.t,
            Part::Position(i) => &mut self.q[i],
            Part::Velocity(i) => &mut self.v[i],
            Part::Number(i) => &mut self.numbers[i],
        }
    }

    /// Takes over one entry; false when it is zero.
    fn choose(&mut self, part: Part, from: &Direction) -> bool {
        let value = match part {
            Part::Time => from.t,
            Part::Position(i) => from.q[i],
            Part::Velocity(i) => from.v[i],
            Part::Number(i) => from.numbers[i],
        };
        *self.slot(part) = value;
        value != 0.0
    }

    fn forget(&mut self, part: Part) {
        *self.slot(part) = 0.0;
    }
}
