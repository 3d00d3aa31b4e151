//! Adjoint sensitivities: costates mu = dpsi/dx of several functionals, integrated backwards together over the recorded
//! trajectory, with the transposed jump formulas at events (theory, 3.4).

use std::cell::OnceCell;

use super::costate::{Costate, Layout, NumberDirection};
use super::event_time::{EventTime, Sides};
use super::instant::Instant;
use super::{JumpSide, PointCosts};
use crate::error::Result;
use crate::hybrid::{At, Cotangents, Differentiable, JumpRecord, Phase, STEPS_OF_A_BLOCK, Trajectory};
use crate::integrate::{Blocks, Method, PassingStepper, Statistics, Stepper, Tolerance, minimum_step};
use crate::linear::{add_scaled, dot};

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
    costs: &'a dyn PointCosts<H>,
    layout: Layout<'a>,
    tolerance: Tolerance,
    stepper: PassingStepper,
    /// Costates and gradients, over the sizes.
    y: Vec<f64>,
    /// Size of each functional, by which its costate is divided, so that the error control sees all alike.
    sizes: Vec<f64>,
    /// Derivatives with respect to the time of the event to come next, by events that follow it at once.
    late: Vec<f64>,
    /// Size of the next step, negative; none before the end of a phase has been evaluated.
    h: Option<f64>,
    /// Instants with costs that have not been met yet.
    instants: usize,
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
    (method, rtol, atol): (Method, f64, f64),
    workspace: &mut H::Workspace,
) -> Result<(Vec<AdjointResult>, Statistics)> {
    let sizes = [vec![1.0; system.dimension()], vec![1.0; directions.len()]];
    let tolerance = (rtol, atol, sizes.each_ref().map(|sizes| &sizes[..]));
    let mut backward = Backward::new(system, ends, directions, (method, tolerance), &())?;
    backward.through(trajectory, workspace)?;
    Ok(backward.finish())
}

impl<'a, H: Differentiable> Backward<'a, H> {
    /// A pass that starts at the end of the motion, for functionals with these costs at events, by the method of the motion; with
    /// tolerances over the inverse sizes of the components of the state and of the directions.
    ///
    /// # Errors
    /// Kind `Request` for tolerances out of range.
    pub fn new(
        system: &'a H,
        ends: &[FinalGradient],
        directions: &'a [NumberDirection],
        (method, (rtol, atol, [units, changes])): (Method, (f64, f64, [&[f64]; 2])),
        costs: &'a dyn PointCosts<H>,
    ) -> Result<Self> {
        let layout = Layout {
            n: system.dimension(),
            count: system.numbers(),
            functionals: ends.len(),
            directions,
        };
        let size = |(k, end): (usize, &FinalGradient)| {
            let components = end.x.iter().zip(units);
            let largest = components.map(|(x, unit)| x.abs() * unit).fold(0.0, f64::max);
            let size = largest.max(costs.size(k));
            if size > 0.0 { size } else { 1.0 }
        };
        let sizes: Vec<f64> = ends.iter().enumerate().map(size).collect();
        let mut y = vec![0.0; layout.dimension()];
        for ((k, end), size) in ends.iter().enumerate().zip(&sizes) {
            for (slot, value) in y[layout.costate(k)].iter_mut().zip(&end.x) {
                *slot = value / size;
            }
            for (slot, value) in y[layout.gradient(k)].iter_mut().zip(layout.along(&end.numbers)) {
                *slot = value / size;
            }
        }
        let mut allowed = vec![atol; y.len()];
        for k in 0..ends.len() {
            for (range, units) in [(layout.costate(k), units), (layout.gradient(k), changes)] {
                allowed[range]
                    .iter_mut()
                    .zip(units)
                    .for_each(|(slot, unit)| *slot /= unit);
            }
        }
        Ok(Self {
            system,
            costs,
            layout,
            tolerance: Tolerance::new(rtol, allowed)?,
            stepper: PassingStepper::new(stepper(method, &layout, rtol)),
            y,
            late: vec![0.0; sizes.len()],
            sizes,
            h: None,
            instants: costs.instants().len(),
        })
    }

