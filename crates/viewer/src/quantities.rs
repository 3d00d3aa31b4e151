//! Quantities that are no outputs of the scene.

/// What is asked for besides the outputs of the scene.
#[derive(Debug, Default)]
pub(super) struct Quantities {
    /// The expressions.
    pub(super) asked: Vec<String>,
    /// What is being written.
    pub(super) typed: String,
    /// Why that is no quantity.
    pub(super) refused: Option<String>,
}
