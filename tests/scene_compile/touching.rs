//! Contacts: laws, memory and pins, limits with two sides, and the events that switch them.

use costate::model::constraint::ConstraintKind;
use costate::model::contact::{Keep, Law};
use costate::model::marker::{Base, Marker, OnBar};
use costate::model::{Model, Switch, Trigger};

use crate::{compiled, coordinate, number, planar, spatial};

const PARTS: &str = r#"
  ground: { "A": [0, 0] },
  points: { "P": (guess: [1, 0], mass: 1), "Q": (guess: [2, 2], mass: 1) },
  bodies: {
    "bar": Bar(from: "A", to: "P", length: 1, mass: 1, markers: { "m": [0.5, 0.1] }),
    "box": Rigid(mass: 1, inertia: 1, at: [5, 5, 0], markers: { "c": [1, 0] }),
  },
"#;

fn with_contacts(contacts: &str) -> Model {
    compiled(&planar(&format!("{PARTS} contacts: {{ {contacts} }},"))).model
}

/// The markers of the pin of a contact in global indices: coordinates and numbers that they use.
fn pin(model: &Model, contact: usize) -> (Marker, Marker, Vec<usize>, Vec<usize>) {
    let pin = model.contacts[contact].pin.as_ref().expect("a pin");
    let constraint = &model.constraints[pin.constraint];
    let ConstraintKind::Coincidence(kind) = &constraint.kind else {
        panic!("{:?}", constraint.kind)
    };
    (
        kind.a,
        kind.b,
        constraint.local.coordinates.clone(),
        constraint.local.numbers.clone(),
    )
}

#[test]
fn sticking_remembers_a_place_on_both_sides_after_all_numbers() {
    let model = with_contacts(
        r#""one": Touch(point: "Q", surface: Plane(through: [0, -1], normal: [0, 1]), law: Stick),
        "two": Touch(point: "box.c", surface: Plane(through: [0, 0], normal: [0, 1], on: "bar"), law: StickUntil(3))"#,
    );
    assert_eq!(model.memory, [0.0; 8]);
    let first = model.memory_start();
    assert_eq!(model.number_values().len(), first + 8);
    let (a, b, coordinates, numbers) = pin(&model, 0);
    assert!(matches!(a, Marker::Base(Base::Ground(_))) && matches!(b, Marker::Offset { .. }));
    assert_eq!(coordinates, [coordinate(&model, "Q.x"), coordinate(&model, "Q.y")]);
    assert_eq!(numbers, [first, first + 1, first + 2, first + 3]);

    let (a, b, coordinates, numbers) = pin(&model, 1);
    assert!(matches!(a, Marker::OnBar(OnBar { across: Some(_), .. })) && matches!(b, Marker::OnBody { .. }));
    let expected = ["P.x", "P.y", "box.x", "box.y", "box.angle"].map(|name| coordinate(&model, name));
    assert_eq!(coordinates, expected);
    let length = number(&model, "bar.length");
    assert_eq!(numbers[2..], [length, first + 4, first + 5, first + 6, first + 7]);

    let pins: Vec<_> = model
        .contacts
        .iter()
        .filter_map(|contact| contact.pin.clone())
        .collect();
    assert_eq!((pins[0].surface_memory, pins[0].point_memory), (0, 2));
    assert_eq!((pins[1].surface_memory, pins[1].point_memory), (4, 6));
    assert_eq!(model.numbers[number(&model, "two.pull_off")].value, 3.0);
}

#[test]
fn memory_holds_the_place_where_the_pin_closes() {
    let model = with_contacts(
        r#""c": Touch(point: "Q", surface: Plane(through: [0, 0], normal: [0, 1], on: "box"), law: Stick)"#,
    );
    let mut numbers = model.number_values();
    let first = model.memory_start();
    // A place 2 right of and 1 below the point, seen from the box at (5, 5) turned by a right angle: (-1, 4).
    numbers[first..].copy_from_slice(&[-4.0, 1.0, 2.0, -1.0]);
    let mut q = vec![0.0; model.nq()];
    for (name, value) in [
        ("Q.x", 2.0),
        ("Q.y", 2.0),
        ("box.x", 5.0),
        ("box.y", 5.0),
        ("box.angle", std::f64::consts::FRAC_PI_2),
    ] {
        q[coordinate(&model, name)] = value;
    }
    let constraint = &model.constraints[model.contacts[0].pin.as_ref().expect("a pin").constraint];
    let c = constraint.value_at::<f64, 2>(0.0, |i| q[i], |i| numbers[i]);
    assert!(c[0].abs() + c[1].abs() < 1e-12, "{c:?}");
}

