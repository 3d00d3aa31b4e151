//! Start of a simulation: assembled positions and velocities, contact states, memory.

use super::jump::{Next, Request};
use super::memory::Written;
use super::{LinearizedJump, Mechanism, Workspace};
use crate::assembly;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Happening, HybridSystem, Tangent};
use crate::linear::max_abs;
use crate::model::{Assignment, ContactState, Mode, Trigger};

/// Penetration, over the size of the mechanism, that the start may have: the rounding of an assembly.
const PENETRATION: f64 = 1e-9;

/// State at the start.
#[derive(Clone, Debug)]
pub struct Started {
    /// Mode.
    pub mode: Mode,
    /// State.
    pub x: Vec<f64>,
    /// State as assembled, before anything strikes or sticks.
    pub assembled: Vec<f64>,
    /// What strikes and sticks, ready to be differentiated at the assembled state; none when velocities do not jump.
    pub impact: Option<LinearizedJump>,
    /// What the start puts into memory, with its derivatives: first what everything begins with, then what events set.
    pub(super) written: [Vec<Written>; 2],
    /// Contacts that touch and do not separate.
    pub struck: Vec<usize>,
    /// What happened at the very start: contacts that touch and approach.
    pub happenings: Vec<Happening>,
    /// Remarks for the user.
    pub remarks: Vec<String>,
}

impl Started {
    /// Derivatives of the memory at the start, into the derivative of the assembled state along a direction.
    pub fn memory_jvp(&self, mechanism: &Mechanism, dt: f64, numbers: &[f64], slope: &mut [f64]) {
        let memory = mechanism.memory().start;
        for stage in &self.written {
            let before = slope.to_vec();
            let along = Tangent::new(dt, &before, numbers);
            for written in stage {
                slope[memory + written.slot] = written.along(&along);
            }
        }
    }

    /// Moves the costate of the memory at the start on to what it was read off.
    pub fn memory_vjp(&self, mechanism: &Mechanism, x_bar: &mut [f64], numbers_bar: &mut [f64]) {
        for stage in self.written.iter().rev() {
            mechanism.written_vjp(stage, x_bar, numbers_bar);
        }
    }
}

impl Mechanism {
    /// Assembles the mechanism at a time and settles its contacts.
    ///
    /// # Errors
    /// Kind `Assembly` when joints stay open or a contact penetrates.
    pub fn start(&self, t: f64, workspace: &mut Workspace) -> Result<Started> {
        let assembled = assembly::assemble(&self.model, t)?;
        let mut remarks = Vec::new();
        if !assembled.nearest {
            remarks.push(
                "the mechanism starts closed, but a configuration nearest to the guesses was not found: give guesses that are \
                 closer to a closed configuration"
                    .to_string(),
            );
        }
        let mut x = assembled.q;
        x.extend(assembled.v);
        x.resize(self.quadratures().end, 0.0);
        x.extend(&self.model.memory);
        let (mut mode, mut request, mut written) = self.begin(t, &mut x, workspace)?;
        self.join_again(&mode, &mut request);
        self.check_joined(At::new(t, &mode, &x), &request, workspace)?;
        let lying = self.find_touching(At::new(t, &mode, &x), &mut request, workspace)?;
        let (before, assembled, struck) = (mode.contacts.clone(), x.clone(), request.touching.clone());
        let next = &mut Next {
            t,
            mode: &mut mode,
            x: &mut x,
        };
        remarks.extend(self.resolve_contacts(&before, next, &mut request, workspace)?);
        self.settle(next, workspace)?;
        let at = At::new(t, next.mode, &assembled);
        let impact = self.linearize_impact(&before, at, workspace)?;
        let forces = &next.mode.forces;
        let acting: Vec<usize> = (0..forces.len()).filter(|&force| forces[force]).collect();
        self.aim(next, &acting, workspace)?;
        let sides = self.take_sides(next, true, workspace)?;
        written[1].extend(self.written(At::new(t, next.mode, &assembled), &sides, workspace)?);
        // Lying on a support from the start is no event.
        request
            .happenings
            .retain(|happening| !lying.iter().any(|&i| self.model.contacts[i].name == happening.name));
        Ok(Started {
            mode,
            x,
            impact: Some(impact).filter(|impact| impact.impact.is_some()),
            assembled,
            written,
            struck,
            happenings: request.happenings,
            remarks,
        })
    }

    /// The mode and the memory with which everything begins, and what events at the start ask for.
    fn begin(&self, t: f64, x: &mut [f64], workspace: &mut Workspace) -> Result<(Mode, Request, [Vec<Written>; 2])> {
        let mut mode = Mode::initial(&self.model);
        self.load_memory(x, &mut workspace.terms);
        for force in 0..self.model.forces.len() {
            mode.slack[force] = self.is_slack(force, At::new(t, &mode, x), workspace);
        }
        let begun = self.remember_at_start(t, &mode, x, &self.first_memory(), workspace)?;
        self.take_sides(&mut Next { t, mode: &mut mode, x }, false, workspace)?;
        let (mut next, mut request) = (mode.clone(), Request::default());
        for (i, event) in self.model.events.iter().enumerate() {
            if matches!(event.trigger, Trigger::At(number) if self.model.numbers[number].value == t) {
                self.fire_event(i, t, &mut next, x, &mut request, workspace);
            }
        }
        next.refresh(&self.model);
        let set = self.remember_at_start(t, &mode, x, &request.assignments, workspace)?;
        Ok((next, request, [begun, set]))
    }

    /// Puts assignments into memory at the start, and returns them with their derivatives.
    fn remember_at_start(
        &self,
        t: f64,
        mode: &Mode,
        x: &mut [f64],
        assignments: &[Assignment],
        workspace: &mut Workspace,
    ) -> Result<Vec<Written>> {
        let before = x.to_vec();
        let mut mode = mode.clone();
        if assignments
            .iter()
            .any(|assignment| assignment.value.needs_dynamics(&self.model))
        {
            let (mode, x) = (&mut mode, &mut before.clone());
            self.settle(&mut Next { t, mode, x }, workspace)?;
        }
        self.assign(At::new(t, &mode, &before), assignments, x, workspace)?;
        let written = self.written(At::new(t, &mode, &before), assignments, workspace)?;
        self.load_memory(x, &mut workspace.terms);
        Ok(written)
    }

    /// Asks for the contacts that touch at the start and do not separate; returns those that do not approach either.
    fn find_touching(&self, at: At<Mode>, request: &mut Request, workspace: &Workspace) -> Result<Vec<usize>> {
        let noise = 1e-12 * max_abs(&at.x[self.velocities()]);
        let states = &at.mode.contacts;
        let enabled = (0..states.len()).filter(|&i| states[i] != ContactState::Disabled);
        let bounds = [PENETRATION, PENETRATION];
        let mut found = self.touching(at, enabled, bounds, workspace).map_err(|(i, gap)| {
            let name = &self.model.contacts[i].name;
            Error::new(
                ErrorKind::Assembly,
                format!("\"{name}\" starts with a penetration of {:.3e}", -gap),
            )
            .named(name.clone())
            .with_value(gap)
            .advise("start on the allowed side, or turn the normal round")
        })?;
        found.retain(|(_, rate)| *rate <= noise);
        request.touching.extend(found.iter().map(|(i, _)| i));
        found.retain(|(_, rate)| *rate >= -noise);
        Ok(found.into_iter().map(|(i, _)| i).collect())
    }
}
