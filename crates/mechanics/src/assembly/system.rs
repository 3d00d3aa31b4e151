//! The linear systems of the assembly, [[H, C^T], [C, 0]] over the free coordinates: by LU, or by blocks where there are many.

use nalgebra::{DMatrix, DVector, Dyn, LU};

use crate::formulation::{Blocks, Corrections, INDEPENDENCE, Lanes};
use crate::in_dimension;
use crate::linear::{CLEARLY, Frozen, MANY, Sparse, independent_rows_of};
use crate::model::constraint::Direction;
use crate::model::{Mode, Model, Terms};

/// Error of a solution that is known up to which blocks are trusted.
const ACCURATE: f64 = 1e-9;

/// Most unknowns whose whole matrix is factored instead.
const MOST_DENSE: usize = 1000;

/// Rows of C over the free coordinates.
pub(super) fn free_jacobian(terms: &Terms, free: &[usize]) -> Sparse {
    let places = places(terms.jacobian.width(), free);
    let mut jacobian = Sparse::default();
    for row in 0..terms.rows {
        let entries = terms.jacobian.row(row).entries();
        let entries = entries.filter_map(|(j, value)| Some((places[j]?, value)));
        let (columns, values): (Vec<usize>, Vec<f64>) = entries.unzip();
        jacobian.push(&columns).copy_from_slice(&values);
    }
    jacobian
}

/// Place of each coordinate among the free ones.
fn places(coordinates: usize, free: &[usize]) -> Vec<Option<usize>> {
    let mut places = vec![None; coordinates];
    for (k, &i) in free.iter().enumerate() {
        places[i] = Some(k);
    }
    places
}

/// The matrix with its zeros.
pub(super) fn dense(matrix: &Sparse, width: usize) -> DMatrix<f64> {
    let mut dense = DMatrix::zeros(matrix.len(), width);
    for row in 0..matrix.len() {
        for (j, value) in matrix.row(row).entries() {
            dense[(row, j)] += value;
        }
    }
    dense
}

/// What a row is divided by to become a unit row; zero rows stay as they are.
pub(super) fn row_length(norm: f64) -> f64 {
    if norm > 0.0 { norm } else { 1.0 }
}

/// Rows that are independent over this many free coordinates.
pub(super) fn independent(jacobian: &Sparse, width: usize) -> Vec<usize> {
    independent_rows_of(jacobian, &vec![1.0; width], INDEPENDENCE)
}

/// Constraints at positions.
#[derive(Clone, Copy)]
pub(super) struct Curved<'a> {
    pub model: &'a Model,
    pub mode: &'a Mode,
    pub t: f64,
    pub q: &'a [f64],
    pub numbers: &'a [f64],
}

impl Curved<'_> {
    /// Weights of the free coordinates on the diagonal, and the second derivative of multipliers.c unless these are none.
    pub fn hessian(&self, free: &[usize], weight: impl Fn(usize) -> f64, multipliers: Option<&[f64]>) -> Sparse {
        let places = places(self.q.len(), free);
        let own = |index: usize| {
            let coordinates = self.model.constraints[index].local.coordinates.iter();
            coordinates.map(|&i| places[i]).collect::<Vec<_>>()
        };
        let mut columns: Vec<Vec<usize>> = (0..free.len()).map(|k| vec![k]).collect();
        if multipliers.is_some() {
            for &index in &self.mode.constraints {
                let own: Vec<usize> = own(index).into_iter().flatten().collect();
                own.iter().for_each(|&k| columns[k].extend(&own));
            }
        }
        for columns in &mut columns {
            columns.sort_unstable();
            columns.dedup();
        }
        let mut hessian = Sparse::with_columns(columns.into_iter());
        for (k, &i) in free.iter().enumerate() {
            hessian.add(k, k, weight(i));
        }
        if let Some(multipliers) = multipliers {
            let mut unit = vec![0.0; self.q.len()];
            for (&index, &first) in self.mode.constraints.iter().zip(&self.mode.offsets) {
                let own = own(index);
                let local = &self.model.constraints[index].local.coordinates;
                for (&j, column) in local.iter().zip(&own) {
                    let Some(column) = *column else { continue };
                    unit[j] = 1.0;
                    let force = self.force_along(index, first, multipliers, &unit);
                    unit[j] = 0.0;
                    for (value, row) in force.iter().zip(&own) {
                        row.iter().for_each(|&row| hessian.add(row, column, *value));
                    }
                }
            }
        }
        hessian
    }

    /// d(C^T multipliers) of one constraint along a direction in q, by its own coordinates.
    fn force_along(&self, index: usize, first: usize, multipliers: &[f64], q: &[f64]) -> Vec<f64> {
        let constraint = &self.model.constraints[index];
        let rest = vec![0.0; self.q.len()];
        let still = vec![0.0; self.numbers.len()];
        let direction = Direction {
            t: 0.0,
            q,
            v: &rest,
            numbers: &still,
        };
        let own = &multipliers[first..first + constraint.rows];
        let along = in_dimension!(self.model.dimension, D => {
            constraint.along::<D>(self.t, self.q, &rest, &rest, own, self.numbers, &direction)
        });
        along.force[..constraint.local.width()].to_vec()
    }
}

