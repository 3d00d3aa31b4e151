//! Motions along one branch of a singular position (theory, 5.6).

use nalgebra::{DMatrix, DVector, RowDVector};

use super::dependence::{Dependence, Rows, joint_names};
use super::redundancy::{BENDS, NEAR, Over, Redundancy, null_space};
use super::system::{dense, free_jacobian, row_length};
use super::velocities::{AGREES, free_velocities, velocity_weights};
use crate::linear::{in_units, independent_rows};
use crate::model::{Departure, Terms};

/// Part of a motion that the held velocities leave open, below which it is rounding.
const FREE: f64 = 1e-9;

/// How far from the start rows are counted and chosen, over the time in which the mechanism moves by its size.
const BESIDE: f64 = 1e-3;

/// Part of a unit row outside the others there: what the branch makes independent is so by about [`BESIDE`], and what is redundant
/// on it by no more than its cube, since the motion is known to second order.
const INDEPENDENT_BESIDE: f64 = 1e-6;

/// A singular position, with the motions that its rows allow to first order.
pub(super) struct Branches<'a> {
    /// Rows over the velocities, with their combinations that vanish there, and the sizes of velocities.
    pub redundancy: Redundancy<'a>,
    sizes: Vec<f64>,
    /// Motions as velocities, by column; orthonormal over the sizes.
    pub motions: DMatrix<f64>,
    /// Combinations that vanish there only, each with w^T c_qq over the motions.
    forms: Vec<(usize, DMatrix<f64>)>,
}

/// What the velocities say about the branches.
pub(super) enum Choice {
    /// They are along one: all of them, how the mechanism leaves with them, and whether the branch decides some.
    One(Vec<f64>, Departure, bool),
    /// They are along none.
    None,
    /// They leave open along which.
    Several,
    /// The position is none that is known to have branches.
    Unknown,
}

impl<'a> Branches<'a> {
    /// Of rows in the mode that acts; none where the position is singular only nearly, or no combination of rows over the
    /// velocities tells the branches.
    pub fn new(rows: Rows<'a>) -> Option<Self> {
        let all: Vec<usize> = (0..rows.model.nv()).collect();
        let redundancy = Redundancy::new(rows, Over::Velocities, all, NEAR);
        if redundancy.singular().next().is_none() || !redundancy.is_exact() {
            return None;
        }
        let motions = redundancy.motions();
        let singular = redundancy.found.iter().enumerate().filter(|(_, (_, regular))| !regular);
        let forms = singular.map(|(k, (w, _))| (k, redundancy.form(w, &motions))).collect();
        Some(Self {
            sizes: redundancy.sizes.clone(),
            redundancy,
            motions,
            forms,
        })
    }

    /// The combinations that vanish there only, each with the size of its form.
    fn combinations(&self) -> impl Iterator<Item = (&Dependence, f64)> {
        let found = |(k, form): &(usize, DMatrix<f64>)| (&self.redundancy.found[*k].0, form.amax());
        self.forms.iter().map(found)
    }

    /// The largest velocity over the sizes, 1 per second.
    pub fn speed(&self, v: &[f64]) -> f64 {
        let speeds = v.iter().zip(&self.sizes).map(|(v, size)| (v / size).abs());
        speeds.fold(0.0, f64::max)
    }

    /// Motions that no held velocity rules out.
    fn free_motions(&self) -> DMatrix<f64> {
        let free = free_velocities(self.redundancy.rows.model);
        let held: Vec<usize> = (0..self.sizes.len())
            .filter(|j| free.binary_search(j).is_err())
            .collect();
        let mut ruled = self.motions.select_rows(&held);
        for (mut row, &j) in ruled.row_iter_mut().zip(&held) {
            row /= self.sizes[j];
        }
        &self.motions * null_space(ruled, FREE)
    }

