//! The indices that a copy of an entry is written with.

/// The indices at a place of the scene, outermost first; none outside of repetitions.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Names and values.
    pub indices: Vec<(String, i64)>,
    /// Which copy of the innermost repeated entry this is, from 0, and how many there are.
    pub copy: Option<(usize, usize)>,
    /// The note that says so.
    pub note: Option<usize>,
}

impl Scope {
    /// The value of an index.
    pub fn get(&self, name: &str) -> Option<i64> {
        self.indices
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| *value)
    }

    /// Whether this is outside of all repetitions.
    pub fn is_outside(&self) -> bool {
        self.indices.is_empty()
    }

    /// The scope with one more index.
    pub fn with(&self, name: &str, value: i64) -> Self {
        let mut inner = self.clone();
        inner.indices.push((name.to_string(), value));
        inner
    }

    /// The values in words, such as `i = 3, j = 1`.
    pub fn words(&self) -> String {
        let words = self.indices.iter().map(|(name, value)| format!("{name} = {value}"));
        words.collect::<Vec<_>>().join(", ")
    }
}
