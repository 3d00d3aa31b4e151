//! The `optimize` command as a process.

use std::process::{Command, Output};

use serde_json::Value;

use crate::support::scenes;

fn costate(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_costate"))
        .args(arguments)
        .output()
        .unwrap()
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn scene(name: &str) -> String {
    scenes().join(format!("{name}.ron")).to_str().unwrap().to_string()
}

#[test]
fn the_optimized_scene_can_be_run_and_reaches_the_value_found() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results");
    let path = scene("five_bar_rest");
    let found = json(&costate(&[
        "optimize",
        &path,
        "--set",
        "k=120",
        "--json",
        "--out",
        out.to_str().unwrap(),
    ]));
    for file in [
        "history.csv",
        "convergence.svg",
        "convergence.png",
        "optimized.ron",
        "path.png",
        "outputs.png",
    ] {
        assert!(out.join(file).is_file(), "{file}");
    }
    for file in ["path.svg", "outputs.svg"] {
        let drawing = std::fs::read_to_string(out.join(file)).unwrap();
        assert!(drawing.contains("before") && drawing.contains("after"), "{file}");
    }
    let text = std::fs::read_to_string(out.join("optimized.ron")).unwrap();
    assert!(
        text.starts_with("// Optimized by `costate optimize` from five_bar_rest.ron."),
        "{text}"
    );
    let again = json(&costate(&[
        "run",
        out.join("optimized.ron").to_str().unwrap(),
        "--json",
    ]));
    let value = again["objectives"]["int_distance"].as_f64().unwrap();
    let expected = found["final"]["value"].as_f64().unwrap();
    assert!(
        (value - expected).abs() < 1e-15 && expected < 1e-10,
        "{value} {expected}"
    );
    let rows = std::fs::read_to_string(out.join("history.csv"))
        .unwrap()
        .lines()
        .count();
    assert_eq!(rows, 1 + found["history"].as_array().unwrap().len());
}

#[test]
fn the_json_object_has_what_scripts_read() {
    let found = json(&costate(&["optimize", &scene("slider_crank"), "--json"]));
    assert_eq!(
        (found["objective"].as_str(), found["solver"].as_str()),
        (Some("length"), Some("slsqp"))
    );
    assert_eq!(found["status"], "minimum");
    assert_eq!(found["initial"]["parameters"]["L"], 0.35);
    assert!((found["constraints"]["overload"].as_f64().unwrap() - 0.5).abs() < 1e-6);
    let history = found["history"].as_array().unwrap();
    assert_eq!(found["iterations"].as_u64().unwrap() as usize + 1, history.len());
    for field in [
        "iteration",
        "value",
        "violation",
        "projected_gradient",
        "step",
        "simulations",
        "events_changed",
    ] {
        assert!(history[0].get(field).is_some(), "{field}");
    }
    assert!(found["simulations"].as_u64() >= found["gradients"].as_u64());
}

#[test]
fn what_cannot_be_optimized_is_refused_with_advice() {
    let cases = [
        (
            vec!["optimize".to_string(), scene("four_bar")],
            "does not say what to optimize",
        ),
        (
            vec![
                "optimize".to_string(),
                scene("slider_crank"),
                "--solver".into(),
                "bfgs".into(),
            ],
            "cannot keep the limit",
        ),
    ];
    for (arguments, words) in cases {
        let output = costate(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(1));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(words) && message.contains("help:"), "{message}");
    }
}
