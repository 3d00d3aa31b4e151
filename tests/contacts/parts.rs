//! Contacts of several parts, each of which has a name of its own: `pl (pill.a)`, `balls (a.origin, b.origin)`, `st (edge 2)`.

use crate::support::*;

/// A capsule across the floor, on it or above it by `z`.
fn capsule(z: f64, law: &str, more: &str) -> String {
    spatial(
        0.4,
        &format!(
            r#"gravity: [0, 0, -9.81],
            bodies: {{ "pill": Solid(mass: 2, inertia: [0.02, 0.02, 0.004, 0, 0, 0], centre_of_mass: [0, 0, 0.03], at: [0, 0, {z}], orientation: Rotations([X("pi/2")]),
                velocity: [0.5, 0, 0], angular_velocity: [0, 0, 0], markers: {{ "a": [0, 0, -0.15], "b": [0, 0, 0.15] }}) }},
            contacts: {{ "pl": Touch(point: "pill.a", to: "pill.b", radius: 0.05, surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: {law}) }},
            {more}"#
        ),
    )
}

/// Two balls, the first of which comes from the left.
fn balls(more: &str) -> String {
    let ball = |x: f64, v: f64| {
        format!(
            "Solid(mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0], at: [{x}, 0, 0], velocity: [{v}, 0, 0], angular_velocity: [0, 0, 0])"
        )
    };
    spatial(
        1.0,
        &format!(
            r#"bodies: {{ "a": {}, "b": {} }},
            contacts: {{ "balls": Among(circles: [("a.origin", 0.1), ("b.origin", 0.1)], law: Restitution(0.5)) }}, {more}"#,
            ball(0.0, 1.0),
            ball(1.0, 0.0)
        ),
    )
}

