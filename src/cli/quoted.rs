//! An error as the terminal shows it: the message, the lines of the source that it is about, and the advice.

use std::fmt;

use miette::{Diagnostic, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::error::{Error, printable};
use crate::output::Excerpt;

/// An error that miette can draw.
#[derive(Debug)]
pub struct Quoted {
    error: Error,
    text: Option<Excerpt>,
}

impl From<Error> for Quoted {
    fn from(error: Error) -> Self {
        let text = Excerpt::of(&error);
        Self { error, text }
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
