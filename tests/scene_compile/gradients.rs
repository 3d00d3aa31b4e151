//! Gradients of the numbers with respect to the parameters, against differences, and which parameters are used.

use costate::scene::touches;

use crate::{compiled, compiled_with, number, planar};

const DEPENDENT: &str = r#"
  parameters: {
    "a": 1.3,
    "b": "a^2 + 0.5",
    "c d": (value: "sqrt(a*b) + sin(b)", unit: "m"),
    "unused": 4,
    "source": "unused*2",
    "hidden": 7,
  },
  gravity: ["-a*b", 9.81],
  ground: { "A": ["c d", "b - a"] },
  points: { "P": (guess: [1, "a*c d"], mass: "b/a"), "Q": (at: [5, 1], mass: 1) },
  bodies: {
    "bar": Bar(from: "A", to: "P", length: "2*a + c d", mass: "b^2", markers: { "m": ["a", "b"] }),
    "box": Rigid(mass: 1, inertia: "a^a", at: ["a", "b", "c d"], markers: { "c": ["b", 1] }),
    "tie": Bar(from: "box.c", to: "bar.m", length: 4),
  },
  joints: {
    "drive": DriveCoordinate(coordinate: "Q.y", value: "b*sin(a*t) + c d"),
    "gear": Gear(between: ("bar", "box"), ratio: "a*b"),
    "pin": Revolute(between: ("Q", "bar.centre")),
  },
  forces: { "push": Load(at: "Q", force: ["hidden*exp(-t)", "0*source"]) },
  outputs: { "o": "Q.x*c d" },
"#;

const PARAMETERS: [&str; 6] = ["a", "b", "c d", "unused", "source", "hidden"];

#[test]
fn numbers_have_the_gradient_that_differences_show() {
    let text = planar(DEPENDENT);
    let model = compiled(&text).model;
    let h = 1e-5;
    let mut seen = 0;
    for (p, name) in PARAMETERS.iter().enumerate() {
        let value = model.parameters[p].value;
        let shifted = |value: f64| compiled_with(&text, &[(name, value)]).expect("it").model.numbers;
        let (above, below) = (shifted(value + h), shifted(value - h));
        for (i, number) in model.numbers.iter().enumerate() {
            let slope = number
                .gradient
                .iter()
                .find(|(q, _)| *q == p)
                .map_or(0.0, |(_, slope)| *slope);
            let difference = (above[i].value - below[i].value) / (2.0 * h);
            let error = (slope - difference).abs();
            assert!(
                error < 1e-8 * (1.0 + slope.abs()),
                "{} by {name}: {slope} and {difference}",
                number.name
            );
            seen += usize::from(slope != 0.0);
        }
    }
    assert!(seen > 30, "{seen} derivatives");
    assert!(
        model
            .numbers
            .iter()
            .flat_map(|number| &number.gradient)
            .all(|(_, slope)| *slope != 0.0)
    );
}

#[test]
fn guesses_of_pinned_bar_ends_have_gradients_too() {
    let model = compiled(&planar(DEPENDENT)).model;
    for name in ["tie.from.x", "tie.from.y", "tie.to.x", "tie.to.y"] {
        let gradient = &model.numbers[number(&model, name)].gradient;
        assert_eq!(gradient.len(), 3, "{name}: {gradient:?}");
    }
}

#[test]
fn functions_of_time_share_one_number_per_parameter() {
    let model = compiled(&planar(DEPENDENT)).model;
    for name in ["a", "b", "c d", "hidden"] {
        number(&model, name);
    }
    let c = &model.numbers[number(&model, "c d")];
    assert_eq!(c.value, model.parameters[2].value);
    let own = c.gradient.iter().find(|(p, _)| *p == 2);
    assert_eq!((own, c.gradient.len()), (Some(&(2, 1.0)), 3));
    let drive = model
        .constraints
        .iter()
        .find(|constraint| constraint.name == "drive")
        .expect("it");
    assert!(drive.rheonomic);
    let expected = [
        number(&model, "b"),
        number(&model, "a"),
        number(&model, "c d"),
        number(&model, "drive.factor"),
    ];
    assert_eq!(drive.local.numbers, expected);
}

#[test]
fn used_parameters_are_those_that_any_expression_names() {
    let compiled = compiled(&planar(DEPENDENT));
    assert!(
        compiled.unused_parameters.is_empty(),
        "{:?}",
        compiled.unused_parameters
    );
    let spare = crate::compiled(&planar(
        r#"parameters: { "a": 1, "b": "2*a", "c": 3, "d": "c", "e": 1 },
        points: { "P": (at: ["b", 0], mass: 1) }, simulation: (duration: "e"),"#,
    ));
    assert_eq!(spare.unused_parameters, ["c", "d"]);
}

