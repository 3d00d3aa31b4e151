//! The costate equations of one phase, for several functionals at once (theory, 3.4).

use std::ops::Range;

use super::PointCosts;
use crate::error::Result;
use crate::hybrid::{At, Cotangents, Differentiable};
use crate::integrate::{DenseOutput, Flow, Singular};
use crate::linear::Descriptor;

/// A direction in the numbers: the numbers that change, each with its slope.
pub type NumberDirection = Vec<(usize, f64)>;

/// Part of the length of a step of the motion by which its polynomial may be continued beyond the phase: within it, the error
/// stays about what it is in the step.
const CONTINUED: f64 = 0.2;

/// Where things stand in y = [mu_1 | mu_2 | ... | dpsi_1 along the directions | ...].
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout<'a> {
    /// States of the system.
    pub n: usize,
    /// Numbers of the system.
    pub count: usize,
    /// Functionals.
    pub functionals: usize,
    /// Directions along which derivatives are wanted.
    pub directions: &'a [NumberDirection],
}

impl Layout<'_> {
    pub fn dimension(&self) -> usize {
        self.functionals * (self.n + self.directions.len())
    }

    /// Components that are no costates.
    pub fn integrals(&self) -> usize {
        self.functionals * self.directions.len()
    }

    /// mu of a functional.
    #[inline]
    pub fn costate(&self, functional: usize) -> Range<usize> {
        functional * self.n..(functional + 1) * self.n
    }

    /// The first functional with a costate or derivative that is not finite.
    pub fn undefined(&self, y: &[f64]) -> Option<usize> {
        // Zero unless something is infinite or NaN: one pass without branches.
        let finite = |range: Range<usize>| y[range].iter().map(|value| value * 0.0).sum::<f64>() == 0.0;
        (0..self.functionals).find(|&k| !finite(self.costate(k)) || !finite(self.gradient(k)))
    }

    /// Derivatives of a functional along the directions.
    #[inline]
    pub fn gradient(&self, functional: usize) -> Range<usize> {
        let start = self.functionals * self.n + functional * self.directions.len();
        start..start + self.directions.len()
    }

    /// Where the gradients of a functional are added to, with those by the numbers apart.
    #[inline]
    pub fn cotangents<'a>(&self, y: &'a mut [f64], functional: usize, numbers: &'a mut [f64]) -> Cotangents<'a> {
        numbers.fill(0.0);
        Cotangents::new(&mut y[self.costate(functional)], numbers)
    }

    /// Adds what derivatives by the numbers are along the directions to those of a functional.
    #[inline]
    pub fn add(&self, y: &mut [f64], functional: usize, numbers: &[f64]) {
        for (slot, value) in y[self.gradient(functional)].iter_mut().zip(self.along(numbers)) {
            *slot += value;
        }
    }

    /// The directions, each with an entry for every number.
    pub fn dense_directions(&self) -> Vec<Vec<f64>> {
        let dense = |direction: &NumberDirection| {
            let mut numbers = vec![0.0; self.count];
            direction.iter().for_each(|&(i, slope)| numbers[i] += slope);
            numbers
        };
        self.directions.iter().map(dense).collect()
    }

    /// Derivatives along the directions from those by the numbers, in their order.
    #[inline]
    pub fn along(&self, numbers: &[f64]) -> impl Iterator<Item = f64> {
        let along = |direction: &NumberDirection| direction.iter().map(|&(i, slope)| numbers[i] * slope).sum();
        self.directions.iter().map(along)
    }
}

/// mu' = -F_x^T mu and the integrand -F_theta^T mu of the gradients, with the state from the recorded steps: one
/// linearization serves all functionals.
pub(super) struct Costate<'a, H: Differentiable> {
    system: &'a H,
    mode: &'a H::Mode,
    steps: &'a [DenseOutput],
    layout: &'a Layout<'a>,
    /// Told before each evaluation; may end it.
    costs: &'a dyn PointCosts<H>,
    workspace: &'a mut H::Workspace,
    /// State, and gradients of the functionals with respect to all numbers; written by every evaluation.
    x: Vec<f64>,
    numbers: Vec<f64>,
    /// Step that contained the last time asked for.
    at: usize,
    /// Whether the state is projected before it is linearized.
    projects: bool,
    /// F_x, row-major; empty until the implicit method asks for it.
    jacobian: Vec<f64>,
}

impl<'a, H: Differentiable> Costate<'a, H> {
    /// To be told of the steps by [`Costate::enter`].
    pub fn new(
        (system, costs): (&'a H, &'a dyn PointCosts<H>),
        mode: &'a H::Mode,
        layout: &'a Layout<'a>,
        workspace: &'a mut H::Workspace,
    ) -> Self {
        Self {
            system,
            costs,
            mode,
            steps: &[],
            workspace,
            x: vec![0.0; layout.n],
            numbers: vec![0.0; layout.functionals * layout.count],
            layout,
            at: 0,
            projects: false,
            jacobian: Vec::new(),
        }
    }

    /// Takes the state from these steps, of which there must be one, from now on.
    pub fn enter(&mut self, steps: &'a [DenseOutput]) {
        self.steps = steps;
        self.at = steps.len().saturating_sub(1);
    }

