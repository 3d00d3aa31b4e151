//! Evaluated points as a text, with which an optimization is begun in one process and ended in another.
//!
//! As a [`Checkpoint`](super::Checkpoint) on disk: methods are deterministic, so that one that begins again over the known points gets
//! to where it was without simulating. Here the log is a text, so that starts can be computed elsewhere.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::checkpoint::{Entry, Header, Key, key};
use super::design::{Design, Evaluation};
use super::interrupt::interrupted;
use crate::error::{Error, ErrorKind, Result};

/// A design that knows evaluated points, and keeps those that it evaluates.
pub struct Recall<'a> {
    design: &'a (dyn Design + Sync),
    known: HashMap<Key, Result<Evaluation>>,
    log: Mutex<String>,
}

impl<'a> Recall<'a> {
    /// A design of a problem, given by the name of its scene and its fingerprint, which knows the points of these texts, each from
    /// [`Recall::finish`].
    ///
    /// # Errors
    /// Kind `Request` for points of another problem or another build of the program, and for a text that is damaged.
    pub fn new<'t>(
        design: &'a (dyn Design + Sync),
        (scene, fingerprint): (&str, &str),
        texts: impl IntoIterator<Item = &'t str>,
    ) -> Result<Self> {
        let own = Header::new(scene, fingerprint);
        let mut known = HashMap::new();
        for text in texts {
            let (first, entries) = text.split_once('\n').unwrap_or((text, ""));
            if serde_json::from_str::<Header>(first).ok().as_ref() != Some(&own) {
                let message = "the evaluated points are of another problem, or of another build of costate";
                let advice = "let all workers run the same build of costate on the same scene";
                return Err(Error::new(ErrorKind::Request, message).named(scene).advise(advice));
            }
            for line in entries.lines() {
                let entry = Entry::read(line).and_then(Entry::recall);
                let damaged =
                    || Error::new(ErrorKind::Request, "a line of the evaluated points is damaged").named(scene);
                let (key, result) = entry.ok_or_else(damaged)?;
                known.insert(key, result);
            }
        }
        let written = serde_json::to_string(&own);
        let header = written.map_err(|error| Error::new(ErrorKind::Request, error.to_string()))?;
        Ok(Self {
            design,
            known,
            log: Mutex::new(header + "\n"),
        })
    }

    /// The points that were evaluated.
    pub fn finish(self) -> String {
        self.log.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Design for Recall<'_> {
    fn accuracy(&self) -> f64 {
        self.design.accuracy()
    }

    fn evaluate(&self, parameters: &[f64], gradient: bool) -> Result<Evaluation> {
        if let Some(known) = self.known.get(&key(parameters, gradient)) {
            return known.clone();
        }
        let result = self.design.evaluate(parameters, gradient);
        // What has no form in the log is evaluated again.
        if let Some(line) = Entry::new(parameters, gradient, &result).and_then(|entry| entry.line().ok()) {
            let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
            log.push_str(&line);
        }
        result
    }
}

/// A design as accurate as another one, that evaluates nothing: over known points it tells what is not known yet.
pub struct Unevaluated {
    /// Of the values of the other design.
    pub accuracy: f64,
}

impl Design for Unevaluated {
    fn accuracy(&self) -> f64 {
        self.accuracy
    }

    fn evaluate(&self, _: &[f64], _: bool) -> Result<Evaluation> {
        Err(interrupted())
    }
}
