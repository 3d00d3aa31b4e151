//! Contacts and objectives that cannot work are shown at the field that makes them so.

use crate::wrong_elements::all_refused;

#[test]
fn contacts_that_cannot_work() {
    let plane = "surface: Plane(through: [0, 0], normal: [0, 1])";
    all_refused(
        "contacts",
        &[
            (
                &format!(r#"Touch(point: "P", {plane}, law: Restitution(1.5))"#),
                "1.5",
                &["`it.restitution` is 1.5", "from 0 to 1"],
            ),
            (
                &format!(r#"Touch(point: "P", {plane}, law: StickUntil(-3))"#),
                "-3",
                &["at least zero"],
            ),
            (
                &format!(r#"Touch(point: "P", radius: -3, {plane}, law: Flip)"#),
                "-3",
                &["at least zero"],
            ),
            (
                r#"Touch(point: "P", surface: Plane(through: [3, 3], normal: [0, 0]), law: Flip)"#,
                "[0, 0]",
                &["zero vector"],
            ),
            (
                r#"Touch(point: "P", surface: Circle(centre: "bar.to", radius: 1), law: Flip)"#,
                "\"P\"",
                &["the same place"],
            ),
            (
                r#"Touch(point: "P", radius: 2, surface: Circle(centre: "Q", radius: 1.5, inside: true), law: Flip)"#,
                "1.5",
                &["not smaller"],
            ),
            (
                r#"Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1], on: "Q"), law: Flip)"#,
                "\"Q\"",
                &["not a bar or rigid body"],
            ),
            (
                r#"Limit(of: Angle("bar"), law: Flip)"#,
                r#"Limit(of: Angle("bar"), law: Flip)"#,
                &["no limit"],
            ),
            (
                r#"Limit(of: Angle("bar"), at_least: 3, at_most: 2, law: Flip)"#,
                "3",
                &["not below"],
            ),
            (
                r#"Limit(of: Distance("P", "Q"), at_least: -3, law: Flip)"#,
                "-3",
                &["positive"],
            ),
            (
                r#"Limit(of: AngleBetween("bar", "bar"), at_least: 0, law: Flip)"#,
                "\"bar\"",
                &["always zero"],
            ),
            (
                r#"Limit(of: AngleBetween("bar", "ground"), at_least: 0, law: Flip)"#,
                "\"ground\"",
                &["no bar or rigid body"],
            ),
        ],
    );
    let fixed = format!(r#"Touch(point: "A", {plane}, law: Flip)"#);
    all_refused("contacts", &[(&fixed, &fixed, &["cannot move"])]);
}

#[test]
fn objectives_that_cannot_work() {
    all_refused(
        "objectives",
        &[
            ("Sum([])", "[]", &["no terms"]),
            (
                r#"Sum([(1, Final("t")), (2, Final("P.q"))])"#,
                "P.q",
                &["no quantity `q`"],
            ),
            (
                r#"Sum([(1, Final("t")), ("t", Final("P.x"))])"#,
                "t",
                &["cannot depend on the time"],
            ),
            (r#"Integral("P.x +")"#, "", &["ends"]),
        ],
    );
}
