//! No scene, however damaged, makes compiling panic.

use costate::scene::parse;
use costate::scene::{Overrides, compile};
use proptest::prelude::*;

use crate::{compiled, planar, spatial};

const PLANAR: &str = r#"
  parameters: { "a": 1.5, "b": (value: "a^2", bounds: (0, 9)), "e": 0.5 },
  gravity: [0, -9.81],
  ground: { "A": [0, 0], "B": ["a", 1] },
  points: { "P": (guess: [1, 0], hold: [X], mass: "b"), "Q": (at: [2, 2], velocity: [0, 1], mass: 1) },
  bodies: {
    "bar": Bar(from: "A", to: "P", length: "a", mass: 2, angle: 0.1, markers: { "m": [1, 0.5] }),
    "tie": Bar(from: "bar.m", to: "box.c", length: 3, angular_velocity: 1),
    "box": Rigid(mass: 1, inertia: "b", centre: [0, 1], at: [5, 5, 0], markers: { "c": [1, 0] }),
  },
  joints: {
    "link": Link(from: "P", to: "Q", length: 2),
    "pin": Revolute(between: ("Q", "box.c"), active: false),
    "line": PointOnLine(point: "P", line: Through("A", "Q"), offset: 1),
    "rail": PointOnLine(point: "P", line: Fixed(through: [0, 0], direction: [1, 0])),
    "slide": Prismatic(between: ("B", "box.origin"), direction: [1, 0], angle: "a"),
    "weld": Weld(between: ("bar.centre", "box.c")),
    "gear": Gear(between: ("bar", "box"), ratio: -2, phase: 1),
    "sum": Coupling(terms: [("P.x", 1), ("bar.angle", "a")], equals: "sin(t)"),
    "motor": DriveAngle(body: "bar", from: "box", angle: "a*t"),
    "winch": DriveDistance(between: ("P", "Q"), distance: "2 + t"),
    "push": DriveCoordinate(coordinate: "Q.x", value: "a + t"),
  },
  forces: {
    "spring": Spring(from: "P", to: "bar.m", stiffness: "a", natural_length: 1, damping: 1, one_sided: Tension),
    "damper": Damper(from: "P", to: "Q", damping: 1),
    "rubber": NonlinearSpring(from: "P", to: "Q", force: "a*(length - 1)^3 + rate*t", natural_length: 1),
    "twist": TorsionSpring(between: ("ground", "bar"), stiffness: 1, natural_angle: 1, damping: 1),
    "oil": TorsionDamper(between: ("box", "bar"), damping: 1),
    "load": Load(at: "box.c", force: ["a", "t"], frame: Body("bar"), active: false),
    "torque": Torque(on: "bar", from: "box", torque: "t"),
    "drag": Drag(at: "Q", linear: 1, quadratic: 1),
  },
  contacts: {
    "floor": Touch(point: "Q", radius: 0.5, surface: Plane(through: [0, -3], normal: [0, 1]), law: StickUntil("b")),
    "lid": Touch(point: "bar.to", radius: 0.1, surface: Plane(through: [0, 0], normal: [0, 1], on: "box"), law: Stick),
    "ball": Touch(point: "P", surface: Circle(centre: "Q", radius: 1), law: Restitution("e")),
    "stop": Limit(of: Angle("bar"), at_least: -1, at_most: 1, law: Flip),
    "rope": Limit(of: Distance("P", "Q"), at_most: 9, law: FlipKeeping(["Q.vx"])),
  },
  events: {
    "one": (when: At("a"), then: [Enable("pin"), Disable("stop")], once: true),
    "two": (when: Falling("Q.y - a"), then: [Disable("spring")]),
  },
  outputs: { "y": "Q.y", "e2": "energy.total + y^2", "f": "tie.force + pin.fx + 'stop (at least)'.gap" },
  objectives: { "o": Sum([(1, Final("y")), ("a", Sum([(2, Integral("bar.m.ax"))]))]) },
  simulation: (duration: "a", penalty: (factor: 1e5)),
"#;

