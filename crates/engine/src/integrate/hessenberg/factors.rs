//! Factors of `sigma M + J` for the eigenvalues `sigma` of a step: one real matrix, and one complex for every pair.
//!
//! Rates are as large as what they are rates of over the step size, and forces as large as rates over it. The matrices are
//! factored for unknowns and equations of one size (Petzold and Loetstedt, SIAM J. Sci. Stat. Comput. 7, 1986), so that pivots
//! are chosen well however short the step is.

use nalgebra::Complex;

use super::system::{Hessenberg, StagePoint, Structure};
use crate::error::Result;
use crate::integrate::tableau::{ByEigenvalue, Tableau};
use crate::linear::{Descriptor, Lu, Shifted, dot};

/// Matrices of one linear system over all stages, `M dX/dt + J dX`, with their factors.
#[derive(Clone, Debug)]
pub(super) struct Factors {
    n: usize,
    /// Complex eigenvalues of the method.
    pairs: usize,
    /// Sparse ones where the equations offer them, else dense ones.
    sparse: Option<Box<Sparse>>,
    dense: Option<Box<Dense>>,
    /// Right-hand sides.
    b: Vec<f64>,
    rotated: Vec<Complex<f64>>,
}

/// Row-major matrices.
#[derive(Clone, Debug)]
struct Dense {
    n: usize,
    mass: Vec<f64>,
    jacobian: Vec<f64>,
    real: Lu<f64>,
    complex: Vec<Lu<Complex<f64>>>,
    /// Powers of the step size that rows are multiplied with and columns divided by; written by `balance`.
    powers: [Vec<i32>; 2],
    /// Those factors of the rows and columns of the current factors.
    scales: [Vec<f64>; 2],
}

/// Matrices in descriptor form, which needs no balance: no pivot is chosen by size.
#[derive(Clone, Debug, Default)]
struct Sparse {
    descriptor: Descriptor,
    real: Shifted<f64>,
    complex: Vec<Shifted<Complex<f64>>>,
}

impl Factors {
    /// For systems of `n` unknowns, without room for the matrices before a system is known.
    pub fn new(n: usize, tableau: &Tableau) -> Self {
        Self {
            n,
            pairs: tableau.pairs.len(),
            sparse: None,
            dense: None,
            b: vec![0.0; n],
            rotated: vec![Complex::default(); n],
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let sparse = self.sparse.as_ref().map_or(0, |sparse| {
            let complex = sparse.complex.iter().map(Shifted::bytes).sum::<usize>();
            sparse.descriptor.bytes() + sparse.real.bytes() + complex
        });
        let entries = self.dense.as_ref().map_or(0, |dense| dense.mass.len());
        sparse + (3 + 2 * self.pairs) * entries * size_of::<f64>()
    }

    /// Evaluates the matrices of the equations at a point.
    pub fn linearize(&mut self, system: &mut dyn Hessenberg, point: &StagePoint, structure: &Structure) -> Result<()> {
        if system.has_descriptor() {
            let sparse = self.sparse.get_or_insert_default();
            if system.descriptor(point, &mut sparse.descriptor)? {
                return Ok(());
            }
        }
        self.sparse = None;
        let dense = self.dense();
        system.linearize(point, &mut dense.mass, &mut dense.jacobian)?;
        dense.balance(structure);
        Ok(())
    }

    /// Dense matrices, to be written.
    fn dense(&mut self) -> &mut Dense {
        let (n, pairs) = (self.n, self.pairs);
        self.dense.get_or_insert_with(|| Box::new(Dense::new(n, pairs)))
    }

    /// Factors for a step of size `h`; false if a matrix is singular.
    pub fn factor(&mut self, tableau: &Tableau, h: f64) -> bool {
        let sigmas = tableau.pairs.iter().map(|pair| pair.eigenvalue / h);
        let Some(sparse) = &mut self.sparse else {
            return self.dense().factor(tableau, h);
        };
        let Sparse {
            descriptor,
            real,
            complex,
        } = &mut **sparse;
        complex.resize_with(self.pairs, Shifted::default);
        let mut pairs = complex.iter_mut().zip(sigmas);
        real.factor(descriptor, tableau.gamma / h) && pairs.all(|(factors, sigma)| factors.factor(descriptor, sigma))
    }

    /// Writes what the residuals of all stages ask to be subtracted from the unknowns of all stages; stage i at i * n.
    pub fn solve(&mut self, tableau: &Tableau, residuals: &[f64], increments: &mut [f64]) {
        let (mut b, mut rotated) = (std::mem::take(&mut self.b), std::mem::take(&mut self.rotated));
        tableau.solve(residuals, increments, (&mut b, &mut rotated), |by| match by {
            ByEigenvalue::Real(b) => self.solve_real(b),
            ByEigenvalue::Complex(pair, b) => self.solve_complex(pair, b),
        });
        (self.b, self.rotated) = (b, rotated);
    }

    /// Writes M times the rates of as many leading unknowns as there are.
    pub fn times_mass(&self, rates: &[f64], out: &mut [f64]) {
        if let Some(sparse) = &self.sparse {
            sparse.descriptor.times_inertia(rates, out);
        } else if let Some(dense) = &self.dense {
            for (slot, row) in out.iter_mut().zip(dense.mass.chunks_exact(self.n.max(1))) {
                *slot = dot(&row[..rates.len()], rates);
            }
        }
    }

    /// Turns e (`n` entries) into `(sigma M + J)^-1 sigma M e` with the real `sigma`.
    pub fn filter(&mut self, tableau: &Tableau, h: f64, e: &mut [f64]) {
        let mut b = std::mem::take(&mut self.b);
        self.times_mass(e, &mut b);
        for (e, b) in e.iter_mut().zip(&b) {
            *e = b * tableau.gamma / h;
        }
        self.b = b;
        self.solve_real(e);
    }

    /// Solves in place with the matrix of the real eigenvalue.
    fn solve_real(&mut self, b: &mut [f64]) {
        if let Some(sparse) = &mut self.sparse {
            sparse.real.solve_equations(&sparse.descriptor, b);
        } else if let Some(dense) = &mut self.dense {
            scale_by(b, &dense.scales[0]);
            dense.real.solve(b);
            scale_by(b, &dense.scales[1]);
        }
    }

    /// Solves in place with the matrix of a complex eigenvalue.
    fn solve_complex(&mut self, pair: usize, b: &mut [Complex<f64>]) {
        if let Some(sparse) = &mut self.sparse {
            sparse.complex[pair].solve_equations(&sparse.descriptor, b);
        } else if let Some(dense) = &mut self.dense {
            scale_by(b, &dense.scales[0]);
            dense.complex[pair].solve(b);
            scale_by(b, &dense.scales[1]);
        }
    }
}

impl Dense {
    fn new(n: usize, pairs: usize) -> Self {
        Self {
            n,
            mass: vec![0.0; n * n],
            jacobian: vec![0.0; n * n],
            real: Lu::new(n),
            complex: vec![Lu::new(n); pairs],
            powers: [vec![0; n], vec![0; n]],
            scales: [vec![1.0; n], vec![1.0; n]],
        }
    }

