//! Numbers, parameters and ordered maps of names.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor, value::MapAccessDeserializer};

use super::finite::Finite;
use super::shorthand::{Shorthand, deserialize_in_any_form};

/// A number as written: a literal or the text of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// A literal such as `1.5`; always finite.
    Literal(f64),
    /// An expression of named parameters such as `"sqrt(5)"`, not yet parsed.
    Text(String),
}

/// A named parameter.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct Parameter {
    /// Its value, possibly an expression of earlier parameters.
    pub value: Number,
    /// Unit, for reports only; empty when left out.
    #[serde(default)]
    pub unit: String,
    /// Least and greatest sensible value, in the unit of the value.
    pub bounds: Option<(Finite, Finite)>,
    /// What it is, for reports only; empty when left out.
    #[serde(default)]
    pub about: String,
}

/// A named value beside the motion.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct Memory {
    /// Its value at the start.
    pub start: Number,
    /// Its rate; when left out only events change it.
    pub rate: Option<String>,
}

/// Entries of a map in the order of the file; a name used twice is an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Named<T>(pub Vec<(String, T)>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Named<T> {
    /// The entries with their names, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Names of the entries, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entry of that name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }
}

deserialize_in_any_form!(Number, Parameter, Memory);

impl<'de> Shorthand<'de> for Number {
    const EXPECTED: &'static str = "a number or an expression in quotes";

    fn from_number(value: f64) -> Option<Self> {
        Some(Self::Literal(value))
    }

    fn from_text(text: &str) -> Option<Self> {
        Some(Self::Text(text.to_string()))
    }
}

impl Parameter {
    /// A parameter with this value and nothing else.
    pub fn of(value: Number) -> Self {
        Self {
            value,
            unit: String::new(),
            bounds: None,
            about: String::new(),
        }
    }
}

impl<'de> Shorthand<'de> for Parameter {
    const EXPECTED: &'static str =
        "a number, an expression in quotes, or (value: .., unit: .., bounds: (low, high), about: ..)";

    fn from_number(value: f64) -> Option<Self> {
        Number::from_number(value).map(Self::of)
    }

    fn from_text(text: &str) -> Option<Self> {
        Number::from_text(text).map(Self::of)
    }

    fn from_fields<A: MapAccess<'de>>(fields: A) -> Result<Self, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(fields))
    }
}

impl Memory {
    fn constant(start: Number) -> Self {
        Self { start, rate: None }
    }
}

impl<'de> Shorthand<'de> for Memory {
    const EXPECTED: &'static str = "a number, an expression in quotes, or (start: .., rate: \"..\")";

    fn from_number(value: f64) -> Option<Self> {
        Number::from_number(value).map(Self::constant)
    }

    fn from_text(text: &str) -> Option<Self> {
        Number::from_text(text).map(Self::constant)
    }

    fn from_fields<A: MapAccess<'de>>(fields: A) -> Result<Self, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(fields))
    }
}

struct NamedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for NamedVisitor<T> {
    type Value = Named<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a map { \"name\": value, .. }")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named<T>, A::Error> {
        let mut names = HashSet::new();
        let mut entries = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if !names.insert(name.clone()) {
                return Err(de::Error::custom(format!(
                    "the name \"{name}\" is used twice in this map"
                )));
            }
            entries.push((name, map.next_value()?));
        }
        Ok(Named(entries))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NamedVisitor(PhantomData))
    }
}
