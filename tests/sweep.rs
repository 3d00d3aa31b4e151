//! What a sweep promises: the same table however it was computed, rows that belong together, and plots of them.
#![cfg(feature = "cli")]

mod support;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use support::{experiment, planar, scenes};

fn costate(arguments: &[&str]) -> Output {
    support::costate(arguments).output().unwrap()
}

fn scene(name: &str) -> String {
    scenes().join(format!("{name}.ron")).to_str().unwrap().to_string()
}

/// A sweep of the bouncing ball over its restitution, with further arguments.
fn ball(folder: &Path, more: &[&str]) -> Output {
    let path = scene("bouncing_ball");
    let fixed = [
        "sweep",
        &path,
        "--vary",
        "e=0.5:0.95:10",
        "--gradient",
        "--out",
        folder.to_str().unwrap(),
    ];
    costate(&[&fixed, more].concat())
}

fn done(output: Output) -> Output {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn table(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn a_row_has_the_objectives_and_derivatives_of_its_own_simulation() {
    let path = scene("bouncing_ball");
    let arguments = [
        "sweep",
        &path,
        "--vary",
        "e=0.6:0.8:3",
        "--vary",
        "g=9:10:2",
        "--gradient",
        "--json",
    ];
    let found: Value = serde_json::from_slice(&done(costate(&arguments)).stdout).unwrap();
    let row = &found["rows"][3];
    assert_eq!(
        (row["parameters"]["e"].as_f64(), row["parameters"]["g"].as_f64()),
        (Some(0.7), Some(10.0))
    );
    let alone = ["gradient", &path, "--set", "e=0.7", "--set", "g=10", "--json"];
    let alone: Value = serde_json::from_slice(&done(costate(&alone)).stdout).unwrap();
    let objectives = alone["objectives"].as_object().unwrap();
    assert!(!objectives.is_empty());
    for (name, objective) in objectives {
        assert_eq!(row["objectives"][name], objective["value"], "{name}");
        for parameter in ["e", "g"] {
            let slope = &objective["gradient"][parameter];
            assert_eq!(&row["gradient"][name][parameter], slope, "{name} {parameter}");
            assert_ne!(slope.as_f64(), Some(0.0), "{name} {parameter}");
        }
    }
    assert_eq!(
        row["events"].as_u64().unwrap() as usize,
        alone["events"].as_array().unwrap().len()
    );
}

#[test]
fn the_table_is_the_same_for_any_number_of_threads_and_shards() {
    let folder = tempfile::tempdir().unwrap();
    let [one, many, shards] = ["one", "many", "shards"].map(|name| folder.path().join(name));
    done(ball(&one, &["--threads", "1"]));
    done(ball(&many, &["--threads", "4"]));
    let expected = table(&one, "sweep.csv");
    assert_eq!(expected.lines().count(), 11);
    assert_eq!(table(&many, "sweep.csv"), expected);
    for number in [3, 1, 2] {
        done(ball(&shards, &["--shard", &format!("{number}/3")]));
    }
    let mut joined = expected.lines().next().unwrap().to_string() + "\n";
    for number in 1..=3 {
        let shard = table(&shards, &format!("sweep-{number}-of-3.csv"));
        joined += shard.split_once('\n').unwrap().1;
    }
    assert_eq!(joined, expected);
    // Without --shard, the rows of the shards are collected.
    let whole: Value = serde_json::from_slice(&done(ball(&shards, &["--json"])).stdout).unwrap();
    assert_eq!(whole["statistics"]["kept"], 10);
    assert_eq!(whole["statistics"]["simulated"], 0);
    assert_eq!(table(&shards, "sweep.csv"), expected);
    assert!(shards.join("sweep.svg").is_file());
}

#[test]
fn a_sweep_that_was_interrupted_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    done(ball(&out, &[]));
    let expected = table(&out, "sweep.csv");
    let lines: Vec<&str> = expected.lines().collect();
    // As an interrupted run leaves it: not in order, the last line torn.
    let (torn, _) = lines[5].split_at(lines[5].len() / 2);
    let kept = [lines[0], lines[3], lines[1], lines[8], torn].join("\n");
    std::fs::write(out.join("sweep.csv"), &kept).unwrap();
    let found: Value = serde_json::from_slice(&done(ball(&out, &["--json"])).stdout).unwrap();
    assert_eq!(
        (
            found["statistics"]["kept"].as_u64(),
            found["statistics"]["simulated"].as_u64()
        ),
        (Some(3), Some(7))
    );
    assert_eq!(table(&out, "sweep.csv"), expected);
}

#[test]
fn the_rows_of_a_process_that_was_killed_are_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let (path, out_path) = (scene("four_bar"), out.to_str().unwrap());
    let arguments = [
        "sweep",
        &path,
        "--vary",
        "crank L=0.3:0.5:60",
        "--gradient",
        "--threads",
        "1",
        "--out",
        out_path,
        "--quiet",
    ];
    let mut process = Command::new(env!("CARGO_BIN_EXE_costate"))
        .args(arguments)
        .spawn()
        .unwrap();
    let rows = || std::fs::read_to_string(out.join("sweep.csv")).map_or(0, |text| text.lines().count());
    while rows() < 4 {
        assert!(process.try_wait().unwrap().is_none(), "ended before it could be killed");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    process.kill().unwrap();
    process.wait().unwrap();
    let text = table(&out, "sweep.csv");
    let kept = text.matches('\n').count() - 1;
    assert!((3..60).contains(&kept), "{kept}");
    let short = [
        "sweep",
        &path,
        "--vary",
        "crank L=0.3:0.5:60",
        "--gradient",
        "--shard",
        "1/60",
        "--out",
        out_path,
        "--json",
    ];
    let found: Value = serde_json::from_slice(&done(costate(&short)).stdout).unwrap();
    assert_eq!(
        (
            found["statistics"]["kept"].as_u64(),
            found["statistics"]["simulated"].as_u64()
        ),
        (Some(1), Some(0))
    );
}

#[test]
fn the_files_of_another_sweep_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    done(ball(&out, &[]));
    let before = table(&out, "sweep.csv");
    let path = scene("bouncing_ball");
    let out_path = out.to_str().unwrap();
    let cases: [(&[&str], &str); 4] = [
        (&["--vary", "e=0.5:0.9:10", "--gradient"], "`vary`"),
        (&["--vary", "e=0.5:0.95:11", "--gradient"], "`points`"),
        (&["--vary", "e=0.5:0.95:10"], "`gradient`"),
        (&["--vary", "e=0.5:0.95:10", "--gradient", "--set", "g=9"], "`set`"),
    ];
    for (arguments, words) in cases {
        let output = costate(&[&["sweep", &path, "--out", out_path], arguments].concat());
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(
            message.contains("another sweep") && message.contains(words) && message.contains("help:"),
            "{message}"
        );
    }
    let text = std::fs::read_to_string(&path)
        .unwrap()
        .replace("duration: 15", "duration: 14");
    let changed = folder.path().join("ball.ron");
    std::fs::write(&changed, text).unwrap();
    let arguments = [
        "sweep",
        changed.to_str().unwrap(),
        "--vary",
        "e=0.5:0.95:10",
        "--gradient",
        "--out",
        out_path,
    ];
    let message = String::from_utf8(costate(&arguments).stderr).unwrap();
    assert!(message.contains("scene has another text"), "{message}");
    assert_eq!(table(&out, "sweep.csv"), before);
    // A row that the sweep does not have.
    std::fs::write(out.join("sweep.csv"), before.replace("\n4,0.7,", "\n4,0.71,")).unwrap();
    let message = String::from_utf8(ball(&out, &[]).stderr).unwrap();
    assert!(message.contains("line 6"), "{message}");
}

