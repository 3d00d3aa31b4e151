//! Structural faults of a scene text, told in plain words.

use std::ops::Range;

use super::token::{Token, TokenKind};

/// What is wrong with the structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The closing quote of a text is missing.
    UnclosedQuote,
    /// The end of a block comment is missing.
    UnclosedComment,
    /// A bracket is not closed, neither before the closing bracket of one around it nor before the end.
    NotClosed,
    /// A closing bracket without an opening one.
    NothingToClose,
    /// The text begins with something else than a scene; the token is what follows.
    NoScene,
    /// Something follows the scene.
    Trailing,
    /// A name and a value without a colon between them; the token is the name.
    MissingColon,
    /// Two values without a comma between them.
    MissingComma,
    /// A comma with nothing before it.
    StrayComma,
    /// A colon that does not follow a name.
    StrayColon,
    /// A name and a colon without a value.
    MissingValue,
    /// A character without meaning.
    Strange,
    /// A quoted name where fields have bare names.
    QuotedField,
    /// A bare name where names are quoted.
    BareName,
    /// A name in a list.
    NameInList,
    /// More brackets inside each other than anyone needs.
    TooDeep,
}

/// A structural fault and the tokens about it.
#[derive(Clone, Debug)]
pub struct LocatedFault {
    pub fault: Fault,
    /// Byte up to which the text is sound.
    pub detected: usize,
    /// The token at which it shows; empty at the end of the text.
    pub token: Token,
    /// The token before it.
    pub previous: Option<Token>,
    /// The innermost bracket that is open there.
    pub opening: Option<usize>,
}

/// What to tell about a fault, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    pub place: Range<usize>,
    pub message: String,
    pub advice: String,
}

impl Explanation {
    /// An explanation of these parts.
    pub fn new(place: Range<usize>, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            place,
            message: message.into(),
            advice: advice.into(),
        }
    }
}

impl LocatedFault {
    /// The fault in plain words.
    pub fn explain(&self, text: &str) -> Explanation {
        if let Some(quote) = self.quote_missing_before(text) {
            return quote;
        }
        let place = self.token.range();
        let found = self.token.of(text);
        match self.fault {
            Fault::UnclosedQuote => Explanation::new(
                place.start..place.start + 1,
                "this text has no closing quote",
                "end the text with \"; a quote inside a text is written \\\"",
            ),
            Fault::UnclosedComment => Explanation::new(
                place.start..place.start + 2,
                "this comment is not closed",
                "end the comment with */",
            ),
            Fault::NotClosed => self.not_closed(text),
            Fault::NothingToClose => Explanation::new(
                place,
                format!("this `{found}` closes nothing"),
                "remove it, or write the opening bracket that belongs to it",
            ),
            Fault::NoScene => Explanation::new(
                self.previous.map_or(place, Token::range),
                "expected `Scene(` before anything else",
                "a scene is written Scene( name: .., space: .., .. )",
            ),
            Fault::Trailing => Explanation::new(
                place,
                "the scene has ended, but more text follows",
                "everything belongs between `Scene(` and its `)`: is there a `)` too many above?",
            ),
            Fault::Strange => Explanation::new(
                place,
                format!("`{found}` has no meaning here"),
                match found {
                    "=" => "a name and its value are separated by a colon",
                    "*" | "/" | "^" => "an expression stands in double quotes, such as \"2 * k\"",
                    _ => "entries are separated by commas, and text stands in double quotes",
                },
            ),
            Fault::TooDeep => Explanation::new(
                place,
                "too many brackets inside each other",
                "no part of a scene is nested that deeply: is a closing bracket missing above?",
            ),
            Fault::QuotedField | Fault::BareName | Fault::NameInList => self.wrong_name(text),
            _ => self.wrong_separator(text),
        }
    }

    fn wrong_separator(&self, text: &str) -> Explanation {
        let place = self.token.range();
        let before = self.previous.map_or(place.clone(), Token::range);
        match self.fault {
            Fault::MissingComma if self.token.of(text).starts_with(['+', '-']) => Explanation::new(
                before,
                "an expression that is more than a number must be in quotes",
                "write the expression in double quotes, such as \"k + 1\"",
            ),
            Fault::MissingComma => Explanation::new(
                before,
                "a comma is missing after this",
                "separate the entries by commas",
            ),
            Fault::MissingColon => Explanation::new(
                place,
                "a colon and a value are missing after this name",
                "write name: value for a field and \"name\": value for an entry of a map",
            ),
            Fault::StrayComma => Explanation::new(
                place,
                "there is nothing before this comma",
                "remove the comma, or write the value that is missing",
            ),
            Fault::MissingValue => Explanation::new(
                before,
                "the value after the colon is missing",
                "write a value, or remove the name",
            ),
            _ => Explanation::new(
                place,
                "this colon does not follow a name",
                "a colon separates the name of a field or entry from its value",
            ),
        }
    }

    fn wrong_name(&self, text: &str) -> Explanation {
        let place = self.token.range();
        let name = self.token.of(text);
        let opened = self.opened(text);
        match self.fault {
            Fault::QuotedField => Explanation::new(
                place,
                format!("{name} in quotes cannot be the name of a field"),
                format!("write the field without quotes, or close {opened} with `)` before it"),
            ),
            Fault::BareName => Explanation::new(
                place,
                format!("the name `{name}` of an entry must be in quotes"),
                format!("write \"{name}\", or close {opened} with `}}` before it"),
            ),
            _ => Explanation::new(
                place,
                format!("{name} names an entry, but a list in square brackets has no names"),
                format!("remove the name, or close {opened} with `]` before it"),
            ),
        }
    }

    fn not_closed(&self, text: &str) -> Explanation {
        let start = self.opening.unwrap_or(self.token.start);
        let place = start..(start + 1).min(text.len());
        let open = text.get(place.clone()).unwrap_or_default();
        let close = match open {
            "[" => "]",
            "{" => "}",
            _ => ")",
        };
        let message = match self.token.of(text) {
            "" => format!("this `{open}` is not closed before the end of the file"),
            found => {
                let line = line_of(text, self.token.start);
                format!("this `{open}` is not closed before the `{found}` in line {line}")
            }
        };
        Explanation::new(place, message, format!("write the missing `{close}`"))
    }

    /// When the text at the fault runs over several lines, the fault is rather a quote missing on its first line.
    fn quote_missing_before(&self, text: &str) -> Option<Explanation> {
        let suspect = match self.fault {
            Fault::MissingColon => Some(self.token),
            _ => self.previous,
        };
        let previous = suspect.filter(|token| token.kind == TokenKind::Text)?;
        let first_line = previous.of(text).split_once('\n')?.0;
        let first_line = first_line.trim_end();
        Some(Explanation::new(
            previous.start..previous.start + first_line.len(),
            format!(
                "the text that starts here ends only in line {}, and what follows makes no sense",
                line_of(text, previous.end)
            ),
            "write the closing quote \" that is probably missing in this line",
        ))
    }

    fn opened(&self, text: &str) -> String {
        let Some(opening) = self.opening else {
            return "the bracket around it".to_string();
        };
        let bracket = text.get(opening..opening + 1).unwrap_or_default();
        format!("the `{bracket}` opened in line {}", line_of(text, opening))
    }
}

/// Line of a byte, counted from 1.
pub fn line_of(text: &str, position: usize) -> usize {
    let before = text.as_bytes().get(..position).unwrap_or_default();
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}
