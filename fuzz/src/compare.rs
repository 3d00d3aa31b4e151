//! What a scene gives, computed in several ways.

use std::time::Duration;

use costate::analysis::structure;
use costate::error::{Error, ErrorKind, Result};
use costate::run::{Changes, Experiment, Interruption, Method, Report, Verdict};
use costate::scene::schema::FormulationKind;
use costate::scene::{Overrides, SceneFile, compile, parse};

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Refused as a scene, or ended with an error.
    Refused,
    /// Its time was over.
    Slow,
    /// Was read, or ran, and had nothing to be compared with.
    Ran,
    /// So many comparisons agreed.
    Compared(usize),
    /// Something that must not be.
    Finding(String),
}

/// Relative difference of two results that may be left where tolerances are tight.
const ALIKE: f64 = 1e-6;

/// The same below which numbers count as zero.
const ZERO: f64 = 1e-8;

/// Difference over what a tighter tolerance changes, up to which a result is as good as its tolerance.
const WITHIN_TOLERANCE: f64 = 100.0;

/// The part of a difference that must be left at tighter tolerances for it to be more than their error.
const STAYS: f64 = 0.3;

/// How much tighter.
const TIGHTER: f64 = 1e-2;

/// Tolerances are not tightened below this.
const TIGHTEST: f64 = 1e-12;

/// A difference by a penalty that its finite factor explains.
const PENALTY: f64 = 1e-2;

/// Reads and compiles a text.
///
/// # Errors
/// What must not be: an error without advice, or without a place.
pub fn read_and_compile(text: &str) -> std::result::Result<bool, String> {
    let compiled = parse("mutant.ron", text).and_then(|file| compile(&file, &Overrides::default()).map(|_| ()));
    match compiled {
        Ok(()) => Ok(true),
        Err(error) if error.advice().is_none() => Err(format!("no advice: {error}")),
        Err(error) if error.kind() == ErrorKind::Scene && error.line().is_none() => Err(format!("no place: {error}")),
        Err(_) => Ok(false),
    }
}

/// What must hold of a text: it is read and compiled, or refused with place and advice.
pub fn read(text: &str) -> Outcome {
    match read_and_compile(text) {
        Err(finding) => Outcome::Finding(finding),
        Ok(false) => Outcome::Refused,
        Ok(true) => Outcome::Ran,
    }
}

/// Everything that must hold of a scene, within a time; also the certificate of its gradient, if asked for.
pub fn examine(text: &str, time: Duration, certify: bool) -> Outcome {
    let outcome = read(text);
    if outcome != Outcome::Ran {
        return outcome;
    }
    let Ok(file) = parse("mutant.ron", text) else {
        return Outcome::Refused;
    };
    let study = Study {
        file: &file,
        interruption: Interruption::within(Some(time)),
    };
    let found = study.run(certify);
    match found {
        Ok(outcome) => outcome,
        Err(_) if study.interruption.is_set() => Outcome::Slow,
        Err(error) if error.message().is_empty() => Outcome::Finding("an error without words".to_string()),
        Err(_) => Outcome::Refused,
    }
}

struct Study<'a> {
    file: &'a SceneFile,
    interruption: Interruption,
}

