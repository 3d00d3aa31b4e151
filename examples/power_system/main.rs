//! A power system whose transformer changes its taps (I. A. Hiskens, M. A. Pai: Trajectory sensitivity analysis of hybrid systems,
//! 2000, example 3): continuous, algebraic and discrete states, a timer, and a limit.

mod model;
#[path = "../support/mod.rs"]
mod support;

use costate::error::Result;
use model::PARAMETERS;
pub use model::study;
use support::{Comparison, draw, over_time, panel, reference};

fn names() -> impl Iterator<Item = &'static str> {
    PARAMETERS.split(' ')
}

/// Results and reference values.
pub fn compare() -> Result<Comparison> {
    let reference = reference("hiskens_example_3.json", "sets")?[0].take();
    let (study, mut comparison) = (study(0.65), Comparison::default());
    let motion = study.forward()?;
    let events: Vec<_> = motion
        .events
        .iter()
        .filter(|event| event.name != "timer starts")
        .collect();
    comparison.add(
        "number of events",
        events.len() as f64,
        reference["events"].as_array().map_or(0, Vec::len) as f64,
    );
    for (k, event) in events.iter().enumerate() {
        comparison.add(format!("t of {}", event.name), event.t, &reference["events"][k]["t"]);
        for (slope, name) in event.slopes.iter().zip(names()) {
            let expected = reference["events"][k]["dt"][name].as_f64().unwrap_or(0.0);
            comparison.add(format!("dt of {}/d{name}", event.name), *slope, expected);
        }
    }
    for (t, expected) in over_time(&reference["at"]) {
        let at = motion.at(t)?;
        for (name, value) in [("xp", at.x[0]), ("V3", at.y[0]), ("V2", at.y[1]), ("Pd", at.y[2])] {
            comparison.add(format!("{name}({t})"), value, &expected[name]);
        }
        for (k, name) in names().enumerate() {
            comparison.add(format!("dxp({t})/d{name}"), at.dx[k][0], &expected["dxp"][name]);
            comparison.add(format!("dV3({t})/d{name}"), at.dy[k][0], &expected["dV3"][name]);
        }
    }
    Ok(comparison)
}

fn main() -> Result<()> {
    compare()?.print("Power system with tap changer", 16);
    if let Err(error) = study(0.69).simulate() {
        println!("X1post = 0.69: {error}\n");
    }
    let study = study(0.65);
    let motion = study.forward()?;
    let v3 = motion.curve(1200, |at| at.y[0])?;
    let slope = |k: usize| motion.curve(1200, move |at| at.dy[k][0]);
    let panels = vec![
        panel("V3 and Pd", [("V3", v3), ("Pd", motion.curve(1200, |at| at.y[2])?)]),
        panel("dV3/dp", [("by Tp", slope(0)?), ("by Ttap", slope(7)?)]),
    ];
    draw("power_system", "Power system with tap changer", panels, &motion.events)
}
