//! The text of a scene with other values of parameters, everything else as it was written.

use super::beside::file_places;
use super::read::parse_alone;
use super::scene_file::SceneFile;
use crate::error::{Error, ErrorKind, Result};

/// The text of the scene with these values of parameters, below the lines of a comment.
///
/// # Errors
/// Kind `Request` naming a value that is not finite or a parameter that the scene does not have.
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
    let mut places = Vec::new();
    for (name, value) in values {
        let refused = |message: String| Error::new(ErrorKind::Request, message).named(name).with_value(*value);
        if !value.is_finite() {
            return Err(refused(format!("the value {value} for `{name}` is not finite")));
        }
        // The path to a parameter without fields leads to its value.
        let place = file
            .place(&["parameters", name, "value"])
            .or_else(|| file.place(&["parameters", name]));
        places.push((
            place.ok_or_else(|| refused(format!("the scene has no parameter `{name}`")))?,
            format!("{value:?}"),
        ));
    }
    for (place, path) in file_places(file) {
        if let Some((_, new)) = data.iter().find(|(old, _)| old == path) {
            places.push((place, format!("{new:?}")));
        }
    }
    // From the end, so that places before it stay where they are.
    places.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    let mut text = file.source.text.clone();
    for (place, written) in places {
        text.replace_range(place, &written);
    }
    // A line break in a name must not end the comment.
    let lines = comment
        .iter()
        .map(|line| format!("// {}\n", line.replace(['\n', '\r'], " ")));
    let text = lines.chain([text]).collect::<String>();
    parse_alone(&file.source.file, &text).map(|_| text)
}

#[cfg(test)]
mod tests {
    use super::with_values;
    use crate::error::ErrorKind;
    use crate::scene::parse;

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
}
