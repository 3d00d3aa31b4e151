//! What is wrong with an index or a range is refused at its place, with the values of the indices and with advice.

use costate::error::Error;
use costate::scene::{Overrides, compile, parse};

use crate::{CHAIN, changed};

fn error_of(text: &str) -> Error {
    let compiled = parse("chain.ron", text).and_then(|file| compile(&file, &Overrides::default()));
    compiled.map(|_| ()).expect_err(text)
}

/// The error of a text underlines this and says these words.
fn refused(text: &str, underlined: &str, words: &[&str]) {
    let error = error_of(text);
    let place = error.place().unwrap_or_else(|| panic!("{error} has no place"));
    let shown = &error.source_text().expect("the text").text[place];
    assert_eq!(shown, underlined, "{error}");
    let advice = error.advice().unwrap_or_default();
    assert!(!advice.is_empty(), "{error} has no advice");
    for word in words {
        let said = format!("{} {advice}", error.message());
        assert!(said.contains(word), "`{word}` is not in: {said}");
    }
}

#[test]
fn the_error_of_a_copy_is_at_its_line_and_says_the_index() {
    refused(
        &changed("\"P[i-1]\"", "\"P[i-2]\""),
        "\"P[i-2]\"",
        &["`P[-1]`", "(i = 1)"],
    );
    refused(
        &changed("\"1 + 0.1*i\"", "\"3 - i\""),
        "\"3 - i\"",
        &["`m[3]`", "0.1", "(i = 3)"],
    );
    refused(
        &changed("length: \"L\"", "length: \"L*sin(zz + i)\""),
        "zz",
        &["`zz`", "(i = 1)"],
    );
    refused(
        &changed("length: \"L\"", "lenth: \"L\""),
        "lenth",
        &["\"link[1]\"", "(i = 1)", "`length`"],
    );
    refused(&changed("length: \"L\"", "length: L"), "L", &["(i = 1)", "quotes"]);
    refused(&changed("\"P[i].y\",", "\"P[i].z\","), "P[i].z", &["`P[1]`", "(i = 1)"]);
    let error = error_of(&changed("\"P[i-1]\"", "\"P[i-2]\""));
    assert_eq!((error.name(), error.line()), (Some("link[1]"), Some(11)));
}

#[test]
fn names_that_clash_are_refused_at_the_second() {
    refused(
        &changed("\"P[0]\": [", "\"P[2]\": ["),
        "\"P[i = 1..n]\"",
        &["`P[2]`", "already", "(i = 2)"],
    );
    refused(
        &changed("\"P[i = 1..n]\": (", "\"P[1]\": (at: [0, 0]), \"P[i = 1..n]\": ("),
        "\"P[i = 1..n]\"",
        &["\"P[1]\"", "twice", "(i = 1)"],
    );
}

#[test]
fn ranges_that_make_no_sense() {
    for (bad, underlined, words) in [
        ("i = 1..2.5", "2.5", ["2.5", "whole"]),
        ("i = 1..n/2", "n/2", ["1.5", "whole"]),
        ("i = 1..L", "L", ["parameter `L`", "`constants`"]),
        ("i = 1..m[1]", "m[1]", ["parameter `m[1]`", "`constants`"]),
        ("i = 1..k", "k", ["`k`", "`n`"]),
        ("i = 1..", "", ["no index", "number"]),
        ("i = 1..n n", "n n", ["no index", "n n"]),
        ("i = 1..-4", "i = 1..-4", ["back from 1 to -4", "least"]),
        ("i = 1..1e10", "1e10", ["10000000000", "whole"]),
        ("i = 1..4e8", "i = 1..4e8", ["MiB", "fewer"]),
        ("i = 1..4e8, j = 1..4e8", "i = 1..4e8", ["MiB", "fewer"]),
        ("i j = 1..n", "i j = 1..n", ["one word", "range"]),
        ("2 = 1..n", "2 = 1..n", ["one word", "range"]),
        ("t = 1..n", "t = 1..n", ["cannot be an index", "another name"]),
        ("pi = 1..n", "pi = 1..n", ["cannot be an index", "another name"]),
        ("L = 1..n", "L = 1..n", ["a parameter of this name", "another name"]),
        ("m = 1..n", "m = 1..n", ["a parameter of this name", "another name"]),
        ("n = 1..n", "n = 1..n", ["a constant of this name", "another name"]),
        ("link = 1..n", "link = 1..n", ["a body of this name", "another name"]),
        (
            "middle = 1..n",
            "middle = 1..n",
            ["an output of this name", "another name"],
        ),
        ("i = 1..n, i = 1..n", "i = 1..n", ["one already", "another name"]),
        ("i = 1..n, j = 1..k", "k", ["`k`", "`i`"]),
    ] {
        let text = CHAIN.replace("\"P[i = 1..n]\"", &format!("\"P[{bad}]\""));
        refused(&text, underlined, &words);
    }
}

