//! Changes of a scene's text that keep most of its sense.

use std::ops::Range;

use crate::random::Random;

/// Factors and values in the place of numbers.
const FACTORS: [f64; 10] = [-1.0, 0.0, 2.0, 0.5, 10.0, 0.1, 1e-3, 1e3, 1.000_000_001, 1e-9];
const VALUES: [&str; 12] = [
    "0",
    "1",
    "-1",
    "2",
    "0.5",
    "1e-6",
    "1e6",
    "1e-300",
    "1e300",
    "3.141592653589793",
    "1e-12",
    "90",
];

/// Operators and functions that stand in the place of each other.
const SIGNS: [char; 5] = ['+', '-', '*', '/', '^'];
const FUNCTIONS: [&str; 10] = ["sin", "cos", "abs", "sqrt", "exp", "min", "max", "step", "sign", "tanh"];

/// One change.
pub fn mutate(text: &str, donor: &str, random: &mut Random) -> String {
    let changed = match random.below(20) {
        0..=9 => replace(text, &numbers(text), random, |old, random| Some(number(old, random))),
        10 => replace(text, &signs(text), random, |_, random| {
            random.one(&SIGNS).map(char::to_string)
        }),
        11 => replace(text, &functions(text), random, |_, random| {
            random.one(&FUNCTIONS).map(|name| name.to_string())
        }),
        12 => swap(text, &words(text, '"'), random),
        13 => swap(text, &idents(text), random),
        14 => {
            let pool: Vec<String> = idents(donor)
                .into_iter()
                .map(|place| donor[place].to_string())
                .collect();
            replace(text, &idents(text), random, |_, random| random.one(&pool).cloned())
        }
        15 | 16 => replace(text, &entries(text), random, |_, _| Some(String::new())),
        17 => copy_entry(text, text, random),
        18 => copy_entry(text, donor, random),
        _ => scratch(text, random),
    };
    changed.unwrap_or_else(|| text.to_string())
}

/// A text in the place of one of these.
fn replace(
    text: &str,
    places: &[Range<usize>],
    random: &mut Random,
    by: impl Fn(&str, &mut Random) -> Option<String>,
) -> Option<String> {
    let place = random.one(places)?.clone();
    let new = by(&text[place.clone()], random)?;
    Some(format!("{}{new}{}", &text[..place.start], &text[place.end..]))
}

/// One of these in the place of another.
fn swap(text: &str, places: &[Range<usize>], random: &mut Random) -> Option<String> {
    let other = text[random.one(places)?.clone()].to_string();
    replace(text, places, random, |_, _| Some(other.clone()))
}

fn number(old: &str, random: &mut Random) -> String {
    let value: f64 = old.parse().unwrap_or(1.0);
    match random.below(4) {
        0 => random.one(&VALUES).copied().unwrap_or("0").to_string(),
        1 => format!("{}", value * random.one(&FACTORS).copied().unwrap_or(1.0)),
        _ => format!("{}", value * (0.6 + 0.8 * random.unit())),
    }
}

/// An entry of one text with another name, at an entry of the field of the same name of the other.
fn copy_entry(text: &str, donor: &str, random: &mut Random) -> Option<String> {
    let named: Vec<Range<usize>> = entries(donor)
        .into_iter()
        .filter(|place| donor[place.clone()].trim_start().starts_with('"'))
        .collect();
    let place = random.one(&named)?.clone();
    let field = field_of(donor, place.start)?;
    let entry = donor[place].trim().trim_end_matches(',').to_string();
    let (name, rest) = entry.strip_prefix('"')?.split_once('"')?;
    let new = format!("\"{name}{}\"{rest}, ", random.below(3));
    let homes: Vec<Range<usize>> = entries(text)
        .into_iter()
        .filter(|place| field_of(text, place.start) == Some(field))
        .collect();
    let home = random.one(&homes)?.start;
    Some(format!("{}{new}{}", &text[..home], &text[home..]))
}

/// The last word before the bracket around a place.
fn field_of(text: &str, place: usize) -> Option<&str> {
    let mut depth = 0;
    let open = text[..place].rfind(|c| {
        depth += i32::from(matches!(c, '}' | ')' | ']')) - i32::from(matches!(c, '{' | '(' | '['));
        depth < 0
    })?;
    let before = text[..open].trim_end().trim_end_matches(':').trim_end();
    before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// A piece of the text removed or doubled, wherever it is.
fn scratch(text: &str, random: &mut Random) -> Option<String> {
    let start = text.floor_char_boundary(random.below(text.len()));
    let end = text.ceil_char_boundary((start + 1 + random.below(12)).min(text.len()));
    let (left, right) = if random.below(2) == 0 {
        (start, end)
    } else {
        (end, start)
    };
    Some(format!("{}{}", &text[..left], &text[right..]))
}

/// Runs of characters, as ranges.
fn runs(text: &str, first: impl Fn(char) -> bool, rest: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut inside = false;
    for (at, c) in text.char_indices() {
        let word_before = text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        if inside && rest(c) {
            if let Some(last) = found.last_mut() {
                last.end = at + c.len_utf8();
            }
        } else {
            inside = first(c) && !word_before;
            if inside {
                found.push(at..at + c.len_utf8());
            }
        }
    }
    found
}

fn numbers(text: &str) -> Vec<Range<usize>> {
    runs(
        text,
        |c| c.is_ascii_digit(),
        |c| c.is_ascii_digit() || c == '.' || c == 'e',
    )
}

fn idents(text: &str) -> Vec<Range<usize>> {
    runs(text, |c| c.is_ascii_uppercase(), |c| c.is_alphanumeric() || c == '_')
}

fn signs(text: &str) -> Vec<Range<usize>> {
    let inside = words(text, '"');
    let is_inside = |at: usize| inside.iter().any(|place| place.contains(&at));
    let signs = text.match_indices(SIGNS).filter(|(at, _)| is_inside(*at));
    signs.map(|(at, sign)| at..at + sign.len()).collect()
}

fn functions(text: &str) -> Vec<Range<usize>> {
    let all = runs(text, |c| c.is_ascii_lowercase(), |c| c.is_alphanumeric() || c == '_');
    all.into_iter()
        .filter(|place| FUNCTIONS.contains(&&text[place.clone()]))
        .collect()
}

/// What stands between two quotes, with them.
fn words(text: &str, quote: char) -> Vec<Range<usize>> {
    let quotes: Vec<usize> = text.match_indices(quote).map(|(at, _)| at).collect();
    quotes.chunks_exact(2).map(|pair| pair[0]..pair[1] + 1).collect()
}

/// Parts between commas and brackets, with the comma behind them.
fn entries(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open = Vec::new();
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        quoted ^= c == '"';
        if quoted {
            continue;
        }
        match c {
            '(' | '[' | '{' => open.push(at + 1),
            ',' => found.extend(open.last_mut().map(|start| std::mem::replace(start, at + 1)..at + 1)),
            ')' | ']' | '}' => found.extend(open.pop().map(|start| start..at)),
            _ => {}
        }
    }
    found.retain(|place| !text[place.clone()].trim().is_empty());
    found
}