    /// Meets the costs at the start of the motion, after everything else: the state there is the one after whatever
    /// happened at the start.
    ///
    /// # Errors
    /// As [`adjoint`].
    pub fn at_start(&mut self, mode: &H::Mode, x: &[f64], workspace: &mut H::Workspace) -> Result<()> {
        while let Some(t) = self.next_instant(f64::NEG_INFINITY) {
            self.meet(At::new(t, mode, x), workspace)?;
        }
        Ok(())
    }

    /// Goes back over a trajectory, or over its last part that has not been gone over.
    ///
    /// # Errors
    /// As [`adjoint`].
    pub fn through(&mut self, trajectory: &Trajectory<H::Mode>, workspace: &mut H::Workspace) -> Result<()> {
        self.compare_orders(trajectory, workspace)?;
        for (k, phase) in trajectory.phases.iter().enumerate().rev() {
            if let (Some(jump), Some(next)) = (trajectory.jumps.get(k), trajectory.phases.get(k + 1)) {
                self.through_jump(phase, jump, next, workspace)?;
            }
            self.through_phase(phase, workspace)?;
        }
        Ok(())
    }

    /// Jumps at one instant must not depend on their order.
    fn compare_orders(&self, trajectory: &Trajectory<H::Mode>, workspace: &mut H::Workspace) -> Result<()> {
        let mut latest: Option<(f64, Instant<H::Mode>)> = None;
        // Few motions have two jumps at one instant.
        let dense = OnceCell::new();
        let directions = || &dense.get_or_init(|| self.layout.dense_directions())[..];
        for (phase, jump) in trajectory.phases.iter().zip(&trajectory.jumps) {
            let goes_on = |t: f64| t == jump.t && phase.steps.is_empty() && !jump.follows;
            let (_, instant) = match &mut latest {
                Some(latest) if goes_on(latest.0) => latest,
                latest => latest.insert((jump.t, Instant::new(At::new(jump.t, &phase.mode, &jump.before)))),
            };
            instant.take(self.system, directions, &jump.fired, workspace)?;
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
        let layout = self.layout;
        let mut costate = Costate::new((self.system, self.costs), &phase.mode, &layout, workspace);
        for block in phase.steps.chunks(STEPS_OF_A_BLOCK).rev() {
            let (start, mut t) = (block[0].start(), block[block.len() - 1].end());
            costate.enter(block);
            // An instant at the start of a block belongs to the block before.
            while let Some(instant) = self.next_instant(start) {
                self.integrate(&mut costate, t, instant.min(t), start)?;
                t = instant.min(t);
                let (x, workspace) = costate.state(t);
                self.meet(At::new(instant, &phase.mode, x), workspace)?;
                if self.h.is_some() {
                    self.stepper.restart(&mut costate, t, &self.y)?;
                }
            }
            self.integrate(&mut costate, t, start, start)?;
        }
        Ok(())
    }

    /// Integrates from a time back to an earlier one of a block with this start.
    fn integrate(&mut self, costate: &mut Costate<H>, mut t: f64, to: f64, start: f64) -> Result<()> {
        // An instant this close to the end of a step is on it.
        if t - to <= minimum_step(t) {
            return Ok(());
        }
        let mut next = match self.h {
            Some(h) => h,
            None => {
                if let Some(k) = self.layout.undefined(&self.y) {
                    return Err(self.costs.undefined(k, t));
                }
                self.stepper.restart(costate, t, &self.y)?;
                self.stepper
                    .initial_step(costate, t, &self.y, &self.tolerance, start - t)?
            }
        };
        while t > to {
            let left = to - t;
            let cut = left >= next || (left - next).abs() < minimum_step(t);
            let h = if cut { left } else { next };
            let found = self.stepper.search(costate, (t, &self.y), (h, left), &self.tolerance)?;
            self.y.copy_from_slice(self.stepper.x_new());
            // A step that was cut short and accepted at once says nothing against the size proposed before.
            let whole = cut && found.attempts == 1;
            next = if whole { found.next.min(next) } else { found.next };
            let reached = self.stepper.t_new();
            // What rounding leaves is no step.
            t = if whole || (reached - to).abs() <= minimum_step(t) {
                to
            } else {
                reached
            };
            self.stepper.accept()?;
            self.costs.passes(t, &self.stepper.statistics())?;
        }
        self.h = Some(next);
        Ok(())
    }

    /// The latest instant with costs that has not been met, if it comes after this time; it counts as met.
    fn next_instant(&mut self, after: f64) -> Option<f64> {
        let latest = *self.costs.instants()[..self.instants].last()?;
        (latest > after).then(|| {
            self.instants -= 1;
            latest
        })
    }

    /// mu- = mu+ + l_x^T at an instant, and the same for the numbers.
    fn meet(&mut self, at: At<H::Mode>, workspace: &mut H::Workspace) -> Result<()> {
        let mut numbers = vec![0.0; self.layout.count];
        for k in 0..self.layout.functionals {
            let cotangents = self.layout.cotangents(&mut self.y, k, &mut numbers);
            self.costs.add_at(k, 1.0 / self.sizes[k], at, workspace, cotangents)?;
            self.layout.add(&mut self.y, k, &numbers);
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
        let sides = Sides {
            before: At::new(jump.t, &phase.mode, &jump.before),
            after: At::new(jump.t, &next.mode, &jump.after),
            fired: &jump.fired,
            follows: jump.follows,
            happenings: &jump.happenings,
        };
        let event = EventTime::new(self.system, &sides, workspace)?;
        let (mut x, mut numbers) = (vec![0.0; n], vec![0.0; count]);
        // T_x F- + T_t - F+.
        let mut shift = vec![0.0; n];
        self.system
            .jump_jvp(&event.jump, &event.later(&numbers), workspace, &mut shift);
        add_scaled(&mut shift, -1.0, &event.flow_after);
        // h_x and h_theta.
        let (mut guard_x, mut guard_numbers) = (x.clone(), numbers.clone());
        if event.rate.is_some() {
            let cotangents = Cotangents::new(&mut guard_x, &mut guard_numbers);
            self.system
                .guard_vjp(event.guard, sides.before, workspace, cotangents)?;
        }
        for k in 0..self.layout.functionals {
            x.fill(0.0);
            let weight = 1.0 / self.sizes[k];
            let side = |after: bool| JumpSide {
                jump,
                after,
                mode: if after { &next.mode } else { &phase.mode },
                x: if after { &jump.after } else { &jump.before },
                flow: if after { &event.flow_after } else { &event.flow_before },
            };
            let cotangents = self.layout.cotangents(&mut self.y, k, &mut numbers);
            let mut late = self.late[k] + self.costs.add(k, weight, &side(true), workspace, cotangents)?;
            let mu = &mut self.y[self.layout.costate(k)];
            let mut cotangents = Cotangents::new(&mut x, &mut numbers);
            late += self
                .costs
                .add(k, weight, &side(false), workspace, cotangents.reborrow())?;
            late += dot(mu, &shift);
            self.late[k] = if jump.follows { late } else { 0.0 };
            self.system.jump_vjp(&event.jump, mu, workspace, cotangents);
            let share = event.rate.map_or(0.0, |rate| late * (1.0 / rate));
            for ((slot, value), slope) in mu.iter_mut().zip(&x).zip(&guard_x) {
                *slot = value - share * slope;
            }
            let gradient = self.y[self.layout.gradient(k)].iter_mut();
            let by_time = self.layout.along(&guard_numbers);
            for (slot, (held, slope)) in gradient.zip(self.layout.along(&numbers).zip(by_time)) {
                *slot += held - share * slope;
            }
        }
        self.h = None;
        Ok(())
    }
}

/// Costates are as stiff as the motion: what an implicit method carries is carried back by the implicit method of high order.
fn stepper(method: Method, layout: &Layout, rtol: f64) -> Stepper {
    let method = match method {
        Method::DormandPrince => Method::DormandPrince,
        Method::Radau | Method::Trapezoidal => Method::Radau,
    };
    let blocks = Blocks {
        size: layout.n,
        integrals: layout.integrals(),
        follow: false,
    };
    Stepper::with_blocks(method, layout.dimension(), blocks, rtol)
}
