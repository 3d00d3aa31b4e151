//! Measured data that objectives compare the motion with.

use super::quantity::Output;

/// The data of one objective: sum of weight times (value - measured)^2.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Name of the objective.
    pub objective: String,
    /// Path of the data file as written.
    pub file: String,
    /// What was measured.
    pub channels: Vec<Channel>,
    /// The measured values, at least one, in the order of the channels and of the rows.
    pub data: Vec<Datum>,
    /// Whether the weights are 1/sigma^2 with known standard deviations sigma.
    pub deviations_known: bool,
}

/// A measured column.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its name.
    pub column: String,
    /// What it measures, as written.
    pub text: String,
    /// What it measures.
    pub of: Measured,
}

/// What a column measures.
#[derive(Clone, Debug)]
pub enum Measured {
    /// The value of an expression at given times.
    Value(Output),
    /// The times of events with these names in reports.
    EventTimes(Vec<String>),
}

/// A measured value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Datum {
    /// Index of its channel.
    pub channel: usize,
    /// Which value of the channel it is.
    pub at: MeasuredAt,
    /// The value, in the unit of the channel.
    pub measured: f64,
    /// Weight of the squared difference, positive.
    pub weight: f64,
    /// Line in the data file.
    pub line: usize,
}

/// Which value of a channel was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MeasuredAt {
    /// That at a time (s).
    Time(f64),
    /// The time of this occurrence of the event, counted from 1.
    Occurrence(usize),
}

/// A measured value by its place: its fit among those of the model, and its datum in the data of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FitDatum {
    /// Index of the fit.
    pub fit: usize,
    /// Index of the datum.
    pub datum: usize,
}

/// What is due at an instant: a measured value, or an entry of [`Model::readings`](super::Model::readings).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// A value that was measured then.
    Datum(FitDatum),
    /// The value of an expression then.
    Reading(usize),
}