#[test]
fn what_a_part_named_after_markers_has_is_read_by_its_name() {
    let of = |field: &str| format!(r#""{field} a": "'pl (pill.a)'.{field}", "{field} b": "'pl (pill.b)'.{field}","#);
    let fields = ["force", "gap", "friction", "slip", "slip_x", "friction_x", "heat"]
        .map(of)
        .concat();
    let outputs = format!("outputs: {{ {fields} }},");
    let report = run(&capsule(0.05, "Friction(coefficient: 0.2)", &outputs));
    // The centre of mass is a fifth of the way from the middle to `b`, which is at the y of -0.15.
    let [a, b] = ["force a", "force b"].map(|name| output(&report, name));
    close("sum", a + b, 2.0 * 9.81, 1e-9);
    close("share", a, 0.4 * 2.0 * 9.81, 1e-9);
    close("gap", output(&report, "gap b"), 0.0, 1e-12);
    assert!(output(&report, "heat a") >= 0.0);
}

#[test]
fn forces_follow_the_gap_of_a_part() {
    let pushed = |gap: &str| {
        let more = format!(
            r#"forces: {{ "push": Load(at: "pill.a", force: [0, 0, "100*{gap}"]) }}, outputs: {{ "z": "pill.a.z" }},"#
        );
        output(&run(&capsule(0.3, "Restitution(0.5)", &more)), "z")
    };
    close("z", pushed("'pl (pill.a)'.gap"), pushed("(pill.a.z - 0.05)"), 1e-10);
}

#[test]
fn the_gap_of_two_circles_on_bodies_is_read_by_the_name_of_the_pair() {
    let report = run(&balls(r#"outputs: { "gap": "'balls (a.origin, b.origin)'.gap" },"#));
    // They meet at 0.8 s and part at half of the speed.
    close("gap", output(&report, "gap"), 0.5 * 0.2, 1e-12);
}

#[test]
fn objectives_count_the_events_of_one_part() {
    let of = |event: &str| format!(r#""{event}": AtEvents(of: "1", event: "{event}", kind: Impact),"#);
    let parts = ["pl", "pl (pill.a)", "pl (pill.b)"];
    let report = run(&capsule(
        0.08,
        "Restitution(0.5)",
        &format!(
            "objectives: {{ {} }},",
            parts
                .map(of)
                .concat()
                .replace("\"pl (pill.a)\":", "\"a\":")
                .replace("\"pl (pill.b)\":", "\"b\":")
        ),
    ));
    let [all, a, b] = ["pl", "a", "b"].map(|name| objective(&report, name));
    assert!(a > 0.0 && b > 0.0 && a + b == all, "{a} and {b} of {all}");
    let counted = happenings(&report)
        .iter()
        .filter(|event| **event == ("pl (pill.a)", "impact"))
        .count();
    assert_eq!(a, counted as f64);
    let pair = run(&balls(
        r#"objectives: { "t": AtEvents(of: "t", event: "balls (a.origin, b.origin)") },"#,
    ));
    close("time", objective(&pair, "t"), 0.8, 1e-12);
    let stop = run(&planar(
        1.0,
        r#"points: { "P": (at: [0, 0], velocity: [1, 0], mass: 1) },
        contacts: { "stop": Limit(of: Coordinate("P.x"), at_least: -0.2, at_most: 0.3, law: Restitution(1)) },
        objectives: { "most": AtEvents(of: "t", event: "stop (at most)"), "least": AtEvents(of: "t", event: "stop (at least)") },"#,
    ));
    close("at most", objective(&stop, "most"), 0.3, 1e-12);
    close("at least", objective(&stop, "least"), 0.8, 1e-12);
}

#[test]
fn events_switch_one_part() {
    let off = r#"events: { "off": (when: At(0.1), then: [Disable("pl (pill.b)")], once: true) },
        outputs: { "a": "'pl (pill.a)'.force", "b": "'pl (pill.b)'.gap" },"#;
    let report = run(&capsule(0.05, "Restitution(0)", off));
    assert!(output(&report, "b") < -1e-3 && output(&report, "a") > 1.0, "{report:?}");
    let pair = r#"events: { "off": (when: At(0.1), then: [Disable("balls (a.origin, b.origin)")], once: true) }, outputs: { "x": "a.x" },"#;
    close("through", output(&run(&balls(pair)), "x"), 1.0, 1e-12);
}

#[test]
fn names_that_are_those_of_no_part_are_quoted_whole_with_the_nearest() {
    for (more, message, advice) in [
        (
            r#"outputs: { "N": "'pl (pill.c)'.force" },"#,
            "no element `pl (pill.c)`",
            "`pl (pill.a)`",
        ),
        (
            r#"outputs: { "N": "'pl (pill.a)'.forse" },"#,
            "`pl (pill.a)` is a contact and has no quantity `forse`",
            "`'pl (pill.a)'.force`",
        ),
        (
            r#"outputs: { "N": "pl.force" },"#,
            "`pl` has two sides",
            "`'pl (pill.a)'.force`",
        ),
        (
            r#"objectives: { "n": AtEvents(of: "1", event: "pl (pill.c)") },"#,
            "no contact or event `pl (pill.c)`",
            "`pl (pill.a)`",
        ),
        (
            r#"events: { "off": (when: At(0.1), then: [Disable("pl (pill.c)")]) },"#,
            "contact `pl (pill.c)`",
            "`pl (pill.a)`",
        ),
    ] {
        let error = failure(&capsule(0.05, "Restitution(0)", more));
        assert!(error.message().contains(message), "{}", error.message());
        assert!(
            error.advice().is_some_and(|found| found.contains(advice)),
            "{:?}",
            error.advice()
        );
    }
}

#[test]
fn the_bend_of_bristles_is_that_of_one_part() {
    // It spins, so that its ends slip in opposite directions.
    let spinning = |name: &str| {
        let read = format!(r#"objectives: {{ "bend": At(time: 0.05, of: "{name}.bend_2") }},"#);
        let text = capsule(
            0.05,
            "Friction(coefficient: 0.2, bristles: 1e4, bristle_damping: 10)",
            &read,
        );
        text.replace("angular_velocity: [0, 0, 0]", "angular_velocity: [0, 8, 0]")
    };
    let [a, b] = ["'pl (pill.a)'", "'pl (pill.b)'"].map(|name| objective(&run(&spinning(name)), "bend"));
    assert!(a.abs().min(b.abs()) > 1e-6 && a * b < 0.0, "{a} {b}");
    let error = failure(&spinning("pl"));
    let advice = error.advice().unwrap_or_default();
    assert!(advice.contains("`'pl (pill.a)'.bend_2`"), "{advice}");
}

#[test]
fn the_balance_of_energy_names_each_part_that_rubs() {
    let text = planar(
        1.5,
        r#"gravity: [0, -9.81], points: { "P": (at: [-1, 1], velocity: [0, 0], mass: 0.5) },
        contacts: { "st": Touch(point: "P", surface: Polyline(points: [[-2, 2], [0, 0], [3, -0.5]]), law: Friction(coefficient: 0.1)) },
        objectives: { "first": Integral("'st (edge 1)'.heat"), "second": Integral("'st (edge 2)'.heat") },"#,
    );
    let (report, recording) = experiment(&text, &tight()).run_balanced(true, &mut |_| {}).unwrap();
    let work = &report.balance.as_ref().expect("a balance").work;
    let names: Vec<&str> = work.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["st (edge 1)", "st (edge 2)"]);
    for ((name, given), lost) in work.iter().zip(["first", "second"]) {
        close(name, *given, -objective(&report, lost), 1e-9);
    }
    let recording = recording.expect("a recording");
    let given: Vec<String> = recording.energy.given().into_iter().map(|(name, _)| name).collect();
    assert_eq!(given[..2], ["by st (edge 1)", "by st (edge 2)"]);
    let object: serde_json::Value = serde_json::to_value(&report).unwrap();
    let object = &object["energy"]["balance"]["work"];
    close("json", object["st (edge 1)"].as_f64().unwrap(), work[0].1, 0.0);
}
