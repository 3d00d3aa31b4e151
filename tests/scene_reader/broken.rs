//! Every way to get a scene wrong, with the line, the underlined words and the advice that the user must see.

use costate::error::ErrorKind;
use costate::scene::parse;

use super::{SCENE, changed, printed};

/// Asserts that each case is shown in the line of the replacement (moved by `lines`), underlined and advised as listed.
///
/// A case is a line `what is replaced | by what | underlined text | words of the message | words of the advice`.
fn check(lines: usize, cases: &str) {
    for case in cases.lines().filter(|line| !line.is_empty()) {
        let parts: Vec<&str> = case.split(" | ").collect();
        let [from, to, underlined, message, advice] = parts[..] else {
            panic!("five parts in {case}");
        };
        let text = changed(from, to);
        let Err(error) = parse("broken.ron", &text) else {
            panic!("{to} is accepted");
        };
        assert_eq!(error.kind(), ErrorKind::Scene);
        let place = error.place().expect("a place");
        assert_eq!(&text[place], underlined, "{case}: {error}");
        let before = SCENE.find(from).expect("stands in the scene");
        let line = 1 + SCENE[..before].matches('\n').count() + lines;
        assert_eq!(error.line(), Some(line), "{case}: {error}");
        assert!(error.message().contains(message), "{case}: {error}");
        let given = error.advice().unwrap_or_default();
        assert!(given.contains(advice), "{case}: {given}");
        let report = printed(&error);
        assert!(report.contains(&format!("[broken.ron:{line}:")), "{report}");
        assert!(report.contains("help: "), "{report}");
    }
}

#[test]
fn unknown_fields_are_named_with_the_nearest_right_one() {
    check(
        0,
        r##"
name: | nam: | nam | `Scene` has no field `nam` | did you mean `name`
length: "L" | lenght: 1 | lenght | `Bar` "left crank" has no field `lenght` | did you mean `length`
unit: | units: | units | "L" has no field `units` | `value`, `unit`, `bounds`, `about`
factor: | fator: | fator | `penalty` has no field `fator` | did you mean `factor`
guess: | guessed: | guessed | the point "P1" has no field `guessed` | did you mean `guess`
then: | do: | do | the event "late" has no field `do` | possible here: `when`, `then`, `once`
through: [0, -2] | trough: [0, -2] | trough | `Plane` has no field `trough` | did you mean `through`
"##,
    );
}

