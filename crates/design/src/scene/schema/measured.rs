//! Measured columns of a data file, as written.

use serde::Deserialize;
use serde::de::{MapAccess, value::MapAccessDeserializer};

use super::shorthand::{Shorthand, deserialize_in_any_form};

/// What a column of a data file measures.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct Measured {
    /// An output or expression, or the event whose times the column lists.
    pub of: String,
    /// Standard deviation of its values; that of the whole fit when left out.
    pub sigma: Option<Cells>,
    /// Weight of its squared misses; that of the whole fit when left out.
    pub weight: Option<Cells>,
}

impl Measured {
    /// What is measured, without a deviation of its own.
    pub fn of(text: &str) -> Self {
        Self {
            of: text.to_string(),
            sigma: None,
            weight: None,
        }
    }
}

/// A plain number for all rows, or the column that has one for each.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// The same finite number for all rows.
    Value(f64),
    /// The name of a column.
    Column(String),
}

deserialize_in_any_form!(Cells, Measured);

impl<'de> Shorthand<'de> for Cells {
    const EXPECTED: &'static str = "a plain number, or the name of a column in quotes";

    fn from_number(value: f64) -> Option<Self> {
        Some(Self::Value(value))
    }

    fn from_text(column: &str) -> Option<Self> {
        Some(Self::Column(column.to_string()))
    }
}

impl<'de> Shorthand<'de> for Measured {
    const EXPECTED: &'static str = "what the column measures in quotes, or (of: \"..\", sigma: .., weight: ..)";

    fn from_text(of: &str) -> Option<Self> {
        Some(Self::of(of))
    }

    fn from_fields<A: MapAccess<'de>>(fields: A) -> Result<Self, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(fields))
    }
}
