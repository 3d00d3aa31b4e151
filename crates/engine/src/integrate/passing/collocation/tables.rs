//! Weights of a polynomial fitted at Gauss nodes: integrals, Legendre coefficients, and how noise of the values carries over.

use super::legendre::{DEGREE, NODES, TERMS, gauss, integrals, legendre_times_z, nested_integrals, times_z};
use crate::linear::{add_scaled, dot};

/// Values of F from which the next is extrapolated to begin with.
const PAST: usize = 4;

/// Where a step starts at a rough place, or ends at one: part of its length by which nodes lie beyond. With nodes to one side only, noise
/// would move the step by nine times as much; further beyond, Legendre polynomials of the step lose digits.
pub const BEYOND: f64 = 0.1;

/// Distance from a rough place, on [-1, 1], within which a node is left out.
const TOO_CLOSE: f64 = 0.02;

/// Tables for a polynomial F of degree below [`TERMS`], fitted to values at the nodes, as a function of theta in [0, 1].
#[derive(Clone, Debug)]
pub(super) struct Tables {
    /// Gauss nodes on [-1, 1], ascending.
    gauss: [f64; NODES],
    /// Gauss nodes, ascending; of the step, or of what lies beyond it too.
    pub nodes: [f64; NODES],
    /// Whether F is to be evaluated there.
    pub counts: [bool; NODES],
    /// Weights of the integral of F from 0 to each node.
    pub to_node: [[f64; NODES]; NODES],
    /// Weights of the integral of F from 0 to 1.
    pub to_end: [f64; NODES],
    /// Weights of the coefficients of F in the Legendre polynomials P_k(2 theta - 1).
    pub spectrum: [[f64; NODES]; TERMS],
    /// Weights of the two highest coefficients of F, and of the two below, in polynomials that are orthonormal over the
    /// weighted nodes, times what noise of their size does to the integral of F from 0 to 1.
    pub highest: [[[f64; NODES]; 2]; 2],
    /// Integrals of P_k from 0 to theta in the nested basis of `DenseOutput`.
    pub nested: [[f64; DEGREE + 1]; TERMS],
    /// How the stages that count are extrapolated to begin with, in the order in which this can be done.
    pub predictor: Vec<Extrapolation>,
    /// Where the weights are smallest, and whether nodes lie beyond.
    centre: Option<f64>,
    beyond: bool,
}

/// How a stage is extrapolated: from these nodes, in the order of their distance, by weights of the integral of F from the first of
/// them to it. None is the start.
#[derive(Clone, Debug)]
pub(super) struct Extrapolation {
    pub stage: usize,
    pub from: Vec<(Option<usize>, f64)>,
}

impl Tables {
    pub fn new() -> Self {
        let gauss = std::array::from_fn(gauss);
        let mut tables = Self {
            gauss,
            nodes: gauss.map(|z| 0.5 * (1.0 + z)),
            counts: [true; NODES],
            to_node: [[0.0; NODES]; NODES],
            to_end: [0.0; NODES],
            spectrum: [[0.0; NODES]; TERMS],
            highest: [[[0.0; NODES]; 2]; 2],
            nested: nested_integrals(),
            predictor: Vec::new(),
            centre: None,
            beyond: false,
        };
        tables.fit();
        tables
    }

    /// Weighs the nodes for noise that grows with the inverse cube of the distance from a rough place, or evenly; with nodes
    /// beyond the end that is nearer to the place if asked for.
    pub fn weigh_around(&mut self, centre: Option<f64>, beyond: bool) {
        if self.centre != centre || self.beyond != beyond {
            (self.centre, self.beyond) = (centre, beyond);
            let (first, last) = match centre {
                Some(centre) if beyond && centre < 0.5 => (-BEYOND, 1.0),
                Some(_) if beyond => (0.0, 1.0 + BEYOND),
                _ => (0.0, 1.0),
            };
            self.nodes = self.gauss.map(|z| first + 0.5 * (last - first) * (1.0 + z));
            self.fit();
        }
    }

    /// Weighted least squares by polynomials that are orthonormal over the nodes, made one from the other by multiplication
    /// with z and kept as Legendre coefficients.
    fn fit(&mut self) {
        let z = self.nodes.map(|theta| 2.0 * theta - 1.0);
        let distance = z.map(|z| self.centre.map_or(1.0, |centre| (z - (2.0 * centre - 1.0)).abs()));
        self.counts = distance.map(|distance| distance > TOO_CLOSE);
        let root = distance.map(|distance| if distance > TOO_CLOSE { distance.powi(3) } else { 0.0 });
        let mut values = [[0.0; NODES]; TERMS];
        let mut polynomials = [[0.0; TERMS]; TERMS];
        (values[0], polynomials[0][0]) = (root, 1.0);
        for k in 0..TERMS {
            if k > 0 {
                values[k] = std::array::from_fn(|i| z[i] * values[k - 1][i]);
                polynomials[k] = times_z(&polynomials[k - 1], legendre_times_z);
            }
            orthonormalize(k, &mut values, &mut polynomials);
        }
        self.fill(root, &values, &polynomials);
        self.predict();
    }

