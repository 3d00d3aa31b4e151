//! `costate gradient --hessian`.

use std::process::Command;

use serde_json::Value;

use super::support::scenes;

fn run(arguments: &[&str]) -> (bool, String, String) {
    let scene = scenes().join("bouncing_ball.ron");
    let output = Command::new(env!("CARGO_BIN_EXE_costate"))
        .arg("gradient")
        .arg(scene)
        .args(arguments)
        .output()
        .expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.success(), text(output.stdout), text(output.stderr))
}

#[test]
fn json_and_tables_hold_every_second_derivative() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_string_lossy().into_owned();
    let (ok, json, errors) = run(&["--hessian", "--json", "--out", &out]);
    assert!(ok, "{errors}");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let found = &json["hessian"]["objectives"]["x_final"]["e"]["e"];
    assert!((found.as_f64().expect("a number") / -4187.746378 - 1.0).abs() < 1e-6);
    assert_eq!(json["hessian"]["simulations"], 10);
    let table = std::fs::read_to_string(folder.path().join("hessian.csv")).expect("the table");
    assert_eq!(table.lines().count(), 1 + 2 * 4 * 4);
    assert!(table.starts_with("objective,parameter,and parameter,second derivative"));
}

#[test]
fn the_summary_shows_a_triangle_per_objective() {
    let (ok, shown, errors) = run(&["--hessian"]);
    assert!(ok, "{errors}");
    assert!(shown.contains("second derivatives of x_final"), "{shown}");
    assert!(shown.contains("10 simulations for second derivatives"), "{shown}");
    let (ok, shown, _) = run(&["--hessian", "--formulation", "penalty"]);
    assert!(!ok && shown.is_empty());
}
