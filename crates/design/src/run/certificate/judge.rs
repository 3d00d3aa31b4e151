//! When two derivatives agree: the tolerance of an entry follows from the tolerances of the runs, from the measured error
//! of the integrations, and from the error of the difference quotient.

use super::{Certified, Entry, Evidence, Verdict};
use crate::run::difference::{Estimate, StepStudy};
use crate::run::experiment::Experiment;
use crate::run::gradient::GradientReport;

/// The tolerance of an entry in words; the factors are those below.
pub const TOLERANCE_RULE: &str = "100 rtol size + 2 (change of the gradient at 10 rtol) + 4 (error of the difference \
    quotient); size is the largest effect in the row of changing a parameter by its own size; inconclusive above 1e-3 size";

/// Part of the tolerance: this times the relative tolerance of the runs, times the size of the entry.
const RTOL_FACTOR: f64 = 100.0;

/// Part of the tolerance: this times the change of the gradient between the run and a looser one.
const INTEGRATION_FACTOR: f64 = 2.0;

/// Part of the tolerance: this times the error that the difference quotient states.
const DIFFERENCE_FACTOR: f64 = 4.0;

/// A tolerance above this fraction of the entry's size would let a wrong derivative pass: nothing can be concluded.
const RESOLUTION: f64 = 1e-3;

/// One quantity by all methods, one value per parameter.
pub(super) struct Row {
    pub quantity: Certified,
    pub adjoint: Option<Vec<f64>>,
    pub forward: Vec<f64>,
    /// Change of the gradient in the looser run, over the size of the row; not a number when that run differs.
    pub integration: f64,
    pub difference: Vec<Option<Estimate>>,
    /// Its index among what the differences compare.
    pub index: usize,
}

/// Tolerances of the runs.
pub(super) struct Limits {
    rtol: f64,
    /// Effects below which the objectives, and then the times of events, do not change.
    floors: Vec<f64>,
}

impl Limits {
    pub fn of(experiment: &Experiment) -> Self {
        Self {
            rtol: experiment.options.tolerance.rtol(),
            floors: experiment.floors(),
        }
    }

    /// The floor of a quantity; events come last, and have one in common.
    fn floor(&self, quantity: usize) -> f64 {
        let last = self.floors.len() - 1;
        self.floors[quantity.min(last)]
    }
}

/// Judges every derivative.
pub(super) fn entries(experiment: &Experiment, evidence: &Evidence) -> Vec<Entry> {
    let sizes: Vec<f64> = evidence.differences.studies.iter().map(|study| study.size).collect();
    let limits = Limits::of(experiment);
    let studies = &evidence.differences.studies;
    let mut entries = Vec::new();
    for row in &rows(experiment, evidence, &sizes) {
        entries.extend((0..sizes.len()).map(|k| {
            let reason = evidence.forward.undetermined_reason(&studies[k].parameter);
            let study = (&studies[k], evidence.same_motion());
            entry(row, k, (&sizes, &limits), study, reason)
        }));
    }
    entries
}

fn rows(experiment: &Experiment, evidence: &Evidence, sizes: &[f64]) -> Vec<Row> {
    let Evidence {
        adjoint,
        adjoint_looser,
        forward,
        forward_looser,
        differences,
    } = evidence;
    let same = evidence.same_motion();
    let column = |quantity: usize| -> Vec<Option<Estimate>> {
        let studies = differences.studies.iter();
        studies
            .map(|study| study.estimates.get(quantity).copied().flatten().filter(|_| same))
            .collect()
    };
    // The adjoint has those alone that are wanted, everything else those that they are made of as well.
    let places = experiment.wanted_objectives().zip(0..);
    let objectives = places.map(|((k, objective), among_wanted)| {
        let of = |report: &GradientReport, place: usize| report.objectives[place].gradient.clone();
        let (by_adjoint, by_forward) = (of(adjoint, among_wanted), of(forward, k));
        let changes = [
            (&by_adjoint, of(adjoint_looser, among_wanted)),
            (&by_forward, of(forward_looser, k)),
        ];
        Row {
            quantity: Certified::Objective(objective.name.clone()),
            integration: changes.iter().map(|(a, b)| change(a, b, sizes)).fold(0.0, f64::max),
            adjoint: Some(by_adjoint),
            forward: by_forward,
            difference: column(k),
            index: k,
        }
    });
    let events = forward.events.iter().enumerate().map(|(k, (event, slopes))| {
        let slopes = slopes.clone().unwrap_or_default();
        let looser = forward_looser.events.get(k).and_then(|(_, slopes)| slopes.as_deref());
        Row {
            quantity: Certified::EventTime(k, event.clone()),
            adjoint: None,
            integration: looser.map_or(f64::NAN, |looser| change(&slopes, looser, sizes)),
            forward: slopes,
            difference: with_noise_of_event(column(forward.objectives.len() + k)),
            index: forward.objectives.len() + k,
        }
    });
    objectives.chain(events).collect()
}