#[test]
fn ranges_and_indices_in_wrong_places() {
    let in_value = "a range stands in the name of an entry";
    refused(
        &changed("Final(\"P[n].x\")", "Final(\"P[i = 1..n].x\")"),
        "i = 1..n",
        &["nothing is repeated", in_value],
    );
    refused(
        &changed("from: \"P[i-1]\"", "from: \"P[i = 1..n]\""),
        "i = 1..n",
        &["nothing is repeated", "(i = 1)"],
    );
    refused(
        &changed("Final(\"P[n].x\")", "Final(\"P[i].x\")"),
        "[i]",
        &["whole numbers", "P[i = 1..n]"],
    );
    refused(&changed("Final(\"P[n].x\")", "Final(\"i*P[n].x\")"), "i", &["`i`"]);
    refused(
        &changed("Final(\"P[n].x\")", "Final(\"P[L].x\")"),
        "L",
        &["parameter `L`", "`constants`"],
    );
    refused(
        &changed("Final(\"P[n].x\")", "Final(\"P[n/2].x\")"),
        "n/2",
        &["1.5", "whole"],
    );
    refused(
        &changed("\"P[i-1]\"", "\"P[k-1]\""),
        "k-1",
        &["`k`", "(i = 1)", "`i`, `n`"],
    );
    refused(&changed("\"P[i-1]\"", "\"P[i/2]\""), "i/2", &["0.5", "(i = 1)"]);
    refused(
        &changed("\"P[i-1]\"", "\"P[i*L]\""),
        "i*L",
        &["parameter `L`", "(i = 1)"],
    );
    refused(&changed("\"P[i-1]\"", "\"P[1/(i-1)]\""), "1/(i-1)", &["inf", "(i = 1)"]);
    refused(&changed("\"P[i-1]\"", "\"P[]\""), "", &["no index", "(i = 1)"]);
}

#[test]
fn sums_without_range_or_body() {
    let sum = |text: &str| changed("Final(\"P[n].x\")", &format!("Final(\"{text}\")"));
    refused(
        &sum("sum(P[1].x, 2)"),
        "sum",
        &["no function `sum`", "sum(i = 1..n, ..)"],
    );
    refused(&sum("sum(i = 1..n)"), "sum(i = 1..n)", &["ranges and one expression"]);
    refused(
        &sum("sum(i = 1..n, 1, 2)"),
        "sum(i = 1..n, 1, 2)",
        &["ranges and one expression"],
    );
    refused(
        &sum("sum(1, i = 1..n)"),
        "sum(1, i = 1..n)",
        &["ranges and one expression"],
    );
    refused(&sum("max(i = 1..0, P[i].x)"), "max(i = 1..0, P[i].x)", &["empty range"]);
    refused(&sum("hypot(i = 1..n, P[i].x)"), "=", &["not part of an expression"]);
    refused(&sum("sum(i = 1..n, P[i-1].z)"), "P[i-1].z", &["`P[0]`"]);
    refused(&sum("sum(i = 1..n, )"), "sum(i = 1..n, )", &["value"]);
    refused(&sum("sum(i = 1..4e8, 1)"), "i = 1..4e8", &["MiB"]);
    refused(&sum("sum(i = 1..1000, j = 1..1000, 1 + t)"), "j = 1..1000", &["MiB"]);
    refused(&sum("sum(i = 1..n, P[i].x"), "sum", &["no function `sum`"]);
}

#[test]
fn each_needs_a_value_for_every_entry() {
    let each = |text: &str| changed("mass: \"m[i]\"", &format!("mass: {text}"));
    refused(
        &each("Each([1, 2])"),
        "mass: Each(",
        &["2 values for 3 entries", "(i = 1)"],
    );
    refused(&each("Each([1, 2, 3, 4])"), "mass: Each(", &["4 values for 3 entries"]);
    refused(&each("Each(1, 2, 3)"), "mass: Each(", &["one list"]);
    refused(&each("Each()"), "mass: Each(", &["one list"]);
    refused(
        &changed("\"L\": 1.0", "\"L\": Each([1.0])"),
        "\"L\": Each(",
        &["nothing is repeated"],
    );
    let three = each("Each([1, -2, 3])");
    refused(&three, "-2", &["link[2].mass", "-2", "(i = 2)"]);
}

#[test]
fn a_load_case_cannot_change_the_number_of_entries() {
    let text = changed(
        "simulation:",
        "optimization: (minimize: \"x\", over: [\"L\"], cases: [(name: \"long\", set: { \"n\": 4 })]), simulation:",
    );
    refused(&text, "4", &["`n` says which entries"]);
    let other = text.replace("\"n\": 4", "\"step\": 4");
    assert!(
        parse("a.ron", &other)
            .and_then(|file| compile(&file, &Overrides::default()))
            .is_ok()
    );
}
