//! Every planar joint vanishes at a configuration closed by hand, and has the stated value at one that is not.

use std::f64::consts::{FRAC_PI_2, PI};

use costate::model::constraint::ConstraintKind;
use costate::model::{GroupKind, Model};

use crate::{assert_rows, compiled, planar, positions};

/// A bar from (0, 0) to (0, 2), a box at (3, 1) turned by a right angle, and a point at (1, 1).
fn with_joint(joint: &str) -> Model {
    let fields = format!(
        r#"parameters: {{ "two": 2 }},
        ground: {{ "A": [0, 0], "G": [3, 0] }},
        points: {{ "P": (guess: [0, 2]), "Q": (guess: [1, 1], mass: 1) }},
        bodies: {{
            "bar": Bar(from: "A", to: "P", length: "two", mass: 1, angle: "pi/2", markers: {{ "m": [1, -3] }}),
            "box": Rigid(mass: 1, inertia: 1, guess: [3, 1, "pi/2"], markers: {{ "c": [0, 2] }}),
        }},
        joints: {{ "j": {joint} }},"#
    );
    let model = compiled(&planar(&fields)).model;
    let group = model.groups.iter().find(|group| group.name == "j").expect("a group");
    assert_eq!((group.kind, group.active), (GroupKind::Joint, true));
    model
}

fn at(model: &Model, q: [f64; 2], turned: f64) -> Vec<f64> {
    positions(
        model,
        &[
            ("P.x", 0.0),
            ("P.y", 2.0),
            ("Q.x", q[0]),
            ("Q.y", q[1]),
            ("box.x", 3.0),
            ("box.y", 1.0),
            ("box.angle", FRAC_PI_2 + turned),
            ("bar.angle", FRAC_PI_2),
        ],
    )
}

