//! The tree of values in a scene text: where each value starts and ends, what it is called, and what it lies in.

use std::ops::Range;

use super::fault::LocatedFault;
use super::structure::{Node, Shape, structure};
use super::token::{Token, text_value};

/// All values of a text up to its first structural fault.
pub struct Outline<'a> {
    text: &'a str,
    nodes: Vec<Node>,
    fault: Option<LocatedFault>,
}

impl<'a> Outline<'a> {
    /// Reads the structure of the text.
    pub fn new(text: &'a str) -> Self {
        let (nodes, fault) = structure(text);
        Self { text, nodes, fault }
    }

    /// The first structural fault of the text.
    pub fn fault(&self) -> Option<&LocatedFault> {
        self.fault.as_ref()
    }

    /// All values in the order in which they start.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter()
    }

    /// The value of that index.
    pub fn node(&self, index: usize) -> Option<&Node> {
        self.nodes.get(index)
    }

    /// Indices of the values directly inside a value.
    pub fn children(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.nodes.get(index).map_or(0, |node| node.after);
        let first = Some(index + 1).filter(|first| *first < end);
        std::iter::successors(first, move |child| {
            let next = self.nodes.get(*child)?.after;
            (next < end).then_some(next)
        })
    }

    /// The innermost value with brackets that are open at this byte.
    pub fn enclosing(&self, position: usize) -> Option<usize> {
        self.nodes.iter().rposition(|node| {
            let bracketed = node.shape >= Shape::Parentheses;
            bracketed && node.opening < position && position < node.range.end
        })
    }

    /// The value that starts at this byte (with or without its leading word) or ends there.
    pub fn touching(&self, token: Token) -> Option<usize> {
        self.nodes.iter().position(|node| {
            node.range.start == token.start || node.opening == token.start || node.range.end == token.end
        })
    }

    /// Follows a path from the outermost value as far as it leads: the value reached and the number of segments used.
    pub fn follow(&self, path: &[&str]) -> Option<(usize, usize)> {
        let mut at = self.transparent(0);
        self.nodes.first()?;
        for (used, segment) in path.iter().enumerate() {
            match self.child(at, segment) {
                Some(child) => at = self.transparent(child),
                None => return Some((at, used)),
            }
        }
        Some((at, path.len()))
    }

    /// Byte range of the value at the end of a path; see [`locate`](super::locate()).
    pub fn locate(&self, path: &[&str]) -> Option<Range<usize>> {
        let (index, used) = self.follow(path)?;
        let node = self.node(index)?;
        match &path[used..] {
            [] => Some(node.range.clone()),
            ["key"] => node.key.clone(),
            _ => None,
        }
    }

    /// The part of a value that identifies it on one line: its name and opening bracket.
    pub fn head(&self, index: usize) -> Option<Range<usize>> {
        let node = self.node(index)?;
        if node.shape < Shape::Parentheses {
            return Some(node.range.clone());
        }
        let opening = node.opening..node.opening + 1;
        let lines = |start: usize| self.text[start..opening.end].contains('\n');
        let start = node.key.as_ref().map_or(node.range.start, |key| key.start);
        let starts = [start, node.range.start, node.opening];
        let start = starts.into_iter().find(|start| !lines(*start))?;
        Some(start..opening.end)
    }

    /// The word before the parenthesis of a value, empty when there is none.
    pub fn word(&self, index: usize) -> &'a str {
        let Some(node) = self.node(index) else {
            return "";
        };
        match node.shape {
            Shape::Parentheses => self.text[node.range.start..node.opening].trim_end(),
            _ => "",
        }
    }

    /// The names of the entries that lead to a value, outermost first, as written.
    pub fn names(&self, index: usize) -> Vec<&'a str> {
        let mut names = Vec::new();
        let mut at = Some(index);
        while let Some(node) = at.and_then(|at| self.node(at)) {
            names.extend(node.key.clone().map(|key| &self.text[key]));
            at = node.parent;
        }
        names.reverse();
        names
    }

    fn child(&self, index: usize, segment: &str) -> Option<usize> {
        let named = self.children(index).find(|child| {
            let key = self.node(*child).and_then(|node| node.key.clone());
            key.is_some_and(|key| key_is(self.text, key, segment))
        });
        let by_index = || {
            let child = self.children(index).nth(segment.parse().ok()?)?;
            self.node(child)?.key.is_none().then_some(child)
        };
        named.or_else(by_index)
    }

    /// `Some(x)` stands for `x`.
    fn transparent(&self, index: usize) -> usize {
        match (self.word(index), self.children(index).next()) {
            ("Some", Some(inner)) => inner,
            _ => index,
        }
    }
}

/// Whether a key as written is this name.
fn key_is(text: &str, key: Range<usize>, name: &str) -> bool {
    let written = &text[key.clone()];
    if written.ends_with(['"', '#']) {
        return text_value(text, key).is_some_and(|value| value == name);
    }
    written.strip_prefix("r#").unwrap_or(written) == name
}
