//! Parameters that a request sets, and the settings of the simulation.

use costate::error::ErrorKind;
use costate::scene::schema::{FormulationKind, Integrator};

use crate::{compiled, compiled_with, number, planar};

const TEXT: &str = r#"
  parameters: {
    "L": (value: 2, bounds: (1, 3)),
    "half": (value: "L/2", bounds: (0.6, 3)),
    "other": (value: "half + 1"),
  },
  points: { "P": (at: ["L", "half"], mass: "other") },
"#;

#[test]
fn parameters_that_are_expressions_follow_the_one_that_is_set() {
    let model = compiled_with(&planar(TEXT), &[("L", 3.0)]).expect("it").model;
    let values: Vec<f64> = model.parameters.iter().map(|parameter| parameter.value).collect();
    assert_eq!(values, [3.0, 1.5, 2.5]);
    assert_eq!(model.numbers[number(&model, "P.at.x")].gradient, [(0, 1.0)]);
    assert_eq!(
        model.numbers[number(&model, "P.mass")].gradient,
        [(0, 0.5), (1, 1.0), (2, 1.0)]
    );
}

#[test]
fn a_parameter_that_is_set_no_longer_follows_others() {
    let model = compiled_with(&planar(TEXT), &[("half", 0.75)]).expect("it").model;
    let values: Vec<f64> = model.parameters.iter().map(|parameter| parameter.value).collect();
    assert_eq!(values, [2.0, 0.75, 1.75]);
    assert_eq!(model.numbers[number(&model, "P.mass")].gradient, [(1, 1.0), (2, 1.0)]);
}

#[test]
fn requests_that_cannot_be_served_say_so() {
    type Case<'c> = (&'c [(&'c str, f64)], &'c str, bool);
    let cases: [Case; 6] = [
        (&[("l", 2.0)], "did you mean `L`?", false),
        (&[("hlaf", 2.0)], "did you mean `half`?", false),
        (&[("L", 3.5)], "outside its bounds 1 to 3", false),
        (&[("L", f64::NAN)], "not finite", false),
        (&[("L", 2.0), ("L", 2.5)], "set twice", false),
        (&[("L", 1.1)], "`half` is 0.55, outside its bounds", true),
    ];
    for (set, words, placed) in cases {
        let error = compiled_with(&planar(TEXT), set).expect_err(words);
        assert_eq!(error.kind(), ErrorKind::Request, "{error}");
        let said = format!("{error} | {}", error.advice().unwrap_or_default());
        assert!(said.contains(words), "{said}");
        assert_eq!(error.place().is_some(), placed, "{said}");
    }
}

#[test]
fn a_fault_of_the_scene_stays_one_whatever_is_set() {
    let text = planar(r#"parameters: { "a": 1, "b": (value: 5, bounds: (0, 1)) },"#);
    let error = compiled_with(&text, &[("a", 2.0)]).expect_err("out of bounds");
    assert_eq!((error.kind(), error.value()), (ErrorKind::Scene, Some(5.0)));
    let text = planar(r#"parameters: { "a": 1, "b": "1/a" },"#);
    let error = compiled_with(&text, &[("a", 0.0)]).expect_err("infinite");
    assert_eq!(error.kind(), ErrorKind::Scene);
    assert!(
        error.advice().is_some_and(|advice| advice.contains("a = 0")),
        "{:?}",
        error.advice()
    );
}

#[test]
fn settings_left_out_take_their_defaults() {
    let compiled = compiled(&planar(r#"simulation: (duration: "2*pi"),"#));
    let (settings, numbers) = (compiled.simulation, compiled.model.numbers);
    assert_eq!(numbers[settings.duration].value, std::f64::consts::TAU);
    assert_eq!(
        (numbers[settings.start].value, numbers[settings.start].name.as_str()),
        (0.0, "simulation.start")
    );
    assert_eq!((settings.rtol, settings.atol, settings.max_step), (1e-9, None, None));
    assert_eq!(
        (settings.max_steps, settings.samples, settings.projection),
        (10_000_000, 500, true)
    );
    assert_eq!(
        (settings.formulation, settings.integrator),
        (FormulationKind::Nullspace, Integrator::DormandPrince)
    );
    let penalty = settings.penalty;
    assert_eq!(
        (penalty.factor, penalty.frequency, penalty.damping, penalty.augmented),
        (1e7, 20.0, 0.7, 1)
    );
    assert_eq!(settings.rest_speed, None);
}

#[test]
fn settings_are_taken_over() {
    let compiled = compiled(&planar(
        r#"parameters: { "T": 3 },
        simulation: (duration: "T", start: -1, formulation: Penalty, integrator: Radau, rtol: 1e-6, atol: 1e-8,
            max_step: 0.1, max_steps: 7, projection: false, rest_speed: 0.01, samples: 3,
            penalty: (factor: 10, frequency: 20, damping: 0.5, augmented: 2)),"#,
    ));
    let (settings, numbers) = (compiled.simulation, compiled.model.numbers);
    assert_eq!(
        (
            numbers[settings.duration].gradient.as_slice(),
            numbers[settings.start].value
        ),
        (&[(0, 1.0)][..], -1.0)
    );
    assert_eq!(
        (settings.rtol, settings.atol, settings.max_step),
        (1e-6, Some(1e-8), Some(0.1))
    );
    assert_eq!(
        (settings.max_steps, settings.samples, settings.projection),
        (7, 3, false)
    );
    assert_eq!(
        (settings.formulation, settings.integrator),
        (FormulationKind::Penalty, Integrator::Radau)
    );
    let penalty = settings.penalty;
    assert_eq!(
        (penalty.factor, penalty.frequency, penalty.damping, penalty.augmented),
        (10.0, 20.0, 0.5, 2)
    );
    assert_eq!(settings.rest_speed, Some(0.01));
}