    /// Which branch these velocities, as near to zero as the rows and the held ones let them be, are along.
    pub fn choose(&self, v: &[f64]) -> Choice {
        let speed = self.speed(v);
        if speed == 0.0 {
            return Choice::Several;
        }
        let free = speed * self.free_motions();
        let forms: Vec<_> = self
            .combinations()
            .map(|(w, size)| self.affine_form(w, v, &free) / (size * speed * speed))
            .collect();
        let bends = |form: &DMatrix<f64>| form.iter().skip(1).any(|entry| entry.abs() > BENDS);
        let open = forms.iter().any(bends);
        let found: Vec<Vec<f64>> = match &forms[..] {
            _ if !open => {
                let agree = forms.iter().all(|form| form[(0, 0)].abs() <= AGREES);
                Some(v.to_vec()).filter(|_| agree).into_iter().collect()
            }
            [form] => match self.factors(form, v, &free) {
                Some(found) => found,
                None => return Choice::Unknown,
            },
            _ => return Choice::Several,
        };
        let none = found.is_empty();
        let mut along = found.into_iter().filter_map(|v| Some((self.departure(&v)?, v)));
        match (along.next(), along.next()) {
            (Some((departure, v)), None) => Choice::One(v, departure, open),
            _ if none => Choice::None,
            _ => Choice::Several,
        }
    }

    /// w^T c'' over 1 and free motions beside these velocities.
    fn affine_form(&self, w: &Dependence, v: &[f64], free: &DMatrix<f64>) -> DMatrix<f64> {
        let rows = &self.redundancy.rows;
        let across = free.transpose() * w.beside(rows, v);
        let mut form = self.redundancy.form(w, free).insert_row(0, 0.0).insert_column(0, 0.0);
        form[(0, 0)] = w.combined(&rows.along_motion(v)[0]);
        for (i, value) in across.iter().enumerate() {
            (form[(0, i + 1)], form[(i + 1, 0)]) = (*value, *value);
        }
        form
    }

    /// Velocities along the two branches of a form that is the product of two linear ones, as near to zero as they can be; none
    /// of forms that are no such product.
    fn factors(&self, form: &DMatrix<f64>, v: &[f64], free: &DMatrix<f64>) -> Option<Vec<Vec<f64>>> {
        let n = free.ncols();
        let eigen = form.clone().symmetric_eigen();
        let bound = BENDS * eigen.eigenvalues.amax();
        let signed = |sign: f64| {
            let found = (0..=n).filter(|&k| sign * eigen.eigenvalues[k] > bound);
            found.collect::<Vec<_>>()
        };
        let (&[up], &[down]) = (&signed(1.0)[..], &signed(-1.0)[..]) else {
            return None;
        };
        let root = |k: usize| eigen.eigenvectors.column(k) * eigen.eigenvalues[k].abs().sqrt();
        let weight = velocity_weights(self.redundancy.rows.model);
        let mut weighed = free.clone();
        for (j, mut row) in weighed.row_iter_mut().enumerate() {
            row *= weight(j);
        }
        let inverse = (free.transpose() * weighed).try_inverse()?;
        let along = [root(up) + root(down), root(up) - root(down)].map(|factor| {
            let (offset, slope) = (factor[0], factor.rows(1, n).into_owned());
            let step = &inverse * &slope;
            let most = slope.dot(&step);
            let moves = slope.amax() > BENDS * factor.amax() && most > 0.0;
            moves.then(|| {
                let change = free * step * (-offset / most);
                v.iter().zip(&change).map(|(v, change)| v + change).collect()
            })
        });
        Some(along.into_iter().flatten().collect())
    }

    /// Whether a combination of values by row exceeds this share of the size of its form.
    pub fn exceed(&self, values: &[f64], share: f64) -> bool {
        self.combinations()
            .any(|(w, size)| w.combined(values).abs() > share * size)
    }

    /// The largest change of a position over the size of what it is measured in.
    pub fn reach(&self, dq: &[f64]) -> f64 {
        let Rows { model, q, terms, .. } = self.redundancy.rows;
        let extent = model.extent(q, &terms.numbers);
        let [lengths, others] = model.spread(dq, [0.0, 0.0]);
        others.max(if extent > 0.0 { lengths / extent } else { lengths })
    }

