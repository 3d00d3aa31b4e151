//! Which of several results are the same minimum.

use super::report::Report;
use crate::scene::compiled::Optimization;

/// Results whose variables differ by no more than this, in scales, may be the same minimum: a projected gradient that is
/// small enough leaves variables uncertain by its root.
const SAME_PLACE: f64 = 1e-3;

/// Values of one minimum differ by no more than this part of what the optimization gained.
const SAME_VALUE: f64 = 1e-4;

/// A minimum and the starts that lead there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minimum {
    /// Indices of the starts, the one with the best result first.
    pub starts: Vec<usize>,
}

/// The distinct results, the best first: limits kept, then the least value.
pub(super) fn distinct_minima(runs: &[Report], optimization: &Optimization) -> Vec<Minimum> {
    let merit = |k: &usize| runs[*k].merit(optimization.stopping.violation);
    let mut order: Vec<usize> = (0..runs.len()).collect();
    // All numbers are finite; equal ones stay in the order of the starts.
    order.sort_by(|a, b| merit(a).partial_cmp(&merit(b)).unwrap_or(std::cmp::Ordering::Equal));
    let mut minima: Vec<Minimum> = Vec::new();
    for start in order {
        let same = |minimum: &&mut Minimum| are_same(&runs[minimum.starts[0]], &runs[start], optimization);
        match minima.iter_mut().find(same) {
            Some(minimum) => minimum.starts.push(start),
            None => minima.push(Minimum { starts: vec![start] }),
        }
    }
    minima
}

fn are_same(a: &Report, b: &Report, optimization: &Optimization) -> bool {
    let gain = |report: &Report| (report.initial.value - report.best.value).abs();
    let size = gain(a).max(gain(b)).max(a.best.value.abs());
    let values = (a.best.value - b.best.value).abs() <= SAME_VALUE * size;
    let plateau = a.best.value == b.best.value && is_flat(a) && is_flat(b);
    (values && distance(a, b, optimization) <= SAME_PLACE) || plateau
}

/// Whether a start was a minimum as it was, without any slope: one of a plateau.
fn is_flat(report: &Report) -> bool {
    report.history.len() == 1 && report.gradient == Some(0.0)
}

/// Largest difference of a variable between the best points, in its scale.
fn distance(a: &Report, b: &Report, optimization: &Optimization) -> f64 {
    let pairs = a.best.parameters.iter().zip(&b.best.parameters);
    let scaled = pairs
        .zip(&optimization.variables)
        .map(|((a, b), variable)| (a - b).abs() / variable.scale);
    scaled.fold(0.0, f64::max)
}