#[test]
fn points_that_fail_are_rows_with_a_reason() {
    let fields = r#"parameters: { "a": 1.0 },
        ground: { "A": [0, 0], "B": [2, 0] },
        points: { "P": (guess: [0.8, 0.5]) },
        bodies: {
            "left": Bar(from: "A", to: "P", length: "a", mass: 1),
            "right": Bar(from: "P", to: "B", length: 1.5, mass: 1),
        },
        objectives: { "height": Final("P.y") },"#;
    let text = planar(0.01, fields);
    experiment(&text, &costate::run::Changes::default());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("roof.ron");
    std::fs::write(&path, text).unwrap();
    let out = folder.path().join("out");
    // It closes above 0.5.
    let arguments = [
        "sweep",
        path.to_str().unwrap(),
        "--vary",
        "a=0.3:0.9:7",
        "--json",
        "--out",
        out.to_str().unwrap(),
    ];
    let found: Value = serde_json::from_slice(&done(costate(&arguments)).stdout).unwrap();
    let rows = found["rows"].as_array().unwrap();
    for (row, closes) in rows.iter().zip([false, false, false, true, true, true, true]) {
        let near_the_limit = (row["parameters"]["a"].as_f64().unwrap() - 0.5).abs() < 1e-9;
        assert!(near_the_limit || (row["status"] == "ok") == closes, "{row}");
        assert_eq!(row["status"] == "assembly", row["reason"].is_string(), "{row}");
    }
    assert_eq!(found["failures"][0]["status"], "assembly");
    let again: Value = serde_json::from_slice(&done(costate(&arguments)).stdout).unwrap();
    assert_eq!(again["rows"], found["rows"], "failures come back from the table");
    assert_eq!(again["statistics"]["simulated"], 0);
}

