//! What errors and remarks of a run say: which part of the scene is at fault, where it stands, when, with which value, and
//! what to do.

mod support;

#[path = "messages/bounds.rs"]
mod bounds;
#[path = "messages/endless.rs"]
mod endless;
#[path = "messages/expressions.rs"]
mod expressions;
#[path = "messages/forced.rs"]
mod forced;
#[path = "messages/penalty.rs"]
mod penalty;
#[path = "messages/places.rs"]
mod places;

use costate::error::Error;

/// Fails unless the message contains all these words and advice is given.
#[track_caller]
pub fn says(error: &Error, words: &[&str]) {
    for word in words {
        assert!(error.message().contains(word), "`{word}` is missing: {error}");
    }
    assert!(error.advice().is_some(), "no advice: {error}");
}

/// The text that an error points at.
pub fn shown(error: &Error) -> String {
    let place = error.place().unwrap_or_else(|| panic!("no place: {error}"));
    let source = error.source_text().unwrap_or_else(|| panic!("no text: {error}"));
    source.text[place].to_string()
}
