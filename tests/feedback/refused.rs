//! What forces cannot follow is refused where it stands.

use costate::error::ErrorKind;

use crate::support::{failure, planar};

/// The refusal of a scene with these forces: message, advice, line.
fn refused(forces: &str) -> (String, String, usize) {
    let fields = format!(
        r#"parameters: {{ "k": 4.0 }}, ground: {{ "O": [0, 0] }}, gravity: [0, -1],
        points: {{ "P": (guess: [1, 0.1], mass: 1), "Q": (at: [2, 0], mass: 1) }},
        bodies: {{ "rod": Bar(from: "O", to: "P", length: 1) }},
        contacts: {{ "floor": Touch(point: "Q", surface: Plane(through: [0, -1], normal: [0, 1]), law: Restitution(0)) }},
        outputs: {{ "built": "1 + pull", "pull": "2*rod.force" }},
        forces: {{
{forces}
        }},"#
    );
    let fields = fields.replace(
        r#""built": "1 + pull", "pull": "2*rod.force""#,
        r#""pull": "2*rod.force", "built": "1 + pull""#,
    );
    let error = failure(&planar(1.0, &fields));
    assert_eq!(error.kind(), ErrorKind::Scene, "{error}");
    let advice = error.advice().expect("advice").to_string();
    (error.message().to_string(), advice, error.line().expect("a place"))
}

#[test]
fn forces_cannot_follow_accelerations_and_reactions() {
    for (force, words) in [
        (
            r#""f": Load(at: "Q", force: ["k*Q.ax", 0])"#,
            ["`Q.ax` is an acceleration", "`f.force.x`"],
        ),
        (
            r#""f": Torque(on: "rod", torque: "rod.alpha")"#,
            ["`rod.alpha` is an acceleration", "`f.torque`"],
        ),
        (
            r#""f": Load(at: "Q", force: ["k*rod.force", 0])"#,
            ["`rod.force` is a reaction", "`f.force.x`"],
        ),
        (
            r#""f": Damper(from: "O", to: "Q", damping: "floor.force")"#,
            ["`floor.force` is a reaction", "`f.damping`"],
        ),
        (
            r#""f": Drag(at: "Q", linear: "1 + built")"#,
            ["`built` reads an acceleration or a reaction", "`f.linear`"],
        ),
    ] {
        let (message, advice, line) = refused(force);
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
        assert!(
            message.contains("follows from the forces") && advice.contains("memory"),
            "{message} {advice}"
        );
        assert_eq!(line, 8, "{message}");
    }
}

#[test]
fn springs_cannot_follow_each_other_in_a_circle() {
    let own = r#""a": Spring(from: "O", to: "Q", stiffness: "1 + a.force", natural_length: 1)"#;
    let circle = r#""a": Spring(from: "O", to: "Q", stiffness: "1 + b.force", natural_length: 1),
        "b": Spring(from: "P", to: "Q", stiffness: 2, natural_length: "1 + c.torque"),
        "c": TorsionSpring(between: ("ground", "rod"), stiffness: 2, damping: "a.force^2")"#;
    let (message, ..) = refused(r#""n": NonlinearSpring(from: "O", to: "Q", force: "P.x*n.force", natural_length: 1)"#);
    assert!(message.contains("`n.force` follows a force"), "{message}");
    for forces in [own, circle] {
        let (message, advice, _) = refused(forces);
        assert!(
            message.contains("`a.stiffness` follows a force that follows `a.stiffness` in turn"),
            "{message}"
        );
        assert!(advice.contains("positions and velocities"), "{advice}");
    }
}

#[test]
fn values_that_cannot_follow_the_motion_say_which_can() {
    let (message, advice, _) = refused(r#""h": HystereticSpring(of: Distance("O", "Q"), ka: "P.x", kb: 1, alpha: 1)"#);
    assert!(
        message.contains("`P.x` cannot be used here") && advice.contains("springs, dampers"),
        "{message} {advice}"
    );
    let (message, ..) = refused(r#""s": Spring(from: "O", to: "Q", stiffness: "k + P.vv", natural_length: 1)"#);
    assert!(message.contains("has no quantity `vv`"), "{message}");
    let (message, ..) = refused(r#""s": Spring(from: "O", to: "Q", stiffness: "1/t", natural_length: 1)"#);
    assert!(message.contains("`s.stiffness` is inf at the start"), "{message}");
}

#[test]
fn feedback_without_a_value_is_named_with_its_time() {
    let fields = r#"points: { "Q": (at: [2, 0], velocity: [-1, 0], mass: 1) },
        forces: { "f": Load(at: "Q", force: ["sqrt(Q.x - 1)", 0]) }, gravity: [-50, 0],"#;
    let error = failure(&planar(3.0, fields));
    assert_eq!(error.kind(), ErrorKind::NotFinite, "{error}");
    assert!(
        error.to_string().contains("`sqrt(Q.x - 1)` of the force \"f\""),
        "{error}"
    );
}
