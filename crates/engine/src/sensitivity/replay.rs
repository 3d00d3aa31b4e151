//! Going back over a motion that is too long to be recorded: checkpoints are kept and windows of the motion computed again,
//! by recursion (A. Griewank, A. Walther: Algorithm 799, Revolve. ACM Transactions on Mathematical Software 26, 2000).
//!
//! With s checkpoints beside the start, and no window computed again more than r times, C(s + r, s) windows can be gone
//! back over.

use super::{Backward, Recorder};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{Checkpoint, Differentiable, Options, Simulation, Trajectory};
use crate::integrate::Statistics;

/// How a bound on memory is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Blocks that are recorded at a time.
    pub window: u64,
    /// Checkpoints beside the start.
    pub slots: u64,
}

impl Schedule {
    /// The division that computes windows again least often, for a motion of so many blocks of at most `block` bytes and
    /// checkpoints of `checkpoint` bytes.
    ///
    /// # Errors
    /// Kind `Request` when the bound holds no checkpoint with one block.
    pub fn new(bound: usize, blocks: u64, block: usize, checkpoint: usize) -> Result<Self> {
        let window = |slots: u64| {
            let left = bound.checked_sub((slots as usize + 1).checked_mul(checkpoint)?)?;
            Some((left / block.max(1)) as u64).filter(|window| *window > 0)
        };
        let schedules = (0..)
            .map_while(|slots| window(slots).map(|window| Self { window, slots }))
            .take_while(|schedule| schedule.slots <= blocks);
        schedules
            .min_by_key(|schedule| repetitions(blocks.div_ceil(schedule.window), schedule.slots))
            .ok_or_else(|| {
                let least = checkpoint + block;
                Error::new(
                    ErrorKind::Request,
                    format!("{bound} bytes are too few to go back over this motion: it takes at least {least}"),
                )
                .with_value(bound as f64)
                .advise(format!(
                    "allow more than {least} bytes; the more, the less is computed again"
                ))
            })
    }
}

/// C(slots + repetitions, slots): most windows that can be gone back over.
fn reach(slots: u64, repetitions: u64) -> u64 {
    (1..=slots).fold(1_u64, |product, k| product.saturating_mul(repetitions + k) / k)
}

/// Least number of times that some window is computed again.
fn repetitions(windows: u64, slots: u64) -> u64 {
    if slots == 0 {
        return windows;
    }
    (0..).find(|&r| reach(slots, r) >= windows).unwrap_or(windows)
}

/// Windows before the next checkpoint.
fn before_split(windows: u64, slots: u64) -> u64 {
    let after = reach(slots - 1, repetitions(windows, slots));
    windows.saturating_sub(after).max(1)
}

/// A motion that is computed again piece by piece.
#[derive(Debug)]
pub struct Replay<'a, H: Differentiable> {
    /// The system.
    pub system: &'a H,
    /// As in the first simulation.
    pub options: &'a Options,
    /// Division of the memory.
    pub schedule: Schedule,
    /// Bytes of a checkpoint.
    pub checkpoint: usize,
    /// Checkpoints held now, and most bytes held so far.
    held: usize,
    peak: usize,
    /// Work done again.
    work: Statistics,
}

impl<'a, H: Differentiable> Replay<'a, H> {
    /// A replay under a schedule.
    pub fn new(system: &'a H, options: &'a Options, schedule: Schedule, checkpoint: usize) -> Self {
        Self {
            system,
            options,
            schedule,
            checkpoint,
            held: 1,
            peak: 0,
            work: Statistics::default(),
        }
    }

    /// Goes back over all blocks from a checkpoint at the start; returns most bytes held and the work done again.
    ///
    /// # Errors
    /// Whatever simulation and backward pass report.
    pub fn run(
        mut self,
        start: &Checkpoint<H::Mode>,
        blocks: u64,
        backward: &mut Backward<H>,
        workspace: &mut H::Workspace,
    ) -> Result<(usize, Statistics)> {
        self.reverse(start, blocks, self.schedule.slots, backward, workspace)?;
        Ok((self.peak, self.work))
    }

    fn reverse(
        &mut self,
        from: &Checkpoint<H::Mode>,
        blocks: u64,
        slots: u64,
        backward: &mut Backward<H>,
        workspace: &mut H::Workspace,
    ) -> Result<()> {
        let mut left = blocks;
        while left > 0 {
            let windows = left.div_ceil(self.schedule.window);
            let before = if windows == 1 {
                0
            } else if slots == 0 {
                windows - 1
            } else {
                before_split(windows, slots)
            } * self.schedule.window;
            let mut simulation = Simulation::resume(self.system, from, self.options, workspace);
            let known = from.statistics();
            skip(&mut simulation, before)?;
            if slots > 0 && left - before > self.schedule.window {
                let middle = simulation.checkpoint();
                self.work += simulation.finish().statistics - known;
                self.held += 1;
                self.reverse(&middle, left - before, slots - 1, backward, workspace)?;
                self.held -= 1;
            } else {
                let trajectory = self.record(&mut simulation, left - before)?;
                self.work += simulation.finish().statistics - known;
                backward.through(&trajectory, workspace)?;
            }
            left = before;
        }
        Ok(())
    }

    fn record(&mut self, simulation: &mut Simulation<H>, blocks: u64) -> Result<Trajectory<H::Mode>> {
        let mut recorder = Recorder::new(self.system, usize::MAX);
        simulation.report_start(&mut recorder)?;
        while recorder.blocks < blocks && !simulation.is_over() {
            simulation.advance(&mut recorder)?;
            if simulation.is_between_blocks() {
                recorder.end_block();
            }
        }
        self.peak = self.peak.max(recorder.peak + self.held * self.checkpoint);
        Ok(recorder.trajectory.unwrap_or_default())
    }
}

/// Goes on for so many blocks.
fn skip<H: Differentiable>(simulation: &mut Simulation<H>, blocks: u64) -> Result<()> {
    let mut done = 0;
    while done < blocks && !simulation.is_over() {
        simulation.advance(&mut ())?;
        done += u64::from(simulation.is_between_blocks());
    }
    Ok(())
}
