//! Adjoint sensitivities: costates mu = dpsi/dx of several functionals, integrated backwards together over the recorded
//! trajectory, with the transposed jump formulas at events (theory, 3.4).

use super::costate::{Costate, Layout, NumberDirection};
use super::{JumpCosts, JumpSide, refuse_grazing};
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{Along, Bars, Differentiable, JumpRecord, Phase, STEPS_OF_A_BLOCK, Trajectory};
use crate::integrate::{Statistics, Stepper, Tolerance, minimum_step, search_step};
use crate::linear::{dot, max_abs};

/// Derivatives of a functional at the end of the motion.
#[derive(Clone, Debug)]
pub struct FinalGradient {
    /// dpsi/dx(t_F), n entries.
    pub x: Vec<f64>,
    /// Explicit derivative with respect to the numbers.
    pub numbers: Vec<f64>,
}

/// The costate of a functional at the start and its derivatives along directions in the numbers.
#[derive(Clone, Debug)]
pub struct AdjointResult {
    /// mu(t_0).
    pub x: Vec<f64>,
    /// dpsi along each direction, apart from the start.
    pub along: Vec<f64>,
    /// Derivative with respect to the time of the start apart from what its state depends on: of events that follow it at
    /// once.
    pub start: f64,
}

/// A backward pass: costates and gradients of several functionals at the time reached so far.
#[expect(missing_debug_implementations)]
pub struct Backward<'a, H: Differentiable> {
    system: &'a H,
    costs: &'a dyn JumpCosts<H>,
    layout: Layout<'a>,
    tolerance: Tolerance,
    stepper: Stepper,
    /// Costates and gradients, over the sizes.
    y: Vec<f64>,
    /// Size of each functional, by which its costate is divided, so that the error control sees all alike.
    sizes: Vec<f64>,
    /// Derivatives with respect to the time of the event to come next, by events that follow it at once.
    late: Vec<f64>,
    /// Size of the next step, negative; none before the end of a phase has been evaluated.
    h: Option<f64>,
}

/// Derivatives of functionals of the final state along directions in the numbers, by one backward pass over the
/// trajectory.
///
/// # Errors
/// Kind `Event` for a grazed guard; whatever the derivatives of the system report.
pub fn adjoint<H: Differentiable>(
    system: &H,
    trajectory: &Trajectory<H::Mode>,
    ends: &[FinalGradient],
    directions: &[NumberDirection],
    tolerance: (f64, f64),
    workspace: &mut H::Workspace,
) -> Result<(Vec<AdjointResult>, Statistics)> {
    let mut backward = Backward::new(system, ends, directions, tolerance, &())?;
    backward.through(trajectory, workspace)?;
    Ok(backward.finish())
}

impl<'a, H: Differentiable> Backward<'a, H> {
    /// A pass that starts at the end of the motion, for functionals with these costs at events.
    ///
    /// # Errors
    /// Kind `Request` for tolerances out of range.
    pub fn new(
        system: &'a H,
        ends: &[FinalGradient],
        directions: &'a [NumberDirection],
        (rtol, atol): (f64, f64),
        costs: &'a dyn JumpCosts<H>,
    ) -> Result<Self> {
        let layout = Layout {
            n: system.dimension(),
            count: system.numbers(),
            functionals: ends.len(),
            directions,
        };
        let size = |end: &FinalGradient| Some(max_abs(&end.x)).filter(|size| *size > 0.0).unwrap_or(1.0);
        let sizes: Vec<f64> = ends.iter().map(size).collect();
        let mut y = vec![0.0; layout.dimension()];
        for ((k, end), size) in ends.iter().enumerate().zip(&sizes) {
            for (slot, value) in y[layout.costate(k)].iter_mut().zip(&end.x) {
                *slot = value / size;
            }
            for (slot, value) in y[layout.gradient(k)].iter_mut().zip(layout.along(&end.numbers)) {
                *slot = value / size;
            }
        }
        Ok(Self {
            system,
            costs,
            layout,
            tolerance: Tolerance::uniform(rtol, atol, y.len())?,
            stepper: Stepper::explicit(y.len()),
            y,
            late: vec![0.0; sizes.len()],
            sizes,
            h: None,
        })
    }

