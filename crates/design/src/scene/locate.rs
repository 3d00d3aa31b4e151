//! Where a value stands in the text of a scene.
//!
//! The deserializer keeps no positions of what it reads. When a value turns out wrong later, its place is found again
//! from its path: field names, names of map entries and list indices from the outermost value inwards.

mod fault;
mod outline;
mod structure;
mod token;

use std::ops::Range;

pub(super) use fault::Explanation;
pub(super) use outline::Outline;
pub(super) use structure::{Node, Shape};
pub(super) use token::{Token, TokenKind, Tokens, text_content, text_value};

/// Byte range of the value that `path` leads to, such as `["bodies", "left crank", "length"]`.
///
/// A segment is the name of a field, the name of a map entry, or the index of an element of a list or tuple as decimal
/// text. `Bar(..)` and the like do not count as a level of their own. Where no value is called `key`, a last segment
/// `key` stands for the name of the entry instead of its value. `None` when the path leads nowhere.
pub fn locate(text: &str, path: &[&str]) -> Option<Range<usize>> {
    Outline::new(text).locate(path)
}

/// The parts of a scene whose entries errors name, those with the most to say first.
const SECTIONS: [&str; 11] = [
    "joints",
    "bodies",
    "forces",
    "contacts",
    "events",
    "outputs",
    "objectives",
    "points",
    "ground",
    "robots",
    "parameters",
];

/// Byte range of the name of the entry that an error is named after: an element, one of its coordinates
/// (`crank.angle`), one side of an end stop (`stop (at most)`), or a field of `simulation`.
pub(super) fn locate_entry(text: &str, name: &str) -> Option<Range<usize>> {
    let outline = Outline::new(text);
    let side = name.rsplit_once(" (").map(|(contact, _)| contact);
    let owner = name.rsplit_once('.').map(|(element, _)| element);
    let names = [Some(name), side, owner].into_iter().flatten();
    let entries = names.flat_map(|name| SECTIONS.map(|section| [section, name, "key"]));
    entries
        .chain([["simulation", name, "key"]])
        .find_map(|path| outline.locate(&path))
}

#[cfg(test)]
mod tests {
    use super::{locate, locate_entry};

    const TEXT: &str = r##"
// a comment with "quotes" ( [ {
Scene(
    name: "ü \" ) not the end",
    gravity: [0, -9.81 /* nested /* , */ */, 2e-3],
    bodies: {
        "left \"crank\"": Bar(from: "A", length: "sqrt(5)"),
        r#"raw "name""#: Rigid(at: Some([1.0, 2.0])),
    },
    objectives: { "sum": Sum([(1.5, Final("P.y")), (2, Integral("t"))]) },
    contacts: { "key": Touch(law: Restitution("e")), "last": Flip },
)
"##;

    fn found(path: &[&str]) -> Option<&'static str> {
        locate(TEXT, path).map(|range| &TEXT[range])
    }

    #[test]
    fn values_are_found_by_field_names_map_keys_and_indices() {
        assert_eq!(found(&["name"]), Some(r#""ü \" ) not the end""#));
        assert_eq!(found(&["gravity"]), Some("[0, -9.81 /* nested /* , */ */, 2e-3]"));
        assert_eq!(found(&["gravity", "1"]), Some("-9.81"));
        assert_eq!(found(&["gravity", "2"]), Some("2e-3"));
        assert_eq!(found(&["bodies", "left \"crank\"", "length"]), Some("\"sqrt(5)\""));
        assert_eq!(found(&["bodies", "raw \"name\"", "at", "1"]), Some("2.0"));
        assert_eq!(found(&["objectives", "sum", "0", "1", "0"]), Some("2"));
        assert_eq!(found(&["objectives", "sum", "0", "0", "1", "0"]), Some("\"P.y\""));
        assert_eq!(found(&["contacts", "last"]), Some("Flip"));
    }

    #[test]
    fn the_segment_key_gives_the_name_unless_something_has_that_name() {
        assert_eq!(found(&["bodies", "left \"crank\"", "key"]), Some(r#""left \"crank\"""#));
        assert_eq!(found(&["gravity", "key"]), Some("gravity"));
        assert_eq!(found(&["contacts", "key", "law", "0"]), Some("\"e\""));
        assert_eq!(found(&["contacts", "key", "key"]), Some("\"key\""));
    }

    #[test]
    fn entries_are_found_by_the_names_that_errors_give_them() {
        let entry = |name: &str| locate_entry(TEXT, name).map(|range| &TEXT[range]);
        assert_eq!(entry("last"), Some("\"last\""));
        assert_eq!(entry("last (at most)"), Some("\"last\""));
        assert_eq!(entry("left \"crank\".angle"), Some(r#""left \"crank\"""#));
        assert_eq!(entry("sum"), Some("\"sum\""));
        assert_eq!(entry("first"), None);
    }

    #[test]
    fn a_path_that_leads_nowhere_gives_none() {
        for path in [
            &["nothing"][..],
            &["gravity", "3"],
            &["name", "0"],
            &["bodies", "left"],
            &["gravity", "-1"],
        ] {
            assert_eq!(found(path), None, "{path:?}");
        }
        assert_eq!(locate("", &["name"]), None);
        assert_eq!(locate(")))", &["name"]), None);
    }

    #[test]
    fn deep_nesting_and_broken_text_are_survived() {
        let deep = "[".repeat(100_000);
        assert_eq!(locate(&deep, &["0", "0", "x"]), None);
        assert_eq!(locate("Scene(name: \"never closed", &["x"]), None);
        assert_eq!(locate("Scene(a: 1, /* never closed", &["a"]), Some(9..10));
    }
}
