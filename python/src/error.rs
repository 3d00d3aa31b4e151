//! Errors of the library as exceptions.

use costate::error::{Error, ErrorKind};
use costate::output::Excerpt;
use pyo3::prelude::*;

use crate::arguments::words;

/// The exception for an error: of the class in `costate._errors` that belongs to its kind.
pub fn raised(py: Python<'_>, error: &Error) -> PyErr {
    exception(py, error).map_or_else(|failed| failed, PyErr::from_value)
}

fn exception<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyAny>> {
    let excerpt = Excerpt::of(error);
    let place = excerpt.as_ref().map(|excerpt| {
        let line = error.line().unwrap_or_default();
        (excerpt.file.clone(), line, excerpt.column + 1, quoted(excerpt))
    });
    py.import("costate._errors")?.call_method1(
        "exception",
        (
            kind(error.kind()),
            error.to_string(),
            error.name(),
            error.time(),
            error.value(),
            place,
            error.advice(),
        ),
    )
}

/// The kind in words, as in the rows of sweeps.
pub fn kind(kind: ErrorKind) -> String {
    words(&kind, ' ')
}

/// The lines with their numbers, and marks under the place.
fn quoted(excerpt: &Excerpt) -> String {
    let (mut text, mut start) = (String::new(), 0);
    for (k, line) in excerpt.lines.split('\n').enumerate() {
        text += &format!("{:>5} | {line}\n", excerpt.above + k + 1);
        let end = start + line.len();
        if (start..=end).contains(&excerpt.place.start) {
            let [first, last] = [excerpt.place.start, excerpt.place.end.min(end)];
            let width = |part: Option<&str>| part.map_or(0, |part| part.chars().count());
            let before = " ".repeat(width(excerpt.lines.get(start..first)));
            let marks = "^".repeat(width(excerpt.lines.get(first..last)).max(1));
            text += &format!("      | {before}{marks}\n");
        }
        start = end + 1;
    }
    text.trim_end().to_string()
}