impl Study<'_> {
    fn run(&self, certify: bool) -> Result<Outcome> {
        let own = self.experiment(None, 1.0)?;
        let mut compared = 0;
        for compare in [Self::motions, Self::gradients] {
            match compare(self, &own)? {
                Outcome::Compared(count) => compared += count,
                finding @ Outcome::Finding(_) => return Ok(finding),
                _ => {}
            }
        }
        if certify && let Some(finding) = contradiction(&own)? {
            return Ok(Outcome::Finding(finding));
        }
        Ok(match compared {
            0 => Outcome::Ran,
            count => Outcome::Compared(count),
        })
    }

    /// The motion by all formulations.
    fn motions(&self, own: &Experiment) -> Result<Outcome> {
        let report = report(own)?;
        if let Some(finding) = not_finite(&report) {
            return Ok(Outcome::Finding(finding));
        }
        let Some(tight) = report_or_none(&self.experiment(None, TIGHTER)?)? else {
            return Ok(Outcome::Ran);
        };
        let noise = differences(&report, &tight);
        // A penalty shares loads among redundant joints in its own way, and that is not unique.
        let structure = structure(&own.mechanism.model, own.start)?;
        let unique = |kind: &FormulationKind| *kind != FormulationKind::Penalty || structure.redundant.is_empty();
        let mut compared = 0;
        for kind in formulations().into_iter().filter(unique) {
            match self.formulation(kind, (&report, &tight), &noise)? {
                Outcome::Compared(count) => compared += count,
                finding @ Outcome::Finding(_) => return Ok(finding),
                _ => {}
            }
        }
        Ok(Outcome::Compared(compared))
    }

    fn experiment(&self, formulation: Option<FormulationKind>, tighter: f64) -> Result<Experiment> {
        let changes = Changes {
            formulation,
            interruption: self.interruption.clone(),
            ..Changes::default()
        };
        let own = Experiment::new(self.file, &changes)?;
        let (rtol, atol) = (own.options.tolerance.rtol(), own.mechanism.choices.atol);
        let factor = tighter.max(TIGHTEST / rtol).min(1.0);
        if factor == 1.0 {
            Ok(own)
        } else {
            own.with_tolerances(rtol * factor, atol * factor)
        }
    }

    /// The same motion by another formulation. One that is refused there says why, which is no contradiction.
    fn formulation(&self, kind: FormulationKind, own: (&Report, &Report), noise: &[Option<f64>]) -> Result<Outcome> {
        let Some(other) = self
            .experiment(Some(kind), 1.0)
            .ok()
            .map(|other| report_or_none(&other))
            .transpose()?
            .flatten()
        else {
            return Ok(Outcome::Ran);
        };
        if !apart(own.0, &other, noise, kind) {
            return Ok(Outcome::Compared(1));
        }
        let tight = self.experiment(Some(kind), TIGHTER)?;
        let Some(tight) = report_or_none(&tight)? else {
            return Ok(Outcome::Ran);
        };
        if !apart(own.1, &tight, noise, kind) {
            return Ok(Outcome::Compared(1));
        }
        let seen = |report: &Report| format!("{:?} after {} events", values(report), report.events.len());
        Ok(Outcome::Finding(format!(
            "{kind:?} differs: {} instead of {}",
            seen(&tight),
            seen(own.1)
        )))
    }

    /// The gradients by both methods.
    fn gradients(&self, own: &Experiment) -> Result<Outcome> {
        let Some(first) = gradients(own)? else {
            return Ok(Outcome::Ran);
        };
        let Some((_, difference)) = worst(&first) else {
            return Ok(Outcome::Compared(1));
        };
        let Some(second) = gradients(&self.experiment(None, TIGHTER)?)? else {
            return Ok(Outcome::Ran);
        };
        match worst(&second) {
            Some((name, left)) if beyond(left, STAYS * difference) => Ok(Outcome::Finding(format!(
                "adjoint and forward differ by {left:.1e} of the gradient of {name}, {difference:.1e} at looser tolerances"
            ))),
            _ => Ok(Outcome::Compared(1)),
        }
    }
}

fn formulations() -> [FormulationKind; 5] {
    use FormulationKind::{Index3, Multipliers, Nullspace, Penalty, Stabilized};
    [Nullspace, Multipliers, Penalty, Stabilized, Index3]
}

fn report(experiment: &Experiment) -> Result<Report> {
    experiment.run(false, &mut |_| {}).map(|(report, _)| report)
}

/// None where it ends with an error that says why; interruptions end everything.
fn unless_refused<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
        found => Ok(found.ok()),
    }
}

fn report_or_none(experiment: &Experiment) -> Result<Option<Report>> {
    unless_refused(report(experiment))
}

fn values(report: &Report) -> Vec<f64> {
    report
        .objectives
        .iter()
        .chain(&report.outputs)
        .map(|(_, value)| *value)
        .collect()
}

