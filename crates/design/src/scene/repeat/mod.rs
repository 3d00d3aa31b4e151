//! Repetitions: entries whose names have ranges in brackets, such as `"P[i = 1..n]"`, written out one by one.
//!
//! The text of the scene is written out before it is read, so that everything after it knows one kind of entry. Each part of
//! the new text remembers where in the source it stands, for messages and for the values that an optimization writes back.

mod fault;
mod group;
mod scope;
mod text;
mod values;
mod written;

use std::ops::Range;

use super::locate::{Explanation, Outline, Shape, TokenKind, Tokens, text_content, text_value};
use fault::Fault;
use scope::Scope;
use text::{Manner, Part};
use values::Values;

pub use written::Written;

/// Sections whose names an index cannot have, and what these names mean.
const NAMED: [(&str, &str); 14] = [
    ("constants", "a constant"),
    ("parameters", "a parameter"),
    ("ground", "a ground point"),
    ("points", "a point"),
    ("bodies", "a body"),
    ("robots", "a robot"),
    ("joints", "a joint"),
    ("forces", "a force"),
    ("contacts", "a contact"),
    ("events", "an event"),
    ("memory", "a memory"),
    ("outputs", "an output"),
    ("objectives", "an objective"),
    ("cases", "a load case"),
];

/// What stands for one value of each copy.
const EACH: &str = "Each";

/// Writes out the repetitions of a scene without structural faults; `sets` are values that replace those of constants.
///
/// # Errors
/// What is wrong with an index or a range, at its place in the text.
pub fn write_out(text: &str, sets: &[(String, f64)]) -> Result<Written, Explanation> {
    let outline = Outline::new(text);
    let mut writer = Writer {
        text,
        outline: &outline,
        values: Values::default(),
        out: Written::default(),
    };
    let end = match outline.node(0).filter(|_| outline.fault().is_none()) {
        Some(scene) => {
            writer.names();
            writer.constants(sets)?;
            writer.copy(0..scene.range.start, &Scope::default());
            writer.value(0, &Scope::default(), false)?;
            scene.range.end
        }
        None => 0,
    };
    writer.copy(end..text.len(), &Scope::default());
    let set = |name: &String| sets.iter().find(|(set, _)| set == name).map(|(_, value)| *value);
    let read = writer.values.read.iter();
    writer.out.counts = read.map(|name| (name.clone(), set(name))).collect();
    Ok(writer.out)
}

struct Writer<'a> {
    text: &'a str,
    outline: &'a Outline<'a>,
    values: Values,
    out: Written,
}