/// A factored system.
#[derive(Clone)]
pub(super) struct System {
    hessian: Sparse,
    jacobian: Sparse,
    rows: Vec<usize>,
    factors: Factors,
}

#[derive(Clone)]
enum Factors {
    /// Nothing to solve for: the factorization does not take empty systems.
    None,
    Dense(LU<f64, Dyn, Dyn>),
    Blocks(Box<Blocks>),
}

impl System {
    /// Factors the system over the rows of C that are independent; none when it is singular.
    pub fn new(hessian: Sparse, jacobian: Sparse) -> Option<Self> {
        let all: Vec<usize> = (0..jacobian.len()).collect();
        if hessian.len() >= MANY && all.len() <= hessian.len() {
            let mut blocks = Box::<Blocks>::default();
            let factored = blocks.factor((&[], &all), (&hessian, 0), &jacobian);
            if factored.is_ok() && blocks.regularity() > CLEARLY {
                let found = Self {
                    hessian,
                    jacobian,
                    rows: all,
                    factors: Factors::Blocks(blocks),
                };
                return Some(found.or_dense());
            }
        }
        let rows = independent(&jacobian, hessian.len());
        Self::over(hessian, jacobian, rows)
    }

    /// The system as it is, or with the factors of the whole matrix where blocks lose digits: the weights are not definite, and
    /// a block may have none.
    fn or_dense(self) -> Self {
        let n = self.hessian.len();
        if !matches!(&self.factors, Factors::Blocks(_)) || n + self.rows.len() > MOST_DENSE {
            return self;
        }
        let ones = vec![1.0; n];
        let mut right: Vec<f64> = (0..n).map(|i| self.hessian.row(i).dot(&ones)).collect();
        self.rows
            .iter()
            .for_each(|&row| self.jacobian.row(row).add_to(1.0, &mut right));
        let found = self.solve(&DVector::from_vec(right), |row| self.jacobian.row(row).dot(&ones));
        let error = found.map_or(f64::INFINITY, |(x, _)| {
            x.iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max)
        });
        if error <= ACCURATE {
            return self;
        }
        let factors = Self::matrix(&self.hessian, &self.jacobian, &self.rows).lu();
        match factors.is_invertible() {
            true => Self {
                factors: Factors::Dense(factors),
                ..self
            },
            false => self,
        }
    }

    /// The same over these rows.
    pub fn over(hessian: Sparse, jacobian: Sparse, rows: Vec<usize>) -> Option<Self> {
        let factors = if hessian.is_empty() {
            Factors::None
        } else {
            let mut blocks = Box::<Blocks>::default();
            let many = hessian.len() >= MANY;
            match many && blocks.factor((&[], &rows), (&hessian, 0), &jacobian).is_ok() {
                true => Factors::Blocks(blocks),
                false => Factors::Dense(Self::matrix(&hessian, &jacobian, &rows).lu()),
            }
        };
        let singular = matches!(&factors, Factors::Dense(lu) if !lu.is_invertible());
        let found = Self {
            hessian,
            jacobian,
            rows,
            factors,
        };
        (!singular).then(|| found.or_dense())
    }

    fn matrix(hessian: &Sparse, jacobian: &Sparse, rows: &[usize]) -> DMatrix<f64> {
        let n = hessian.len();
        let mut matrix = dense(hessian, n).resize(n + rows.len(), n + rows.len(), 0.0);
        for (k, &row) in rows.iter().enumerate() {
            for (j, value) in jacobian.row(row).entries() {
                matrix[(n + k, j)] = value;
                matrix[(j, n + k)] = value;
            }
        }
        matrix
    }

    /// [dx; mu] with H dx + C^T mu = right and C dx = target, by the row of C; none where it is not finite.
    pub fn solve(&self, right: &DVector<f64>, target: impl Fn(usize) -> f64) -> Option<(DVector<f64>, DVector<f64>)> {
        let (n, m) = (self.hessian.len(), self.rows.len());
        let (dx, mu) = match &self.factors {
            Factors::None => (DVector::zeros(n), DVector::zeros(m)),
            Factors::Dense(factors) => {
                let targets = self.rows.iter().map(|&row| target(row));
                let unknowns = DVector::from_iterator(n + m, right.iter().copied().chain(targets));
                let mut solution = factors.solve(&unknowns)?;
                // Large multipliers, of short arms beside weights of angles, cancel in the changes of coordinates.
                let rest = unknowns - Self::matrix(&self.hessian, &self.jacobian, &self.rows) * &solution;
                solution += factors.solve(&rest)?;
                (solution.rows(0, n).into_owned(), solution.rows(n, m).into_owned())
            }
            Factors::Blocks(blocks) => {
                let (mut dx, mut lambda) = (DVector::zeros(n), vec![0.0; self.jacobian.len()]);
                let matrices = (&self.hessian, &self.jacobian);
                let found = (dx.as_mut_slice(), Some(&mut lambda[..]));
                let right = Some(right.as_slice());
                blocks.solve(matrices, right, target, found, &mut Lanes::default());
                let mu = self.rows.iter().map(|&row| -lambda[row]);
                (dx, DVector::from_iterator(m, mu))
            }
        };
        dx.iter().chain(&mu).all(|x| x.is_finite()).then_some((dx, mu))
    }

    /// Values for the rows in use by the row of C, zero for the others.
    pub fn by_row(&self, values: &DVector<f64>) -> Vec<f64> {
        let mut by_row = vec![0.0; self.jacobian.len()];
        self.rows
            .iter()
            .zip(values.iter())
            .for_each(|(&row, value)| by_row[row] = *value);
        by_row
    }

    /// What corrections take; none when there is nothing to solve for.
    pub fn corrections(&self) -> Option<Corrections> {
        match &self.factors {
            Factors::None => None,
            Factors::Blocks(blocks) => Some(Corrections::Blocks(blocks.clone(), self.jacobian.clone())),
            Factors::Dense(_) => {
                let inverse = Self::matrix(&self.hessian, &self.jacobian, &self.rows).try_inverse()?;
                let frozen = Frozen::of(inverse.nrows(), inverse.transpose().as_slice().to_vec());
                Some(Corrections::Dense(frozen))
            }
        }
    }
}

