//! How a mechanism leaves a singular position that it starts in (theory, 5.6).

/// Time that counts as that of the start, over the time in which the mechanism moves by its size: nearer rows count as dependent.
const AT_START: f64 = 1e-9;

/// What is known of a motion at the singular position that it starts in, where the constraints by themselves determine neither
/// its accelerations nor a choice of independent rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Departure {
    /// Time of the start (s).
    pub t: f64,
    /// Time in which the mechanism moves by its size (s).
    pub span: f64,
    /// The first of the joints whose rows depend on each other there.
    pub joint: String,
    /// Rows of the mode that are independent at the position, ascending.
    pub independent: Vec<usize>,
    /// Rows over the accelerations beside those, each with the value that it has: what keeps the motion on its branch (5.7).
    pub along: Vec<(Vec<f64>, f64)>,
    /// Rows of the mode that are independent beside the position, ascending.
    pub beside: Vec<usize>,
}

impl Departure {
    /// Whether a time is that of the start.
    pub fn is_at(&self, t: f64) -> bool {
        (t - self.t).abs() <= AT_START * self.span
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let rows = self.along.iter().map(|(row, _)| size_of_val(&row[..]));
        let chosen = [&self.independent, &self.beside].map(|rows| size_of_val(&rows[..]));
        size_of::<Self>() + chosen.iter().sum::<usize>() + rows.sum::<usize>()
    }
}
