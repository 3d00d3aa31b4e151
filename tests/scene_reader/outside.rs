//! Files that a scene names are in its folder.

use std::fs;
use std::path::{Path, PathBuf};

use costate::error::{Error, ErrorKind};
use costate::run::{Changes, Experiment};

use super::printed;

const SECRET: &str = "root:x:0:0:secret\nnobody:x:1:1\n";

/// A folder with a scene's folder in it, and files in both.
fn folders() -> (tempfile::TempDir, PathBuf) {
    let base = tempfile::tempdir().unwrap();
    let inner = base.path().join("scenes");
    fs::create_dir_all(inner.join("data")).unwrap();
    fs::write(base.path().join("secret"), SECRET).unwrap();
    fs::write(base.path().join("good.csv"), "t,x\n0.5,0.5\n").unwrap();
    fs::write(base.path().join("bad.csv"), "t,x\n0.5,hidden\n").unwrap();
    fs::write(base.path().join("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    for file in ["good.csv", "a.obj"] {
        fs::copy(base.path().join(file), inner.join("data").join(file)).unwrap();
    }
    (base, inner)
}

fn opened(folder: &Path, fields: &str, allow_outside: bool) -> Result<Experiment, Error> {
    let text = format!(
        "Scene(name: \"x\", space: Planar, points: {{ \"P\": (at: [0, 0], velocity: [1, 0], mass: 1) }},
        outputs: {{ \"x\": \"P.x\" }}, {fields}, simulation: (duration: 1))"
    );
    let scene = folder.join("scene.ron");
    fs::write(&scene, text).unwrap();
    let changes = Changes {
        allow_outside,
        ..Changes::default()
    };
    Experiment::open(&scene, &changes)
}

fn fit(file: &str) -> String {
    format!("objectives: {{ \"J\": Fit(data: {file:?}) }}")
}

fn mesh(file: &str) -> String {
    format!("view: (shapes: {{ \"P\": [Mesh(file: {file:?})] }})")
}

#[test]
fn files_outside_the_folder_of_the_scene_are_read_only_on_demand() {
    let (base, inner) = folders();
    let absolute = |file: &str| base.path().join(file).display().to_string();
    let inside = inner.join("data/good.csv").display().to_string();
    for fields in [fit("data/good.csv"), fit("./data/../data/good.csv"), mesh("data/a.obj")] {
        opened(&inner, &fields, false).expect(&fields);
    }
    for fields in [
        fit("../good.csv"),
        fit("data/../../good.csv"),
        fit(&absolute("good.csv")),
        fit(&inside),
        mesh("../a.obj"),
        mesh(&absolute("a.obj")),
    ] {
        let error = opened(&inner, &fields, false).expect_err(&fields);
        assert_eq!(error.kind(), ErrorKind::File);
        assert!(error.message().contains("outside the folder of the scene"), "{error}");
        assert!(error.advice().is_some_and(|advice| advice.contains("--allow-outside")));
        assert_eq!(error.line(), Some(2), "the name in the scene is shown");
        opened(&inner, &fields, true).expect(&fields);
    }
    for none in ["../none.csv", "/none/passwd"] {
        let error = opened(&inner, &fit(none), false).expect_err("outside");
        assert!(
            error.message().contains("outside"),
            "whether it exists is not said: {error}"
        );
    }
}

#[test]
#[cfg(unix)]
fn links_that_lead_out_are_outside() {
    let (_base, inner) = folders();
    std::os::unix::fs::symlink("../good.csv", inner.join("link.csv")).unwrap();
    std::os::unix::fs::symlink("..", inner.join("up")).unwrap();
    std::os::unix::fs::symlink("data/good.csv", inner.join("own.csv")).unwrap();
    for name in ["link.csv", "up/good.csv"] {
        assert!(
            opened(&inner, &fit(name), false)
                .unwrap_err()
                .message()
                .contains("outside"),
            "{name}"
        );
        opened(&inner, &fit(name), true).expect(name);
    }
    opened(&inner, &fit("own.csv"), false).expect("a link that stays");
}

#[test]
fn nothing_of_a_file_outside_is_shown() {
    let (_base, inner) = folders();
    let columns = r#"objectives: { "J": Fit(data: "../secret", columns: { "y": "P.y" }) }"#;
    for (fields, word) in [
        (fit("../secret"), "root"),
        (fit("../bad.csv"), "hidden"),
        (columns.to_string(), "root"),
    ] {
        for allow in [false, true] {
            let shown = printed(&opened(&inner, &fields, allow).expect_err("no table"));
            assert!(!shown.contains(word) && shown.contains("scene.ron:2"), "{shown}");
        }
    }
}

#[test]
fn files_that_a_mesh_names_are_inside_too() {
    let (base, inner) = folders();
    let gltf = |uri: &str| {
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0]}}], "nodes": [{{"mesh": 0}}],
            "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}}}]}}],
            "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}}],
            "bufferViews": [{{"buffer": 0, "byteLength": 36}}], "buffers": [{{"byteLength": 36, "uri": {uri:?}}}]}}"#
        )
    };
    for folder in [base.path(), &inner] {
        fs::write(folder.join("v.bin"), [0; 36]).unwrap();
    }
    let absolute = base.path().join("v.bin").display().to_string();
    for (uri, inside) in [("../v.bin", true), ("../../v.bin", false), (absolute.as_str(), false)] {
        fs::write(inner.join("data/a.gltf"), gltf(uri)).unwrap();
        let found = opened(&inner, &mesh("data/a.gltf"), false);
        match found {
            Ok(_) => assert!(inside, "{uri}"),
            Err(error) => assert!(
                !inside && error.message().contains("outside the folder"),
                "{uri}: {error}"
            ),
        }
        opened(&inner, &mesh("data/a.gltf"), true).expect(uri);
    }
}

#[test]
fn every_command_takes_the_option() {
    let (_base, inner) = folders();
    let scene = inner.join("scene.ron");
    let fields = fit("../good.csv")
        + ", parameters: { \"p\": (value: 1, bounds: (0, 2)) }, optimization: (minimize: \"J\", over: [\"p\"])";
    // Written here, and changed to read its parameter.
    let _ = opened(&inner, &fields, true);
    let text = fs::read_to_string(&scene)
        .unwrap()
        .replace("velocity: [1,", "velocity: [\"p\",");
    fs::write(&scene, text).unwrap();
    let out = inner.join("motion.csv").display().to_string();
    let commands: [(&str, &[&str]); 6] = [
        ("check", &[]),
        ("run", &[]),
        ("gradient", &[]),
        ("optimize", &[]),
        ("sweep", &["--vary", "p=0.5:1:2"]),
        ("export", &["--out", &out]),
    ];
    for (command, more) in commands {
        let run = |option: &[&str]| {
            let mut process = std::process::Command::new(env!("CARGO_BIN_EXE_costate"));
            process
                .arg(command)
                .arg(&scene)
                .args(more)
                .args(option)
                .output()
                .unwrap()
        };
        let (without, with) = (run(&[]), run(&["--allow-outside"]));
        assert_eq!(without.status.code(), Some(1), "{command}: {without:?}");
        assert_eq!(with.status.code(), Some(0), "{command}: {with:?}");
    }
}
