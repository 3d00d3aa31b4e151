//! How a command ends that cannot go on: by a limit of its time, or where nothing can be read or written.
#![cfg(feature = "cli")]

mod support;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use support::{costate, scenes};

fn scene(name: &str) -> String {
    scenes().join(format!("{name}.ron")).to_str().unwrap().to_string()
}

/// What a command says that its time limit ends.
fn out_of_time(arguments: &[&str]) -> String {
    let found = costate(arguments).output().unwrap();
    let said = String::from_utf8(found.stderr).unwrap();
    assert_eq!(found.status.code(), Some(1), "{said}");
    assert!(said.contains("the time limit of") && said.contains("is over"), "{said}");
    assert!(said.contains("help:"), "{said}");
    said
}

#[test]
fn a_run_and_a_gradient_end_at_their_time_limit_and_say_how_far_the_motion_came() {
    let path = scene("five_bar_smooth");
    let limit = ["--duration", "1e4", "--max-time", "0.2"];
    for more in [&["--method", "forward"][..], &["--certify"], &["--hessian"]] {
        let said = out_of_time(&[&["gradient", &path], &limit[..], more].concat());
        assert!(said.contains("at t ="), "{said}");
    }
    let said = out_of_time(&[&["run", &path], &limit[..]].concat());
    assert!(said.contains("at t ="), "{said}");
    let ample = ["run", &path, "--max-time", "1000", "--quiet"];
    assert!(costate(&ample).status().unwrap().success());
}

#[test]
fn a_time_that_is_none_is_wrong_usage() {
    let path = scene("five_bar");
    for time in ["0", "-1", "NaN", "inf", "1e400", "soon"] {
        let found = costate(&["run", &path, "--max-time", time]).output().unwrap();
        assert_eq!(found.status.code(), Some(2), "{time}");
    }
}

fn lines(path: &Path) -> usize {
    fs::read_to_string(path).unwrap().lines().count()
}

/// An optimization whose points take next to no time.
const THROW: &str = r#"Scene(
    name: "throw", space: Planar, gravity: [0, -9.81],
    parameters: { "v": (value: 3, bounds: (1, 9)), "w": (value: 4, bounds: (1, 9)) },
    points: { "P": (at: [0, 0], velocity: ["v", "w"], mass: 1) },
    objectives: { "miss": Final("(P.x - 5)^2 + (P.y + 1)^2") },
    optimization: (minimize: "miss", over: ["v", "w"]),
    simulation: (duration: 1),
)"#;

#[test]
fn an_optimization_out_of_time_keeps_its_best_point_and_can_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("throw.ron"), folder.path().to_str().unwrap());
    fs::write(&path, THROW).unwrap();
    let search = [
        "optimize",
        path.to_str().unwrap(),
        "--starts",
        "100000",
        "--out",
        out,
        "--max-time",
        "3",
    ];
    let said = out_of_time(&search);
    assert!(
        said.contains("the best point so far was kept") && said.contains("--resume"),
        "{said}"
    );
    assert!(folder.path().join("optimized.ron").is_file());
    let before = lines(&folder.path().join("checkpoint.jsonl"));
    out_of_time(&[&search[..], &["--resume"]].concat());
    assert!(before > 1 && lines(&folder.path().join("checkpoint.jsonl")) > before);
}

#[test]
fn an_optimization_does_not_replace_its_own_scene() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("optimized.ron");
    fs::write(&path, THROW).unwrap();
    let arguments = [
        "optimize",
        path.to_str().unwrap(),
        "--out",
        folder.path().to_str().unwrap(),
    ];
    let found = costate(&arguments).output().unwrap();
    assert_eq!(found.status.code(), Some(1));
    assert!(String::from_utf8(found.stderr).unwrap().contains("is read from"));
    assert_eq!(fs::read_to_string(&path).unwrap(), THROW);
}

