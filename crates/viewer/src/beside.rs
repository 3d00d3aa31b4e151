//! Motions whose curves are drawn beside those of the shown one.

/// What a motion beside the shown one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    Kept,
    Predicted,
}

impl Beside {
    /// In a word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Predicted => "predicted",
        }
    }

    /// What its curves are.
    pub(super) fn lines(self) -> &'static str {
        match self {
            Self::Kept => "dashed",
            Self::Predicted => "dotted",
        }
    }

    /// Lengths of the dashes and gaps of its curves, in points.
    pub(super) fn dashes(self) -> [f32; 2] {
        match self {
            Self::Kept => [4.0, 3.0],
            Self::Predicted => [1.5, 2.0],
        }
    }
}
