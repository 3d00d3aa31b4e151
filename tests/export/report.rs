//! `costate report`: one page with everything, and sections that fail alone.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::page::{data, list};
use super::support::{planar, scenes};

fn report(scene: &str, page: &Path, options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_costate"))
        .args(["report", scene, "--out", page.to_str().unwrap(), "--json"])
        .args(options)
        .output()
        .unwrap()
}

fn shipped(name: &str) -> String {
    scenes().join(format!("{name}.ron")).to_str().unwrap().to_string()
}

/// What is printed, and the data of the page, which asks no host for anything.
fn found(output: &Output, page: &Path) -> (Value, Value) {
    let printed = serde_json::from_slice(&output.stdout).unwrap();
    let html = std::fs::read_to_string(page).unwrap();
    for host in html.match_indices("://").map(|(at, _)| &html[at..]) {
        assert!(host.starts_with("://www.w3.org/"), "{}", &host[..60.min(host.len())]);
    }
    (printed, data(&html))
}

fn titles(page: &Value) -> Vec<&str> {
    list(&page["sections"])
        .iter()
        .map(|section| section["title"].as_str().unwrap())
        .collect()
}

/// A column of the first table of a section with this title.
fn column(page: &Value, section: &str, table: &str, name: &str) -> Vec<String> {
    let named = |list: &[Value], title: &str| list.iter().find(|found| found["title"] == title).unwrap().clone();
    let table = named(list(&named(list(&page["sections"]), section)["tables"]), table);
    let place = list(&table["header"]).iter().position(|found| found == name).unwrap();
    list(&table["rows"])
        .iter()
        .map(|row| row[place].as_str().unwrap().to_string())
        .collect()
}

fn json(command: &str, arguments: &[&str]) -> Value {
    let mut program = Command::new(env!("CARGO_BIN_EXE_costate"));
    let output = program
        .arg(command)
        .args(arguments)
        .args(["--json", "--quiet"])
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_report_holds_what_every_command_finds() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    let scene = shipped("bouncing_ball_fit");
    let output = report(&scene, &page, &["--vary", "e=0.74:0.76:3"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (printed, page) = found(&output, &page);
    assert_eq!(titles(&page), ["Run", "Certificate", "Optimization", "Sweep"]);
    assert!(
        list(&printed["sections"])
            .iter()
            .all(|section| section["status"] == "ok")
    );
    assert!(!list(&page["blocks"]).is_empty() && !list(&page["objectives"]).is_empty());
    for section in list(&page["sections"]) {
        assert!(section["failure"].is_null() && !list(&section["tables"]).is_empty());
        let figures = list(&section["figures"]);
        assert!(
            !figures.is_empty()
                && figures
                    .iter()
                    .all(|figure| figure["svg"].as_str().unwrap().starts_with("<svg"))
        );
    }
    let optimized = json("optimize", &[&scene]);
    let (names, after) = (
        column(&page, "Optimization", "Parameters", "parameter"),
        column(&page, "Optimization", "Parameters", "after"),
    );
    for (name, after) in names.iter().zip(after) {
        assert_eq!(
            after.parse::<f64>().unwrap(),
            optimized["final"]["parameters"][name].as_f64().unwrap()
        );
    }
    let swept = json("sweep", &[&scene, "--vary", "e=0.74:0.76:3"]);
    let misfits = column(&page, "Sweep", "Points", "misfit");
    let rows = list(&swept["rows"]).iter().zip(misfits);
    assert_eq!(rows.len(), 3);
    for (row, misfit) in rows {
        assert_eq!(
            misfit.parse::<f64>().unwrap(),
            row["objectives"]["misfit"].as_f64().unwrap()
        );
    }
    assert!(
        column(&page, "Certificate", "Derivatives", "verdict")
            .iter()
            .all(|verdict| verdict == "passed")
    );
    let run = json("run", &[&scene]);
    let times: Vec<f64> = column(&page, "Run", "Events", "t")
        .iter()
        .map(|t| t.parse().unwrap())
        .collect();
    let known: Vec<f64> = list(&run["events"])
        .iter()
        .map(|event| event["t"].as_f64().unwrap())
        .collect();
    assert_eq!(times, known);
}

#[test]
fn parts_can_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    let without = [
        "--without",
        "certificate,gradient,sweep",
        "--without",
        "run",
        "--vary",
        "e=0.74:0.76:3",
    ];
    let output = report(&shipped("bouncing_ball_fit"), &page, &without);
    let (_, page) = found(&output, &page);
    assert_eq!(titles(&page), ["Optimization"]);
    assert!(page["objectives"].is_null() && !list(&page["blocks"]).is_empty());
}

/// The sections by title and status.
fn statuses(printed: &Value) -> Vec<(&str, &str)> {
    let sections = list(&printed["sections"]).iter();
    sections
        .map(|section| (section["title"].as_str().unwrap(), section["status"].as_str().unwrap()))
        .collect()
}

/// A motion whose output is no number after a third of a second.
fn falling() -> String {
    planar(
        1.0,
        r#"gravity: [0, -9.81], parameters: { "h": (value: 1.0, bounds: (0.5, 2)) }, points: { "P": (at: [0, "h"], mass: 1) },
        outputs: { "root": "sqrt(P.y - 0.5)" }, objectives: { "y": Final("P.y") },
        optimization: (minimize: "y", over: ["h"], solver: LbfgsB),"#,
    )
}

#[test]
fn a_motion_that_fails_is_told_without_the_section_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, page) = (folder.path().join("scene.ron"), folder.path().join("report.html"));
    std::fs::write(&scene, falling()).unwrap();
    let without = ["--without", "run,gradient,certificate,optimization"];
    let output = report(scene.to_str().unwrap(), &page, &without);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("the section \"Motion\" failed") && message.contains("root"));
    let (printed, page) = found(&output, &page);
    assert_eq!(statuses(&printed), [("Motion", "failed")]);
    let [motion] = list(&page["sections"]) else { panic!() };
    assert!(motion["failure"][0].as_str().unwrap().contains("root") && motion["failure"][1].is_string());
}

