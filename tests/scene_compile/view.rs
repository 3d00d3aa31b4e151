//! What pictures show is checked as the rest of the scene is, and changes nothing about the motion.

use costate::scene::compiled::{CameraView, Form};

use crate::wrong_elements::PARTS;
use crate::{compiled, planar, refused, spatial};

#[test]
fn shapes_and_cameras_may_use_parameters_and_add_nothing_to_the_model() {
    let plain = compiled(&planar(PARTS));
    let text = planar(&format!(
        r#"{PARTS} view: (
            trace: ["P", "bar.tip"],
            camera: Area(low: [-1, "-k"], high: ["k", 3]),
            shapes: {{ "box": [Box(size: ["k", 1, 0.5], offset: [1, 2], rotation: [0, 0, "pi/k"])], "P": [Ball(radius: "k/4")] }},
        ),"#
    ));
    let compiled = compiled(&text);
    let view = &compiled.view;
    assert_eq!(compiled.model.numbers, plain.model.numbers);
    assert!(!compiled.unused_parameters.contains(&"k".to_string()));
    let traced = view.trace.as_deref().unwrap_or_default().iter();
    assert_eq!(
        traced.map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["P", "bar.tip"]
    );
    assert_eq!(
        view.camera,
        Some(CameraView::Area([[-1.0, -2.0, 0.0], [2.0, 3.0, 0.0]]))
    );
    let (name, shapes) = &view.shapes[0];
    assert_eq!((name.as_str(), shapes[0].offset), ("box", [1.0, 2.0, 0.0]));
    assert_eq!(shapes[0].rotation[2], std::f64::consts::FRAC_PI_2);
    assert!(matches!(shapes[0].form, Form::Cuboid([2.0, 1.0, 0.5])));
    assert!(matches!(view.shapes[1].1[0].form, Form::Ball(0.5)));
}

#[test]
fn views_that_cannot_be_meant_are_shown_at_their_field() {
    let cases: [(&str, &str, &[&str]); 16] = [
        (
            r#"looks: { "bra": () }"#,
            "\"bra\"",
            &["nothing named `bra`", "did you mean `bar`?"],
        ),
        (
            r#"looks: { "bar": (colour: "oragne") }"#,
            "\"oragne\"",
            &["no colour `oragne`", "`orange`", "`#e69f00`"],
        ),
        (
            r##"looks: { "bar": (colour: "#12345") }"##,
            "\"#12345\"",
            &["no colour"],
        ),
        (
            r##"looks: { "bar": (colour: "#+12345") }"##,
            "\"#+12345\"",
            &["no colour"],
        ),
        (
            r#"looks: { "A": (layer: 1) }"#,
            "1",
            &["a ground point, which has no layer", "points, bars and rigid bodies"],
        ),
        (r#"trace: ["P", "R"]"#, "\"R\"", &["no place `R`"]),
        (r#"trace: ["bar"]"#, "\"bar\"", &["a whole body"]),
        (
            "camera: LookAt(target: [0, 0], eye: [1, 1])",
            "LookAt(target: [0, 0], eye: [1, 1])",
            &["straight on", "Area"],
        ),
        (
            "camera: Area(low: [0, 0, 0], high: [1, 1])",
            "[0, 0, 0]",
            &["3 coordinates", "[x, y]"],
        ),
        (
            "camera: Area(low: [0, 2], high: [1, 1])",
            "[0, 2]",
            &["not below", "least"],
        ),
        (
            r#"shapes: { "bra": [] }"#,
            "\"bra\"",
            &["no point and no body `bra`", "did you mean `bar`?"],
        ),
        (
            r#"shapes: { "box": [Ball(radius: 0)] }"#,
            "0",
            &["is 0, but must be positive"],
        ),
        (
            r#"shapes: { "box": [Box(size: [1, "-k", 1])] }"#,
            "\"-k\"",
            &["is -2, but must be positive"],
        ),
        (
            r#"shapes: { "box": [Box(size: [1, 1])] }"#,
            "[1, 1]",
            &["2 numbers instead of 3"],
        ),
        (
            r#"shapes: { "box": [Cylinder(radius: 1, length: "m")] }"#,
            "m",
            &["no parameter `m`"],
        ),
        (
            r#"shapes: { "box": [Ball(radius: 1, offset: [1])] }"#,
            "[1]",
            &["1 numbers instead of 3"],
        ),
    ];
    for (view, place, words) in cases {
        refused(&planar(&format!("{PARTS} view: ({view}),")), place, words);
    }
    let joint = r#"view: (shapes: { "motor": [] }), joints: { "motor": DriveAngle(body: "box", angle: "t") },"#;
    refused(
        &planar(&format!("{PARTS} {joint}")),
        "\"motor\"",
        &["a joint", "has no shape"],
    );
    for (look, place, words) in [
        ("layer: 2", "2", "in space has no layer"),
        (r#"label: "p""#, "\"p\"", "in space has none of"),
    ] {
        let text = format!(r#"points: {{ "P": (at: [0, 0, 1], mass: 1) }}, view: (looks: {{ "P": ({look}) }}),"#);
        refused(&spatial(&text), place, &[words]);
    }
    let text =
        r#"points: { "P": (at: [0, 0, 1], mass: 1) }, view: (camera: LookAt(target: [0, 1, 0], eye: [0, 1, 0])),"#;
    refused(&spatial(text), "[0, 1, 0]", &["where it looks at"]);
}
