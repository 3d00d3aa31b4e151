//! A motion with its sensitivities, and what it predicts for other parameters.

use super::algebraic::Given;
use super::derivatives::{Differentiated, Sweep, Variation, VariedPoint};
use super::motion::{Event, Segments, events, found_at, segments};
use super::system::{System, Workspace};
use super::{Equations, Point};
use crate::error::Result;
use crate::hybrid::{At, Finish, HybridSystem, Trajectory};
use crate::integrate::Statistics;
use crate::linear::dot;
use crate::sensitivity::{ForwardMode, Linearization, Switching};

/// A motion with the derivatives of states, algebraic variables, event times and costs by every parameter.
#[derive(Debug)]
pub struct Sensitivities<'a, E: Equations> {
    system: &'a System<E>,
    trajectory: Trajectory<ForwardMode<E::Mode>>,
    linearization: Linearization<E::Mode>,
    /// Events in order, with the derivatives of their times.
    pub events: Vec<Event>,
    /// Costs and their gradients.
    pub gradients: Gradients,
    /// Work of the integrator.
    pub statistics: Statistics,
}

/// Costs and their gradients by all parameters.
#[derive(Clone, Debug)]
pub struct Gradients {
    /// One per cost.
    pub costs: Vec<f64>,
    /// One list per cost, one entry per parameter.
    pub gradients: Vec<Vec<f64>>,
}

impl Gradients {
    /// Derivative of a cost by a parameter.
    pub fn by(&self, cost: usize, parameter: usize) -> f64 {
        self.gradients[cost][parameter]
    }
}

/// Values at an instant with their derivatives.
#[derive(Clone, Debug)]
pub struct Slopes {
    /// States.
    pub x: Vec<f64>,
    /// Algebraic variables.
    pub y: Vec<f64>,
    /// dx/dp, one list per parameter.
    pub dx: Vec<Vec<f64>>,
    /// dy/dp, one list per parameter.
    pub dy: Vec<Vec<f64>>,
}

/// The first entries of blocks.
fn blocks(of: &[f64], length: usize, first: usize) -> Vec<Vec<f64>> {
    let blocks = of.chunks_exact(length.max(1));
    blocks.map(|block| block[..first].to_vec()).collect()
}

impl<E: Equations> System<E> {
    /// Derivatives of the states at the start by the parameters, row-major.
    ///
    /// # Errors
    /// Kind `Assembly` where they do not satisfy the equations of index 2.
    pub(super) fn start_slopes(&self, at: At<E::Mode>, workspace: &mut Workspace) -> Result<Vec<f64>> {
        let (nx, np) = (self.nx(), self.p.len());
        let mut states = Differentiated::new(nx, np);
        let mut sweep = Sweep::new((0, 0, np), nx);
        let parameters = VariedPoint {
            point: Point {
                t: 0.0,
                x: &[],
                y: &[],
                p: &self.p,
            },
            x: Variation::Constant,
            y: Variation::Constant,
            count: np,
            first_parameter: Some(0),
        };
        let start = |point: &Point<_>, x: &mut [_]| {
            self.equations.start(point.p, x);
        };
        sweep.run(&parameters, start, &mut states.values, &mut states.slopes);
        self.check_start_slopes(at, &states.slopes, workspace)?;
        Ok(states.slopes)
    }

    /// Values and derivatives of a state with sensitivities [X | S_1 | S_2 | ...].
    fn slopes(&self, t: f64, mode: &E::Mode, x: &[f64], workspace: &mut Workspace) -> Result<Slopes> {
        let (nx, ny, n, m) = (self.nx(), self.ny(), self.dimension(), self.directions());
        let none = |_: &Point<_>, _: &mut [_]| ();
        let (mut x, mut dx) = (x[..n].to_vec(), blocks(&x[n..], n, nx));
        if self.project(t, mode, &mut x, workspace)? {
            self.linearize_close(At::new(t, mode, &x), workspace)?;
            let mut numbers = vec![0.0; self.p.len()];
            for (k, slopes) in dx.iter_mut().enumerate() {
                numbers.fill(0.0);
                numbers[k] = 1.0;
                workspace.projection.along(slopes, &numbers);
            }
        }
        self.differentiate(At::new(t, mode, &x), none, &mut Differentiated::default(), workspace)?;
        let by = |(k, s): (usize, &Vec<f64>)| {
            let row = |i: usize| &workspace.y_slopes[i * m..(i + 1) * m];
            let slope = |i: usize| dot(&row(i)[..nx], s) + row(i)[nx + k];
            (0..ny).map(slope).collect()
        };
        Ok(Slopes {
            x: x[..nx].to_vec(),
            y: workspace.algebraic.y.clone(),
            dy: dx.iter().enumerate().map(by).collect(),
            dx,
        })
    }
}

impl<'a, E: Equations> Sensitivities<'a, E> {
    pub(super) fn new(
        system: &'a System<E>,
        trajectory: Trajectory<ForwardMode<E::Mode>>,
        linearization: Linearization<E::Mode>,
        gradients: Gradients,
        finish: Finish<ForwardMode<E::Mode>>,
    ) -> Self {
        Self {
            system,
            events: events(&trajectory.jumps, &finish.mode.event_times),
            trajectory,
            linearization,
            gradients,
            statistics: finish.statistics,
        }
    }

    /// Values and derivatives at a time, before an event at that time.
    ///
    /// # Errors
    /// Kind `Request` for a time outside the motion.
    pub fn at(&self, t: f64) -> Result<Slopes> {
        let (mode, x) = found_at(&self.trajectory, t)?;
        self.system.slopes(t, &mode.mode, &x, &mut self.system.workspace())
    }

    /// A value or derivative over time, in pieces between events, with about `count` points.
    ///
    /// # Errors
    /// Where the algebraic equations have no solution between the steps.
    pub fn curve(&self, count: usize, value: impl Fn(&Slopes) -> f64) -> Result<Segments> {
        let mut workspace = self.system.workspace();
        segments(&self.trajectory, count, |t, mode, x| {
            Ok(value(&self.system.slopes(t, &mode.mode, x, &mut workspace)?))
        })
    }

    /// States and algebraic variables predicted at a time for parameters changed by `dp`, to first order (theory, 3.5 and 3.6);
    /// y solves its equations at the predicted states.
    ///
    /// # Errors
    /// Kind `Request` where `dp` or the time do not fit; kinds `NotFinite` and `Singular` where the prediction has no value.
    pub fn predict(&self, t: f64, dp: &[f64], switching: Switching) -> Result<(Vec<f64>, Vec<f64>)> {
        let mut x = vec![0.0; self.system.dimension()];
        let mode = self.linearization.predict(t, dp, switching, &mut x)?;
        let changed = self.system.p.iter().zip(dp).map(|(p, change)| p + change);
        let place = Given {
            t,
            mode,
            x: &x[..self.system.nx()],
            p: &changed.collect::<Vec<_>>(),
        };
        let workspace = &mut self.system.workspace();
        let guess = &x[self.system.guesses()];
        workspace.algebraic.solve(&self.system.equations, &place, guess)?;
        let y = workspace.algebraic.y.clone();
        x.truncate(self.system.nx());
        Ok((x, y))
    }

    /// The motion with its sensitivities as samples, for predictions.
    pub fn linearization(&self) -> &Linearization<E::Mode> {
        &self.linearization
    }
}
