//! L U of an unsymmetric K = [[A, B], [C, -epsilon]] whose pattern is symmetric, real or complex, by the order and the program of
//! [`BlockLdl`](super::BlockLdl): without pivoting, at a cost that grows with the fill.
//!
//! Both halves of K stand in panels of their own: an entry of L and the one of U across the diagonal have the same place.

use nalgebra::ComplexField;

use super::Sparse;
use super::block_ldl::program::{Program, Step};

/// Factors of K for one pattern of A, with its whole diagonal, and of C and B^T.
#[derive(Clone, Debug)]
pub struct BlockLu<T> {
    program: Program,
    coordinates: usize,
    /// Entries of the panels for those of A, and whether they are above the diagonal.
    first: Vec<(u32, bool)>,
    /// The diagonal with L below it, and U above it by columns; inverse pivots once factored.
    lower: Vec<T>,
    upper: Vec<T>,
    x: Vec<T>,
}

/// Entries of K, each list in the order of its pattern: A, C, and B by columns.
#[derive(Clone, Copy, Debug)]
pub struct Halves<'a, T> {
    /// Entries of A.
    pub first: &'a [T],
    /// Entries of C.
    pub rows: &'a [T],
    /// Entries of B^T.
    pub columns: &'a [T],
    /// epsilon.
    pub compliance: T,
}

impl<T: ComplexField<RealField = f64> + Copy> BlockLu<T> {
    /// Analyses the pattern of A, and of C and B^T.
    pub fn new(first: &Sparse, rows: &Sparse) -> Self {
        let all: Vec<usize> = (0..rows.len()).collect();
        let program = Program::new(first, rows, &all);
        let pairs = (0..first.len()).flat_map(|i| first.row(i).columns.iter().map(move |&j| (i, j)));
        let places = pairs.map(|(i, j)| (program.between(i, j), program.place[i] < program.place[j]));
        Self {
            coordinates: first.len(),
            first: places.collect(),
            lower: vec![T::zero(); program.len],
            upper: vec![T::zero(); program.len],
            x: vec![T::zero(); program.place.len()],
            program,
        }
    }

    /// Entries of the factors, apart from the diagonal's second copy.
    pub fn entries(&self) -> usize {
        self.lower.len() + self.upper.len()
    }

    /// Factors K; false if a pivot is zero or not finite.
    pub fn factor(&mut self, halves: Halves<T>) -> bool {
        self.lower.fill(T::zero());
        self.upper.fill(T::zero());
        for (&(place, is_above), &value) in self.first.iter().zip(halves.first) {
            let half = if is_above { &mut self.upper } else { &mut self.lower };
            half[place as usize] = value;
        }
        // Rows go after the coordinates that they touch.
        for ((&place, &row), &column) in self.program.jacobian.iter().zip(halves.rows).zip(halves.columns) {
            self.lower[place as usize] = row;
            self.upper[place as usize] = column;
        }
        for &place in &self.program.diagonal[self.coordinates..] {
            self.lower[place as usize] = -halves.compliance;
        }
        let Self {
            program, lower, upper, ..
        } = self;
        program.steps.iter().all(|step| {
            let factored = eliminate(step, &mut lower[step.panel..], &mut upper[step.panel..]);
            if factored {
                update(step, program, lower, upper);
            }
            factored
        })
    }

    /// x <- K^-1 x.
    pub fn solve(&mut self, x: &mut [T]) {
        self.sweep(x, false);
    }

    /// x <- K^-T x.
    pub fn solve_transposed(&mut self, x: &mut [T]) {
        self.sweep(x, true);
    }

    fn sweep(&mut self, values: &mut [T], transposed: bool) {
        let Self {
            program,
            lower,
            upper,
            x,
            ..
        } = self;
        for (value, &place) in values.iter().zip(&program.place) {
            x[place as usize] = *value;
        }
        let panel = |step: &Step| {
            let range = step.panel..step.panel + step.k * (step.k + step.u);
            Panel {
                at: step.at,
                k: step.k,
                pivots: &lower[range.clone()],
                down: &if transposed { &*upper } else { &*lower }[range.clone()],
                up: &if transposed { &*lower } else { &*upper }[range],
                below: &program.below[step.below..][..step.u],
            }
        };
        for step in &program.steps {
            panel(step).forward(x, transposed);
        }
        for step in program.steps.iter().rev() {
            panel(step).backward(x, !transposed);
        }
        for (value, &place) in values.iter_mut().zip(&program.place) {
            *value = x[place as usize];
        }
    }
}

