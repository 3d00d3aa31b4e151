//! The flow of a mechanism.

use super::{Mechanism, Workspace};
use crate::error::Result;
use crate::formulation::Wanted;
use crate::hybrid::At;
use crate::model::quantity::Motion;
use crate::model::residual::Instant;
use crate::model::{Mode, Terms};

impl Mechanism {
    /// Copies the memory of a state behind the numbers of the terms.
    pub(super) fn load_memory(&self, x: &[f64], terms: &mut Terms) {
        let memory = &x[self.quadratures().end..];
        let start = self.model.memory_start();
        terms.numbers[start..start + memory.len()].copy_from_slice(memory);
    }

    /// The same with the numbers that follow the motion: for whatever is read off a state without assembling there.
    pub(super) fn load(&self, at: At<Mode>, terms: &mut Terms) {
        self.load_memory(at.x, terms);
        let (q, v) = (&at.x[self.positions()], &at.x[self.velocities()]);
        self.model.follow(at.mode, at.t, q, v, &mut terms.numbers);
    }

    /// Assembles the terms at a place with the memory loaded.
    pub(super) fn assemble(&self, at: At<Mode>, terms: &mut Terms) {
        let (q, v) = (&at.x[self.positions()], &at.x[self.velocities()]);
        self.model.assemble(at.t, q, v, at.mode, terms);
    }

    /// Those of the constraints alone.
    pub(super) fn assemble_constraints(&self, at: At<Mode>, terms: &mut Terms) {
        let (q, v) = (&at.x[self.positions()], &at.x[self.velocities()]);
        self.model.assemble_constraints(at.t, q, v, at.mode, terms);
    }

    /// Assembles and factors at a state; accelerations, and multipliers when asked for, go to the workspace.
    ///
    /// # Errors
    /// Kind `Singular` when the accelerations are not determined.
    pub fn evaluate_motion(&self, at: At<Mode>, multipliers: bool, workspace: &mut Workspace) -> Result<()> {
        self.load_memory(at.x, &mut workspace.terms);
        self.take_friction(&mut workspace.terms);
        if let Some(departure) = at.mode.departure_at(at.t) {
            return self.accelerate_away(at, departure, workspace);
        }
        let rubs = !at.mode.grips.is_empty();
        let wanted = match Wanted::all_if(multipliers) {
            Wanted::Nothing if rubs => Wanted::Pressing,
            wanted => wanted,
        };
        match at.mode.slides.is_empty() {
            true => self.accelerate(at, wanted, workspace)?,
            false => self.slide_along(at, multipliers, workspace)?,
        }
        if rubs {
            self.rub(at, wanted, workspace)?;
        }
        Ok(())
    }

    /// The same with the memory loaded, whatever stands there.
    #[inline]
    pub(super) fn accelerate(&self, at: At<Mode>, wanted: Wanted, workspace: &mut Workspace) -> Result<()> {
        let Workspace {
            terms,
            formulation,
            a,
            lambda,
            ..
        } = workspace;
        self.assemble(at, terms);
        formulation.factor(&self.model, at.mode, terms)?;
        formulation.accelerations(at.mode, terms, a, (wanted, lambda));
        Ok(())
    }

    /// Writes q', v', the integrands and the rates of memory; multipliers to the workspace when asked for.
    ///
    /// # Errors
    /// As for [`Mechanism::evaluate_motion`]; and where a derivative is not finite.
    pub(super) fn flow_with(
        &self,
        at: At<Mode>,
        multipliers: bool,
        workspace: &mut Workspace,
        dx: &mut [f64],
    ) -> Result<()> {
        self.evaluate_motion(at, multipliers, workspace)?;
        self.move_positions(at, workspace, &mut dx[self.positions()]);
        dx[self.velocities()].copy_from_slice(&workspace.a);
        dx[self.quadratures().end..].fill(0.0);
        self.integrated_rates(at, workspace, |place, rate| dx[place] = rate);
        // Without a branch or a sum from entry to entry.
        if dx.iter().fold(true, |all, value| all & value.is_finite()) {
            Ok(())
        } else {
            Err(self.not_finite(at, dx, workspace))
        }
    }

    /// Writes q' = Z u at the factored state.
    #[inline]
    fn move_positions(&self, at: At<Mode>, workspace: &mut Workspace, q_dot: &mut [f64]) {
        let Workspace {
            formulation, terms, u, ..
        } = workspace;
        let v = &at.x[self.velocities()];
        if at.mode.departure_at(at.t).is_some() {
            self.model.write_rates(&at.x[self.positions()], v, q_dot);
            return;
        }
        if self.model.frames.is_empty() {
            formulation.velocities(at.mode, terms, v, q_dot);
            return;
        }
        formulation.velocities(at.mode, terms, v, u);
        self.model.write_turning(&at.x[self.positions()], u, q_dot);
    }

    /// The motion at a state, with accelerations and multipliers from the last [`Mechanism::evaluate_motion`].
    pub fn motion<'a>(&'a self, at: At<'a, Mode>, workspace: &'a Workspace) -> Motion<'a, f64> {
        self.motion_with(at, &workspace.a, &workspace.lambda, &workspace.terms.numbers)
    }

    /// The motion at a state with these accelerations, multipliers and numbers.
    pub(super) fn motion_with<'a>(
        &'a self,
        at: At<'a, Mode>,
        a: &'a [f64],
        lambda: &'a [f64],
        numbers: &'a [f64],
    ) -> Motion<'a, f64> {
        Motion {
            t: at.t,
            q: &at.x[self.positions()],
            v: &at.x[self.velocities()],
            a,
            lambda: &lambda[..at.mode.rows],
            numbers,
            frames: &self.model.frames,
        }
    }

    /// The same with the given accelerations and multipliers, as residuals are differentiated there.
    pub(super) fn instant<'a>(&self, at: At<'a, Mode>, a: &'a [f64], lambda: &'a [f64]) -> Instant<'a> {
        Instant {
            t: at.t,
            q: &at.x[self.positions()],
            v: &at.x[self.velocities()],
            a,
            lambda: lambda.get(..at.mode.rows).unwrap_or_default(),
            attitudes: None,
        }
    }

    /// Hands over the rates of what is integrated beside the motion, with their places in the state, at the state of the last
    /// [`Mechanism::evaluate_motion`].
    pub(super) fn integrated_rates(&self, at: At<Mode>, workspace: &Workspace, mut take: impl FnMut(usize, f64)) {
        let motion = self.motion(at, workspace);
        for (place, integrand) in self.integrated() {
            take(place, integrand.evaluate(&self.model, at.mode, &motion));
        }
    }

    /// Largest constraint residuals at a state: position (c over the length of its row) and velocity likewise.
    pub fn residuals(&self, at: At<Mode>, workspace: &mut Workspace) -> (f64, f64) {
        let terms = &mut workspace.terms;
        self.load_memory(at.x, terms);
        self.assemble_constraints(at, terms);
        (0..at.mode.rows).fold((0.0, 0.0), |(position, velocity), row| {
            let length = terms.jacobian.row_size(row);
            (
                f64::max(position, terms.c[row].abs() / length),
                f64::max(velocity, terms.rate[row].abs() / length),
            )
        })
    }
}
