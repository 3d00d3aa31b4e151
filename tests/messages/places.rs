//! Errors of a run point at the element that they name.

use costate::error::ErrorKind;
use costate::run::{Changes, Experiment};
use costate::scene::parse;

use crate::support::*;
use crate::{says, shown};

#[test]
fn a_penetration_at_the_start_points_at_its_contact() {
    let point = r#"points: { "P": (at: [1, 0], mass: 1) },"#;
    let wall =
        r#"contacts: { "wall": Touch(point: "P", surface: Plane(through: [2, 0], normal: [1, 0]), law: Flip) },"#;
    let sides = r#"contacts: { "ends": Limit(of: Coordinate("P.x"), at_least: -5, at_most: 0.5, law: Flip) },"#;
    for (contact, name) in [(wall, "\"wall\""), (sides, "\"ends\"")] {
        let error = failure(&planar(1.0, &format!("{point}\n{contact}")));
        assert_eq!(error.kind(), ErrorKind::Assembly);
        says(&error, &["penetration"]);
        assert_eq!((shown(&error).as_str(), error.line()), (name, Some(3)));
    }
}

#[test]
fn joints_that_contradict_each_other_point_at_one_of_them() {
    let error = failure(&planar(
        1.0,
        r#"ground: { "A": [0, 0] }, points: { "P": (guess: [1, 0], mass: 1) },
        bodies: { "rod": Bar(from: "A", to: "P", length: 1, mass: 1) },
        joints: {
            "one": DriveAngle(body: "rod", angle: 1),
            "two": DriveAngle(body: "rod", angle: 1.2),
        },"#,
    ));
    assert_eq!(error.kind(), ErrorKind::Assembly);
    assert_eq!((shown(&error).as_str(), error.line()), ("\"two\"", Some(6)));
    assert!(error.advice().is_some_and(|advice| advice.contains("\"one\"")));
}

#[test]
fn a_driver_of_infinite_velocity_at_the_start_is_named() {
    let error = failure(&planar(
        1.0,
        r#"points: { "P": (guess: [1, 0], mass: 1) },
        joints: { "motor": DriveCoordinate(coordinate: "P.x", value: "sqrt(t)") },"#,
    ));
    says(&error, &["\"motor\" prescribes"]);
    assert_eq!(shown(&error), "\"motor\"");
}

#[test]
fn a_driver_that_jumps_is_named_with_the_time() {
    let driven = |value: &str| {
        planar(
            1.0,
            &format!(
                r#"points: {{ "P": (guess: [0, 0], mass: 1) }}, parameters: {{ "a": 0.37 }},
                joints: {{ "motor": DriveCoordinate(coordinate: "P.x", value: "{value}") }},"#
            ),
        )
    };
    for value in [
        "step(t - a)",
        "t*sign(t - a)",
        "t + 0.01*step(a - t)",
        "atan2(t - a, -1)",
        "max(step(t - a), t)",
    ] {
        let error = failure(&driven(value));
        says(&error, &["\"motor\" jumps"]);
        assert_eq!(shown(&error), "\"motor\"");
        assert!(
            error.time().is_some_and(|t| (t - 0.37).abs() < 1e-9),
            "{value}: {error}"
        );
    }
    for value in [
        "step(t - a)*(t - a)^3",
        "sin(256*pi*t)*1e-3",
        "max(t - a, 0)^2",
        "step(t + 1)",
        "step(t - 1.5)*t",
    ] {
        report(&experiment(&driven(value), &tight()));
    }
}

#[test]
fn parameters_that_nothing_uses_are_remarked_and_others_are_not() {
    let run = |parameters: &str| {
        let point = r#"points: { "P": (at: [1, 0], mass: "a") },"#;
        report(&experiment(
            &planar(1.0, &format!("parameters: {{ {parameters} }}, {point}")),
            &tight(),
        ))
        .remarks
    };
    assert_eq!(run(r#""b": 2, "a": "b""#), Vec::<String>::new());
    let remarks = run(r#""a": 1, "b": 2, "c": "b""#);
    assert!(
        matches!(&remarks[..], [one] if one.contains("\"b\", \"c\"") && !one.contains("\"a\"")),
        "{remarks:?}"
    );
}

#[test]
fn an_error_that_names_no_element_has_no_place() {
    let file = parse("test.ron", &planar(1.0, r#"points: { "P": (at: [1, 0], mass: 1) },"#)).expect("a scene");
    let changes = Changes {
        rtol: Some(-1.0),
        ..Changes::default()
    };
    let error = Experiment::new(&file, &changes).expect_err("a negative tolerance");
    assert_eq!(error.place(), None);
}
