//! Several starts within the bounds, in parallel, and the distinct minima that they reach.

use std::ops::ControlFlow;

use super::design::Design;
use super::iterate::{optimize, refuse_unsuited};
use super::minima::{Minimum, distinct_minima};
use super::point::Failure;
use super::report::{Iteration, Report, Status};
use crate::error::{Error, ErrorKind, Result};
use crate::latin_hypercube::LatinHypercube;
use crate::machine::{Clock, in_parallel};
use crate::scene::compiled::Optimization;

/// Starts without a value are drawn again at most so often; where one start in five has a value, one of a hundred is left
/// out then.
const ROUNDS: usize = 20;

/// Told the index of a start and each of its iterations, from any thread; may stop that start.
pub type WatchStarts<'a> = dyn Fn(usize, &Iteration) -> ControlFlow<()> + Sync + 'a;

/// Result of an optimization from several starts.
#[derive(Clone, Debug)]
pub struct MultistartReport {
    /// One optimization for each start that has a value: from the values of the scene first, if these have one, then in
    /// the order in which the starts were drawn.
    pub runs: Vec<Report>,
    /// What they found, the best first; at least one.
    pub minima: Vec<Minimum>,
    /// Starts without a value; others were drawn in their place.
    pub failures: Vec<Failure>,
    /// Whether it ended before all starts were done.
    pub interrupted: bool,
    /// Wall time in seconds.
    pub seconds: f64,
}

impl MultistartReport {
    /// Index of the start with the best result.
    pub fn best(&self) -> usize {
        self.minima[0].starts[0]
    }

    /// Number of the minimum, from 1, that each start leads to.
    pub fn minimum_of_starts(&self) -> Vec<usize> {
        let mut found = vec![0; self.runs.len()];
        for (k, minimum) in self.minima.iter().enumerate() {
            minimum.starts.iter().for_each(|&start| found[start] = k + 1);
        }
        found
    }

    /// A number summed over the starts.
    pub fn total(&self, number: impl Fn(&Report) -> u32) -> u32 {
        self.runs.iter().map(number).sum()
    }
}

/// Optimizes from `optimization.starts` starts on so many threads: the values of the scene, and a Latin hypercube within
/// the bounds for the others. The result does not depend on the number of threads.
///
/// Starts without a value are replaced by a Latin hypercube of as many points, up to 20 times.
///
/// # Errors
/// Kind `Request` when a variable lacks a bound; kind `Interrupted` when no start has a value yet; that of the first start
/// when none has a value.
pub fn optimize_from_starts(
    design: &(dyn Design + Sync),
    optimization: &Optimization,
    threads: usize,
    watch: &WatchStarts,
) -> Result<MultistartReport> {
    let clock = Clock::start();
    refuse_unsuited(optimization)?;
    optimization.require_bounds("several starts")?;
    let mut search = Search::new(design, optimization, threads, watch);
    search.run();
    if search.runs.is_empty() {
        return Err(search.without_result());
    }
    let minima = distinct_minima(&search.runs, optimization);
    Ok(MultistartReport {
        minima,
        runs: search.runs,
        failures: search.failures,
        interrupted: search.interrupted,
        seconds: clock.seconds(),
    })
}

/// The starts that do not come to their end over a design that evaluates nothing anew ([`Unevaluated`](super::Unevaluated) below a
/// [`Recall`](super::Recall)): each with its number and its place. Once what they evaluate is known there are further ones, where
/// others are drawn in their place, or none.
///
/// # Errors
/// Kind `Request` when a variable lacks a bound, and for a single start.
pub fn unfinished_starts(design: &(dyn Design + Sync), optimization: &Optimization) -> Result<Vec<(usize, Vec<f64>)>> {
    refuse_unsuited(optimization)?;
    optimization.require_bounds("several starts")?;
    if optimization.starts < 2 {
        let message = "there is one start, which is not divided among workers";
        let advice = "give the number of starts";
        return Err(Error::new(ErrorKind::Request, message).named("starts").advise(advice));
    }
    let watch = |_: usize, _: &Iteration| ControlFlow::Continue(());
    let mut search = Search::new(design, optimization, 1, &watch);
    search.run();
    Ok(search.unfinished)
}

