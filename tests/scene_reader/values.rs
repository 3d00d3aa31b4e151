//! What is written arrives as written.

use costate::scene::parse;
use costate::scene::schema::{
    Body, Finite, Force, FormulationKind, Integrator, Law, Number, Objective, OneSided, Space,
};

use super::{SCENE, changed};

#[test]
fn every_value_arrives_as_written() {
    let scene = parse("a.ron", SCENE).expect("a scene").scene;
    assert_eq!(scene.name, "Pendulum ü");
    assert_eq!(scene.space, Space::Planar);
    let length = scene.parameters.get("L").expect("L");
    assert_eq!(length.value, Number::Text("sqrt(5)".to_string()));
    assert_eq!(
        (length.unit.as_str(), length.bounds.map(Finite::interval)),
        ("m", Some((1.5, 3.0)))
    );
    assert_eq!(scene.parameters.get("k").expect("k").value, Number::Literal(100.0));
    assert_eq!(scene.gravity, [Number::Literal(0.0), Number::Literal(-9.81)]);
    let point = scene.points.get("P1").expect("P1");
    assert_eq!(point.velocity, Some(vec![Number::Literal(1.0), Number::Literal(0.0)]));
    assert_eq!((&point.at, &point.mass), (&None, &None));
    let Some(Body::Rigid(plate)) = scene.bodies.get("plate") else {
        panic!("a rigid body");
    };
    assert_eq!((plate.markers.len(), plate.at.as_ref().map(Vec::len)), (1, Some(3)));
    let Some(Force::Spring(spring)) = scene.forces.get("spring") else {
        panic!("a spring");
    };
    assert_eq!(
        (spring.one_sided, spring.active, &spring.damping),
        (Some(OneSided::Tension), true, &None)
    );
    let Some(Objective::Sum(terms)) = scene.objectives.get("both") else {
        panic!("a sum");
    };
    assert_eq!(terms[1], (Number::Literal(2.0), Objective::Integral("t".to_string())));
    assert_eq!(scene.simulation.rtol, Some(Finite(1e-9)));
    assert_eq!(scene.simulation.atol, None);
    assert_eq!(scene.simulation.integrator, Integrator::DormandPrince);
    assert_eq!(scene.simulation.formulation, FormulationKind::Nullspace);
}

#[test]
fn numbers_are_read_to_the_last_digit_in_every_notation() {
    let cases = [
        ("0.1", 0.1),
        ("-2", -2.0),
        ("+3", 3.0),
        ("3e-4", 3e-4),
        ("1E5", 1e5),
        (".5", 0.5),
        ("2.", 2.0),
        ("1_000.5", 1000.5),
        ("0x10", 16.0),
        ("1.7976931348623157e308", f64::MAX),
        ("100000000000000000000000", 1e23),
        ("9.109383701528e-31", 9.109383701528e-31),
    ];
    for (written, value) in cases {
        let text = changed("Restitution(0.25)", &format!("Restitution({written})"));
        let scene = parse("a.ron", &text)
            .unwrap_or_else(|error| panic!("{written}: {error}"))
            .scene;
        let contact = scene.contacts.get("floor").expect("the contact");
        let costate::scene::schema::Contact::Touch(touch) = contact else {
            panic!("it touches");
        };
        assert_eq!(touch.law, Law::Restitution(Number::Literal(value)), "{written}");
    }
}

#[test]
fn entries_keep_the_order_of_the_file() {
    let names: Vec<String> = (0..200).map(|i| format!("n{}", i * 7919 % 200)).collect();
    let entries: String = names.iter().map(|name| format!("\"{name}\": [0, 0], ")).collect();
    let text = changed("\"A\": [0, 0]", &entries);
    let scene = parse("a.ron", &text).expect("a scene").scene;
    let read: Vec<&str> = scene.ground.iter().map(|(name, _)| name).collect();
    assert_eq!(read, names);
}

#[test]
fn the_same_scene_is_read_in_every_spelling_of_the_format() {
    let plain = parse("a.ron", SCENE).expect("a scene").scene;
    let spellings = [
        changed("Scene(", "("),
        format!("\u{FEFF}{SCENE}"),
        SCENE.replace('\n', "\r\n"),
        changed("velocity: [1, 0]", "velocity: Some([1, 0])"),
        changed("penalty: (", "penalty: Penalty("),
        changed("simulation: (", "simulation: Simulation("),
        changed("\"L\": (", "\"L\": Parameter("),
        changed("    gravity", "    /* a /* nested */ comment */ gravity"),
        changed("\"2*k\"", "r#\"2*k\"#"),
        changed("\"P1.y\" }", "\"P1\\u{2e}y\", }"),
    ];
    for text in spellings {
        let scene = parse("a.ron", &text)
            .unwrap_or_else(|error| panic!("{error}\n{text}"))
            .scene;
        assert_eq!(scene, plain, "{text}");
    }
}