#[test]
fn what_sticks_to_a_circle_about_a_bar_end_turns_with_the_bar() {
    let model = with_contacts(
        r#""c": Touch(point: "bar.to", radius: 0.5, surface: Circle(centre: "Q", radius: 1), law: Stick),
        "d": Touch(point: "bar.to", surface: Circle(centre: "box.c", radius: 1), law: Stick),
        "e": Touch(point: "P", radius: 0.5, surface: Circle(centre: "Q", radius: 3, inside: true), law: Stick)"#,
    );
    let (a, b, ..) = pin(&model, 0);
    assert!(matches!(a, Marker::Offset { .. }) && matches!(b, Marker::OnBar(_)));
    let (a, b, ..) = pin(&model, 1);
    assert!(matches!(a, Marker::OnBody { .. }) && matches!(b, Marker::Offset { .. }));
    // The surface comes first in its gap, and so in its pin, also where the point is inside.
    let gap = |contact: usize| match &model.constraints[model.contacts[contact].gap].kind {
        ConstraintKind::CircleGap(gap) => gap.clone(),
        other => panic!("{other:?}"),
    };
    let local = &model.constraints[model.contacts[2].gap].local;
    let radius = |k: usize| model.numbers[local.numbers[gap(2).radii[k]]].value;
    assert_eq!(
        (radius(0), radius(1), gap(2).inside, gap(0).inside),
        (3.0, 0.5, true, false)
    );
    let (a, .., coordinates, _) = pin(&model, 2);
    assert!(matches!(a, Marker::Offset { .. }));
    let of_point = [coordinate(&model, "P.x"), coordinate(&model, "P.y")];
    assert_eq!(coordinates[coordinates.len() - 2..], of_point);
}

#[test]
fn laws_become_numbers_and_kept_coordinates() {
    let model = with_contacts(
        r#""a": Touch(point: "Q", surface: Plane(through: [0, -1], normal: [0, 1]), law: Restitution(0.5)),
        "b": Touch(point: "Q", surface: Plane(through: [0, -2], normal: [0, 1]), law: Flip),
        "c": Touch(point: "Q", surface: Plane(through: [0, -3], normal: [0, 1]), law: FlipKeeping(["P.x", "Q.vy", "box.omega"])),
        "d": Limit(of: Coordinate("Q.x"), at_most: 9, law: Flip),
        "e": Limit(of: Coordinate("Q.x"), at_most: 8, law: Stick)"#,
    );
    let law = |k: usize| model.contacts[k].law.clone();
    assert_eq!(
        law(0),
        Law::Restitution {
            e: number(&model, "a.restitution")
        }
    );
    assert_eq!(law(1), Law::Flip { keep: Keep::Tangential });
    let kept = ["P.x", "Q.y", "box.angle"]
        .map(|name| coordinate(&model, name))
        .to_vec();
    assert_eq!(
        law(2),
        Law::Flip {
            keep: Keep::Velocities(kept)
        }
    );
    assert_eq!(
        law(3),
        Law::Flip {
            keep: Keep::Velocities(Vec::new())
        }
    );
    assert_eq!(
        law(4),
        Law::Stick {
            pull_off: number(&model, "e.pull_off")
        }
    );
    assert!(model.contacts.iter().all(|contact| contact.pin.is_none()) && model.memory.is_empty());
}

#[test]
fn a_limit_with_two_sides_is_two_contacts_that_switch_together() {
    let model = compiled(&planar(&format!(
        r#"{PARTS}
        contacts: {{
            "stop": Limit(of: Angle("bar"), at_least: -1, at_most: 1, law: Restitution(0)),
            "wall": Limit(of: Coordinate("Q.x"), at_least: -1, law: Restitution(0)),
        }},
        forces: {{ "push": Load(at: "Q", force: [1, "t"], active: false) }},
        joints: {{ "catch": Revolute(between: ("Q", "box.c"), active: false) }},
        events: {{
            "now": (when: At("2*3"), then: [Disable("stop"), Enable("push"), Enable("catch")], once: true),
            "then": (when: Falling("Q.x - 'stop (at most)'.gap"), then: [Disable("wall")]),
            "also": (when: Crossing("t - 1"), then: []),
        }},"#
    )))
    .model;
    let names: Vec<&str> = model.contacts.iter().map(|contact| contact.name.as_str()).collect();
    assert_eq!(names, ["stop (at least)", "stop (at most)", "wall"]);
    assert_eq!(model.force_active, [false]);
    let catch = model
        .groups
        .iter()
        .position(|group| group.name == "catch")
        .expect("a group");
    assert!(!model.groups[catch].active);
    let event = &model.events[0];
    let expected = [
        (Switch::Contact(0), false),
        (Switch::Contact(1), false),
        (Switch::Force(0), true),
        (Switch::Group(catch), true),
    ];
    assert_eq!((event.actions.as_slice(), event.once), (&expected[..], true));
    let Trigger::At(time) = event.trigger else { panic!() };
    assert_eq!(model.numbers[time].value, 6.0);
    let directions: Vec<i8> = model
        .events
        .iter()
        .filter_map(|event| match event.trigger {
            Trigger::Crossing { direction, .. } => Some(direction),
            Trigger::At(_) => None,
        })
        .collect();
    assert_eq!(directions, [-1, 0]);
}

#[test]
fn sticking_in_space_takes_three_slots_a_side() {
    let model = compiled(&spatial(
        r#"points: { "P": (at: [0, 0, 1], mass: 1), "Q": (at: [0, 0, 9], mass: 1) },
        contacts: {
            "c": Touch(point: "P", surface: Plane(through: [0, 0, 0], normal: [0, 0, 1]), law: Stick),
            "d": Touch(point: "P", radius: 1, surface: Circle(centre: "Q", radius: 2), law: Stick),
        },"#,
    ))
    .model;
    assert_eq!(model.memory.len(), 12);
    let first = model.memory_start();
    let (.., numbers) = pin(&model, 1);
    assert_eq!(
        numbers,
        [first + 6, first + 7, first + 8, first + 9, first + 10, first + 11]
    );
}