/// Optimizes from one of several starts, of this number and at this place, as [`optimize_from_starts`] does.
///
/// # Errors
/// As [`optimize`].
pub fn optimize_start(
    design: &dyn Design,
    optimization: &Optimization,
    (index, place): (usize, &[f64]),
    watch: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<Report> {
    let mut own = optimization.clone();
    own.seed = own.seed.wrapping_add(index as u64);
    for (variable, start) in own.variables.iter_mut().zip(place) {
        variable.start = *start;
    }
    optimize(design, &own, watch)
}

struct Search<'a> {
    design: &'a (dyn Design + Sync),
    optimization: &'a Optimization,
    threads: usize,
    watch: &'a WatchStarts<'a>,
    runs: Vec<Report>,
    failures: Vec<Failure>,
    first_error: Option<Error>,
    interrupted: bool,
    /// Why it was interrupted, from a start without a value.
    interruption: Option<Error>,
    /// Number and place of the starts that did not come to their end.
    unfinished: Vec<(usize, Vec<f64>)>,
}

impl<'a> Search<'a> {
    fn new(
        design: &'a (dyn Design + Sync),
        optimization: &'a Optimization,
        threads: usize,
        watch: &'a WatchStarts<'a>,
    ) -> Self {
        Self {
            design,
            optimization,
            threads,
            watch,
            runs: Vec::new(),
            failures: Vec::new(),
            first_error: None,
            interrupted: false,
            interruption: None,
            unfinished: Vec::new(),
        }
    }

    fn run(&mut self) {
        let wanted = self.optimization.starts as usize;
        let (lower, upper): (Vec<f64>, Vec<f64>) = self.bounds();
        let mut sampler = LatinHypercube::new(self.optimization.seed);
        let own = self.optimization.variables.iter().map(|variable| variable.start);
        let mut places = vec![own.collect()];
        places.extend(sampler.points(wanted - 1, &lower, &upper));
        for _ in 0..=ROUNDS {
            self.round(&places);
            let missing = wanted - self.runs.len();
            if missing == 0 || self.interrupted {
                break;
            }
            places = sampler.points(missing, &lower, &upper);
        }
    }

    fn bounds(&self) -> (Vec<f64>, Vec<f64>) {
        let variables = self.optimization.variables.iter();
        variables.map(|variable| (variable.lower, variable.upper)).unzip()
    }

    /// One optimization from each of these places.
    fn round(&mut self, places: &[Vec<f64>]) {
        let before = self.runs.len();
        let task = |k: usize| {
            let index = before + k;
            optimize_start(self.design, self.optimization, (index, &places[k]), &mut |iteration| {
                (self.watch)(index, iteration)
            })
        };
        let found = in_parallel(self.threads, places.len(), &|_| {}, task);
        for (k, (place, result)) in places.iter().zip(found).enumerate() {
            let ended = match &result {
                Ok(report) => report.status != Status::Interrupted,
                Err(error) => error.kind() != ErrorKind::Interrupted,
            };
            if !ended {
                self.unfinished.push((before + k, place.clone()));
            }
            match result {
                Ok(report) => {
                    self.interrupted |= !ended;
                    self.runs.push(report);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {
                    self.interrupted = true;
                    self.interruption.get_or_insert(error);
                }
                Err(error) => self.add_failure(place.clone(), error),
            }
        }
    }

    fn add_failure(&mut self, parameters: Vec<f64>, error: Error) {
        self.first_error.get_or_insert_with(|| error.clone());
        self.failures.push(Failure {
            iteration: 0,
            parameters,
            error,
        });
    }

    fn without_result(self) -> Error {
        match self.first_error {
            Some(error) if !self.interrupted => error.advise(format!(
                "none of {} starts has a value; narrow the bounds, or mend the scene so that its own values have one",
                self.failures.len()
            )),
            _ => self.interruption.unwrap_or_else(super::interrupt::interrupted),
        }
    }
}
