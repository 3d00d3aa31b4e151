//! Bars, joints and forces that cannot work are shown at the field that makes them so.

use crate::{planar, refused};

/// Parts that the wrong elements are added to.
pub const PARTS: &str = r#"
  parameters: { "k": 2 },
  ground: { "A": [0, 0], "B": [1, 0] },
  points: { "P": (guess: [1, 0], mass: 1), "Q": (at: [2, 0], mass: 1) },
  bodies: {
    "bar": Bar(from: "A", to: "P", length: 1, markers: { "tip": [1, 0] }),
    "box": Rigid(mass: 1, inertia: 1, at: [0, 5, 0]),
  },
"#;

/// Each case: an element, the place that is shown, words that are said.
pub type Case<'c> = (&'c str, &'c str, &'c [&'c str]);

/// Demands that each element, added to a map of the scene, is refused.
pub fn all_refused(map: &str, cases: &[Case]) {
    for (element, place, words) in cases {
        refused(
            &planar(&format!("{PARTS} {map}: {{ \"it\": {element} }},")),
            place,
            words,
        );
    }
}

#[test]
fn bars_join_two_places_that_can_move_apart() {
    let bars: [Case; 5] = [
        (
            r#"Bar(from: "P", to: "P", length: 9)"#,
            "\"P\"",
            &["both ends of `it` are at the same place"],
        ),
        (
            r#"Bar(from: "A", to: "B", length: 9)"#,
            "\"B\"",
            &["fixed in the ground"],
        ),
        (
            r#"Bar(from: "P", to: "it.centre", length: 9)"#,
            "\"it.centre\"",
            &["ends on itself"],
        ),
        (r#"Bar(from: "P", to: "it", length: 9)"#, "\"it\"", &["a whole body"]),
        (
            r#"Bar(from: "P", to: "Q", length: 9, markers: { "to": [1, 0] })"#,
            "\"to\"",
            &["marker `to` of its own"],
        ),
    ];
    for (bar, place, words) in bars {
        refused(
            &planar(&PARTS.replace("\"box\":", &format!("\"it\": {bar}, \"box\":"))),
            place,
            words,
        );
    }
    let circle = r#"bodies: {
        "one": Bar(from: "two.centre", to: "P", length: 1, mass: 1),
        "two": Bar(from: "one.centre", to: "P", length: 1, mass: 1),
    }, points: { "P": (guess: [0, 0]) },"#;
    refused(&planar(circle), "\"two.centre\"", &["in a circle"]);
}

#[test]
fn joints_that_cannot_work() {
    all_refused(
        "joints",
        &[
            (r#"Link(from: "P", to: "P", length: 9)"#, "\"P\"", &["the same place"]),
            (
                r#"Link(from: "P", to: "bar.to", length: 9)"#,
                "\"bar.to\"",
                &["the same place"],
            ),
            (
                r#"Link(from: "A", to: "B", length: 9)"#,
                r#"Link(from: "A", to: "B", length: 9)"#,
                &["cannot move"],
            ),
            (
                r#"Link(from: "P", to: "Q", length: "k - 3")"#,
                "\"k - 3\"",
                &["`it.length` is -1"],
            ),
            (
                r#"Link(from: "P", to: "Q", length: "t")"#,
                "t",
                &["cannot depend on the time", "distance"],
            ),
            (
                r#"DriveDistance(between: ("P", "Q"), distance: "t")"#,
                "\"t\"",
                &["is 0 at the start"],
            ),
            (
                r#"Spherical(between: ("P", "Q"))"#,
                r#"Spherical(between: ("P", "Q"))"#,
                &["Revolute"],
            ),
            (
                r#"PointOnLine(point: "P", line: Through("Q", "Q"))"#,
                "\"Q\"",
                &["the same place"],
            ),
            (
                r#"PointOnLine(point: "P", line: Fixed(through: [1, 0], direction: [0, "k - 2"]))"#,
                r#"[0, "k - 2"]"#,
                &["zero vector"],
            ),
            (
                r#"Prismatic(between: ("P", "box.origin"), direction: [1, 0])"#,
                "\"P\"",
                &["has no angle"],
            ),
            (
                r#"Prismatic(between: ("box.centre", "bar.tip"), direction: [0, 0])"#,
                "[0, 0]",
                &["zero vector"],
            ),
            (
                r#"Weld(between: ("bar.to", "bar.tip"))"#,
                "\"bar.tip\"",
                &["the same body"],
            ),
            (
                r#"Gear(between: ("bar", "bar"), ratio: 1)"#,
                "\"bar\"",
                &["different bodies"],
            ),
            (
                r#"Gear(between: ("ground", "bar"), ratio: 1)"#,
                "\"ground\"",
                &["DriveAngle"],
            ),
            (
                r#"Gear(between: ("bar", "box"), ratio: "k - 2")"#,
                "\"k - 2\"",
                &["different from zero"],
            ),
            ("Coupling(terms: [])", "[]", &["no term"]),
            (r#"Coupling(terms: [("P.x", 1), ("P.x", 2)])"#, "\"P.x\"", &["twice"]),
            (
                r#"DriveAngle(body: "ground", angle: 1)"#,
                "\"ground\"",
                &["cannot be driven"],
            ),
            (
                r#"DriveAngle(body: "box", from: "box", angle: 1)"#,
                "\"box\"",
                &["against itself"],
            ),
            (
                r#"DriveAngle(body: "box", angle: "1/t")"#,
                "\"1/t\"",
                &["is inf at the start"],
            ),
        ],
    );
    let late = r#"joints: { "it": DriveAngle(body: "box", angle: "1/t", active: false) },"#;
    crate::compiled(&planar(&format!("{PARTS} {late}")));
    let plane = r#"PointOnPlane(point: "P", through: [0, 0], normal: [1, 0])"#;
    all_refused("joints", &[(plane, plane, &["only in spatial scenes", "PointOnLine"])]);
}

#[test]
fn joints_with_too_many_coordinates() {
    let points: String = (0..27).map(|k| format!("\"p{k}\": (at: [0, 0], mass: 1), ")).collect();
    let terms: String = (0..27).map(|k| format!("(\"p{k}.x\", 1), ")).collect();
    let joint = format!("Coupling(terms: [{terms}])");
    let text = planar(&format!("points: {{ {points} }}, joints: {{ \"it\": {joint} }},"));
    refused(&text, &joint, &["27 coordinates", "at most 26"]);
    let parameters: String = (0..27).map(|k| format!("\"p{k}\": 1, ")).collect();
    let sum: String = (0..27).map(|k| format!("p{k} + ")).collect();
    let (parameters, output) = (format!("parameters: {{ {parameters} }},"), format!("\"{sum} t\""));
    let force = format!(
        r#"{parameters} points: {{ "P": (at: [0, 0], mass: 1) }}, forces: {{ "f": Load(at: "P", force: [{output}, 0]) }},"#
    );
    refused(&planar(&force), &output, &["28 variables"]);
}

#[test]
fn forces_that_cannot_work() {
    all_refused(
        "forces",
        &[
            (
                r#"Spring(from: "P", to: "Q", stiffness: 1, natural_length: -3)"#,
                "-3",
                &["at least zero"],
            ),
            (
                r#"Damper(from: "A", to: "B", damping: 1)"#,
                r#"Damper(from: "A", to: "B", damping: 1)"#,
                &["cannot move"],
            ),
            (
                r#"Damper(from: "P", to: "bar.to", damping: 1)"#,
                "\"bar.to\"",
                &["the same place"],
            ),
            (
                r#"NonlinearSpring(from: "P", to: "Q", force: "lenght", natural_length: 1)"#,
                "lenght",
                &["no parameter"],
            ),
            (
                r#"NonlinearSpring(from: "P", to: "Q", force: "P.ax", natural_length: 1)"#,
                "P.ax",
                &["is an acceleration", "positions"],
            ),
            (
                r#"TorsionSpring(between: ("bar", "bar"), stiffness: 1)"#,
                "\"bar\"",
                &["two different bodies"],
            ),
            (
                r#"TorsionDamper(between: ("ground", "ground"), damping: 1)"#,
                "\"ground\"",
                &["two different bodies"],
            ),
            (r#"Load(at: "A", force: [1, 0])"#, "\"A\"", &["fixed in the ground"]),
            (
                r#"Load(at: "P", force: [1, "1/t"])"#,
                "\"1/t\"",
                &["at the start", "finite"],
            ),
            (r#"Torque(on: "ground", torque: 1)"#, "\"ground\"", &["no effect"]),
            (
                r#"Torque(on: "box", from: "box", torque: 1)"#,
                "\"box\"",
                &["no effect"],
            ),
            (r#"Drag(at: "P")"#, r#"Drag(at: "P")"#, &["no coefficient"]),
            (r#"Drag(at: "B", linear: 1)"#, "\"B\"", &["fixed in the ground"]),
        ],
    );
    let named = PARTS.replace("\"k\"", "\"rate\"");
    let spring = r#"NonlinearSpring(from: "P", to: "Q", force: "2*rate", natural_length: 1)"#;
    refused(
        &planar(&format!("{named} forces: {{ \"it\": {spring} }},")),
        "rate",
        &["both a parameter", "rename"],
    );
}
