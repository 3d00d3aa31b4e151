//! An oscillator on a material with memory (R. Serban, A. Recuero: Sensitivity analysis for hybrid systems and systems with
//! memory, 2019, section 5.2): gradient of G = integral of u² by the parameters ka, kb, alpha, beta of the material.

mod support;

use costate::equations::{Crossing, Equations, Point, Scalar, Size, Slopes, Study};
use costate::error::Result;
use std::f64::consts::PI;
use support::{Comparison, draw, over_time, panel, reference};

/// States: deformation u, velocity v, and u* and z* of the last reversal. The stress z is algebraic. The mode is the sign of v.
#[derive(Debug)]
pub struct Oscillator;

/// Exponential law of N. Vaiana et al., with its internal variable u_j* eliminated and delta = 1e-20.
fn stress<S: Scalar>(xi: f64, u: S, [last_u, last_z]: [S; 2], p: &[S]) -> S {
    let (ka, kb, alpha, beta, delta) = (p[0], p[1], p[2], p[3], 1e-20);
    let backbone = |w: S| beta * w * -2.0 + (beta * w).sinh() * 2.0 + kb * w;
    let span = ((ka - kb - delta) * 0.5 + delta) / alpha * xi;
    backbone(u) + span - (backbone(last_u) + span - last_z) * (alpha * (u - last_u) * -xi).exp()
}

impl Equations for Oscillator {
    type Mode = f64;

    fn size(&self) -> Size {
        Size::of(4).algebraic(1).guards(1).costs(1)
    }

    fn start<S: Scalar>(&self, _: &[S], _: &mut [S]) -> f64 {
        1.0
    }

    fn flow<S: Scalar>(&self, _: &f64, at: &Point<S>, dx: &mut [S]) {
        dx[0] = at.x[1];
        dx[1] = at.t * 0.5 * (at.t * (2.0 * PI)).sin() - at.y[0];
    }

    fn constraint<S: Scalar>(&self, xi: &f64, at: &Point<S>, g: &mut [S]) {
        g[0] = at.y[0] - stress(*xi, at.x[0], [at.x[2], at.x[3]], at.p);
    }

    fn crossing(&self, _: usize, xi: &f64) -> Option<Crossing> {
        Some([Crossing::Rising, Crossing::Falling][usize::from(*xi > 0.0)])
    }

    fn guard<S: Scalar>(&self, _: usize, _: &f64, at: &Point<S>) -> S {
        at.x[1]
    }

    fn jump<S: Scalar>(&self, _: usize, xi: &f64, before: &Point<S>, x: &mut [S]) -> f64 {
        (x[2], x[3]) = (before.x[0], before.y[0]);
        -xi
    }

    fn running_costs<S: Scalar>(&self, _: &f64, at: &Point<S>, r: &mut [S]) {
        r[0] = at.x[0] * at.x[0];
    }
}

pub fn study() -> Study<Oscillator> {
    Study::new(Oscillator, &[32.0 * PI * PI, PI * PI, 205.0, 0.0], (0.0, 10.0))
}

/// The gradients, and all other results, with reference values.
pub fn compare() -> Result<[Comparison; 2]> {
    let reference = reference("serban_examples.json", "ex52")?;
    let (study, [mut gradients, mut rest]) = (study(), <[Comparison; 2]>::default());
    let (motion, adjoint) = (study.forward()?, study.adjoint()?);
    for (k, name) in ["ka", "kb", "alpha", "beta"].iter().enumerate() {
        let expected = &reference["dG"][*name];
        gradients.add(format!("dG/d{name} forwards"), motion.gradients.by(0, k), expected);
        gradients.add(format!("dG/d{name} by the adjoint"), adjoint.by(0, k), expected);
    }
    rest.add("G", motion.gradients.costs[0], &reference["G"]);
    let (times, slopes) = (&reference["reversal_times"], &reference["d_reversal_times"]);
    rest.add_events(&motion.events, &["ka", "kb", "alpha"], times, |k, j| &slopes[k][j]);
    for (t, expected) in over_time(&reference["at"]) {
        let at = motion.at(t)?;
        rest.add(format!("u({t})"), at.x[0], &expected["u"]);
        (0..3).for_each(|k| rest.add(format!("du({t})/dp{k}"), at.dx[k][0], &expected["du"][k]));
    }
    Ok([gradients, rest])
}

fn main() -> Result<()> {
    let [gradients, rest] = compare()?;
    rest.print("Oscillator with memory", 12);
    gradients.print("Gradient of G", 1);
    let study = study();
    let motion = study.forward()?;
    let of = |name, value: fn(&Slopes) -> f64| motion.curve(2000, value).map(|curve| panel(name, [(name, curve)]));
    let panels = vec![
        of("u", |at| at.x[0])?,
        of("z", |at| at.y[0])?,
        of("dz/dkb", |at| at.dy[1][0])?,
    ];
    draw("hysteresis", "Oscillator with memory", panels, &motion.events)
}
