//! A linear system that switches (I. A. Hiskens, M. A. Pai: Trajectory sensitivity analysis of hybrid systems, 2000, example 1),
//! and what first-order sensitivities predict of it (figures 7 and 8 there).

mod support;

use costate::equations::{Crossing, Equations, Point, Scalar, Size, Study};
use costate::error::Result;
use costate::sensitivity::Switching;
use support::{Comparison, between, draw, over_time, panel, reference};

/// Parameters: slopes lambda and mu of the lines where it switches, and the state at the start. The mode is the matrix, 1 or 2.
#[derive(Debug)]
pub struct Switched;

impl Equations for Switched {
    type Mode = usize;

    fn size(&self) -> Size {
        Size::of(2).guards(2)
    }

    fn start<S: Scalar>(&self, p: &[S], x: &mut [S]) -> usize {
        x.copy_from_slice(&p[2..]);
        1
    }

    fn flow<S: Scalar>(&self, mode: &usize, at: &Point<S>, dx: &mut [S]) {
        let (right, left) = if *mode == 1 { (-100.0, 10.0) } else { (10.0, -100.0) };
        dx[0] = at.x[0] + at.x[1] * right;
        dx[1] = at.x[0] * left + at.x[1];
    }

    fn crossing(&self, guard: usize, mode: &usize) -> Option<Crossing> {
        let direction = [Crossing::Rising, Crossing::Falling][guard];
        (guard + 1 == *mode).then_some(direction)
    }

    fn guard<S: Scalar>(&self, guard: usize, _: &usize, at: &Point<S>) -> S {
        at.p[guard] * at.x[0] - at.x[1]
    }

    fn jump<S: Scalar>(&self, _: usize, mode: &usize, _: &Point<S>, _: &mut [S]) -> usize {
        3 - mode
    }
}

pub fn study(lambda: f64) -> Study<Switched> {
    Study::new(Switched, &[lambda, 0.36, 0.0, 1.0], (0.0, 0.3))
}

/// Results and reference values.
pub fn compare() -> Result<Comparison> {
    let reference = reference("hiskens_examples_1_2.json", "ex1")?;
    let (study, mut comparison) = (study(2.75), Comparison::default());
    let motion = study.forward()?;
    let slopes = &reference["d_event_times_dlambda"];
    comparison.add_events(&motion.events, &["lambda"], &reference["event_times"], |k, _| {
        &slopes[k]
    });
    for (t, expected) in over_time(&reference["states"]) {
        let at = motion.at(t)?;
        for i in 0..2 {
            comparison.add(format!("x{}({t})", i + 1), at.x[i], &expected["x"][i]);
            for (k, name) in ["lambda(2.75)", "mu(0.36)", "x1_0", "x2_0"].iter().enumerate() {
                let slope = &expected["grad"][*name][i];
                comparison.add(format!("dx{}({t})/d{name}", i + 1), at.dx[k][i], slope);
            }
        }
    }
    Ok(comparison)
}

fn main() -> Result<()> {
    compare()?.print("Switched linear system", 5);
    let (nominal, changed) = (study(2.75), study(3.0));
    let (motion, actual) = (nominal.forward()?, changed.simulate()?);
    let x = |i: usize| motion.curve(900, move |at| at.x[i]);
    let slope = |i: usize| motion.curve(900, move |at| at.dx[0][i]);
    let panels = vec![
        panel("state", [("x1", x(0)?), ("x2", x(1)?)]),
        panel("by lambda", [("dx1/dlambda", slope(0)?), ("dx2/dlambda", slope(1)?)]),
    ];
    draw("switched_linear", "Switched linear system", panels, &motion.events)?;
    let predicted = |switching| {
        let value = |t| Ok((t, motion.predict(t, &[0.25, 0.0, 0.0, 0.0], switching)?.0[0]));
        (0..=800)
            .map(|k| 0.09 + 1e-4 * f64::from(k))
            .map(value)
            .collect::<Result<Vec<_>>>()
    };
    let actual = ("lambda = 3", between(&actual.curve(6000, |x, _| x[0])?, 0.09, 0.17));
    let nominal = ("lambda = 2.75", between(&motion.curve(6000, |at| at.x[0])?, 0.09, 0.17));
    let (plain, refined) = (predicted(Switching::Recorded)?, predicted(Switching::Predicted)?);
    let panels = vec![
        panel("x1", [nominal, actual.clone(), ("x + S dp", vec![plain])]),
        panel("x1", [actual, ("refined", vec![refined])]),
    ];
    draw("switched_linear_predicted", "From lambda = 2.75 to 3", panels, &[])
}
