//! The lines of a text that an error is about.

use std::ops::Range;

use crate::error::{Error, Source, printable};

/// Most bytes of a line that are shown; far longer lines cannot be drawn.
const WINDOW: usize = 240;

/// How many of them stand before the place that the message is about.
const BEFORE: usize = 80;

/// Stands for the part of a line that is left out.
const CUT: &str = "…";

/// The lines that are quoted, long ones cut.
#[derive(Debug)]
pub struct Excerpt {
    /// Name of the file.
    pub file: String,
    /// The line in which the place begins, with those before and after it.
    pub lines: String,
    /// The place that the message is about, in these lines and on one of them.
    pub place: Range<usize>,
    /// Number of lines above those quoted.
    pub above: usize,
    /// Where the place is in its line as written.
    pub column: usize,
}

/// The part of a line that is shown.
struct Window {
    text: String,
    /// The bytes of the line that it shows.
    shown: Range<usize>,
    /// Bytes of the mark in front of them.
    mark: usize,
}

impl Excerpt {
    /// The lines that an error is about, where it knows them.
    pub fn of(error: &Error) -> Option<Self> {
        Some(Self::new(error.source_text()?, error.place()?))
    }

    /// The line in which a place begins, with those before and after it.
    fn new(source: &Source, place: Range<usize>) -> Self {
        let place = source.within(place);
        let text = &source.text;
        let start = text[..place.start].rfind('\n').map_or(0, |end| end + 1);
        let mut rest = text[start..].lines();
        let line = rest.next().unwrap_or_default();
        let column = line.len().min(place.start - start);
        let window = Window::about(column, line);
        let (mut lines, mut above) = (String::new(), text[..start].matches('\n').count());
        if let Some(before) = text[..start].lines().next_back() {
            lines = Window::about(0, before).text + "\n";
            above -= 1;
        }
        let first = lines.len();
        let place = [column, place.end - start].map(|column| first + window.position(column));
        let after = rest.next().map(|line| Window::about(0, line).text);
        lines += &[Some(window.text), after]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("\n");
        Self {
            file: printable(&source.file).into_owned(),
            lines,
            place: place[0]..place[1],
            above,
            column,
        }
    }
}

impl Window {
    fn about(column: usize, line: &str) -> Self {
        let start = match line.len() > WINDOW {
            true => line.floor_char_boundary(column.saturating_sub(BEFORE)),
            false => 0,
        };
        let end = line.floor_char_boundary(start + WINDOW);
        let mark = |cut: bool| if cut { CUT } else { "" };
        let (left, right) = (mark(start > 0), mark(end < line.len()));
        Self {
            text: format!("{left}{}{right}", printable(&line[start..end])),
            shown: start..end,
            mark: left.len(),
        }
    }

    /// Where a byte of the line, or the nearest one that is shown, is in the window.
    fn position(&self, column: usize) -> usize {
        self.mark + column.clamp(self.shown.start, self.shown.end) - self.shown.start
    }
}