#[test]
fn gradients_that_fail_are_a_failure_of_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, page) = (folder.path().join("scene.ron"), folder.path().join("report.html"));
    // Both walls at once, and one after the other for any other value.
    let text = planar(
        1.0,
        r#"parameters: { "x": 1.0 }, points: { "P": (at: ["x", 1], velocity: [-2, -2], mass: 1) },
        contacts: {
            "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0.6, 0.8]), law: Restitution(0.5)),
            "wall": Touch(point: "P", surface: Plane(through: [0, 0], normal: [1, 0]), law: Restitution(1)),
        },
        objectives: { "y": Final("P.y") },"#,
    );
    std::fs::write(&scene, text).unwrap();
    let output = report(scene.to_str().unwrap(), &page, &["--without", "certificate"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("the section \"Gradients\" failed"), "{message}");
    let (printed, page) = found(&output, &page);
    assert_eq!(statuses(&printed), [("Gradients", "failed"), ("Run", "ok")]);
    assert!(
        page["objectives"][0]["reason"]
            .as_str()
            .unwrap()
            .contains("one after the other")
    );
    assert!(!list(&page["blocks"]).is_empty());
}

#[test]
fn a_section_that_fails_says_why_and_the_rest_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, page) = (folder.path().join("scene.ron"), folder.path().join("report.html"));
    std::fs::write(&scene, falling()).unwrap();
    let output = report(scene.to_str().unwrap(), &page, &["--vary", "h=0.5:2:4"]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        message.contains("the section \"Run\" failed") && message.contains("root"),
        "{message}"
    );
    let (printed, page) = found(&output, &page);
    assert!(list(&page["times"]).is_empty());
    let statuses = statuses(&printed);
    for wanted in [("Run", "failed"), ("Optimization", "ok"), ("Sweep", "ok")] {
        assert!(statuses.contains(&wanted), "{statuses:?}");
    }
    let run = &list(&page["sections"])[0];
    assert!(run["failure"][0].as_str().unwrap().contains("root") && run["failure"][1].is_string());
    assert_eq!(column(&page, "Sweep", "Points", "y").len(), 4);
}

#[test]
fn wrong_requests_write_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (name, options, code, words) in [
        ("report.glb", &[][..], 2, "a name that ends with .html"),
        ("report.html", &["--vary", "nothing=0:1:3"][..], 2, "nothing"),
        ("report.html", &["--vary", "e=0:1"][..], 2, "has no number of values"),
        ("report.html", &["--without", "everything"][..], 2, "certificate"),
    ] {
        let page = folder.path().join(name);
        let output = report(&shipped("bouncing_ball_fit"), &page, options);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{message}");
        assert!(message.contains(words) && !page.exists(), "{message}");
    }
}

#[test]
fn when_time_is_over_the_page_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    let output = report(&shipped("five_bar"), &page, &["--max-time", "0.000001"]);
    assert_eq!(output.status.code(), Some(1));
    let (printed, _) = found(&output, &page);
    let wanted = ["Run", "Certificate", "Optimization"].map(|title| (title, "failed"));
    assert_eq!(statuses(&printed), wanted);
}
