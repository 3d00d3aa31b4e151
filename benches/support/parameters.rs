//! Five-bar scenes with other parameters than the shipped ones.

use std::path::Path;

use costate::run::{Changes, Experiment};
use costate::scene::parse;

/// Tolerance of simulations and gradients by many parameters.
const TOLERANCE: f64 = 1e-9;

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes").join(name);
    std::fs::read_to_string(path).expect("the scene is there")
}

fn experiment(text: &str, tolerance: f64) -> Experiment {
    let mut file = parse("five_bar.ron", text).expect("the scene is sound");
    file.scene.optimization = None;
    let changes = Changes {
        rtol: Some(tolerance),
        atol: Some(tolerance),
        ..Changes::default()
    };
    Experiment::new(&file, &changes).expect("the scene compiles")
}

/// Puts something else in the place of each of these parts of a text.
fn replaced(mut text: String, pairs: &[(&str, String)]) -> String {
    for (from, to) in pairs {
        assert!(text.contains(from), "the scene has no {from}");
        text = text.replace(from, to);
    }
    text
}

/// The text with the integral of (y2 + 2)^2 as its only objective.
fn with_one_objective(text: &str) -> String {
    let start = text.find("    objectives: {").expect("the scene has objectives");
    let end = start + text[start..].find("    },").expect("they end") + "    },".len();
    format!(
        "{}    objectives: {{ \"int_height\": Integral(\"(y2 + 2)^2\") }},{}",
        &text[..start],
        &text[end..]
    )
}

/// A scene whose stiffnesses are means of this many parameters, with one objective.
fn means(name: &str, count: usize) -> Experiment {
    let names: Vec<String> = (0..count).map(|i| format!("s{i}")).collect();
    let given: String = names.iter().map(|name| format!("\"{name}\": 100.0, ")).collect();
    // In brackets of ten: an expression may have only so many operands in a row.
    let groups: Vec<String> = names
        .chunks(10)
        .map(|group| format!("({})", group.join(" + ")))
        .collect();
    let mean = format!("({})/{count}", groups.join(" + "));
    let text = with_one_objective(&text(name));
    let text = replaced(
        text,
        &[
            (
                "\"k1\":  (value: 100.0, unit: \"N/m\", about: \"stiffness of the spring from P1 to B\"),",
                given,
            ),
            (
                "        \"k2\":  (value: 100.0, unit: \"N/m\", about: \"stiffness of the spring from P2 to B\"),\n",
                String::new(),
            ),
            ("\"k1\"", format!("\"{mean}\"")),
            ("\"k2\"", format!("\"{mean}\"")),
        ],
    );
    experiment(&constant_lengths(text), TOLERANCE)
}

/// Lengths as numbers, so that only the stiffnesses depend on parameters.
fn constant_lengths(mut text: String) -> String {
    let values = [
        ("LA1", "sqrt(2)"),
        ("L12", "sqrt(3.25)"),
        ("L23", "sqrt(3.25)"),
        ("L3B", "sqrt(2)"),
        ("L01", "sqrt(5)"),
        ("L02", "sqrt(4.25)"),
    ];
    text = text
        .lines()
        .filter(|line| {
            !values
                .iter()
                .any(|(name, _)| line.trim_start().starts_with(&format!("\"{name}\":")))
        })
        .collect::<Vec<_>>()
        .join("\n");
    for (name, value) in values {
        text = text.replace(&format!("\"{name}\""), &format!("\"{value}\""));
    }
    text
}

/// The five-bar mechanism with the ground by this many parameters.
pub fn ground(count: usize) -> Experiment {
    means("five_bar.ron", count)
}

/// The five-bar mechanism without ground by this many parameters.
pub fn smooth(count: usize) -> Experiment {
    means("five_bar_smooth.ron", count)
}

/// A five-bar scene by four lengths, four masses, two stiffnesses and two natural lengths, with one objective,
/// at a tolerance.
pub fn twelve(name: &str, tolerance: f64) -> Experiment {
    let text = with_one_objective(&text(name));
    let masses = [
        ("left crank", "m1"),
        ("left rod", "m2"),
        ("right rod", "m3"),
        ("right crank", "m4"),
    ];
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for (bar, mass) in masses {
        let line = lines
            .iter_mut()
            .find(|line| line.trim_start().starts_with(&format!("\"{bar}\":")))
            .expect("the bar is there");
        let start = line.find("mass: ").expect("it has a mass") + "mass: ".len();
        let end = start + line[start..].find(')').expect("the bar ends");
        line.replace_range(start..end, &format!("\"{mass}\""));
    }
    let given = "    parameters: {\n        \"m1\": 1.0, \"m2\": 1.5, \"m3\": 1.5, \"m4\": 1.0,".to_string();
    experiment(&replaced(lines.join("\n"), &[("    parameters: {", given)]), tolerance)
}
