//! The words of the scene text: what the grammar of RON is made of, with byte ranges.

use std::borrow::Cow;
use std::ops::Range;

/// What a [`Token`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// `(`, `[` or `{`.
    Open,
    /// `)`, `]` or `}`.
    Close,
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// A bare word: a field, a kind, `true`.
    Word,
    /// Anything that begins as a number does.
    Number,
    /// Text in double quotes, raw or not.
    Text,
    /// Something in single quotes.
    Character,
    /// Text or a character whose closing quote is missing; reaches to the end.
    UnclosedQuote,
    /// A block comment that is not closed; reaches to the end.
    UnclosedComment,
    /// A character that the format does not know.
    Strange,
}

/// A token with its byte range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

impl Token {
    /// Its byte range.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// Its text.
    pub fn of(self, text: &str) -> &str {
        text.get(self.range()).unwrap_or_default()
    }
}

/// The tokens of a text, without white space and comments.
#[derive(Clone)]
pub struct Tokens<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Tokens<'a> {
    /// The tokens from the start of the text.
    pub fn new(text: &'a str) -> Self {
        Self { text, position: 0 }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.position..).unwrap_or_default()
    }

    /// Skips white space and comments; an unclosed comment is a token.
    fn skip_blank(&mut self) -> Option<Token> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start_matches(is_blank).len();
            self.position += blank;
            let rest = &rest[blank..];
            if rest.starts_with("//") {
                self.position += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                match block_comment_length(rest) {
                    Some(length) => self.position += length,
                    None => return self.take(TokenKind::UnclosedComment, rest.len()),
                }
            } else {
                return None;
            }
        }
    }

    fn take(&mut self, kind: TokenKind, length: usize) -> Option<Token> {
        let start = self.position;
        self.position += length;
        let end = self.position;
        Some(Token { kind, start, end })
    }

    /// Takes a token that ends with a quote, or everything when the quote is missing.
    fn take_quoted(&mut self, kind: TokenKind, length: Option<usize>) -> Option<Token> {
        match length {
            Some(length) => self.take(kind, length),
            None => self.take(TokenKind::UnclosedQuote, self.rest().len()),
        }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        if let Some(unclosed) = self.skip_blank() {
            return Some(unclosed);
        }
        let rest = self.rest();
        let first = rest.chars().next()?;
        let unprefixed = rest.trim_start_matches('b');
        if unprefixed.starts_with('"') && rest.len() - unprefixed.len() <= 1 {
            let prefix = rest.len() - unprefixed.len();
            return self.take_quoted(TokenKind::Text, quoted_length(rest, prefix, '"'));
        }
        if let Some(length) = raw_text_length(rest) {
            return self.take_quoted(TokenKind::Text, length);
        }
        match first {
            '(' | '[' | '{' => self.take(TokenKind::Open, 1),
            ')' | ']' | '}' => self.take(TokenKind::Close, 1),
            ',' => self.take(TokenKind::Comma, 1),
            ':' => self.take(TokenKind::Colon, 1),
            '\'' => self.take(TokenKind::Character, character_length(rest)),
            '+' | '-' | '.' | '0'..='9' => self.take(TokenKind::Number, number_length(rest)),
            _ if is_word(first) => self.take(TokenKind::Word, word_length(rest)),
            _ => self.take(TokenKind::Strange, first.len_utf8()),
        }
    }
}

/// White space of the format, which is a little more than that of Unicode.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200E}' | '\u{200F}')
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn word_length(rest: &str) -> usize {
    let raw = if rest.starts_with("r#") { 2 } else { 0 };
    let word = &rest[raw..];
    raw + word.find(|c| !is_word(c)).unwrap_or(word.len())
}

/// Length of a number: digits, letters, points, and signs at the start and after an exponent.
fn number_length(rest: &str) -> usize {
    let mut previous = None;
    for (i, c) in rest.char_indices() {
        let sign = matches!(c, '+' | '-');
        let inside = match previous {
            None => true,
            Some('e' | 'E') if sign => true,
            Some(_) => c == '.' || is_word(c),
        };
        if !inside {
            return i;
        }
        previous = Some(c);
    }
    rest.len()
}

/// Length of text in quotes that starts after `prefix` bytes; `None` when the closing quote is missing.
fn quoted_length(rest: &str, prefix: usize, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (i, c) in rest.char_indices().skip(prefix + 1) {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == quote {
            return Some(i + c.len_utf8());
        }
    }
    None
}

/// Length of what stands in single quotes, a short piece of one line; a lone quote is taken alone.
fn character_length(rest: &str) -> usize {
    const LONGEST: usize = 100;
    let start = &rest[..rest.floor_char_boundary(LONGEST)];
    let line = start.lines().next().unwrap_or_default();
    quoted_length(line, 0, '\'').unwrap_or(1)
}

