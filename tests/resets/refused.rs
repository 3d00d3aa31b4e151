//! What cannot be set is refused by name.

use costate::error::{Error, ErrorKind};

use crate::DOUBLE_PENDULUM;
use crate::support::{failure, planar, spatial};

#[track_caller]
fn says(error: &Error, words: &[&str]) {
    assert_eq!(error.name(), Some("set"), "{error}");
    assert!(error.line().is_some() && error.advice().is_some(), "{error}");
    for word in words {
        assert!(error.to_string().contains(word), "{error}: no {word}");
    }
}

fn driven(then: &str) -> Error {
    let fields = format!(
        r#"ground: {{ "O": [0, 0] }}, points: {{ "P": (guess: [1, 0], mass: 1) }},
        bodies: {{ "up": Bar(from: "O", to: "P", length: 1, mass: 1) }},
        joints: {{ "motor": DriveAngle(body: "up", angle: "2*t") }},
        events: {{ "set": (when: At(0.5), then: [{then}]) }},"#
    );
    failure(&planar(1.0, &fields))
}

fn pendulum(then: &str) -> Error {
    let from = DOUBLE_PENDULUM.find("then: [").unwrap();
    let to = from + DOUBLE_PENDULUM[from..].find("],\n").unwrap();
    failure(&planar(
        1.0,
        &format!("{}then: [{then}{}", &DOUBLE_PENDULUM[..from], &DOUBLE_PENDULUM[to..]),
    ))
}

#[test]
fn what_a_driver_prescribes() {
    says(
        &driven(r#"Reset("up.angle", 3)"#),
        &["`up.angle` cannot be set: \"motor\" prescribes it", "t = 0.5"],
    );
    says(
        &driven(r#"Reset("up.omega", 3)"#),
        &["`up.omega` cannot be set: \"motor\" prescribes it"],
    );
    // Not even to the value that it has.
    says(&driven(r#"Reset("up.angle", 1)"#), &["\"motor\""]);
    says(&driven(r#"Reset("P.vx", 3)"#), &["\"up\" and \"motor\" prescribe it"]);
}

#[test]
fn what_contradicts_itself_through_a_joint() {
    says(
        &pendulum(r#"Reset("P.vx", 1), Reset("P.vy", 1)"#),
        &["`P.vy` cannot be set: \"up\" and \"P.vx\" prescribe it"],
    );
    says(
        &pendulum(r#"Reset("P.x", 0.5), Reset("P.y", 0.5)"#),
        &["`P.y` cannot be set: \"up\" and \"P.x\" prescribe it"],
    );
}

#[test]
fn what_is_out_of_reach() {
    says(
        &pendulum(r#"Reset("P.x", 1.3)"#),
        &["`P.x` cannot be set: the joints do not close there"],
    );
}

#[test]
fn what_has_no_value() {
    let error = pendulum(r#"Reset("Q.x", "sqrt(-m)")"#);
    assert_eq!(error.kind(), ErrorKind::NotFinite);
    assert_eq!(error.name(), Some("Q.x"));
}

#[test]
fn what_a_start_would_set() {
    let fields =
        r#"points: { "P": (at: [0, 0], mass: 1) }, events: { "set": (when: At(0), then: [Reset("P.x", 1)]) },"#;
    says(&failure(&planar(1.0, fields)), &["`P.x` cannot be set at the start"]);
}

#[test]
fn what_is_set_twice_or_is_no_coordinate() {
    for (then, words) in [
        (r#"Reset("P.x", 1), Reset("P.x", 2)"#, "`P.x` is set twice by one event"),
        (r#"Reset("P.ax", 1)"#, "there is no coordinate `P.ax`"),
        (r#"Reset("up.to.x", 1)"#, "there is no coordinate `up.to.x`"),
        (r#"Reset("R.x", 1)"#, "there is no coordinate `R.x`"),
    ] {
        let error = pendulum(then);
        assert_eq!(error.kind(), ErrorKind::Scene);
        assert!(error.message().contains(words) && error.line().is_some(), "{error}");
    }
}

#[test]
fn what_cannot_be_set_of_a_body_in_space_is_answered_by_what_can() {
    for (name, words) in [
        ("a.q1", "such as `a.omega_x`"),
        ("a.omega", "did you mean `a.omega_x`?"),
        ("a.alpha", "`a.x`, `a.y`, `a.z`, `a.vx`"),
    ] {
        let fields = format!(
            r#"bodies: {{ "a": Solid(mass: 1, inertia: [1, 1, 1, 0, 0, 0], at: [0, 0, 0]) }},
            events: {{ "set": (when: At(1), then: [Reset("{name}", 1)]) }},"#
        );
        let error = failure(&spatial(2.0, &fields));
        let advice = error.advice().unwrap_or_default();
        assert!(advice.contains(words) && !advice.contains("q0"), "{name}: {advice}");
    }
}

#[test]
fn what_sticks_or_remembers() {
    let set = |rest: &str| {
        let fields = format!(
            r#"ground: {{ "O": [0, 0] }}, points: {{ "P": (at: [1, 0.1], velocity: [0.1, 0], mass: 1) }}, gravity: [0, -1], {rest}
            events: {{ "set": (when: At(1), then: [Reset("P.x", "P.x + 1")]) }},"#
        );
        failure(&planar(1.5, &fields))
    };
    let floor =
        r#"contacts: { "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Stick) },"#;
    says(&set(floor), &["`P.x` cannot be set: \"floor\" prescribes it"]);
    let ratchet = r#"contacts: { "pawl": Ratchet(of: Coordinate("P.x"), moves: Up, pitch: 0.1) },"#;
    says(&set(ratchet), &["\"pawl\" remembers how it was moved"]);
    let spring =
        r#"forces: { "wire": HystereticSpring(of: Coordinate("P.x"), natural: 1, ka: 20, kb: 5, alpha: 30) },"#;
    says(&set(spring), &["\"wire\" remembers how it was moved"]);
}