#[test]
fn what_a_parameter_touches_is_listed_by_name() {
    let model = compiled(&planar(
        r#"parameters: { "a": 1, "b": "2*a", "c": 3 },
        ground: { "A": [0, "b"] },
        points: { "P": (at: ["a", 0], mass: 1) }, simulation: (duration: "a"),"#,
    ))
    .model;
    let touched = touches(&model);
    let expect = |name: &str, numbers: &[&str]| {
        let found = touched.iter().find(|(parameter, _)| parameter == name);
        assert_eq!(
            found.map(|(_, numbers)| numbers.as_slice()),
            Some(numbers.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice())
        );
    };
    expect("a", &["simulation.duration", "A.y", "P.at.x"]);
    expect("b", &["A.y"]);
    expect("c", &[]);
}

/// A chain of this many parameters, and a point at the last.
fn chain(count: usize, link: &str) -> String {
    let entry = |k: usize| format!("\"q{k}\": \"{}\"", link.replace('@', &format!("q{}", k - 1)));
    let entries: Vec<String> = (1..count).map(entry).collect();
    planar(&format!(
        "parameters: {{ \"q0\": 0.9, {} }}, points: {{ \"P\": (at: [\"q{}\", 0], mass: 1) }},",
        entries.join(", "),
        count - 1
    ))
}

#[test]
fn second_derivatives_go_through_chains_of_parameters() {
    for text in [chain(6, "sin(@) + @^2/9 + q0*@/5"), planar(DEPENDENT)] {
        let model = compiled(&text).model;
        let h = 1e-5;
        let mut seen = 0;
        for (p, parameter) in model.parameters.iter().enumerate() {
            let slopes = |value: f64| {
                compiled_with(&text, &[(&parameter.name, value)])
                    .expect("it")
                    .model
                    .numbers
            };
            let (above, below) = (slopes(parameter.value + h), slopes(parameter.value - h));
            for (i, number) in model.numbers.iter().enumerate() {
                for &(r, s, second) in number.curvature.iter().filter(|(r, s, _)| *r == p || *s == p) {
                    let other = if r == p { s } else { r };
                    // Below the parameter that is overridden nothing of it is left of those above.
                    let slope = |list: &[costate::model::Number]| {
                        list[i]
                            .gradient
                            .iter()
                            .find(|(q, _)| *q == other)
                            .map_or(0.0, |found| found.1)
                    };
                    if other >= p {
                        let difference = (slope(&above) - slope(&below)) / (2.0 * h);
                        assert!(
                            (second - difference).abs() < 1e-6 * (1.0 + second.abs()),
                            "{}: {second} {difference}",
                            number.name
                        );
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen >= 10, "{seen}");
    }
}

#[test]
fn a_thousand_chained_parameters_are_read_within_seconds() {
    for link in ["@*1.0001", "sin(@)", "@ + q0"] {
        let clock = std::time::Instant::now();
        let model = compiled(&chain(1000, link)).model;
        assert_eq!(model.parameters.len(), 1000);
        assert!(clock.elapsed().as_secs_f64() < 5.0, "{link}: {:?}", clock.elapsed());
    }
}

#[test]
fn a_sum_of_a_thousand_parameters_is_read_within_a_second_with_the_second_derivatives_that_it_has() {
    let list = |each: &dyn Fn(usize) -> String, between: &str| (0..1000).map(each).collect::<Vec<_>>().join(between);
    let entries = list(&|k| format!("\"q{k}\": {}", 1.0 + 1e-3 * k as f64), ", ");
    for (sum, seconds) in [
        (list(&|k| format!("q{k}"), " + "), 0),
        (list(&|k| format!("q{k}"), " + ") + " + q1*q7 + q2^2", 2),
        (list(&|k| format!("q{k}/3"), " - ") + " - sin(q5)", 1),
    ] {
        let clock = std::time::Instant::now();
        let model = compiled(&planar(&format!(
            "parameters: {{ {entries} }}, points: {{ \"P\": (at: [\"{sum}\", 0], mass: 1) }},"
        )));
        let number = model.model.numbers.iter().find(|number| number.gradient.len() == 1000);
        assert_eq!(number.unwrap().curvature.len(), seconds);
        assert!(clock.elapsed().as_secs_f64() < 1.0, "{:?}", clock.elapsed());
    }
}