#[test]
fn the_bar_itself_is_closed() {
    let model = with_joint(r#"Link(from: "Q", to: "A", length: 1)"#);
    assert_rows(&model, "bar", 0.0, &at(&model, [1.0, 1.0], 0.0), &[0.0, 0.0]);
}

#[test]
fn a_link_keeps_the_distance() {
    let model = with_joint(r#"Link(from: "Q", to: "box.origin", length: "two")"#);
    assert_rows(&model, "j", 0.0, &at(&model, [1.0, 1.0], 0.0), &[0.0]);
    assert_rows(&model, "j", 0.0, &at(&model, [0.0, 1.0], 0.0), &[5.0]);
}

#[test]
fn a_revolute_joint_lets_places_coincide() {
    // The marker of the box stands at (3, 1) + (-2, 0).
    let model = with_joint(r#"Revolute(between: ("Q", "box.c"))"#);
    assert_rows(&model, "j", 0.0, &at(&model, [1.0, 1.0], 0.0), &[0.0, 0.0]);
    assert_rows(&model, "j", 0.0, &at(&model, [1.5, 1.0], 0.0), &[-0.5, 0.0]);
    // That of the bar lies 1 along and 3 to the right: at (3, 1).
    let model = with_joint(r#"Revolute(between: ("box.origin", "bar.m"))"#);
    assert_rows(&model, "j", 0.0, &at(&model, [1.0, 1.0], 0.0), &[0.0, 0.0]);
}

#[test]
fn a_point_stays_on_a_fixed_line_at_its_offset_to_the_left() {
    let model = with_joint(r#"PointOnLine(point: "Q", line: Fixed(through: [0, 0], direction: [0, 5]), offset: -1)"#);
    assert_rows(&model, "j", 0.0, &at(&model, [1.0, 1.0], 0.0), &[0.0]);
    assert_rows(&model, "j", 0.0, &at(&model, [4.0, 9.0], 0.0), &[-3.0]);
    let constraint = model
        .constraints
        .iter()
        .find(|constraint| constraint.name == "j")
        .expect("it");
    assert!(matches!(&constraint.kind, ConstraintKind::Slide(slide) if slide.offset.is_some()));
}

#[test]
fn a_point_stays_on_a_line_through_two_places() {
    let model = with_joint(r#"PointOnLine(point: "Q", line: Through("bar.from", "box.origin"), offset: "2/sqrt(10)")"#);
    assert_rows(&model, "j", 0.0, &at(&model, [1.0, 1.0], 0.0), &[0.0]);
    assert_rows(&model, "j", 0.0, &at(&model, [3.0, 1.0], 0.0), &[-2.0 / 10_f64.sqrt()]);
}

#[test]
fn a_prismatic_joint_slides_along_a_direction_of_the_first_body() {
    // In the frame of the bar the box lies straight to the right.
    let model = with_joint(r#"Prismatic(between: ("bar.centre", "box.origin"), direction: [0, -2])"#);
    assert_rows(&model, "j", 0.0, &at(&model, [1.0, 1.0], 0.0), &[0.0, 0.0]);
    assert_rows(&model, "j", 0.0, &at(&model, [1.0, 1.0], 0.25), &[0.0, 0.25]);
    let model = with_joint(r#"Prismatic(between: ("G", "box.origin"), direction: [0, 1], angle: "pi/2")"#);
    assert_rows(&model, "j", 0.0, &at(&model, [1.0, 1.0], 0.0), &[0.0, 0.0]);
    let model = with_joint(r#"Prismatic(between: ("A", "box.origin"), direction: [0, 1], angle: "pi/2")"#);
    assert_rows(&model, "j", 0.0, &at(&model, [1.0, 1.0], 0.0), &[-3.0, 0.0]);
}

#[test]
fn a_weld_keeps_place_and_angle() {
    let model = with_joint(r#"Weld(between: ("bar.m", "box.origin"))"#);
    assert_rows(&model, "j", 0.0, &at(&model, [1.0, 1.0], 0.0), &[0.0, 0.0, 0.0]);
    assert_rows(&model, "j", 0.0, &at(&model, [1.0, 1.0], 0.5), &[0.0, 0.0, 0.5]);
    let model = with_joint(r#"Weld(between: ("G", "box.origin"), angle: "pi/2")"#);
    assert_rows(&model, "j", 0.0, &at(&model, [1.0, 1.0], 0.0), &[0.0, 1.0, 0.0]);
}

#[test]
fn a_weld_of_bars_that_share_a_point_keeps_only_the_angle() {
    for between in [r#"("A", "bar.from")"#, r#"("second.from", "bar.to")"#] {
        let model = compiled(&planar(&format!(
            r#"ground: {{ "A": [0, 0] }}, points: {{ "P": (guess: [0, 2]), "Q": (guess: [1, 2]) }},
            bodies: {{
                "bar": Bar(from: "A", to: "P", length: 2, mass: 1),
                "second": Bar(from: "P", to: "Q", length: 1, mass: 1),
            }},
            joints: {{ "j": Weld(between: {between}, angle: "pi/2") }},"#
        )))
        .model;
        let group = model.groups.iter().find(|group| group.name == "j").expect("a group");
        assert_eq!(group.constraints.len(), 1);
        let kind = &model.constraints[group.constraints[0]].kind;
        assert!(matches!(kind, ConstraintKind::RelativeAngle(_)), "{kind:?}");
    }
}

#[test]
fn a_gear_couples_the_second_angle_to_the_first() {
    let model = with_joint(r#"Gear(between: ("bar", "box"), ratio: -2, phase: "1.5*pi")"#);
    assert_rows(&model, "j", 0.0, &at(&model, [1.0, 1.0], 0.0), &[0.0]);
    assert_rows(&model, "j", 0.0, &at(&model, [1.0, 1.0], 0.1), &[0.1]);
}

#[test]
fn a_coupling_keeps_a_combination_of_coordinates() {
    let joint = r#"Coupling(terms: [("Q.x", 2), ("bar.angle", "two"), ("box.y", -1)], equals: "1 + pi + 3*t")"#;
    let model = with_joint(joint);
    assert_rows(&model, "j", 0.0, &at(&model, [1.0, 1.0], 0.0), &[0.0]);
    assert_rows(&model, "j", 2.0, &at(&model, [1.0, 1.0], 0.0), &[-6.0]);
    let model = with_joint(r#"Coupling(terms: [("Q.x", 1), ("Q.y", -1)])"#);
    assert_rows(&model, "j", 0.0, &at(&model, [1.0, 1.0], 0.0), &[0.0]);
}

#[test]
fn drivers_prescribe_angles_distances_and_coordinates_over_time() {
    let model = with_joint(r#"DriveAngle(body: "box", angle: "pi/2 + two*t")"#);
    assert_rows(&model, "j", 0.25, &at(&model, [1.0, 1.0], 0.5), &[0.0]);
    let model = with_joint(r#"DriveAngle(body: "box", from: "bar", angle: "t^2")"#);
    assert_rows(&model, "j", 0.5, &at(&model, [1.0, 1.0], 0.25), &[0.0]);
    let model = with_joint(r#"DriveDistance(between: ("Q", "A"), distance: "sqrt(2) + t")"#);
    assert_rows(&model, "j", 0.0, &at(&model, [1.0, 1.0], 0.0), &[0.0]);
    let model = with_joint(r#"DriveCoordinate(coordinate: "Q.y", value: "cos(pi*t)")"#);
    assert_rows(&model, "j", 1.0, &at(&model, [1.0, -1.0], 0.0), &[0.0]);
    let kinds = model
        .constraints
        .iter()
        .filter(|constraint| constraint.rheonomic)
        .count();
    assert_eq!(kinds, 1);
}

#[test]
fn gaps_and_limits_are_positive_on_the_allowed_side() {
    let gap = |contact: &str| {
        let fields = format!(
            r#"points: {{ "Q": (guess: [1, 1], mass: 1), "R": (guess: [4, 5], mass: 1) }},
            bodies: {{ "box": Rigid(mass: 1, inertia: 1, guess: [3, 1, "pi/2"]) }},
            contacts: {{ "c": {contact} }},"#
        );
        let model = compiled(&planar(&fields)).model;
        let q = positions(
            &model,
            &[
                ("Q.x", 1.0),
                ("Q.y", 1.0),
                ("R.x", 4.0),
                ("R.y", 5.0),
                ("box.x", 3.0),
                ("box.y", 1.0),
                ("box.angle", PI / 2.0),
            ],
        );
        crate::rows(&model, "c", 0.0, &q)
    };
    let law = "law: Flip";
    let cases: [(String, Vec<f64>); 9] = [
        (
            format!(r#"Touch(point: "Q", radius: 0.25, surface: Plane(through: [7, 0], normal: [0, 3]), {law})"#),
            vec![0.75],
        ),
        (
            format!(r#"Touch(point: "Q", surface: Plane(through: [0, 1.5], normal: [0, 1], on: "box"), {law})"#),
            vec![0.5],
        ),
        (
            format!(r#"Touch(point: "Q", radius: 1, surface: Circle(centre: "R", radius: 1.5), {law})"#),
            vec![2.5],
        ),
        (
            format!(r#"Touch(point: "Q", radius: 1, surface: Circle(centre: "R", radius: 7, inside: true), {law})"#),
            vec![1.0],
        ),
        (
            format!(r#"Limit(of: Angle("box"), at_least: -1, at_most: 2, {law})"#),
            vec![PI / 2.0 + 1.0, 2.0 - PI / 2.0],
        ),
        (
            format!(r#"Limit(of: AngleBetween("ground", "box"), at_most: 2, {law})"#),
            vec![2.0 - PI / 2.0],
        ),
        (
            format!(r#"Limit(of: Distance("Q", "R"), at_least: 2, {law})"#),
            vec![3.0],
        ),
        (
            format!(r#"Limit(of: Distance("Q", "R"), at_most: 4, {law})"#),
            vec![-1.0],
        ),
        (
            format!(r#"Limit(of: Coordinate("R.y"), at_least: 3, {law})"#),
            vec![2.0],
        ),
    ];
    for (contact, expected) in cases {
        let found = gap(&contact);
        let close = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close && found.len() == expected.len(), "{contact}: {found:?}");
    }
}
