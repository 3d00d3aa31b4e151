//! Expressions that are summed over events, or taken at one of them.

use super::Collected;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{Happening, JumpView};
use crate::linear::add_scaled;
use crate::model::{EventSum, Model, Occurrence, Side};
use crate::run::probe::{Probe, RunMode, after, before};
use crate::sensitivity::JumpSide;

/// One of the sums of a run.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    pub total: Collected,
    /// Events so far.
    counted: usize,
    /// Index of the jump that it is taken at, where that is a single one.
    chosen: Option<usize>,
}

impl Sum {
    /// Those of a run along so many directions.
    pub fn all(model: &Model, directions: usize) -> Vec<Self> {
        let empty = Self {
            total: Collected::constant(0.0, directions),
            counted: 0,
            chosen: None,
        };
        vec![empty; model.event_sums.len()]
    }

    /// Takes what happens at a jump.
    ///
    /// # Errors
    /// As [`Probe::value`] and for the flow.
    pub fn jump<M: RunMode>(&mut self, sum: &EventSum, jump: &JumpView<M>, probe: &mut Probe) -> Result<()> {
        let here = sum.count(jump.happenings.iter().map(Happening::named));
        let share = sum.share(self.counted, here);
        self.counted += here;
        if share == 0 {
            return Ok(());
        }
        let at = match sum.side {
            Side::Before => before(jump),
            Side::After => after(jump),
        };
        if sum.occurrence.is_some() {
            self.chosen = Some(jump.index);
            self.total = Collected::constant(0.0, self.total.slopes.len());
        }
        let events = share as f64;
        self.total.value += events * probe.value(&sum.objective, &sum.value, at)?;
        let slopes = probe.slopes((&sum.objective, &sum.value), at, jump.mode_after.times())?;
        add_scaled(&mut self.total.slopes, events, &slopes);
        Ok(())
    }

    /// How often the expression was taken on a side of a jump.
    pub fn taken<M>(&self, sum: &EventSum, side: &JumpSide<M>) -> usize {
        if (sum.side == Side::After) != side.after {
            return 0;
        }
        match sum.occurrence {
            None => sum.count(side.jump.happenings.iter().map(Happening::named)),
            Some(_) => usize::from(self.chosen == Some(side.jump.index)),
        }
    }

    /// Refuses a value at an event that did not happen.
    ///
    /// # Errors
    /// Kind `Event` naming the objective.
    pub fn check(&self, sum: &EventSum, end: f64) -> Result<()> {
        let Some(occurrence) = sum.occurrence.filter(|_| self.chosen.is_none()) else {
            return Ok(());
        };
        let which = match occurrence {
            Occurrence::Number(number) => format!("event {number}"),
            Occurrence::Last => "an event".to_string(),
        };
        let kind = sum
            .kind
            .as_ref()
            .map_or(String::new(), |kind| format!(" of the kind \"{kind}\""));
        let name = sum.names.first().map_or("", String::as_str);
        let message = format!(
            "it takes {which} of \"{name}\"{kind}, of which {} happened",
            self.counted
        );
        Err(Error::new(ErrorKind::Event, message)
            .named(sum.objective.clone())
            .at_time(end)
            .advise("lengthen `duration`, take an earlier event, or leave `which` out for the sum over all of them"))
    }
}
