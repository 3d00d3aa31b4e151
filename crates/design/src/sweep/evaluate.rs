//! All points of a sweep, in parallel.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use super::row::{Failure, Outcome, Row, Values};
use super::store::Store;
use super::task::Sweep;
use crate::error::{Error, ErrorKind, Result};
use crate::machine::{cores, in_parallel};
use crate::run::{Experiment, Method};

/// The rows of a sweep.
#[derive(Debug)]
pub struct Swept {
    /// In the order of the points.
    pub rows: Vec<Row>,
    /// Why rows are missing, if some are.
    pub interrupted: Option<Error>,
}

impl Sweep<'_> {
    /// The rows of all points of the shard, in order; those in `known` are not computed again. The others go into the store
    /// as they come; `progress` is told the part of the points that is done, from any thread. After an interruption of the
    /// experiment only the rows that are done, with the error that says so.
    ///
    /// # Errors
    /// As [`Sweep::check`] and [`Store::add`], after which no further point is begun. Points without a value are rows.
    pub fn run(&self, known: Vec<Row>, store: Option<&Store>, progress: &(dyn Fn(f64) + Sync)) -> Result<Swept> {
        self.check()?;
        let done: HashSet<usize> = known.iter().map(|row| row.index).collect();
        let points = self.shard.points(self.plan.count());
        let missing: Vec<usize> = points.clone().filter(|index| !done.contains(index)).collect();
        let (stopped, interruption) = (AtomicBool::new(false), self.experiment.interruption());
        let task = |k: usize| {
            if stopped.load(Ordering::Relaxed) || interruption.is_set() {
                return Ok(None);
            }
            let Some(row) = self.row(missing[k]) else {
                return Ok(None);
            };
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
        let (done, all) = (rows.len(), points.len());
        let ended = || interruption.error(&format!("interrupted with {done} of {all} points"));
        Ok(Swept {
            interrupted: (done < all).then(ended),
            rows,
        })
    }

    /// The row of a point; none where it was interrupted.
    fn row(&self, index: usize) -> Option<Row> {
        let parameters = self.plan.point(index);
        let outcome = match self.values_at(&parameters) {
            Ok(values) => Outcome::Done(values),
            Err(error) if error.kind() == ErrorKind::Interrupted => return None,
            Err(error) => Outcome::Failed(Failure::new(&error)),
        };
        Some(Row {
            index,
            parameters,
            outcome,
        })
    }

    fn values_at(&self, point: &[f64]) -> Result<Values> {
        let named: Vec<(String, f64)> = self.parameters().into_iter().zip(point.iter().copied()).collect();
        let experiment = self.experiment.with_parameters(&named)?;
        self.refuse_other_objectives(&experiment)?;
        if !self.gradient {
            let (report, _) = experiment.run(false, &mut |_time| {})?;
            return Ok(Values {
                events: report.events.len(),
                objectives: report.objectives.iter().map(|(_, value)| *value).collect(),
                gradient: Vec::new(),
            });
        }
        let varied = |name: &str| self.parameters().iter().any(|varied| varied == name);
        let report = experiment.gradient_in_common(Method::Adjoint, varied)?;
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

    /// The columns of the table are the objectives of the scene as it is.
    fn refuse_other_objectives(&self, experiment: &Experiment) -> Result<()> {
        let names = |experiment: &Experiment| -> Vec<String> {
            let objectives = experiment.mechanism.model.objectives.iter();
            objectives.map(|objective| objective.name.clone()).collect()
        };
        if names(experiment) == names(self.experiment) {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Request,
            "the scene has other objectives at this point than the table has columns",
        )
        .advise("sweep over numbers of entries with objectives that are always the same"))
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
