//! What gradients by lengths of bars and by numbers of springs, masses and contacts promise: the same as if every one were a parameter,
//! whether or not it is one.

mod support;

use costate::error::ErrorKind;
use costate::run::{Experiment, Method, Property};
use support::{experiment, planar, tight};

/// A four-bar swings under gravity; a weight hangs at the middle of its coupler by a spring, and the rocker has no mass.
fn four_bar(lengths: [&str; 3], parameters: &str) -> Experiment {
    let [crank, coupler, rocker] = lengths;
    let text = planar(
        0.8,
        &format!(
            r#"parameters: {{ {parameters} "k": 40.0 }}, gravity: [0, -9.81],
            ground: {{ "A": [0, 0], "B": [1.1, 0] }},
            points: {{ "P": (guess: [0.2, 0.4]), "Q": (guess: [1.2, 0.8]), "W": (at: [0.5, -0.4], mass: 0.6) }},
            bodies: {{
                "crank": Bar(from: "A", to: "P", length: {crank}, mass: 1.0, angle: 1.1),
                "coupler": Bar(from: "P", to: "Q", length: {coupler}, mass: 0.7),
                "rocker": Bar(from: "Q", to: "B", length: {rocker}, mass: 0),
            }},
            forces: {{ "spring": Spring(from: "coupler.centre", to: "W", stiffness: "k", natural_length: 0.8) }},
            outputs: {{ "x": "Q.x", "w": "W.y" }},
            objectives: {{ "x": Final("x"), "w": Integral("w^2") }},"#
        ),
    );
    experiment(&text, &tight())
}

