//! The matrices sigma - F_x of implicit methods, from F_x in descriptor form (theory, 8.3), and those of differential-algebraic
//! equations.
//!
//! With M da - C^T dlambda = -(K_q dq + K_v dv) and C da = -(A_q dq + A_v dv) the accelerations are never solved for: in
//! (sigma - F_x) x = r they are sigma dv - r_v, and dq is (dv + r_q)/sigma. What is left has the pattern of the saddle
//! matrix widened by the forces. Where q' = v - u with M u = C^T w and C u = c', p = v - u is solved for beside v.

mod equations;

use nalgebra::ComplexField;

use super::block_lu::{BlockLu, Halves};
use super::{Descriptor, Form, Row, Sparse};

/// Factors of sigma - F_x, real or complex.
#[derive(Clone, Debug, Default)]
pub struct Shifted<T> {
    lu: Option<BlockLu<T>>,
    /// Patterns that the factors were analysed for, with the unknowns of each coordinate.
    patterns: (Sparse, Sparse, usize),
    sigma: T,
    /// Entries of the matrix, as [`Halves`].
    first: Vec<T>,
    rows: Vec<T>,
    columns: Vec<T>,
    /// Right-hand sides and solutions.
    x: Vec<T>,
}

impl<T: ComplexField<RealField = f64> + Copy> Shifted<T> {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let entries = self.lu.as_ref().map_or(0, BlockLu::entries);
        (entries + self.first.len() + 2 * self.rows.len() + self.x.len()) * size_of::<T>()
    }

    /// Factors sigma less the derivative; false if that is singular. Allocates only for a pattern that is not that of the last call.
    pub fn factor(&mut self, of: &Descriptor, sigma: T) -> bool {
        self.analyse(of);
        self.sigma = if of.of_costates { -sigma } else { sigma };
        self.load_coordinates(of);
        self.load_rows(of);
        self.add_touching(of);
        let halves = Halves {
            first: &self.first,
            rows: &self.rows,
            columns: &self.columns,
            compliance: T::from_real(of.compliance),
        };
        self.lu.as_mut().is_some_and(|lu| lu.factor(halves))
    }

    fn analyse(&mut self, of: &Descriptor) {
        let width = of.width();
        let (mass, rows, analysed) = &self.patterns;
        if self.lu.is_some() && *analysed == width && mass.has_pattern_of(&of.mass) && rows.has_pattern_of(&of.rows) {
            return;
        }
        self.patterns = (of.mass.clone(), of.rows.clone(), width);
        let (first, rows) = (
            Descriptor::widened(&of.mass, width),
            Descriptor::widened(&of.rows, width),
        );
        self.lu = Some(BlockLu::new(&first, &rows));
        self.x = vec![T::zero(); first.len() + rows.len()];
    }

    /// Writes the rows of p, if there is one, and v for each coordinate.
    fn load_coordinates(&mut self, of: &Descriptor) {
        let (s, inverse) = (self.sigma, self.sigma.recip());
        let real = T::from_real;
        self.first.clear();
        for i in 0..of.coordinates() {
            let mass = of.mass.row(i).values;
            let [by_q, by_v] = [&of.force[0], &of.force[1]].map(|matrix| matrix.row(i).values);
            let entries = mass.iter().zip(by_q).zip(by_v);
            let entries = entries.map(|((m, q), v)| (real(*m), inverse * real(*q), s * real(*m) + real(*v)));
            match of.form {
                Form::Plain | Form::Index3 => self.first.extend(entries.map(|(_, q, v)| q + v)),
                Form::Corrected | Form::Stabilized => {
                    let unit = of
                        .mass
                        .row(i)
                        .columns
                        .iter()
                        .map(|&j| if i == j { T::one() } else { T::zero() });
                    match of.form {
                        Form::Stabilized => self.first.extend(unit.flat_map(|one| [-one, one])),
                        _ => self.first.extend(entries.clone().flat_map(|(m, ..)| [-m, m])),
                    }
                    self.first.extend(entries.flat_map(|(_, q, v)| [q, v]));
                }
            }
        }
    }

    /// Writes the rows, and the columns, of w, if there is one, and lambda for each row of C.
    fn load_rows(&mut self, of: &Descriptor) {
        let (s, inverse) = (self.sigma, self.sigma.recip());
        let real = T::from_real;
        self.rows.clear();
        self.columns.clear();
        for k in 0..of.rows.len() {
            let [by_q, by_v] = [&of.acceleration[0], &of.acceleration[1]].map(|matrix| matrix.row(k).values);
            let entries = of.rows.row(k).values.iter().zip(by_q).zip(by_v);
            let entries = entries.map(|((c, q), v)| (real(*c), inverse * real(*q), s * real(*c) + real(*v)));
            let columns = entries.clone().map(|(c, ..)| c);
            let rates = of.rate.row(k).values.iter().map(|rate| real(*rate));
            match of.form {
                Form::Plain => self.rows.extend(entries.map(|(_, q, v)| q + v)),
                Form::Index3 => self.rows.extend(columns.clone().map(|c| s * c)),
                Form::Corrected => {
                    let corrected = columns.clone().zip(rates);
                    self.rows
                        .extend(corrected.flat_map(|(c, rate)| [c + inverse * rate, T::zero()]));
                    self.rows.extend(entries.flat_map(|(_, q, v)| [q, v]));
                }
                Form::Stabilized => {
                    self.rows.extend(columns.clone().flat_map(|c| [c, T::zero()]));
                    self.rows
                        .extend(columns.clone().zip(rates).flat_map(|(c, rate)| [rate, s * c]));
                }
            }
            if of.width() > 1 {
                self.columns.extend(columns.clone().flat_map(|c| [c, T::zero()]));
                self.columns.extend(columns.flat_map(|c| [T::zero(), c]));
            } else {
                self.columns.extend(columns);
            }
        }
    }

    /// Adds alpha C^T times the rows that touch coordinates without inertia, their compliance included.
    fn add_touching(&mut self, of: &Descriptor) {
        let (width, alpha) = (of.width(), of.touching.1);
        let kept = T::from_real(1.0 - alpha * of.compliance);
        for &k in &of.touching.0 {
            let (from, columns) = (width * width * of.rows.start(k), of.rows.row(k).columns);
            let across = from..from + width * width * columns.len();
            self.columns[across].iter_mut().for_each(|entry| *entry *= kept);
            for (i, factor) in of.rows.row(k).entries() {
                let (to, length) = (width * width * of.mass.start(i), of.mass.row(i).columns.len());
                for (position, &j) in columns.iter().enumerate() {
                    let Some(place) = of.mass.row(i).columns.iter().position(|&column| column == j) else {
                        continue;
                    };
                    for a in 0..width {
                        let factor = T::from_real(alpha * factor * sign(width, a));
                        for b in 0..width {
                            let value = self.rows[from + width * (a * columns.len() + position) + b];
                            self.first[to + width * (a * length + place) + b] += factor * value;
                        }
                    }
                }
            }
        }
    }

    /// Adds alpha C^T times the right-hand sides of the rows to those of the coordinates, or the transposed of that.
    fn carry_touching(&mut self, of: &Descriptor, transposed: bool) {
        let (width, alpha) = (of.width(), of.touching.1);
        let bottom = width * of.coordinates();
        for &k in &of.touching.0 {
            for (i, factor) in of.rows.row(k).entries() {
                for a in 0..width {
                    let factor = T::from_real(alpha * factor * sign(width, a));
                    let (low, high) = (bottom + width * k + a, width * i + a);
                    let (to, from) = if transposed { (low, high) } else { (high, low) };
                    let value = self.x[from];
                    self.x[to] += factor * value;
                }
            }
        }
    }

    /// b <- A^-1 b with the matrix that was factored: (sigma - F_x)^-1 b, or (sigma + F_x^T)^-1 b.
    pub fn solve(&mut self, of: &Descriptor, b: &mut [T]) {
        let (motion, memory) = b.split_at_mut(2 * of.coordinates() + of.integrands.len());
        let inverse = self.sigma.recip();
        let length = motion.len().max(1);
        if of.of_costates {
            self.solve_transposed(of, motion);
            for (w, column) in memory.iter_mut().zip(of.memory.chunks_exact(length)) {
                *w = inverse * (*w + dot(column, motion));
            }
            b.iter_mut().for_each(|value| *value = -*value);
        } else {
            for (w, column) in memory.iter_mut().zip(of.memory.chunks_exact(length)) {
                *w *= inverse;
                super::pairs(motion, column, |slot, slope| *slot += *w * T::from_real(*slope));
            }
            self.solve_plain(of, motion);
        }
    }

    fn solve_plain(&mut self, of: &Descriptor, b: &mut [T]) {
        let (nv, width, inverse) = (of.coordinates(), of.width(), self.sigma.recip());
        let (motion, z) = b.split_at_mut(2 * nv);
        let (q, v) = motion.split_at_mut(nv);
        q.iter_mut().for_each(|value| *value *= inverse);
        self.x.fill(T::zero());
        let own = width - 1;
        for i in 0..nv {
            let value = product(of.mass.row(i), v) - product(of.force[0].row(i), q);
            self.x[width * i + own] = value;
        }
        let bottom = width * nv;
        for k in 0..of.rows.len() {
            let value = product(of.rows.row(k), v) - product(of.acceleration[0].row(k), q);
            if of.form == Form::Corrected {
                self.x[bottom + width * k] = -product(of.rate.row(k), q);
            }
            self.x[bottom + width * k + own] = value;
        }
        self.carry_touching(of, false);
        if let Some(lu) = &mut self.lu {
            lu.solve(&mut self.x);
        }
        for i in 0..nv {
            q[i] += inverse * self.x[width * i];
            v[i] = self.x[width * i + own];
        }
        for (k, z) in z.iter_mut().enumerate() {
            *z = inverse * (*z + product(of.integrands.row(k), motion));
        }
    }

    fn solve_transposed(&mut self, of: &Descriptor, b: &mut [T]) {
        let (nv, width, inverse) = (of.coordinates(), of.width(), self.sigma.recip());
        let (motion, z) = b.split_at_mut(2 * nv);
        for (k, z) in z.iter_mut().enumerate() {
            *z *= inverse;
            add(of.integrands.row(k), *z, motion);
        }
        let (q, v) = motion.split_at_mut(nv);
        q.iter_mut().for_each(|value| *value *= inverse);
        self.x.fill(T::zero());
        let own = width - 1;
        for i in 0..nv {
            self.x[width * i] = q[i];
            self.x[width * i + own] += v[i];
        }
        if let Some(lu) = &mut self.lu {
            lu.solve_transposed(&mut self.x);
        }
        self.carry_touching(of, true);
        v.fill(T::zero());
        for i in 0..nv {
            let weight = self.x[width * i + own];
            add(of.mass.row(i), weight, v);
            add(of.force[0].row(i), -inverse * weight, q);
        }
        let bottom = width * nv;
        for k in 0..of.rows.len() {
            let weight = self.x[bottom + width * k + own];
            add(of.rows.row(k), weight, v);
            add(of.acceleration[0].row(k), -inverse * weight, q);
            if of.form == Form::Corrected {
                add(of.rate.row(k), -inverse * self.x[bottom + width * k], q);
            }
        }
    }
}

/// The sign of M in the first equation of an unknown: p has -M.
fn sign(width: usize, unknown: usize) -> f64 {
    if unknown + 1 == width { 1.0 } else { -1.0 }
}

fn product<T: ComplexField<RealField = f64> + Copy>(row: Row, x: &[T]) -> T {
    row.entries()
        .fold(T::zero(), |sum, (j, value)| sum + x[j] * T::from_real(value))
}

fn dot<T: ComplexField<RealField = f64> + Copy>(row: &[f64], x: &[T]) -> T {
    let products = row.iter().zip(x).map(|(value, x)| *x * T::from_real(*value));
    products.fold(T::zero(), |sum, value| sum + value)
}

fn add<T: ComplexField<RealField = f64> + Copy>(row: Row, factor: T, y: &mut [T]) {
    for (j, value) in row.entries() {
        y[j] += factor * T::from_real(value);
    }
}