#[test]
fn no_result_replaces_a_file_that_the_scene_names() {
    for (table, mesh, command) in [
        ("outputs.csv", "a.obj", &["run"][..]),
        ("gradients.csv", "a.obj", &["gradient"]),
        ("history.csv", "a.obj", &["optimize"]),
        ("checkpoint.jsonl", "a.obj", &["optimize"]),
        ("sweep.csv", "a.obj", &["sweep", "--vary", "v=2:3:2"]),
        ("poses.csv", "a.obj", &["export"]),
        ("a.csv", "motion.glb", &["export"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let exported = if mesh == "a.obj" { table } else { mesh };
        let (name, target) = match command {
            ["export"] => (exported, file(exported)),
            _ => (table, folder.path().to_path_buf()),
        };
        fs::write(file(table), "t,x\n0.5,1.6\n").unwrap();
        fs::write(file("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        let shown = |mesh: &str| {
            let fit = format!("\"fit\": Fit(data: \"{table}\", time: \"t\", columns: {{ \"x\": \"P.x\" }}), \"miss\":");
            let shape = format!("view: (shapes: {{ \"P\": [Mesh(file: \"{mesh}\")] }}), simulation:");
            let scene = THROW.replace("\"miss\": Final", &format!("{fit} Final"));
            fs::write(file("throw.ron"), scene.replace("simulation:", &shape)).unwrap();
            let scene = file("throw.ron").display().to_string();
            let out = target.display().to_string();
            costate(&[command, &[&scene, "--out", &out]].concat()).output().unwrap()
        };
        if mesh == "motion.glb" {
            assert!(shown("a.obj").status.success());
        }
        let before = [table, name].map(|name| fs::read(file(name)).unwrap());
        let found = shown(mesh);
        let said = String::from_utf8(found.stderr).unwrap();
        assert_eq!(found.status.code(), Some(1), "{name}: {said}");
        assert!(
            said.contains(name) && said.contains("is read from") && said.contains("help:"),
            "{said}"
        );
        assert_eq!([table, name].map(|name| fs::read(file(name)).unwrap()), before);
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, if mesh == "a.obj" { 3 } else { 4 }, "{name}");
    }
}

#[test]
fn a_sweep_out_of_time_keeps_its_rows_and_none_of_them_failed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (scene("bouncing_ball"), folder.path().to_str().unwrap());
    let sweep = [
        "sweep",
        &path,
        "--vary",
        "e=0.5:0.95:1000000",
        "--out",
        out,
        "--max-time",
        "3",
    ];
    let table = folder.path().join("sweep.csv");
    let said = out_of_time(&sweep);
    assert!(said.contains("of 1000000 points"), "{said}");
    let before = lines(&table);
    out_of_time(&sweep);
    assert!(before > 1 && lines(&table) > before);
    let text = fs::read_to_string(&table).unwrap();
    assert!(text.lines().skip(1).all(|row| row.contains(",ok,")));
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_device_in_the_place_of_a_scene_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("scene.ron");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [pipe.to_str().unwrap(), "/dev/null"] {
        let found: Output = costate(&["check", path]).output().unwrap();
        let said = String::from_utf8(found.stderr).unwrap();
        assert_eq!(found.status.code(), Some(1), "{said}");
        assert!(said.contains("is no file") && said.contains("help:"), "{said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn messages_that_cannot_be_written_leave_the_exit_status() {
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let missing = costate(&["run", "no_such.ron"]).stderr(full()).status().unwrap();
    assert_eq!(missing.code(), Some(1));
    let shown = costate(&["run", &scene("five_bar")])
        .stdout(full())
        .stderr(full())
        .status();
    assert_eq!(shown.unwrap().code(), Some(1));
    let remarked = costate(&["run", &scene("n_four_bar")])
        .stdout(Stdio::null())
        .stderr(full())
        .status();
    assert_eq!(remarked.unwrap().code(), Some(0));
}
