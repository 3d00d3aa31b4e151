//! Scanning of names: words, quoted parts and dotted paths.

use super::error::ExpressionError;

/// A name as scanned.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Name {
    /// The whole path without quotes, single spaces between words.
    pub(super) text: String,
    /// One word without dots and quotes, which can name a function or a constant.
    pub(super) is_word: bool,
}

pub(super) fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '\''
}

fn is_word_char(c: char) -> bool {
    c.is_alphabetic() || c.is_ascii_digit() || c == '_'
}

/// Scans the name that starts at byte `start`, where [`starts_name`] holds; returns it with the byte after it.
pub(super) fn scan_name(text: &str, start: usize) -> Result<(Name, usize), ExpressionError> {
    let mut name = Name {
        text: String::new(),
        is_word: true,
    };
    let mut position = start;
    loop {
        position = scan_part(text, position, &mut name)?;
        let rest = &text[position..];
        let Some(after_dot) = rest.strip_prefix('.') else {
            reject_spaced_dot(text, position)?;
            return Ok((name, position));
        };
        if !after_dot.starts_with(starts_name) {
            return Err(broken_path(text, start, position, after_dot));
        }
        name.is_word = false;
        name.text.push('.');
        position += 1;
    }
}

/// Appends one part of a path, quoted or of several words, and returns the byte after it.
fn scan_part(text: &str, start: usize, name: &mut Name) -> Result<usize, ExpressionError> {
    if text[start..].starts_with('\'') {
        return scan_quoted(text, start, name);
    }
    let mut position = start;
    loop {
        let word = leading(&text[position..], is_word_char);
        name.text.push_str(word);
        position += word.len();
        while text[position..].starts_with('[') {
            position = scan_indices(text, position, name)?;
        }
        let space = leading(&text[position..], char::is_whitespace);
        if space.is_empty() || !text[position + space.len()..].starts_with(is_word_char) {
            return Ok(position);
        }
        name.is_word = false;
        name.text.push(' ');
        position += space.len();
    }
}

/// Appends the whole numbers in the brackets that open at byte `open`, without spaces, and returns the byte after them.
fn scan_indices(text: &str, open: usize, name: &mut Name) -> Result<usize, ExpressionError> {
    let inside = &text[open + 1..];
    let length = inside.find(']').unwrap_or(inside.len());
    let numbers = inside[..length].split(',').map(|number| number.trim().parse::<i64>());
    let Some(numbers) = numbers
        .collect::<Result<Vec<i64>, _>>()
        .ok()
        .filter(|_| length < inside.len())
    else {
        let end = (open + length + 2).min(text.len());
        return Err(
            ExpressionError::new(open..end, "brackets after a name hold whole numbers and known indices").advise(
                "an index such as `i` is known in an entry that it repeats, as in \"P[i = 1..n]\"; group with `(` and `)`",
            ),
        );
    };
    name.is_word = false;
    let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
    name.text.push_str(&format!("[{}]", numbers.join(",")));
    Ok(open + length + 2)
}

fn scan_quoted(text: &str, start: usize, name: &mut Name) -> Result<usize, ExpressionError> {
    name.is_word = false;
    let inside = start + 1;
    let Some(length) = text[inside..].find('\'') else {
        return Err(ExpressionError::new(start..text.len(), "the quoted name does not end")
            .advise("close it with a second `'`"));
    };
    let end = inside + length;
    if text[inside..end].trim().is_empty() {
        return Err(ExpressionError::new(start..end + 1, "the quoted name is empty"));
    }
    name.text.push_str(&text[inside..end]);
    Ok(end + 1)
}

/// The longest prefix of characters that satisfy `belongs`.
fn leading(text: &str, belongs: fn(char) -> bool) -> &str {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    &text[..end]
}

/// A dot after white space would otherwise be reported as a stray character.
fn reject_spaced_dot(text: &str, position: usize) -> Result<(), ExpressionError> {
    let rest = &text[position..];
    let space = leading(rest, char::is_whitespace);
    let mut after = rest[space.len()..].chars();
    if after.next() == Some('.') && after.next().is_some_and(starts_name) {
        let dot = position + space.len();
        return Err(
            ExpressionError::new(position..dot + 1, "there is white space before the dot")
                .advise("write a path without spaces around its dots, as in `P2.y`"),
        );
    }
    Ok(())
}

/// The error for a path whose dot at byte `dot` is followed by nothing that can start a part.
fn broken_path(text: &str, start: usize, dot: usize, after_dot: &str) -> ExpressionError {
    let path = &text[start..dot];
    match after_dot.chars().next() {
        Some(c) if c.is_whitespace() => {
            ExpressionError::new(dot..dot + 1 + c.len_utf8(), "there is white space after the dot")
                .advise("write a path without spaces around its dots, as in `P2.y`")
        }
        Some(c) if c.is_ascii_digit() => {
            let part = leading(after_dot, is_word_char);
            ExpressionError::new(
                dot..dot + 1 + part.len(),
                format!("the part `{part}` of a path starts with a digit"),
            )
            .advise(format!(
                "quote it as in `{path}.'{part}'`, or put an operator before the number"
            ))
        }
        _ => ExpressionError::new(start..dot + 1, format!("the path `{path}.` ends with a dot"))
            .advise(format!("name the quantity, as in `{path}.x`")),
    }
}