#[test]
fn unknown_kinds_are_named_with_the_nearest_right_one() {
    check(
        0,
        r##"
Planar | Plana | Plana | no space `Plana` | did you mean `Planar`
Touch( | Tuoch( | Tuoch | no contact `Tuoch` | did you mean `Touch`? Possible here: `Touch`, `Among`, `Limit`
Revolute( | Hinge( | Hinge | no joint `Hinge` | `Link`, `Cable`, `Revolute`
Nullspace | NullSpace | NullSpace | no formulation `NullSpace` | did you mean `Nullspace`
At(1) | at(1) | at | no trigger `at` | did you mean `At`
"##,
    );
}

#[test]
fn missing_fields_are_shown_at_the_part_that_lacks_them() {
    check(
        0,
        r##"
length: "L",  |  | "left crank": Bar( | `Bar` "left crank" lacks the field `length` | add `length: ..`
duration: 5,  |  | simulation: ( | `simulation` lacks the field `duration` | add
value: "sqrt(5)",  |  | "L": ( | "L" lacks the field `value` | add
, law: Restitution(0.25) |  | "floor": Touch( | `Touch` "floor" lacks the field `law` | add
when: At(1),  |  | "late": ( | event "late" lacks the field `when` | add
, direction: [1, 0] |  | line: Fixed( | `Fixed` lacks the field `direction` | add
"##,
    );
    let error = parse("a", "( name: \"only\" )").expect_err("no space");
    assert_eq!(error.message(), "the scene lacks the field `space`");
}

#[test]
fn values_of_the_wrong_type_say_what_belongs_there() {
    check(
        0,
        r##"
"2*k" | true | true | a number or an expression in quotes, found `true` | write a number
"2*k" | k | k | found `k` | write "k" in double quotes
"2*k" | sqrt(5) | sqrt(5) | found `sqrt(5)` | write "sqrt(5)" in double quotes
"2*k" | [1] | [1] | a number or an expression in quotes, found `[1]` | write a number
"2*k" | 'k' | 'k' | found `'k'` | double quotes: "k"
"2*k" | 2*k | * | `*` has no meaning here | expression stands in double quotes
"2*k" | k + 1 | k | must be in quotes | "k + 1"
"2*k" | 1,5 | 5 | expected the name of a field after the comma | decimals have a point
active: false | active: 0 | 0 | expected `true` or `false`, found the number 0 | `true` or `false`
from: "A" | from: A | A | expected text in double quotes | write "A" in double quotes
from: "A" | from: 'A' | 'A' | expected text in double quotes | write "A" in double quotes
from: "A" | from: 7 | 7 | expected text in double quotes, found the number 7 | double quotes
"P1.y" } | P1.y } | P1 | expected text in double quotes | the whole text or expression
guess: [1, -0.5] | guess: (1, -0.5) | ( | expected a list in square brackets, found `(` | [ .. ]
[Enable("pin")] | Enable("pin") | Enable | expected a list in square brackets | one entry
{ "tip": [1, 0] } | [[1, 0]] | [ | expected a map in braces | "name": value
(factor: 1e6) | 3 | 3 | expected `(`, found the number 3 | ( and )
"##,
    );
}

#[test]
fn kinds_are_asked_for_where_they_are_forgotten() {
    check(
        0,
        r##"
Touch( | ( | ( | expected one of `Touch`, `Among`, `Limit` | in front of the bracket: `Touch`, `Among`, `Limit`
Nullspace | "Nullspace" | "Nullspace" | expected one of `Nullspace` | without quotes
Restitution(0.25) | 0.25 | 0.25 | expected one of `Restitution`, `Flip` | possible here
Restitution(0.25) | Restitution | Restitution | needs its values in parentheses | Restitution( .. )
Restitution(0.25) | Flip(1) | ( | `Flip` takes nothing in parentheses | write Flip alone
"##,
    );
}

#[test]
fn numbers_that_are_none_are_refused_where_they_stand() {
    check(
        0,
        r##"
"2*k" | NaN | NaN | NaN is not a finite number | write a number
"2*k" | inf | inf | inf is not a finite number | write a number
"2*k" | -inff64 | -inff64 | -inf is not a finite number | write a number
"2*k" | 1e999 | 1e999 | inf is not a finite number | write a number
1e-9 | NaN | NaN | NaN is not a finite number | write a number
1e6 | inf | inf | inf is not a finite number | write a number
3.0) | inf) | inf | inf is not a finite number | no
"k": 100 | "k": -inf | -inf | -inf is not a finite number | write a number
1e-9 | "1e-9" | "1e-9" | expected a plain number | expressions are not possible
1e-9 | 1.5.2 | 1.5.2 | 1.5.2 is not a number | 3e-4
"k": 100 | "k": 10a | 10a | 10a is not a number | 1.5
"k": 100 | "k": 1..2 | 1..2 | 1..2 is not a number | 1.5
samples: 100 | samples: 10.5 | 10.5 | expected a whole number, found the number 10.5 | 500
samples: 100 | samples: -5 | -5 | expected a whole number, found the number -5 | not negative
samples: 100 | samples: 99999999999 | 99999999999 | expected a whole number | smaller
samples: 100 | samples: "many" | "many" | expected a whole number | 500
"##,
    );
}

#[test]
fn a_wrong_count_of_values_says_how_many_belong_there() {
    check(
        0,
        r##"
(1.5, 3.0) | (1.5) | (1.5) | 2 values belong here, found 1 | write 2 values
(1.5, 3.0) | (1.5, 2, 3) | 3 | takes 2 values in parentheses, but more follow | after 2 values
("P1", "plate.tip") | ("P1") | ("P1") | 2 values belong here, found 1 | 2 values
("P1", "plate.tip") | ["P1"] | [ | expected `(`, found a list `[` | not [ ]
Restitution(0.25) | Restitution(0, 1) | 1 | `Restitution` takes 1 value | after 1 value
"##,
    );
}

#[test]
fn names_and_fields_given_twice_are_errors() {
    check(
        0,
        r##"
"A": [0, 0] | "A": [0, 0], "A": [1, 1] | "A" | the name "A" is used twice | of its own
"tip": [1, 0] | "tip": [1, 0], "tip": [1, 0] | "tip" | the name "tip" is used twice | own
mass: 1,  | mass: 1, mass: 2,  | mass | the field `mass` is given twice | keep one
"k": 100 | "L": 100 | "L" | the name "L" is used twice | own
"##,
    );
    let text = changed("\"A\": [0, 0]", "\"A\": [0, 0], \"A\": [1, 1]");
    let place = parse("a", &text).expect_err("twice").place().expect("a place");
    assert_eq!(
        Some(place.start),
        text.rfind("\"A\": [1"),
        "the second one is underlined"
    );
}

#[test]
fn punctuation_that_is_missing_or_too_much_is_shown() {
    check(
        0,
        r##"
[0, -9.81], | [0, -9.81] | ] | a comma is missing after this | separate
duration: 5, | duration: 5 | 5 | a comma is missing after this | separate
"A": [0, 0] | "A": [0 0] | 0 | a comma is missing after this | separate
"A": [0, 0] | "A": [0,, 0] | , | nothing before this comma | remove
"A": [0, 0] | "A" [0, 0] | "A" | a colon and a value are missing | "name": value
stiffness: "2*k" | stiffness "2*k" | stiffness | a colon and a value are missing | name: value
stiffness: "2*k" | stiffness: = 3 | = | `=` has no meaning here | colon
"A": [0, 0] | "A":  | "A" | the value after the colon is missing | write a value
[0, -9.81], | [0, -9.81]; | ; | `;` has no meaning here | commas
"A": [0, 0] | A: [0, 0] | A | the name `A` of an entry must be in quotes | write "A"
"##,
    );
}

#[test]
fn brackets_that_do_not_match_are_shown_where_they_open() {
    check(
        0,
        r##"
"A": [0, 0] | "A": [0, 0) | [ | this `[` is not closed before the `)` in line 10 | missing `]`
"tip": [1, 0] } | "tip": [1, 0] | { | this `{` is not closed before the `)` | missing `}`
"A": [0, 0] | "A": [0, 0]] | ] | this `]` closes nothing | remove
Scene( | Scene | Scene | expected `Scene(` | Scene( name:
"##,
    );
    check(
        1,
        r##"
velocity: [1, 0]), | velocity: [1, 0], | "P2" | "P2" in quotes cannot be the name of a field | close the `(` opened in line 12
"##,
    );
    let text = changed("penalty: (factor: 1e6)),\n)", "penalty: (factor: 1e6)),\n");
    let error = parse("a", &text).expect_err("not closed");
    assert_eq!(error.line(), Some(2));
    assert!(error.message().contains("not closed before the end of the file"));
    let error = parse("a", &format!("{SCENE})")).expect_err("closed twice");
    assert_eq!(error.line(), Some(1 + SCENE.matches('\n').count()));
    assert!(error.message().contains("the scene has ended"), "{error}");
}

#[test]
fn quotes_and_comments_that_are_not_closed_are_shown_where_they_begin() {
    check(
        0,
        r##"
"Pendulum ü" | "Pendulum ü | "Pendulum ü, | the text that starts here | closing quote
"P2": (at | "P2: (at | "P2: (at: [2, 0], mass: 0.5), | the text that starts here | quote
"2*k" | r#"2*k" | r | this text has no closing quote | end the text
// A | /* A | /* | this comment is not closed | */
"Pendulum ü" | "ü \s" | \s | starts an escape | \\ for a backslash
"##,
    );
}

#[test]
fn a_file_without_a_scene_says_how_a_scene_begins() {
    for text in ["", "  \n", "// only a comment\n", "/* and another */"] {
        let error = parse("empty.ron", text).expect_err("nothing there");
        assert_eq!(error.message(), "there is no scene in this file");
        assert!(error.advice().is_some_and(|advice| advice.contains("Scene(")));
    }
    let cases = [
        ("hello", "expected `Scene(`, found `hello`"),
        ("{ \"name\": 1 }", "expected `Scene(`, found a map"),
        ("[1]", "expected `Scene(`, found a list"),
        ("3", "expected `Scene(`, found the number 3"),
        (")", "this `)` closes nothing"),
        ("\u{1F980}", "`\u{1F980}` has no meaning here"),
    ];
    for (text, message) in cases {
        let error = parse("other.ron", text).expect_err("no scene");
        assert!(error.message().contains(message), "{text}: {error}");
        assert_eq!(error.place().map(|place| place.start), Some(0));
    }
}

#[test]
fn hostile_nesting_and_size_end_quickly_in_an_error() {
    let inside = |hostile: String| changed("[(1, Final(\"P1.y\"))", &format!("[{hostile}"));
    for text in [
        "[".repeat(100_000),
        "(".repeat(100_000),
        "Scene(gravity: [".to_string() + &"[".repeat(100_000),
        inside("(1, Sum([".repeat(20_000)),
        inside("/*".repeat(100_000)),
        "\\'".repeat(1_000_000),
        "'".repeat(1_000_000),
        "Scene(name: ".to_string() + &"a ".repeat(500_000),
        "Scene(ground: {".to_string() + &"\"a\": [],\n".repeat(100_000) + "})",
    ] {
        let started = std::time::Instant::now();
        let error = parse("hostile.ron", &text).expect_err("no scene");
        assert!(!error.message().is_empty());
        assert!(started.elapsed().as_secs() < 20, "{}", &text[..40]);
    }
    let error = parse("long.ron", &" ".repeat(5 << 20)).expect_err("too long");
    assert!(error.message().contains("4 MiB"), "{error}");
}

#[test]
fn letters_of_several_bytes_do_not_shift_the_place() {
    check(
        0,
        r##"
"Pendulum ü", | "größer üüüü 🦀", spac: Planar, | spac | no field `spac` | did you mean `space`
("P1", "plate.tip"), active: false | ("P1éééé", "plate.tip"), active: 0 | 0 | `true` or `false` | write
"2*k" | "größe + ßßßß", stiffness: 1 | stiffness | given twice | keep one
unit: "m" | unit: "µµµµµµ", about: 3 | 3 | expected text in double quotes | write "3"
"##,
    );
}
