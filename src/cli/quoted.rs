//! An error as the terminal shows it: the message, the lines of the source that it is about, and the advice.

use std::fmt;

use miette::{Diagnostic, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::error::{Error, Source};

/// An error that miette can draw.
#[derive(Debug)]
pub struct Quoted {
    error: Error,
    text: Option<Text>,
}

/// The text that is quoted.
#[derive(Debug)]
struct Text(Source);

impl From<Error> for Quoted {
    fn from(error: Error) -> Self {
        let text = error.place().and_then(|_| error.source_text().cloned()).map(Text);
        Self { error, text }
    }
}

impl fmt::Display for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for Quoted {}

impl Diagnostic for Quoted {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.error.advice()?))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self.text.as_ref()?)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        // A label outside the text cannot be drawn.
        let place = self.text.as_ref()?.0.within(self.error.place()?);
        let label = LabeledSpan::new_with_span(Some("here".to_string()), place);
        Some(Box::new(std::iter::once(label)))
    }
}

impl SourceCode for Text {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        context_lines_before: usize,
        context_lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let Source { file, text } = &self.0;
        let lines = text.read_span(span, context_lines_before, context_lines_after)?;
        Ok(Box::new(MietteSpanContents::new_named(
            file.clone(),
            lines.data(),
            *lines.span(),
            lines.line(),
            lines.column(),
            lines.line_count(),
        )))
    }
}
