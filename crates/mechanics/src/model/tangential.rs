//! Vectors along the freedoms in which something slips: by the two tangents of a surface, or by the freedoms of a joint.

use crate::scalar::Scalar;

/// Parts along the freedoms, of which a joint has up to three; zero beyond those that there are.
pub type Parts<S> = [S; 3];

/// The parts by the tangents of a surface.
pub fn flat<S: Scalar>([x, y, _]: Parts<S>) -> [S; 2] {
    [x, y]
}

/// The same with a third part.
pub fn raised<S: Scalar>([x, y]: [S; 2]) -> Parts<S> {
    [x, y, S::from(0.0)]
}

/// Product of what is given by its parts.
pub fn inner<S: Scalar, const N: usize>(a: [S; N], b: [S; N]) -> S {
    let rest = a[1..].iter().zip(&b[1..]);
    rest.fold(a[0] * b[0], |sum, (a, b)| sum + *a * *b)
}

/// Length of what is given by its parts; in the plane all but the first are zero. At zero its derivative counts as zero.
pub fn size<S: Scalar, const N: usize>(x: [S; N]) -> S {
    let along = x[0].re();
    if x[1..].iter().any(|part| part.re() != 0.0) {
        return inner(x, x).sqrt();
    }
    if along == 0.0 {
        return S::from(0.0);
    }
    match x[1..].iter().all(|part| part.vanishes()) {
        true => x[0] * along.signum(),
        false => inner(x, x).sqrt(),
    }
}

/// Its direction; zero where it has none.
pub fn direction<S: Scalar, const N: usize>(x: [S; N]) -> [S; N] {
    let size = size(x);
    if size.re() == 0.0 {
        return [S::from(0.0); N];
    }
    x.map(|x| x / size)
}
