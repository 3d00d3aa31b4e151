//! The deserializer's errors in plain words, at the place that is wrong, with advice.

use ron::error::{Error as RonError, Position, SpannedError};

use super::choices;
use super::stop::{Stop, one_line, shortened};
use crate::scene::locate::{Explanation, Outline, TokenKind, Tokens};

/// Explains why the text is not a scene.
pub fn explain(error: &SpannedError, text: &str) -> Explanation {
    if Tokens::new(text).next().is_none() {
        return Explanation::new(
            0..0,
            "there is no scene in this file",
            "a scene begins with `Scene(`; see docs/scene-format.md",
        );
    }
    let outline = Outline::new(text);
    let scene = Stop::new(text, &outline, byte_of(text, error.span.end));
    // The deserializer stops at the first error of either sort; its words for structural ones are the vaguer ones.
    match outline.fault() {
        Some(fault) if fault.detected <= scene.here.start => fault.explain(text),
        _ => scene.explain(&error.code),
    }
}

/// Byte offset of a position that counts lines and characters from 1.
fn byte_of(text: &str, position: Position) -> usize {
    let lines = text.split_inclusive('\n');
    let line_start: usize = lines.take(position.line.saturating_sub(1)).map(str::len).sum();
    let line = text.get(line_start..).unwrap_or_default();
    let column = position.col.saturating_sub(1);
    let offset = line.char_indices().nth(column).map_or(line.len(), |(i, _)| i);
    line_start + offset
}

impl Stop<'_> {
    fn explain(&self, code: &RonError) -> Explanation {
        if let Some(number) = self.malformed_number() {
            return Explanation::new(
                number.range(),
                format!("{} is not a number", number.of(self.text)),
                "write numbers like 5, 1.5 or 3e-4, and expressions in double quotes",
            );
        }
        match code {
            RonError::NoSuchStructField { expected, found, outer } => {
                self.unknown_field(expected, found, outer.as_deref())
            }
            RonError::NoSuchEnumVariant { expected, found, outer } => {
                self.unknown_kind(expected, found, outer.as_deref())
            }
            RonError::MissingStructField { field, outer } => self.missing_field(field, outer.as_deref()),
            RonError::DuplicateStructField { field, .. } => Explanation::new(
                self.last_word(field),
                format!("the field `{field}` is given twice"),
                "keep one of them",
            ),
            RonError::InvalidValueForType { expected, .. } => self.wrong_value(expected),
            RonError::ExpectedDifferentLength { expected, found } => self.wrong_length(expected, *found),
            RonError::Message(message) => {
                Explanation::new(self.value_before(), message.clone(), advice_on_message(message))
            }
            _ => self.explain_shape(code),
        }
    }

    fn unknown_field(&self, expected: &[&str], found: &str, outer: Option<&str>) -> Explanation {
        let place = self.last_word(found);
        let subject = self.subject(place.start, outer);
        Explanation::new(
            place,
            format!("{subject} has no field `{found}`"),
            choices::advise(found, expected),
        )
    }

    fn unknown_kind(&self, expected: &[&str], found: &str, outer: Option<&str>) -> Explanation {
        let what = match outer {
            Some("FormulationKind") => "formulation".to_string(),
            Some("OneSided") => "side".to_string(),
            Some("Limited") => "limited quantity".to_string(),
            Some(other) => other.to_lowercase(),
            None => "thing".to_string(),
        };
        Explanation::new(
            self.last_word(found),
            format!("there is no {what} `{found}`"),
            choices::advise(found, expected),
        )
    }

    fn missing_field(&self, field: &str, outer: Option<&str>) -> Explanation {
        let inside = self.outline.enclosing(self.here.start);
        let head = inside.and_then(|index| self.outline.head(index));
        let subject = self.subject(self.here.start, outer);
        Explanation::new(
            head.unwrap_or(self.here.range()),
            format!("{subject} lacks the field `{field}`"),
            format!("add `{field}: ..` between its parentheses"),
        )
    }

    fn wrong_value(&self, expected: &str) -> Explanation {
        let place = self.value_before();
        let written = self.text.get(place.clone()).unwrap_or_default();
        let kind = Tokens::new(written).next().map(|token| token.kind);
        let known = ["true", "false", "None", "Some"];
        let calls = written.split('(').next().is_some_and(|word| !known.contains(&word));
        let advice = match kind {
            Some(TokenKind::Word) if calls => {
                format!("write \"{written}\" in double quotes if it is an expression of parameters")
            }
            Some(TokenKind::Character) => {
                format!("write text in double quotes: \"{}\"", written.trim_matches('\''))
            }
            _ => format!("write {expected}"),
        };
        let message = format!("expected {expected}, found `{}`", shortened(written));
        Explanation::new(place, message, advice)
    }

    fn wrong_length(&self, expected: &str, found: usize) -> Explanation {
        let inside = self.outline.enclosing(self.here.start);
        let node = inside.and_then(|index| self.outline.node(index));
        let place = node.map_or(self.here.range(), |node| node.range.clone());
        let mut digits = expected.split(|c: char| !c.is_ascii_digit());
        let wanted = digits.find(|number| !number.is_empty()).unwrap_or("more");
        Explanation::new(
            one_line(self.text, place),
            format!("{wanted} values belong here, found {found}"),
            format!("write {wanted} values in parentheses, separated by commas"),
        )
    }
}

fn advice_on_message(message: &str) -> &'static str {
    if message.contains("twice") {
        "give every entry a name of its own"
    } else if message.contains("finite") {
        "write a number such as 1e9; leave the field out where it means a bound that is not there"
    } else {
        "see docs/scene-format.md for what belongs here"
    }
}
