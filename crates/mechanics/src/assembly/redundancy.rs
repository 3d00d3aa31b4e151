//! Rows that depend on others: redundant joints, whose rows stay dependent wherever the mechanism moves, and singular
//! positions, where they are dependent for an instant (theory, 5.4).

use nalgebra::{DMatrix, DVector};

use super::dependence::{Dependence, Rows, Sum, dependences};
use super::system::{System, dense, free_jacobian, independent, row_length};
use crate::linear::{MANY, Sparse};
use crate::model::CoordinateKind;
use crate::model::constraint::Direction;

/// Second derivative, over the sizes of what it is the sum of, that is rounding.
pub(super) const BENDS: f64 = 1e-6;

/// Part of a row outside the others at an assembled position that may be singular: joints close to rounding, and since they
/// open with the square of the distance from a singular position, that leaves the root of rounding.
pub(super) const NEAR: f64 = 3e-7;

/// Part of a motion that rows leave where they hold all of it: rounding.
const HELD: f64 = 1e-9;

/// Motions that stand for all when it is asked whether a combination of rows stays closed along them.
const MOTIONS: usize = 3;

/// What rows have their columns for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    Coordinates,
    Velocities,
}

/// Rows that depend on others over the coordinates, or velocities, that may move.
pub(super) struct Redundancy<'a> {
    pub rows: Rows<'a>,
    over: Over,
    pub free: Vec<usize>,
    /// Sizes of the free coordinates, or of what the free velocities are rates of; C over them, over these sizes, and its independent
    /// rows.
    pub sizes: Vec<f64>,
    jacobian: Sparse,
    pub independent: Vec<usize>,
    /// Part of a unit row outside the others, and singular values of unit rows, that count as zero.
    tolerance: f64,
    /// Combinations, with whether every motion that the others allow keeps them closed: if not, the position is singular.
    pub found: Vec<(Dependence, bool)>,
}

impl<'a> Redundancy<'a> {
    pub fn new(rows: Rows<'a>, over: Over, free: Vec<usize>, tolerance: f64) -> Self {
        let sizes = sizes(&rows, over, &free);
        let mut jacobian = free_jacobian(rows.terms, &free);
        jacobian.scale_columns(&sizes);
        let (independent, dependent) = dependences(&jacobian, free.len(), tolerance);
        let mut found = Self {
            found: dependent.into_iter().map(|found| (found, true)).collect(),
            rows,
            over,
            free,
            sizes,
            jacobian,
            independent,
            tolerance,
        };
        if !found.found.is_empty() {
            found.find_singular();
        }
        found
    }

    /// Combinations that vanish at the position only.
    pub fn singular(&self) -> impl Iterator<Item = &Dependence> {
        let singular = self.found.iter().filter(|(_, regular)| !regular);
        singular.map(|(dependence, _)| dependence)
    }

    /// Whether rows depend on each other to rounding that nearly do.
    pub fn is_exact(&self) -> bool {
        independent(&self.jacobian, self.free.len()).len() == self.independent.len()
    }

    fn find_singular(&mut self) {
        for motion in 0..MOTIONS {
            let anything = |k: usize| (((motion + 1) * (3 * k + 2)) as f64).sin();
            let mut anything = DVector::from_fn(self.free.len(), |k, _| anything(k));
            let mut values = DVector::zeros(self.jacobian.len());
            self.jacobian.product(anything.as_slice(), values.as_mut_slice());
            anything.component_mul_assign(&DVector::from_column_slice(&self.sizes));
            let motion = &anything - self.least(&values);
            // What is left where the rows hold everything is rounding, which bends them as anything would.
            let moves = |(left, whole): (&f64, &f64)| left.abs() > HELD * whole.abs();
            if !motion.iter().zip(&anything).any(moves) {
                continue;
            }
            let rows = self.bent(&motion);
            for (dependence, regular) in &mut self.found {
                *regular &= !exceeds(dependence.of(&rows), BENDS);
            }
        }
    }

    fn row_lengths(&self) -> DVector<f64> {
        let rows = (0..self.jacobian.len()).map(|row| row_length(self.jacobian.row(row).square().sqrt()));
        DVector::from_iterator(self.jacobian.len(), rows)
    }

    fn unit_rows(&self) -> DMatrix<f64> {
        let mut unit = dense(&self.jacobian, self.free.len());
        for (mut entries, length) in unit.row_iter_mut().zip(&self.row_lengths()) {
            entries /= *length;
        }
        unit
    }

    /// Motions of the free coordinates that keep all rows closed to first order, as columns that are orthonormal over the sizes.
    pub fn motions(&self) -> DMatrix<f64> {
        let mut motions = null_space(self.unit_rows(), self.tolerance);
        for (mut row, size) in motions.row_iter_mut().zip(&self.sizes) {
            row *= *size;
        }
        motions
    }

