//! Sweeps: rows of points, computed here or by workers, and kept on disk if wanted.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Mutex;

use costate::error::{Error, ErrorKind, Result};
use costate::files::{self, OutFolder};
use costate::machine::Clock;
use costate::report::sweep::table;
use costate::run::Experiment;
use costate::sweep::{Plan, Row, Shard, Store, SweepReport};
use pyo3::prelude::*;
use serde_json::json;

use crate::arguments::{Changed, or_raise};
use crate::objects::object;
use crate::points::{Points, Ranges};
use crate::scene::Scene;
use crate::work::work;

/// Points of a scene, and the rows of those that are done.
#[pyclass(frozen, module = "costate._costate")]
pub struct Sweep {
    experiment: Experiment,
    plan: Plan,
    gradient: bool,
    out: Option<OutFolder>,
    kept: usize,
    clock: Clock,
    done: Mutex<Done>,
}

struct Done {
    rows: Vec<Row>,
    /// Open for more rows.
    store: Option<Store>,
}

#[pymethods]
impl Sweep {
    /// The points of a scene as a call changes it; rows that the folder `out` has are done.
    #[new]
    fn new(
        scene: &Scene,
        py: Python<'_>,
        changed: Changed,
        ranges: Ranges,
        points: Points,
        gradient: bool,
        out: Option<PathBuf>,
    ) -> PyResult<Self> {
        let plan = or_raise(py, points.plan(ranges))?;
        scene.work(py, changed, move |experiment| {
            let out = out.map(|folder| OutFolder::checked(&folder, experiment.inputs()));
            let mut sweep = Self {
                out: out.transpose()?,
                experiment,
                plan,
                gradient,
                kept: 0,
                clock: Clock::start(),
                done: Mutex::new(Done {
                    rows: Vec::new(),
                    store: None,
                }),
            };
            sweep.of(&sweep.plan, None).check()?;
            if let Some(folder) = &sweep.out {
                let (store, rows) = Store::open(&sweep.of(&sweep.plan, None), folder)?;
                sweep.kept = rows.len();
                let store = Some(store);
                sweep.done = Mutex::new(Done { rows, store });
            }
            Ok(sweep)
        })
    }

    /// Numbers of the points without a row.
    fn missing(&self) -> Vec<usize> {
        let done = lock(&self.done);
        let known: HashSet<usize> = done.rows.iter().map(|row| row.index).collect();
        (0..self.plan.count()).filter(|index| !known.contains(index)).collect()
    }

    /// Computes the missing rows, on so many threads.
    fn compute(&self, py: Python<'_>, threads: Option<usize>) -> PyResult<()> {
        work(py, self.experiment.interruption(), || {
            let mut done = lock(&self.done);
            let known = std::mem::take(&mut done.rows);
            let swept = self
                .of(&self.plan, threads)
                .run(known, done.store.as_ref(), &|_part| {})?;
            done.rows = swept.rows;
            swept.interrupted.map_or(Ok(()), Err)
        })
    }

    /// The rows that are done, as the fields of a table.
    fn rows(&self) -> Vec<Vec<String>> {
        let values = self.of(&self.plan, None).values();
        lock(&self.done).rows.iter().map(|row| row.fields(values)).collect()
    }

    /// Takes the rows of some of the points over, as a sweep over these alone gives them.
    fn add(&self, py: Python<'_>, indices: Vec<usize>, rows: Vec<Vec<String>>) -> PyResult<()> {
        or_raise(py, self.add_rows(&indices, &rows))
    }

    /// Lets others write the tables: no more rows come from here. An interrupted call may live on in what a debugger shows of it.
    fn close(&self) {
        lock(&self.done).store = None;
    }

    /// The object of the command `sweep`, with its table in the folder if there is one.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = work(py, self.experiment.interruption(), || {
            let done = &mut *lock(&self.done);
            done.rows.sort_by_key(|row| row.index);
            let report = SweepReport {
                sweep: self.of(&self.plan, None),
                rows: done.rows.clone(),
                kept: self.kept,
                seconds: self.clock.seconds(),
            };
            // The table is about to be replaced by one in order.
            done.store = None;
            if let Some(folder) = &self.out {
                let table = table(&report);
                files::write([(format!("{}.csv", table.name), table.to_csv()?)], folder.clone())?;
            }
            Ok(json!(report))
        })?;
        object(py, &found)
    }
}

impl Sweep {
    fn of<'a>(&'a self, plan: &'a Plan, threads: Option<usize>) -> costate::sweep::Sweep<'a> {
        costate::sweep::Sweep {
            experiment: &self.experiment,
            plan,
            shard: Shard::WHOLE,
            gradient: self.gradient,
            threads,
        }
    }

    fn add_rows(&self, indices: &[usize], rows: &[Vec<String>]) -> Result<()> {
        let names = self.of(&self.plan, None).parameters();
        let points = indices.iter().map(|&index| self.plan.point(index));
        let part = Plan::given(&names, points.collect())?;
        let of_part = self.of(&part, None);
        let mut done = lock(&self.done);
        for fields in rows {
            let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
            let row = of_part.row_of(&fields).ok_or_else(|| {
                Error::new(
                    ErrorKind::Request,
                    "a worker has given a row that is none of this sweep",
                )
                .advise("let all workers run the same build of costate")
            })?;
            let row = Row {
                index: indices[row.index],
                ..row
            };
            done.store.as_ref().map_or(Ok(()), |store| store.add(&row))?;
            done.rows.push(row);
        }
        Ok(())
    }
}

/// What is done, also after a panic, which goes on by itself.
fn lock(done: &Mutex<Done>) -> std::sync::MutexGuard<'_, Done> {
    done.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
