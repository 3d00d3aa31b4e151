//! Memory, ratchets and springs with hysteresis that cannot work are shown at the field that makes them so.

use crate::wrong_elements::{PARTS, all_refused};
use crate::{planar, refused};

#[test]
fn springs_with_hysteresis_that_cannot_work() {
    all_refused(
        "forces",
        &[
            (
                r#"HystereticSpring(of: Coordinate("P.x"), ka: 3.5, kb: 4, alpha: 1)"#,
                "3.5",
                &["`ka` is 3.5, below `kb`, which is 4"],
            ),
            (
                r#"HystereticSpring(of: Coordinate("P.x"), ka: 5, kb: 4, alpha: "k - 2")"#,
                "\"k - 2\"",
                &["`it.alpha` is 0", "positive"],
            ),
            (
                r#"HystereticSpring(of: Distance("P", "bar.to"), ka: 5, kb: 4, alpha: 1)"#,
                "\"bar.to\"",
                &["the same place"],
            ),
            (
                r#"HystereticSpring(of: Coordinate("P.z"), ka: 5, kb: 4, alpha: 1)"#,
                "\"P.z\"",
                &["P.x"],
            ),
            (
                r#"HystereticSpring(of: Coordinate("P.x"), ka: "t", kb: 4, alpha: 1)"#,
                "t",
                &["cannot depend on the time"],
            ),
        ],
    );
}

#[test]
fn ratchets_that_cannot_work() {
    all_refused(
        "contacts",
        &[
            (
                r#"Ratchet(of: Coordinate("P.x"), moves: Up, pitch: -0.5)"#,
                "-0.5",
                &["`it.pitch` is -0.5", "positive"],
            ),
            (
                r#"Ratchet(of: Coordinate("P.x"), moves: Up, tooth: 0.25)"#,
                "0.25",
                &["`tooth` has no meaning without teeth", "pitch"],
            ),
            (
                r#"Ratchet(of: Coordinate("P.x"), moves: Down, pitch: 1, restitution: 1.5)"#,
                "1.5",
                &["from 0 to 1"],
            ),
            (
                r#"Ratchet(of: AngleBetween("bar", "bar"), moves: Up)"#,
                "\"bar\"",
                &["always zero"],
            ),
        ],
    );
}

/// A scene with a memory `w`.
fn remembering(fields: &str) -> String {
    planar(&format!("{PARTS} memory: {{ \"w\": 1 }}, {fields}"))
}

#[test]
fn memory_that_cannot_work() {
    let set = |action: &str| remembering(&format!("events: {{ \"e\": (when: At(0.5), then: [{action}]) }},"));
    refused(&set(r#"Set("v", 2)"#), "\"v\"", &["there is no memory `v`", "`w`"]);
    refused(&set(r#"Set("w", "P.q")"#), "P.q", &["has no quantity `q`"]);
    let crossing = remembering(r#"events: { "e": (when: Rising("w - 2"), then: []) },"#);
    refused(&crossing, "\"w - 2\"", &["never changes between events"]);
    let stiffness = r#"forces: { "s": HystereticSpring(of: Distance("A", "P"), ka: "w", kb: 1, alpha: 1) },"#;
    refused(
        &remembering(stiffness),
        "w",
        &["cannot depend on the memory `w`", "where time may"],
    );
    refused(
        &planar(&format!("{PARTS} memory: {{ \"k\": 1 }},")),
        "\"k\"",
        &["already a parameter named `k`"],
    );
    refused(
        &remembering(r#"outputs: { "w": "P.x" },"#),
        "\"w\"",
        &["already an output named `w`"],
    );
    refused(
        &planar(&format!("{PARTS} memory: {{ \"t\": 1 }},")),
        "\"t\"",
        &["means the time"],
    );
    refused(
        &planar(&format!("{PARTS} memory: {{ \"u\": \"P.x\" }},")),
        "P.x",
        &["cannot be used here"],
    );
}
