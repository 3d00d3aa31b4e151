//! An error as the terminal shows it: the message, the lines of the source that it is about, and the advice.

use std::fmt;
use std::ops::Range;

use miette::{Diagnostic, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::error::{Error, Source, printable};

/// Most bytes of a line that are shown; far longer lines cannot be drawn.
const WINDOW: usize = 240;

/// How many of them stand before the place that the message is about.
const BEFORE: usize = 80;

/// Stands for the part of a line that is left out.
const CUT: &str = "…";

/// An error that miette can draw.
#[derive(Debug)]
pub struct Quoted {
    error: Error,
    text: Option<Excerpt>,
}

/// The lines that are quoted, long ones cut.
#[derive(Debug)]
struct Excerpt {
    file: String,
    lines: String,
    /// The place that the message is about, in these lines and on one of them.
    place: Range<usize>,
    /// Number of lines above those quoted.
    above: usize,
    /// Where the place is in its line as written.
    column: usize,
}

/// The part of a line that is shown.
struct Window {
    text: String,
    /// The bytes of the line that it shows.
    shown: Range<usize>,
    /// Bytes of the mark in front of them.
    mark: usize,
}

impl From<Error> for Quoted {
    fn from(error: Error) -> Self {
        let place = error.place();
        let text = place.and_then(|place| Some(Excerpt::new(error.source_text()?, place)));
        Self { error, text }
    }
}

impl Excerpt {
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

impl fmt::Display for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.error.to_string()))
    }
}

impl std::error::Error for Quoted {}

impl Diagnostic for Quoted {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(printable(self.error.advice()?)))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self.text.as_ref()?)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.text.as_ref()?.place.clone();
        let label = LabeledSpan::new_with_span(Some("here".to_string()), place);
        Some(Box::new(std::iter::once(label)))
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        context_lines_before: usize,
        context_lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let lines = self.lines.read_span(span, context_lines_before, context_lines_after)?;
        // Without context this is asked for the column of the place, which the cut has moved.
        let column = if lines.column() == 0 { 0 } else { self.column };
        Ok(Box::new(MietteSpanContents::new_named(
            self.file.clone(),
            lines.data(),
            *lines.span(),
            lines.line() + self.above,
            column,
            lines.line_count(),
        )))
    }
}