impl Writer<'_> {
    fn section(&self, name: &str) -> Option<usize> {
        let is_it = |child: &usize| self.key(*child).is_some_and(|key| &self.text[key] == name);
        self.outline.children(0).find(is_it)
    }

    fn key(&self, index: usize) -> Option<Range<usize>> {
        self.outline.node(index)?.key.clone()
    }

    fn names(&mut self) {
        for (section, what) in NAMED {
            let outline = self.outline;
            let entries = self.section(section).map(|index| outline.children(index));
            for entry in entries.into_iter().flatten() {
                if let Some(name) = self.key(entry).and_then(|key| text_value(self.text, key)) {
                    self.values.take(&name, what);
                }
            }
        }
    }

    /// Reads the constants, which ranges may use: each is written out as soon as those before it are known.
    fn constants(&mut self, sets: &[(String, f64)]) -> Result<(), Explanation> {
        let Some(section) = self.section("constants") else {
            return Ok(());
        };
        for entry in self.outline.children(section) {
            let before = std::mem::take(&mut self.out);
            self.entry(section, entry, &Scope::default(), false)?;
            let written = std::mem::replace(&mut self.out, before).text;
            let written = format!("{{{written}}}");
            let outline = Outline::new(&written);
            for found in outline.children(0).filter_map(|child| outline.node(child)) {
                let of = |place: Range<usize>| text_value(&written, place).map(|value| value.into_owned());
                if let Some(name) = found.key.clone().and_then(of) {
                    let value =
                        of(found.range.clone()).unwrap_or_else(|| written[found.range.clone()].replace('_', ""));
                    let set = sets.iter().find(|(set, _)| *set == name).map(|(_, value)| *value);
                    self.values.add_constant(&name, &value, set);
                }
            }
        }
        Ok(())
    }

    fn copy(&mut self, place: Range<usize>, scope: &Scope) {
        if !place.is_empty() {
            self.out.copy(self.text, place, scope.note);
        }
    }

    /// Writes a value. `declares` says that ranges in its texts are those that repeat it.
    fn value(&mut self, index: usize, scope: &Scope, declares: bool) -> Result<(), Explanation> {
        let Some(node) = self.outline.node(index) else {
            return Ok(());
        };
        let place = node.range.clone();
        if node.shape == Shape::Text {
            let is_name = false;
            return self.text_token(place, Manner { is_name, declares }, scope);
        }
        if node.shape >= Shape::Parentheses && self.outline.word(index) == EACH {
            let one = self.one_of_each(index, scope)?;
            return self.value(one, scope, false);
        }
        let mut at = place.start;
        for child in self.outline.children(index) {
            let start = self.start(child);
            self.copy(at..start, scope);
            at = self.entry(index, child, scope, declares)?;
        }
        self.copy(at..place.end, scope);
        Ok(())
    }

    /// The first byte of an entry.
    fn start(&self, child: usize) -> usize {
        let node = self.outline.node(child);
        let start = node.map_or(0, |node| node.range.start);
        self.key(child).map_or(start, |key| key.start)
    }

    /// Writes an entry of a value, as often as its ranges say; returns the byte at which the source goes on.
    fn entry(&mut self, parent: usize, child: usize, scope: &Scope, declares: bool) -> Result<usize, Explanation> {
        let (Some(node), Some(parent_node)) = (self.outline.node(child), self.outline.node(parent)) else {
            return Ok(0);
        };
        let (start, end, shape) = (self.start(child), node.range.end, parent_node.shape);
        let repeating = match shape {
            Shape::Braces => node.key.clone(),
            Shape::Brackets => self.text_with_ranges(child, scope)?,
            _ => None,
        };
        let Some(place) = repeating else {
            self.field(parent, child, scope, declares && shape == Shape::Parentheses)?;
            return Ok(end);
        };
        let (text, offset) = self.content(place.clone());
        let inner = group::ranges(&text)
            .and_then(|ranges| match ranges.is_empty() {
                true => Ok(None),
                false => text::scopes(&text, &mut self.values, &ranges, scope, end - start).map(Some),
            })
            .map_err(|fault| explain(fault, place, offset, scope))?;
        let Some(scopes) = inner else {
            self.named(child, scope, false)?;
            return Ok(end);
        };
        let count = scopes.len();
        for (k, mut scope) in scopes.into_iter().enumerate() {
            scope.copy = Some((k, count));
            scope.note = Some(self.out.note(scope.words()));
            if k > 0 {
                self.out.insert(", ", start..start, scope.note);
            }
            self.named(child, &scope, shape == Shape::Brackets)?;
        }
        Ok(if count > 0 { end } else { self.after_comma(end) })
    }

    /// Writes a field; remarks and units have no indices.
    fn field(&mut self, parent: usize, child: usize, scope: &Scope, declares: bool) -> Result<(), Explanation> {
        let key = self.key(child).map_or("", |key| &self.text[key]);
        let remark = matches!(key, "unit" | "about" | "source") || (parent == 0 && key == "name");
        match self.outline.node(child) {
            Some(node) if remark => self.copy(self.start(child)..node.range.end, scope),
            Some(node) => {
                self.copy(self.start(child)..node.range.start, scope);
                self.value(child, scope, declares)?;
            }
            None => {}
        }
        Ok(())
    }

    /// Writes the name of an entry, if it has one, and its value.
    fn named(&mut self, child: usize, scope: &Scope, declares: bool) -> Result<(), Explanation> {
        if let (Some(key), Some(node)) = (self.key(child), self.outline.node(child)) {
            let (is_name, declares) = (true, true);
            self.text_token(key.clone(), Manner { is_name, declares }, scope)?;
            self.copy(key.end..node.range.start, scope);
        }
        self.value(child, scope, declares)
    }

    /// The text of a list's entry that has ranges: one of its own, not of lists and maps in it.
    fn text_with_ranges(&self, index: usize, scope: &Scope) -> Result<Option<Range<usize>>, Explanation> {
        let Some(node) = self.outline.node(index) else {
            return Ok(None);
        };
        match node.shape {
            Shape::Text => {
                let (text, offset) = self.content(node.range.clone());
                let ranges = group::ranges(&text);
                let ranges = ranges.map_err(|fault| explain(fault, node.range.clone(), offset, scope))?;
                Ok((!ranges.is_empty()).then(|| node.range.clone()))
            }
            Shape::Parentheses => {
                let mut children = self.outline.children(index);
                children
                    .find_map(|child| self.text_with_ranges(child, scope).transpose())
                    .transpose()
            }
            _ => Ok(None),
        }
    }

    /// What a text says, and the byte at which it begins where it stands as it is meant.
    fn content(&self, place: Range<usize>) -> (String, Option<usize>) {
        let start = text_content(self.text, place.clone()).map(|content| content.start);
        let value = text_value(self.text, place).unwrap_or_default();
        (value.into_owned(), start)
    }

    fn text_token(&mut self, place: Range<usize>, manner: Manner, scope: &Scope) -> Result<(), Explanation> {
        let (text, offset) = self.content(place.clone());
        let parts = text::rewrite(&text, &mut self.values, manner, scope)
            .map_err(|fault| explain(fault, place.clone(), offset, scope))?;
        if parts.iter().all(|part| matches!(part, Part::Copy(_))) {
            self.copy(place, scope);
            return Ok(());
        }
        let Some(offset) = offset else {
            self.out
                .insert(&format!("{:?}", text::joined(&text, &parts)), place, scope.note);
            return Ok(());
        };
        self.copy(place.start..offset, scope);
        for part in parts {
            match part {
                Part::Copy(part) => self.copy(part.start + offset..part.end + offset, scope),
                Part::Insert(text, part) => {
                    self.out
                        .insert(&text, part.start + offset..part.end + offset, scope.note);
                }
            }
        }
        self.copy(offset + text.len()..place.end, scope);
        Ok(())
    }

    /// The value in `Each([..])` that belongs to this copy.
    fn one_of_each(&self, index: usize, scope: &Scope) -> Result<usize, Explanation> {
        let place = self.outline.head(index).unwrap_or_default();
        let refuse = |message: String, advice: &str| {
            let message = with_indices(message, &scope.words());
            Err(Explanation::new(place.clone(), message, advice))
        };
        let Some((copy, count)) = scope.copy else {
            let advice = "write it in an entry whose name has a range, such as \"P[i = 1..3]\"";
            return refuse(
                "`Each` stands for nothing here: nothing is repeated".to_string(),
                advice,
            );
        };
        let mut lists = self.outline.children(index);
        let list = match (lists.next(), lists.next()) {
            (Some(list), None)
                if self
                    .outline
                    .node(list)
                    .is_some_and(|node| node.shape == Shape::Brackets) =>
            {
                list
            }
            _ => return refuse("`Each` needs one list".to_string(), "write Each([first, second, ..])"),
        };
        let values = self.outline.children(list).count();
        match self.outline.children(list).nth(copy) {
            Some(one) if values == count => Ok(one),
            _ => {
                let advice = "give one value for each entry, in their order";
                refuse(format!("`Each` has {values} values for {count} entries"), advice)
            }
        }
    }

    /// The byte after the comma that follows.
    fn after_comma(&self, end: usize) -> usize {
        let mut tokens = Tokens::new(self.text.get(end..).unwrap_or_default());
        match tokens.next() {
            Some(token) if token.kind == TokenKind::Comma => end + token.end,
            _ => end,
        }
    }
}

/// A message with the values of the indices.
fn with_indices(message: String, indices: &str) -> String {
    match indices {
        "" => message,
        _ => format!("{message} ({indices})"),
    }
}

fn explain(fault: Fault, place: Range<usize>, offset: Option<usize>, scope: &Scope) -> Explanation {
    let place = offset.map_or(place, |offset| fault.span.start + offset..fault.span.end + offset);
    Explanation::new(place, with_indices(fault.message, &scope.words()), fault.advice)
}