fn not_finite(report: &Report) -> Option<String> {
    let mut all = report.objectives.iter().chain(&report.outputs);
    all.find(|(_, value)| !value.is_finite())
        .map(|(name, value)| format!("{name} is {value}"))
}

/// Differences of the values of two runs; none where the numbers of events differ, which values may jump with.
fn differences(first: &Report, second: &Report) -> Vec<Option<f64>> {
    let alike = first.events.len() == second.events.len();
    let pairs = values(first).into_iter().zip(values(second));
    pairs.map(|(a, b)| alike.then_some((a - b).abs())).collect()
}

/// Whether a difference is larger than what is allowed, or none.
fn beyond(difference: f64, allowed: f64) -> bool {
    difference > allowed || difference.is_nan()
}

/// Whether two runs differ by more than their tolerances explain.
fn apart(first: &Report, second: &Report, noise: &[Option<f64>], kind: FormulationKind) -> bool {
    let alike = if kind == FormulationKind::Penalty {
        PENALTY
    } else {
        ALIKE
    };
    let pairs = values(first).into_iter().zip(values(second)).zip(noise);
    let mut pairs = pairs.filter_map(|((a, b), noise)| Some((a, b, (*noise)?)));
    let penalty = if kind == FormulationKind::Penalty {
        PENALTY
    } else {
        ZERO
    };
    pairs.any(|(a, b, noise)| {
        beyond(
            (a - b).abs(),
            alike * a.abs().max(b.abs()) + penalty + WITHIN_TOLERANCE * noise,
        )
    })
}

/// Name and rows by adjoint and forward, each derivative times the size of its parameter.
type Rows = Vec<(String, Vec<f64>, Vec<f64>)>;

fn gradients(experiment: &Experiment) -> Result<Option<Rows>> {
    let [adjoint, forward] =
        [Method::Adjoint, Method::Forward].map(|method| unless_refused(experiment.gradient(method)));
    let (Some(adjoint), Some(forward)) = (adjoint?, forward?) else {
        return Ok(None);
    };
    let parameters = &experiment.mechanism.model.parameters;
    let sized = |gradient: Vec<f64>| -> Vec<f64> {
        let pairs = gradient.into_iter().zip(parameters);
        pairs
            .map(|(slope, parameter)| slope * if parameter.value == 0.0 { 1.0 } else { parameter.value })
            .collect()
    };
    let rows = adjoint.objectives.into_iter().zip(forward.objectives);
    Ok(Some(
        rows.map(|(a, f)| (a.name, sized(a.gradient), sized(f.gradient)))
            .collect(),
    ))
}

/// The objective whose gradients differ most, and by what part of its row, where that is too much.
fn worst(rows: &Rows) -> Option<(String, f64)> {
    let part = |(name, a, f): &(String, Vec<f64>, Vec<f64>)| {
        let size = a
            .iter()
            .chain(f)
            .filter(|x| !x.is_nan())
            .fold(0.0, |size: f64, x| size.max(x.abs()));
        // Parameters without a derivative are no numbers in both.
        let pairs = a.iter().zip(f).filter(|(a, f)| !(a.is_nan() && f.is_nan()));
        let differences = pairs.map(|(a, f)| (a - f).abs());
        let difference = differences.fold(0.0, |most, next| if beyond(next, most) { next } else { most });
        beyond(difference, ALIKE * size + ZERO).then(|| (name.clone(), difference / size.max(ZERO)))
    };
    rows.iter().filter_map(part).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// What the certificate says where two methods contradict each other.
fn contradiction(experiment: &Experiment) -> Result<Option<String>> {
    let certified: std::result::Result<_, Error> = experiment.certify(Method::Adjoint, &|_| {});
    let Some((_, certificate)) = unless_refused(certified)? else {
        return Ok(None);
    };
    let mut entries = certificate.entries.iter();
    let failed = entries.find(|entry| entry.verdict == Verdict::Failed);
    Ok(failed.map(|entry| format!("the certificate fails by `{}`: {}", entry.parameter, entry.reason)))
}
