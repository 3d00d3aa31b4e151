//! First and second derivatives of numbers by the parameters, carried through expressions by dual numbers.

use std::collections::BTreeSet;

use crate::expression::Expression;
use crate::scalar::{Dual, Dual64, Scalar};

/// Pairs of a parameter and a non-zero derivative, ascending.
pub(super) type Gradient = Vec<(usize, f64)>;

/// Derivatives of a number by the parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Derivatives {
    /// Of first order.
    pub gradient: Gradient,
    /// Of second order: non-zero ones by two parameters, the second not before the first, ascending.
    pub curvature: Vec<(usize, usize, f64)>,
}

/// A value with its derivatives.
pub(super) type Known<'a> = (f64, &'a Derivatives);

impl Derivatives {
    pub(super) fn slope(&self, p: usize) -> f64 {
        let found = self.gradient.binary_search_by_key(&p, |(i, _)| *i);
        found.map_or(0.0, |k| self.gradient[k].1)
    }

    pub(super) fn second(&self, p: usize, r: usize) -> f64 {
        let found = self.curvature.binary_search_by_key(&(p, r), |(i, j, _)| (*i, *j));
        found.map_or(0.0, |k| self.curvature[k].2)
    }

    /// The change along one of parameters, to the first order that does not vanish.
    pub(super) fn along(&self, change: &[(usize, f64)]) -> f64 {
        let first: f64 = change.iter().map(|(p, by)| self.slope(*p) * by).sum();
        if first != 0.0 {
            return first;
        }
        let of_pair = |(p, by): &(usize, f64), (r, and): &(usize, f64)| self.second(*p.min(r), *p.max(r)) * by * and;
        change
            .iter()
            .flat_map(|one| change.iter().map(move |other| of_pair(one, other)))
            .sum()
    }

    /// Adds a derivative by a parameter.
    pub(super) fn push(&mut self, p: usize, slope: f64) {
        if slope != 0.0 {
            self.gradient.push((p, slope));
        }
    }

    /// Adds a derivative by two parameters.
    fn push_second(&mut self, (p, r): (usize, usize), second: f64) {
        if second != 0.0 {
            self.curvature.push((p, r, second));
        }
    }
}

/// Formulas of numbers, written once over any scalar.
pub(super) trait Formula<const N: usize> {
    fn over<S: Scalar>(&self, numbers: &[S]) -> [S; N];

    /// Pairs of numbers by which second derivatives may differ from zero, where the formulas can tell.
    fn curved(&self) -> Option<Vec<(usize, usize)>> {
        None
    }
}

impl Formula<1> for Expression {
    fn over<S: Scalar>(&self, numbers: &[S]) -> [S; 1] {
        [self.evaluate(numbers)]
    }

    fn curved(&self) -> Option<Vec<(usize, usize)>> {
        Some(self.curved_pairs())
    }
}

/// The sum of factor times number.
pub(super) struct Sum<'a>(pub &'a [f64]);

impl Formula<1> for Sum<'_> {
    fn over<S: Scalar>(&self, numbers: &[S]) -> [S; 1] {
        let terms = self.0.iter().zip(numbers).map(|(factor, number)| *number * *factor);
        [terms.fold(S::from(0.0), |sum, term| sum + term)]
    }

    fn curved(&self) -> Option<Vec<(usize, usize)>> {
        Some(Vec::new())
    }
}

/// Values of formulas of these numbers, with their derivatives.
pub(super) fn evaluate<const N: usize>(formulas: &impl Formula<N>, known: &[Known]) -> ([f64; N], [Derivatives; N]) {
    let (values, mut derivatives) = evaluate_first(formulas, known);
    for pair in curved(formulas, known) {
        let across: Vec<Dual<Dual64>> = known.iter().map(|known| across(known, pair)).collect();
        for (derivatives, value) in derivatives.iter_mut().zip(formulas.over(&across)) {
            derivatives.push_second(pair, value.eps.eps);
        }
    }
    (values, derivatives)
}

/// As [`evaluate`], without derivatives of second order.
pub(super) fn evaluate_first<const N: usize>(
    formulas: &impl Formula<N>,
    known: &[Known],
) -> ([f64; N], [Derivatives; N]) {
    let mut derivatives = [(); N].map(|()| Derivatives::default());
    for p in support(known) {
        let along: Vec<Dual64> = known.iter().map(|known| along(known, p)).collect();
        for (derivatives, value) in derivatives.iter_mut().zip(formulas.over(&along)) {
            derivatives.push(p, value.eps);
        }
    }
    let values: Vec<f64> = known.iter().map(|known| known.0).collect();
    (formulas.over(&values), derivatives)
}

/// The parameters that any of these numbers depend on, ascending.
fn support(known: &[Known]) -> Vec<usize> {
    let of = |(_, derivatives): &Known| derivatives.gradient.iter().map(|(p, _)| *p).collect::<Vec<_>>();
    known.iter().flat_map(of).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Pairs of parameters by which second derivatives may differ from zero, the second not before the first, ascending.
fn curved<const N: usize>(formulas: &impl Formula<N>, known: &[Known]) -> Vec<(usize, usize)> {
    let Some(bent) = formulas.curved() else {
        let support = &support(known)[..];
        let rest = |i: usize| support[i..].iter().map(move |r| (support[i], *r));
        return (0..support.len()).flat_map(rest).collect();
    };
    let parameters = |k: usize| known[k].1.gradient.iter().map(|(p, _)| *p);
    let across =
        |(k, l): (usize, usize)| parameters(k).flat_map(move |p| parameters(l).map(move |r| (p.min(r), p.max(r))));
    let own = known
        .iter()
        .flat_map(|known| known.1.curvature.iter().map(|(p, r, _)| (*p, *r)));
    let all: BTreeSet<_> = bent.into_iter().flat_map(across).chain(own).collect();
    all.into_iter().collect()
}

/// A number with its derivative by a parameter.
fn along((value, derivatives): &Known, p: usize) -> Dual64 {
    Dual64::new(*value, derivatives.slope(p))
}

/// A number with its derivatives by two parameters and both.
fn across((value, derivatives): &Known, (p, r): (usize, usize)) -> Dual<Dual64> {
    let by_r = Dual64::new(derivatives.slope(r), derivatives.second(p, r));
    Dual::new(Dual64::new(*value, derivatives.slope(p)), by_r)
}
