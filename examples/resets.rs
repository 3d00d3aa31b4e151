//! An oscillator whose velocity is reset, with events that accumulate (I. A. Hiskens, M. A. Pai: Trajectory sensitivity
//! analysis of hybrid systems, 2000, example 2).

mod support;

use costate::equations::{Crossing, Equations, Point, Scalar, Size, Study};
use costate::error::Result;
use support::{Comparison, draw, over_time, panel, reference};

/// x1' = x2, x2' = -sgn x1, and x2+ = lambda x2- where x1 = 0. Parameters: lambda and x1 at the start. The mode is sgn x1.
#[derive(Debug)]
pub struct Resets;

impl Equations for Resets {
    type Mode = i32;

    fn size(&self) -> Size {
        Size::of(2).guards(1)
    }

    fn start<S: Scalar>(&self, p: &[S], x: &mut [S]) -> i32 {
        x[0] = p[1];
        1
    }

    fn flow<S: Scalar>(&self, sign: &i32, at: &Point<S>, dx: &mut [S]) {
        dx[0] = at.x[1];
        dx[1] = S::constant(f64::from(-sign));
    }

    fn event_name(&self, _: usize) -> String {
        "reset".to_string()
    }

    fn crossing(&self, _: usize, _: &i32) -> Option<Crossing> {
        Some(Crossing::Unilateral)
    }

    fn guard<S: Scalar>(&self, _: usize, sign: &i32, at: &Point<S>) -> S {
        at.x[0] * f64::from(*sign)
    }

    fn jump<S: Scalar>(&self, _: usize, sign: &i32, before: &Point<S>, x: &mut [S]) -> i32 {
        x[1] = before.p[0] * before.x[1];
        -sign
    }
}

pub fn study(end: f64) -> Study<Resets> {
    Study::new(Resets, &[0.8, 0.25], (0.0, end))
}

/// Results and the closed form.
pub fn compare() -> Result<Comparison> {
    let reference = reference("hiskens_examples_1_2.json", "ex2")?;
    let (study, mut comparison) = (study(6.0), Comparison::default());
    let motion = study.forward()?;
    let (times, slopes) = (&reference["event_times"], &reference["d_event_times_dlambda"]);
    comparison.add_events(&motion.events, &["lambda"], times, |k, _| &slopes[k]);
    for (t, expected) in over_time(&reference["states"]) {
        let at = motion.at(t)?;
        for i in 0..2 {
            comparison.add(format!("x{}({t})", i + 1), at.x[i], &expected["x"][i]);
            comparison.add(
                format!("dx{}({t})/dlambda", i + 1),
                at.dx[0][i],
                &expected["dx_dlambda"][i],
            );
            comparison.add(format!("dx{}({t})/dx1(0)", i + 1), at.dx[1][i], &expected["dx_dx10"][i]);
        }
    }
    Ok(comparison)
}

fn main() -> Result<()> {
    compare()?.print("Oscillator with resets", 4);
    if let Err(error) = study(7.0).simulate() {
        let exact = (2.0 * 0.25_f64).sqrt() * 1.8 / 0.2;
        println!("up to t = 7: {error}\nin closed form they accumulate at t = {exact:.6} s\n");
    }
    let study = study(6.3);
    let motion = study.forward()?;
    let x = |i: usize| motion.curve(900, move |at| at.x[i]);
    let slope = |i: usize| motion.curve(900, move |at| at.dx[0][i]);
    let panels = vec![
        panel("state", [("x1", x(0)?), ("x2", x(1)?)]),
        panel("by lambda", [("dx1/dlambda", slope(0)?), ("dx2/dlambda", slope(1)?)]),
    ];
    draw("resets", "Oscillator with resets", panels, &motion.events)
}