    /// The state at a time within the steps entered, and the workspace.
    pub fn state(&mut self, t: f64) -> (&[f64], &mut H::Workspace) {
        self.find_state(t);
        (&self.x, self.workspace)
    }

    /// Applies the transposed projection to costates, or to their derivatives, and adds what moves on to the gradients.
    fn project_costates(&mut self, t: f64, y: &mut [f64]) {
        let Self {
            system,
            mode,
            x,
            workspace,
            numbers,
            layout,
            ..
        } = self;
        system.linearize_projection(At::new(t, mode, x), workspace);
        numbers.fill(0.0);
        let costates = &mut y[..layout.functionals * layout.n];
        system.project_vjps(At::new(t, mode, x), (costates, numbers), workspace);
        for k in 0..layout.functionals {
            layout.add(y, k, &numbers[k * layout.count..][..layout.count]);
        }
    }

    /// The state at which the costate equations are taken.
    fn find_motion(&mut self, t: f64) -> Result<()> {
        self.find_state(t);
        if self.projects {
            self.system.project(t, self.mode, &mut self.x, self.workspace)?;
        }
        Ok(())
    }

    fn find_state(&mut self, t: f64) {
        while self.at > 0 && t < self.steps[self.at].start() {
            self.at -= 1;
        }
        while self.at + 1 < self.steps.len() && t > self.steps[self.at].end() {
            self.at += 1;
        }
        self.steps[self.at].evaluate(t, &mut self.x);
    }
}

impl<H: Differentiable> Flow for Costate<'_, H> {
    fn dimension(&self) -> usize {
        self.layout.dimension()
    }

    fn is_linear(&self) -> bool {
        true
    }

    /// Where friction is smooth or slips in space, which are the places where first steps of the motion are looked into.
    fn pulses(&self) -> bool {
        self.system.begins_stiff(self.mode)
    }

    fn blocks(&self) -> usize {
        self.layout.functionals
    }

    fn integrals(&self) -> usize {
        self.layout.integrals()
    }

    fn has_descriptor(&self) -> bool {
        self.system.has_descriptor(self.mode, self.workspace)
    }

    fn descriptor(&mut self, t: f64, _: &[f64], out: &mut Descriptor) -> Result<bool> {
        self.find_motion(t)?;
        out.of_costates = true;
        self.system
            .flow_descriptor(At::new(t, self.mode, &self.x), self.workspace, out)
    }

    /// -F_x^T, which every functional has.
    fn jacobian(&mut self, t: f64, _: &[f64], j: &mut [f64]) -> Result<()> {
        self.find_motion(t)?;
        let n = self.layout.n;
        self.jacobian.resize(n * n, 0.0);
        let at = At::new(t, self.mode, &self.x);
        self.system.flow_jacobian(at, self.workspace, &mut self.jacobian)?;
        for (index, entry) in j.iter_mut().enumerate() {
            *entry = -self.jacobian[index % n * n + index / n];
        }
        Ok(())
    }

    fn evaluate(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<()> {
        self.costs.seeks(t)?;
        if self.system.departs(self.mode, t) {
            // No step reads them there.
            dy.fill(0.0);
            return Ok(());
        }
        self.find_motion(t)?;
        self.system.linearize(At::new(t, self.mode, &self.x), self.workspace)?;
        dy.fill(0.0);
        self.numbers.fill(0.0);
        let (costates, count) = (0..self.layout.functionals * self.layout.n, self.layout.count);
        let cotangents = (&mut dy[costates.clone()], &mut self.numbers[..]);
        self.system
            .flow_vjps(At::new(t, self.mode, &self.x), &y[costates], self.workspace, cotangents);
        for k in 0..self.layout.functionals {
            self.layout.add(dy, k, &self.numbers[k * count..][..count]);
        }
        if self.projects {
            self.project_costates(t, dy);
        }
        for value in &mut *dy {
            *value = -*value;
        }
        self.layout
            .undefined(dy)
            .map_or(Ok(()), |k| Err(self.costs.undefined(k, t)))
    }

    /// Costates matter along the constraints only; across them they grow towards a singular position (theory, 8.4).
    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<bool> {
        if !self.system.projects(self.mode) || self.system.departs(self.mode, t) {
            return Ok(false);
        }
        self.find_state(t);
        self.system.project(t, self.mode, &mut self.x, self.workspace)?;
        self.project_costates(t, y);
        Ok(true)
    }
}

impl<H: Differentiable> Singular for Costate<'_, H> {
    fn project_stages(&mut self, on: bool) -> bool {
        self.projects = on && self.system.projects(self.mode);
        self.projects
    }

    fn regularity(&self) -> Option<(f64, f64)> {
        self.system.regularity(self.workspace)
    }

    /// As far as the first and the last step may be continued.
    fn extends(&self, t: f64) -> bool {
        let beyond = |step: &DenseOutput| CONTINUED * (step.end() - step.start());
        let after_start = (self.steps.first()).is_none_or(|first| t >= first.start() - beyond(first));
        after_start && (self.steps.last()).is_none_or(|last| t <= last.end() + beyond(last))
    }

    fn departure(&self) -> Option<(f64, f64)> {
        self.system.departure(self.mode)
    }
}