    /// The explicit Adams method over the start and the nodes that count: from the start to the end, then from the start back.
    fn predict(&mut self) {
        let nodes = (0..NODES).filter(|&node| self.counts[node]);
        let nodes = nodes.map(|node| (Some(node), self.nodes[node]));
        let mut line: Vec<(Option<usize>, f64)> = std::iter::once((None, 0.0)).chain(nodes).collect();
        line.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        let start = line.partition_point(|(_, theta)| *theta < 0.0);
        let ahead = (start + 1..line.len()).map(|k| (k, line[start..k].iter().rev().take(PAST).collect()));
        let back = (0..start).rev().map(|k| (k, line[k + 1..].iter().take(PAST).collect()));
        let extrapolation = |(k, past): (usize, Vec<&(Option<usize>, f64)>)| {
            let thetas: Vec<f64> = past.iter().map(|(_, theta)| *theta).collect();
            let weights = extrapolated_integral(&thetas, line[k].1);
            Some(Extrapolation {
                stage: line[k].0?,
                from: past.iter().map(|(from, _)| *from).zip(weights).collect(),
            })
        };
        self.predictor = ahead.chain(back).filter_map(extrapolation).collect();
    }

    fn fill(&mut self, root: [f64; NODES], values: &[[f64; NODES]; TERMS], polynomials: &[[f64; TERMS]; TERMS]) {
        for i in 0..NODES {
            for (m, row) in self.spectrum.iter_mut().enumerate() {
                row[i] = (0..TERMS).map(|k| polynomials[k][m] * values[k][i] * root[i]).sum();
            }
            self.to_end[i] = self.spectrum[0][i];
        }
        for j in 0..NODES {
            let integrals = integrals(self.nodes[j]);
            for i in 0..NODES {
                self.to_node[j][i] = (0..TERMS).map(|m| integrals[m] * self.spectrum[m][i]).sum();
            }
        }
        // The integral of a Legendre sum is its first coefficient.
        let noise = polynomials
            .iter()
            .map(|polynomial| polynomial[0] * polynomial[0])
            .sum::<f64>()
            .sqrt();
        for (pair, first) in self.highest.iter_mut().zip([TERMS - 2, TERMS - 4]) {
            for (row, values) in pair.iter_mut().zip(&values[first..]) {
                *row = std::array::from_fn(|i| noise * values[i] * root[i]);
            }
        }
    }
}

/// Weights of the integral from `past[0]` to `end` of the polynomial through the values at `past`, of degree 3 at most.
fn extrapolated_integral(past: &[f64], end: f64) -> impl Iterator<Item = f64> {
    // Two Gauss points integrate it.
    let (middle, half) = (0.5 * (past[0] + end), 0.5 * (end - past[0]));
    let gauss = [-1.0, 1.0].map(|side| middle + side * half / 3.0_f64.sqrt());
    (0..past.len()).map(move |i| {
        let lagrange = |theta: f64| -> f64 {
            let others = (0..past.len()).filter(|&j| j != i);
            others.map(|j| (theta - past[j]) / (past[i] - past[j])).product()
        };
        half * (lagrange(gauss[0]) + lagrange(gauss[1]))
    })
}

/// Makes the k-th polynomial orthogonal to the earlier ones, twice against rounding, and of unit length over the nodes.
fn orthonormalize(k: usize, values: &mut [[f64; NODES]; TERMS], polynomials: &mut [[f64; TERMS]; TERMS]) {
    let (earlier, rest) = values.split_at_mut(k);
    let (lower, others) = polynomials.split_at_mut(k);
    let (value, polynomial) = (&mut rest[0], &mut others[0]);
    for _ in 0..2 {
        for (before, lower) in earlier.iter().zip(&*lower) {
            let along = -dot(before, value);
            add_scaled(value, along, before);
            add_scaled(polynomial, along, lower);
        }
    }
    let scale = 1.0 / dot(value, value).sqrt();
    value.iter_mut().for_each(|x| *x *= scale);
    polynomial.iter_mut().for_each(|x| *x *= scale);
}

#[cfg(test)]
mod tests {
    use super::super::legendre::legendre;
    use super::*;

    /// Evenly weighted nodes, and nodes around places in the middle, off it, on a node, outside, and at either end, with nodes beyond or not.
    fn all() -> Vec<Tables> {
        let mut tables = Tables::new();
        let inside = [None, Some(0.5), Some(0.31), Some(tables.nodes[7]), Some(1.2)].map(|place| (place, false));
        let ends = [0.0, 1.0].map(|end| [true, false].map(|beyond| (Some(end), beyond)));
        let weighed = |(place, beyond)| {
            tables.weigh_around(place, beyond);
            tables.clone()
        };
        inside
            .into_iter()
            .chain(ends.into_iter().flatten())
            .map(weighed)
            .collect()
    }

