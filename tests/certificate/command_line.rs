//! The `gradient` command as a process.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::scenes;

fn costate(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_costate"))
        .args(arguments)
        .output()
        .unwrap()
}

fn gradient(scene: &str, arguments: &[&str]) -> Output {
    let path = scenes().join(format!("{scene}.ron"));
    let path = path.to_str().unwrap();
    costate(&[&["gradient", path], arguments].concat())
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

fn failure(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.ron");
    std::fs::write(&path, text).unwrap();
    let output = costate(&["gradient", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(!message.contains("panicked"), "{message}");
    // Lines are wrapped and framed.
    message
        .replace('│', " ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn the_certificate_is_printed_and_part_of_the_json() {
    let output = gradient("bouncing_ball", &["--certify"]);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(
        output.status.success() && text.contains("certificate: passed"),
        "{text}"
    );
    assert!(text.contains("slowest approach: floor"), "{text}");

    let found = json(&gradient("bouncing_ball", &["--certify", "--json"]));
    let certificate = &found["certificate"];
    assert_eq!(certificate["verdict"], "passed");
    // Two objectives and three impacts by four parameters.
    assert_eq!(certificate["entries"].as_array().unwrap().len(), 5 * 4);
    assert!(certificate["entries"][0]["difference"]["error"].as_f64().unwrap() > 0.0);
    assert!(certificate["margins"]["grazing"]["speed"].as_f64().unwrap() > 1.0);
    assert_eq!(certificate["step_studies"]["e"]["steps"][0]["below"], "same events");
    assert!(found["events"][0]["gradient"]["x0"].as_f64().unwrap() > 0.0);
}

#[test]
fn differences_carry_their_errors() {
    let found = json(&gradient("bouncing_ball", &["--method", "finite-difference", "--json"]));
    assert_eq!(found["method"], "finite-difference");
    let (slope, error) = (
        &found["objectives"]["x_final"]["gradient"]["x0"],
        &found["errors"]["x_final"]["x0"],
    );
    assert!((slope.as_f64().unwrap() - 1.596_182_170_08).abs() < 1e-6 && error.as_f64().unwrap() < 1e-6);
}

#[test]
fn no_influence_is_said_in_words_and_stays_a_zero_in_the_json() {
    let arguments = ["--duration", "2"];
    let output = gradient("bouncing_ball", &arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("no influence: `floor` was never touched"), "{text}");
    let found = json(&gradient("bouncing_ball", &[&arguments[..], &["--json"]].concat()));
    assert_eq!(found["objectives"]["x_final"]["gradient"]["e"], 0.0);
    assert!(
        found["no_influence"]["x_final"]["e"]
            .as_str()
            .unwrap()
            .contains("floor")
    );
}

fn columns(folder: &Path, file: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_path(folder.join(file)).unwrap();
    assert!(reader.records().count() > 0, "{file} has no rows");
    reader.headers().unwrap().iter().map(str::to_string).collect()
}

#[test]
fn tables_and_plots_are_written_together() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new");
    let output = gradient("latch", &["--certify", "--out", out.to_str().unwrap()]);
    assert!(output.status.success());
    assert!(columns(&out, "sensitivities.csv").contains(&"d(y)/d(hold)".to_string()));
    assert!(columns(&out, "event_times.csv").contains(&"dt/d(rate)".to_string()));
    assert_eq!(columns(&out, "gradients.csv")[2..4], ["parameter", "derivative"]);
    assert!(columns(&out, "certificate.csv").contains(&"verdict".to_string()));
    assert!(columns(&out, "step_study.csv").contains(&"quotient".to_string()));
    for plot in ["sensitivity-2-y.svg", "sensitivity-2-y.png", "step-study.png"] {
        assert!(std::fs::metadata(out.join(plot)).unwrap().len() > 1000, "{plot}");
    }
}

const SCENE: &str = r#"Scene(name: "s", space: Planar, parameters: { "m": 1.0PARAMETER },
    points: { "P": (at: [0, 1], velocity: [1, 0], mass: "m") },
    objectives: { "x": Final("VALUE") }, simulation: (duration: 1))"#;

#[test]
fn requests_that_cannot_be_differentiated_fail_with_the_name_at_fault() {
    let scene = |parameter: &str, value: &str| SCENE.replace("PARAMETER", parameter).replace("VALUE", value);
    let missing = failure(&scene("", "heigth"));
    assert!(
        missing.contains("heigth") && missing.contains("scene.ron:3"),
        "{missing}"
    );
    let pole = failure(&scene("", "log(P.x - 2)"));
    assert!(pole.contains("\"x\""), "{pole}");
}
