//! The log of every evaluated point, from which an optimization goes on.
//!
//! The methods are deterministic: begun again, a method asks for the same points, and takes those that the log knows from
//! there. So it gets to where it was without simulating, whatever its own memory looks like, with one start or several,
//! and goes on to the same result, to the last bit. A line of the log is written at once after each simulation; a crash
//! can only tear the last one, which is then simulated again.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::design::{Design, Evaluation};
use super::interrupt::interrupted;
use crate::error::{Error, ErrorKind, Result};
use crate::files::{self, Lock, build, fingerprint};

/// Changes when the form of the file does.
const FORMAT: u32 = 2;

/// First line of the log.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    /// Form of the file.
    checkpoint: u32,
    /// Version and build of the program; another one may round differently.
    version: String,
    #[serde(default)]
    build: String,
    /// Name of the scene, for whoever looks into the file.
    scene: String,
    /// What is evaluated.
    fingerprint: String,
}

/// Any other line: an entry with what tells a damaged one.
#[derive(Deserialize)]
struct Line {
    checksum: String,
    entry: Entry,
}

/// What was found at a point.
#[derive(Serialize, Deserialize)]
pub(super) struct Entry {
    /// Values of the variables, in their units.
    parameters: Vec<f64>,
    /// Whether gradients were asked for.
    gradient: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    found: Option<Evaluation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failed: Option<Reason>,
}

/// Why a point has no value.
#[derive(Serialize, Deserialize)]
struct Reason {
    /// Name of the kind.
    kind: String,
    message: String,
    name: Option<String>,
    time: Option<f64>,
}

pub(super) type Key = (Vec<u64>, bool);

/// A design whose evaluations are logged in a file.
pub struct Checkpoint<'a> {
    design: &'a (dyn Design + Sync),
    known: HashMap<Key, Result<Evaluation>>,
    log: Mutex<Log>,
    /// Held as long as points may come.
    _lock: Lock,
}

struct Log {
    file: files::Log,
    /// What kept a line from being written.
    failure: Option<Error>,
}

impl<'a> Checkpoint<'a> {
    /// A new log for a problem: the name of its scene and its fingerprint. A log that is there already gets the ending
    /// `.old`, instead of the one that has it.
    ///
    /// # Errors
    /// Kind `File` when the log cannot be written, or another process writes it.
    pub fn create(path: &Path, scene: &str, fingerprint: &str, design: &'a (dyn Design + Sync)) -> Result<Self> {
        let failed = |error| unwritable(path, &error);
        let lock = Lock::take(path)?;
        if path.exists() {
            fs::rename(path, path.with_added_extension("old")).map_err(failed)?;
        }
        let mut file = files::Log::open(path, 0).map_err(failed)?;
        file.add(&line(&Header::new(scene, fingerprint)).map_err(|error| failed(error.into()))?)
            .map_err(failed)?;
        Ok(Self::new(design, HashMap::new(), file, lock))
    }

    /// Goes on with the log of the same problem.
    ///
    /// # Errors
    /// Kind `File` when it cannot be read, is damaged or cannot be written, or another process writes it; kind `Request` when it belongs to another
    /// problem.
    pub fn resume(path: &Path, scene: &str, fingerprint: &str, design: &'a (dyn Design + Sync)) -> Result<Self> {
        fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        let lock = Lock::take(path)?;
        let text = fs::read(path).map_err(|error| unreadable(path, &error))?;
        let text = String::from_utf8(text).map_err(|_| no_checkpoint(path))?;
        // What follows the last end of a line was torn.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].lines();
        let header = lines.next().and_then(|line| serde_json::from_str::<Header>(line).ok());
        let header = header.ok_or_else(|| no_checkpoint(path))?;
        if header != Header::new(scene, fingerprint) {
            return Err(another(path, &header, scene));
        }
        let mut known = HashMap::new();
        for (k, line) in lines.enumerate() {
            let entry = Entry::read(line).ok_or_else(|| damaged(path, k + 2))?;
            let (key, result) = entry.recall().ok_or_else(|| damaged(path, k + 2))?;
            known.insert(key, result);
        }
        let file = files::Log::open(path, whole as u64).map_err(|error| unwritable(path, &error))?;
        Ok(Self::new(design, known, file, lock))
    }

    fn new(
        design: &'a (dyn Design + Sync),
        known: HashMap<Key, Result<Evaluation>>,
        file: files::Log,
        lock: Lock,
    ) -> Self {
        Self {
            design,
            known,
            log: Mutex::new(Log { file, failure: None }),
            _lock: lock,
        }
    }

    /// Points that were read from the log.
    pub fn recalled(&self) -> usize {
        self.known.len()
    }

    /// Ends the log.
    ///
    /// # Errors
    /// Kind `File` when a line could not be written; the optimization was ended there.
    pub fn finish(self) -> Result<()> {
        let mut log = self.log.into_inner().unwrap_or_else(PoisonError::into_inner);
        let flushed = log.file.flush().map_err(|error| stopped(&error));
        log.failure.map_or(flushed, Err)
    }
}

