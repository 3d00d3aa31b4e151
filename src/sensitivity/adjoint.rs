//! Adjoint sensitivities: the costate mu = dpsi/dx integrated backwards over the recorded trajectory, with the transposed
//! jump formulas at events (theory, 3.4).

use super::event_time_slope;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{Along, Differentiable, JumpRecord, Phase, Trajectory};
use crate::integrate::{DenseOutput, Flow, Statistics, Stepper, Tolerance, minimum_step, search_step};

/// Derivatives of a functional at the end of the motion.
#[derive(Clone, Debug)]
pub struct FinalGradient {
    /// dpsi/dx(t_F), n entries.
    pub x: Vec<f64>,
    /// Explicit derivative with respect to the numbers.
    pub numbers: Vec<f64>,
}

/// The costate at the start and the gradient with respect to the numbers.
#[derive(Clone, Debug)]
pub struct AdjointResult {
    /// mu(t_0).
    pub x: Vec<f64>,
    /// dpsi/d(numbers) apart from the start.
    pub numbers: Vec<f64>,
    /// Work of the backward integration.
    pub statistics: Statistics,
}

/// The costate equations of one phase: y = [mu | dpsi/d(numbers)].
struct Costate<'a, H: Differentiable> {
    system: &'a H,
    mode: &'a H::Mode,
    steps: &'a [DenseOutput],
    workspace: &'a mut H::Workspace,
    x: &'a mut [f64],
    /// Step that contained the last time asked for.
    at: usize,
}

impl<H: Differentiable> Costate<'_, H> {
    fn state(&mut self, t: f64) {
        while self.at > 0 && t < self.steps[self.at].start() {
            self.at -= 1;
        }
        while self.at + 1 < self.steps.len() && t > self.steps[self.at].end() {
            self.at += 1;
        }
        self.steps[self.at].evaluate(t, self.x);
    }
}

impl<H: Differentiable> Flow for Costate<'_, H> {
    fn dimension(&self) -> usize {
        self.system.dimension() + self.system.numbers()
    }

    fn evaluate(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<()> {
        self.state(t);
        let n = self.system.dimension();
        self.system.linearize(t, self.mode, self.x, self.workspace)?;
        dy.fill(0.0);
        let (x_bar, numbers_bar) = dy.split_at_mut(n);
        self.system
            .flow_transposed(t, self.mode, self.x, &y[..n], self.workspace, x_bar, numbers_bar);
        for value in dy {
            *value = -*value;
        }
        Ok(())
    }
}

/// Gradient of a functional of the final state by one backward pass over the trajectory.
///
/// # Errors
/// Kind `Event` for a grazed guard; whatever the derivatives of the system report.
pub fn adjoint<H: Differentiable>(
    system: &H,
    trajectory: &Trajectory<H::Mode>,
    end: &FinalGradient,
    (rtol, atol): (f64, f64),
    workspace: &mut H::Workspace,
) -> Result<AdjointResult> {
    let n = system.dimension();
    let mut y: Vec<f64> = end.x.iter().chain(&end.numbers).copied().collect();
    let tolerance = Tolerance::uniform(rtol, atol, y.len())?;
    let mut statistics = Statistics::default();
    for (k, phase) in trajectory.phases.iter().enumerate().rev() {
        if let Some(jump) = trajectory.jumps.get(k) {
            let next = &trajectory.phases[k + 1];
            back_through_jump(system, phase, jump, next, workspace, &mut y)?;
        }
        statistics += back_through_phase(system, phase, &tolerance, workspace, &mut y)?;
    }
    let numbers = y.split_off(n);
    Ok(AdjointResult {
        x: y,
        numbers,
        statistics,
    })
}

fn back_through_phase<H: Differentiable>(
    system: &H,
    phase: &Phase<H::Mode>,
    tolerance: &Tolerance,
    workspace: &mut H::Workspace,
    y: &mut [f64],
) -> Result<Statistics> {
    let Some(last) = phase.steps.last() else {
        return Ok(Statistics::default());
    };
    let mut x = vec![0.0; system.dimension()];
    let (start, mut t) = (phase.start, last.end());
    let mut flow = Costate {
        system,
        mode: &phase.mode,
        steps: &phase.steps,
        workspace,
        x: &mut x,
        at: phase.steps.len() - 1,
    };
    let mut stepper = Stepper::explicit(y.len());
    stepper.restart(&mut flow, t, y)?;
    let mut h = stepper.initial_step(&mut flow, t, y, tolerance, start - t)?;
    while t > start {
        if start - t >= h || (start - t - h).abs() < minimum_step(t) {
            h = start - t;
        }
        h = search_step(&mut stepper, &mut flow, (t, y), (h, start - t), tolerance)?.next;
        y.copy_from_slice(stepper.x_new());
        t = if (stepper.t_new() - start).abs() <= minimum_step(start) {
            start
        } else {
            stepper.t_new()
        };
        stepper.accept()?;
    }
    Ok(stepper.statistics())
}

/// mu- = mu+^T dx+/dx- and the same for the numbers, with the event time following the direction.
fn back_through_jump<H: Differentiable>(
    system: &H,
    phase: &Phase<H::Mode>,
    jump: &JumpRecord,
    next: &Phase<H::Mode>,
    workspace: &mut H::Workspace,
    y: &mut [f64],
) -> Result<()> {
    let (n, count, t) = (system.dimension(), system.numbers(), jump.t);
    let Some(&guard) = jump.fired.first() else {
        return Err(Error::new(ErrorKind::Event, "a jump without a guard").at_time(t));
    };
    let (mut flow_before, mut flow_after) = (vec![0.0; n], vec![0.0; n]);
    system.flow(t, &phase.mode, &jump.before, workspace, &mut flow_before)?;
    system.flow(t, &next.mode, &jump.after, workspace, &mut flow_after)?;
    let tangent = system.jump_tangent(t, &phase.mode, &jump.before, &jump.fired, workspace)?;
    let still = vec![0.0; count];
    let rate = system.guard_along(
        guard,
        t,
        &phase.mode,
        &jump.before,
        &Along {
            t: 1.0,
            x: &flow_before,
            numbers: &still,
        },
        workspace,
    )?;
    let mu = y[..n].to_vec();
    let name = jump
        .happenings
        .first()
        .map_or("the event", |happening| happening.name.as_str());
    let (mut x, mut numbers, mut out) = (vec![0.0; n], still.clone(), vec![0.0; n]);
    for k in 0..n + count {
        if k < n {
            x[k] = 1.0
        } else {
            numbers[k - n] = 1.0
        }
        let numerator = system.guard_along(
            guard,
            t,
            &phase.mode,
            &jump.before,
            &Along {
                t: 0.0,
                x: &x,
                numbers: &numbers,
            },
            workspace,
        )?;
        let tau = event_time_slope(numerator, rate, &flow_before[system.dynamic()], name, t)?;
        let direction: Vec<f64> = x.iter().zip(&flow_before).map(|(x, f)| x + f * tau).collect();
        system.jump_along(
            &tangent,
            &Along {
                t: tau,
                x: &direction,
                numbers: &numbers,
            },
            workspace,
            &mut out,
        );
        let value: f64 = mu
            .iter()
            .zip(&out)
            .zip(&flow_after)
            .map(|((mu, d), f)| mu * (d - f * tau))
            .sum();
        if k < n {
            y[k] = value;
            x[k] = 0.0;
        } else {
            y[k] += value;
            numbers[k - n] = 0.0;
        }
    }
    Ok(())
}
