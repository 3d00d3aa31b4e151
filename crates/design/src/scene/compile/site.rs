//! The place of a value in the scene file, for messages and for the names of numbers.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::expression::{Expression, suggest};
use crate::model::expressions::ExpressionOwner;
use crate::scene::SceneFile;
use crate::scene::schema::Finite;

/// A path into the scene: the map, the name of the element, fields and indices.
#[derive(Clone)]
pub(super) struct Site<'s> {
    file: &'s SceneFile,
    segments: Vec<String>,
}

impl<'s> Site<'s> {
    pub(super) fn new(file: &'s SceneFile, field: &str) -> Self {
        Self {
            file,
            segments: vec![field.to_string()],
        }
    }

    /// The site one level further in.
    pub(super) fn at(&self, segment: impl ToString) -> Self {
        let mut inner = self.clone();
        inner.segments.push(segment.to_string());
        inner
    }

    /// Name of the element that the site lies in.
    pub(super) fn element(&self) -> &str {
        self.segments
            .get(1)
            .or(self.segments.first())
            .map_or("", String::as_str)
    }

    /// What an expression at this site belongs to.
    pub(super) fn owner(&self) -> ExpressionOwner {
        match self.segments.first().map(String::as_str) {
            Some("forces") => ExpressionOwner::Force,
            Some("objectives") => ExpressionOwner::Objective,
            Some("outputs") => ExpressionOwner::Output,
            _ => ExpressionOwner::Joint,
        }
    }

    /// Name of a number at this site: `left rod.length`, `gravity`, `simulation.duration`.
    pub(super) fn label(&self) -> String {
        match self.segments.as_slice() {
            [map, rest @ ..] if !rest.is_empty() && map != "simulation" => rest.join("."),
            all => all.join("."),
        }
    }

    /// Whether the scene has a memory of this name.
    pub(super) fn has_memory(&self, name: &str) -> bool {
        self.file.scene.memory.get(name).is_some()
    }

    /// An error about the value at this site.
    pub(super) fn error(&self, message: impl Into<String>) -> Error {
        self.file.error(&self.path(), message)
    }

    /// Refuses the value at this site.
    pub(super) fn refuse<T>(&self, message: impl Into<String>, advice: impl Into<String>) -> Result<T> {
        Err(self.error(message).advise(advice))
    }

    /// The error at this site, unless it has a place of its own.
    pub(super) fn placed(&self, error: Error) -> Error {
        let error = self.file.located_import(self.element(), error);
        match self.file.place(&self.path()).filter(|_| error.place().is_none()) {
            Some(place) => error.at_place(place).in_source(self.file.source.clone()),
            None => error,
        }
    }

    /// The error for a name at this site that is none of the known ones; `kinds` is the plural of `kind`.
    pub(super) fn unknown<'a>(
        &self,
        [kind, kinds]: [&str; 2],
        name: &str,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> Error {
        self.error(format!("there is no {kind} `{name}`"))
            .advise(suggest(name, known, kinds))
    }

    /// Refuses the name of the map entry at this site.
    pub(super) fn refuse_name<T>(&self, message: impl Into<String>, advice: impl Into<String>) -> Result<T> {
        self.at("key").refuse(message, advice)
    }

    /// An error about a part of the text at this site.
    pub(super) fn error_inside(&self, span: Range<usize>, message: impl Into<String>) -> Error {
        self.file.error_in_text(&self.path(), span, message)
    }

    /// The expression whose text stands at this site.
    pub(super) fn expression(&self, text: &str) -> Result<Expression> {
        Expression::parse(text).map_err(|error| {
            let shown = self.error_inside(error.span, error.message);
            let advice = error.advice.as_deref();
            shown.advise(advice.unwrap_or("write a formula of numbers and names that has a value, such as `2*k`"))
        })
    }

    /// A plain number in a field of this site that must be positive (or zero, if allowed).
    pub(super) fn plain(&self, field: &str, value: Option<Finite>, default: f64, zero: bool) -> Result<f64> {
        match value.map(|value| value.0) {
            Some(value) if value < 0.0 || (value == 0.0 && !zero) => {
                Err(self.not_positive(field, value, if zero { "at least zero" } else { "positive" }))
            }
            value => Ok(value.unwrap_or(default)),
        }
    }

    /// A count of at least one in a field of this site.
    pub(super) fn counted<T: Copy + Into<u64>>(&self, field: &str, value: Option<T>, default: T) -> Result<T> {
        match value {
            Some(value) if value.into() == 0 => Err(self.not_positive(field, 0.0, "at least 1")),
            _ => Ok(value.unwrap_or(default)),
        }
    }

    fn not_positive(&self, field: &str, value: f64, rule: &str) -> Error {
        self.at(field)
            .error(format!("`{field}` is {value}, but must be {rule}"))
            .with_value(value)
            .advise("leave the field out for its default")
    }

    fn path(&self) -> Vec<&str> {
        self.segments.iter().map(String::as_str).collect()
    }
}