#[test]
fn wrong_usage_has_its_own_status_and_advice() {
    let path = scene("four_bar");
    let cases: [(&[&str], &str); 9] = [
        (&["--vary", "crnk L=0.2:0.6:5"], "did you mean `crank L`"),
        (&["--vary", "crank L=0.6:0.2:5"], "smaller one first"),
        (&["--vary", "crank L=0.2:0.6:1"], "at least 2"),
        (&["--vary", "crank L=0.2:0.6"], "write --vary NAME=LOW:HIGH:N"),
        (
            &["--vary", "crank L=0.2:0.6:5", "--sample", "4"],
            "without a number of values",
        ),
        (
            &["--vary", "crank L=0.2:0.6:5", "--set", "crank L=0.3"],
            "leave out --set",
        ),
        (
            &["--vary", "crank L=0.2:0.6:5", "--vary", "crank L=0.2:0.6:5"],
            "one range",
        ),
        (&["--vary", "crank L=0.2:0.6:5", "--shard", "4/3"], "K from 1 to N"),
        (&[], "--vary"),
    ];
    for (arguments, words) in cases {
        let output = costate(&[&["sweep", path.as_str()], arguments].concat());
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(words), "{words}: {message}");
    }
}

#[test]
fn curves_are_interrupted_where_the_number_of_events_changes() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (scene("bouncing_ball"), folder.path().to_str().unwrap());
    done(costate(&["sweep", &path, "--vary", "e=0.85:0.99:15", "--out", out]));
    let rows = table(folder.path(), "sweep.csv");
    let mut rows = rows.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let column = header.iter().position(|name| *name == "events").unwrap();
    let counts: Vec<String> = rows.map(|row| row[column].to_string()).collect();
    let pieces = counts.chunk_by(|a, b| a == b).filter(|piece| piece.len() > 1).count();
    assert!(pieces >= 2 && counts.len() - pieces > 3, "{counts:?}");
    let svg = table(folder.path(), "sweep.svg");
    let curves = svg
        .lines()
        .filter(|line| line.starts_with("<polyline") && line.contains("#0072B2"));
    // In each of the three panels, and none over the whole sweep.
    assert_eq!(curves.count(), 3 * pieces, "{counts:?}");
}

#[test]
fn two_parameters_are_drawn_as_maps_and_a_sample_has_its_seed() {
    let folder = tempfile::tempdir().unwrap();
    let path = scene("bouncing_ball");
    let sweep = |name: &str, more: &[&str]| {
        let out = folder.path().join(name);
        done(costate(
            &[&["sweep", &path, "--out", out.to_str().unwrap()], more].concat(),
        ));
        out
    };
    let grid = sweep("grid", &["--vary", "e=0.5:0.9:4", "--vary", "g=9:10:3"]);
    let tiles = table(&grid, "sweep-1-x_final.svg").matches("<rect").count();
    assert!(grid.join("sweep-1-x_final.png").is_file());
    let sample = ["--vary", "e=0.5:0.9", "--vary", "g=9:10", "--sample", "12"];
    let first = sweep("first", &sample);
    let dots = table(&first, "sweep-1-x_final.svg");
    assert_eq!(dots.matches("<circle").count(), 12);
    // The tiles of the grid are in the place of the dots; the rest of both pictures is alike.
    assert_eq!(tiles - 12, dots.matches("<rect").count());
    let other = sweep("other", &[&sample[..], &["--seed", "1"]].concat());
    assert_ne!(table(&first, "sweep.csv"), table(&other, "sweep.csv"));
    assert_eq!(table(&sweep("again", &sample), "sweep.csv"), table(&first, "sweep.csv"));
}

