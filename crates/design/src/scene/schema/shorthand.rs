//! What is written as a number, a text or a list, or with its fields: `1.5`, `"2*k"`, `(value: 1.5, unit: "m")`.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};

use super::finite::Finite;

/// The forms in which a value may be written; those that a type leaves out are errors.
pub(super) trait Shorthand<'de>: Sized {
    /// The forms in words.
    const EXPECTED: &'static str;

    fn from_number(_finite: f64) -> Option<Self> {
        None
    }

    fn from_text(_text: &str) -> Option<Self> {
        None
    }

    fn from_list<A: SeqAccess<'de>>(_list: A) -> Result<Self, A::Error> {
        Err(A::Error::invalid_type(Unexpected::Seq, &Self::EXPECTED))
    }

    fn from_fields<A: MapAccess<'de>>(_fields: A) -> Result<Self, A::Error> {
        Err(A::Error::invalid_type(Unexpected::Map, &Self::EXPECTED))
    }
}

struct Forms<T>(PhantomData<T>);

impl<'de, T: Shorthand<'de>> Visitor<'de> for Forms<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<T, E> {
        let refused = || E::invalid_type(Unexpected::Float(value), &self);
        T::from_number(Finite::checked(value)?).ok_or_else(refused)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<T, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<T, E> {
        self.visit_f64(value as f64)
    }

    fn visit_char<E: Error>(self, value: char) -> Result<T, E> {
        Err(E::invalid_type(Unexpected::Char(value), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::from_text(text).ok_or_else(|| E::invalid_type(Unexpected::Str(text), &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<T, A::Error> {
        T::from_list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
        T::from_fields(fields)
    }
}

/// Reads a value in any of its forms.
pub(super) fn any_form<'de, T: Shorthand<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_any(Forms(PhantomData))
}

/// Makes types with shorthands readable.
macro_rules! deserialize_in_any_form {
    ($($of:ty),+) => {
        $(impl<'de> serde::Deserialize<'de> for $of {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                super::shorthand::any_form(deserializer)
            }
        })+
    };
}
pub(super) use deserialize_in_any_form;
