//! Initial velocities: nearest to zero, compatible with joints, drivers and held values; contradictions are named.

use costate::error::ErrorKind;

use crate::element_support::planar;
use crate::{assembled, assembled_at, assert_near, of, refused};

const FOUR_BAR: &str = r#"
ground: { "A": [0, 0], "B": [3, 0] },
points: { "P": (guess: [0, 1]), "Q": (guess: [2.5, 2]) },
bodies: {
  "crank": Bar(from: "A", to: "P", length: 1, mass: 1, angle: "pi/2"SPEED),
  "coupler": Bar(from: "P", to: "Q", length: 2.5, mass: 1),
  "rocker": Bar(from: "B", to: "Q", length: 2, mass: 1),
},
"#;

#[test]
fn without_anything_that_moves_everything_rests() {
    let (_, found) = assembled(&planar(&FOUR_BAR.replace("SPEED", "")));
    assert!(found.v.iter().all(|v| *v == 0.0), "{:?}", found.v);
}

#[test]
fn a_held_angular_velocity_moves_the_mechanism() {
    let (model, found) = assembled(&planar(&FOUR_BAR.replace("SPEED", ", angular_velocity: 3")));
    let (q, v) = (
        |name: &str| of(&model, &found.q, name),
        |name: &str| of(&model, &found.v, name),
    );
    assert_eq!(v("crank.angle"), 3.0);
    assert_near(v("P.x"), -3.0, "P.vx");
    assert_near(v("P.y"), 0.0, "P.vy");
    // Instantaneous: Q moves across the rocker, with the same component along the coupler as P.
    let along_rocker = v("Q.x") * (q("Q.x") - 3.0) + v("Q.y") * q("Q.y");
    assert!(along_rocker.abs() < 1e-11, "{along_rocker}");
    let coupler = [q("Q.x") - q("P.x"), q("Q.y") - q("P.y")];
    let stretching = coupler[0] * (v("Q.x") - v("P.x")) + coupler[1] * (v("Q.y") - v("P.y"));
    assert!(stretching.abs() < 1e-11 && v("Q.x").abs() > 0.5, "{stretching}");
}

#[test]
fn velocities_left_open_are_the_least() {
    // The link passes on the velocity along it only.
    let (model, found) = assembled(&planar(
        r#"points: { "P": (at: [0, 0], velocity: [1, 2], mass: 1), "Q": (at: [3, 4], mass: 1) },
        joints: { "link": Link(from: "P", to: "Q", length: 5) },"#,
    ));
    let along = 0.6 + 2.0 * 0.8;
    assert_near(of(&model, &found.v, "Q.x"), 0.6 * along, "Q.vx");
    assert_near(of(&model, &found.v, "Q.y"), 0.8 * along, "Q.vy");
    assert_eq!([of(&model, &found.v, "P.x"), of(&model, &found.v, "P.y")], [1.0, 2.0]);
}

#[test]
fn drivers_prescribe_velocities() {
    let text = planar(
        r#"ground: { "A": [0, 0] }, points: { "P": (guess: [0, 2], mass: 1), "Q": (guess: [5, 0], mass: 1) },
        joints: { "winch": DriveDistance(between: ("A", "P"), distance: "2 + sin(3*t)"),
                  "lift": DriveCoordinate(coordinate: "Q.y", value: "t^2"),
                  "belt": Coupling(terms: [("P.x", 1), ("Q.x", 2)], equals: "10 + 4*t") },"#,
    );
    let (model, found) = assembled_at(&text, 0.5);
    let (q, v) = (
        |name: &str| of(&model, &found.q, name),
        |name: &str| of(&model, &found.v, name),
    );
    assert_near(v("Q.y"), 1.0, "Q.vy");
    assert_near(v("P.x") + 2.0 * v("Q.x"), 4.0, "belt");
    let length = q("P.x").hypot(q("P.y"));
    assert_near(length, 2.0 + 1.5_f64.sin(), "winch");
    assert_near(
        (q("P.x") * v("P.x") + q("P.y") * v("P.y")) / length,
        3.0 * 1.5_f64.cos(),
        "winch rate",
    );
}

