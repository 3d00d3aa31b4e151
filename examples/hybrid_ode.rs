//! A differential equation with two branches (R. Serban, A. Recuero: Sensitivity analysis for hybrid systems and systems with
//! memory, 2019, section 5.1): derivative of G = integral of x by the threshold p, forwards and by the adjoint.

mod support;

use costate::equations::{Crossing, Equations, Point, Scalar, Size, Study};
use costate::error::Result;
use support::{Comparison, draw, panel, reference};

/// Which branch holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Branch {
    /// x' = 4 - x while x³ - 5x² + 7x <= p.
    Below,
    /// x' = 10 - 2x.
    Above,
}

#[derive(Debug)]
pub struct TwoBranches;

impl Equations for TwoBranches {
    type Mode = Branch;

    fn size(&self) -> Size {
        Size::of(1).guards(1).costs(1)
    }

    fn start<S: Scalar>(&self, _: &[S], x: &mut [S]) -> Branch {
        x[0] = S::zero();
        Branch::Below
    }

    fn flow<S: Scalar>(&self, mode: &Branch, at: &Point<S>, dx: &mut [S]) {
        dx[0] = match mode {
            Branch::Below => -at.x[0] + 4.0,
            Branch::Above => at.x[0] * -2.0 + 10.0,
        };
    }

    fn crossing(&self, _: usize, mode: &Branch) -> Option<Crossing> {
        Some(match mode {
            Branch::Below => Crossing::Rising,
            Branch::Above => Crossing::Falling,
        })
    }

    fn guard<S: Scalar>(&self, _: usize, _: &Branch, at: &Point<S>) -> S {
        let x = at.x[0];
        ((x - 5.0) * x + 7.0) * x - at.p[0]
    }

    fn jump<S: Scalar>(&self, _: usize, mode: &Branch, _: &Point<S>, _: &mut [S]) -> Branch {
        match mode {
            Branch::Below => Branch::Above,
            Branch::Above => Branch::Below,
        }
    }

    fn running_costs<S: Scalar>(&self, _: &Branch, at: &Point<S>, r: &mut [S]) {
        r[0] = at.x[0];
    }
}

pub fn study() -> Study<TwoBranches> {
    Study::new(TwoBranches, &[2.9], (0.0, 5.0))
}

/// Results and reference values.
pub fn compare() -> Result<Comparison> {
    let reference = reference("serban_examples.json", "ex51")?;
    let (study, mut comparison) = (study(), Comparison::default());
    let (motion, adjoint) = (study.forward()?, study.adjoint()?);
    let end = motion.at(5.0)?;
    comparison.add("G", motion.gradients.costs[0], &reference["G"]);
    comparison.add("dG/dp forwards", motion.gradients.by(0, 0), &reference["dGdp"]);
    comparison.add("dG/dp by the adjoint", adjoint.by(0, 0), &reference["dGdp"]);
    comparison.add("x(5)", end.x[0], &reference["x(5)"]);
    comparison.add("dx(5)/dp", end.dx[0][0], &reference["dx(5)/dp"]);
    let (times, slopes) = (&reference["event_times"], &reference["d_event_times_dp"]);
    comparison.add_events(&motion.events, &["p"], times, |k, _| &slopes[k]);
    Ok(comparison)
}

fn main() -> Result<()> {
    compare()?.print("Hybrid differential equation", 1);
    let study = study();
    let motion = study.forward()?;
    let panels = vec![
        panel("x", [("x", motion.curve(500, |at| at.x[0])?)]),
        panel("dx/dp", [("dx/dp", motion.curve(500, |at| at.dx[0][0])?)]),
    ];
    draw("hybrid_ode", "Hybrid differential equation", panels, &motion.events)
}
