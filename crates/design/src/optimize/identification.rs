//! What measured data say about parameters: standard errors, correlations, and what they cannot tell apart.
//!
//! At the best point the residuals r are taken as linear in the parameters, r + J dp, with independent errors of unit
//! variance: then the estimates have the covariance (J^T J)^-1 (Bard, Nonlinear Parameter Estimation, 1974, 7.5). Columns
//! of J are divided by their lengths, so that units do not matter; singular values of what is left that vanish belong to
//! changes of the parameters that the data do not see.

use nalgebra::{DMatrix, DVector};

use super::design::Residuals;
use crate::scene::compiled::DesignVariable;

/// Singular values below this part of the largest one are zero: derivatives of simulations are not more accurate.
const RANK: f64 = 1e-7;

/// A parameter that changes no residual by more than this part of what the most influential one does, each by its scale,
/// has no influence.
const IDLE: f64 = 1e-10;

/// Part of an unseen change, along unit vectors, that a parameter may have and count as seen all the same.
const SEEN: f64 = 1e-5;

/// Parts of an unseen change that are not worth a mention.
const MENTIONED: f64 = 1e-3;

/// Where the standard deviations of the data come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Deviations {
    /// They were given.
    Given,
    /// Estimated from the residuals: the factor sqrt(chi^2 / degrees of freedom) on those that the weights imply.
    Estimated(f64),
    /// Neither given nor to be estimated: no degree of freedom is left.
    Unknown,
}

/// A change of the parameters that the data do not see.
#[derive(Clone, Debug, PartialEq)]
pub struct Unseen {
    /// Changes by variable, in its scale, the largest of size 1; only those worth a mention.
    pub changes: Vec<(String, f64)>,
}

/// What the data say about the variables at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Identification {
    /// Names of the variables.
    pub variables: Vec<String>,
    /// Sum of the squared weighted residuals.
    pub chi_squared: f64,
    /// Number of residuals less the number of combinations that they determine.
    pub degrees_of_freedom: usize,
    /// Where the standard deviations come from.
    pub deviations: Deviations,
    /// By variable, in its unit; none where the data do not determine it, or the deviations are unknown.
    pub standard_errors: Vec<Option<f64>>,
    /// By pairs of variables; none where one of them is not determined.
    pub correlations: Vec<Vec<Option<f64>>>,
    /// Singular values of the scaled Jacobian, falling; zeros for variables without influence are left out.
    pub singular_values: Vec<f64>,
    /// What the data do not see.
    pub unseen: Vec<Unseen>,
}

impl Unseen {
    /// Whether it is a single variable that the data do not depend on.
    pub fn is_single(&self) -> bool {
        self.changes.len() == 1
    }

    /// Why something is not determined.
    pub fn reason(&self) -> String {
        let change = |(name, change): &(String, f64)| format!("{change:+.4} {name}");
        match self.changes.as_slice() {
            [(name, _)] => format!("{name} is not determined: no measured value changes with it"),
            changes => {
                let list: Vec<String> = changes.iter().map(change).collect();
                format!(
                    "not determined together: a change by {} (in their scales) changes no measured value",
                    list.join(", ")
                )
            }
        }
    }
}

/// What finite residuals say about the variables; `known` tells whether their standard deviations are one.
pub fn identify(residuals: &Residuals, variables: &[DesignVariable], known: bool) -> Identification {
    let lengths = column_lengths(residuals, variables.len());
    let active = influential(&lengths, variables);
    let spectrum = Spectrum::new(residuals, &lengths, &active);
    let chi_squared: f64 = residuals.values.iter().map(|r| r * r).sum();
    let degrees_of_freedom = residuals.values.len().saturating_sub(spectrum.rank);
    let deviations = match (known, degrees_of_freedom) {
        (true, _) => Deviations::Given,
        (false, 0) => Deviations::Unknown,
        (false, freedom) => Deviations::Estimated((chi_squared / freedom as f64).sqrt()),
    };
    let column = |i: usize| active.iter().position(|k| *k == i);
    let covariance =
        |i: usize, j: usize| Some(spectrum.covariance(column(i)?, column(j)?)? / (lengths[i] * lengths[j]));
    let factor = match deviations {
        Deviations::Given => Some(1.0),
        Deviations::Estimated(factor) => Some(factor),
        Deviations::Unknown => None,
    };
    let all = 0..variables.len();
    let correlation = |i: usize, j: usize| Some(covariance(i, j)? / (covariance(i, i)? * covariance(j, j)?).sqrt());
    let correlations = |i: usize| all.clone().map(|j| correlation(i, j)).collect();
    Identification {
        variables: variables.iter().map(|variable| variable.name.clone()).collect(),
        chi_squared,
        degrees_of_freedom,
        deviations,
        standard_errors: all.clone().map(|i| Some(factor? * covariance(i, i)?.sqrt())).collect(),
        correlations: all.clone().map(correlations).collect(),
        unseen: unseen(&spectrum, &lengths, &active, variables),
        singular_values: spectrum.values,
    }
}

