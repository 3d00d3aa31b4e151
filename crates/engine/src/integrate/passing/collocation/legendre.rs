//! Legendre polynomials on [0, 1]: Gauss nodes, integrals, and the nested basis of the dense output.

/// Number of nodes. Even, so that none lies in the middle.
pub(super) const NODES: usize = 24;

/// Number of Legendre polynomials in the fit: fewer than nodes, so that nodes next to a rough place count for little.
pub(super) const TERMS: usize = 20;

/// Degree of the solution: one more than that of its derivative.
pub(super) const DEGREE: usize = TERMS;

/// Most corrections of a root by Newton's method, which squares its error.
const CORRECTIONS: usize = 8;

/// P_0 to P_NODES at z in [-1, 1].
pub(super) fn legendre(z: f64) -> [f64; NODES + 1] {
    let mut values = [1.0; NODES + 1];
    values[1] = z;
    for k in 1..NODES {
        let degree = k as f64;
        values[k + 1] = ((2.0 * degree + 1.0) * z * values[k] - degree * values[k - 1]) / (degree + 1.0);
    }
    values
}

/// Integrals of P_k(2 theta - 1) from 0 to theta.
pub(super) fn integrals(theta: f64) -> [f64; TERMS] {
    let values = legendre(2.0 * theta - 1.0);
    std::array::from_fn(|k| match k {
        0 => theta,
        _ => (values[k + 1] - values[k - 1]) / (2 * (2 * k + 1)) as f64,
    })
}

/// Gauss node i on [-1, 1], ascending.
pub(super) fn gauss(i: usize) -> f64 {
    let degree = NODES as f64;
    let mut z = -(std::f64::consts::PI * (i as f64 + 0.75) / (degree + 0.5)).cos();
    for _ in 0..CORRECTIONS {
        z -= legendre(z)[NODES] / slope(z);
    }
    z
}

/// Derivative of P_NODES.
fn slope(z: f64) -> f64 {
    let values = legendre(z);
    NODES as f64 * (z * values[NODES] - values[NODES - 1]) / (z * z - 1.0)
}

/// The polynomial times z, by what multiplication does to one term: factors of the terms before, at and after it.
pub(super) fn times_z<const N: usize>(polynomial: &[f64; N], of_term: impl Fn(usize) -> [f64; 3]) -> [f64; N] {
    let mut product = [0.0; N];
    for (k, coefficient) in polynomial.iter().enumerate() {
        for (place, factor) in (k..).zip(of_term(k)) {
            if (1..=N).contains(&place) {
                product[place - 1] += coefficient * factor;
            }
        }
    }
    product
}

/// z P_k.
pub(super) fn legendre_times_z(k: usize) -> [f64; 3] {
    let degree = k as f64;
    [degree, 0.0, degree + 1.0].map(|factor| factor / (2.0 * degree + 1.0))
}

/// z = 2 theta - 1 times a term of the nested basis 1, theta, theta (1 - theta), theta^2 (1 - theta), ...
fn nested_times_z(k: usize) -> [f64; 3] {
    if k.is_multiple_of(2) {
        [0.0, -1.0, 2.0]
    } else {
        [0.0, 1.0, -2.0]
    }
}

pub(super) fn nested_integrals() -> [[f64; DEGREE + 1]; TERMS] {
    let mut values = [[0.0; DEGREE + 1]; TERMS + 1];
    values[0][0] = 1.0;
    for k in 0..TERMS {
        let (degree, product) = (k as f64, times_z(&values[k], nested_times_z));
        let before = if k > 0 { values[k - 1] } else { [0.0; DEGREE + 1] };
        values[k + 1] =
            std::array::from_fn(|m| ((2.0 * degree + 1.0) * product[m] - degree * before[m]) / (degree + 1.0));
    }
    let mut integrals = [[0.0; DEGREE + 1]; TERMS];
    integrals[0][1] = 1.0;
    for k in 1..TERMS {
        let scale = (2 * (2 * k + 1)) as f64;
        integrals[k] = std::array::from_fn(|m| (values[k + 1][m] - values[k - 1][m]) / scale);
    }
    integrals
}
