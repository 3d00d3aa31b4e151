//! What the reader of scene files promises: every value arrives as written, and whatever is wrong is shown at its place
//! with advice that helps.
#![cfg(feature = "cli")]

#[path = "scene_reader/broken.rs"]
mod broken;
#[path = "scene_reader/files.rs"]
mod files;
#[path = "scene_reader/outside.rs"]
mod outside;
#[path = "scene_reader/places.rs"]
mod places;
#[path = "scene_reader/robust.rs"]
mod robust;
#[path = "scene_reader/values.rs"]
mod values;

/// A scene with most of what the format offers, as the start of every test.
pub const SCENE: &str = r#"// A pendulum and more: é, "quotes", ( [ {
Scene(
    name: "Pendulum ü",
    space: Planar,
    parameters: {
        "L": (value: "sqrt(5)", unit: "m", bounds: (1.5, 3.0), about: "length"),
        "k": 100,
    },
    gravity: [0, -9.81],
    ground: { "A": [0, 0] },
    points: {
        "P1": (guess: [1, -0.5], velocity: [1, 0]),
        "P2": (at: [2, 0], mass: 0.5),
    },
    bodies: {
        "left crank": Bar(from: "A", to: "P1", length: "L", mass: 1.0),
        "plate": Rigid(
            mass: 1, inertia: 2,
            at: [0, 0, 0],
            markers: { "tip": [1, 0] },
        ),
    },
    joints: {
        "slot": PointOnLine(point: "P2", line: Fixed(through: [0, 0], direction: [1, 0])),
        "pin": Revolute(between: ("P1", "plate.tip"), active: false),
    },
    forces: { "spring": Spring(from: "P1", to: "P2", stiffness: "2*k", natural_length: 1, one_sided: Tension) },
    contacts: { "floor": Touch(point: "P1", surface: Plane(through: [0, -2], normal: [0, 1]), law: Restitution(0.25)) },
    events: { "late": (when: At(1), then: [Enable("pin")]) },
    outputs: { "y": "P1.y" },
    objectives: { "both": Sum([(1, Final("P1.y")), (2.0, Integral("t"))]) },
    simulation: (duration: 5, formulation: Nullspace, rtol: 1e-9, samples: 100, penalty: (factor: 1e6)),
)
"#;

/// The scene with one part of its text replaced.
pub fn changed(from: &str, to: &str) -> String {
    assert_eq!(SCENE.matches(from).count(), 1, "{from} stands once in the scene");
    SCENE.replacen(from, to, 1)
}

/// What the program prints for an error, without colours.
pub fn printed(error: &costate::error::Error) -> String {
    let theme = miette::GraphicalTheme::unicode_nocolor();
    let handler = miette::GraphicalReportHandler::new_themed(theme).with_width(200);
    let mut report = String::new();
    handler
        .render_report(&mut report, &costate::cli::Quoted::from(error.clone()))
        .expect("the error can be printed");
    report
}
