//! A text of the scene as one copy of its entry has it: indices in brackets, indices as numbers, sums over ranges.

use std::ops::Range;

use super::fault::Fault;
use super::group::{self, Item, Span, is_word};
use super::scope::Scope;
use super::values::Values;

/// A part of the new text.
pub enum Part {
    /// These bytes of the old one.
    Copy(Range<usize>),
    /// Instead of these bytes.
    Insert(String, Range<usize>),
}

/// How a text is read.
#[derive(Clone, Copy)]
pub struct Manner {
    /// Whether it is a name, in which only brackets have a meaning.
    pub is_name: bool,
    /// Whether its ranges are those that repeat the entry.
    pub declares: bool,
}

/// A text and what it becomes.
pub struct Rewriting<'a> {
    text: &'a str,
    values: &'a mut Values,
    manner: Manner,
    parts: Vec<Part>,
}

/// What a text becomes in a copy.
pub fn rewrite(text: &str, values: &mut Values, manner: Manner, scope: &Scope) -> Result<Vec<Part>, Fault> {
    let mut rewriting = Rewriting {
        text,
        values,
        manner,
        parts: Vec::new(),
    };
    rewriting.scan(0..text.len(), scope)?;
    Ok(rewriting.parts)
}

/// The scopes inside some ranges, in order; the last index runs fastest.
pub fn scopes(
    text: &str,
    values: &mut Values,
    ranges: &[Span],
    scope: &Scope,
    bytes: usize,
) -> Result<Vec<Scope>, Fault> {
    let mut scopes = vec![scope.clone()];
    for range in ranges {
        let mut inner = Vec::new();
        for scope in &scopes {
            values.check_index(&range.name, range.place.clone(), scope)?;
            let [from, to] = [&range.from, &range.to].map(|bound| {
                let bound_text = names_only(text, bound.clone(), values, scope)?;
                values.whole(&bound_text, bound.clone(), scope)
            });
            let (from, to) = (from?, to?);
            // A range may be empty, as the neighbours of the only entry are; one of fixed values is not meant to run back.
            if to.value < from.value - 1 && !from.varies && !to.varies {
                let message = format!("the range runs back from {} to {}", from.value, to.value);
                return Err(Fault::new(range.place.clone(), message)
                    .advise("write the least value first; from 1 to 0 a range is empty"));
            }
            for value in from.value..=to.value {
                values.spend(bytes, range.place.clone())?;
                inner.push(scope.with(&range.name, value));
            }
        }
        scopes = inner;
    }
    Ok(scopes)
}

/// The text with the indices in its brackets.
fn names_only(text: &str, place: Range<usize>, values: &mut Values, scope: &Scope) -> Result<String, Fault> {
    let manner = Manner {
        is_name: true,
        declares: false,
    };
    let mut rewriting = Rewriting {
        text,
        values,
        manner,
        parts: Vec::new(),
    };
    rewriting.scan(place, scope)?;
    Ok(joined(text, &rewriting.parts))
}

/// The new text.
pub fn joined(text: &str, parts: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Copy(place) => text[place.clone()].to_string(),
        Part::Insert(inserted, _) => inserted.clone(),
    };
    parts.iter().map(part).collect()
}

