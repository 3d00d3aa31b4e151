//! Numbers, parameters and ordered maps of names.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Unexpected, Visitor, value::MapAccessDeserializer};

/// A number as written: a literal or the text of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// A literal such as `1.5`; always finite.
    Literal(f64),
    /// An expression of named parameters such as `"sqrt(5)"`, not yet parsed.
    Text(String),
}

/// A named parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its value, possibly an expression of earlier parameters.
    pub value: Number,
    /// Unit, for reports only; empty when left out.
    pub unit: String,
    /// Least and greatest sensible value, in the unit of the value; both finite.
    pub bounds: Option<(f64, f64)>,
    /// What it is, for reports only; empty when left out.
    pub about: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "Parameter")]
struct ParameterFields {
    value: Number,
    #[serde(default)]
    unit: String,
    #[serde(default)]
    bounds: Option<(Finite, Finite)>,
    #[serde(default)]
    about: String,
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

/// A plain number that is neither infinite nor NaN, both of which the text format would admit.
#[derive(Clone, Copy)]
pub(super) struct Finite(pub(super) f64);

fn finite<E: de::Error>(value: f64) -> Result<f64, E> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(E::custom(format!("{value} is not a finite number")))
    }
}

impl<'de> Deserialize<'de> for Finite {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        finite(f64::deserialize(deserializer)?).map(Self)
    }
}

/// Reads an optional plain number that must be finite.
pub(super) fn finite_option<'de, D>(deserializer: D) -> Result<Option<f64>, D::Error>
where
    D: Deserializer<'de>,
{
    let value = Option::<Finite>::deserialize(deserializer)?;
    Ok(value.map(|Finite(number)| number))
}

/// What can be written as a number, as an expression in quotes and perhaps as `(field: value, ..)`.
pub(super) trait FromNumber: Sized {
    const EXPECTED: &'static str;

    fn from_number(number: Number) -> Self;

    fn from_fields<'de, A: MapAccess<'de>>(_fields: A) -> Result<Self, A::Error> {
        Err(de::Error::invalid_type(Unexpected::Map, &Self::EXPECTED))
    }
}

impl FromNumber for Number {
    const EXPECTED: &'static str = "a number or an expression in quotes";

    fn from_number(number: Number) -> Self {
        number
    }
}

impl FromNumber for Parameter {
    const EXPECTED: &'static str =
        "a number, an expression in quotes, or (value: .., unit: .., bounds: (low, high), about: ..)";

    fn from_number(value: Number) -> Self {
        Self {
            value,
            unit: String::new(),
            bounds: None,
            about: String::new(),
        }
    }

    fn from_fields<'de, A: MapAccess<'de>>(fields: A) -> Result<Self, A::Error> {
        let fields = ParameterFields::deserialize(MapAccessDeserializer::new(fields))?;
        Ok(Self {
            value: fields.value,
            unit: fields.unit,
            bounds: fields.bounds.map(|(low, high)| (low.0, high.0)),
            about: fields.about,
        })
    }
}

struct NumberVisitor<T>(PhantomData<T>);

/// Reads what can be written as a number.
pub(super) fn read_number<'de, T: FromNumber, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_any(NumberVisitor(PhantomData))
}

impl<'de, T: FromNumber> Visitor<'de> for NumberVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<T, E> {
        finite(value).map(|value| T::from_number(Number::Literal(value)))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<T, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<T, E> {
        self.visit_f64(value as f64)
    }

    fn visit_char<E: de::Error>(self, value: char) -> Result<T, E> {
        Err(E::invalid_type(Unexpected::Char(value), &self))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        Ok(T::from_number(Number::Text(text.to_string())))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::from_fields(map)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_number(deserializer)
    }
}

impl<'de> Deserialize<'de> for Parameter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_number(deserializer)
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
