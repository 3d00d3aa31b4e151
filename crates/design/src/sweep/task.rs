//! What a sweep computes.

use super::plan::{Plan, Shard};
use super::row::{Row, header};
use crate::error::{Error, ErrorKind, Result};
use crate::run::Experiment;

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

    /// The row of one of its points from its fields; none if they are those of another sweep, or one of them has changed.
    pub fn row_of(&self, fields: &[&str]) -> Option<Row> {
        let row = Row::parse(fields, self.parameters().len(), self.objectives().len())?;
        let is_own = fields.len() == self.header().len()
            && row.index < self.plan.count()
            && row.parameters == self.plan.point(row.index);
        is_own.then_some(row)
    }

    /// Whether the sweep has a meaning for its scene; points that fail are not found out here.
    ///
    /// # Errors
    /// As [`Plan::check`]; kind `Request` where gradients are asked for by what has none.
    pub fn check(&self) -> Result<()> {
        self.plan.check(self.experiment)?;
        let parameters = &self.experiment.mechanism.model.parameters;
        let is_constant = |name: &String| parameters.iter().all(|parameter| parameter.name != *name);
        match self.parameters().into_iter().find(is_constant) {
            Some(name) if self.gradient => Err(Error::new(
                ErrorKind::Request,
                format!("there is no derivative by `{name}`, a constant"),
            )
            .named(name)
            .advise("make it a parameter, or sweep without gradients")),
            _ => Ok(()),
        }
    }
}
