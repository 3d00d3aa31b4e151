//! Records a motion with its sensitivities while a forward run goes by.

use super::{Linearization, LinearizedEvent, Phase, Sample};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Differentiable, HybridSystem, JumpView, Observer, StepView, Tangent};
use crate::sensitivity::{ForwardMode, ForwardSystem, ForwardWorkspace};

/// Observer of a forward run that keeps samples at a given distance and on both sides of every jump.
#[derive(Debug)]
pub struct LinearizationRecorder<'a, H: Differentiable> {
    system: &'a H,
    forward: &'a ForwardSystem<'a, H>,
    interval: f64,
    workspace: H::Workspace,
    forward_workspace: ForwardWorkspace<H::Workspace>,
    /// As many zeros as the system has numbers.
    still: Vec<f64>,
    motion: Linearization<H::Mode>,
    /// Time and state with sensitivities at the end of the latest step.
    latest: Option<(f64, Vec<f64>)>,
}

impl<'a, H: Differentiable> LinearizationRecorder<'a, H> {
    /// A recorder of `forward`, the system with its sensitivities, with a sample at least every `interval` seconds.
    ///
    /// # Errors
    /// Kind `Request` unless the interval is positive.
    pub fn new(system: &'a H, forward: &'a ForwardSystem<'a, H>, interval: f64) -> Result<Self> {
        if !interval.is_finite() || interval <= 0.0 {
            return Err(Error::new(
                ErrorKind::Request,
                "the interval between samples is not a positive number",
            )
            .with_value(interval)
            .advise("give a positive number of seconds"));
        }
        let n = system.dimension();
        Ok(Self {
            system,
            forward,
            interval,
            workspace: system.workspace(),
            forward_workspace: forward.workspace(),
            still: vec![0.0; system.numbers()],
            motion: Linearization {
                n,
                parameters: forward.dimension() / n.max(1) - 1,
                phases: Vec::new(),
                events: Vec::new(),
            },
            latest: None,
        })
    }

    /// The recording, after the end of the run.
    ///
    /// # Errors
    /// As for the flow.
    pub fn finish(mut self) -> Result<Linearization<H::Mode>> {
        if let Some((t, x)) = self.latest.take() {
            self.end_phase(t, &x)?;
        }
        Ok(self.motion)
    }

    fn begin_phase(&mut self, at: At<H::Mode>) -> Result<()> {
        let mode = at.mode;
        let (sample, bend) = self.side(at)?;
        self.motion.phases.push(Phase {
            mode: mode.clone(),
            samples: vec![sample],
            bend_at_end: bend.clone(),
            bend_at_start: bend,
        });
        Ok(())
    }

    /// Adds the state at the end of the last phase, unless the phase has no duration.
    fn end_phase(&mut self, t: f64, x: &[f64]) -> Result<()> {
        let Some(mut phase) = self.motion.phases.pop() else {
            return Ok(());
        };
        if phase.samples.last().is_some_and(|sample| sample.t < t) {
            let (sample, bend) = self.side(At::new(t, &phase.mode, x))?;
            phase.samples.push(sample);
            phase.bend_at_end = bend;
        }
        self.motion.phases.push(phase);
        Ok(())
    }

    /// A sample with the rates of the flow, and x'' = F_x F + F_t.
    fn side(&mut self, at: At<H::Mode>) -> Result<(Sample, Vec<f64>)> {
        let At { t, mode, x } = at;
        let n = self.motion.n;
        let mut rate = vec![0.0; x.len()];
        let forward_mode = ForwardMode::start(mode.clone(), t, Vec::new());
        self.forward
            .flow(At::new(t, &forward_mode, x), &mut self.forward_workspace, &mut rate)?;
        let mut bend = vec![0.0; n];
        self.system.linearize(At::new(t, mode, &x[..n]), &mut self.workspace)?;
        let along = Tangent::new(1.0, &rate[..n], &self.still);
        self.system
            .flow_jvp(At::new(t, mode, &x[..n]), &along, &mut self.workspace, &mut bend);
        Ok((Sample { t, x: x.to_vec(), rate }, bend))
    }
}

impl<H: Differentiable> Observer<ForwardMode<H::Mode>> for LinearizationRecorder<'_, H> {
    fn wants_dense(&self) -> bool {
        true
    }

    fn start(&mut self, t: f64, mode: &ForwardMode<H::Mode>, x: &[f64]) -> Result<()> {
        self.begin_phase(At::new(t, &mode.mode, x))
    }

    fn step(&mut self, step: &StepView<ForwardMode<H::Mode>>) -> Result<()> {
        let samples = self.motion.phases.last_mut().map(|phase| &mut phase.samples);
        if let (Some(samples), Some(dense)) = (samples, step.dense) {
            // An interval below the resolution of time leads nowhere.
            let next = |samples: &[Sample]| {
                let last = samples.last()?.t;
                Some(last + self.interval).filter(|&t| last < t && t < step.end)
            };
            while let Some(t) = next(samples) {
                let (mut x, mut rate) = (vec![0.0; step.x.len()], vec![0.0; step.x.len()]);
                dense.evaluate(t, &mut x);
                dense.derivative(t, &mut rate);
                samples.push(Sample { t, x, rate });
            }
        }
        let (t, x) = self.latest.get_or_insert_with(|| (step.end, step.x.to_vec()));
        *t = step.end;
        x.copy_from_slice(step.x);
        Ok(())
    }

    fn jump(&mut self, jump: &JumpView<ForwardMode<H::Mode>>) -> Result<()> {
        self.end_phase(jump.t, jump.before)?;
        self.latest = None;
        self.motion.events.push(LinearizedEvent {
            t: jump.t,
            slopes: jump.mode_after.event_times.last().cloned().unwrap_or_default(),
            happenings: jump.happenings.to_vec(),
        });
        self.begin_phase(At::new(jump.t, &jump.mode_after.mode, jump.after))
    }
}
