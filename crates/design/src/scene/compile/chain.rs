//! Second derivatives through chains of parameters, each an expression of those before it.
//!
//! Those of every parameter would fill memory with the cube of their number. So each parameter keeps the derivatives by the
//! parameters that it is an expression of, and those of a number by all are summed when it is read: of every parameter that it is
//! made of, its second derivatives times the slope of the number by it.

use super::derivatives::{self, Derivatives, Gradient, Known};
use crate::expression::Expression;

/// An expression of parameters, with its derivatives by these alone.
#[derive(Default)]
pub(super) struct Link {
    /// The parameters in it.
    pub sources: Vec<usize>,
    /// By the place among these.
    own: Derivatives,
}

impl Link {
    /// The expression of parameters with these values.
    pub(super) fn new(expression: &Expression, sources: Vec<usize>, values: &[f64]) -> Self {
        let alone = |k: usize| {
            let mut derivatives = Derivatives::default();
            derivatives.push(k, 1.0);
            derivatives
        };
        let seeds: Vec<Derivatives> = (0..sources.len()).map(alone).collect();
        let known: Vec<Known> = values.iter().copied().zip(&seeds).collect();
        let (_, [mut own]) = derivatives::evaluate_first(expression, &known);
        own.curvature = expression.curvature(values);
        Self { sources, own }
    }

    /// Second derivatives by all parameters, for the gradients and the links of these.
    pub(super) fn curvature<'g>(
        &self,
        links: &[Self],
        gradient: impl Fn(usize) -> &'g Gradient,
    ) -> Vec<(usize, usize, f64)> {
        let count = self.sources.iter().map(|source| source + 1).max().unwrap_or(0);
        let mut sums = Sums::new(count);
        let mut slopes = vec![0.0; count];
        self.add(1.0, &mut slopes, &mut sums, &gradient);
        for parameter in (0..count).rev() {
            let slope = slopes[parameter];
            if slope != 0.0 {
                links[parameter].add(slope, &mut slopes, &mut sums, &gradient);
            }
        }
        sums.into_list()
    }

    /// Adds the second derivatives and the slopes of a number that has this slope by the link.
    fn add<'g>(&self, slope: f64, slopes: &mut [f64], sums: &mut Sums, gradient: &impl Fn(usize) -> &'g Gradient) {
        for (k, by) in &self.own.gradient {
            slopes[self.sources[*k]] += slope * by;
        }
        for (k, l, second) in &self.own.curvature {
            let (left, right) = (gradient(self.sources[*k]), gradient(self.sources[*l]));
            sums.add(slope * second, left, right);
            if k != l {
                sums.add(slope * second, right, left);
            }
        }
    }
}

/// Sums by two parameters, the second not before the first.
struct Sums {
    count: usize,
    /// Row by row; none as long as all are zero.
    entries: Vec<f64>,
}

impl Sums {
    fn new(count: usize) -> Self {
        Self {
            count,
            entries: Vec::new(),
        }
    }

    fn add(&mut self, factor: f64, left: &Gradient, right: &Gradient) {
        if self.entries.is_empty() {
            self.entries = vec![0.0; self.count * self.count];
        }
        for (p, x) in left {
            let row = &mut self.entries[p * self.count..][..self.count];
            let after = right.partition_point(|(r, _)| r < p);
            for (r, y) in &right[after..] {
                row[*r] += factor * x * y;
            }
        }
    }

    fn into_list(self) -> Vec<(usize, usize, f64)> {
        let (count, entries) = (self.count, self.entries.into_iter().enumerate());
        let kept = entries.filter(|(_, entry)| *entry != 0.0);
        kept.map(|(k, entry)| (k / count, k % count, entry)).collect()
    }
}