/// Quotients of an event's time, whose noise is that of the event whichever parameter changes: at least what three of four show.
fn with_noise_of_event(mut row: Vec<Option<Estimate>>) -> Vec<Option<Estimate>> {
    let mut noise: Vec<f64> = (row.iter().flatten())
        .map(|estimate| estimate.error * estimate.step)
        .collect();
    noise.sort_by(f64::total_cmp);
    let common = noise.get(3 * noise.len() / 4).copied().unwrap_or(0.0);
    for estimate in row.iter_mut().flatten() {
        estimate.error = estimate.error.max(common / estimate.step);
    }
    row
}

/// Effect of a change of every parameter by its size: the largest of the row.
fn row_size(row: &[f64], sizes: &[f64]) -> f64 {
    row.iter()
        .zip(sizes)
        .fold(0.0, |most, (x, size)| f64::max(most, (x * size).abs()))
}

/// Largest difference of two rows over the size of the first.
pub(super) fn change(row: &[f64], other: &[f64], sizes: &[f64]) -> f64 {
    let differences: Vec<f64> = row.iter().zip(other).map(|(a, b)| a - b).collect();
    match row_size(row, sizes) {
        size if size > 0.0 => row_size(&differences, sizes) / size,
        _ => 0.0,
    }
}

/// The entry of a row by one parameter: with its step study and whether that saw the motion of the gradients, and why the parameter
/// cannot change alone, if so.
pub(super) fn entry(
    row: &Row,
    k: usize,
    (sizes, limits): (&[f64], &Limits),
    (study, same_motion): (&StepStudy, bool),
    undetermined: Option<String>,
) -> Entry {
    let (forward, difference) = (row.forward[k], row.difference[k]);
    let adjoint = row.adjoint.as_ref().map(|row| row[k]);
    // Entries of a row are comparable after multiplication with the sizes of their parameters.
    let rows = row.adjoint.iter().chain([&row.forward]);
    let effect = rows.map(|row| row_size(row, sizes)).fold(0.0, f64::max);
    // A row without any effect above the absolute tolerance is zero: there is nothing to resolve.
    let floor = limits.floor(row.index);
    let (floor, resolution) = match effect > floor {
        true => (0.0, RESOLUTION * effect / sizes[k]),
        false => (floor / sizes[k], f64::INFINITY),
    };
    let exact = (INTEGRATION_FACTOR * row.integration + RTOL_FACTOR * limits.rtol) * effect / sizes[k] + floor;
    let uncertain = difference.map_or(0.0, |estimate| DIFFERENCE_FACTOR * estimate.error);
    let mut entry = Entry {
        quantity: row.quantity.clone(),
        parameter: study.parameter.clone(),
        side: None,
        adjoint,
        forward,
        difference,
        tolerance: exact + uncertain,
        verdict: Verdict::Inconclusive,
        reason: String::new(),
    };
    if let Some(reason) = undetermined {
        (entry.verdict, entry.reason) = (Verdict::NoDerivative, reason);
        return entry;
    }
    let study = same_motion.then_some(study);
    if study.is_some_and(|study| study.kinks.contains(&row.index)) {
        let reason = "the quotients from below and from above have limits of their own".to_string();
        (entry.verdict, entry.reason) = (Verdict::Failed, reason);
        return entry;
    }
    (entry.verdict, entry.reason) = verdict(&entry, exact, resolution, study);
    entry
}

/// Verdict and reason of an entry with its values: `exact` is the tolerance between adjoint and forward, `resolution` the
/// largest one that still tells right from wrong; no study where the runs of the differences saw another motion.
fn verdict(found: &Entry, exact: f64, resolution: f64, study: Option<&StepStudy>) -> (Verdict, String) {
    let apart = |a: f64, b: f64, tolerance: f64| {
        // Written so that a value that is not a number disagrees.
        let agree = (a - b).abs() <= tolerance;
        !agree
    };
    if let Some(adjoint) = found.adjoint
        && apart(adjoint, found.forward, exact)
    {
        return (Verdict::Failed, "adjoint and forward contradict each other".to_string());
    }
    let inconclusive = |reason: String| (Verdict::Inconclusive, reason);
    let Some(study) = study else {
        return inconclusive("the more accurate runs of the differences have other events".to_string());
    };
    let steady = exact <= resolution;
    if !steady {
        return inconclusive("the gradient changes too much with the tolerance of the integration".to_string());
    }
    let Some(difference) = found.difference else {
        return match study.failure() {
            _ if study.always_crosses() => (
                Verdict::CrossesEventChange,
                "the events change within every step of the difference".to_string(),
            ),
            Some(failure) => inconclusive(format!("no difference quotient: {failure}")),
            None => inconclusive("no two steps of the difference have the events of the motion".to_string()),
        };
    };
    let mut worst = 0.0_f64;
    for value in found.adjoint.into_iter().chain([found.forward]) {
        if apart(value, difference.value, found.tolerance) {
            worst = worst.max((value - difference.value).abs());
        }
    }
    if found.tolerance > resolution {
        return inconclusive(format!(
            "the difference quotient is uncertain by {:.1e}",
            difference.error
        ));
    }
    match worst {
        0.0 => (Verdict::Passed, String::new()),
        _ => (
            Verdict::Failed,
            format!("the difference quotient is off by {worst:.1e}"),
        ),
    }
}
