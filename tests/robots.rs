//! Robots of URDF files: the same motions as those of scenes written by hand, their gradients, and what is wrong with a file at its line.

mod support;

use std::fs;
use std::path::PathBuf;

use costate::error::Error;
use costate::run::{Experiment, Method, Report, Verdict};
use tempfile::TempDir;

use support::{all_close, close, objective, output, report, shipped, spatial, tight};

/// A folder with a scene and the robot that it names.
struct Written {
    folder: TempDir,
}

impl Written {
    fn new(urdf: &str, scene: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("robot.urdf"), urdf).unwrap();
        fs::write(folder.path().join("scene.ron"), scene).unwrap();
        Self { folder }
    }

    fn scene(&self) -> PathBuf {
        self.folder.path().join("scene.ron")
    }

    fn open(&self) -> Result<Experiment, Error> {
        Experiment::open(&self.scene(), &tight())
    }
}

fn run_with(urdf: &str, fields: &str) -> Report {
    let written = Written::new(urdf, &spatial(0.4, fields));
    let experiment = written
        .open()
        .unwrap_or_else(|error| panic!("{error}\n{:?}", error.advice()));
    report(&experiment)
}

/// A column that turns, a carriage on it with a tensor in axes of its own and a tool fixed to it at an angle, and a free drum below.
const CRANE: &str = r#"<robot name="crane">
  <link name="world"/>
  <link name="column"><inertial><origin xyz="0.1 0 0.2"/><mass value="3"/><inertia ixx="0.2" iyy="0.3" izz="0.25" ixy="0.01" ixz="0" iyz="-0.02"/></inertial></link>
  <link name="carriage"><inertial><origin xyz="0.05 -0.02 0" rpy="0.3 -0.4 0.5"/><mass value="1.5"/><inertia ixx="0.03" iyy="0.02" izz="0.04" ixy="0.002" ixz="0" iyz="0"/></inertial></link>
  <link name="tool"><inertial><origin xyz="0 0 0.1"/><mass value="0.5"/><inertia ixx="0.004" iyy="0.003" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"/>
  <link name="drum"><inertial><mass value="0.7"/><inertia ixx="0.01" iyy="0.012" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="foot" type="fixed"><parent link="world"/><child link="column base"/><origin xyz="0 0 0.1" rpy="0.2 0 0"/></joint>
  <link name="column base"/>
  <joint name="slew" type="continuous"><parent link="column base"/><child link="column"/><origin xyz="0.1 0 0" rpy="0 0.1 0"/><axis xyz="0 0.6 0.8"/><dynamics damping="0.3"/></joint>
  <joint name="trolley" type="prismatic"><parent link="column"/><child link="carriage"/><origin xyz="0.2 0 0.4" rpy="0.1 0.2 0.3"/><axis xyz="2 0 1"/><dynamics damping="4"/></joint>
  <joint name="flange" type="fixed"><parent link="carriage"/><child link="tool"/><origin xyz="0.1 0.02 0" rpy="0 -0.3 0.4"/></joint>
  <joint name="point" type="fixed"><parent link="tool"/><child link="tip"/><origin xyz="0 0 0.3"/></joint>
  <joint name="winch" type="revolute"><parent link="tool"/><child link="drum"/><origin xyz="0 0.1 0.2" rpy="0 0 0.6"/><mimic joint="trolley" multiplier="-1.5" offset="0.2"/><limit lower="-9" upper="9" effort="0" velocity="0"/></joint>
</robot>"#;

