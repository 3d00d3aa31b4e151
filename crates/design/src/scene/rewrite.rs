//! The text of a scene with other values of parameters, everything else as it was written.

use std::collections::BTreeMap;
use std::ops::Range;

use super::beside::file_places;
use super::locate::{Node, Outline, text_value};
use super::read::parse_alone;
use super::scene_file::SceneFile;
use crate::error::{Error, ErrorKind, Result};

/// Values of a family on one line.
const A_LINE: usize = 6;

/// The text of the scene with these values of parameters and constants, below the lines of a comment.
///
/// # Errors
/// Kind `Request` naming a value that is not finite or a parameter or constant that the scene does not have.
pub fn with_values(file: &SceneFile, values: &[(String, f64)], comment: &[String]) -> Result<String> {
    with_data(file, values, &[], comment)
}

/// As [`with_values`], with other paths of the files that the scene names: pairs of the path in the scene and the new one.
///
/// # Errors
/// As [`with_values`].
pub fn with_data(
    file: &SceneFile,
    values: &[(String, f64)],
    data: &[(String, String)],
    comment: &[String],
) -> Result<String> {
    let known = numbers(file);
    for (name, value) in values {
        let refused = |message: String| Error::new(ErrorKind::Request, message).named(name).with_value(*value);
        if !value.is_finite() {
            return Err(refused(format!("the value {value} for `{name}` is not finite")));
        }
        if !known.iter().any(|(known, _)| known == name) {
            return Err(refused(format!("the scene has no parameter `{name}`")));
        }
    }
    let mut texts = Texts::default();
    for (name, place) in known {
        let value = values.iter().find(|(set, _)| *set == name);
        texts.add(place, value.map(|(_, value)| format!("{value:?}")));
    }
    for (place, path) in file_places(file) {
        let new = data.iter().find(|(old, _)| old == path);
        texts.add(place, new.map(|(_, new)| format!("{new:?}")));
    }
    // A line break in a name must not end the comment.
    let lines = comment
        .iter()
        .map(|line| format!("// {}\n", line.replace(['\n', '\r'], " ")));
    let text = lines.chain([texts.put_into(&file.source.text)]).collect::<String>();
    parse_alone(&file.source.file, &text, &[]).map(|_| text)
}

/// Constants and parameters with the places of their values in the source; all of a family have the same one.
fn numbers(file: &SceneFile) -> Vec<(String, Range<usize>)> {
    let text = &file.written.text;
    let outline = Outline::new(text);
    let mut found = Vec::new();
    for section in ["constants", "parameters"] {
        let Some((section, 1)) = outline.follow(&[section]) else {
            continue;
        };
        for entry in outline.children(section) {
            let named = |key: &str| {
                let is_it = |node: &Node| node.key.clone().is_some_and(|range| &text[range] == key);
                outline
                    .children(entry)
                    .filter_map(|child| outline.node(child))
                    .find(|node| is_it(node))
            };
            // A parameter without fields is its value.
            let value = named("value").or_else(|| outline.node(entry));
            let key = outline.node(entry).and_then(|node| node.key.clone());
            let name = key.and_then(|key| text_value(text, key));
            if let (Some(name), Some(value)) = (name, value) {
                found.push((name.into_owned(), file.written.source(value.range.clone())));
            }
        }
    }
    found
}

/// New texts for places of a source, in the order of the entries that are written out from them.
#[derive(Default)]
struct Texts(BTreeMap<(usize, usize), Vec<Option<String>>>);

impl Texts {
    fn add(&mut self, place: Range<usize>, text: Option<String>) {
        self.0.entry((place.start, place.end)).or_default().push(text);
    }

