//! Vectors along a surface, given by their parts along its two tangents.

use crate::scalar::Scalar;

/// Product of what is given by the tangents.
pub fn inner<S: Scalar>(a: [S; 2], b: [S; 2]) -> S {
    a[0] * b[0] + a[1] * b[1]
}

/// Length of what is given by the tangents; in the plane the second part is zero. At zero its derivative counts as zero.
pub fn size<S: Scalar>(x: [S; 2]) -> S {
    match x.map(|x| x.re()) {
        [0.0, 0.0] => S::from(0.0),
        [along, 0.0] if x[1].vanishes() => x[0] * along.signum(),
        _ => inner(x, x).sqrt(),
    }
}

/// Its direction; zero where it has none.
pub fn direction<S: Scalar>(x: [S; 2]) -> [S; 2] {
    let size = size(x);
    if size.re() == 0.0 {
        return [S::from(0.0); 2];
    }
    x.map(|x| x / size)
}
