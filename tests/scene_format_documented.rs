//! The reference of the scene format describes every field and kind that the program reads, and its examples work.

#[path = "scene_format_documented/page.rs"]
mod page;
#[path = "scene_format_documented/schema.rs"]
mod schema;

use costate::assembly::assemble;
use costate::error::Error;
use costate::expression::function_names;
use costate::scene::{Compiled, Overrides, compile, parse};

use page::Page;
use schema::{Item, Kind, items};

fn compiled(text: &str) -> Result<Compiled, Error> {
    compile(&parse("example.ron", text)?, &Overrides::default())
}

/// The items with named fields, each with the name that its section of the page has in its heading.
fn with_fields(items: &[Item]) -> Vec<(String, &[schema::Field])> {
    let mut owners = Vec::new();
    for item in items {
        match &item.kind {
            Kind::Struct(fields) if item.name == "Scene" => owners.push((item.name.clone(), fields.as_slice())),
            Kind::Struct(fields) => owners.push((schema::written_as(items, &item.name), fields.as_slice())),
            Kind::Enum(variants) => {
                let named = variants.iter().filter(|variant| !variant.fields.is_empty());
                owners.extend(named.map(|variant| (variant.name.clone(), variant.fields.as_slice())));
            }
        }
    }
    owners
}

#[test]
fn every_field_has_a_row_in_the_table_of_its_part_and_no_row_is_stale() {
    let (page, items) = (Page::read(), items());
    for (owner, fields) in with_fields(&items) {
        let rows = page.rows_of(&owner);
        for field in fields {
            let row = rows.iter().find(|row| row.name == field.name);
            let Some(row) = row else {
                panic!("the section of `{owner}` has no row for `{}`", field.name);
            };
            let required = row.cells.contains(&"required".to_string());
            assert_eq!(
                required, !field.has_default,
                "`{owner}`.`{}` is required or not",
                field.name
            );
        }
        for row in rows {
            let known = fields.iter().any(|field| field.name == row.name);
            assert!(
                known,
                "the section of `{owner}` describes `{}`, which does not exist",
                row.name
            );
        }
    }
}

#[test]
fn every_kind_is_described() {
    let (page, items) = (Page::read(), items());
    for item in &items {
        let Kind::Enum(variants) = &item.kind else { continue };
        for variant in variants {
            let name = &variant.name;
            let described = page.text.contains(&format!("`{name}`")) || page.text.contains(&format!("`{name}("));
            assert!(described, "`{name}` of {} is described nowhere", item.name);
        }
    }
}

/// Guards the test above against a scanner that overlooks fields: the program itself lists what it knows.
#[test]
fn the_fields_found_in_the_source_are_those_that_the_program_accepts() {
    let items = items();
    let item = |name: &str| items.iter().find(|item| item.name == name).expect("in the schema");
    let Kind::Struct(fields) = &item("Scene").kind else {
        panic!("a struct")
    };
    assert_eq!(accepted("Scene(bogus: 1)"), schema::names(fields));
    for field in fields {
        let Some(inner) = field.map_of() else { continue };
        let Some(item) = items.iter().find(|item| item.name == inner) else {
            continue;
        };
        match &item.kind {
            Kind::Struct(fields) => {
                let scene = format!("Scene({}: {{ \"x\": (bogus: 1) }})", field.name);
                assert_eq!(accepted(&scene), schema::names(fields), "{}", item.name);
            }
            Kind::Enum(variants) => {
                let scene = format!("Scene({}: {{ \"x\": Bogus }})", field.name);
                let known: Vec<String> = variants.iter().map(|variant| variant.name.clone()).collect();
                assert_eq!(accepted(&scene), known, "{}", item.name);
                for variant in variants.iter().filter(|variant| !variant.fields.is_empty()) {
                    let scene = format!("Scene({}: {{ \"x\": {}(bogus: 1) }})", field.name, variant.name);
                    assert_eq!(accepted(&scene), schema::names(&variant.fields), "{}", variant.name);
                }
            }
        }
    }
}

/// The names that the advice about an unknown one lists.
fn accepted(scene: &str) -> Vec<String> {
    let error = parse("bogus.ron", scene).expect_err("an unknown name");
    let advice = error.advice().expect("advice").to_lowercase();
    let list = advice.rfind("possible here: ").expect("a list");
    let original = &error.advice().expect("advice")[list..];
    original.split('`').skip(1).step_by(2).map(String::from).collect()
}

#[test]
fn every_example_is_a_scene_that_compiles_and_closes() {
    let page = Page::read();
    assert!(page.examples.len() >= 10, "examples are found");
    assert!(
        page.examples.iter().any(|example| example.starts_with("Scene(")),
        "a complete one"
    );
    for example in &page.examples {
        let scene = page::completed(example);
        let closed = compiled(&scene).and_then(|compiled| assemble(&compiled.model, 0.0));
        if let Err(error) = closed {
            panic!("{error}\n{:?}\n{}\n{scene}", error.advice(), error.line().unwrap_or(0));
        }
    }
}

#[test]
fn every_function_of_expressions_is_described() {
    let page = Page::read();
    for name in function_names() {
        assert!(page.text.contains(&format!("`{name}(")), "{name}");
    }
}

#[test]
fn the_defaults_described_are_those_of_the_program() {
    let page = Page::read();
    let scene = page::completed("points: { \"P\": (at: [0, 0], mass: 1) },");
    let settings = compiled(&scene).expect("a scene").simulation;
    let optimized = r#"points: { "P": (at: [0, "a"], mass: 1) }, parameters: { "a": 1 }, objectives: { "y": Final("P.y") },
        optimization: (minimize: "y", over: ["a"]),"#;
    let optimization = compiled(&page::completed(optimized)).expect("a scene").optimization;
    let optimization = optimization.expect("an optimization");
    let stopping = optimization.stopping;
    let cases = [
        ("options", "memory", optimization.memory as f64),
        ("options", "first_step", optimization.first_step),
        ("stopping", "gradient", stopping.gradient),
        ("stopping", "decrease", stopping.decrease),
        ("stopping", "violation", stopping.violation),
        ("stopping", "max_iterations", f64::from(stopping.max_iterations)),
        ("stopping", "max_simulations", f64::from(stopping.max_simulations)),
        ("simulation", "rtol", settings.rtol),
        ("simulation", "max_steps", settings.max_steps as f64),
        ("simulation", "samples", f64::from(settings.samples)),
        ("penalty", "factor", settings.penalty.factor),
        ("penalty", "frequency", settings.penalty.frequency),
        ("penalty", "damping", settings.penalty.damping),
        ("penalty", "augmented", f64::from(settings.penalty.augmented)),
    ];
    for (owner, field, value) in cases {
        let rows = page.rows_of(owner);
        let row = rows.iter().find(|row| row.name == field).expect("a row");
        let described = row.cells[1].replace(' ', "").parse::<f64>();
        assert_eq!(described, Ok(value), "{owner}.{field}");
    }
    assert!(settings.projection);
    assert_eq!((settings.max_step, settings.rest_speed), (None, None));
}
