//! Names of variables, and the nearest name.

use super::*;
use crate::expression::nearest_name;

#[test]
fn a_name_is_words_dots_and_quoted_parts() {
    let table = [
        ("crank length", "crank length"),
        ("crank \t  length", "crank length"),
        ("spring 1", "spring 1"),
        ("left rod.force", "left rod.force"),
        ("plate.tip.x", "plate.tip.x"),
        ("P2.vy", "P2.vy"),
        ("_a_1", "_a_1"),
        ("spring 1.rest length", "spring 1.rest length"),
        ("'left-rod'.force", "left-rod.force"),
        ("'4th bar'.angle", "4th bar.angle"),
        ("P.'x y'", "P.x y"),
        ("'a'.'b'.c", "a.b.c"),
        ("'2 > 1'", "2 > 1"),
        ("ω", "ω"),
        ("Kurbellänge 2.φ", "Kurbellänge 2.φ"),
        ("sin", "sin"),
        ("step height", "step height"),
        ("e", "e"),
        ("P[3].y", "P[3].y"),
        ("m[ 1 , -02 ]", "m[1,-2]"),
        ("m[1][2]", "m[1][2]"),
        ("link[4] end.force", "link[4] end.force"),
        ("'left-rod[1]'.force", "left-rod[1].force"),
    ];
    for (text, name) in table {
        assert_eq!(variable_names(text), [name], "{text}");
        assert_eq!(variable_names(&format!("2*{text}-1")), [name], "in a formula: {text}");
        assert_eq!(variable_names(&format!("sin( {text} )")), [name], "in a call: {text}");
        assert_eq!(parsed(&format!("-{text} ^2")).evaluate(&[3.0]), -9.0, "{text}");
    }
}

#[test]
fn brackets_after_a_name_hold_whole_numbers() {
    for (text, place) in [
        ("m[i]", 1..4),
        ("2*m[1.5]", 3..8),
        ("m[]", 1..3),
        ("m[1", 1..3),
        ("m[1,]", 1..5),
        ("m[99999999999999999999]", 1..23),
    ] {
        let error = refused(text);
        assert!(error.message.contains("brackets after a name"), "{text}: {error:?}");
        assert_eq!(error.span, place, "{text}");
        assert!(error.advice.is_some(), "{text}");
    }
    assert!(refused("[1]").message.contains("not part of an expression"));
    assert!(refused("m [1]").message.contains("not part of an expression"));
}

#[test]
fn the_same_name_written_differently_is_one_variable() {
    assert_eq!(variable_names("left  rod.x - 'left rod'.x"), ["left rod.x"]);
    assert_eq!(variable_names("m[1, 2] + 'm[1,2]'"), ["m[1,2]"]);
}

#[test]
fn a_function_is_recognised_only_before_a_parenthesis() {
    assert_eq!(variable_names("min(min, max)"), ["min", "max"]);
    assert_eq!(variable_names("sqrt (x)"), ["x"]);
}

#[test]
fn the_nearest_name_is_the_one_that_was_meant() {
    let names = ["crank length", "left rod", "L01", "L02", "e", "stiffness"];
    let table = [
        ("crank lenght", Some("crank length")),
        ("crank_length", Some("crank length")),
        ("Left Rod", Some("left rod")),
        ("stifness", Some("stiffness")),
        ("l01", Some("L01")),
        ("L03", Some("L01")),
        ("E", Some("e")),
        ("k", None),
        ("damping", None),
        ("", None),
    ];
    for (name, expected) in table {
        assert_eq!(nearest_name(name, names.into_iter()).as_deref(), expected, "{name}");
    }
}