    /// The smallest accelerations that the rows allow with these velocities, and further rows with their values.
    pub fn accelerations(&self, v: &[f64], along: &[(Vec<f64>, f64)]) -> Option<Vec<f64>> {
        let Rows { terms, .. } = self.redundancy.rows;
        let all: Vec<usize> = (0..v.len()).collect();
        let own = dense(&free_jacobian(terms, &all), v.len());
        let mut rows = own.clone().resize_vertically(own.nrows() + along.len(), 0.0);
        let mut right = -DVector::from_vec(self.redundancy.rows.along_motion(v)[0].clone());
        right = right.resize_vertically(rows.nrows(), 0.0);
        for (k, (row, value)) in along.iter().enumerate() {
            rows.row_mut(own.nrows() + k).copy_from_slice(row);
            right[own.nrows() + k] = *value;
        }
        for (mut column, size) in rows.column_iter_mut().zip(&self.sizes) {
            column *= *size;
        }
        for (k, mut row) in rows.row_iter_mut().enumerate() {
            let length = row_length(row.norm());
            row /= length;
            right[k] /= length;
        }
        let found = rows.svd(true, true).solve(&right, NEAR).ok()?;
        Some(found.iter().zip(&self.sizes).map(|(a, size)| a * size).collect())
    }

    /// Names of the joints whose rows depend on each other.
    pub fn joints(&self) -> Vec<String> {
        let Rows { model, mode, .. } = self.redundancy.rows;
        joint_names(self.combinations().map(|(w, _)| w), model, mode)
    }

    /// How the mechanism leaves the position with these velocities; none where they are along several branches.
    fn departure(&self, v: &[f64]) -> Option<Departure> {
        let Redundancy { rows, independent, .. } = &self.redundancy;
        let [_, third] = rows.along_motion(v);
        let mut along: Vec<(Vec<f64>, f64)> = Vec::new();
        let mut told: Vec<RowDVector<f64>> = Vec::new();
        let (speed, sizes) = (self.speed(v), DVector::from_column_slice(&self.sizes));
        // How fast the slowest combination leaves its vanishing, 1 per second.
        let mut rate = f64::INFINITY;
        for (w, size) in self.combinations() {
            let row = w.beside(rows, v);
            let opened = self.motions.transpose() * &row;
            told.push((&opened / (speed * size)).transpose());
            if speed == 0.0 || rank(&told) < told.len() {
                told.pop();
                continue;
            }
            rate = rate.min(opened.norm());
            let length = sizes.component_mul(&row).norm();
            let value = -w.combined(&third) / 3.0;
            along.push((row.iter().map(|entry| entry / length).collect(), value / length));
        }
        // Parts that move fast beside a slow singular one do not tell its time.
        let spans = [1.0 / speed, 1.0 / rate].into_iter().filter(|span| span.is_finite());
        let beside = spans.map(|span| Some((span, self.rows_beside(v, span, &along)?)));
        let all = independent.len() + along.len();
        let (span, beside) = beside.flatten().find(|(_, beside)| beside.len() == all)?;
        Some(Departure {
            t: rows.t,
            span,
            joint: self.joints().into_iter().next().unwrap_or_default(),
            independent: independent.clone(),
            along,
            beside,
        })
    }

    /// Rows that are independent a little further along these velocities.
    fn rows_beside(&self, v: &[f64], span: f64, along: &[(Vec<f64>, f64)]) -> Option<Vec<usize>> {
        let Rows { model, mode, t, q, .. } = self.redundancy.rows;
        let (h, a) = (BESIDE * span, self.accelerations(v, along)?);
        let [rates, drift, push] = [
            model.coordinate_rates(q, v),
            model.coordinate_drift(q, v),
            model.coordinate_rates(q, &a),
        ];
        let place = |i: usize| q[i] + h * (rates[i] + 0.5 * h * (drift[i] + push[i]));
        let ahead: Vec<f64> = (0..q.len()).map(place).collect();
        let mut terms = Terms::new(model);
        model.assemble_constraints(t + h, &ahead, v, mode, &mut terms);
        // Elimination by blocks would not tell rows that are independent by this little.
        let rows = dense(&terms.jacobian, v.len()).transpose();
        let rows = in_units(rows.as_slice(), terms.jacobian.units());
        Some(independent_rows(&rows, v.len(), INDEPENDENT_BESIDE))
    }
}

/// Number of independent rows.
fn rank(rows: &[RowDVector<f64>]) -> usize {
    if rows[0].is_empty() {
        return 0;
    }
    DMatrix::from_rows(rows).rank(BENDS)
}
