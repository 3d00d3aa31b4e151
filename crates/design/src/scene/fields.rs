//! The text of a scene with other fields of one of its parts, everything else as it was written.

use std::ops::Range;

use super::locate::Outline;

/// What a part of a scene holds, and so how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartOf {
    /// Fields of the format, between parentheses: `optimization`.
    Fields,
    /// Entries with names of one's own, between braces: `objectives`.
    Entries,
}

impl PartOf {
    fn within_brackets(self, entry: &str) -> String {
        match self {
            Self::Fields => format!("({entry})"),
            Self::Entries => format!("{{ {entry} }}"),
        }
    }

    fn key(self, name: &str) -> String {
        match self {
            Self::Fields => name.to_string(),
            Self::Entries => format!("{name:?}"),
        }
    }
}

/// The text of a scene with values, as they are written in scenes, for names in one of its parts: in the place of the values that
/// they have there, else behind the others, and in a part of their own at the end where the scene has none. Lines before the
/// part keep their numbers.
pub fn with_fields(text: &str, part: &str, holds: PartOf, fields: &[(String, String)]) -> String {
    let add = |text: String, (name, value): &(String, String)| with_field(text, part, holds, (name, value));
    fields.iter().fold(text.to_string(), add)
}

fn with_field(mut text: String, part: &str, holds: PartOf, (name, value): (&str, &str)) -> String {
    let entry = format!("{}: {value}", holds.key(name));
    let outline = Outline::new(&text);
    if let Some(place) = outline.locate(&[part, name]) {
        text.replace_range(place, value);
        return text;
    }
    // A part may be `None`, which has no brackets.
    let bare = |place: &Range<usize>| text[place.clone()].ends_with("None");
    if let Some(place) = outline.locate(&[part]).filter(bare) {
        text.replace_range(place, &holds.within_brackets(&entry));
        return text;
    }
    let (at, added) = match outline.follow(&[part]) {
        Some((index, 1)) => behind_all(&outline, index, ", ", &entry),
        _ => behind_all(
            &outline,
            0,
            ",\n    ",
            &format!("{part}: {}", holds.within_brackets(&entry)),
        ),
    };
    text.insert_str(at, &added);
    text
}

/// Where an entry behind all others of a value goes, and what is written there.
fn behind_all(outline: &Outline, index: usize, between: &str, entry: &str) -> (usize, String) {
    match outline.children(index).last().and_then(|last| outline.node(last)) {
        Some(last) => (last.range.end, format!("{between}{entry}")),
        None => (
            outline.node(index).map_or(0, |node| node.opening + 1),
            entry.to_string(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{PartOf, with_fields};

    const SCENE: &str = "Scene(\n    a: { \"x\": 1, // one\n    },\n    b: (k: [1, 2], l: (m: 3)),\n    c: (),\n)\n";

    fn changed(part: &str, holds: PartOf, fields: &[(&str, &str)]) -> String {
        let fields: Vec<_> = fields
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        with_fields(SCENE, part, holds, &fields)
    }

    #[test]
    fn fields_take_the_place_of_those_of_their_name_or_come_last() {
        let fields = changed("b", PartOf::Fields, &[("k", "9"), ("n", "\"new\""), ("n", "4")]);
        assert_eq!(fields, SCENE.replace("[1, 2]", "9").replace("(m: 3)", "(m: 3), n: 4"));
        let entries = changed("a", PartOf::Entries, &[("y \"z\"", "2"), ("x", "0")]);
        assert_eq!(entries, SCENE.replace("\"x\": 1,", "\"x\": 0, \"y \\\"z\\\"\": 2,"));
        assert_eq!(
            changed("c", PartOf::Fields, &[("k", "1")]),
            SCENE.replace("c: ()", "c: (k: 1)")
        );
    }

    #[test]
    fn a_part_that_is_not_there_is_added_at_the_end() {
        let fields = changed("d", PartOf::Fields, &[("k", "1"), ("l", "2")]);
        assert_eq!(fields, SCENE.replace("c: ()", "c: (),\n    d: (k: 1, l: 2)"));
        let entries = changed("d", PartOf::Entries, &[("k", "1")]);
        assert_eq!(entries, SCENE.replace("c: ()", "c: (),\n    d: { \"k\": 1 }"));
    }
}
