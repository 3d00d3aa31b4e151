//! A system over a span of time: motion, sensitivities, gradients.

use super::derivatives::Differentiated;
use super::motion::Motion;
use super::sensitivities::{Gradients, Sensitivities};
use super::system::System;
use super::{Equations, Point};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Finish, HybridSystem, Observer, Options, StepView, Trajectory, simulate};
use crate::integrate::{Method, Tolerance};
use crate::linear::dot;
use crate::sensitivity::{FinalGradient, ForwardMode, ForwardSystem, LinearizationRecorder, NumberDirection, adjoint};

/// Samples of the motion that predictions interpolate between.
const SAMPLES: f64 = 2000.0;

/// Ends a motion that is differentiated where one of its first components has a rate that jumps without a guard.
struct Unbroken(usize);

impl<M> Observer<M> for Unbroken {
    fn step(&mut self, step: &StepView<M>) -> Result<()> {
        let Some(found) = step.breaks.filter(|found| found.component < self.0) else {
            return Ok(());
        };
        let message = format!(
            "the rate of component {} jumps, and no guard tells it: derivatives would lack what the jump leaves",
            found.component
        );
        let advice = "declare a guard that is zero there, and a mode for each side";
        Err(Error::new(ErrorKind::Event, message).at_time(found.t).advise(advice))
    }
}

/// Equations with parameters, over a span of time, with what to integrate them by.
#[derive(Debug)]
pub struct Study<E> {
    pub(super) system: System<E>,
    start: f64,
    end: f64,
    method: Method,
    rtol: f64,
    atol: f64,
    max_step: f64,
    max_steps: u64,
}

impl<E: Equations> Study<E> {
    /// Equations with these values of the parameters, from one time to a later one, by the explicit method with a relative and
    /// absolute tolerance of 1e-12 and 1e-13.
    pub fn new(equations: E, parameters: &[f64], (start, end): (f64, f64)) -> Self {
        Self {
            system: System::new(equations, parameters),
            start,
            end,
            method: Method::default(),
            rtol: 1e-12,
            atol: 1e-13,
            max_step: f64::INFINITY,
            max_steps: 1_000_000,
        }
    }

    /// With another method of integration.
    #[must_use]
    pub fn by(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// With other tolerances: relative, and absolute in the unit of each state.
    #[must_use]
    pub fn to_tolerance(mut self, rtol: f64, atol: f64) -> Self {
        (self.rtol, self.atol) = (rtol, atol);
        self
    }

    /// With steps no longer than this.
    #[must_use]
    pub fn with_max_step(mut self, max_step: f64) -> Self {
        self.max_step = max_step;
        self
    }

    /// Time at which it starts.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// The same study of other equations with the same parameters.
    pub(super) fn of<F: Equations>(&self, equations: F) -> Study<F> {
        Study {
            system: System::new(equations, &self.system.p),
            start: self.start,
            end: self.end,
            method: self.method,
            rtol: self.rtol,
            atol: self.atol,
            max_step: self.max_step,
            max_steps: self.max_steps,
        }
    }

    /// The hybrid system, for the functions of [`crate::hybrid`] and [`crate::sensitivity`].
    pub fn system(&self) -> &System<E> {
        &self.system
    }

    /// Integrates the motion.
    ///
    /// # Errors
    /// Kind `Singular` with time and condition where the algebraic equations lose their solution; kind `Event` where events
    /// accumulate or lead off the equations of index 2; kind `Assembly` where the start is off them; kinds `StepSize` and
    /// `NotFinite` where the motion cannot be followed; kind `Request` for tolerances out of range.
    pub fn simulate(&self) -> Result<Motion<'_, E>> {
        let mut trajectory = Trajectory::default();
        let finish = self.run(&mut trajectory)?;
        let costs = self.final_costs(&finish.mode, &finish.x)?.0;
        Ok(Motion::new(&self.system, trajectory, costs, finish.statistics))
    }

