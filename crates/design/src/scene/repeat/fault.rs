//! What is wrong with an index or a range in a text of the scene.

use std::ops::Range;

/// What is wrong, and with which bytes of the text.
#[derive(Clone, Debug)]
pub struct Fault {
    pub span: Range<usize>,
    pub message: String,
    pub advice: String,
    /// Whether the brackets may mean something else where nothing is repeated, such as a unit.
    pub foreign: bool,
}

impl Fault {
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            advice: String::new(),
            foreign: false,
        }
    }

    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }

    pub fn foreign(mut self) -> Self {
        self.foreign = true;
        self
    }
}
