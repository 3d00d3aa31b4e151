//! Prints the scene of the N four-bar mechanism (benchmark A02 of the IFToMM library of computational benchmark problems) for any
//! number of windows: `cargo run --example n_four_bar_generator -- 40 > n_four_bar_40.ron`.
//!
//! The mechanism passes positions in which all rods are in line and the joints lose their independence.

use std::fmt::Write;

/// Windows when the argument is left out.
const WINDOWS: usize = 40;

fn main() -> Result<(), String> {
    let windows = match std::env::args().nth(1) {
        None => WINDOWS,
        Some(text) => match text.parse() {
            Ok(windows) if windows > 0 => windows,
            _ => {
                return Err(format!(
                    "the number of windows is a positive whole number, not {text:?}"
                ));
            }
        },
    };
    print!("{}", scene(windows));
    Ok(())
}

/// Entries of a map, one per index, each on a line of its own.
fn entries(indices: impl Iterator<Item = usize>, entry: impl Fn(usize) -> String) -> String {
    indices.fold(String::new(), |mut text, i| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "        {},", entry(i));
        text
    })
}

fn bar(name: &str, i: usize, from: &str, to: &str) -> String {
    format!(r#""{name} {i}": Bar(from: "{from}", to: "{to}", length: "L", mass: "m")"#)
}

/// The scene with this many windows.
pub fn scene(windows: usize) -> String {
    let pivots = entries(0..=windows, |i| format!(r#""A{i}": ["{i}*L", 0.0]"#));
    let corners = entries(1..=windows, |i| format!(r#""B{i}": (guess: ["{i}*L", "L"])"#));
    let uprights = entries(0..=windows, |i| bar("upright", i, &format!("A{i}"), &format!("B{i}")));
    let couplers = entries(1..=windows, |i| {
        bar("coupler", i, &format!("B{}", i - 1), &format!("B{i}"))
    });
    format!(
        r#"// N four-bar mechanism, IFToMM benchmark A02, with N = {windows}.
Scene(
    name: "N four-bar mechanism, N = {windows}",
    source: "IFToMM benchmark A02",
    about: "Unit-square windows side by side, hinged to the ground; uniform rods of 1 m and 1 kg",
    space: Planar,
    parameters: {{
        "L":  (value: 1.0, unit: "m", bounds: (0.5, 2.0), about: "length of every rod and distance of the pivots"),
        "m":  (value: 1.0, unit: "kg", bounds: (0.1, 10.0), about: "mass of every rod"),
        "v0": (value: 1.0, unit: "m/s", bounds: (0.1, 10.0), about: "initial speed of B0"),
    }},
    gravity: [0.0, -9.81],
    ground: {{
{pivots}    }},
    points: {{
        "B0": (at: [0.0, "L"], velocity: ["v0", 0.0]),
{corners}    }},
    bodies: {{
{uprights}{couplers}    }},
    outputs: {{ "B0x": "B0.x", "B0y": "B0.y" }},
    objectives: {{
        "B0x":    Final("B0x"),
        "B0y":    Final("B0y"),
        "energy": Final("energy.total"),
        "height": Integral("B0y"),
    }},
    simulation: (duration: 10.0),
)
"#
    )
}