    /// How much more rounding there may be around a place at an end, where weights of either sign amount to hundreds.
    fn magnifies(tables: &Tables) -> f64 {
        let at_end = tables.centre.is_some_and(|centre| centre == 0.0 || centre == 1.0);
        if at_end { 10.0 } else { 1.0 }
    }

    #[test]
    fn integrals_to_nodes_and_end_are_exact_for_polynomials_of_the_fit() {
        for tables in all() {
            for power in 0..TERMS as i32 {
                let values = tables.nodes.map(|node| node.powi(power));
                let error = |weights: &[f64; NODES], theta: f64| {
                    (dot(weights, &values) - theta.powi(power + 1) / f64::from(power + 1)).abs()
                };
                let (centre, allowed) = (tables.centre, 1e-13 * magnifies(&tables));
                let found = error(&tables.to_end, 1.0);
                assert!(found < allowed, "degree {power} around {centre:?}: {found:e}");
                for (weights, node) in tables.to_node.iter().zip(tables.nodes) {
                    let found = error(weights, node);
                    assert!(found < allowed, "degree {power} to {node} around {centre:?}: {found:e}");
                }
            }
        }
    }

    #[test]
    fn the_spectrum_of_a_legendre_polynomial_is_one_coefficient() {
        for tables in all() {
            for degree in 0..TERMS {
                let values = tables.nodes.map(|node| legendre(2.0 * node - 1.0)[degree]);
                for (k, row) in tables.spectrum.iter().enumerate() {
                    let want = if k == degree { 1.0 } else { 0.0 };
                    let error = (dot(row, &values) - want).abs();
                    assert!(
                        error < 1e-12 * magnifies(&tables),
                        "P_{degree}, coefficient {k}: {error:e}"
                    );
                }
            }
        }
    }

    #[test]
    fn every_stage_that_counts_is_extrapolated_once_from_what_is_known() {
        for tables in all() {
            let mut reached = [None; NODES];
            for Extrapolation { stage, from } in &tables.predictor {
                let known = |node: &Option<usize>| node.map_or(Some(0.0), |node| reached[node]);
                let begin: f64 = known(&from[0].0).unwrap();
                assert!(from.iter().all(|(node, _)| known(node).is_some()) && reached[*stage].is_none());
                // The integral of t^3, as soon as four values are known.
                let cube = |node: &Option<usize>| node.map_or(0.0, |node| tables.nodes[node].powi(3));
                let (end, sum) = (
                    tables.nodes[*stage],
                    from.iter().map(|(node, weight)| weight * cube(node)).sum::<f64>(),
                );
                let error = sum - 0.25 * (end.powi(4) - begin.powi(4));
                assert!(from.len() < PAST || error.abs() < 1e-15, "to {end}: {error:e}");
                reached[*stage] = Some(end);
            }
            assert!(
                reached
                    .iter()
                    .zip(tables.counts)
                    .all(|(reached, counts)| reached.is_some() == counts)
            );
        }
    }

    #[test]
    fn nodes_near_the_rough_place_count_for_little_and_one_on_it_for_nothing() {
        let mut tables = Tables::new();
        let even = tables.to_end;
        tables.weigh_around(Some(0.5), false);
        let (inner, outer) = (NODES / 2, NODES / 2 + 4);
        assert!(tables.to_end[inner].abs() < 0.02 * even[inner]);
        assert!(tables.to_end[outer].abs() > 0.5 * even[outer]);
        let seventh = Tables::new().nodes[7];
        tables.weigh_around(Some(seventh), false);
        assert!(!tables.counts[7] && tables.to_end[7] == 0.0);
        assert_eq!(tables.counts.iter().filter(|counts| !**counts).count(), 1);
    }

    #[test]
    fn the_nested_basis_represents_integrals_of_legendre_polynomials() {
        let tables = Tables::new();
        for theta in [0.0, 0.1, 0.5, 0.77, 1.0] {
            let exact = integrals(theta);
            for (k, exact) in exact.iter().enumerate() {
                let nested = tables.nested[k].iter().enumerate().rev();
                let value = nested.fold(0.0, |sum, (m, f)| {
                    f + sum * if m.is_multiple_of(2) { theta } else { 1.0 - theta }
                });
                // The basis loses a factor of 2.4 per degree; the coefficients of a resolved solution fall faster.
                let allowed = 1e-16 * 2.5_f64.powi(k as i32);
                assert!((value - exact).abs() < allowed, "P_{k} at {theta}: {:e}", value - exact);
            }
        }
    }
}
