//! How rigid bodies in space are written: orientations, tensors, what is held and free, and mistakes.

use costate::model::CoordinateKind;

use crate::support::{close, experiment, failure, objective, report, spatial, tight};

fn body(fields: &str) -> String {
    spatial(
        0.3,
        &format!(
            r#"ground: {{ "O": [0, 0, 0] }}, gravity: [0, 0, -9.81],
            bodies: {{ "it": Solid(mass: 1, {fields}, markers: {{ "x": [1, 0, 0], "z": [0, 0, 1] }}) }},
            objectives: {{ "q0": Final("it.q0"), "q1": Final("it.q1"), "q2": Final("it.q2"), "q3": Final("it.q3"), "w": Final("it.omega_x"),
                "x": Final("it.x.x"), "z": Final("it.z.y") }},"#
        ),
    )
}

#[test]
fn one_orientation_is_written_in_three_ways() {
    let motion = "angular_velocity: [1, 2, 3], inertia: [0.1, 0.2, 0.25, 0.01, 0, 0], at: [1, 2, 3], orientation:";
    // A third of a turn about the diagonal takes x to y, y to z and z to x.
    let written = [
        "Quaternion([1, 1, 1, 1])",
        "Quaternion([0.5, 0.5, 0.5, 0.5])",
        "AxisAngle(axis: [2, 2, 2], angle: \"2*pi/3\")",
        "Rotations([Z(\"pi/2\"), X(\"pi/2\")])",
    ];
    let reports = written.map(|orientation| report(&experiment(&body(&format!("{motion} {orientation}")), &tight())));
    for found in &reports[1..] {
        for (name, value) in &reports[0].objectives {
            close(name, objective(found, name), *value, 1e-12);
        }
    }
    let model = experiment(&body(&format!("{motion} {}", written[0])), &tight())
        .mechanism
        .model;
    assert_eq!((model.nq(), model.nv()), (7, 6));
    let [place] = [&model.frames[0]];
    assert_eq!(model.coordinates[place.first + 3].kind, CoordinateKind::Quaternion);
    let q: Vec<f64> = model.coordinates[3..]
        .iter()
        .map(|coordinate| match coordinate.start {
            costate::model::Start::Number(number) => model.numbers[number].value,
            _ => f64::NAN,
        })
        .collect();
    for x in q {
        close("quaternion", x, 0.5, 1e-15);
    }
}

#[test]
fn rotations_follow_each_other_about_the_axes_of_the_body() {
    let fields = "inertia: [0.1, 0.2, 0.25, 0, 0, 0], at: [0, 0, 0], velocity: [0, 0, 0], angular_velocity: [0, 0, 0], orientation: \
        Rotations([Z(0.3), X(0.5)])";
    let text = body(fields).replace("gravity: [0, 0, -9.81],", "");
    let found = report(&experiment(&text, &tight()));
    // R = Rz(0.3) Rx(0.5): the first column, and the last.
    close("x", objective(&found, "x"), 0.3_f64.cos(), 1e-14);
    close("z", objective(&found, "z"), -0.3_f64.cos() * 0.5_f64.sin(), 1e-14);
}

#[test]
fn mistakes_are_named_with_advice() {
    let good = "inertia: [0.1, 0.2, 0.25, 0, 0, 0], at: [0, 0, 0]";
    for (fields, word) in [
        ("inertia: [0.1, 0.2, 0.25], at: [0, 0, 0]".to_string(), "6"),
        (
            "inertia: [0.1, 0.2, 0.25, 0.3, 0, 0], at: [0, 0, 0]".to_string(),
            "positive definite",
        ),
        (format!("{good}, orientation: Quaternion([0, 0, 0, 0])"), "direction"),
        (format!("{good}, orientation: Quaternion([1, 0, 0])"), "4"),
        (
            format!("{good}, orientation: AxisAngle(axis: [0, 0, 0], angle: 1)"),
            "direction",
        ),
        (format!("{good}, hold: [Orientation]"), "hold"),
        (format!("{good}, guess: [0, 0, 0]"), "both"),
        (format!("{good}, angular_velocity: [1, 2]"), "2 components"),
        (good.replace("at:", "hold: [Angle], guess:"), "Angle"),
    ] {
        let error = failure(&body(&fields));
        let text = format!("{error} {:?}", error.advice());
        assert!(text.contains(word), "{fields}: {text}");
        assert!(error.advice().is_some(), "{text}");
    }
    let planar = body(good)
        .replace("Spatial", "Planar")
        .replace("[0, 0, -9.81]", "[0, 0]")
        .replace("[0, 0, 0]", "[0, 0]");
    assert!(
        failure(&planar).to_string().contains("spatial scenes"),
        "{}",
        failure(&planar)
    );
}