    /// The source with the new texts; where the entries of one place differ, it lists what stands for each.
    fn put_into(self, source: &str) -> String {
        let mut text = source.to_string();
        // From the end, so that places before it stay where they are.
        for ((start, end), new) in self.0.into_iter().rev() {
            let written = match new.as_slice() {
                all if all.iter().all(Option::is_none) => continue,
                [Some(first), rest @ ..] if rest.iter().all(|other| other.as_ref() == Some(first)) => first.clone(),
                all => {
                    let old = &source[start..end];
                    let each: Vec<&str> = all.iter().map(|new| new.as_deref().unwrap_or(old)).collect();
                    let lines: Vec<String> = each.chunks(A_LINE).map(|line| line.join(", ")).collect();
                    format!("Each([{}])", lines.join(",\n            "))
                }
            };
            text.replace_range(start..end, &written);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{parse_alone, with_data, with_values};
    use crate::error::ErrorKind;
    use crate::scene::parse;
    use crate::scene::schema::Number;

    const TEXT: &str = r#"// a header
Scene(
    name: "two", space: Planar,
    parameters: {
        "a": (bounds: (0, 9), value: "sqrt(2)", unit: "m"), // keep me
        "b c": 1e-3, "d": "2*a",
    },
    simulation: (duration: 1),
)
"#;

    fn values(list: &[(&str, f64)]) -> Vec<(String, f64)> {
        list.iter().map(|(name, value)| (name.to_string(), *value)).collect()
    }

    #[test]
    fn values_are_replaced_exactly_and_nothing_else_is() {
        let file = parse("two.ron", TEXT).unwrap();
        let new = values(&[("d", 1.0 / 3.0), ("a", 2.0), ("b c", -1e-300)]);
        let text = with_values(&file, &new, &["found\nby hand".to_string()]).unwrap();
        let expected = TEXT
            .replace("\"sqrt(2)\"", "2.0")
            .replace("1e-3", "-1e-300")
            .replace("\"2*a\"", "0.3333333333333333");
        assert_eq!(text, format!("// found by hand\n{expected}"));
    }

    #[test]
    fn what_is_no_parameter_or_not_finite_is_refused() {
        let file = parse("two.ron", TEXT).unwrap();
        for (name, value) in [("e", 1.0), ("a", f64::NAN), ("a", f64::INFINITY)] {
            let error = with_values(&file, &values(&[(name, value)]), &[]).unwrap_err();
            assert_eq!((error.kind(), error.name()), (ErrorKind::Request, Some(name)));
        }
    }

    const FAMILY: &str = r#"(
    name: "family", space: Planar,
    constants: { "n": 3, "g": 9.81 },
    parameters: { "s": 2, "m[i = 1..n]": (value: "s*i", unit: "kg"), "k[i = 1..2]": Each([10, "s"]), "c[i = 0..1]": 1 },
    simulation: (duration: 1),
)
"#;

    fn rewritten(text: &str, list: &[(&str, f64)]) -> String {
        let text = with_values(&parse("family.ron", text).unwrap(), &values(list), &[]).unwrap();
        // What was written is the scene with these values, and stays so.
        let again = parse("family.ron", &text).unwrap();
        for (name, value) in list {
            let written = again.scene.parameters.get(name).map(|found| found.value.clone());
            let written = written.or_else(|| again.scene.constants.get(name).cloned());
            assert_eq!(written, Some(Number::Literal(*value)), "{name} in {text}");
        }
        assert_eq!(with_values(&again, &values(list), &[]).unwrap(), text);
        text
    }

    #[test]
    fn values_of_families_are_listed_where_they_differ() {
        assert_eq!(
            rewritten(FAMILY, &[("m[2]", 7.5), ("k[2]", 3.0), ("s", 4.0)]),
            FAMILY
                .replace("\"s*i\"", r#"Each(["s*i", 7.5, "s*i"])"#)
                .replace("\"s\": 2", "\"s\": 4.0")
                .replace("[10, \"s\"]", "[10, 3.0]")
        );
        let all = [("m[1]", 1.0), ("m[2]", 1.0), ("m[3]", 1.0), ("c[1]", 2.0), ("g", 1.62)];
        assert_eq!(
            rewritten(FAMILY, &all),
            FAMILY
                .replace("\"s*i\"", "1.0")
                .replace("\"c[i = 0..1]\": 1", "\"c[i = 0..1]\": Each([1, 2.0])")
                .replace("9.81", "1.62")
        );
    }

    #[test]
    fn files_of_repeated_entries_are_renamed_once() {
        let text = r#"(
            name: "fits", space: Planar, simulation: (duration: 1),
            objectives: { "f[i = 1..2]": Fit(data: "a.csv"), "g[i = 1..2]": Fit(data: "a[i].csv") },
        )"#;
        let file = parse_alone("fits.ron", text, &[]).unwrap();
        let new = [("a.csv", "b/a.csv"), ("a[2].csv", "b/a[2].csv")].map(|(a, b)| (a.to_string(), b.to_string()));
        let expected = text
            .replace("\"a.csv\"", "\"b/a.csv\"")
            .replace("\"a[i].csv\"", "Each([\"a[i].csv\", \"b/a[2].csv\"])");
        assert_eq!(with_data(&file, &[], &new, &[]).unwrap(), expected);
    }

    #[test]
    fn long_lists_take_several_lines() {
        let text = FAMILY.replace("\"n\": 3", "\"n\": 20");
        let values: Vec<(String, f64)> = (1..=20).map(|i| (format!("m[{i}]"), 0.1 * f64::from(i))).collect();
        let list: Vec<(&str, f64)> = values.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let text = rewritten(&text, &list);
        assert!(text.lines().all(|line| line.len() < 150), "{text}");
    }
}