impl Rewriting<'_> {
    fn scan(&mut self, place: Range<usize>, scope: &Scope) -> Result<(), Fault> {
        let text = self.text;
        let (mut at, mut kept, mut quoted) = (place.start, place.start, false);
        while let Some(c) = text[at..place.end].chars().next() {
            if c == '['
                && let Some(end) = group::end_of(text, at, place.end)
            {
                if let Some(indices) = self.indices(at + 1..end - 1, scope)? {
                    self.parts.push(Part::Copy(kept..at));
                    self.parts.push(Part::Insert(indices, at..end));
                    kept = end;
                }
                at = end;
            } else if is_word(c) && !c.is_numeric() {
                let end = run_end(text, at, place.end);
                if !self.manner.is_name && !quoted {
                    let replaced = match self.index(at..end, scope) {
                        Some(number) => {
                            self.parts.push(Part::Copy(kept..at));
                            self.parts.push(Part::Insert(number, at..end));
                            Some(end)
                        }
                        None => self.reduction(kept, at..end, place.end, scope)?,
                    };
                    kept = replaced.unwrap_or(kept);
                }
                at = end.max(kept);
            } else {
                quoted ^= c == '\'';
                at += c.len_utf8();
            }
        }
        self.parts.push(Part::Copy(kept..place.end));
        Ok(())
    }

    /// The indices between brackets as numbers; none where nothing changes, or where they mean something else.
    fn indices(&mut self, place: Range<usize>, scope: &Scope) -> Result<Option<String>, Fault> {
        let mut numbers = Vec::new();
        for part in group::parts(self.text, place.clone()) {
            match self.number(part, scope) {
                Ok(number) => numbers.push(number.to_string()),
                Err(fault) if fault.foreign && scope.is_outside() => return Ok(None),
                Err(fault) => return Err(fault),
            }
        }
        let indices = format!("[{}]", numbers.join(","));
        let same = self.text[place.start - 1..place.end + 1] == indices;
        Ok((!same).then_some(indices))
    }

    fn number(&mut self, place: Range<usize>, scope: &Scope) -> Result<i64, Fault> {
        match group::item(self.text, place)? {
            Item::Number(place) => {
                let text = names_only(self.text, place.clone(), self.values, scope)?;
                Ok(self.values.whole(&text, place, scope)?.value)
            }
            Item::Range(range) => match scope.get(&range.name).filter(|_| self.manner.declares) {
                Some(value) => Ok(value),
                None => Err(Fault::new(range.place, "nothing is repeated by this range").advise(
                    "a range stands in the name of an entry or in an entry of a list; in an expression write `sum(i = 1..n, ..)`",
                )),
            },
        }
    }

    /// The number that a word stands for, if it is an index: not part of a longer name, a path or a number.
    fn index(&self, word: Range<usize>, scope: &Scope) -> Option<String> {
        let value = scope.get(&self.text[word.clone()])?;
        let before = &self.text[..word.start];
        let glued = before.ends_with(|c: char| c.is_numeric()) || before.trim_end().ends_with(['.', ']']);
        let goes_on = self.text[word.end..].trim_start().starts_with(['.', '[', '(']);
        (!glued && !goes_on).then(|| match value < 0 {
            // `-i^2` is not `--1^2`.
            true => format!("({value})"),
            false => value.to_string(),
        })
    }

    /// Writes out `sum(i = 1..n, ..)` and its like; returns the byte after it, or nothing where a word is no such function.
    fn reduction(
        &mut self,
        kept: usize,
        word: Range<usize>,
        end: usize,
        scope: &Scope,
    ) -> Result<Option<usize>, Fault> {
        let text = self.text;
        let name = &text[word.clone()];
        let open = end - text[word.end..end].trim_start().len();
        if !matches!(name, "sum" | "min" | "max") || !text[open..end].starts_with('(') {
            return Ok(None);
        }
        let Some(close) = group::closing(text, open, end, ['(', ')']) else {
            return Ok(None);
        };
        let mut arguments = group::parts(text, open + 1..close - 1);
        let is_range = |place: &Range<usize>| matches!(group::item(text, place.clone()), Ok(Item::Range(_)) | Err(_));
        let body = arguments.pop().unwrap_or(close..close);
        if arguments.is_empty() || is_range(&body) || !arguments.iter().all(is_range) {
            let some = arguments.iter().chain([&body]).any(is_range);
            let wrong = Fault::new(
                word.start..close,
                format!("`{name}` over a range takes ranges and one expression"),
            );
            let wrong = wrong.advise(format!("write `{name}(i = 1..n, ..)`"));
            return if some { Err(wrong) } else { Ok(None) };
        }
        let ranges = arguments.into_iter().map(|place| group::range(text, place));
        let ranges = ranges.collect::<Result<Vec<Span>, Fault>>()?;
        let scopes = scopes(text, self.values, &ranges, scope, body.len())?;
        self.parts.push(Part::Copy(kept..word.start));
        self.terms(name, word.start..close, body, &scopes)?;
        Ok(Some(close))
    }

    fn terms(&mut self, name: &str, whole: Range<usize>, body: Range<usize>, scopes: &[Scope]) -> Result<(), Fault> {
        let (open, between) = match (name, scopes.len()) {
            ("sum", 0) => ("(0", ""),
            (_, 0) => {
                return Err(Fault::new(whole, format!("`{name}` over an empty range has no value"))
                    .advise("let the range have an entry"));
            }
            ("sum", _) | (_, 1) => ("(", " + "),
            ("min", _) => ("min(", ", "),
            _ => ("max(", ", "),
        };
        let insert = |text: &str| Part::Insert(text.to_string(), whole.clone());
        self.parts.push(insert(open));
        for (k, scope) in scopes.iter().enumerate() {
            self.parts.push(insert(if k > 0 { between } else { "" }));
            self.parts.push(insert("("));
            self.scan(body.clone(), scope)?;
            self.parts.push(insert(")"));
        }
        self.parts.push(insert(")"));
        Ok(())
    }
}

/// The end of the words that make one name: those with only white space between them.
fn run_end(text: &str, start: usize, end: usize) -> usize {
    let mut at = start;
    loop {
        let word = text[at..end].find(|c| !is_word(c)).unwrap_or(end - at);
        at += word;
        let rest = text[at..end].trim_start();
        if !rest.starts_with(is_word) || rest.len() == end - at {
            return at;
        }
        at = end - rest.len();
    }
}