/// mu with C^T mu nearest to a vector, by rows of C; zero for other rows. None where that is not determined.
pub(super) fn nearest_combination(jacobian: &Sparse, rows: &[usize], vector: &DVector<f64>) -> Option<Vec<f64>> {
    let n = vector.len();
    let mut multipliers = vec![0.0; jacobian.len()];
    if rows.is_empty() {
        return Some(multipliers);
    }
    if n >= MANY {
        let system = System::over(Sparse::identity(n), jacobian.clone(), rows.to_vec())?;
        let (_, mu) = system.solve(vector, |_| 0.0)?;
        rows.iter().zip(mu.iter()).for_each(|(&row, mu)| multipliers[row] = *mu);
        return Some(multipliers);
    }
    // Of unit rows, whatever their units.
    let lengths: Vec<f64> = rows
        .iter()
        .map(|&row| row_length(jacobian.row(row).square().sqrt()))
        .collect();
    let mut unit = DMatrix::zeros(n, rows.len());
    for (k, &row) in rows.iter().enumerate() {
        for (j, value) in jacobian.row(row).entries() {
            unit[(j, k)] = value / lengths[k];
        }
    }
    let found = unit.svd(true, true).solve(vector, 1e-14).ok()?;
    for (k, &row) in rows.iter().enumerate() {
        multipliers[row] = found[k] / lengths[k];
    }
    Some(multipliers)
}
