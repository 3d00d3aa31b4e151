//! Whole numbers from expressions of indices and constants.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::fault::Fault;
use super::scope::Scope;
use crate::expression::{Expression, is_reserved, suggest};

/// Greatest magnitude of an index.
const GREATEST: f64 = 1e9;

/// Most bytes that repetitions may add to a scene.
const LARGEST: usize = 32 << 20;

/// What a repetition costs beside its text, so that empty ones end too.
const COPY: usize = 64;

/// What the top level of a scene names, as far as indices ask for it.
#[derive(Default)]
pub struct Values {
    constants: BTreeMap<String, Constant>,
    /// What bears each name.
    taken: HashMap<String, &'static str>,
    /// The constants that indices and ranges read, directly or not.
    pub read: BTreeSet<String>,
    /// Bytes that repetitions have added so far.
    added: usize,
}

struct Constant {
    /// None where it has no value.
    value: Option<f64>,
    /// The constants that it is an expression of.
    sources: Vec<String>,
}

/// A whole number and whether it changes with an index.
pub struct Whole {
    pub value: i64,
    pub varies: bool,
}

impl Values {
    /// Says what bears a name; of a family, what stands before its brackets.
    pub fn take(&mut self, name: &str, what: &'static str) {
        self.taken.insert(name.to_string(), what);
        if let Some((family, _)) = name.split_once('[') {
            self.taken.entry(family.to_string()).or_insert(what);
        }
    }

    /// Adds a constant with the text of its value, or with the value that was set for it.
    pub fn add_constant(&mut self, name: &str, text: &str, set: Option<f64>) {
        let expression = match set {
            Some(value) => Some(Expression::constant(value)),
            None => Expression::parse(text).ok(),
        };
        let constant = expression.map(|expression| {
            let sources = expression.variables().iter().map(|variable| variable.name.clone());
            let sources: Vec<String> = sources.collect();
            let known = sources.iter().map(|name| self.constants.get(name)?.value);
            let values = known.collect::<Option<Vec<f64>>>();
            let value = values.map(|values| expression.evaluate(&values));
            Constant {
                value: value.filter(|value| value.is_finite()),
                sources,
            }
        });
        let without = Constant {
            value: None,
            sources: Vec::new(),
        };
        self.constants.insert(name.to_string(), constant.unwrap_or(without));
    }

    /// Counts one more copy of so many bytes.
    pub fn spend(&mut self, bytes: usize, place: Range<usize>) -> Result<(), Fault> {
        self.added += COPY + bytes;
        if self.added <= LARGEST {
            return Ok(());
        }
        let message = format!(
            "the repetitions of the scene add more than {} MiB of text",
            LARGEST >> 20
        );
        Err(Fault::new(place, message).advise("repeat fewer entries"))
    }

    /// Refuses a name that an index cannot have.
    pub fn check_index(&self, name: &str, place: Range<usize>, scope: &Scope) -> Result<(), Fault> {
        let refuse = |meaning: String| {
            let message = format!("`{name}` cannot be an index: {meaning}");
            Err(Fault::new(place.clone(), message).advise("choose another name for the index"))
        };
        if scope.get(name).is_some() {
            return refuse("it is one already here".to_string());
        }
        if name == "t" || is_reserved(name) {
            return refuse("expressions know it as something else".to_string());
        }
        match self.taken.get(name) {
            Some(what) => refuse(format!("the scene has {what} of this name")),
            None => Ok(()),
        }
    }

    /// The whole number that a text stands for; `place` is what messages are about.
    pub fn whole(&mut self, text: &str, place: Range<usize>, scope: &Scope) -> Result<Whole, Fault> {
        let fault = |message: String| Fault::new(place.clone(), message);
        let expression = Expression::parse(text).map_err(|error| {
            let advice = error
                .advice
                .unwrap_or_else(|| "write a formula of indices and constants".to_string());
            fault(format!("`{}` is no index: {}", text.trim(), error.message))
                .advise(advice)
                .foreign()
        })?;
        let mut numbers = Vec::new();
        let mut varies = false;
        for variable in expression.variables() {
            let index = scope.get(&variable.name);
            varies |= index.is_some();
            numbers.push(match index {
                Some(index) => index as f64,
                None => self.constant(&variable.name, place.clone(), scope)?,
            });
        }
        let value: f64 = expression.evaluate(&numbers);
        let nearest = value.round();
        // What is divided and multiplied again may miss a whole number by rounding.
        let whole = (value - nearest).abs() <= 1e-9 * nearest.abs().max(1.0) && nearest.abs() <= GREATEST;
        if !whole {
            let wrong = fault(format!("`{}` is {value}, which is not an index", text.trim()))
                .advise(format!("indices are whole numbers between -{GREATEST} and {GREATEST}"));
            return Err(if expression.is_constant() {
                wrong.foreign()
            } else {
                wrong
            });
        }
        Ok(Whole {
            value: nearest as i64,
            varies,
        })
    }

    fn constant(&mut self, name: &str, place: Range<usize>, scope: &Scope) -> Result<f64, Fault> {
        let fault = |message: String| Fault::new(place.clone(), message);
        if let Some(constant) = self.constants.get(name) {
            let Some(value) = constant.value else {
                return Err(fault(format!("the constant `{name}` has no value here"))
                    .advise("a constant is a number or an expression of constants before it"));
            };
            self.note_read(name);
            return Ok(value);
        }
        let family = name.split_once('[').map_or(name, |(family, _)| family);
        if self.taken.get(family) == Some(&"a parameter") {
            return Err(
                fault(format!("an index cannot depend on the parameter `{name}`")).advise(format!(
                    "nothing can be differentiated by a number of parts; write `{name}` in `constants`"
                )),
            );
        }
        let indices = scope.indices.iter().map(|(name, _)| name.as_str());
        let known = indices.chain(self.constants.keys().map(String::as_str));
        let advice = suggest(name, known, "indices and constants");
        Err(fault(format!("there is no index and no constant `{name}` here"))
            .advise(advice)
            .foreign())
    }

    fn note_read(&mut self, name: &str) {
        let mut waiting = vec![name.to_string()];
        while let Some(name) = waiting.pop() {
            if let Some(constant) = self.constants.get(&name) {
                waiting.extend(
                    constant
                        .sources
                        .iter()
                        .filter(|source| !self.read.contains(*source))
                        .cloned(),
                );
            }
            self.read.insert(name);
        }
    }
}
