//! Where the deserializer stopped: the tokens and values about that byte.

use std::ops::Range;

use crate::scene::locate::{Outline, Token, TokenKind, Tokens};

/// Where the deserializer stopped.
pub struct Stop<'a> {
    pub text: &'a str,
    pub outline: &'a Outline<'a>,
    pub cursor: usize,
    /// The last token that ends before the cursor.
    pub before: Option<Token>,
    /// The token at or after the cursor; empty at the end of the text.
    pub here: Token,
}

impl<'a> Stop<'a> {
    pub fn new(text: &'a str, outline: &'a Outline<'a>, cursor: usize) -> Self {
        let end = Token {
            kind: TokenKind::Close,
            start: text.len(),
            end: text.len(),
        };
        let mut before = None;
        let mut here = end;
        for token in Tokens::new(text) {
            if token.end > cursor {
                here = token;
                break;
            }
            before = Some(token);
        }
        Self {
            text,
            outline,
            cursor,
            before,
            here,
        }
    }

    /// The kind and name of what encloses a byte, such as `` `Bar` "left crank" ``.
    pub fn subject(&self, position: usize, outer: Option<&str>) -> String {
        let inside = self.outline.enclosing(position);
        let word = inside.map_or("", |index| self.outline.word(index));
        let names = inside.map_or(Vec::new(), |index| self.outline.names(index));
        let name = names.last().copied().unwrap_or_default();
        // The deserializer calls an inner part without a name of its own after the scene.
        let outer = outer.filter(|outer| *outer != "Scene");
        match (word, name, outer) {
            ("", "", _) => "the scene".to_string(),
            ("", name, None) if !name.starts_with('"') => format!("`{name}`"),
            ("", name, None) => name.to_string(),
            ("", name, Some(outer)) if name == outer.to_lowercase() => format!("`{name}`"),
            ("", name, Some(outer)) => format!("the {} {name}", outer.to_lowercase()),
            (word, "", _) => format!("`{word}`"),
            (word, name, _) if name.starts_with('"') => format!("`{word}` {name}"),
            (word, ..) => format!("`{word}`"),
        }
    }

    /// The number at the cursor when it is none, such as `1.5.2` or `1..2`.
    pub fn malformed_number(&self) -> Option<Token> {
        let at_cursor = |token: &&Token| token.start <= self.cursor && self.cursor <= token.end;
        let tokens = [self.before, Some(self.here)];
        let mut numbers = tokens.iter().flatten().filter(at_cursor);
        let number = numbers.find(|token| token.kind == TokenKind::Number)?;
        let written = number.of(self.text);
        let readable = ron::from_str::<f64>(written).is_ok() || ron::from_str::<i64>(written).is_ok();
        (!readable).then_some(*number)
    }

    pub fn number_goes_on(&self) -> bool {
        self.here.kind == TokenKind::Number && self.here.start < self.cursor
    }

    pub fn describe(&self, token: Token) -> String {
        let written = token.of(self.text);
        let shortened = shortened(written);
        match token.kind {
            TokenKind::Word if matches!(written, "true" | "false") => format!("`{written}`"),
            TokenKind::Word => format!("the word `{shortened}`"),
            TokenKind::Number => format!("the number {shortened}"),
            TokenKind::Text => format!("the text {shortened}"),
            TokenKind::Open if written == "[" => "a list `[`".to_string(),
            TokenKind::Open if written == "{" => "a map `{`".to_string(),
            _ if written.is_empty() => "the end of the file".to_string(),
            _ => format!("`{shortened}`"),
        }
    }

    /// The value that ends at or before the cursor, or whose opening bracket does.
    pub fn value_before(&self) -> Range<usize> {
        let Some(before) = self.before else {
            return self.here.range();
        };
        let node = self.outline.touching(before).and_then(|index| self.outline.node(index));
        one_line(self.text, node.map_or(before.range(), |node| node.range.clone()))
    }

    /// The last time that a word stands before the cursor.
    pub fn last_word(&self, word: &str) -> Range<usize> {
        let is_word = |token: &Token| token.of(self.text).trim_start_matches("r#") == word;
        let before = Tokens::new(self.text).take_while(|token| token.end <= self.cursor);
        let last = before.filter(is_word).last();
        last.unwrap_or(self.here).range()
    }
}

/// The first line of a text, cut where it is long.
pub fn shortened(written: &str) -> String {
    let line = written.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(40).collect();
    if short.len() < written.len() {
        short.push_str("..");
    }
    short
}

/// The part of a range on its first line.
pub fn one_line(text: &str, range: Range<usize>) -> Range<usize> {
    let shown = text.get(range.clone()).unwrap_or_default();
    let length = shown.find(['\r', '\n']).unwrap_or(shown.len());
    range.start..range.start + length
}
