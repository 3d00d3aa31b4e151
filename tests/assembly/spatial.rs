//! Assembly in space.

use crate::element_support::spatial;
use crate::{assembled, assembled_at, assert_near, of};

#[test]
fn a_four_bar_of_ball_joints_and_links_closes_in_space() {
    let (model, found) = assembled(&spatial(
        r#"ground: { "A": [0, 0, 0], "B": [3, 0, 0.5] },
        points: { "P": (guess: [0.1, 0.9, 0.3], mass: 1), "Q": (guess: [2.8, 1, 1.5], mass: 1), "R": (guess: [2.7, 1.2, 1.4]) },
        bodies: { "coupler": Bar(from: "P", to: "R", length: 3, mass: 1) },
        joints: { "crank": Link(from: "A", to: "P", length: 1), "rocker": Link(from: "B", to: "Q", length: 1.6),
                  "ball": Spherical(between: ("R", "Q")) },"#,
    ));
    let q = |name: &str| of(&model, &found.q, name);
    for axis in ["x", "y", "z"] {
        assert_near(q(&format!("R.{axis}")), q(&format!("Q.{axis}")), axis);
    }
    let length = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    let place = |name: &str| ["x", "y", "z"].map(|axis| q(&format!("{name}.{axis}")));
    assert_near(length(place("P"), [0.0; 3]), 1.0, "crank");
    assert_near(length(place("Q"), [3.0, 0.0, 0.5]), 1.6, "rocker");
    assert_near(length(place("P"), place("R")), 3.0, "coupler");
}

#[test]
fn a_point_on_a_line_in_space_goes_to_the_foot_of_its_guess() {
    let (model, found) = assembled(&spatial(
        r#"ground: { "A": [1, 0, 0], "B": [1, 2, 2] }, points: { "P": (guess: [3, 1.5, 0.5], mass: 1) },
        joints: { "wire": PointOnLine(point: "P", line: Through("A", "B")) },"#,
    ));
    let q = |name: &str| of(&model, &found.q, name);
    // (P - A).(B - A) / |B - A|^2 = (1.5*2 + 0.5*2)/8 = 0.5
    for (name, expected) in [("P.x", 1.0), ("P.y", 1.0), ("P.z", 1.0), ("wire.fraction", 0.5)] {
        assert_near(q(name), expected, name);
    }
}

#[test]
fn a_line_with_a_direction_and_a_plane_meet_where_they_should() {
    let (model, found) = assembled(&spatial(
        r#"points: { "P": (guess: [0, 0, 0], mass: 1) },
        joints: { "wire": PointOnLine(point: "P", line: Fixed(through: [1, 2, 3], direction: [0, 1, 1])),
                  "table": PointOnPlane(point: "P", through: [0, 0, 4], normal: [0, 0, 2]) },"#,
    ));
    for (name, expected) in [("P.x", 1.0), ("P.y", 3.0), ("P.z", 4.0), ("wire.fraction", 1.0)] {
        assert_near(of(&model, &found.q, name), expected, name);
    }
}

#[test]
fn a_line_through_moving_points_takes_the_point_along() {
    let (model, found) = assembled_at(
        &spatial(
            r#"ground: { "A": [0, 0, 0] },
            points: { "P": (guess: [0, 0, 2], mass: 1, velocity: [1, 0, 0], hold: [X, Y, Z]), "S": (guess: [0.2, 0, 1], mass: 1) },
            joints: { "wire": PointOnLine(point: "S", line: Through("A", "P")),
                      "height": DriveDistance(between: ("A", "S"), distance: "1 + 0.5*t") },"#,
        ),
        0.0,
    );
    let v = |name: &str| of(&model, &found.v, name);
    for (name, expected) in [("S.x", 0.5), ("S.y", 0.0), ("S.z", 0.5), ("wire.fraction", 0.25)] {
        assert_near(v(name), expected, name);
    }
}
