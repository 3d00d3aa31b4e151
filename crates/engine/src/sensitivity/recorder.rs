//! Recording a motion for the adjoint within a bound on memory.

use crate::error::Result;
use crate::hybrid::{HybridSystem, JumpRecord, JumpView, Observer, Phase, StepView, Trajectory, step_bytes};

/// Observer that records, counts blocks of steps, and gives up recording, but not counting, when a bound is reached.
#[derive(Debug)]
pub struct Recorder<'a, H: HybridSystem> {
    system: &'a H,
    bound: usize,
    /// The recording; none when it would not fit.
    pub trajectory: Option<Trajectory<H::Mode>>,
    /// Bytes that the recording would hold by now, and at the last end of a block.
    bytes: usize,
    bytes_at_block: usize,
    /// Blocks so far.
    pub blocks: u64,
    /// Bytes of the largest block.
    pub largest_block: usize,
    /// Most bytes held.
    pub peak: usize,
    /// The largest size that each component of the state had at the end of a step.
    pub sizes: Vec<f64>,
}

impl<'a, H: HybridSystem> Recorder<'a, H> {
    /// A recorder that holds at most `bound` bytes.
    pub fn new(system: &'a H, bound: usize) -> Self {
        Self {
            system,
            bound,
            trajectory: Some(Trajectory::default()),
            bytes: 0,
            bytes_at_block: 0,
            blocks: 0,
            largest_block: 0,
            peak: 0,
            sizes: vec![0.0; system.dimension()],
        }
    }

    /// Notes the end of a block.
    pub fn end_block(&mut self) {
        self.blocks += 1;
        self.largest_block = self.largest_block.max(self.bytes - self.bytes_at_block);
        self.bytes_at_block = self.bytes;
    }

    /// Counts what is about to be recorded; gives up when it does not fit.
    fn count(&mut self, bytes: usize) {
        self.bytes += bytes;
        if self.bytes > self.bound {
            self.trajectory = None;
        }
        if self.trajectory.is_some() {
            self.peak = self.bytes;
        }
    }

    /// Bytes of the start of a phase.
    fn phase_bytes(&self, mode: &H::Mode, x: &[f64]) -> usize {
        size_of::<Phase<H::Mode>>() + size_of_val(x) + self.system.mode_bytes(mode)
    }
}

impl<H: HybridSystem> Observer<H::Mode> for Recorder<'_, H> {
    fn wants_dense(&self) -> bool {
        true
    }

    fn start(&mut self, t: f64, mode: &H::Mode, x: &[f64]) -> Result<()> {
        self.count(self.phase_bytes(mode, x));
        self.trajectory.as_mut().map_or(Ok(()), |kept| kept.start(t, mode, x))
    }

    fn step(&mut self, step: &StepView<H::Mode>) -> Result<()> {
        for (size, x) in self.sizes.iter_mut().zip(step.x) {
            *size = size.max(x.abs());
        }
        self.count(step.dense.map_or(0, step_bytes));
        self.trajectory.as_mut().map_or(Ok(()), |kept| kept.step(step))
    }

    fn jump(&mut self, jump: &JumpView<H::Mode>) -> Result<()> {
        let record = JumpRecord::from(jump);
        self.count(record.bytes() + self.phase_bytes(jump.mode_after, jump.after));
        self.trajectory.as_mut().map_or(Ok(()), |kept| kept.jump(jump))
    }
}
