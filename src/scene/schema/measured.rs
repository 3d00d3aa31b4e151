//! Measured columns of a data file, as written.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};

use super::Number;
use super::number::{FromNumber, read_number};

/// What a column of a data file measures.
#[derive(Clone, Debug, PartialEq)]
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "Measured")]
struct MeasuredFields {
    of: String,
    #[serde(default)]
    sigma: Option<Cells>,
    #[serde(default)]
    weight: Option<Cells>,
}

impl FromNumber for Cells {
    const EXPECTED: &'static str = "a plain number, or the name of a column in quotes";

    fn from_number(number: Number) -> Self {
        match number {
            Number::Literal(value) => Self::Value(value),
            Number::Text(column) => Self::Column(column),
        }
    }
}

impl<'de> Deserialize<'de> for Cells {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_number(deserializer)
    }
}

struct MeasuredVisitor;

impl<'de> Visitor<'de> for MeasuredVisitor {
    type Value = Measured;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("what the column measures in quotes, or (of: \"..\", sigma: .., weight: ..)")
    }

    fn visit_str<E: de::Error>(self, of: &str) -> Result<Measured, E> {
        Ok(Measured::of(of))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Measured, A::Error> {
        let MeasuredFields { of, sigma, weight } = MeasuredFields::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Measured { of, sigma, weight })
    }
}

impl<'de> Deserialize<'de> for Measured {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MeasuredVisitor)
    }
}