/// The same by hand: the frames multiplied out, the tool welded on.
const BY_HAND: &str = r#"
    gravity: [0, 0, -9.81],
    ground: { "slew frame": (at: [0.1, 0, 0], orientation: Rotations([Y(0.1)]), within: (at: [0, 0, 0.1], orientation: Rotations([X(0.2)]))) },
    bodies: {
        "column": Solid(mass: 3, inertia: [0.2, 0.3, 0.25, 0.01, 0, -0.02], centre_of_mass: [0.1, 0, 0.2], guess: [0, 0, 0],
            markers: { "trolley": (at: [0.2, 0, 0.4], orientation: Rotations([Z(0.3), Y(0.2), X(0.1)])) }),
        "carriage": Solid(parts: [Mass(mass: 1.5, inertia: [0.03, 0.02, 0.04, 0.002, 0, 0], at: [0.05, -0.02, 0], orientation: Rotations([Z(0.5), Y(-0.4), X(0.3)]))],
            guess: [0.4, 0, 0.5], markers: { "flange": (at: [0.1, 0.02, 0], orientation: Rotations([Z(0.4), Y(-0.3)])) }),
        "tool": Solid(mass: 0.5, inertia: [0.004, 0.003, 0.002, 0, 0, 0], centre_of_mass: [0, 0, 0.1], guess: [0.5, 0, 0.5],
            markers: { "tip": [0, 0, 0.3], "winch": (at: [0, 0.1, 0.2], orientation: Rotations([Z(0.6)])) }),
        "drum": Solid(mass: 0.7, inertia: [0.01, 0.012, 0.02, 0, 0, 0], guess: [0.5, 0.1, 0.7]),
    },
    joints: {
        "slew": Revolute(between: ("slew frame", "column.origin"), axis: [0, 0.6, 0.8], angle: 0.4, angular_velocity: 1.5),
        "trolley": Prismatic(between: ("column.trolley", "carriage.origin"), direction: [2, 0, 1], position: 0.1, velocity: 0),
        "flange": Weld(between: ("carriage.flange", "tool.origin")),
        "winch": Revolute(between: ("tool.winch", "drum.origin"), axis: [1, 0, 0]),
        "mimic": Coupling(terms: [("winch.angle", 1), ("trolley.position", 1.5)], equals: 0.2),
    },
    forces: { "slew damping": TorsionDamper(between: ("ground", "slew"), damping: 0.3), "trolley damping": TorsionDamper(between: ("ground", "trolley.position"), damping: 4) },
    objectives: {
        "x": Final("tool.tip.x"), "y": Final("tool.tip.y"), "z": Final("tool.tip.z"), "angle": Final("slew.angle"), "rate": Final("slew.omega"),
        "position": Final("trolley.position"), "drum": Final("drum.q1"), "kinetic": Final("energy.kinetic"), "fx": Final("slew.fx"), "tz": Final("slew.tz"),
    },
"#;

const FROM_FILE: &str = r#"
    gravity: [0, 0, -9.81],
    robots: { "a": Robot(file: "robot.urdf", start: { "slew": (position: 0.4, rate: 1.5), "trolley": 0.1 }) },
    objectives: {
        "x": Final("'a/carriage'.tip.x"), "y": Final("'a/carriage'.tip.y"), "z": Final("'a/carriage'.tip.z"), "angle": Final("'a/slew'.angle"), "rate": Final("'a/slew'.omega"),
        "position": Final("'a/trolley'.position"), "drum": Final("'a/drum'.q1"), "kinetic": Final("energy.kinetic"), "fx": Final("'a/slew'.fx"), "tz": Final("'a/slew'.tz"),
    },
"#;

fn values(report: &Report) -> Vec<f64> {
    report.objectives.iter().map(|(_, value)| *value).collect()
}

#[test]
fn a_robot_moves_as_the_same_scene_by_hand() {
    let hand = run_with("<robot name=\"none\"/>", BY_HAND);
    let file = run_with(CRANE, FROM_FILE);
    all_close("by hand", &values(&file), &values(&hand), 1e-9);
    assert!(objective(&file, "position").abs() > 0.02, "it moves");
}

