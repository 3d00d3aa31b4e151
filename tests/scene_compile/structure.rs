//! Counts and indices: which coordinates, constraints, groups and bodies a scene becomes.

use costate::model::body::BodyKind;
use costate::model::constraint::ConstraintKind;
use costate::model::marker::{Base, Marker};
use costate::model::{CoordinateKind, GroupKind, Start};

use crate::{compiled, coordinate, names, number, planar};

const FIVE_BAR: &str = r#"
  parameters: { "crank": "sqrt(2)", "k": 100, "L1": "sqrt(5)" },
  gravity: [0, -9.81],
  ground: { "A": [-0.5, 0], "B": [0.5, 0] },
  points: { "P1": (guess: [-1.5, -1]), "P2": (at: [0.5, -2.1]), "P3": (guess: [1.5, -1], hold: [Y], velocity: [0, 1]) },
  bodies: {
    "left crank": Bar(from: "A", to: "P1", length: "crank", mass: 1),
    "left rod": Bar(from: "P1", to: "P2", length: "sqrt(3.25)", mass: 1.5),
    "right rod": Bar(from: "P2", to: "P3", length: "sqrt(3.25)", mass: 1.5),
    "right crank": Bar(from: "P3", to: "B", length: "crank", mass: 1),
  },
  forces: { "spring": Spring(from: "P1", to: "B", stiffness: "k", natural_length: "L1") },
  contacts: { "ground": Touch(point: "P2", surface: Plane(through: [0, -2.35], normal: [0, 1]), law: Restitution(1)) },
  outputs: { "y2": "P2.y", "tension": "left rod.force" },
"#;

#[test]
fn a_five_bar_has_six_coordinates_four_bars_and_no_angles() {
    let model = compiled(&planar(FIVE_BAR)).model;
    assert_eq!(names(&model), ["P1.x", "P1.y", "P2.x", "P2.y", "P3.x", "P3.y"]);
    assert_eq!(model.groups.len(), 4);
    assert!(
        model
            .groups
            .iter()
            .all(|group| group.kind == GroupKind::Bar && group.active)
    );
    assert_eq!(model.constraints.len(), 5);
    assert_eq!(
        (model.bodies.len(), model.forces.len(), model.contacts.len()),
        (4, 1, 1)
    );
    assert!(model.bodies.iter().all(|body| matches!(body.kind, BodyKind::Bar(_))));
    let rows: usize = model.constraints.iter().map(|constraint| constraint.rows).sum();
    assert_eq!(rows, 5);
}

#[test]
fn initial_values_are_held_where_the_scene_says_so() {
    let model = compiled(&planar(FIVE_BAR)).model;
    let held: Vec<bool> = model.coordinates.iter().map(|coordinate| coordinate.held).collect();
    assert_eq!(held, [false, false, true, true, false, true]);
    let p3 = &model.coordinates[coordinate(&model, "P3.y")];
    assert_eq!(p3.start, Start::Number(number(&model, "P3.guess.y")));
    assert_eq!(p3.velocity, Some(number(&model, "P3.velocity.y")));
    assert_eq!(model.coordinates[0].velocity, None);
    assert!(model.coordinates.iter().all(|coordinate| coordinate.weight == 1.0));
}

#[test]
fn elements_see_only_their_own_coordinates_and_numbers() {
    let model = compiled(&planar(FIVE_BAR)).model;
    let rod = &model.constraints[1];
    assert_eq!(rod.name, "left rod");
    assert_eq!(rod.local.coordinates, [0, 1, 2, 3]);
    assert_eq!(rod.local.numbers, [number(&model, "left rod.length")]);
    let crank = &model.constraints[0];
    assert_eq!(crank.local.coordinates, [0, 1]);
    let ground = [number(&model, "A.x"), number(&model, "A.y")];
    assert_eq!(
        crank.local.numbers,
        [ground[0], ground[1], number(&model, "left crank.length")]
    );
    let spring = &model.forces[0].local;
    assert_eq!((spring.coordinates.as_slice(), spring.numbers.len()), (&[0, 1][..], 5));
}

#[test]
fn a_place_used_twice_has_one_set_of_numbers() {
    let model = compiled(&planar(FIVE_BAR)).model;
    let b = number(&model, "B.x");
    assert!(model.constraints[3].local.numbers.contains(&b));
    assert!(model.forces[0].local.numbers.contains(&b));
    let gravity = number(&model, "gravity.y");
    assert!(model.bodies.iter().all(|body| body.local.numbers.contains(&gravity)));
    let markers = compiled(&planar(
        r#"ground: { "A": [0, 0] },
        points: { "P": (at: [1, 0], mass: 1), "Q": (at: [2, 2], mass: 1) },
        bodies: { "bar": Bar(from: "A", to: "P", length: 1, markers: { "tip": [1, 0.5] }) },
        forces: {
          "one": Spring(from: "Q", to: "bar.tip", stiffness: 1, natural_length: 1),
          "two": Damper(from: "Q", to: "bar.tip", damping: 1),
          "three": Damper(from: "Q", to: "bar.centre", damping: 1),
          "four": Damper(from: "P", to: "bar.centre", damping: 1),
        },"#,
    ));
    let (along, centre) = (
        number(&markers.model, "bar.tip.along"),
        number(&markers.model, "bar.centre"),
    );
    let uses = |number: usize| {
        markers
            .model
            .forces
            .iter()
            .filter(|force| force.local.numbers.contains(&number))
            .count()
    };
    assert_eq!((uses(along), uses(centre)), (2, 2));
    assert_eq!(markers.model.numbers[centre].value, 0.5);
}