/// Factors a panel in place, and makes U of its rows and L of its columns.
// The assigning operators of complex numbers are not inlined.
#[allow(clippy::assign_op_pattern)]
fn eliminate<T: ComplexField<RealField = f64> + Copy>(step: &Step, lower: &mut [T], upper: &mut [T]) -> bool {
    let (k, u) = (step.k, step.u);
    let (low, low_sub) = lower[..k * (k + u)].split_at_mut(k * k);
    let (up, up_sub) = upper[..k * (k + u)].split_at_mut(k * k);
    for j in 0..k {
        let pivot = low[j * k + j];
        if pivot.norm1() == 0.0 || !pivot.norm1().is_finite() {
            return false;
        }
        let inverse = pivot.recip();
        low[j * k + j] = inverse;
        for i in j + 1..k {
            low[i * k + j] = low[i * k + j] * inverse;
        }
        for entry in &mut low_sub[j * u..(j + 1) * u] {
            *entry = *entry * inverse;
        }
        let (low_done, low_rest) = low_sub.split_at_mut((j + 1) * u);
        let (up_done, up_rest) = up_sub.split_at_mut((j + 1) * u);
        for i in j + 1..k {
            let (left, right) = (low[i * k + j], up[i * k + j]);
            for c in j + 1..=i {
                low[i * k + c] = low[i * k + c] - left * up[c * k + j];
            }
            for c in j + 1..i {
                up[i * k + c] = up[i * k + c] - low[c * k + j] * right;
            }
            let range = (i - j - 1) * u..(i - j) * u;
            subtract(&mut low_rest[range.clone()], right, &low_done[j * u..]);
            subtract(&mut up_rest[range], left, &up_done[j * u..]);
        }
    }
    true
}

/// Subtracts from later entries what the elimination of a step leaves there.
// The assigning operators of complex numbers are not inlined.
#[allow(clippy::assign_op_pattern)]
fn update<T: ComplexField<RealField = f64> + Copy>(step: &Step, program: &Program, lower: &mut [T], upper: &mut [T]) {
    let (k, u) = (step.k, step.u);
    let end = step.panel + k * (k + u);
    let (low, later_low) = lower.split_at_mut(end);
    let (up, later_up) = upper.split_at_mut(end);
    let (low, up) = (&low[step.panel + k * k..], &up[step.panel + k * k..]);
    let pairs = (0..u).flat_map(|row| (0..=row).map(move |column| (row, column)));
    for ((row, column), &place) in pairs.zip(&program.updates[step.updates..]) {
        let place = place as usize - end;
        for j in 0..k {
            let (own, other) = (j * u + row, j * u + column);
            later_low[place] = later_low[place] - low[own] * up[other];
            if column < row {
                later_up[place] = later_up[place] - low[other] * up[own];
            }
        }
    }
}

/// `y -= factor x`, as far as y goes.
#[inline]
// The assigning operators of complex numbers are not inlined.
#[allow(clippy::assign_op_pattern)]
fn subtract<T: ComplexField + Copy>(y: &mut [T], factor: T, x: &[T]) {
    super::pairs_within(y, x, |y, x| *y = *y - factor * *x);
}

/// A factored panel, with the triangle that each sweep goes through.
struct Panel<'a, T> {
    at: usize,
    k: usize,
    pivots: &'a [T],
    down: &'a [T],
    up: &'a [T],
    below: &'a [u32],
}