#[test]
fn joints_rub_as_the_file_says() {
    let rubbing = CRANE
        .replace(r#"damping="0.3""#, r#"damping="0.3" friction="0.8""#)
        .replace(r#"damping="4""#, r#"damping="4" friction="9""#);
    let hand = BY_HAND
        .replace(
            "angular_velocity: 1.5)",
            "angular_velocity: 1.5, friction: Preload(kinetic: 0.8))",
        )
        .replace("velocity: 0)", "velocity: 0, friction: Preload(kinetic: 9))");
    let (by_hand, of_file) = (run_with("<robot name=\"none\"/>", &hand), run_with(&rubbing, FROM_FILE));
    all_close("by hand", &values(&of_file), &values(&by_hand), 1e-9);
    let smooth = run_with(CRANE, FROM_FILE);
    assert!(
        (objective(&smooth, "angle") - objective(&of_file, "angle")).abs() > 1e-3,
        "it rubs"
    );
    // A parameter in its place, with a certified gradient, and none.
    let asked = |slew: &str| {
        FROM_FILE.replace(
            "start: {",
            &format!(r#"overrides: {{ "slew.friction": {slew}, "trolley.friction": 0 }}, start: {{"#),
        )
    };
    let free = run_with(&rubbing, &asked("0"));
    all_close("without", &values(&free), &values(&smooth), 1e-9);
    let written = Written::new(
        &rubbing,
        &spatial(0.2, &(asked("\"f\"") + r#"parameters: { "f": 0.8 },"#)),
    );
    let (found, certificate) = written
        .open()
        .expect("a scene")
        .certify(Method::Adjoint, &|_| {})
        .expect("it moves");
    assert_eq!(certificate.verdict, Verdict::Passed, "{:?}", certificate.entries);
    assert!(found.objectives.iter().any(|of| of.gradient[0].abs() > 1e-3));
}

#[test]
fn a_robot_on_a_body_or_on_the_ground_is_moved_with_it() {
    let fixed = run_with(CRANE, FROM_FILE);
    let base = |base: &str| FROM_FILE.replace("start:", &format!("base: {base}, start:"));
    let grounded = base(r#"On("hook")"#) + r#"ground: { "hook": (at: [0, 0, 0]) },"#;
    all_close(
        "on a ground point",
        &values(&run_with(CRANE, &grounded)),
        &values(&fixed),
        1e-10,
    );
    // A heavy table that rests: the same motion, up to its mass.
    let table = base(r#"On("table.plate")"#)
        + r#"ground: { "O": [1, 2, 3] },
        bodies: { "table": Solid(mass: 2, inertia: [1, 1, 1, 0, 0, 0], at: [1, 2, 3], orientation: Rotations([Z(0.7)]),
            markers: { "plate": (at: [0.5, 0, 0], orientation: Rotations([Z(-0.7)])) }) },
        joints: { "feet": Weld(between: ("O", "table.table")) },"#;
    let table = table.replace(
        "markers: { \"plate\"",
        "markers: { \"table\": (at: [0, 0, 0], orientation: Rotations([Z(-0.7)])), \"plate\"",
    );
    let moved = run_with(CRANE, &table);
    let (c, s) = (0.7_f64.cos(), 0.7_f64.sin());
    let shift = [1.0 + 0.5 * c, 2.0 + 0.5 * s, 3.0];
    for (axis, shift) in ["x", "y", "z"].iter().zip(shift) {
        close(axis, objective(&moved, axis), objective(&fixed, axis) + shift, 1e-9);
    }
    close("drum", objective(&moved, "angle"), objective(&fixed, "angle"), 1e-9);
}

#[test]
fn a_robot_without_base_falls_and_one_on_a_floating_joint_starts_at_rest() {
    let free = r#"gravity: [0, 0, -10],
        robots: { "a": Robot(file: "robot.urdf", base: Free(at: [1, 2, 3], orientation: Rotations([X(0.5)]), velocity: [0.5, 0, 1], angular_velocity: [0, 0, 2])) },
        objectives: { "x": Final("'a/stone'.x"), "z": Final("'a/stone'.z"), "q3": Final("'a/stone'.omega_z") },"#;
    let stone = r#"<robot name="s"><link name="stone"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link></robot>"#;
    let found = run_with(stone, free);
    all_close("free", &values(&found), &[1.2, 3.0 + 0.4 - 0.8, 2.0], 1e-12);
    let floating = stone.replace("</robot>", r#"<link name="world"/><joint name="float" type="floating"><origin xyz="0 0 5"/><parent link="world"/><child link="stone"/></joint></robot>"#);
    let found = run_with(&floating, &free.replace("base: Free(at: [1, 2, 3], orientation: Rotations([X(0.5)]), velocity: [0.5, 0, 1], angular_velocity: [0, 0, 2])", ""));
    all_close("floating", &values(&found), &[0.0, 5.0 - 0.8, 0.0], 1e-12);
}

#[test]
fn the_arm_of_the_shipped_scene_follows_its_closed_forms() {
    let experiment = shipped("robot_arm", &tight());
    let (end, recording) = experiment.run(true, &mut |_| {}).unwrap();
    let recording = recording.unwrap();
    let rate = 2.5 * 9.81 / 200.0;
    close("rate", objective(&end, "rate at the end"), rate, 1e-10);
    close(
        "sunk",
        objective(&end, "sunk at the end"),
        rate * (1.0 - 2.5 / 200.0),
        1e-10,
    );
    let momentum = recording.outputs.iter().find(|series| series.name == "momentum");
    let momentum = &momentum.expect("an output").values;
    assert!(momentum[0] > 1.0);
    momentum
        .iter()
        .for_each(|value| close("momentum", *value, momentum[0], 1e-9));
    close("opening", output(&end, "opening"), 0.06, 1e-12);
}

/// The error of a robot.
fn error_of(urdf: &str, fields: &str) -> Error {
    let written = Written::new(urdf, &spatial(0.1, fields));
    match written.open() {
        Ok(_) => panic!("{urdf} is taken"),
        Err(error) => error,
    }
}

const PLAIN: &str = r#"robots: { "a": Robot(file: "robot.urdf") },"#;

#[test]
fn what_is_wrong_in_a_file_is_said_with_file_line_and_element() {
    let crane = CRANE.replace("><", ">\n<");
    let cases = [
        ("</robot>", "", "XML"),
        ("type=\"continuous\"", "type=\"ball\"", "`ball`"),
        ("mass value=\"3\"", "mass value=\"three\"", "no number"),
        ("mass value=\"3\"", "mass value=\"${m}\"", "no number"),
        ("mass value=\"3\"", "mass value=\"-3\"", "must be positive"),
        ("mass value=\"3\"", "mass", "no attribute `value`"),
        ("axis xyz=\"2 0 1\"", "axis xyz=\"2 0\"", "three numbers"),
        ("axis xyz=\"2 0 1\"", "axis xyz=\"0 0 0\"", "zero vector"),
        ("parent link=\"tool\"", "parent link=\"tol\"", "no link `tol`"),
        ("child link=\"tip\"", "child link=\"drum\"", "child of two joints"),
        ("parent link=\"world\"", "parent link=\"tool\"", "no tree"),
        (
            "<link name=\"tip\"/>",
            "<link name=\"tip\"/>\n<link name=\"spare\"/>",
            "not the first",
        ),
        ("link name=\"tip\"", "link name=\"tool\"", "two links `tool`"),
        ("joint name=\"point\"", "joint name=\"flange\"", "two joints `flange`"),
        ("mimic joint=\"trolley\"", "mimic joint=\"trolly\"", "no joint `trolly`"),
        ("mimic joint=\"trolley\"", "mimic joint=\"winch\"", "follows itself"),
        ("ixx=\"0.01\" iyy", "ixx=\"-0.01\" iyy", "positive definite"),
        ("<mass value=\"0.7\"/>", "", "no <mass>"),
    ];
    for (old, new, words) in cases {
        assert!(crane.contains(old), "{old}");
        let error = error_of(&crane.replace(old, new), PLAIN);
        let (text, line) = (error.to_string(), error.line());
        assert!(text.contains(words), "{old} to {new}: {text}");
        assert!(error.advice().is_some_and(|advice| advice.len() > 8), "{text}");
        let source = error.source_text().unwrap_or_else(|| panic!("{text} has no source"));
        assert!(source.file.ends_with("robot.urdf"), "{text} in {}", source.file);
        assert!(line.is_some_and(|line| line > 1 || words == "XML"), "{text}: {line:?}");
    }
    let massless = CRANE.replace("<inertial><mass value=\"0.7\"/><inertia ixx=\"0.01\" iyy=\"0.012\" izz=\"0.02\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>", "");
    assert!(error_of(&massless, PLAIN).to_string().contains("no mass"));
    assert!(error_of("<sdf/>", PLAIN).to_string().contains("no robot"));
    assert!(error_of("<robot name=\"r\"/>", PLAIN).to_string().contains("no tree"));
}

#[test]
fn what_is_wrong_in_the_scene_is_shown_there() {
    let cases = [
        (
            r#"overrides: { "column.mas": 1 }"#,
            "column.mas",
            "did you mean `column.mass`",
        ),
        (r#"overrides: { "column.mass": "mm" }"#, "mm", "parameter"),
        (r#"start: { "slw": 1 }"#, "slw", "did you mean `slew`"),
        (r#"start: { "winch": 1 }"#, "winch", "joints with one"),
        (r#"start: { "slew": (position: 1, guess: 2) }"#, "both", "guess"),
        (r#"base: On("table.top")"#, "table.top", "places"),
        (r#"base: Ground(at: [1, 2])"#, "components", "[x, y, z]"),
        (r#"file: "robot.urd""#, "robot.urd", "did you mean robot.urdf"),
        (r#"file: "../robot.urdf""#, "outside", "--allow-outside"),
    ];
    for (field, words, advice) in cases {
        let given = if field.starts_with("file") {
            ""
        } else {
            r#"file: "robot.urdf", "#
        };
        let error = error_of(CRANE, &format!(r#"robots: {{ "a": Robot({given}{field}) }},"#));
        let text = error.to_string();
        assert!(text.contains(words), "{field}: {text}");
        assert!(
            error.advice().is_some_and(|found| found.contains(advice)),
            "{field}: {:?}",
            error.advice()
        );
        let source = error.source_text().unwrap_or_else(|| panic!("{text} has no source"));
        assert!(source.file.ends_with("scene.ron"), "{text} in {}", source.file);
    }
    let planar = Written::new(CRANE, &support::planar(0.1, PLAIN));
    let error = planar.open().expect_err("refused");
    assert!(error.to_string().contains("moves in space"), "{error}");
}

#[test]
fn what_is_left_out_is_said_by_line() {
    let crane = CRANE.replace("><", ">\n<").replace(
        "<link name=\"world\"/>",
        "<link name=\"world\"/>\n<link name=\"puck\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n<joint name=\"table\" type=\"planar\">\n\
            <parent link=\"world\"/>\n<child link=\"puck\"/>\n<dynamics friction=\"2\"/>\n</joint>",
    );
    let crane = crane.replace("</robot>", "<transmission name=\"t\"/>\n</robot>");
    let shown =
        "<link name=\"drum\">\n<visual><geometry><mesh filename=\"package://crane/drum.stl\"/></geometry></visual>";
    let crane = crane.replace("<link name=\"drum\">", shown);
    let found = run_with(&crane, FROM_FILE);
    let line = |of: &str| 1 + crane[..crane.find(of).unwrap()].matches('\n').count();
    let all = found.remarks.join("\n");
    for words in [
        format!("friction of planar joints (line {})", line("<dynamics friction")),
        format!("<transmission> (line {})", line("<transmission")),
        format!("visual in line {}", line("<visual>")),
        "limits of its joints".to_string(),
    ] {
        assert!(all.contains(&words), "{words} in {all}");
    }
}

#[test]
fn inertias_origins_and_axes_by_parameters_have_certified_gradients() {
    let fields = FROM_FILE.replace(
        "start: {",
        r#"overrides: { "tool.mass": "m", "carriage.ixy": "J", "carriage.roll": "r", "trolley.axis_x": "a", "winch.y": "y", "flange.pitch": "p", "slew.damping": "c", "winch.multiplier": "k" }, start: {"#,
    );
    let parameters =
        r#"parameters: { "m": 0.5, "J": 0.002, "r": 0.3, "a": 2, "y": 0.1, "p": -0.3, "c": 0.3, "k": -1.5 },"#;
    let written = Written::new(CRANE, &spatial(0.2, &(fields + parameters)));
    let experiment = written
        .open()
        .unwrap_or_else(|error| panic!("{error}\n{:?}", error.advice()));
    let (adjoint, certificate) = experiment.certify(Method::Adjoint, &|_| {}).unwrap();
    assert_eq!(certificate.verdict, Verdict::Passed, "{:?}", certificate.entries);
    let forward = experiment.gradient(Method::Forward).unwrap();
    for (a, f) in adjoint.objectives.iter().zip(&forward.objectives) {
        let scale = a.gradient.iter().fold(1e-9, |most: f64, x| most.max(x.abs()));
        all_close(&a.name, &a.gradient, &f.gradient, 1e-9 * scale);
    }
    for (k, parameter) in adjoint.parameters.iter().enumerate() {
        let moves = adjoint
            .objectives
            .iter()
            .any(|objective| objective.gradient[k].abs() > 1e-5);
        assert!(moves, "{parameter}");
    }
}