    /// Goes back over a trajectory, or over its last part that has not been gone over.
    ///
    /// # Errors
    /// As [`adjoint`].
    pub fn through(&mut self, trajectory: &Trajectory<H::Mode>, workspace: &mut H::Workspace) -> Result<()> {
        for (k, phase) in trajectory.phases.iter().enumerate().rev() {
            if let (Some(jump), Some(next)) = (trajectory.jumps.get(k), trajectory.phases.get(k + 1)) {
                self.through_jump(phase, jump, next, workspace)?;
            }
            self.through_phase(phase, workspace)?;
        }
        Ok(())
    }

    /// The results at the time reached, and the work.
    pub fn finish(self) -> (Vec<AdjointResult>, Statistics) {
        let result = |k: usize, size: &f64| {
            let scaled = |values: &[f64]| values.iter().map(|value| size * value).collect();
            AdjointResult {
                x: scaled(&self.y[self.layout.costate(k)]),
                along: scaled(&self.y[self.layout.gradient(k)]),
                start: size * self.late[k],
            }
        };
        let results = self.sizes.iter().enumerate().map(|(k, size)| result(k, size)).collect();
        (results, self.stepper.statistics())
    }

    /// Integrates over a phase. Every block of recorded steps is ended on, so that the steps taken do not depend on how
    /// many blocks are kept in memory at a time.
    fn through_phase(&mut self, phase: &Phase<H::Mode>, workspace: &mut H::Workspace) -> Result<()> {
        let mut costate = Costate::new(self.system, &phase.mode, &self.layout, workspace);
        for block in phase.steps.chunks(STEPS_OF_A_BLOCK).rev() {
            let (start, mut t) = (block[0].start(), block[block.len() - 1].end());
            costate.enter(block);
            let mut next = match self.h {
                Some(h) => h,
                None => {
                    self.stepper.restart(&mut costate, t, &self.y)?;
                    self.stepper
                        .initial_step(&mut costate, t, &self.y, &self.tolerance, start - t)?
                }
            };
            while t > start {
                let left = start - t;
                let cut = left >= next || (left - next).abs() < minimum_step(t);
                let h = if cut { left } else { next };
                let found = search_step(
                    &mut self.stepper,
                    &mut costate,
                    (t, &self.y),
                    (h, left),
                    &self.tolerance,
                )?;
                self.y.copy_from_slice(self.stepper.x_new());
                // A step that was cut short and accepted at once says nothing against the size proposed before.
                next = if cut && found.attempts == 1 {
                    found.next.min(next)
                } else {
                    found.next
                };
                t = self.stepper.t_new();
                if (t - start).abs() <= minimum_step(start) {
                    t = start;
                }
                self.stepper.accept()?;
            }
            self.h = Some(next);
        }
        Ok(())
    }