/// `Some` for raw text `r"..."` or `r#"..."#`, then its length, or `None` when it is not closed.
fn raw_text_length(rest: &str) -> Option<Option<usize>> {
    let prefixed = rest.strip_prefix('b').unwrap_or(rest);
    let after = prefixed.strip_prefix('r')?;
    let content = after.trim_start_matches('#');
    let hashes = after.len() - content.len();
    let content = content.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = content.find(&end).map(|i| rest.len() - content.len() + i + end.len());
    Some(length)
}

/// Length of a block comment, which may contain others; `None` when it is not closed.
fn block_comment_length(rest: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut position = 0;
    while let Some(i) = rest[position..].find(['/', '*']) {
        position += i;
        if rest[position..].starts_with("/*") {
            depth += 1;
            position += 2;
        } else if rest[position..].starts_with("*/") {
            depth = depth.saturating_sub(1);
            position += 2;
            if depth == 0 {
                return Some(position);
            }
        } else {
            position += 1;
        }
    }
    None
}

/// Byte range of what stands between the quotes of a text token, when it stands there as it is meant: without escapes.
pub fn text_content(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let token = text.get(range.clone())?;
    let unprefixed = token.trim_start_matches(['b', 'r']);
    let hashes = unprefixed.len() - unprefixed.trim_start_matches('#').len();
    let raw = token[..token.len() - unprefixed.len()].contains('r');
    let opening = token.len() - unprefixed.len() + hashes + 1;
    let closing = hashes + 1;
    let content = token.get(opening..token.len().checked_sub(closing)?)?;
    let plain = token.as_bytes().get(opening - 1) == Some(&b'"');
    let start = range.start + opening;
    (plain && (raw || !content.contains('\\'))).then_some(start..start + content.len())
}

/// The text that a text token stands for, with its escapes resolved.
pub fn text_value(text: &str, range: Range<usize>) -> Option<Cow<'_, str>> {
    if let Some(content) = text_content(text, range.clone()) {
        return Some(Cow::Borrowed(&text[content]));
    }
    let token = text.get(range)?;
    ron::from_str::<String>(token).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::{TokenKind, Tokens, text_content, text_value};

    fn tokens(text: &str) -> Vec<(TokenKind, &str)> {
        Tokens::new(text).map(|token| (token.kind, token.of(text))).collect()
    }

    #[test]
    fn every_kind_of_token_is_told_apart() {
        let text = r##"a_1: [-1.5e-3, +2] // ]
            /* /* ) */ */ r#"x"y"# "\"é" 'c' br"z" b"q" r#raw 1..2 ü ;"##;
        let expected = [
            (TokenKind::Word, "a_1"),
            (TokenKind::Colon, ":"),
            (TokenKind::Open, "["),
            (TokenKind::Number, "-1.5e-3"),
            (TokenKind::Comma, ","),
            (TokenKind::Number, "+2"),
            (TokenKind::Close, "]"),
            (TokenKind::Text, "r#\"x\"y\"#"),
            (TokenKind::Text, "\"\\\"é\""),
            (TokenKind::Character, "'c'"),
            (TokenKind::Text, "br\"z\""),
            (TokenKind::Text, "b\"q\""),
            (TokenKind::Word, "r#raw"),
            (TokenKind::Number, "1..2"),
            (TokenKind::Word, "ü"),
            (TokenKind::Strange, ";"),
        ];
        assert_eq!(tokens(text), expected);
    }

    #[test]
    fn what_is_not_closed_reaches_to_the_end() {
        assert_eq!(tokens("1 \"a\\\" )")[1], (TokenKind::UnclosedQuote, "\"a\\\" )"));
        assert_eq!(tokens("r##\"a\"#")[0], (TokenKind::UnclosedQuote, "r##\"a\"#"));
        assert_eq!(tokens("1 /* /* */ )")[1], (TokenKind::UnclosedComment, "/* /* */ )"));
    }

    #[test]
    fn the_content_of_text_is_found_when_it_has_no_escapes() {
        let of = |text: &'static str| text_content(text, 0..text.len()).map(|range| &text[range]);
        assert_eq!(of("\"a b\""), Some("a b"));
        assert_eq!(of("r##\"a\\b\"##"), Some("a\\b"));
        assert_eq!(of("\"a\\n\""), None);
        assert_eq!(of("word"), None);
        assert_eq!(of("\""), None);
        assert_eq!(text_value("\"a\\tb\"", 0..6).as_deref(), Some("a\tb"));
    }
}
