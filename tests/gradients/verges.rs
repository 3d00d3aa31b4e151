//! Verges: guards that are zero without firing, so that a change of a parameter leads over to another motion on one side only.

use costate::run::{Changes, Experiment, Method};
use costate::scene::parse;

const POINT: &str = r#"points: { "P": (at: [0, 0], velocity: [0, 0], mass: 1) }"#;
const DISC: &str =
    r#"ground: { "O": [0, 0] }, bodies: { "disc": Rigid(mass: 1, inertia: 1, at: [0, 0, 0], velocity: [0, 0, 0]) }"#;
const FLOOR: &str = "surface: Plane(through: [0, 0], normal: [0, 1])";

fn planar(fields: &str) -> Experiment {
    let text = format!("Scene(name: \"test\", space: Planar,\n{fields},\nsimulation: (duration: 1))");
    let file = parse("test.ron", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Experiment::new(&file, &Changes::default()).unwrap()
}

/// Scenes with a parameter by which nothing has a derivative, and a word of the reason.
fn verges() -> Vec<(String, &'static str, &'static str)> {
    let free = r#"ground: { "O": [0, 0] }, points: { "P": (at: [1, 0], velocity: [0.3, 0], mass: 1) }"#;
    let still = free.replace("0.3", "0");
    let spring = r#"Spring(from: "O", to: "P", stiffness: 20, natural_length: "l""#;
    vec![
        // A brake that holds nothing, of a disc that nothing turns.
        (
            format!(
                r#"parameters: {{ "F": 0, "c": 0 }}, {DISC},
                joints: {{ "j": Revolute(between: ("O", "disc.origin"), friction: Preload(kinetic: "c")) }},
                forces: {{ "t": Torque(on: "disc", torque: "F") }}, objectives: {{ "a": Final("disc.angle") }}"#
            ),
            "F",
            "\"j\" sticks",
        ),
        // A floor that nothing presses.
        (
            format!(
                r#"parameters: {{ "F": 0 }}, {POINT}, contacts: {{ "f": Touch(point: "P", {FLOOR}, law: Friction(coefficient: 0.5)) }},
                forces: {{ "l": Load(at: "P", force: ["F", 0]) }}, objectives: {{ "x": Final("P.x") }}"#
            ),
            "F",
            "\"f\" sticks",
        ),
        // As much as sticks.
        (
            format!(
                r#"parameters: {{ "mu": 0.3 }}, gravity: [0, -10], {POINT},
                contacts: {{ "f": Touch(point: "P", {FLOOR}, law: Friction(coefficient: "0.5*mu", static: "mu")) }},
                forces: {{ "l": Load(at: "P", force: [3, 0]) }}, objectives: {{ "x": Final("P.x") }}"#
            ),
            "mu",
            "\"f\" sticks",
        ),
        // A load that weighs as much as what it lifts.
        (
            format!(
                r#"parameters: {{ "F": 10 }}, gravity: [0, -10], {POINT}, contacts: {{ "f": Touch(point: "P", {FLOOR}, law: Restitution(0.5)) }},
                forces: {{ "l": Load(at: "P", force: [0, "F"]) }}, objectives: {{ "y": Final("P.y") }}"#
            ),
            "F",
            "\"f\" touches",
        ),
        // A rope at its length: at rest, and where a damper in it acts at once.
        (
            format!(
                r#"parameters: {{ "l": 1 }}, {still}, forces: {{ "s": {spring}, one_sided: Tension) }}, objectives: {{ "x": Final("P.x") }}"#
            ),
            "l",
            "begins to act",
        ),
        (
            format!(
                r#"parameters: {{ "l": 1 }}, gravity: [10, 0], {still}, forces: {{ "s": {spring}, damping: 2, one_sided: Tension) }}, objectives: {{ "x": Final("P.x") }}"#
            ),
            "l",
            "begins to act",
        ),
        (
            format!(
                r#"parameters: {{ "l": 1 }}, {free}, forces: {{ "s": {spring}, damping: 2, one_sided: Tension) }}, objectives: {{ "x": Final("P.x") }}"#
            ),
            "l",
            "begins to act",
        ),
        // A condition that is met at the start.
        (
            format!(
                r#"parameters: {{ "a": 0 }}, {}, memory: {{ "F": 0 }}, forces: {{ "l": Load(at: "P", force: ["F", 0]) }},
                events: {{ "e": (when: Rising("P.x - a"), then: [Set("F", 1)]) }}, objectives: {{ "x": Final("P.x") }}"#,
                POINT.replace("velocity: [0", "velocity: [1")
            ),
            "a",
            "\"e\" is zero at the start",
        ),
    ]
}

#[test]
fn what_leads_over_a_verge_has_no_derivative() {
    for (scene, parameter, word) in verges() {
        for method in [Method::Adjoint, Method::Forward] {
            let report = planar(&scene)
                .gradient(method)
                .unwrap_or_else(|error| panic!("{error}\n{scene}"));
            let reason = report.undetermined_reason(parameter);
            assert!(
                reason.as_ref().is_some_and(|reason| reason.contains(word)),
                "{reason:?} {method:?}\n{scene}"
            );
            let k = report.parameters.iter().position(|name| name == parameter).unwrap();
            assert!(report.objectives[0].gradient[k].is_nan(), "{scene}");
        }
    }
}

/// Both methods agree with a difference quotient, for no side is another.
#[track_caller]
fn has_a_derivative(scene: &str, step: f64, bound: f64) {
    let value = |by: f64| {
        let (report, _) = planar(&scene.replace("PLUS", &format!("+ {by:e}")))
            .run(false, &mut |_| {})
            .unwrap();
        report.objectives[0].1
    };
    let quotient = (value(step) - value(-step)) / (2.0 * step);
    for method in [Method::Adjoint, Method::Forward] {
        let report = planar(&scene.replace("PLUS", "")).gradient(method).unwrap();
        assert_eq!(report.undetermined, [], "{scene}");
        let slope = report.objectives[0].gradient[0];
        assert!(
            (slope - quotient).abs() < bound,
            "{slope} {quotient} {method:?}\n{scene}"
        );
    }
}

#[test]
fn what_leaves_a_verge_at_once_has_one() {
    // A weight falls into a rope that is just tight.
    has_a_derivative(
        r#"parameters: { "l": 1 }, gravity: [10, 0], ground: { "O": [0, 0] }, points: { "P": (at: [1, 0], velocity: [0, 0], mass: 1) },
        forces: { "s": Spring(from: "O", to: "P", stiffness: 20, natural_length: "l PLUS", one_sided: Tension) }, objectives: { "x": Final("P.x") }"#,
        1e-6,
        5e-3,
    );
    // A load that grows from zero presses a floor.
    has_a_derivative(
        &format!(
            r#"parameters: {{ "F": 2 }}, {POINT}, contacts: {{ "f": Touch(point: "P", {FLOOR}, law: Restitution(0.5)) }},
            forces: {{ "l": Load(at: "P", force: [1, "-(F PLUS)*t"]) }}, objectives: {{ "n": Integral("f.force") }}"#
        ),
        1e-4,
        1e-7,
    );
    // A condition that the motion leaves the other way.
    has_a_derivative(
        &format!(
            r#"parameters: {{ "a": 0 }}, {}, memory: {{ "F": 0 }}, forces: {{ "l": Load(at: "P", force: ["F + a PLUS", 0]) }},
            events: {{ "e": (when: Falling("P.x - a"), then: [Set("F", 1)]) }}, objectives: {{ "x": Final("P.x") }}"#,
            POINT.replace("velocity: [0", "velocity: [1")
        ),
        1e-4,
        1e-7,
    );
    // One that changes nothing, and one that the motion leaves the other way from rest.
    has_a_derivative(
        &format!(
            r#"parameters: {{ "a": 0 }}, {}, forces: {{ "l": Load(at: "P", force: ["a PLUS", 0]) }},
            events: {{ "e": (when: Rising("P.x - a"), then: []) }}, objectives: {{ "x": Final("P.x") }}"#,
            POINT.replace("velocity: [0", "velocity: [1")
        ),
        1e-4,
        1e-7,
    );
    has_a_derivative(
        &format!(
            r#"parameters: {{ "a": 0 }}, gravity: [0, -10], {POINT}, memory: {{ "F": 0 }}, forces: {{ "l": Load(at: "P", force: ["F + a PLUS", 0]) }},
            events: {{ "e": (when: Rising("P.y - a"), then: [Set("F", 1)]) }}, objectives: {{ "x": Final("P.x") }}"#
        ),
        1e-4,
        1e-7,
    );
    // The rope askew, just tight but for rounding.
    has_a_derivative(
        r#"parameters: { "l": 1.414213562373095 }, gravity: [10, -10], ground: { "O": [0, 0] }, points: { "P": (at: [1, -1], velocity: [0, 0], mass: 1) },
        forces: { "s": Spring(from: "O", to: "P", stiffness: 20, natural_length: "l PLUS", one_sided: Tension) }, objectives: { "x": Final("P.x") }"#,
        1e-6,
        5e-3,
    );
}

#[test]
fn a_rope_that_no_parameter_moves_does_not_matter() {
    let rope = r#"ground: { "O": [0, 0] }, points: { "P": (at: [1, 0], velocity: [0, 0], mass: 1), "Q": (at: [3, 0], velocity: [0, 0], mass: 1) },
        forces: { "s": Spring(from: "O", to: "P", stiffness: 20, natural_length: 1, one_sided: Tension), "l": Load(at: "Q", force: ["F PLUS", 0]) }"#;
    let scene = format!(r#"parameters: {{ "F": 1 }}, {rope}, objectives: {{ "x": Final("Q.x") }}"#);
    has_a_derivative(&scene, 1e-3, 1e-8);
}

#[test]
fn what_no_parameter_lifts_off_is_on_no_verge() {
    // Two balls that go on together, with masses of some digits, and a block on three feet whose middle one bears all.
    has_a_derivative(
        r#"parameters: { "va": 2.12, "vb": 0.14, "ma": 0.94, "mb": 1.65, "g": 1.55 },
        points: { "A": (at: [0, 0], velocity: ["va PLUS", 0], mass: "ma"), "B": (at: ["g", 0], velocity: ["vb", 0], mass: "mb") },
        contacts: { "s": Touch(point: "A", radius: 0.5, surface: Circle(centre: "B", radius: 0.5), law: Restitution(0)) },
        objectives: { "a": Final("A.x") }"#,
        1e-4,
        1e-7,
    );
    has_a_derivative(
        r#"parameters: { "F": 0 }, gravity: [0, -10],
        bodies: { "box": Rigid(mass: 2, inertia: 0.5, at: [0, 0.5, 0], velocity: [0, 0, 0], markers: { "k0": [-1, -0.5], "k1": [0, -0.5], "k2": [1, -0.5] }) },
        contacts: {
            "k0": Touch(point: "box.k0", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.3)),
            "k1": Touch(point: "box.k1", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.3)),
            "k2": Touch(point: "box.k2", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.3)),
        },
        forces: { "l": Load(at: "box.k0", force: ["F PLUS", 0]) }, objectives: { "x": Final("box.x") }"#,
        1e-2,
        1e-7,
    );
}