    /// The second derivative of a combination of rows over motions.
    pub fn form(&self, dependence: &Dependence, motions: &DMatrix<f64>) -> DMatrix<f64> {
        let along = |motion: &DVector<f64>| dependence.of(&self.bent(motion)).value;
        let motion = |k: usize| motions.column(k).into_owned();
        let own: Vec<f64> = (0..motions.ncols()).map(|k| along(&motion(k))).collect();
        DMatrix::from_fn(own.len(), own.len(), |i, j| match i == j {
            true => own[i],
            false => 0.5 * (along(&(motion(i.min(j)) + motion(i.max(j)))) - own[i] - own[j]),
        })
    }

    /// Second derivative of every row along a motion of the free coordinates or velocities at constant rates.
    pub fn bent(&self, motion: &DVector<f64>) -> Vec<Sum> {
        let Rows { model, q, .. } = self.rows;
        let rest = vec![0.0; q.len()];
        let still = vec![0.0; self.rows.terms.numbers.len()];
        let [rates, drift] = match self.over {
            Over::Coordinates => [self.placed(motion, &rest), rest.clone()],
            Over::Velocities => {
                let v = self.placed(motion, &rest[..model.nv()]);
                [model.coordinate_rates(q, &v), model.coordinate_drift(q, &v)].map(|list| list.to_vec())
            }
        };
        let [first, second] = [&rates, &drift].map(|q| Direction {
            t: 0.0,
            q,
            v: &rest,
            numbers: &still,
        });
        let (mut c, _) = self.rows.along(&first);
        // A row that a motion leaves alone to first order is measured by what it can change at all.
        let share = motion
            .iter()
            .zip(&self.sizes)
            .map(|(rate, size)| (rate / size).powi(2))
            .fold(0.0, f64::max);
        for (row, sum) in c.iter_mut().enumerate() {
            let entries = self.jacobian.row(row).entries();
            sum.size += share * entries.map(|(_, entry)| entry.abs()).sum::<f64>();
        }
        sums(&self.rows.second(&first, &second), &c, 1.0)
    }

    /// The smallest change of the free coordinates, over their sizes, that changes the rows by these values, as far as one does.
    pub fn least(&self, values: &DVector<f64>) -> DVector<f64> {
        let mut found = self.least_over_sizes(values);
        found.component_mul_assign(&DVector::from_column_slice(&self.sizes));
        found
    }

    fn least_over_sizes(&self, values: &DVector<f64>) -> DVector<f64> {
        let none = DVector::zeros(self.free.len());
        let n = self.free.len();
        if n == 0 || self.jacobian.is_empty() {
            return none;
        }
        if n >= MANY {
            let system = System::over(Sparse::identity(n), self.jacobian.clone(), self.independent.clone());
            let found = system.and_then(|system| system.solve(&DVector::zeros(n), |row| values[row]));
            return found.map_or(none, |(change, _)| change);
        }
        let values = values.zip_map(&self.row_lengths(), |value, length| value / length);
        let factors = self.unit_rows().svd(true, true);
        factors.solve(&values, self.tolerance).unwrap_or(none)
    }

    /// All coordinates, or velocities: these for the free ones, the others as held.
    pub fn placed(&self, free: &DVector<f64>, held: &[f64]) -> Vec<f64> {
        let mut q = held.to_vec();
        for (&i, value) in self.free.iter().zip(free.iter()) {
            q[i] = *value;
        }
        q
    }
}

fn sizes(Rows { model, q, terms, .. }: &Rows, over: Over, free: &[usize]) -> Vec<f64> {
    let extent = model.extent(q, &terms.numbers);
    let kind = |i: usize| match over {
        Over::Coordinates => model.coordinates[i].kind,
        Over::Velocities => model.speed(i).kind,
    };
    let size = |&i: &usize| match kind(i) {
        CoordinateKind::Length if extent > 0.0 => extent,
        _ => 1.0,
    };
    free.iter().map(size).collect()
}

/// Orthonormal columns that these rows leave alone, where what they do to them is no more than the tolerance.
pub(super) fn null_space(rows: DMatrix<f64>, tolerance: f64) -> DMatrix<f64> {
    let n = rows.ncols();
    if n == 0 {
        return DMatrix::zeros(0, 0);
    }
    // As many rows as columns, so that the decomposition has all directions.
    let tall = rows.nrows().max(n);
    let factors = rows.resize_vertically(tall, 0.0).svd(false, true);
    let directions = factors.v_t.unwrap_or_else(|| DMatrix::zeros(0, n));
    let closed: Vec<usize> = (0..directions.nrows())
        .filter(|&k| factors.singular_values[k] <= tolerance)
        .collect();
    directions.select_rows(&closed).transpose()
}

/// Values with the sizes of their rows besides their own.
pub(super) fn sums(values: &[f64], sizes: &[Sum], scale: f64) -> Vec<Sum> {
    let sum = |(&value, row): (&f64, &Sum)| Sum {
        value,
        size: value.abs() + scale * row.size,
    };
    values.iter().zip(sizes).map(sum).collect()
}

/// Whether a sum is more than this share of the sizes of its terms.
pub(super) fn exceeds(sum: Sum, bound: f64) -> bool {
    sum.value.abs() > bound * sum.size
}
