//! Names without meaning are shown at their place, with the nearest name that has one.

use crate::{planar, refused};

const PARTS: &str = r#"
  parameters: { "length one": 1, "k": 2 },
  ground: { "anchor": [0, 0] },
  points: { "point one": (guess: [1, 0], mass: 1), "P2": (at: [2, 0], mass: 1) },
  bodies: {
    "crank": Bar(from: "anchor", to: "point one", length: 1, markers: { "tip": [1, 0] }),
    "plate": Rigid(mass: 1, inertia: 1, at: [0, 5, 0]),
  },
"#;

fn with_parts(fields: &str) -> String {
    planar(&format!("{PARTS}\n{fields}"))
}

#[test]
fn attachments_that_do_not_exist() {
    let cases = [
        ("point onE", &["no place", "did you mean `point one`?"][..]),
        ("crank.tpi", &["no marker", "did you mean `crank.tip`?"]),
        ("crank", &["a whole body", "crank.from"]),
        ("plate", &["a whole body", "plate.origin"]),
        ("P2.x", &["a point and has no markers", "attach to `P2` itself"]),
        ("ground", &["no place", "ground` map"]),
        ("zzzzzzz", &["no place `zzzzzzz`", "anchor", "crank.to"]),
        ("push", &["a force, not a place"]),
    ];
    for (name, words) in cases {
        let text = with_parts(&format!(
            r#"forces: {{ "push": Drag(at: "P2", linear: 1), "f": Spring(from: "anchor", to: "{name}", stiffness: 1, natural_length: 1) }},"#
        ));
        refused(&text, &format!("\"{name}\""), words);
    }
    let text = with_parts(r#"joints: { "j": Revolute(between: ("P2", "plat.origin")) },"#);
    refused(&text, "\"plat.origin\"", &["did you mean `plate.origin`?"]);
    let text = planar(r#"points: { "P": (at: [0, 0]) }, bodies: { "b": Bar(from: "P", to: "Q", length: 1) },"#);
    refused(&text, "\"Q\"", &["there is no place `Q`"]);
}

#[test]
fn bodies_and_coordinates_that_do_not_exist() {
    let torsion = |name: &str| {
        with_parts(&format!(
            r#"forces: {{ "f": TorsionSpring(between: ("ground", "{name}"), stiffness: 1) }},"#
        ))
    };
    refused(
        &torsion("cranc"),
        "\"cranc\"",
        &["no bar or rigid body", "did you mean `crank`?"],
    );
    refused(&torsion("P2"), "\"P2\"", &["`P2` is a point, not a bar", "crank"]);
    let drive = |name: &str| {
        with_parts(&format!(
            r#"joints: {{ "j": DriveCoordinate(coordinate: "{name}", value: 1) }},"#
        ))
    };
    refused(&drive("P2.z"), "\"P2.z\"", &["no coordinate", "P2.x"]);
    refused(&drive("P3.x"), "\"P3.x\"", &["no coordinate", "did you mean `P2.x`?"]);
    refused(
        &drive("anchor.x"),
        "\"anchor.x\"",
        &["a ground point and has no coordinates"],
    );
    refused(&drive("crank.x"), "\"crank.x\"", &["no coordinate", "crank.angle"]);
    refused(&drive("P2"), "\"P2\"", &["no coordinate", "P2.x"]);
    let flip =
        r#"Touch(point: "P2", surface: Plane(through: [0, 0], normal: [0, 1]), law: FlipKeeping(["P2.x", "P2.vw"]))"#;
    refused(
        &with_parts(&format!("contacts: {{ \"c\": {flip} }},")),
        "\"P2.vw\"",
        &["no coordinate"],
    );
    refused(
        &with_parts(r#"joints: { "j": Weld(between: ("anchor", "P2")) },"#),
        "\"P2\"",
        &["the point `P2` has no angle", "marker"],
    );
}

#[test]
fn variables_that_do_not_exist() {
    let mass = |text: &str| {
        planar(&format!(
            r#"parameters: {{ "length one": 1 }}, points: {{ "P": (at: [0, 0], mass: "{text}") }},"#
        ))
    };
    refused(
        &mass("2*lenght one"),
        "lenght one",
        &["no parameter", "did you mean `length one`?"],
    );
    refused(&mass("1 + t"), "t", &["cannot depend on the time", "drivers"]);
    refused(&mass("1 + P.x"), "P.x", &["only in loads", "outputs", "parameters"]);
    refused(&mass("2 length one"), "length one", &["operator is missing"]);
    let output = |text: &str| with_parts(&format!(r#"outputs: {{ "first": "t", "o": "{text}", "later": "t" }},"#));
    refused(
        &output("2*K"),
        "K",
        &["no parameter or earlier output", "did you mean `k`?"],
    );
    refused(
        &output("1 + later"),
        "later",
        &["not defined before", "move `later` up"],
    );
    refused(&output("o"), "o", &["not defined before"]);
    refused(
        &output("crank"),
        "crank",
        &["`crank` is a bar, not a number", "crank.length"],
    );
    refused(
        &output("cranc.force"),
        "cranc.force",
        &["no element `cranc`", "did you mean `crank`?"],
    );
    refused(
        &output("crank.forse"),
        "crank.forse",
        &["no quantity `forse`", "did you mean `crank.force`?", "`omega`"],
    );
    refused(&output("P2.z"), "P2.z", &["`P2` is a point", "`x`, `y`, `vx`"]);
    refused(
        &output("crank.tip.w"),
        "crank.tip.w",
        &["no quantity `tip.w`", "`tip.vx`"],
    );
    refused(&output("energy.heat"), "energy.heat", &["energy.kinetic"]);
    let text = with_parts(
        r#"forces: { "load": Load(at: "P2", force: [1, 0]) },
        joints: { "gear": Gear(between: ("crank", "plate"), ratio: 1) },
        contacts: { "stop": Limit(of: Angle("crank"), at_least: 0, at_most: 1, law: Flip) },
        outputs: { "o": "OUTPUT" },"#,
    );
    let output = |expression: &str| text.replace("OUTPUT", expression);
    refused(
        &output("load.force"),
        "load.force",
        &["no quantity `force`", "It has `power`"],
    );
    refused(&output("gear.force"), "gear.force", &["`torque`"]);
    refused(&output("stop.gap"), "stop.gap", &["two sides", "'stop (at least)'.gap"]);
}

#[test]
fn what_events_switch_must_be_switchable() {
    let event = |event: &str| with_parts(&format!("events: {{ \"e\": ({event}) }},"));
    refused(
        &event(r#"when: At(1), then: [Enable("crank")]"#),
        "\"crank\"",
        &["a bar, which cannot be switched"],
    );
    refused(
        &event(r#"when: At(1), then: [Disable("nothing")]"#),
        "\"nothing\"",
        &["no joint, force or contact"],
    );
    refused(
        &event(r#"when: Rising("k - 1"), then: []"#),
        "\"k - 1\"",
        &["never changes"],
    );
    refused(
        &event(r#"when: At("t"), then: []"#),
        "t",
        &["cannot depend on the time"],
    );
}

#[test]
fn names_that_nothing_could_refer_to() {
    let cases = [
        (
            r#"points: { "a.b": (at: [0, 0], mass: 1) },"#,
            "\"a.b\"",
            "contains `.`",
        ),
        (
            r#"points: { "a'b": (at: [0, 0], mass: 1) },"#,
            "\"a'b\"",
            "contains `'`",
        ),
        (r#"points: { " ": (at: [0, 0], mass: 1) },"#, "\" \"", "empty"),
        (r#"parameters: { "": 1 },"#, "\"\"", "empty"),
        (r#"parameters: { "t": 1 },"#, "\"t\"", "means the time"),
        (r#"parameters: { "pi": 1 },"#, "\"pi\"", "means a constant"),
        (r#"outputs: { "tau": "1" },"#, "\"tau\"", "means a constant"),
        (r#"objectives: { "a.b": Final("t") },"#, "\"a.b\"", "contains `.`"),
        (
            r#"parameters: { "p": 1 }, outputs: { "p": "t" },"#,
            "\"p\"",
            "already a parameter",
        ),
        (r#"ground: { "ground": [0, 0] },"#, "\"ground\"", "fixed frame"),
        (
            r#"points: { "energy": (at: [0, 0], mass: 1) },"#,
            "\"energy\"",
            "another name",
        ),
        (
            r#"ground: { "A": [0, 0] }, points: {"A": (at: [0, 0], mass: 1) },"#,
            "\"A\"",
            "already a ground point",
        ),
        (
            r#"points: {"A": (at: [0, 0], mass: 1) }, forces: { "A": Drag(at: "A", linear: 1) },"#,
            "\"A\"",
            "already a point",
        ),
        (
            r#"bodies: { "b": Rigid(mass: 1, inertia: 1, at: [0, 0, 0], markers: { "origin": [1, 1] }) },"#,
            "\"origin\"",
            "marker `origin` of its own",
        ),
    ];
    for (fields, place, words) in cases {
        refused(&planar(fields), place, &[words]);
    }
}

#[test]
fn parameters_use_only_those_before_them() {
    refused(
        &planar(r#"parameters: { "a": "2*b", "b": 1 },"#),
        "b",
        &["defined only further down", "move `b` before `a`"],
    );
    refused(&planar(r#"parameters: { "a": "a + 1" },"#), "a", &["uses itself"]);
    refused(
        &planar(r#"parameters: { "alpha": 1, "b": (value: "2*alhpa") },"#),
        "alhpa",
        &["did you mean `alpha`?"],
    );
    refused(
        &planar(r#"parameters: { "b": "2*t" },"#),
        "t",
        &["cannot depend on the time"],
    );
}