    /// Finds the powers of the matrices of a system: a rate counts times the step size, its equation times the square, and a
    /// multiplier or a constraint as much as the largest of what it acts on.
    fn balance(&mut self, structure: &Structure) {
        let (n, coupled) = (self.n, structure.coupled);
        let [rows, columns] = &mut self.powers;
        for (j, (row, column)) in rows.iter_mut().zip(columns.iter_mut()).enumerate().take(coupled) {
            *column = i32::from(structure.rates.contains(&j));
            *row = *column + 1;
        }
        let acts = |row: usize, column: usize| self.jacobian[row * n + column] != 0.0;
        for k in coupled..n {
            let acted_on = (0..coupled).filter(|&i| acts(i, k)).map(|i| rows[i]).max();
            let constrained = (0..coupled).filter(|&j| acts(k, j)).map(|j| columns[j]).max();
            (rows[k], columns[k]) = (constrained.unwrap_or(0), acted_on.unwrap_or(0));
        }
    }

    /// Factors for a step of size `h`; false if a matrix is singular.
    fn factor(&mut self, tableau: &Tableau, h: f64) -> bool {
        let n = self.n;
        // A power of two, which adds no rounding.
        let unit = h.abs().log2().round().exp2();
        for ((scales, powers), sign) in self.scales.iter_mut().zip(&self.powers).zip([1, -1]) {
            for (scale, power) in scales.iter_mut().zip(powers) {
                *scale = unit.powi(sign * power);
            }
        }
        let [rows, columns] = &self.scales;
        let entry = |row: usize, column: usize| {
            let scale = rows[row] * columns[column];
            (
                scale * self.mass[row * n + column],
                scale * self.jacobian[row * n + column],
            )
        };
        let sigma = tableau.gamma / h;
        for (index, slot) in self.real.matrix_mut(n).iter_mut().enumerate() {
            let (mass, jacobian) = entry(index / n, index % n);
            *slot = sigma * mass + jacobian;
        }
        for (lu, pair) in self.complex.iter_mut().zip(&tableau.pairs) {
            let sigma = pair.eigenvalue / h;
            for (index, slot) in lu.matrix_mut(n).iter_mut().enumerate() {
                let (mass, jacobian) = entry(index / n, index % n);
                *slot = sigma * mass + jacobian;
            }
        }
        self.real.factor_any().is_ok() && self.complex.iter_mut().all(|lu| lu.factor_any().is_ok())
    }
}

/// Multiplies each entry with a factor of its own.
fn scale_by<T: std::ops::MulAssign<f64>>(entries: &mut [T], factors: &[f64]) {
    for (entry, factor) in entries.iter_mut().zip(factors) {
        *entry *= *factor;
    }
}
