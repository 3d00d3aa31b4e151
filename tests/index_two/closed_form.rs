//! Equations of both indices together, nonlinear in y and with time in them, against a closed form.

use costate::equations::{Equations, Index, Point, Scalar, Size, Study};
use costate::integrate::Method;

use super::pendulum::difference;

/// a' = u, b' = z³ - b with 0 = u - rate a of index 1 for u and 0 = b - sin(frequency t) of index 2 for z:
/// a = exp(rate t), z³ = frequency cos(frequency t) + sin(frequency t). Parameters: rate, frequency.
#[derive(Debug)]
struct Mixed;

const MIXED: [f64; 2] = [0.7, 0.9];
const END: f64 = 2.0;

impl Equations for Mixed {
    type Mode = ();

    fn size(&self) -> Size {
        Size::of(2).algebraic(2).costs(2)
    }

    fn start<S: Scalar>(&self, _: &[S], x: &mut [S]) {
        x[0] = S::one();
    }

    fn guess(&self, _: &[f64], _: &[f64], y: &mut [f64]) {
        y.fill(2.0);
    }

    fn flow<S: Scalar>(&self, (): &(), at: &Point<S>, dx: &mut [S]) {
        dx[0] = at.y[0];
        dx[1] = at.y[1] * at.y[1] * at.y[1] - at.x[1];
    }

    fn constraint<S: Scalar>(&self, (): &(), at: &Point<S>, g: &mut [S]) {
        g[0] = at.y[0] - at.p[0] * at.x[0];
        g[1] = at.x[1] - (at.p[1] * at.t).sin();
    }

    fn index(&self, equation: usize, (): &()) -> Index {
        if equation == 1 { Index::Two } else { Index::One }
    }

    fn running_costs<S: Scalar>(&self, (): &(), at: &Point<S>, r: &mut [S]) {
        r[0] = at.y[1] * at.y[1] * at.y[1] - at.x[1];
    }

    fn final_costs<S: Scalar>(&self, (): &(), at: &Point<S>, w: &mut [S]) {
        w[1] = at.y[1] * at.y[0];
    }
}

/// x and y at a time with their derivatives by both parameters.
fn exact(t: f64) -> [[f64; 4]; 3] {
    let [rate, frequency] = MIXED;
    let (a, (sin, cos)) = ((rate * t).exp(), (frequency * t).sin_cos());
    let z = (frequency * cos + sin).cbrt();
    let dz = (cos - frequency * t * sin + t * cos) / (3.0 * z * z);
    [
        [a, sin, rate * a, z],
        [t * a, 0.0, a + rate * t * a, 0.0],
        [0.0, t * cos, 0.0, dz],
    ]
}

#[test]
fn states_variables_slopes_and_gradients_are_those_of_the_closed_form() {
    for (method, tolerance) in [(Method::DormandPrince, 1e-11), (Method::Radau, 1e-9)] {
        let study = Study::new(Mixed, &MIXED, (0.0, END)).by(method);
        let motion = study.forward().expect("it runs");
        for t in [0.0, 0.3, 1.1, END] {
            let at = motion.at(t).expect("within the motion");
            let found = [
                [&at.x[..], &at.y].concat(),
                [&at.dx[0][..], &at.dy[0]].concat(),
                [&at.dx[1][..], &at.dy[1]].concat(),
            ];
            for (found, exact) in found.iter().zip(exact(t)) {
                assert!(difference(found, &exact) < tolerance, "{found:?} {exact:?} at {t}");
            }
        }
        let [values, by_rate, by_frequency] = exact(END);
        // The integral of b' is b.
        let product = |slopes: [f64; 4]| slopes[2] * values[3] + values[2] * slopes[3];
        let gradients = [[by_rate[1], by_frequency[1]], [product(by_rate), product(by_frequency)]];
        let adjoint = study.adjoint().expect("it runs");
        for found in [&motion.gradients, &adjoint] {
            assert!(difference(&found.costs, &[values[1], values[2] * values[3]]) < tolerance);
            for (found, exact) in found.gradients.iter().zip(gradients) {
                assert!(difference(found, &exact) < tolerance, "{found:?} {exact:?}");
            }
        }
    }
}
