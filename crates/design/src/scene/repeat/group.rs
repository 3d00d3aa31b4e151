//! Indices in brackets: `[i-1, j]` after a name, and ranges such as `[i = 1..n]`.

use std::ops::Range;

use super::fault::Fault;

/// One index between brackets and commas, as byte ranges of the text.
#[derive(Clone, Debug)]
pub enum Item {
    /// A whole number.
    Number(Range<usize>),
    /// A range of whole numbers with the name of its index.
    Range(Span),
}

/// A range as written: `i = 1..n`.
#[derive(Clone, Debug)]
pub struct Span {
    /// Name of the index.
    pub name: String,
    /// The whole of it.
    pub place: Range<usize>,
    /// First value.
    pub from: Range<usize>,
    /// Last value.
    pub to: Range<usize>,
}

/// A letter, digit or underscore.
pub fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// The byte after the bracket that closes the one at `open`, if it is an index: directly behind a name and closed.
pub fn end_of(text: &str, open: usize, end: usize) -> Option<usize> {
    let before = text[..open].chars().next_back()?;
    if !is_word(before) && before != ']' {
        return None;
    }
    closing(text, open, end, ['[', ']'])
}

/// The byte after the bracket that closes the one at `open`.
pub fn closing(text: &str, open: usize, end: usize, [opening, closing]: [char; 2]) -> Option<usize> {
    let mut depth = 0_usize;
    for (k, c) in text[open..end].char_indices() {
        if c == opening {
            depth += 1;
        } else if c == closing {
            depth -= 1;
            if depth == 0 {
                return Some(open + k + 1);
            }
        }
    }
    None
}

/// The parts of a text between commas that stand in no brackets of their own.
pub fn parts(text: &str, place: Range<usize>) -> Vec<Range<usize>> {
    let (mut depth, mut start) = (0_i32, place.start);
    let mut parts = Vec::new();
    for (k, c) in text[place.clone()].char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(trimmed(text, start..place.start + k));
                start = place.start + k + 1;
            }
            _ => {}
        }
    }
    parts.push(trimmed(text, start..place.end));
    parts
}

fn trimmed(text: &str, place: Range<usize>) -> Range<usize> {
    let part = &text[place.clone()];
    let start = place.end - part.trim_start().len();
    start..start + part.trim().len()
}

/// An index or a range; what looks like a range must be one.
pub fn item(text: &str, place: Range<usize>) -> Result<Item, Fault> {
    let written = &text[place.clone()];
    let named = written.split_once('=').is_some_and(|(name, _)| !name.contains('('));
    match named && written.contains("..") {
        true => range(text, place).map(Item::Range),
        false => Ok(Item::Number(place)),
    }
}

/// A range such as `i = 1..n`.
pub fn range(text: &str, place: Range<usize>) -> Result<Span, Fault> {
    let written = &text[place.clone()];
    let fault = |message: &str| {
        Fault::new(place.clone(), message)
            .advise("write a range as in \"P[i = 1..n]\": an index, its first and its last value")
    };
    let Some((name, values)) = written.split_once('=') else {
        return Err(fault("a range has a name and `=`"));
    };
    let Some(dots) = values.find("..") else {
        return Err(fault("a range needs `..` between its first and its last value"));
    };
    let name = name.trim();
    if !name.starts_with(|c: char| c == '_' || c.is_alphabetic()) || !name.chars().all(is_word) {
        return Err(fault("the index of a range is one word"));
    }
    let start = place.end - values.len();
    Ok(Span {
        name: name.to_string(),
        from: start..start + dots,
        to: start + dots + 2..place.end,
        place,
    })
}

/// The ranges in the brackets of a text.
pub fn ranges(text: &str) -> Result<Vec<Span>, Fault> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find('[').map(|k| at + k) {
        at = open + 1;
        if let Some(end) = end_of(text, open, text.len()) {
            for part in parts(text, open + 1..end - 1) {
                if let Item::Range(range) = item(text, part)? {
                    found.push(range);
                }
            }
            at = end;
        }
    }
    Ok(found)
}
