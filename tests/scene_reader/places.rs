//! Errors found later point at the value in the text.

use costate::error::{Error, ErrorKind};
use costate::scene::{SceneFile, parse};

use super::{SCENE, changed, printed};

fn scene() -> SceneFile {
    parse("five bar.ron", SCENE).expect("a scene")
}

fn underlined(error: &Error) -> &str {
    let place = error.place().expect("a place");
    &error.source_text().expect("the text").text[place]
}

#[test]
fn a_path_leads_to_the_text_of_its_value() {
    let cases: [(&[&str], &str); 10] = [
        (&["name"], "\"Pendulum ü\""),
        (&["parameters", "L", "value"], "\"sqrt(5)\""),
        (&["parameters", "L", "bounds", "1"], "3.0"),
        (&["bodies", "left crank", "length"], "\"L\""),
        (&["bodies", "plate", "markers", "tip", "0"], "1"),
        (&["joints", "pin", "between", "1"], "\"plate.tip\""),
        (&["contacts", "floor", "surface", "normal"], "[0, 1]"),
        (&["contacts", "floor", "law", "0"], "0.25"),
        (&["events", "late", "then", "0", "0"], "\"pin\""),
        (&["bodies", "left crank", "key"], "\"left crank\""),
    ];
    let file = scene();
    for (path, expected) in cases {
        let place = file.place(path).unwrap_or_else(|| panic!("{path:?} is found"));
        assert_eq!(&file.source.text[place], expected, "{path:?}");
    }
    assert_eq!(file.place(&["bodies", "right crank"]), None);
}

#[test]
fn an_error_names_its_entry_and_underlines_the_value() {
    let error = scene().error(&["bodies", "left crank", "length"], "the length is negative");
    assert_eq!(error.kind(), ErrorKind::Scene);
    assert_eq!(error.name(), Some("left crank"));
    assert_eq!((underlined(&error), error.line()), ("\"L\"", Some(16)));
}

#[test]
fn a_path_beyond_the_text_falls_back_to_what_is_there() {
    let file = scene();
    let shown = |path: &[&str]| underlined(&file.error(path, "wrong")).to_string();
    assert_eq!(shown(&["parameters", "k", "value"]), "100");
    assert_eq!(
        shown(&["joints", "pin", "angle"]),
        "Revolute(between: (\"P1\", \"plate.tip\"), active: false)"
    );
    assert_eq!(shown(&["bodies", "plate", "centre", "0"]), "\"plate\": Rigid(");
    assert_eq!(shown(&["bodies", "nobody"]), "bodies: {");
    assert_eq!(shown(&["nothing"]), "Scene(");
    assert_eq!(shown(&[]), "Scene(");
}

#[test]
fn a_part_of_an_expression_is_underlined_inside_its_quotes() {
    let file = scene();
    let part = |path: &[&str], span| {
        let error = file.error_in_text(path, span, "wrong");
        underlined(&error).to_string()
    };
    assert_eq!(part(&["forces", "spring", "stiffness"], 2..3), "k");
    assert_eq!(part(&["parameters", "L", "value"], 0..4), "sqrt");
    assert_eq!(part(&["outputs", "y"], 0..2), "P1");
    assert_eq!(part(&["objectives", "both", "0", "0", "1"], 3..4), "y");
    assert_eq!(part(&["outputs", "y"], 2..99), "\"P1.y\"");
    assert_eq!(part(&["outputs", "y"], 0..usize::MAX), "\"P1.y\"");
    assert_eq!(part(&["parameters", "k", "value"], 0..1), "100");
}

#[test]
fn escapes_and_other_alphabets_keep_the_place_inside_the_text() {
    let of = |written: &str, span| {
        let text = changed("\"P1.y\" }", &format!("{written} }}"));
        let file = parse("a.ron", &text).expect("a scene");
        let error = file.error_in_text(&["outputs", "y"], span, "wrong");
        let report = printed(&error);
        (underlined(&error).to_string(), report)
    };
    assert_eq!(of("\"größe + k\"", 10..11).0, "k");
    assert_eq!(of("r#\"P1.y\"#", 0..2).0, "P1");
    assert_eq!(of("\"P\\u{31}.y\"", 0..2).0, "\"P\\u{31}.y\"");
    assert_eq!(of("\"größe + k\"", 3..4).0, "\"größe + k\"", "half a letter");
    let (_, report) = of("\"größe + k\"", 10..11);
    assert!(report.contains("a.ron:30:"), "{report}");
}

#[test]
fn the_report_shows_file_line_place_message_and_advice() {
    let error = scene()
        .error_in_text(&["forces", "spring", "stiffness"], 2..3, "there is no parameter `k`")
        .advise("define it under `parameters`");
    let report = printed(&error);
    assert!(report.contains("there is no parameter `k`"), "{report}");
    assert!(report.contains("help: define it under `parameters`"), "{report}");
    let lines: Vec<&str> = report.lines().collect();
    let header = lines.iter().position(|line| line.contains("[five bar.ron:27:"));
    assert!(header.is_some(), "{report}");
    let quoted = lines
        .iter()
        .position(|line| line.contains("stiffness: \"2*k\""))
        .expect("the line");
    let column = |line: &str, what: &str| line.find(what).map(|i| line[..i].chars().count());
    let wanted = column(lines[quoted], "k\", natural").expect("the letter");
    assert_eq!(column(lines[quoted + 1], "┬"), Some(wanted), "{report}");
}