impl Design for Checkpoint<'_> {
    fn accuracy(&self) -> f64 {
        self.design.accuracy()
    }

    fn evaluate(&self, parameters: &[f64], gradient: bool) -> Result<Evaluation> {
        if let Some(known) = self.known.get(&key(parameters, gradient)) {
            return known.clone();
        }
        let result = self.design.evaluate(parameters, gradient);
        let Some(entry) = Entry::new(parameters, gradient, &result) else {
            return result;
        };
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if log.failure.is_none() {
            log.failure = log.write(&entry).err().map(|error| stopped(&error));
        }
        if log.failure.is_some() {
            Err(interrupted())
        } else {
            result
        }
    }
}

impl Log {
    /// One entry, handed to the system before anything else happens.
    fn write(&mut self, entry: &Entry) -> std::io::Result<()> {
        self.file.add(entry.line()?.as_bytes())
    }
}

/// A line of the file.
fn line(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

impl Header {
    pub fn new(scene: &str, fingerprint: &str) -> Self {
        Self {
            checkpoint: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_string(),
            build: build().to_string(),
            scene: scene.to_string(),
            fingerprint: fingerprint.to_string(),
        }
    }
}

impl Entry {
    /// The entry of a result; none for those that are to be simulated again.
    pub fn new(parameters: &[f64], gradient: bool, result: &Result<Evaluation>) -> Option<Self> {
        let (parameters, mut found, mut failed) = (parameters.to_vec(), None, None);
        match result {
            // The file has no form for what is not a number.
            Ok(evaluation) if !evaluation.is_finite() => return None,
            Ok(evaluation) => found = Some(evaluation.clone()),
            Err(error) if error.kind() == ErrorKind::Interrupted => return None,
            Err(error) => failed = Some(Reason::new(error)),
        }
        Some(Self {
            parameters,
            gradient,
            found,
            failed,
        })
    }

    /// The entry of a line; none if a part of it has changed.
    pub fn read(line: &str) -> Option<Self> {
        let Line { checksum, entry } = serde_json::from_str(line).ok()?;
        (entry.checksum().ok()? == checksum).then_some(entry)
    }

    /// The line of the entry.
    pub fn line(&self) -> serde_json::Result<String> {
        let line = json!({"checksum": self.checksum()?, "entry": self});
        Ok(serde_json::to_string(&line)? + "\n")
    }

    /// What tells it from others: numbers are written and read exactly.
    fn checksum(&self) -> serde_json::Result<String> {
        serde_json::to_vec(self).map(fingerprint)
    }

    pub fn recall(self) -> Option<(Key, Result<Evaluation>)> {
        let result = match (self.found, self.failed) {
            (Some(evaluation), None) => Ok(evaluation),
            (None, Some(reason)) => Err(reason.error()?),
            _ => return None,
        };
        Some((key(&self.parameters, self.gradient), result))
    }
}

impl Reason {
    fn new(error: &Error) -> Self {
        Self {
            kind: format!("{:?}", error.kind()),
            message: error.message().to_string(),
            name: error.name().map(str::to_string),
            time: error.time(),
        }
    }

    /// `None` for a kind that does not exist.
    fn error(self) -> Option<Error> {
        let mut error = Error::new(ErrorKind::named(&self.kind)?, self.message);
        if let Some(name) = self.name {
            error = error.named(name);
        }
        if let Some(t) = self.time {
            error = error.at_time(t);
        }
        Some(error)
    }
}

pub(super) fn key(parameters: &[f64], gradient: bool) -> Key {
    (parameters.iter().map(|value| value.to_bits()).collect(), gradient)
}

fn stopped(error: &std::io::Error) -> Error {
    Error::new(ErrorKind::File, format!("the checkpoint cannot be written: {error}"))
        .advise("check that the disk is not full, then go on with --resume")
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    let advice = "name a folder with --out that you may write to";
    refused(format!("{} cannot be written: {error}", path.display()), advice)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let path = path.display();
    refused(
        format!("there is no checkpoint to resume: {path} cannot be read: {error}"),
        "give --out the folder of the interrupted run, or leave --resume out",
    )
}

fn no_checkpoint(path: &Path) -> Error {
    refused(
        format!("{} is not a checkpoint", path.display()),
        "leave --resume out to begin anew, which keeps that file with the ending .old",
    )
}

fn damaged(path: &Path, line: usize) -> Error {
    refused(
        format!("line {line} of {} is not one of a checkpoint", path.display()),
        "remove that line and those below it, or leave --resume out to begin anew",
    )
}

fn refused(message: String, advice: &str) -> Error {
    Error::new(ErrorKind::File, message).advise(advice)
}

fn another(path: &Path, found: &Header, scene: &str) -> Error {
    let path = path.display();
    let message = if found.checkpoint != FORMAT {
        format!("{path} has another form than the checkpoints of this version of costate")
    } else if found.version != env!("CARGO_PKG_VERSION") {
        format!("{path} was written by version {} of costate", found.version)
    } else if found.build != build() {
        format!("{path} was written by another build of costate")
    } else if found.scene != scene {
        format!("{path} belongs to the scene \"{}\", not to \"{scene}\"", found.scene)
    } else {
        format!(
            "{path} belongs to another problem: the mechanism, its parameters, its simulation or its objectives differ"
        )
    };
    Error::new(ErrorKind::Request, message)
        .named(&found.scene)
        .advise("take the scene and the options of the interrupted run, or leave --resume out to begin anew")
}
