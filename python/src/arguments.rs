//! Arguments of Python as those of the library.

use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::time::Duration;

use costate::error::{Error, ErrorKind, Result};
use costate::expression::suggest;
use costate::optimize::Optimization;
use costate::run::{Changes, Experiment, Interruption, Method};
use costate::scene::schema::{FormulationKind, Solver};
use pyo3::prelude::*;

use crate::error::raised;

/// What a call changes about a scene.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Changed {
    parameters: Vec<(String, f64)>,
    case: Option<String>,
    formulation: Option<String>,
    rtol: Option<f64>,
    atol: Option<f64>,
    duration: Option<f64>,
    max_time: Option<f64>,
    memory: Option<usize>,
}

impl Changed {
    /// Whether a call changes nothing.
    pub fn is_nothing(&self) -> bool {
        let numbers = [self.rtol, self.atol, self.duration];
        self.parameters.is_empty()
            && self.case.is_none()
            && self.formulation.is_none()
            && numbers.iter().all(Option::is_none)
    }

    /// The changes, to be ended by a flag of their own.
    pub fn changes(self, allow_outside: bool) -> Result<Changes> {
        let formulation = self.formulation.map(|word| chosen("formulation", &word, &FORMULATIONS));
        Ok(Changes {
            interruption: Interruption::within(self.max_time.map(seconds).transpose()?),
            parameters: self.parameters,
            case: self.case,
            formulation: formulation.transpose()?,
            rtol: self.rtol,
            atol: self.atol,
            atol_over_sizes: false,
            duration: self.duration,
            memory: self.memory,
            allow_outside,
        })
    }
}

fn seconds(seconds: f64) -> Result<Duration> {
    let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| {
        usage(
            format!("max_time cannot be {seconds} s"),
            "give seconds above zero, for example 90",
        )
    })
}

const FORMULATIONS: [FormulationKind; 5] = [
    FormulationKind::Nullspace,
    FormulationKind::Multipliers,
    FormulationKind::Penalty,
    FormulationKind::Stabilized,
    FormulationKind::Index3,
];

/// Methods for gradients.
pub const METHODS: [Method; 3] = [Method::Adjoint, Method::Forward, Method::FiniteDifference];

/// Methods of the optimization.
pub const SOLVERS: [Solver; 8] = [
    Solver::Lbfgs,
    Solver::Bfgs,
    Solver::ConjugateGradients,
    Solver::LbfgsB,
    Solver::Slsqp,
    Solver::NelderMead,
    Solver::GaussNewton,
    Solver::ParticleSwarm,
];

/// The words of the name of a variant, in lower case.
pub fn words(variant: &impl Debug, between: char) -> String {
    let mut words = String::new();
    for (k, letter) in format!("{variant:?}").chars().enumerate() {
        if letter.is_uppercase() && k > 0 {
            words.push(between);
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// The choice with a name, which is as on the command line.
///
/// # Errors
/// Kind `Usage` for a name that none has.
pub fn chosen<T: Copy + Debug>(option: &str, word: &str, all: &[T]) -> Result<T> {
    named(option, word, all, |choice| words(choice, '-'))
}

/// The choice of this name.
///
/// # Errors
/// As [`chosen`].
pub fn named<T: Copy>(option: &str, word: &str, all: &[T], name: impl Fn(&T) -> String) -> Result<T> {
    all.iter().find(|choice| name(choice) == word).copied().ok_or_else(|| {
        let known: Vec<String> = all.iter().map(name).collect();
        let message = format!("{option} cannot be \"{word}\"");
        usage(message, &suggest(word, known.iter().map(String::as_str), "choices")).named(option)
    })
}

/// A number that must lie in a range.
///
/// # Errors
/// Kind `Usage` for one that does not, and for none.
pub fn within(option: &str, value: f64, range: RangeInclusive<f64>) -> Result<f64> {
    if range.contains(&value) {
        return Ok(value);
    }
    let advice = format!("give a number from {} to {}", range.start(), range.end());
    Err(usage(format!("{option} cannot be {value}"), &advice).named(option))
}

/// Refuses a name that is none of those known.
///
/// # Errors
/// Kind `Usage`, with the one that may be meant.
pub fn refuse_unknown<'a>(what: &str, names: &[String], known: impl Iterator<Item = &'a str> + Clone) -> Result<()> {
    match names.iter().find(|name| known.clone().all(|other| other != *name)) {
        None => Ok(()),
        Some(name) => {
            let message = format!("the scene has no {what} \"{name}\"");
            Err(usage(message, &suggest(name, known, &format!("{what}s"))).named(name))
        }
    }
}

fn usage(message: String, advice: &str) -> Error {
    Error::new(ErrorKind::Usage, message).advise(advice)
}

/// As [`raised`], for results.
pub fn or_raise<T>(py: Python<'_>, found: Result<T>) -> PyResult<T> {
    found.map_err(|error| raised(py, &error))
}

/// What a call says about an optimization: the method, the number of starts, and the seed of the random numbers.
#[derive(FromPyObject)]
pub struct Wanted(Option<String>, Option<u32>, Option<u64>);

/// The same, with a method that there is.
#[derive(Clone, Copy)]
pub struct Choice(Option<Solver>, Option<u32>, Option<u64>);

impl Wanted {
    /// The same, if there is such a method.
    ///
    /// # Errors
    /// Kind `Usage` where there is none.
    pub fn chosen(&self) -> Result<Choice> {
        let solver = self.0.as_ref().map(|word| chosen("solver", word, &SOLVERS));
        Ok(Choice(solver.transpose()?, self.1, self.2))
    }
}

impl Choice {
    /// The optimization of a scene, so changed.
    ///
    /// # Errors
    /// Kind `Request` where the scene says nothing about one.
    pub fn of(self, experiment: &Experiment) -> Result<Optimization> {
        let mut wanted = experiment.wanted_optimization()?.clone();
        wanted.solver = self.0.unwrap_or(wanted.solver);
        wanted.starts = self.1.unwrap_or(wanted.starts);
        wanted.seed = self.2.unwrap_or(wanted.seed);
        Ok(wanted)
    }
}
