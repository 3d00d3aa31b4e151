//! What compiling a scene promises: names become indices, expressions become numbers with exact gradients, joints become
//! constraints that vanish where they should, and whatever has no meaning is shown at its place with advice.

#[path = "scene_compile/closed.rs"]
mod closed;
#[path = "scene_compile/closed_spatial.rs"]
mod closed_spatial;
#[path = "scene_compile/expressions.rs"]
mod expressions;
#[path = "scene_compile/forces.rs"]
mod forces;
#[path = "scene_compile/gradients.rs"]
mod gradients;
#[path = "scene_compile/mutated.rs"]
mod mutated;
#[path = "scene_compile/requests.rs"]
mod requests;
#[path = "scene_compile/structure.rs"]
mod structure;
#[path = "scene_compile/touching.rs"]
mod touching;
#[path = "scene_compile/view.rs"]
mod view;
#[path = "scene_compile/wrong_contacts.rs"]
mod wrong_contacts;
#[path = "scene_compile/wrong_elements.rs"]
mod wrong_elements;
#[path = "scene_compile/wrong_memory.rs"]
mod wrong_memory;
#[path = "scene_compile/wrong_names.rs"]
mod wrong_names;
#[path = "scene_compile/wrong_optimization.rs"]
mod wrong_optimization;
#[path = "scene_compile/wrong_values.rs"]
mod wrong_values;

use costate::error::{Error, ErrorKind};
use costate::model::{Model, in_dimension};
use costate::scene::parse;
use costate::scene::{Compiled, Overrides, compile};

/// A planar scene with these fields; a `simulation` is added when there is none.
pub fn planar(fields: &str) -> String {
    scene("Planar", fields)
}

/// A spatial scene with these fields; a `simulation` is added when there is none.
pub fn spatial(fields: &str) -> String {
    scene("Spatial", fields)
}

fn scene(space: &str, fields: &str) -> String {
    let simulation = if fields.contains("simulation:") {
        ""
    } else {
        "simulation: (duration: 1),"
    };
    format!("Scene(\n  name: \"test\",\n  space: {space},\n{fields}\n{simulation}\n)\n")
}

/// The compiled scene; any error fails the test.
pub fn compiled(text: &str) -> Compiled {
    compiled_with(text, &[]).unwrap_or_else(|error| panic!("{error}\n{:?}\n{text}", error.advice()))
}

/// The compiled scene with some parameters set.
pub fn compiled_with(text: &str, set: &[(&str, f64)]) -> Result<Compiled, Error> {
    let file = parse("test.ron", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let parameters = set.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    compile(&file, &Overrides { parameters, case: None })
}

/// Demands that compiling fails, shows `place`, and says the words in message or advice.
pub fn refused(text: &str, place: &str, words: &[&str]) {
    let Err(error) = compiled_with(text, &[]) else {
        panic!("compiled although wrong:\n{text}");
    };
    assert_eq!(error.kind(), ErrorKind::Scene, "{error}");
    let range = error.place().unwrap_or_else(|| panic!("no place: {error}\n{text}"));
    assert_eq!(&text[range.clone()], place, "{error}\n{text}");
    assert_eq!(error.line(), Some(1 + text[..range.start].matches('\n').count()));
    let advice = error.advice().unwrap_or_else(|| panic!("no advice: {error}"));
    let said = format!("{error} | {advice}");
    for word in words {
        assert!(said.contains(word), "`{word}` is not in: {said}");
    }
}

/// Index of the coordinate of that name.
pub fn coordinate(model: &Model, name: &str) -> usize {
    let position = model.coordinates.iter().position(|coordinate| coordinate.name == name);
    position.unwrap_or_else(|| panic!("no coordinate {name} in {:?}", names(model)))
}

/// Index of the number of that name; there must be exactly one.
pub fn number(model: &Model, name: &str) -> usize {
    let found: Vec<usize> = (0..model.numbers.len())
        .filter(|i| model.numbers[*i].name == name)
        .collect();
    assert_eq!(found.len(), 1, "numbers called {name}: {:?}", model.numbers);
    found[0]
}

/// Names of the coordinates.
pub fn names(model: &Model) -> Vec<&str> {
    model
        .coordinates
        .iter()
        .map(|coordinate| coordinate.name.as_str())
        .collect()
}

/// Positions with a value for every coordinate by name.
pub fn positions(model: &Model, values: &[(&str, f64)]) -> Vec<f64> {
    assert_eq!(values.len(), model.nq(), "coordinates are {:?}", names(model));
    let mut q = vec![f64::NAN; model.nq()];
    for (name, value) in values {
        q[coordinate(model, name)] = *value;
    }
    q
}

/// Values of all rows of the constraints of that name.
pub fn rows(model: &Model, name: &str, t: f64, q: &[f64]) -> Vec<f64> {
    let numbers = model.number_values();
    let of_name = model.constraints.iter().filter(|constraint| constraint.name == name);
    let values = of_name.flat_map(|constraint| {
        let c = in_dimension!(model.dimension, D => constraint.value_at::<f64, D>(t, |i| q[i], |i| numbers[i]));
        c[..constraint.rows].to_vec()
    });
    values.collect()
}

/// Demands that the constraints of that name have these values.
pub fn assert_rows(model: &Model, name: &str, t: f64, q: &[f64], expected: &[f64]) {
    let found = rows(model, name, t, q);
    let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(
        close && found.len() == expected.len(),
        "{name}: {found:?}, expected {expected:?}"
    );
}
