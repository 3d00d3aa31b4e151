//! Whatever stands in brackets, the reader neither panics nor hangs, and says where what is wrong.

use std::time::Instant;

use costate::scene::{Overrides, compile, parse};
use proptest::prelude::*;

use crate::{CHAIN, changed};

/// Reads and compiles; every error has a place in the source and advice.
fn check(text: &str) {
    let compiled = parse("any.ron", text).and_then(|file| compile(&file, &Overrides::default()));
    if let Err(error) = compiled {
        let place = error
            .place()
            .unwrap_or_else(|| panic!("{error} has no place in {text}"));
        assert!(text.get(place.clone()).is_some(), "{place:?} in {text}: {error}");
        assert!(
            error.advice().is_some_and(|advice| !advice.is_empty()),
            "{error} in {text}"
        );
    }
}

#[test]
fn a_thousand_links_are_read_at_once() {
    let text = changed("\"n\": 3", "\"n\": 1000").replace("(0.1, 9)", "(0.1, 900)");
    let start = Instant::now();
    let file = parse("chain.ron", &text).expect("a scene");
    assert_eq!(file.scene.bodies.len(), 1000);
    assert!(start.elapsed().as_secs_f64() < 1.0, "{:?}", start.elapsed());
    // A quotient of sums over all links has second derivatives by every pair of masses.
    assert!(compile(&file, &Overrides::default()).is_ok());
    assert!(start.elapsed().as_secs_f64() < 15.0, "{:?}", start.elapsed());
}

#[test]
fn a_scene_cut_off_anywhere_is_an_error_with_a_place() {
    for (end, _) in CHAIN.char_indices() {
        check(&CHAIN[..end]);
    }
}

/// What ranges, sums and lists are made of.
const PIECES: [&str; 34] = [
    "[",
    "]",
    "[i",
    " = ",
    "..",
    "1",
    "n",
    "i",
    "j",
    ",",
    "-",
    "*",
    "2",
    "0",
    "(",
    ")",
    "sum(",
    "max(",
    "i = 1..n",
    "k = 1..2",
    "[i = 1..n]",
    "[n]",
    "P",
    "m[",
    "L",
    " ",
    "'",
    ".y",
    "é",
    "Each(",
    "\\",
    "1e9",
    "/0",
    "t",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_brackets_never_panic(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..12),
        place in 0..6_usize,
    ) {
        let soup = pieces.concat();
        let from = ["P[i-1]", "link[i = 1..n]", "i*L", "P[n].x", "sum(i = 1..n, m[i]*P[i].y)", "1 + 0.1*i"][place];
        check(&changed(&format!("\"{from}"), &format!("\"{soup}")).replace("\\\"", "\\\\\""));
        check(&CHAIN.replacen(from, &format!("{from}{soup}"), 1));
    }

    #[test]
    fn random_cuts_never_panic(start in 0..CHAIN.len(), length in 0..60_usize, piece in prop::sample::select(PIECES.to_vec())) {
        let end = (start + length).min(CHAIN.len());
        if let (Some(before), Some(after)) = (CHAIN.get(..start), CHAIN.get(end..)) {
            check(&format!("{before}{piece}{after}"));
        }
    }
}