// The assigning operators of complex numbers are not inlined.
#[allow(clippy::assign_op_pattern)]
impl<T: ComplexField<RealField = f64> + Copy> Panel<'_, T> {
    fn forward(&self, x: &mut [T], with_pivots: bool) {
        let (at, k, u) = (self.at, self.k, self.below.len());
        for i in 0..k {
            let mut value = x[at + i];
            for j in 0..i {
                value = value - self.down[i * k + j] * x[at + j];
            }
            if with_pivots {
                value = value * self.pivots[i * k + i];
            }
            x[at + i] = value;
            for (&place, &factor) in self.below.iter().zip(&self.down[k * k + i * u..]) {
                x[place as usize] = x[place as usize] - factor * value;
            }
        }
    }

    fn backward(&self, x: &mut [T], with_pivots: bool) {
        let (at, k, u) = (self.at, self.k, self.below.len());
        for i in (0..k).rev() {
            let mut value = x[at + i];
            for (&place, &factor) in self.below.iter().zip(&self.up[k * k + i * u..]) {
                value = value - factor * x[place as usize];
            }
            for c in i + 1..k {
                value = value - self.up[c * k + i] * x[at + c];
            }
            if with_pivots {
                value = value * self.pivots[i * k + i];
            }
            x[at + i] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Complex;

    use super::{BlockLu, Halves};
    use crate::linear::tests::Random;
    use crate::linear::{Lu, Sparse};

    /// A chain of points with two coordinates each, coupled with their neighbours, and a row for every second link.
    fn patterns(points: usize) -> (Sparse, Sparse) {
        let coordinates = |point: usize| [2 * point, 2 * point + 1];
        let coupled = |i: usize| {
            let point = i / 2;
            (point.saturating_sub(1)..(point + 2).min(points)).flat_map(coordinates)
        };
        let rows = (0..points - 1)
            .step_by(2)
            .map(|a| [a, a + 1].into_iter().flat_map(coordinates));
        (
            Sparse::with_columns((0..2 * points).map(coupled)),
            Sparse::with_columns(rows),
        )
    }

    fn values(pattern: &Sparse, diagonal: f64, random: &mut Random) -> Vec<f64> {
        let of = |i: usize| pattern.row(i).columns.iter().map(move |&j| (i, j));
        let entries = (0..pattern.len()).flat_map(of);
        entries
            .map(|(i, j)| random.unit() + if i == j { diagonal } else { 0.0 })
            .collect()
    }

    #[test]
    fn solutions_are_those_of_a_dense_factorization() {
        let mut random = Random(5);
        for points in [2, 3, 8, 30] {
            let (first, rows) = patterns(points);
            let (nv, n) = (2 * points, 2 * points + rows.len());
            let parts = [
                values(&first, 8.0, &mut random),
                values(&rows, 0.0, &mut random),
                values(&rows, 0.0, &mut random),
            ];
            let mut dense = vec![0.0; n * n];
            let mut matrix = first.clone();
            matrix.values_mut().copy_from_slice(&parts[0]);
            (0..nv).for_each(|i| matrix.row(i).add_to(1.0, &mut dense[i * n..]));
            for (half, values) in [false, true].into_iter().zip(&parts[1..]) {
                let mut matrix = rows.clone();
                matrix.values_mut().copy_from_slice(values);
                for k in 0..rows.len() {
                    for (j, value) in matrix.row(k).entries() {
                        let place = if half { j * n + nv + k } else { (nv + k) * n + j };
                        dense[place] = value;
                    }
                }
            }
            let right: Vec<f64> = (0..n).map(|_| random.unit()).collect();
            for transposed in [false, true] {
                let mut lu = Lu::new(n);
                for (index, slot) in lu.matrix_mut(n).iter_mut().enumerate() {
                    let swapped = index % n * n + index / n;
                    *slot = dense[if transposed { swapped } else { index }];
                }
                lu.factor().unwrap();
                let mut expected = right.clone();
                lu.solve(&mut expected);
                // Times 1 + 2i, which the solutions are divided by.
                let factor = Complex::new(1.0, 2.0);
                let complex = |values: &[f64]| -> Vec<_> { values.iter().map(|x| factor * *x).collect() };
                let complex = [complex(&parts[0]), complex(&parts[1]), complex(&parts[2])];
                let mut sparse = BlockLu::new(&first, &rows);
                assert!(sparse.factor(Halves {
                    first: &complex[0],
                    rows: &complex[1],
                    columns: &complex[2],
                    compliance: Complex::default(),
                }));
                let mut x: Vec<_> = right.iter().map(|x| factor * *x).collect();
                match transposed {
                    false => sparse.solve(&mut x),
                    true => sparse.solve_transposed(&mut x),
                }
                for (x, expected) in x.iter().zip(&expected) {
                    assert!((x.re - expected).abs() < 1e-11 && x.im.abs() < 1e-11, "{x} {expected}");
                }
            }
        }
    }

    #[test]
    fn the_fill_of_a_chain_grows_with_its_length() {
        let size = |points: usize| {
            let (first, rows) = patterns(points);
            BlockLu::<f64>::new(&first, &rows).entries() as f64 / points as f64
        };
        assert!(size(400) < 1.05 * size(100), "{} {}", size(400), size(100));
    }

    #[test]
    fn a_matrix_without_a_pivot_is_refused() {
        let (first, rows) = patterns(3);
        let zeros = [
            vec![0.0; first.values().len()],
            vec![1.0; rows.values().len()],
            vec![1.0; rows.values().len()],
        ];
        let halves = Halves {
            first: &zeros[0],
            rows: &zeros[1],
            columns: &zeros[2],
            compliance: 0.0,
        };
        assert!(!BlockLu::new(&first, &rows).factor(halves));
    }
}
