//! The smallest hybrid system: a ball that falls and bounces. `cargo run --release --example bouncing_ball`

mod support;

use costate::equations::{Crossing, Equations, Point, Scalar, Size, Study};
use costate::error::Result;
use support::{Comparison, draw, panel};

/// States: height and velocity. Parameters: height and velocity at the start, weight per mass, restitution.
#[derive(Debug)]
pub struct Ball;

impl Equations for Ball {
    /// There is one mode: it always flies.
    type Mode = ();

    fn size(&self) -> Size {
        Size::of(2).guards(1)
    }

    fn start<S: Scalar>(&self, p: &[S], x: &mut [S]) {
        x.copy_from_slice(&p[..2]);
    }

    fn flow<S: Scalar>(&self, (): &(), at: &Point<S>, dx: &mut [S]) {
        dx[0] = at.x[1];
        dx[1] = -at.p[2];
    }

    fn event_name(&self, _: usize) -> String {
        "bounce".to_string()
    }

    fn crossing(&self, _: usize, (): &()) -> Option<Crossing> {
        Some(Crossing::Unilateral)
    }

    fn guard<S: Scalar>(&self, _: usize, (): &(), at: &Point<S>) -> S {
        at.x[0]
    }

    fn jump<S: Scalar>(&self, _: usize, (): &(), before: &Point<S>, x: &mut [S]) {
        x[1] = -before.p[3] * before.x[1];
    }
}

pub fn study() -> Study<Ball> {
    Study::new(Ball, &[50.0, 0.0, 9.8, 0.8], (0.0, 15.0))
}

/// Results and the closed form.
pub fn compare() -> Result<Comparison> {
    let (study, mut comparison) = (study(), Comparison::default());
    let motion = study.forward()?;
    comparison.add("time of the first bounce", motion.events[0].t, 3.1943828249997);
    let in_5_s = [0.21744565165, -0.749889085, 1.8747227125, 56.524758425];
    let in_15_s = [1.59618217008, 0.9702706326, -7.27702974451, 314.568839958];
    for (t, height, slopes) in [(5.0, 29.2445651649735, in_5_s), (15.0, 8.49421700760603, in_15_s)] {
        let at = motion.at(t)?;
        comparison.add(format!("x({t})"), at.x[0], height);
        for (k, name) in ["x0", "v0", "g", "e"].iter().enumerate() {
            comparison.add(format!("dx({t})/d{name}"), at.dx[k][0], slopes[k]);
        }
    }
    Ok(comparison)
}

fn main() -> Result<()> {
    compare()?.print("A ball that falls from 50 m", 1);
    let study = study();
    let motion = study.forward()?;
    let slope = |k: usize| motion.curve(600, move |at| at.dx[k][0]);
    let panels = vec![
        panel("height (m)", [("x", motion.curve(600, |at| at.x[0])?)]),
        panel("dx/de (m)", [("dx/de", slope(3)?)]),
        panel("dx/dp", [("by x0", slope(0)?), ("by v0 (s)", slope(1)?)]),
    ];
    draw(
        "bouncing_ball",
        "Bouncing ball and its sensitivities",
        panels,
        &motion.events,
    )
}
