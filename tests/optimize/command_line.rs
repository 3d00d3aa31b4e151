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

/// The arguments of a search that takes seconds, with files in a folder.
fn long_search(folder: &std::path::Path) -> Vec<String> {
    let out = folder.to_str().unwrap().to_string();
    let scene = scene("slider_crank");
    ["optimize", &scene, "--starts", "12", "--json", "--out", &out]
        .map(str::to_string)
        .to_vec()
}

#[test]
#[cfg(unix)]
fn an_interruption_keeps_the_best_point_and_resuming_ends_as_if_there_had_been_none() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, part) = (folder.path().join("whole"), folder.path().join("part"));
    json(
        &Command::new(env!("CARGO_BIN_EXE_costate"))
            .args(long_search(&whole))
            .output()
            .unwrap(),
    );
    let child = Command::new(env!("CARGO_BIN_EXE_costate"))
        .args(long_search(&part))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = || std::fs::read_to_string(part.join("checkpoint.jsonl")).map_or(0, |text| text.lines().count());
    while lines() < 30 {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let signal = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(signal.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["status"], "interrupted");
    assert!(part.join("optimized.ron").is_file());
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("--resume"),
        "{output:?}"
    );
    let mut arguments = long_search(&part);
    arguments.push("--resume".to_string());
    let again = json(
        &Command::new(env!("CARGO_BIN_EXE_costate"))
            .args(arguments)
            .output()
            .unwrap(),
    );
    assert!(again["recalled"].as_u64().unwrap() >= 29, "{}", again["recalled"]);
    for file in ["history.csv", "starts.csv", "optimized.ron"] {
        let read = |folder: &std::path::Path| std::fs::read_to_string(folder.join(file)).unwrap();
        assert_eq!(read(&whole), read(&part), "{file}");
    }
}

#[test]
fn a_checkpoint_of_another_problem_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    json(&costate(&["optimize", &scene("five_bar_rest"), "--json", "--out", out]));
    let path = scene("five_bar_rest");
    let refused = costate(&["optimize", &path, "--set", "k=120", "--out", out, "--resume"]);
    assert_eq!(refused.status.code(), Some(1));
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(
        message.contains("another problem") && message.contains("help:"),
        "{message}"
    );
    let usage = costate(&["optimize", &path, "--resume"]);
    assert_eq!(usage.status.code(), Some(2));
}