#[test]
fn points_and_bars_have_inertia_only_with_a_mass() {
    let bodies = |p: &str, q: &str, bar: &str| {
        let text = planar(&format!(
            r#"parameters: {{ "m": 0 }}, points: {{ "P": (at: [0, 0]{p}), "Q": (at: [1, 0]{q}) }},
            bodies: {{ "bar": Bar(from: "P", to: "Q", length: 1{bar}) }},"#
        ));
        compiled(&text)
            .model
            .bodies
            .iter()
            .map(|body| body.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(bodies("", ", mass: 2", ""), ["Q"]);
    assert_eq!(bodies("", ", mass: 0", ", mass: 1"), ["bar"]);
    assert_eq!(bodies(", mass: 1", ", mass: \"m\"", ", mass: \"m\""), ["P", "Q", "bar"]);
}

#[test]
fn bars_get_angle_coordinates_only_when_something_uses_the_angle() {
    let scene = |bar: &str, rest: &str| {
        let fields = format!(
            r#"ground: {{ "A": [0, 0] }}, points: {{ "P": (guess: [1, 1]), "Q": (at: [5, 5], mass: 1) }},
            bodies: {{
                "bar": Bar(from: "A", to: "P", length: 1, mass: 1{bar}, markers: {{ "m": [0.5, 0] }}),
                "box": Rigid(mass: 1, inertia: 1, at: [3, 0, 0]),
            }}, {rest}"#
        );
        let model = compiled(&planar(&fields)).model;
        names(&model).contains(&"bar.angle")
    };
    let without = [
        r#"outputs: { "a": "bar.force", "b": "bar.length", "c": "bar.m.vx" },"#,
        r#"forces: { "f": Spring(from: "bar.m", to: "Q", stiffness: 1, natural_length: 1) },"#,
        r#"joints: { "j": Revolute(between: ("bar.m", "box.origin")) },"#,
        r#"contacts: { "c": Touch(point: "bar.m", surface: Plane(through: [0, 0], normal: [0, 1]), law: Stick) },"#,
    ];
    for rest in without {
        assert!(!scene("", rest), "{rest}");
    }
    let with = [
        r#"outputs: { "a": "bar.angle" },"#,
        r#"outputs: { "a": "2*bar.omega" },"#,
        r#"objectives: { "a": Integral("bar.alpha^2") },"#,
        r#"events: { "e": (when: Rising("bar.angle"), then: []) },"#,
        r#"forces: { "f": TorsionSpring(between: ("ground", "bar"), stiffness: 1) },"#,
        r#"forces: { "f": TorsionDamper(between: ("box", "bar"), damping: 1) },"#,
        r#"forces: { "f": Torque(on: "bar", torque: "t") },"#,
        r#"forces: { "f": Load(at: "Q", force: [1, 0], frame: Body("bar")) },"#,
        r#"joints: { "j": Gear(between: ("bar", "box"), ratio: 2) },"#,
        r#"joints: { "j": Coupling(terms: [("bar.angle", 1), ("Q.x", 1)]) },"#,
        r#"joints: { "j": DriveAngle(body: "bar", angle: "t") },"#,
        r#"joints: { "j": DriveCoordinate(coordinate: "bar.angle", value: "t") },"#,
        r#"joints: { "j": Weld(between: ("bar.m", "box.origin")) },"#,
        r#"joints: { "j": Prismatic(between: ("A", "bar.m"), direction: [1, 0]) },"#,
        r#"contacts: { "c": Limit(of: Angle("bar"), at_least: 0, law: Stick) },"#,
        r#"contacts: { "c": Limit(of: AngleBetween("box", "bar"), at_most: 0, law: Flip) },"#,
        r#"contacts: { "c": Touch(point: "Q", surface: Plane(through: [0, 0], normal: [0, 1], on: "bar"), law: Flip) },"#,
        r#"contacts: { "c": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: FlipKeeping(["bar.omega"])) },"#,
    ];
    for rest in with {
        assert!(scene("", rest), "{rest}");
    }
    assert!(scene(", angle: 1", ""));
    assert!(scene(", angular_velocity: 1", ""));
}

#[test]
fn the_angle_of_a_bar_starts_at_its_direction_unless_it_is_held() {
    let scene = |bar: &str| {
        let fields = format!(
            r#"ground: {{ "A": [0, 0] }}, points: {{ "P": (guess: [1, 1]) }},
            bodies: {{ "bar": Bar(from: "A", to: "P", length: 1, mass: 1{bar}) }}, outputs: {{ "a": "bar.angle" }},"#
        );
        compiled(&planar(&fields)).model
    };
    let model = scene("");
    let angle = &model.coordinates[coordinate(&model, "bar.angle")];
    let Start::Angle(constraint) = angle.start else {
        panic!("{angle:?}")
    };
    assert!(matches!(
        model.constraints[constraint].kind,
        ConstraintKind::BarAngle(_)
    ));
    assert_eq!(
        (angle.kind, angle.held, angle.weight),
        (CoordinateKind::Angle, false, 0.0)
    );
    let group = model.groups.iter().find(|group| group.constraints == [constraint]);
    assert!(group.is_some_and(|group| group.kind == GroupKind::Internal && group.active));

    let model = scene(", angle: 0.7, angular_velocity: 2");
    let angle = &model.coordinates[coordinate(&model, "bar.angle")];
    assert_eq!(
        (angle.start.clone(), angle.held),
        (Start::Number(number(&model, "bar.angle")), true)
    );
    assert_eq!(angle.velocity, Some(number(&model, "bar.angular_velocity")));
    assert_eq!(names(&model).iter().filter(|name| **name == "bar.angle").count(), 1);
}

#[test]
fn a_bar_on_a_marker_gets_a_pinned_point_of_its_own() {
    let model = compiled(&planar(
        r#"parameters: { "a": 0.5 },
        points: { "tip": (guess: [1, 3]) },
        bodies: {
            "second": Bar(from: "tip", to: "first.m", length: 1, mass: 1),
            "first": Bar(from: "box.corner", to: "tip", length: 2, mass: 1, markers: { "m": ["a", 0.25] }),
            "box": Rigid(mass: 1, inertia: 1, at: [1, 0, "pi/2"], markers: { "corner": ["2*a", 0] }),
        },"#,
    ))
    .model;
    let own = ["second.to.x", "second.to.y", "first.from.x", "first.from.y"];
    assert!(
        own.iter().all(|name| names(&model).contains(name)),
        "{:?}",
        names(&model)
    );
    let pins: Vec<&str> = model
        .groups
        .iter()
        .filter(|group| group.kind == GroupKind::Internal)
        .map(|group| group.name.as_str())
        .collect();
    assert_eq!(pins, ["second (pin at to)", "first (pin at from)"]);
    let start = |name: &str| match model.coordinates[coordinate(&model, name)].start {
        Start::Number(number) => &model.numbers[number],
        _ => panic!("{name}"),
    };
    // The corner stands at (1, 0) + (0, 2a); the bar points from there to (1, 3) with 2 given as its length.
    let at = |name: &str| start(name).value;
    assert!((at("first.from.x") - 1.0).abs() < 1e-15 && (at("first.from.y") - 1.0).abs() < 1e-15);
    assert!((at("second.to.x") - 0.75).abs() < 1e-15 && (at("second.to.y") - 1.5).abs() < 1e-15);
    let bar = model
        .bodies
        .iter()
        .find(|body| body.name == "second")
        .map(|body| &body.kind);
    let Some(BodyKind::Bar(bar)) = bar else { panic!() };
    assert!(matches!(bar.to, Base::Point(_)));
}

#[test]
fn automatic_markers_are_the_ends_the_middle_the_origin_and_the_centre_of_mass() {
    let model = compiled(&planar(
        r#"points: { "P": (at: [0, 0], mass: 1), "Q": (at: [3, 4], mass: 1) },
        bodies: {
            "bar": Bar(from: "P", to: "Q", length: 5),
            "box": Rigid(mass: 1, inertia: 1, centre: [0, 2], at: [10, 0, "pi"]),
        },
        forces: {
            "from": Drag(at: "bar.from", linear: 1), "to": Drag(at: "bar.to", linear: 1),
            "middle": Drag(at: "bar.centre", linear: 1),
            "origin": Drag(at: "box.origin", linear: 1), "mass": Drag(at: "box.centre", linear: 1),
        },"#,
    ))
    .model;
    let q = [0.0, 0.0, 3.0, 4.0, 10.0, 0.0, std::f64::consts::PI];
    let numbers = model.number_values();
    let place = |k: usize| -> [f64; 2] {
        let force = &model.forces[k];
        let costate::model::force::ForceKind::Drag(drag) = &force.kind else {
            panic!()
        };
        drag.at.position(
            &force.local.gather::<f64>(&q),
            &force.local.gather_numbers::<f64>(&numbers),
        )
    };
    let expected = [[0.0, 0.0], [3.0, 4.0], [1.5, 2.0], [10.0, 0.0], [10.0, -2.0]];
    for (k, expected) in expected.iter().enumerate() {
        let found = place(k);
        assert!(
            (found[0] - expected[0]).abs() + (found[1] - expected[1]).abs() < 1e-12,
            "{k}: {found:?}"
        );
    }
    let costate::model::force::ForceKind::Drag(drag) = &model.forces[0].kind else {
        panic!()
    };
    assert!(matches!(drag.at, Marker::Base(Base::Point(_))));
}
