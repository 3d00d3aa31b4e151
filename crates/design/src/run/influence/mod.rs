//! Which parameters cannot influence an objective, and why: by structure alone, never because a number came out as zero.
//!
//! A parameter reaches the model through numbers, a number through an element or an expression, and an element through
//! the coordinates that it moves, together with those tied to them by whatever acted during the run. Where a path may
//! exist nothing is claimed.

mod history;

use std::collections::{HashMap, HashSet};

use super::experiment::Experiment;
use super::gradient::GradientReport;
use crate::assembly;
use crate::error::Result;
use crate::linear::{Sparse, independent_rows_of};
use crate::model::{Mode, Model, Objective, POSE, Start, Term, Terms};
use history::{Components, Element, History, Reads};

/// Entries above this fraction of their row are no zeros, so that nothing is claimed about them whatever the structure.
const ZERO: f64 = 1e-12;

/// Reasons that are told of one parameter.
const MOST_REASONS: usize = 8;

/// A row of the constraints whose part outside the others' span is below this is dependent (theory, section 1).
const INDEPENDENCE: f64 = 1e-9;

/// A parameter that cannot influence an objective.
#[derive(Clone, Debug, PartialEq)]
pub struct NoInfluence {
    /// Objective.
    pub objective: String,
    /// Parameter.
    pub parameter: String,
    /// Why.
    pub reason: String,
}

impl Experiment {
    /// The zeros of a gradient that have a structural reason.
    ///
    /// # Errors
    /// Whatever ends the simulation, which is repeated only when there are zeros.
    pub fn no_influence(&self, report: &GradientReport) -> Result<Vec<NoInfluence>> {
        let zeros = zeros(report);
        if zeros.is_empty() {
            return Ok(Vec::new());
        }
        let model = &self.mechanism.model;
        let history = History::of(self)?;
        let elements = history.elements();
        let components = Components::new(model.nq(), &elements);
        let elements: Vec<Element> = self.starts(&components)?.into_iter().chain(elements).collect();
        let anywhere = self.reach_anything();
        let mut reads = vec![Reads::default(); model.objectives.len()];
        for objective in model.objective_order() {
            reads[objective] = read_by(model, &model.objectives[objective], &reads);
        }
        let claim = |&(place, parameter): &(usize, usize)| {
            let name = &report.objectives[place].name;
            let objective = model.objectives.iter().position(|known| known.name == *name)?;
            if self.unused_parameters.contains(&report.parameters[parameter]) {
                return Some(NoInfluence {
                    objective: name.clone(),
                    parameter: report.parameters[parameter].clone(),
                    reason: "no expression uses it".to_string(),
                });
            }
            let numbers =
                (0..model.numbers.len()).filter(|&i| model.numbers[i].gradient.iter().any(|&(p, _)| p == parameter));
            let reasons = numbers
                .map(|number| match anywhere.contains(&number) {
                    true => None,
                    false => idle(model, &elements, &reads, &components, number, objective),
                })
                .collect::<Option<Vec<Vec<String>>>>()?
                .concat();
            Some(NoInfluence {
                objective: name.clone(),
                parameter: report.parameters[parameter].clone(),
                reason: joined(reasons)?,
            })
        };
        Ok(zeros.iter().filter_map(claim).collect())
    }

    /// What the numbers do that set where coordinates and velocities start.
    fn starts(&self, components: &Components) -> Result<Vec<Element>> {
        let determined = self.determined(components)?;
        let guess = "it only feeds a guess, which chooses the branch of the assembly";
        let mut starts = Vec::new();
        for (i, coordinate) in self.mechanism.model.coordinates.iter().enumerate() {
            let mut start = |number: usize, idle: Option<String>| {
                starts.push(Element {
                    coordinates: vec![i],
                    numbers: vec![number],
                    idle,
                });
            };
            if let Start::Number(number) = coordinate.start {
                start(number, (determined[i] && !coordinate.held).then(|| guess.to_string()));
            }
            if let Some(number) = coordinate.velocity {
                start(number, None);
            }
        }
        for frame in &self.mechanism.model.frames {
            let turning = frame.first + 3..frame.first + POSE;
            starts.extend(frame.spin.iter().filter_map(|spin| spin.held).map(|number| Element {
                coordinates: turning.clone().collect(),
                numbers: vec![number],
                idle: None,
            }));
        }
        Ok(starts)
    }

    /// Numbers about which nothing is claimed: they set the time of the start or the end, or reach memory, and so whatever
    /// reads that.
    fn reach_anything(&self) -> HashSet<usize> {
        let model = &self.mechanism.model;
        let mut reads = Reads::default();
        for event in model.events.iter().filter(|event| !event.assignments.is_empty()) {
            reads.trigger(model, event);
            event
                .assignments
                .iter()
                .for_each(|assignment| reads.assignment(model, assignment));
        }
        model
            .memory_rates()
            .for_each(|(_, rate)| reads.all(model, &rate.arguments));
        let initial = model.variables.iter().map(|variable| variable.initial);
        let times = [self.start_number].into_iter().chain(self.duration_number);
        reads.numbers.into_iter().chain(initial).chain(times).collect()
    }

