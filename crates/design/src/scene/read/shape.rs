//! Errors about a value of another shape than the place demands.

use ron::error::Error as RonError;

use super::choices;
use super::stop::Stop;
use crate::scene::locate::{Explanation, TokenKind};

impl Stop<'_> {
    /// Errors about a value of another shape than demanded.
    pub fn explain_shape(&self, code: &RonError) -> Explanation {
        match code {
            RonError::ExpectedBoolean => self.expected("`true` or `false`", ""),
            RonError::ExpectedFloat => self.expected("a plain number", "expressions are not possible in this field"),
            RonError::ExpectedInteger | RonError::IntegerOutOfBounds | RonError::InvalidIntegerDigit { .. } => {
                self.whole_number()
            }
            RonError::ExpectedComma if self.number_goes_on() => self.whole_number(),
            RonError::ExpectedString => self.expected_text(),
            RonError::ExpectedArray => self.expected(
                "a list in square brackets",
                "write [ .. ] around the list, even when it has one entry only",
            ),
            RonError::ExpectedMap => self.expected(
                "a map in braces",
                "write { \"name\": value, .. } with every name in double quotes",
            ),
            RonError::ExpectedMapColon => self.expected(
                "a colon and a value after the name",
                "entries of a map are written \"name\": value",
            ),
            RonError::SuggestRawIdentifier(name) if self.here.kind == TokenKind::Word => self.at_here(
                format!("`{name}` cannot be the name of a field"),
                "names of fields have letters and underscores only",
            ),
            RonError::ExpectedIdentifier
            | RonError::SuggestRawIdentifier(_)
            | RonError::InvalidIdentifier(_)
            | RonError::ExpectedUnit => self.expected_word(),
            RonError::ExpectedStructLike
            | RonError::ExpectedNamedStructLike(_)
            | RonError::ExpectedDifferentStructName { .. } => self.expected_parentheses(code),
            RonError::ExpectedComma | RonError::ExpectedStructLikeEnd => self.too_much(),
            RonError::InvalidEscape(_) => self.wrong_escape(),
            RonError::ExceededRecursionLimit => self.at_here(
                "too many brackets inside each other",
                "no part of a scene is nested that deeply: is a closing bracket missing above?",
            ),
            RonError::NoSuchExtension(name) => self.at_here(
                format!("the format has no extension named `{name}`"),
                "remove the line `#![enable(..)]`; a scene needs none",
            ),
            _ => self.at_here(
                format!("{} is not possible here", self.describe(self.here)),
                "see docs/scene-format.md for what belongs here",
            ),
        }
    }

    fn whole_number(&self) -> Explanation {
        let number = self
            .before
            .filter(|t| t.kind == TokenKind::Number && t.end == self.cursor);
        let token = match (self.here.kind, number) {
            (TokenKind::Number, _) if self.here.start < self.cursor => self.here,
            (_, Some(number)) => number,
            _ => self.here,
        };
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let advice = match token.of(self.text) {
            text if digits(text) => "write a smaller number",
            text if text.strip_prefix('-').is_some_and(digits) => {
                "write a whole number that is not negative, such as 500"
            }
            _ => "write a whole number, such as 500",
        };
        let message = format!("expected a whole number, found {}", self.describe(token));
        Explanation::new(token.range(), message, advice)
    }

    fn expected_text(&self) -> Explanation {
        let word = self.here.of(self.text);
        let after = self.text.get(self.here.end..).unwrap_or_default();
        let alone = after.trim_start().starts_with([',', ')', ']', '}', ':']);
        let advice = match self.here.kind {
            TokenKind::Word | TokenKind::Number if alone => {
                format!("write \"{word}\" in double quotes")
            }
            TokenKind::Character => {
                format!("write \"{}\" in double quotes", word.trim_matches('\''))
            }
            _ => "write the whole text or expression in double quotes".to_string(),
        };
        self.expected("text in double quotes", &advice)
    }

    fn expected_word(&self) -> Explanation {
        let comma = self.before.is_some_and(|token| token.kind == TokenKind::Comma);
        if comma && self.here.kind == TokenKind::Number {
            let advice = "decimals have a point, such as 1.5, and lists stand in square brackets";
            return self.expected("the name of a field after the comma", advice);
        }
        let Some(kinds) = choices::kinds_at(self.text, self.here.start) else {
            return self.expected("the name of a field, without quotes", "fields are written name: value");
        };
        let list = choices::quoted_list(kinds.iter().copied());
        let written = self.here.of(self.text).trim_matches(['"', '\'']);
        let advice = match (self.here.kind, kinds.contains(&written)) {
            (_, true) => format!("write {written} without quotes"),
            (TokenKind::Open, _) => format!("say which kind it is in front of the bracket: {list}"),
            _ => choices::advise(written, kinds),
        };
        self.expected(&format!("one of {list}"), &advice)
    }

    fn expected_parentheses(&self, code: &RonError) -> Explanation {
        if let RonError::ExpectedDifferentStructName { expected, found } = code {
            let name = if *expected == "Scene" { "Scene" } else { "" };
            return Explanation::new(
                self.last_word(found),
                format!("expected `{name}(`, found `{found}`"),
                format!("write `{name}(` here"),
            );
        }
        let before = self.before.filter(|token| token.kind == TokenKind::Word);
        let top = self.outline.enclosing(self.here.start).is_none();
        match (before, top) {
            (Some(word), _) => Explanation::new(
                word.range(),
                format!("`{}` needs its values in parentheses", word.of(self.text)),
                format!("write {}( .. )", word.of(self.text)),
            ),
            (None, true) => self.expected("`Scene(`", "a scene is written Scene( name: .., space: .., .. )"),
            (None, false) => self.expected("`(`", "write the values between ( and ), not [ ] or { }"),
        }
    }

    /// Something follows where a value and its parentheses should end.
    fn too_much(&self) -> Explanation {
        let word = self.before.filter(|token| token.kind == TokenKind::Word);
        if let (Some(word), "(") = (word, self.here.of(self.text)) {
            let word = word.of(self.text);
            return self.at_here(
                format!("`{word}` takes nothing in parentheses"),
                format!("write {word} alone"),
            );
        }
        let inside = self.outline.enclosing(self.here.start);
        let children = inside.map(|index| self.outline.children(index));
        let start_of = |child: usize| self.outline.node(child).map(|node| node.range.start);
        let wanted = children.map_or(0, |mut all| {
            all.position(|child| start_of(child) >= Some(self.here.start))
                .unwrap_or(0)
        });
        let name = inside.map_or("", |index| self.outline.word(index));
        let subject = if name.is_empty() {
            "this".to_string()
        } else {
            format!("`{name}`")
        };
        let values = if wanted == 1 { "value" } else { "values" };
        self.at_here(
            format!("{subject} takes {wanted} {values} in parentheses, but more follow"),
            format!("remove what follows after {wanted} {values}"),
        )
    }

    fn wrong_escape(&self) -> Explanation {
        let token = match self.before {
            Some(before) if self.here.start >= self.cursor => before,
            _ => self.here,
        };
        let written = self.text.get(token.start..self.cursor.clamp(token.start, token.end));
        let backslash = written.and_then(|part| part.rfind('\\'));
        let start = token.start + backslash.unwrap_or(0);
        let after = self.text.get(start..token.end).unwrap_or_default();
        let length: usize = after.chars().take(2).map(char::len_utf8).sum();
        Explanation::new(
            start..start + length,
            "a backslash in text starts an escape, and there is none like this",
            "write \\\\ for a backslash and \\\" for a quote",
        )
    }

    fn at_here(&self, message: impl Into<String>, advice: impl Into<String>) -> Explanation {
        Explanation::new(self.here.range(), message, advice)
    }

    fn expected(&self, what: &str, advice: &str) -> Explanation {
        let message = format!("expected {what}, found {}", self.describe(self.here));
        let advice = if advice.is_empty() {
            format!("write {what}")
        } else {
            advice.to_string()
        };
        self.at_here(message, advice)
    }
}