#[test]
fn rows_of_another_table_or_build_are_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("scene.ron"), folder.path().join("out"));
    let text = r#"Scene(name: "x", space: Planar, parameters: { "p": 1.0 },
        points: { "P": (at: [0, 0], velocity: ["p", 0], mass: 1) },
        outputs: { "=x": "P.x" },
        objectives: { "=J": Fit(data: "d.csv", columns: { "x": "P.x" }) },
        view: (shapes: { "P": [Mesh(file: "a.obj")] }),
        simulation: (duration: 1))"#;
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let (table, mesh) = ("t,x\n0.5,0.4\n", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write("scene.ron", text);
    write("d.csv", table);
    write("a.obj", mesh);
    let arguments = [
        "sweep",
        path.to_str().unwrap(),
        "--vary",
        "p=0:1:3",
        "--json",
        "--out",
        out.to_str().unwrap(),
    ];
    let sweep = || costate(&arguments);
    let kept = || serde_json::from_slice::<Value>(&done(sweep()).stdout).unwrap()["statistics"]["kept"].clone();
    assert_eq!([kept(), kept()], [0, 3]);
    assert!(
        std::fs::read_to_string(out.join("sweep.csv"))
            .unwrap()
            .starts_with("index,p,status,events,'=J,reason")
    );
    let refused = |words: &str| {
        let output = sweep();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(
            message.split_whitespace().collect::<Vec<_>>().join(" ").contains(words),
            "{message}"
        );
    };
    write("d.csv", "t,x\n0.5,0.41\n");
    refused("a table or mesh that the scene names has changed");
    write("d.csv", table);
    write("a.obj", &mesh.replace("v 1", "v 2"));
    refused("a table or mesh that the scene names has changed");
    write("a.obj", mesh);
    assert_eq!(kept(), 3);
    let recipe = std::fs::read_to_string(out.join("sweep.json")).unwrap();
    let mut other: Value = serde_json::from_str(&recipe).unwrap();
    other["build"] = "0123456789abcdef".into();
    std::fs::write(out.join("sweep.json"), other.to_string()).unwrap();
    refused("another build of costate");
}

#[test]
fn derivatives_where_events_part_are_those_that_both_sides_agree_on() {
    let folder = tempfile::tempdir().unwrap();
    // A bar that lands flat on two feet: its height has one derivative by them, unless it bounces.
    let bar = |law: &str| {
        let path = folder.path().join(format!("{law}.ron"));
        let fields = format!(
            r#"gravity: [0, -9.81], parameters: {{ "l": 0.0, "r": 0.0 }},
            bodies: {{ "bar": Rigid(at: [0, 0.5, 0], mass: 2, inertia: 0.5, markers: {{ "a": [-1, 0], "b": [1.5, 0] }}) }},
            contacts: {{
                "left": Touch(point: "bar.a", surface: Plane(through: [0, "l"], normal: [0, 1]), law: {law}),
                "right": Touch(point: "bar.b", surface: Plane(through: [0, "r"], normal: [0, 1]), law: {law}),
            }},
            objectives: {{ "y": Final("bar.y") }},"#
        );
        std::fs::write(&path, planar(1.0, &fields)).unwrap();
        let output = costate(&[
            "sweep",
            path.to_str().unwrap(),
            "--vary",
            "l=0:0.1:2",
            "--gradient",
            "--json",
        ]);
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["rows"][0].clone()
    };
    let stays = bar("Restitution(0)");
    assert!(
        (stays["gradient"]["y"]["l"].as_f64().unwrap() - 0.6).abs() < 1e-7,
        "{stays}"
    );
    let bounces = bar("Restitution(0.5)");
    let said = bounces["reason"].as_str().unwrap();
    assert!(said.contains("\"left\" and \"right\""), "{bounces}");
}

#[test]
fn gradients_by_a_constant_are_refused_before_any_point() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("constant.ron");
    let fields = r#"constants: { "g": 9.81 }, parameters: { "h": 1.0 }, gravity: [0, "-g"],
        points: { "P": (at: [0, "h"], velocity: [0, 0], mass: 1) }, objectives: { "y": Final("P.y") },"#;
    std::fs::write(&path, planar(0.1, fields)).unwrap();
    let swept = |more: &[&str]| costate(&[&["sweep", path.to_str().unwrap(), "--vary", "g=1:9:3"], more].concat());
    done(swept(&[]));
    let refused = swept(&["--gradient"]);
    let message = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{message}");
    assert!(message.contains("no derivative by `g`, a constant"), "{message}");
    assert_eq!(refused.stdout, b"");
}
