//! First and second derivatives of numbers by the parameters, carried through expressions by dual numbers.

use std::collections::BTreeSet;

use crate::scalar::{Dual, Dual64};

/// Pairs of a parameter and a non-zero derivative, ascending.
pub(super) type Gradient = Vec<(usize, f64)>;

/// Derivatives of a number by the parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Derivatives {
    /// Of first order.
    pub gradient: Gradient,
    /// Of second order: non-zero ones by two parameters, the second not before the first.
    pub curvature: Vec<(usize, usize, f64)>,
}

/// A value with its derivatives.
pub(super) type Known<'a> = (f64, &'a Derivatives);

impl Derivatives {
    fn slope(&self, p: usize) -> f64 {
        self.gradient.iter().find(|(i, _)| *i == p).map_or(0.0, |found| found.1)
    }

    fn bend(&self, p: usize, r: usize) -> f64 {
        let found = self.curvature.iter().find(|(i, j, _)| (*i, *j) == (p, r));
        found.map_or(0.0, |found| found.2)
    }

    /// Adds a derivative by a parameter.
    pub(super) fn push(&mut self, p: usize, slope: f64) {
        if slope != 0.0 {
            self.gradient.push((p, slope));
        }
    }

    /// Adds a derivative by two parameters.
    pub(super) fn push_second(&mut self, (p, r): (usize, usize), bend: f64) {
        if bend != 0.0 {
            self.curvature.push((p, r, bend));
        }
    }

    /// Of the sum of factor times number.
    pub(super) fn combination(terms: &[(f64, &Self)]) -> Self {
        let all: Vec<Known> = terms.iter().map(|(_, term)| (0.0, *term)).collect();
        let mut sum = Self::default();
        let support = support(&all);
        for &p in &support {
            sum.push(p, terms.iter().map(|(factor, term)| factor * term.slope(p)).sum());
        }
        for (p, r) in pairs(&support) {
            sum.push_second(
                (p, r),
                terms.iter().map(|(factor, term)| factor * term.bend(p, r)).sum(),
            );
        }
        sum
    }
}

/// The parameters that any of these numbers depend on, ascending.
pub(super) fn support(known: &[Known]) -> Vec<usize> {
    let of = |(_, derivatives): &Known| derivatives.gradient.iter().map(|(p, _)| *p).collect::<Vec<_>>();
    known.iter().flat_map(of).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Pairs of parameters, the second not before the first.
pub(super) fn pairs(support: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    let rest = move |i: usize| support[i..].iter().map(move |r| (support[i], *r));
    (0..support.len()).flat_map(rest)
}

/// A number with its derivative by a parameter.
pub(super) fn along((value, derivatives): &Known, p: usize) -> Dual64 {
    Dual64::new(*value, derivatives.slope(p))
}

/// A number with its derivatives by two parameters and both.
pub(super) fn across((value, derivatives): &Known, (p, r): (usize, usize)) -> Dual<Dual64> {
    let by_r = Dual64::new(derivatives.slope(r), derivatives.bend(p, r));
    Dual::new(Dual64::new(*value, derivatives.slope(p)), by_r)
}
