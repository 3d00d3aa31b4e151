//! All points of a sweep, in parallel.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use super::plan::{Plan, Shard};
use super::row::{Failure, Outcome, Row, Values, header};
use super::store::Store;
use crate::error::{Error, ErrorKind, Result};
use crate::run::{Experiment, Method, cores, in_parallel};

/// What is computed where.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// The mechanism.
    pub experiment: &'a Experiment,
    /// The points.
    pub plan: &'a Plan,
    /// The part of them.
    pub shard: Shard,
    /// Whether gradients by the varied parameters are computed, by the adjoint.
    pub gradient: bool,
    /// Number of threads; as many as cores when none. Rows do not depend on it.
    pub threads: Option<usize>,
}

impl Sweep<'_> {
    /// Names of the varied parameters.
    pub fn parameters(&self) -> Vec<String> {
        self.plan.ranges().iter().map(|range| range.name.clone()).collect()
    }

    /// Names of the objectives.
    pub fn objectives(&self) -> Vec<String> {
        let objectives = self.experiment.mechanism.model.objectives.iter();
        objectives.map(|objective| objective.name.clone()).collect()
    }

    /// Names of the columns of the table.
    pub fn header(&self) -> Vec<String> {
        header(&self.parameters(), &self.objectives(), self.gradient)
    }

    /// Number of objectives and derivatives of a row.
    pub fn values(&self) -> usize {
        let derivatives = if self.gradient { self.plan.ranges().len() } else { 0 };
        self.objectives().len() * (1 + derivatives)
    }

    /// Whether the sweep has a meaning for its scene; points that fail are not found out here.
    ///
    /// # Errors
    /// As [`Plan::check`]; kind `Request` for gradients in a scene with a parameter that nothing uses.
    pub fn check(&self) -> Result<()> {
        self.plan.check(self.experiment)?;
        if self.gradient {
            self.experiment.refuse_unused()
        } else {
            Ok(())
        }
    }

    /// The rows of all points of the shard, in order; those in `known` are not computed again. The others go into the store
    /// as they come; `progress` is told the part of the points that is done, from any thread.
    ///
    /// # Errors
    /// As [`Sweep::check`] and [`Store::add`], after which no further point is begun. Points without a value are rows.
    pub fn run(&self, known: Vec<Row>, store: Option<&Store>, progress: &(dyn Fn(f64) + Sync)) -> Result<Vec<Row>> {
        self.check()?;
        let done: HashSet<usize> = known.iter().map(|row| row.index).collect();
        let points = self.shard.points(self.plan.count());
        let missing: Vec<usize> = points.filter(|index| !done.contains(index)).collect();
        let stopped = AtomicBool::new(false);
        let task = |k: usize| {
            if stopped.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let row = self.row(missing[k]);
            let written = store.map_or(Ok(()), |store| store.add(&row));
            stopped.fetch_or(written.is_err(), Ordering::Relaxed);
            written.map(|()| Some(row))
        };
        let (before, all) = (known.len() as f64, (known.len() + missing.len()) as f64);
        let progress = |part: f64| progress((before + part * missing.len() as f64) / all);
        let threads = self.threads.unwrap_or_else(cores);
        let computed = in_parallel(threads, missing.len(), &progress, task).into_iter();
        let mut rows: Vec<Row> = computed.filter_map(Result::transpose).collect::<Result<_>>()?;
        rows.extend(known);
        rows.sort_by_key(|row| row.index);
        Ok(rows)
    }

    fn row(&self, index: usize) -> Row {
        let parameters = self.plan.point(index);
        let outcome = match self.values_at(&parameters) {
            Ok(values) => Outcome::Done(values),
            Err(error) => Outcome::Failed(Failure::new(&error)),
        };
        Row {
            index,
            parameters,
            outcome,
        }
    }

    fn values_at(&self, point: &[f64]) -> Result<Values> {
        let named: Vec<(String, f64)> = self.parameters().into_iter().zip(point.iter().copied()).collect();
        let experiment = self.experiment.with_parameters(&named)?;
        if !self.gradient {
            let (report, _) = experiment.run(false, &mut |_time| {})?;
            return Ok(Values {
                events: report.events.len(),
                objectives: report.objectives.iter().map(|(_, value)| *value).collect(),
                gradient: Vec::new(),
            });
        }
        let report = experiment.gradient(Method::Adjoint)?;
        let columns = self.columns(&report.parameters)?;
        let slopes = report.objectives.iter().flat_map(|objective| {
            columns
                .iter()
                .filter_map(|&column| objective.gradient.get(column).copied())
        });
        Ok(Values {
            events: report.events.len(),
            gradient: slopes.collect(),
            objectives: report.objectives.iter().map(|objective| objective.value).collect(),
        })
    }

    /// Places of the varied parameters among all.
    fn columns(&self, all: &[String]) -> Result<Vec<usize>> {
        let place = |name: &String| {
            let missing = || Error::new(ErrorKind::Request, format!("there is no derivative by `{name}`")).named(name);
            all.iter().position(|known| known == name).ok_or_else(missing)
        };
        self.parameters().iter().map(place).collect()
    }
}