#[test]
fn lengths_written_as_numbers_have_the_slopes_of_lengths_written_as_parameters() {
    let plain = four_bar(["0.5", "1.0", "0.9"], "");
    let named = four_bar(["\"a\"", "\"b\"", "\"c\""], r#""a": 0.5, "b": 1.0, "c": 0.9,"#);
    let reference = named.gradient(Method::Forward).expect("it has a gradient");
    for objective in ["x", "w"] {
        let found = plain.design_gradient(objective).expect("it has a gradient");
        let expected = reference.objectives.iter().find(|one| one.name == objective);
        let expected = expected.expect("the objective is there");
        assert!((found.value - expected.value).abs() < 1e-10);
        let names: Vec<&str> = found.bars.iter().map(|bar| bar.name.as_str()).collect();
        assert_eq!(names, ["crank", "coupler", "rocker"]);
        let bodies: Vec<bool> = found.bars.iter().map(|bar| bar.body.is_some()).collect();
        assert_eq!(bodies, [true, true, false], "bars with mass are bodies");
        let by_k = found.parameters[0].1.expect("a derivative");
        let slopes = found.bars.iter().map(|bar| bar.slope).chain([by_k]);
        for (slope, exact) in slopes.zip(&expected.gradient) {
            assert!(exact.abs() > 1e-4, "{objective}: {exact:e} tells nothing");
            assert!(
                (slope - exact).abs() < 1e-8 * exact.abs().max(1.0),
                "{objective}: {slope} is not {exact}"
            );
        }
    }
}

#[test]
fn lengths_that_share_a_parameter_add_up_to_its_derivative() {
    let shared = four_bar(["\"a / 2\"", "\"a\"", "0.9"], r#""a": 1.0,"#);
    let found = shared.design_gradient("w").expect("it has a gradient");
    let sum = 0.5 * found.bars[0].slope + found.bars[1].slope;
    let by_a = found.parameters[0].1.expect("a derivative");
    assert!((sum - by_a).abs() < 1e-9 * by_a.abs(), "{sum} is not {by_a}");
    assert!((sum - found.bars[1].slope).abs() > 1e-4, "the crank matters");
}

#[test]
fn unused_parameters_have_none_and_unknown_objectives_are_refused() {
    let scene = four_bar(["0.5", "1.0", "0.9"], r#""idle": 3.0,"#);
    let found = scene.design_gradient("x").expect("it has a gradient");
    assert_eq!(found.parameters[0], ("idle".to_string(), None));
    let error = scene.design_gradient("ww").expect_err("there is no such objective");
    assert_eq!((error.kind(), error.name()), (ErrorKind::Request, Some("ww")));
    assert!(error.advice().is_some_and(|advice| advice.contains('w')));
}

/// A mass swings on a spring, a plate on a torsion spring, and a ball bounces between two ends.
fn bouncing(numbers: [&str; 5], parameters: &str) -> Experiment {
    let [k, twist, m, plate, e] = numbers;
    let text = planar(
        1.1,
        &format!(
            r#"parameters: {{ {parameters} "g": 9.81 }}, gravity: [0, "-g"],
            ground: {{ "O": [0, 0], "T": [0.4, 1.6] }},
            points: {{ "W": (at: [0.6, 0.9], mass: {m}), "E": (at: [-0.8, 0.5], velocity: [0.3, 0], mass: 0.5) }},
            bodies: {{ "plate": Rigid(mass: {plate}, inertia: 0.1, centre: [0.3, 0], guess: [0, 0, 0.2], hold: [Angle], velocity: [0, 0, 0.3]) }},
            joints: {{ "hinge": Revolute(between: ("O", "plate.origin")) }},
            forces: {{
                "spring": Spring(from: "W", to: "T", stiffness: {k}, natural_length: 0.8),
                "twist": TorsionSpring(between: ("ground", "plate"), stiffness: {twist}, natural_angle: 0),
            }},
            contacts: {{
                "floor": Limit(of: Coordinate("E.y"), at_least: 0.2, at_most: 3, law: Restitution({e})),
            }},
            outputs: {{ "y": "W.y" }},
            objectives: {{ "all": Final("W.y + E.y + plate.angle + E.y*W.vy") }},"#
        ),
    );
    experiment(&text, &tight())
}

#[test]
fn numbers_of_springs_masses_and_contacts_have_the_slopes_of_parameters() {
    let plain = bouncing(["30", "4", "0.7", "1.2", "0.8"], "");
    let parameters = r#""k": 30, "c": 4, "m": 0.7, "M": 1.2, "e": 0.8,"#;
    let named = bouncing(["\"k\"", "\"c\"", "\"m\"", "\"M\"", "\"e\""], parameters);
    let reference = named.gradient(Method::Forward).expect("it has a gradient");
    let expected = &reference.objectives[0].gradient;
    let found = plain.design_gradient("all").expect("it has a gradient");
    let own = |name: &str, property: Property| {
        let own = found
            .properties
            .iter()
            .find(|own| own.name.starts_with(name) && own.property == property);
        own.unwrap_or_else(|| panic!("no {name} in {found:?}"))
    };
    let names = [
        ("spring", Property::Stiffness, "N/m"),
        ("twist", Property::Stiffness, "N m/rad"),
        ("W", Property::Mass, "kg"),
        ("plate", Property::Mass, "kg"),
        ("floor", Property::Restitution, ""),
    ];
    for (k, (name, property, unit)) in names.into_iter().enumerate() {
        let (own, exact) = (own(name, property), expected[k]);
        assert!(exact.abs() > 1e-4, "{name}: {exact:e} tells nothing");
        assert!(
            (own.slope - exact).abs() < 1e-7 * exact.abs().max(1.0),
            "{name}: {} is not {exact}",
            own.slope
        );
        assert_eq!(own.unit, unit);
        let value = named.mechanism.model.parameters[k].value;
        assert!(
            (own.per_cent() - 0.01 * value * exact).abs() < 1e-9 * exact.abs().max(1.0),
            "{name}"
        );
    }
    let floors = found
        .properties
        .iter()
        .filter(|own| own.property == Property::Restitution);
    assert_eq!(floors.count(), 1, "its parts have one number");
}