#[test]
fn contradictory_velocities_name_the_joint_and_the_coordinates() {
    let error = refused(&planar(
        r#"points: { "P": (at: [0, 0], velocity: [1, 0], mass: 1), "Q": (at: [1, 0], velocity: [2, 0], mass: 1) },
        joints: { "stiff link": Link(from: "P", to: "Q", length: 1) },"#,
    ));
    assert_eq!((error.kind(), error.name()), (ErrorKind::Assembly, Some("stiff link")));
    assert!(
        error.message().contains("\"stiff link\"") && error.message().contains("veloc"),
        "{error}"
    );
    let advice = error.advice().expect("advice");
    assert!(["P.x", "Q.x"].iter().all(|name| advice.contains(name)), "{advice}");
    let rate = error.value().expect("a value").abs();
    assert!(rate > 0.3 && rate < 3.0, "{rate}");
}

#[test]
fn two_drivers_of_one_motion_contradict_each_other() {
    let error = refused(&planar(
        r#"ground: { "A": [0, 0] }, points: { "P": (guess: [1, 0]) },
        bodies: { "crank": Bar(from: "A", to: "P", length: 1, mass: 1) },
        joints: { "motor": DriveAngle(body: "crank", angle: "2*t"), "lift": DriveCoordinate(coordinate: "P.y", value: "t") },"#,
    ));
    assert_eq!(error.kind(), ErrorKind::Assembly);
    assert!(
        ["motor", "lift", "crank"].contains(&error.name().expect("a name")),
        "{error}"
    );
    assert!(
        error.advice().is_some_and(|advice| advice.contains("drive")),
        "{:?}",
        error.advice()
    );
}

#[test]
fn a_velocity_of_a_rigid_body_is_held() {
    let (model, found) = assembled(&planar(
        r#"bodies: { "plate": Rigid(mass: 1, inertia: 1, at: [0, 0, 0.5], velocity: [1, 2, 3], markers: { "m": [1, 0] }) },
        points: { "P": (guess: [1, 0.4], mass: 1) }, joints: { "pin": Revolute(between: ("P", "plate.m")) },"#,
    ));
    let v = |name: &str| of(&model, &found.v, name);
    assert_eq!([v("plate.x"), v("plate.y"), v("plate.angle")], [1.0, 2.0, 3.0]);
    assert_near(v("P.x"), 1.0 - 3.0 * 0.5_f64.sin(), "P.vx");
    assert_near(v("P.y"), 2.0 + 3.0 * 0.5_f64.cos(), "P.vy");
}

#[test]
fn components_of_a_velocity_that_are_free_follow_from_the_joints() {
    let scene = |velocity: &str| {
        let fields = r#"parameters: { "v": 0.4 }, ground: { "O": [0, 0], "F": [5, -1] },
            points: { "P": (guess: [0.6, 0.8], hold: [X], velocity: VELOCITY, mass: 1) },
            bodies: {
                "rod": Bar(from: "O", to: "P", length: 1.0),
                "plate": Rigid(mass: 1, inertia: 1, at: [5, 0, 0], velocity: [2, "free", "free"], markers: { "edge": [0, -1] }),
            },
            joints: { "pin": Revolute(between: ("plate.edge", "F")) },"#;
        planar(&fields.replace("VELOCITY", velocity))
    };
    let (model, found) = assembled(&scene("[\"v\", \"free\"]"));
    let v = |name| of(&model, &found.v, name);
    assert_eq!(v("P.x"), 0.4);
    assert_near(v("P.y"), -0.3, "P.vy");
    assert_near(v("plate.angle"), -2.0, "plate.omega");
    assert_near(v("plate.y"), 0.0, "plate.vy");
    let error = refused(&scene("[\"v\", 0]"));
    assert!(
        error.advice().is_some_and(|advice| advice.contains("\"free\"")),
        "{error:?}"
    );
}
