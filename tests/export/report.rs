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
    assert!(list(&page["objectives"]).is_empty() && !list(&page["blocks"]).is_empty());
}

#[test]
fn a_section_that_fails_says_why_and_the_rest_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, page) = (folder.path().join("scene.ron"), folder.path().join("report.html"));
    // No motion has the output after a third of a second.
    let text = planar(
        1.0,
        r#"gravity: [0, -9.81], parameters: { "h": (value: 1.0, bounds: (0.5, 2)) }, points: { "P": (at: [0, "h"], mass: 1) },
        outputs: { "root": "sqrt(P.y - 0.5)" }, objectives: { "y": Final("P.y") },
        optimization: (minimize: "y", over: ["h"], solver: LbfgsB),"#,
    );
    std::fs::write(&scene, text).unwrap();
    let output = report(scene.to_str().unwrap(), &page, &["--vary", "h=0.5:2:4"]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        message.contains("the first in Run") && message.contains("root"),
        "{message}"
    );
    let (printed, page) = found(&output, &page);
    assert!(list(&page["times"]).is_empty());
    let status = |title: &str| {
        let mut sections = list(&printed["sections"]).iter();
        sections.find(|section| section["title"] == title).unwrap()["status"].clone()
    };
    assert_eq!(
        (status("Run"), status("Optimization"), status("Sweep")),
        ("failed".into(), "ok".into(), "ok".into())
    );
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
    let (_, page) = found(&output, &page);
    assert!(
        list(&page["sections"])
            .iter()
            .all(|section| !section["failure"].is_null())
    );
}