    /// mu- = mu+^T dx+/dx- and the same for the numbers, with the event time following the state before.
    fn through_jump(
        &mut self,
        phase: &Phase<H::Mode>,
        jump: &JumpRecord,
        next: &Phase<H::Mode>,
        workspace: &mut H::Workspace,
    ) -> Result<()> {
        let (n, count) = (self.layout.n, self.layout.count);
        let event = EventTime::new(self.system, phase, jump, next, workspace)?;
        let tangent = &event.tangent;
        let (mut x, mut numbers) = (vec![0.0; n], vec![0.0; count]);
        for k in 0..self.layout.functionals {
            x.fill(0.0);
            numbers.fill(0.0);
            let weight = 1.0 / self.sizes[k];
            let bars = Bars {
                x: &mut self.y[self.layout.costate(k)],
                numbers: &mut numbers,
            };
            let after = JumpSide {
                jump,
                after: true,
                mode: &next.mode,
                x: &jump.after,
                flow: &event.flow_after,
            };
            let mut late = self.late[k] + self.costs.add(k, weight, &after, workspace, bars)?;
            let bars = Bars {
                x: &mut x,
                numbers: &mut numbers,
            };
            let before = JumpSide {
                jump,
                after: false,
                mode: &phase.mode,
                x: &jump.before,
                flow: &event.flow_before,
            };
            late += self.costs.add(k, weight, &before, workspace, bars)?;
            let mu = &self.y[self.layout.costate(k)];
            late += dot(mu, &event.shift);
            self.late[k] = if jump.follows { late } else { 0.0 };
            let share = late * event.over_rate;
            let bars = Bars {
                x: &mut x,
                numbers: &mut numbers,
            };
            self.system.jump_transposed(tangent, mu, workspace, bars);
            for ((slot, value), slope) in self.y[self.layout.costate(k)].iter_mut().zip(&x).zip(&event.x) {
                *slot = value - share * slope;
            }
            let gradient = self.y[self.layout.gradient(k)].iter_mut();
            let by_time = self.layout.along(&event.numbers);
            for (slot, (held, slope)) in gradient.zip(self.layout.along(&numbers).zip(by_time)) {
                *slot += held - share * slope;
            }
        }
        self.h = None;
        Ok(())
    }
}

/// What the time of an event does to the state after it.
struct EventTime<H: Differentiable> {
    tangent: H::JumpTangent,
    flow_before: Vec<f64>,
    flow_after: Vec<f64>,
    /// T_x F- + T_t - F+.
    shift: Vec<f64>,
    /// 1 / (h_x F- + h_t); zero for a jump that follows at once on another event and keeps the time of that.
    over_rate: f64,
    /// h_x and the derivative of the guard by the numbers.
    x: Vec<f64>,
    numbers: Vec<f64>,
}

impl<H: Differentiable> EventTime<H> {
    fn new(
        system: &H,
        phase: &Phase<H::Mode>,
        jump: &JumpRecord,
        next: &Phase<H::Mode>,
        workspace: &mut H::Workspace,
    ) -> Result<Self> {
        let (n, count, t) = (system.dimension(), system.numbers(), jump.t);
        let Some(&guard) = jump.fired.first() else {
            return Err(Error::new(ErrorKind::Event, "a jump without a guard").at_time(t));
        };
        let (mut flow_before, mut shift) = (vec![0.0; n], vec![0.0; n]);
        let mut flow_after = vec![0.0; n];
        system.flow(t, &phase.mode, &jump.before, workspace, &mut flow_before)?;
        system.flow(t, &next.mode, &jump.after, workspace, &mut flow_after)?;
        let tangent = system.jump_tangent(t, &phase.mode, &jump.before, &jump.fired, workspace)?;
        let along = Along {
            t: 1.0,
            x: &flow_before,
            numbers: &vec![0.0; count],
        };
        system.jump_along(&tangent, &along, workspace, &mut shift);
        for (slot, f) in shift.iter_mut().zip(&flow_after) {
            *slot -= f;
        }
        let (mut x, mut numbers, mut over_rate) = (vec![0.0; n], vec![0.0; count], 0.0);
        if !jump.follows {
            let rate = system.guard_along(guard, t, &phase.mode, &jump.before, &along, workspace)?;
            let name = jump.happenings.first().map_or("the event", |happening| &happening.name);
            refuse_grazing(rate, &flow_before[system.dynamic()], name, t)?;
            over_rate = 1.0 / rate;
            let bars = Bars {
                x: &mut x,
                numbers: &mut numbers,
            };
            system.guard_gradient(guard, t, &phase.mode, &jump.before, workspace, bars)?;
        }
        Ok(Self {
            tangent,
            flow_before,
            flow_after,
            shift,
            over_rate,
            x,
            numbers,
        })
    }
}
