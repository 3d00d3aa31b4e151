//! What a search within a step has found out about its flow.

/// Rates of all components at parts of a step, for the next component to ask for the same parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Looks {
    pub parts: Vec<f64>,
    /// Those at each part, one after the other; NaN where the flow has none.
    pub rates: Vec<f64>,
}
