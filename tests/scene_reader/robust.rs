//! No text whatever makes the reader panic or give an empty answer.

use costate::error::Error;
use costate::scene::{locate, parse};
use proptest::prelude::*;

use super::{SCENE, printed};

/// Asserts that a failure has a message, advice, and a place that can be underlined.
fn check(text: &str) {
    if let Err(error) = parse("any.ron", text) {
        check_error(&error, text);
    }
}

fn check_error(error: &Error, text: &str) {
    assert!(!error.message().trim().is_empty());
    assert!(error.advice().is_some_and(|advice| !advice.is_empty()), "{error}");
    let place = error.place().expect("a place");
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    assert!(text.get(place.clone()).is_some(), "{place:?} in {text:?}: {error}");
    assert!(printed(error).contains("any.ron"));
}

/// The words, numbers, texts and punctuation of the scene, and some that do not belong into one.
fn pieces() -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for c in SCENE.chars() {
        let continues = c.is_alphanumeric() || c == '_' || c == '.';
        match pieces.last_mut() {
            Some(last) if continues && last.ends_with(|l: char| l.is_alphanumeric()) => last.push(c),
            _ => pieces.push(c.to_string()),
        }
    }
    pieces
}

#[test]
fn a_scene_cut_off_anywhere_is_an_error_with_a_place() {
    let complete = SCENE.trim_end().len();
    for (end, _) in SCENE.char_indices().filter(|(end, _)| *end < complete) {
        let error = parse("any.ron", &SCENE[..end]).expect_err("not complete");
        check_error(&error, &SCENE[..end]);
    }
}

#[test]
fn every_value_that_is_read_is_also_located() {
    let file = parse("any.ron", SCENE).expect("a scene");
    for (name, _) in file.scene.bodies.iter() {
        assert!(file.place(&["bodies", name]).is_some());
    }
    for (name, contact) in file.scene.joints.iter() {
        assert!(file.place(&["joints", name]).is_some(), "{contact:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_text_never_panics(text in ".{0,200}", punctuated in "[\\[\\](){},:\"'/*#rb\\\\Scen1.e\\-\n ]{0,200}") {
        check(&text);
        check(&punctuated);
        check(&format!("Scene(name: {punctuated}"));
        for path in [&["name"][..], &["0", "1"], &["", "key"]] {
            if let Some(place) = locate(&punctuated, path) {
                prop_assert!(punctuated.get(place).is_some());
            }
        }
    }

    #[test]
    fn random_bytes_in_a_file_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("any.ron");
        std::fs::write(&path, &bytes).expect("written");
        if let Err(error) = costate::scene::read(&path) {
            prop_assert!(!error.message().is_empty());
        }
    }

    #[test]
    fn scenes_with_pieces_deleted_doubled_or_replaced_never_panic(
        changes in prop::collection::vec((0_usize..3, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4)
    ) {
        const FOREIGN: [&str; 12] = ["\"", "(", "}", "NaN", "1e999", "é", "/*", "\\", "None", "..", "r#\"", "\u{200E}"];
        let mut pieces = pieces();
        let original = pieces.clone();
        for (kind, at, other) in changes {
            let at = at.index(pieces.len());
            match kind {
                0 => pieces[at].clear(),
                1 => pieces[at] = pieces[at].repeat(2),
                _ => {
                    let other = other.index(original.len() + FOREIGN.len());
                    let foreign = || FOREIGN[other - original.len()].to_string();
                    pieces[at] = original.get(other).cloned().unwrap_or_else(foreign);
                }
            }
        }
        check(&pieces.concat());
    }
}

#[test]
fn of_a_long_line_a_window_about_the_place_is_shown() {
    let filled = |n: usize, after: &str| {
        format!(
            "Scene(/*{}*/\n naem: \"é\", {after}/*{}*/)",
            "x".repeat(n),
            "é".repeat(n)
        )
    };
    let one_line = |n: usize| filled(n, "").replace('\n', " ");
    for n in [0, 1000, 65_530, 300_000] {
        for text in [filled(n, ""), one_line(n), filled(n, "\n")] {
            let error = parse("any.ron", &text).expect_err("a misspelt field");
            let shown = printed(&error);
            assert!(
                shown.contains("naem") && shown.lines().all(|line| line.chars().count() < 300),
                "{n}: {shown}"
            );
            let column = text.lines().find_map(|line| line.find("naem")).unwrap() + 1;
            assert!(
                shown.contains(&format!("any.ron:{}:{column}", error.line().unwrap())),
                "{shown}"
            );
        }
    }
    let place = "Scene(name: \"\", space: ".to_string() + &"P".repeat(70_000) + ")";
    assert!(printed(&parse("any.ron", &place).expect_err("no such space")).len() < 80_000);
}

#[test]
fn what_a_terminal_would_obey_is_not_printed() {
    let text = "Scene(/*\u{1b}[31m\u{9b}2J\u{202e}*/ name: \"\u{1b}]0;x\u{7}\", space: Plnar)";
    let shown = printed(&parse("a\u{7}.ron", text).expect_err("no such space"));
    assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']), "{shown:?}");
}

#[test]
fn texts_with_control_characters_are_refused_where_they_stand() {
    let scene = |title: &str, name: &str, unit: &str, formula: &str| {
        format!(
            "Scene(name: \"{title}\", space: Planar, parameters: {{ \"{name}\": (value: 1, unit: \"{unit}\") }},
            outputs: {{ \"o\": \"{formula}\" }}, simulation: (duration: 1))"
        )
    };
    parse("any.ron", &scene("t", "p", "m", "1\n\t + 1")).expect("an expression over lines");
    for control in [
        "\u{1b}[2J",
        "\\u{1b}[2J",
        "\\x07",
        "\u{7f}",
        "\u{9b}",
        "\u{202e}",
        "\\n",
        "\n",
        "\\t",
        "\\r",
    ] {
        for (k, what) in ["text", "name", "text"].into_iter().enumerate() {
            let mut words = ["t".to_string(), "p".to_string(), "m".to_string()];
            words[k] += control;
            let text = scene(&words[0], &words[1], &words[2], "1");
            let error = parse("any.ron", &text).expect_err(control);
            assert!(
                error.message().contains(&format!("this {what} contains a control")),
                "{control:?}: {error}"
            );
            assert!(text[error.place().unwrap()].contains(control), "{control:?}");
            assert!(!printed(&error).contains(['\u{1b}', '\u{7}', '\u{7f}', '\u{9b}', '\u{202e}']));
        }
    }
    assert!(parse("any.ron", &scene("t", "p", "m", "1 \\u{8}")).is_err());
}