const SPATIAL: &str = r#"
  parameters: { "a": 1.5 },
  gravity: [0, 0, -9.81],
  ground: { "A": [0, 0, 0] },
  points: { "P": (guess: [1, 0, 0], hold: [Z]), "Q": (at: [2, 2, "a"], mass: 1) },
  bodies: { "bar": Bar(from: "A", to: "P", length: "a", mass: 2, markers: { "m": [1] }), "tie": Bar(from: "bar.m", to: "Q", length: 3) },
  joints: {
    "ball": Spherical(between: ("P", "bar.centre"), active: false),
    "line": PointOnLine(point: "P", line: Through("A", "Q")),
    "rail": PointOnLine(point: "Q", line: Fixed(through: [0, 0, 0], direction: [1, 0, "a"])),
    "plane": PointOnPlane(point: "Q", through: [0, 0, 0], normal: [0, 0, 1]),
  },
  contacts: { "c": Touch(point: "Q", radius: 1, surface: Circle(centre: "A", radius: 9, inside: true), law: Stick) },
  outputs: { "z": "bar.m.az + line.fz + tie.length" },
"#;

/// Pieces that are put in place of others.
const PIECES: [&str; 40] = [
    "\"A\"",
    "\"P\"",
    "\"Q\"",
    "\"bar\"",
    "\"box\"",
    "\"tie\"",
    "\"bar.m\"",
    "\"tie.from\"",
    "\"box.c\"",
    "\"box.origin\"",
    "\"bar.centre\"",
    "\"ground\"",
    "\"t\"",
    "\"a\"",
    "\"b/a\"",
    "\"stop\"",
    "\"P.x\"",
    "\"bar.angle\"",
    "\"Q.vx\"",
    "\"e2\"",
    "\"\"",
    "\"a.\"",
    "\"1/0\"",
    "\"1/(a - 1.5)\"",
    "\"energy.total\"",
    "0",
    "-1",
    "1",
    "1e308",
    "1e-308",
    "[0, 0]",
    "[0]",
    "[]",
    "[1, 2, 3]",
    "true",
    "false",
    "Flip",
    "Stick",
    "Planar",
    "Spatial",
];

/// The values of a scene that can be replaced: texts, numbers and words, as byte ranges.
fn pieces_of(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'"' => at += 2 + text[at + 1..].find('"').unwrap_or(0),
            c if c.is_ascii_alphanumeric() || c == b'-' || c == b'.' => {
                let length = text[at..].find(|c: char| !(c.is_ascii_alphanumeric() || ".-_".contains(c)));
                at += length.unwrap_or(text.len() - at);
            }
            _ => {
                at += 1;
                continue;
            }
        }
        found.push(start..at);
    }
    found
}

fn damaged(text: &str, changes: &[(usize, usize)]) -> String {
    let mut text = text.to_string();
    for (place, piece) in changes {
        let places = pieces_of(&text);
        let range = places[place % places.len()].clone();
        text.replace_range(range, PIECES[piece % PIECES.len()]);
    }
    text
}

#[test]
fn the_scenes_that_are_damaged_below_compile() {
    compiled(&planar(PLANAR));
    compiled(&spatial(SPATIAL));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_scenes_never_panic(
        flat in any::<bool>(),
        changes in prop::collection::vec((0..10_000_usize, 0..PIECES.len()), 1..4),
        set in prop::option::of(-2.0..4.0),
    ) {
        let text = damaged(&if flat { planar(PLANAR) } else { spatial(SPATIAL) }, &changes);
        let Ok(file) = parse("damaged.ron", &text) else { return Ok(()) };
        let parameters = set.map(|value: f64| ("a".to_string(), value)).into_iter().collect();
        match compile(&file, &Overrides { parameters, case: None }) {
            Ok(compiled) => {
                let model = compiled.model;
                let count = model.number_values().len();
                let locals = model.constraints.iter().map(|constraint| &constraint.local);
                for local in locals.chain(model.forces.iter().map(|force| &force.local)) {
                    prop_assert!(local.coordinates.iter().all(|i| *i < model.nq()));
                    prop_assert!(local.numbers.iter().all(|i| *i < count));
                }
                let mut values = model.number_values().into_iter().enumerate();
                prop_assert!(values.all(|(i, value)| value.is_finite() || model.follows(i)));
            }
            Err(error) => {
                prop_assert!(!error.message().is_empty());
                prop_assert!(error.advice().is_some(), "no advice: {error}\n{text}");
            }
        }
    }
}