    /// Coordinates whose positions the joints and the held coordinates determine, so that the guess does not matter.
    fn determined(&self, components: &Components) -> Result<Vec<bool>> {
        let model = &self.mechanism.model;
        let nq = model.nq();
        let assembled = assembly::assemble(model, self.start)?;
        let (mode, mut terms) = (Mode::initial(model).closing(model), Terms::of_positions(model));
        let rates = model.coordinate_rates(&assembled.q, &assembled.v);
        model.assemble_constraints(self.start, &assembled.q, &rates, &mode, &mut terms);
        let held = (0..nq).filter(|&i| model.coordinates[i].held);
        let mut known: HashMap<usize, bool> = HashMap::new();
        let mut settled = |root: usize| {
            *known.entry(root).or_insert_with(|| {
                let inside: Vec<usize> = (0..nq).filter(|&i| components.of(i) == root).collect();
                let place = |j: usize| inside.binary_search(&j).ok();
                let mut part = Sparse::default();
                for row in 0..mode.rows {
                    let entries = terms.jacobian.row(row).entries();
                    let (columns, values): (Vec<usize>, Vec<f64>) =
                        entries.filter_map(|(j, value)| Some((place(j)?, value))).unzip();
                    part.push(&columns).copy_from_slice(&values);
                }
                held.clone().filter_map(place).for_each(|k| part.push(&[k])[0] = 1.0);
                let units = vec![1.0; inside.len()];
                independent_rows_of(&part, &units, INDEPENDENCE).len() == inside.len()
            })
        };
        Ok((0..nq).map(|i| settled(components.of(i))).collect())
    }
}

/// Pairs of objective and parameter with a zero in the gradient.
fn zeros(report: &GradientReport) -> Vec<(usize, usize)> {
    let mut zeros = Vec::new();
    for (k, objective) in report.objectives.iter().enumerate() {
        let known = objective.gradient.iter().filter(|slope| slope.is_finite());
        let scale = known.fold(0.0, |most, slope| f64::max(most, slope.abs()));
        let entries = objective.gradient.iter().enumerate();
        zeros.extend(entries.filter(|(_, x)| x.abs() <= ZERO * scale).map(|(p, _)| (k, p)));
    }
    zeros
}

/// What the expressions and factors of an objective read, from what those read that its formulas name.
fn read_by(model: &Model, objective: &Objective, known: &[Reads]) -> Reads {
    let mut reads = Reads::default();
    for term in &objective.terms {
        reads.numbers.extend(term.coefficient());
        let value = match term {
            Term::Final { value, .. } => value,
            Term::Integral { integrand, .. } => &model.integrands[*integrand],
            Term::AtEvents { sum, .. } => &model.event_sums[*sum].value,
            Term::Peak { peak, .. } => &model.peaks[*peak].value,
            Term::At { reading, .. } => {
                reads.numbers.push(model.readings[*reading].time);
                &model.readings[*reading].value
            }
            Term::Formula { formula, .. } => {
                reads.numbers.extend(model.formulas[*formula].numbers());
                for named in model.formulas[*formula].objectives() {
                    reads.add(&known[named]);
                }
                continue;
            }
            Term::Fit { fit, .. } => {
                reads.fit(model, &model.fits[*fit]);
                continue;
            }
        };
        if let Term::AtEvents { .. } | Term::Peak { .. } = term {
            // Whatever moves the events moves the sum, and the phases that an extreme value is taken over.
            reads.coordinates.extend(0..model.nq());
        }
        reads.all(model, &value.arguments);
    }
    reads
}

/// Reasons why a number does not reach an objective; none where it may.
fn idle(
    model: &Model,
    elements: &[Element],
    reads: &[Reads],
    components: &Components,
    number: usize,
    objective: usize,
) -> Option<Vec<String>> {
    let own = &reads[objective];
    if own.numbers.contains(&number) {
        return None;
    }
    let mut reasons = Vec::new();
    for element in elements.iter().filter(|element| element.numbers.contains(&number)) {
        let read = |&i: &usize| own.coordinates.iter().any(|&j| components.of(i) == components.of(j));
        match &element.idle {
            Some(reason) => reasons.push(reason.clone()),
            None if element.coordinates.iter().any(read) => return None,
            None => reasons.push("it moves nothing that is connected to what the objective reads".to_string()),
        }
    }
    if reasons.is_empty() {
        reasons.push(only_read(model, reads, number)?);
    }
    Some(reasons)
}

/// The reason for a number that only outputs and other objectives read; none when nothing is known to read it.
fn only_read(model: &Model, reads: &[Reads], number: usize) -> Option<String> {
    let in_output = |output: &crate::model::quantity::Output| {
        let mut reads = Reads::default();
        reads.all(model, &output.arguments);
        reads.numbers.contains(&number)
    };
    let outputs = model.outputs.iter().filter(|(_, output)| in_output(output));
    let outputs = outputs.map(|(name, _)| name);
    let objectives = model.objectives.iter().zip(reads);
    let objectives = objectives
        .filter(|(_, reads)| reads.numbers.contains(&number))
        .map(|(o, _)| &o.name);
    let names: Vec<String> = outputs.chain(objectives).map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| format!("only {} use it", names.join(", ")))
}

/// Reasons without repetition, the first of many; none when there are none.
fn joined(mut reasons: Vec<String>) -> Option<String> {
    let mut seen = HashSet::new();
    reasons.retain(|reason| seen.insert(reason.clone()));
    if reasons.len() > MOST_REASONS {
        let more = format!("and {} more", reasons.len() - MOST_REASONS);
        reasons.truncate(MOST_REASONS);
        reasons.push(more);
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}
