//! The one error type: what failed, where, when, with which value, and what to do about it.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::scalar::shortest;

/// Result of every fallible function of the crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What kind of failure an [`Error`] is; callers that go on after a failure (an optimizer that backs off) match on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The scene text is not a valid scene.
    Scene,
    /// A file could not be read or written.
    File,
    /// The constraints cannot be closed near the guess, or the initial velocities contradict them.
    Assembly,
    /// A linear system of the dynamics has no unique solution.
    Singular,
    /// A value that must be finite is not.
    NotFinite,
    /// The step size fell below the resolution of time, or the step count exceeded its bound.
    StepSize,
    /// An event has no well-defined outcome or derivative: grazing, accumulation, contradictory impact conditions.
    Event,
    /// The certificate of a gradient found a contradiction.
    Certificate,
    /// The caller asked for an end.
    Interrupted,
    /// The machine cannot draw, or has no display.
    Graphics,
    /// The request itself cannot be served (an unknown name, an option out of range).
    Request,
    /// The command line contradicts itself or the scene.
    Usage,
}

impl ErrorKind {
    /// All kinds.
    pub const ALL: [Self; 12] = [
        Self::Scene,
        Self::File,
        Self::Assembly,
        Self::Singular,
        Self::NotFinite,
        Self::StepSize,
        Self::Event,
        Self::Certificate,
        Self::Interrupted,
        Self::Graphics,
        Self::Request,
        Self::Usage,
    ];

    /// The kind with the name that `Debug` writes.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| format!("{kind:?}") == name)
    }
}

/// The text of a scene together with the name of its file, for messages that quote the offending line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// File name as given by the user.
    pub file: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// The range moved to character boundaries inside the text.
    pub fn within(&self, place: Range<usize>) -> Range<usize> {
        let start = self.text.floor_char_boundary(place.start);
        let end = self.text.ceil_char_boundary(place.end).max(start);
        start..end
    }
}

/// Whether a character does something other than to stand in its place: controls of the terminal, and marks that turn the
/// direction of the text after them.
pub fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text that may go to a terminal: question marks, one per byte, for all controls but tabs and line breaks.
pub fn printable(text: &str) -> Cow<'_, str> {
    let raw = |c: char| is_control(c) && !matches!(c, '\t' | '\n');
    if !text.contains(raw) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match raw(c) {
            true => shown.extend(std::iter::repeat_n('?', c.len_utf8())),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// A failure with its place and advice. Cheap to move: the details are boxed.
#[derive(Clone, Debug, PartialEq)]
pub struct Error(Box<Details>);

#[derive(Clone, Debug, PartialEq)]
struct Details {
    kind: ErrorKind,
    message: String,
    advice: Option<String>,
    name: Option<String>,
    time: Option<f64>,
    value: Option<f64>,
    place: Option<Range<usize>>,
    source: Option<Arc<Source>>,
}

impl Error {
    /// A failure of the given kind with a message for the user.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Details {
            kind,
            message: message.into(),
            advice: None,
            name: None,
            time: None,
            value: None,
            place: None,
            source: None,
        }))
    }

    /// Adds what the user can do about it.
    #[must_use]
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.0.advice = Some(advice.into());
        self
    }

    /// Adds the name of the element, parameter or objective concerned.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.0.name = Some(name.into());
        self
    }

    /// Begins the message with the circumstances that it is about.
    #[must_use]
    pub fn about(mut self, circumstances: &str) -> Self {
        self.0.message = format!("{circumstances}: {}", self.0.message);
        self
    }

    /// Adds the simulated time in seconds.
    #[must_use]
    pub fn at_time(mut self, t: f64) -> Self {
        self.0.time.get_or_insert(t);
        self
    }

    /// Adds the offending value.
    #[must_use]
    pub fn with_value(mut self, value: f64) -> Self {
        self.0.value = Some(value);
        self
    }

    /// Adds the byte range of the source text that the message is about.
    #[must_use]
    pub fn at_place(mut self, place: Range<usize>) -> Self {
        self.0.place.get_or_insert(place);
        self
    }

    /// Attaches the source text that [`Error::at_place`] refers to.
    #[must_use]
    pub fn in_source(mut self, source: Arc<Source>) -> Self {
        self.0.source.get_or_insert(source);
        self
    }

    /// The same with only a part of its source, called `file`, where the place lies in that.
    #[must_use]
    pub fn in_part(mut self, part: Range<usize>, file: &str) -> Self {
        let Details {
            place: Some(place),
            source: Some(source),
            ..
        } = &mut *self.0
        else {
            return self;
        };
        if part.start <= place.start && place.end <= part.end {
            *place = place.start - part.start..place.end - part.start;
            *source = Arc::new(Source {
                file: file.to_string(),
                text: source.text[part].to_string(),
            });
        }
        self
    }

    /// The kind of failure.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message alone, without time, name and advice.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What the user can do about it.
    pub fn advice(&self) -> Option<&str> {
        self.0.advice.as_deref()
    }

    /// The name of the element, parameter or objective concerned.
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// The simulated time of the failure in seconds.
    pub fn time(&self) -> Option<f64> {
        self.0.time
    }

    /// The offending value.
    pub fn value(&self) -> Option<f64> {
        self.0.value
    }

    /// The source text that the failure is about, when it is known.
    pub fn source_text(&self) -> Option<&Source> {
        self.0.source.as_deref()
    }

    /// Line of the place in the source text, counted from 1.
    pub fn line(&self) -> Option<usize> {
        let place = self.0.place.clone()?;
        let source = self.0.source.as_deref()?;
        let before = &source.text[..source.within(place).start];
        Some(1 + before.matches('\n').count())
    }

    /// The byte range in the source text.
    pub fn place(&self) -> Option<Range<usize>> {
        self.0.place.clone()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.message)?;
        if let Some(time) = self.0.time {
            write!(f, " (at t = {} s)", shortest(time))?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
