//! The command line of `costate export`.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::support::{output, report, scenes, shipped, tight};

fn export(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_costate"))
        .arg("export")
        .args(arguments)
        .output()
        .unwrap()
}

fn scene(name: &str) -> String {
    scenes().join(format!("{name}.ron")).to_str().unwrap().to_string()
}

fn done(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn rows(file: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(file).unwrap();
    let rows = reader
        .records()
        .map(|row| row.unwrap().iter().map(String::from).collect());
    rows.collect()
}

#[test]
fn poses_are_those_of_the_report_and_names_keep_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("poses.csv");
    let tolerances = ["--rtol", "1e-12", "--atol", "1e-13"];
    let arguments = [scene("five_bar"), "--out".into(), file.to_str().unwrap().into()];
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).chain(tolerances).collect();
    done(export(&arguments));
    let rows = rows(&file);
    let last: Vec<&Vec<String>> = rows.iter().filter(|row| row[0] == "5").collect();
    let names: Vec<&str> = last.iter().map(|row| row[1].as_str()).collect();
    assert_eq!(
        names,
        ["P1", "P2", "P3", "left crank", "left rod", "right rod", "right crank"]
    );
    let number = |row: &[String], k: usize| row[k].parse::<f64>().unwrap();
    let report = report(&shipped("five_bar", &tight()));
    assert_eq!(last[1][2], "point");
    assert!((number(last[1], 3) - output(&report, "x2")).abs() < 1e-12);
    assert!((number(last[1], 4) - output(&report, "y2")).abs() < 1e-12);
    // The left rod goes from P1 to P2: its start, and its x axis in the direction of its end.
    let (point, end, rod) = (last[0], last[1], last[4]);
    assert_eq!(rod[2], "bar");
    assert_eq!(rod[3..6], point[3..6]);
    let angle = 2.0 * number(rod, 9).atan2(number(rod, 6));
    let direction = (number(end, 4) - number(rod, 4)).atan2(number(end, 3) - number(rod, 3));
    let difference = (angle - direction).sin().abs() + (1.0 - (angle - direction).cos());
    assert!(difference < 1e-12, "{angle} {direction}");
}

#[test]
fn the_states_are_dense_enough_and_include_the_asked_part_and_the_events() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("poses.csv");
    let path = scene("bouncing_ball");
    let out = file.to_str().unwrap();
    let text = done(export(&[
        &path, "--out", out, "--fps", "10", "--speed", "0.5", "--from", "1.01", "--to", "14", "--json",
    ]));
    let found: Value = serde_json::from_str(&text).unwrap();
    let times: Vec<f64> = rows(&file).iter().map(|row| row[0].parse().unwrap()).collect();
    assert_eq!(found["states"], times.len());
    assert_eq!((times[0], times[times.len() - 1]), (1.01, 14.0));
    assert!(
        times
            .windows(2)
            .all(|pair| pair[0] < pair[1] && pair[1] - pair[0] < 0.05 + 1e-9)
    );
    assert_eq!(found["files"][0], out);
    let experiment = shipped("bouncing_ball", &Default::default());
    let impacts = report(&experiment).events;
    let within: Vec<f64> = impacts
        .iter()
        .map(|event| event.t)
        .filter(|t| (1.01..14.0).contains(t))
        .collect();
    assert!(!within.is_empty());
    assert!(within.iter().all(|t| times.contains(t)), "{within:?} {times:?}");
}

/// The values of an array of a `.vtp` file.
fn array<const N: usize, T>(file: &[u8], name: &str, value: fn([u8; N]) -> T) -> Vec<T> {
    let marker = b"encoding=\"raw\">_";
    let start = file.windows(marker.len()).position(|part| part == marker).unwrap();
    let head = std::str::from_utf8(&file[..start]).unwrap();
    let line = head
        .lines()
        .find(|line| line.contains(&format!("Name=\"{name}\"")))
        .unwrap();
    let offset: usize = line
        .split("offset=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let at = start + marker.len() + offset;
    let length = u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize;
    let content = &file[at + 8..at + 8 + length];
    assert_eq!(length % N, 0);
    content
        .chunks(N)
        .map(|chunk| value(chunk.try_into().unwrap()))
        .collect()
}

#[test]
fn a_collection_lists_a_file_a_state_with_triangles_that_fit_together() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("motion.pvd");
    let path = scene("andrews_squeezer");
    done(export(&[
        &path,
        "--out",
        out.to_str().unwrap(),
        "--speed",
        "0.01",
        "--fps",
        "5",
        "--quiet",
    ]));
    let text = std::fs::read_to_string(&out).unwrap();
    let part = |line: &str, key: &str| {
        line.split(&format!("{key}=\""))
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap()
            .to_string()
    };
    let listed: Vec<(f64, String)> = text
        .lines()
        .filter(|line| line.starts_with("<DataSet"))
        .map(|line| (part(line, "timestep").parse().unwrap(), part(line, "file")))
        .collect();
    assert_eq!(listed.len(), 16);
    assert!(listed.windows(2).all(|pair| pair[0].0 < pair[1].0));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 17);
    let mut first_points = Vec::new();
    for (_, name) in &listed {
        let file = std::fs::read(folder.path().join(name)).unwrap();
        let points = array(&file, "Points", f32::from_le_bytes);
        let corners = array(&file, "connectivity", i32::from_le_bytes);
        let ends = array(&file, "offsets", i32::from_le_bytes);
        assert!(points.iter().all(|x| x.is_finite()) && points.len() % 3 == 0);
        assert!(corners.iter().all(|&i| i >= 0 && (i as usize) < points.len() / 3));
        assert!(ends.iter().enumerate().all(|(k, &end)| end as usize == 3 * (k + 1)));
        assert_eq!(corners.len(), 3 * ends.len());
        for name in ["item", "material"] {
            assert_eq!(array(&file, name, i32::from_le_bytes).len(), ends.len());
        }
        assert_eq!(array(&file, "colour", u8::from_le_bytes).len(), 3 * ends.len());
        assert!(first_points.is_empty() || first_points != points, "nothing moves");
        first_points = points;
    }
}

#[test]
fn wrong_requests_say_what_to_write_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = scene("bouncing_ball");
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (obj, none, glb) = (file("a.obj"), file("a"), file("a.glb"));
    let cases: [(&[&str], i32, &str); 6] = [
        (&["--out", &obj], 2, ".pvd (for ParaView)"),
        (&["--out", &none], 2, "does not say which format"),
        (&["--out", &glb, "--from", "3", "--to", "2"], 2, "the earlier time"),
        (&["--out", &glb, "--from", "-1"], 1, "give --from a time from 0 to 15 s"),
        (&["--out", &glb, "--duration", "1e9"], 1, "smaller --fps"),
        (&[], 2, "--out"),
    ];
    for (arguments, status, words) in cases {
        let found = export(&[&[path.as_str()], arguments].concat());
        let message = String::from_utf8(found.stderr).unwrap();
        assert_eq!(found.status.code(), Some(status), "{arguments:?}: {message}");
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(message.contains(words), "{arguments:?}: {message}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
