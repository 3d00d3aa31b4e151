//! Weights of a polynomial fitted at Gauss nodes: integrals, Legendre coefficients, and how noise of the values carries over.

use super::legendre::{DEGREE, NODES, TERMS, gauss, integrals, legendre_times_z, nested_integrals, times_z};
use crate::linear::{add_scaled, dot};

/// Values of F from which the next is extrapolated to begin with.
pub(super) const PAST: usize = 4;

/// Distance from a rough place, on [-1, 1], within which a node is left out.
const TOO_CLOSE: f64 = 0.02;

/// Tables for a polynomial F of degree below [`TERMS`], fitted to values at the nodes, as a function of theta in [0, 1].
#[derive(Clone, Debug)]
pub(super) struct Tables {
    /// Gauss nodes, ascending.
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
    /// Weights of the integral of F from the node before (or 0) to each node, by extrapolation from the latest values of F.
    pub predictor: [[f64; PAST]; NODES],
    /// Where the weights are smallest.
    centre: Option<f64>,
}

impl Tables {
    pub fn new() -> Self {
        let mut tables = Self {
            nodes: std::array::from_fn(|i| 0.5 * (1.0 + gauss(i))),
            counts: [true; NODES],
            to_node: [[0.0; NODES]; NODES],
            to_end: [0.0; NODES],
            spectrum: [[0.0; NODES]; TERMS],
            highest: [[[0.0; NODES]; 2]; 2],
            nested: nested_integrals(),
            predictor: [[0.0; PAST]; NODES],
            centre: None,
        };
        tables.fit();
        tables
    }

    /// Weighs the nodes for noise that grows with the inverse cube of the distance from a rough place, or evenly.
    pub fn weigh_around(&mut self, centre: Option<f64>) {
        if self.centre != centre {
            self.centre = centre;
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

    /// Weights of the explicit Adams method over the start and the nodes that count.
    fn predict(&mut self) {
        let mut past = [0.0; PAST];
        let mut known = 1;
        for (node, weights) in (0..NODES)
            .zip(&mut self.predictor)
            .filter(|(node, _)| self.counts[*node])
        {
            *weights = extrapolated_integral(&past, known, self.nodes[node]);
            past.rotate_right(1);
            past[0] = self.nodes[node];
            known = (known + 1).min(PAST);
        }
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

/// Weights of the integral from `past[0]` to `end` of the polynomial through the values at the first `known` of `past`.
fn extrapolated_integral(past: &[f64; PAST], known: usize, end: f64) -> [f64; PAST] {
    // Two Gauss points integrate polynomials of degree 3.
    let (middle, half) = (0.5 * (past[0] + end), 0.5 * (end - past[0]));
    let gauss = [-1.0, 1.0].map(|side| middle + side * half / 3.0_f64.sqrt());
    std::array::from_fn(|i| {
        let lagrange = |theta: f64| -> f64 {
            let others = (0..known).filter(|&j| j != i);
            others.map(|j| (theta - past[j]) / (past[i] - past[j])).product()
        };
        if i < known {
            half * (lagrange(gauss[0]) + lagrange(gauss[1]))
        } else {
            0.0
        }
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

    /// Evenly weighted nodes, and nodes around places in the middle, off it, on a node and outside.
    fn all() -> Vec<Tables> {
        let mut tables = Tables::new();
        let places = [None, Some(0.5), Some(0.31), Some(tables.nodes[7]), Some(1.2)];
        let weighed = |place| {
            tables.weigh_around(place);
            tables.clone()
        };
        places.into_iter().map(weighed).collect()
    }

    #[test]
    fn integrals_to_nodes_and_end_are_exact_for_polynomials_of_the_fit() {
        for tables in all() {
            for power in 0..TERMS as i32 {
                let integral = |weights: &[f64; NODES], theta: f64| {
                    let sum: f64 = weights
                        .iter()
                        .zip(tables.nodes)
                        .map(|(weight, node)| weight * node.powi(power))
                        .sum();
                    (sum - theta.powi(power + 1) / f64::from(power + 1)).abs()
                };
                let (centre, allowed) = (tables.centre, 1e-13);
                assert!(
                    integral(&tables.to_end, 1.0) < allowed,
                    "degree {power} around {centre:?}"
                );
                for (weights, node) in tables.to_node.iter().zip(tables.nodes) {
                    assert!(
                        integral(weights, node) < allowed,
                        "degree {power} to {node} around {centre:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_spectrum_of_a_legendre_polynomial_is_one_coefficient() {
        for tables in all() {
            for degree in 0..TERMS {
                for (k, row) in tables.spectrum.iter().enumerate() {
                    let value = |i: usize| legendre(2.0 * tables.nodes[i] - 1.0)[degree];
                    let sum: f64 = (0..NODES).map(|i| row[i] * value(i)).sum();
                    let want = if k == degree { 1.0 } else { 0.0 };
                    assert!((sum - want).abs() < 1e-12, "P_{degree}, coefficient {k}: {sum}");
                }
            }
        }
    }

    #[test]
    fn nodes_near_the_rough_place_count_for_little_and_one_on_it_for_nothing() {
        let mut tables = Tables::new();
        let even = tables.to_end;
        tables.weigh_around(Some(0.5));
        let (inner, outer) = (NODES / 2, NODES / 2 + 4);
        assert!(tables.to_end[inner].abs() < 0.02 * even[inner]);
        assert!(tables.to_end[outer].abs() > 0.5 * even[outer]);
        tables.weigh_around(Some(tables.nodes[7]));
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