/// Lengths of the columns of the Jacobian.
fn column_lengths(residuals: &Residuals, count: usize) -> Vec<f64> {
    let column = |k: usize| residuals.jacobian.iter().map(move |row| row[k]);
    (0..count)
        .map(|k| column(k).fold(0.0, |length: f64, slope| length.hypot(slope)))
        .collect()
}

/// The variables that change a residual at all.
fn influential(lengths: &[f64], variables: &[DesignVariable]) -> Vec<usize> {
    let influence = |k: usize| lengths[k] * variables[k].scale;
    let largest = (0..lengths.len()).map(influence).fold(0.0, f64::max);
    (0..lengths.len()).filter(|&k| influence(k) > IDLE * largest).collect()
}

/// Singular values and right singular vectors of the Jacobian with columns of length one.
struct Spectrum {
    /// Falling; as many as there are columns.
    values: Vec<f64>,
    vectors: Vec<DVector<f64>>,
    /// Singular values that count as different from zero.
    rank: usize,
}

impl Spectrum {
    fn new(residuals: &Residuals, lengths: &[f64], active: &[usize]) -> Self {
        let (rows, columns) = (residuals.values.len(), active.len());
        if columns == 0 {
            return Self {
                values: Vec::new(),
                vectors: Vec::new(),
                rank: 0,
            };
        }
        // Rows of zeros change no singular value, and give as many vectors as there are columns.
        let scaled = |i: usize, j: usize| {
            let row = residuals.jacobian.get(i);
            row.map_or(0.0, |row| row[active[j]] / lengths[active[j]])
        };
        let found = DMatrix::from_fn(rows.max(columns), columns, scaled).svd(false, true);
        let rows = found.v_t.iter().flat_map(|rows| rows.row_iter());
        let pairs = found.singular_values.iter().zip(rows);
        let mut pairs: Vec<(f64, DVector<f64>)> = pairs.map(|(value, row)| (*value, row.transpose())).collect();
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (values, vectors): (Vec<f64>, Vec<DVector<f64>>) = pairs.into_iter().unzip();
        let least = RANK * values.first().copied().unwrap_or(0.0);
        Self {
            rank: values.iter().filter(|value| **value > least).count(),
            values,
            vectors,
        }
    }

    /// Entry of (J^T J)^-1; none when the data do not determine one of the two columns.
    fn covariance(&self, a: usize, b: usize) -> Option<f64> {
        let (seen, unseen) = self.vectors.split_at(self.rank);
        let tells = |vector: &DVector<f64>| vector[a].abs() <= SEEN && vector[b].abs() <= SEEN;
        let terms = seen.iter().zip(&self.values);
        let sum = terms
            .map(|(vector, value)| vector[a] * vector[b] / (value * value))
            .sum();
        unseen.iter().all(tells).then_some(sum)
    }
}

/// Variables without influence, then combinations that the residuals do not change with.
fn unseen(spectrum: &Spectrum, lengths: &[f64], active: &[usize], variables: &[DesignVariable]) -> Vec<Unseen> {
    let idle = (0..variables.len()).filter(|k| !active.contains(k));
    let mut found: Vec<Unseen> = idle
        .map(|k| Unseen {
            changes: vec![(variables[k].name.clone(), 1.0)],
        })
        .collect();
    for vector in &spectrum.vectors[spectrum.rank..] {
        let change = |(j, &k): (usize, &usize)| (k, vector[j] / (lengths[k] * variables[k].scale));
        let changes: Vec<(usize, f64)> = active.iter().enumerate().map(change).collect();
        let largest = changes.iter().map(|(_, change)| *change).fold(0.0, larger);
        let mentioned = changes
            .iter()
            .filter(|(_, change)| (change / largest).abs() >= MENTIONED);
        found.push(Unseen {
            changes: mentioned
                .map(|(k, change)| (variables[*k].name.clone(), change / largest))
                .collect(),
        });
    }
    found
}

/// The one of the larger size.
fn larger(a: f64, b: f64) -> f64 {
    if b.abs() > a.abs() { b } else { a }
}