    /// Integrates the motion with its sensitivities by every parameter.
    ///
    /// # Errors
    /// As [`Study::simulate`]; kind `Event` where a guard is only grazed, so that the event time has no derivative, and where the flow
    /// jumps without one; kinds `Event` and `Assembly` where jump or start satisfy the equations of index 2 for these parameters only.
    pub fn forward(&self) -> Result<Sensitivities<'_, E>> {
        let directions = self.directions();
        let forward = ForwardSystem::new(&self.system, &directions);
        let mut trajectory = Trajectory::default();
        let interval = (self.end - self.start) / SAMPLES;
        let mut recorder = LinearizationRecorder::new(&self.system, &forward, interval)?;
        let finish = self.run_forward(
            &forward,
            &mut (&mut trajectory, &mut (&mut recorder, &mut self.unbroken())),
        )?;
        let linearization = recorder.finish()?;
        let (costs, ends) = self.final_costs(&finish.mode.mode, &finish.x)?;
        let gradient = |end: &FinalGradient| {
            let by = |k: usize| {
                let slopes = &finish.x[forward.block(k)];
                dot(&end.x, slopes) + end.numbers[k]
            };
            (0..directions.len()).map(by).collect()
        };
        let gradients = Gradients {
            costs,
            gradients: ends.iter().map(gradient).collect(),
        };
        Ok(Sensitivities::new(
            &self.system,
            trajectory,
            linearization,
            gradients,
            finish,
        ))
    }

    /// Gradients of the costs by the adjoint method: one motion, and one pass back over it for all costs.
    ///
    /// # Errors
    /// As [`Study::forward`].
    pub fn adjoint(&self) -> Result<Gradients> {
        let mut trajectory = Trajectory::default();
        let finish = self.run(&mut (&mut trajectory, &mut self.unbroken()))?;
        let (costs, ends) = self.final_costs(&finish.mode, &finish.x)?;
        let count = self.system.p.len();
        let directions: Vec<NumberDirection> = (0..count).map(|k| vec![(k, 1.0)]).collect();
        let workspace = &mut self.system.workspace();
        let accuracy = (self.method, self.rtol, self.atol);
        let (results, _) = adjoint(&self.system, &trajectory, &ends, &directions, accuracy, workspace)?;
        let first = &trajectory.phases[0];
        let start = At::new(self.start, &first.mode, &first.x);
        let start = self.system.start_slopes(start, workspace)?;
        let by = |k: usize, x: &[f64]| (0..self.system.nx()).map(|i| x[i] * start[i * count + k]).sum::<f64>();
        let gradients = results.iter().map(|result| {
            let along = result.along.iter().enumerate();
            along.map(|(k, along)| along + by(k, &result.x)).collect()
        });
        Ok(Gradients {
            costs,
            gradients: gradients.collect(),
        })
    }

    /// Integrates the motion and tells an observer.
    ///
    /// # Errors
    /// As [`Study::simulate`].
    pub fn run(&self, observer: &mut impl Observer<E::Mode>) -> Result<Finish<E::Mode>> {
        let mut workspace = self.system.workspace();
        let (mode, x) = self.system.start(self.start, &mut workspace)?;
        let options = self.options(1)?;
        simulate(&self.system, (self.start, mode, x), &options, &mut workspace, observer)
    }

    /// Integrates the motion with its sensitivities and tells an observer.
    ///
    /// # Errors
    /// As [`Study::forward`].
    pub fn run_forward(
        &self,
        forward: &ForwardSystem<System<E>>,
        observer: &mut impl Observer<ForwardMode<E::Mode>>,
    ) -> Result<Finish<ForwardMode<E::Mode>>> {
        let count = self.system.p.len();
        let workspace = &mut self.system.workspace();
        let (mode, mut x) = self.system.start(self.start, workspace)?;
        let slopes = self.system.start_slopes(At::new(self.start, &mode, &x), workspace)?;
        for k in 0..count {
            let block = x.len();
            x.resize(block + self.system.dimension(), 0.0);
            for (i, slot) in x[block..block + self.system.nx()].iter_mut().enumerate() {
                *slot = slopes[i * count + k];
            }
        }
        let mode = ForwardMode::start(mode, self.start, vec![0.0; count]);
        let options = self.options(count + 1)?;
        let mut workspace = forward.workspace();
        simulate(forward, (self.start, mode, x), &options, &mut workspace, observer)
    }

    fn unbroken(&self) -> Unbroken {
        Unbroken(self.system.dimension())
    }

    /// Derivatives of the parameters by the parameters.
    pub fn directions(&self) -> Vec<Vec<f64>> {
        let count = self.system.p.len();
        let unit = |k: usize| (0..count).map(|i| f64::from(u8::from(i == k))).collect();
        (0..count).map(unit).collect()
    }

    /// How to integrate so many blocks as large as X; where to look for y is under no control.
    fn options(&self, blocks: usize) -> Result<Options> {
        let mut atol = vec![self.atol; self.system.dimension()];
        atol[self.system.guesses()].fill(f64::INFINITY);
        Ok(Options {
            end: self.end,
            tolerance: Tolerance::new(self.rtol, atol.repeat(blocks))?,
            method: self.method,
            max_step: self.max_step,
            max_steps: self.max_steps,
        })
    }

    /// Costs of a motion that ends at X, with their derivatives by X and the parameters.
    fn final_costs(&self, mode: &E::Mode, x: &[f64]) -> Result<(Vec<f64>, Vec<FinalGradient>)> {
        let system = &self.system;
        let (nx, m, np) = (system.nx(), system.directions(), system.p.len());
        let x = &x[..system.dimension()];
        let mut costs = Differentiated::new(system.nc(), m);
        let function = |at: &Point<_>, w: &mut [_]| system.equations.final_costs(mode, at, w);
        system.differentiate(
            At::new(self.end, mode, x),
            function,
            &mut costs,
            &mut system.workspace(),
        )?;
        let Differentiated { mut values, slopes } = costs;
        let mut ends = Vec::with_capacity(values.len());
        for (k, row) in slopes.chunks_exact(m).enumerate() {
            values[k] += x[nx + k];
            let mut by_x = vec![0.0; x.len()];
            by_x[..nx].copy_from_slice(&row[..nx]);
            by_x[nx + k] = 1.0;
            ends.push(FinalGradient {
                x: by_x,
                numbers: row[nx..nx + np].to_vec(),
            });
        }
        Ok((values, ends))
    }
}
