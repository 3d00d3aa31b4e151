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

/// A design that knows evaluated points, or keeps those that it evaluates.
pub struct Recall<'a> {
    design: &'a (dyn Design + Sync),
    known: HashMap<Key, Result<Evaluation>>,
    log: Option<Mutex<String>>,
}

impl<'a> Recall<'a> {
    /// A design of a problem, given by the name of its scene and its fingerprint, which knows the points of these texts, each from
    /// [`Recall::finish`], and keeps no further ones.
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
                let (key, result) = entry.ok_or_else(|| damaged(scene))?;
                known.insert(key, result);
            }
        }
        Ok(Self {
            design,
            known,
            log: None,
        })
    }

    /// A design of a problem, given as for [`Recall::new`], which knows no points and keeps all that it evaluates.
    ///
    /// # Errors
    /// Kind `Request` for a name that JSON has no form for.
    pub fn keeping(design: &'a (dyn Design + Sync), (scene, fingerprint): (&str, &str)) -> Result<Self> {
        let written = serde_json::to_string(&Header::new(scene, fingerprint));
        let header = written.map_err(|error| {
            let message = format!("the evaluated points cannot be written: {error}");
            let error = Error::new(ErrorKind::Request, message).named(scene);
            error.advise("compute all starts in one process")
        })?;
        Ok(Self {
            design,
            known: HashMap::new(),
            log: Some(Mutex::new(header + "\n")),
        })
    }

    /// The points that were kept.
    pub fn finish(self) -> String {
        let log = self.log.unwrap_or_default();
        log.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

fn damaged(scene: &str) -> Error {
    let error = Error::new(ErrorKind::Request, "a line of the evaluated points is damaged").named(scene);
    error.advise("hand on the texts of the workers unchanged, or compute their starts again")
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
        let Some(log) = &self.log else {
            return result;
        };
        // What has no form in the log is evaluated again.
        if let Some(line) = Entry::new(parameters, gradient, &result).and_then(|entry| entry.line().ok()) {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
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
