//! Start of a simulation: assembled positions and velocities, contact states, memory.

use super::jump::{Next, Request};
use super::memory::Written;
use super::{LinearizedJump, Mechanism, Workspace};
use crate::assembly;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Happening, HybridSystem, Tangent};
use crate::model::{Assignment, ContactState, CoordinateKind, Mode, Trigger};

/// Penetration, over the size of the mechanism, that the start may have: the rounding of an assembly.
pub(super) const PENETRATION: f64 = 1e-9;

/// State at the start.
#[derive(Clone, Debug)]
pub struct Started {
    /// Mode.
    pub mode: Mode,
    /// State.
    pub x: Vec<f64>,
    /// State as assembled, before anything strikes or sticks.
    pub assembled: Vec<f64>,
    /// What lies, then what strikes and sticks, one after the other from the assembled state on, ready to be differentiated;
    /// nothing where velocities do not jump.
    pub impacts: Vec<LinearizedJump>,
    /// What the start puts into memory, with its derivatives: first what everything begins with, then what events set.
    pub(super) written: [Vec<Written>; 2],
    /// Contacts that touch and do not separate.
    pub struck: Vec<usize>,
    /// Frictions that begin to slip there, from rest.
    pub from_rest: Vec<usize>,
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
        self.check_resolved(&assembled.q, t)?;
        let mut remarks = Vec::new();
        if !assembled.nearest {
            remarks.push(
                "the mechanism starts closed, but a configuration nearest to the guesses was not found: give guesses that are \
                 closer to a closed configuration"
                    .to_string(),
            );
        }
        let first = self.first_mode(assembled.departure)?;
        let mut x = assembled.q;
        x.extend(assembled.v);
        x.resize(self.quadratures().end, 0.0);
        x.extend(&self.model.memory);
        let (mut mode, mut request, mut written) = self.begin(t, first, &mut x, workspace)?;
        self.join_again(&mode, &mut request);
        self.check_joined(At::new(t, &mode, &x), &request, workspace)?;
        let touching = self.find_touching(At::new(t, &mode, &x), workspace)?;
        let (assembled, mut struck) = (x.clone(), touching.concat());
        self.check_meaning(At::new(t, &mode, &x), &struck, workspace)?;
        struck.sort_unstable();
        self.check_departure(&mode, &struck)?;
        let next = &mut Next {
            t,
            mode: &mut mode,
            x: &mut x,
        };
        let (mut impacts, striking) = (Vec::new(), touching[1].clone());
        remarks.extend(self.strike_at_start(next, &mut request, touching, &mut impacts, workspace)?);
        let forces = &next.mode.forces;
        let acting: Vec<usize> = (0..forces.len()).filter(|&force| forces[force]).collect();
        self.aim(next, &acting, workspace)?;
        let sides = self.take_sides(next, true, workspace)?;
        self.check_departure(next.mode, &struck)?;
        written[1].extend(self.written(At::new(t, next.mode, &assembled), &sides, workspace)?);
        let mut from_rest = self.slips_from_rest(At::new(t, next.mode, &assembled), &striking, workspace);
        from_rest.extend(self.at_limit(next.at(), workspace)?);
        Ok(Started {
            from_rest,
            mode,
            x,
            impacts,
            assembled,
            written,
            struck,
            happenings: request.happenings,
            remarks,
        })
    }

    /// Refuses places so far from the origin that rounding is more than the whole mechanism.
    fn check_resolved(&self, q: &[f64], t: f64) -> Result<()> {
        let ([farthest, _], length) = (self.model.spread(q, [0.0, 0.0]), self.sizes.length);
        let rounding = f64::EPSILON * farthest;
        if rounding <= length {
            return Ok(());
        }
        let message = format!(
            "coordinates of {farthest:.1e} are rounded to {rounding:.1e}, more than the mechanism is large ({length:.1e})"
        );
        Err(Error::new(ErrorKind::Assembly, message)
            .at_time(t)
            .with_value(farthest)
            .advise("lay the origin into the mechanism"))
    }

    /// Lets contacts lie, then strike: those that lie are struck in their turn.
    fn strike_at_start(
        &self,
        next: &mut Next,
        request: &mut Request,
        [lying, striking]: [Vec<usize>; 2],
        impacts: &mut Vec<LinearizedJump>,
        workspace: &mut Workspace,
    ) -> Result<Vec<String>> {
        let mut remarks = Vec::new();
        if striking.is_empty() || lying.is_empty() || !request.joined.is_empty() {
            request.touching = [&lying[..], &striking].concat();
            request.touching.sort_unstable();
            remarks.extend(self.resolve_start(next, request, impacts, workspace)?);
            // Lying on a support from the start is no event.
            let lies = |name: &str| lying.iter().any(|&i| self.model.contacts[i].name == name);
            request.happenings.retain(|happening| !lies(&happening.name));
            return Ok(remarks);
        }
        let mut first = Request {
            touching: lying,
            ..Request::default()
        };
        remarks.extend(self.resolve_start(next, &mut first, impacts, workspace)?);
        request.touching = striking;
        remarks.extend(self.resolve_start(next, request, impacts, workspace)?);
        Ok(remarks)
    }

    /// Resolves contacts at the start, and notes the derivative of what it does to velocities.
    fn resolve_start(
        &self,
        next: &mut Next,
        request: &mut Request,
        impacts: &mut Vec<LinearizedJump>,
        workspace: &mut Workspace,
    ) -> Result<Vec<String>> {
        let (before, x) = (next.mode.contacts.clone(), next.x.to_vec());
        workspace.plan = None;
        workspace.stages.clear();
        let remarks = self.resolve_contacts(&before, next, request, workspace)?;
        self.settle(next, workspace)?;
        self.check_pull(next.at(), workspace)?;
        let impact = self.linearize_impact(&before, At::new(next.t, next.mode, &x), workspace)?;
        impacts.extend(Some(impact).filter(|impact| impact.impact.is_some() || !impact.stages.is_empty()));
        Ok(remarks)
    }

    /// The mode and the memory with which everything begins, and what events at the start ask for.
    fn begin(
        &self,
        t: f64,
        mut mode: Mode,
        x: &mut [f64],
        workspace: &mut Workspace,
    ) -> Result<(Mode, Request, [Vec<Written>; 2])> {
        self.load_memory(x, &mut workspace.terms);
        for force in 0..self.model.forces.len() {
            mode.slack[force] = self.is_slack(force, At::new(t, &mode, x), workspace);
        }
        for contact in 0..self.model.contacts.len() {
            let state = self.faced(contact, At::new(t, &mode, x), workspace);
            mode.contacts.set(contact, state);
        }
        let begun = self.remember_at_start(t, &mode, x, &self.first_memory(), workspace)?;
        self.take_sides(&mut Next { t, mode: &mut mode, x }, false, workspace)?;
        let (mut next, mut request) = (mode.clone(), Request::default());
        for (i, event) in self.model.events.iter().enumerate() {
            if matches!(event.trigger, Trigger::At(number) if self.model.numbers[number].value == t) {
                self.refuse_at_start(event, t)?;
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

    /// Contacts that touch at the start and do not separate: those that lie there, and those that approach.
    fn find_touching(&self, at: At<Mode>, workspace: &Workspace) -> Result<[Vec<usize>; 2]> {
        let noise = |i: usize| 1e-12 * self.fastest(at.x, self.gap_kind(i));
        let states = &at.mode.contacts;
        let near = self.near_contacts(
            at.x,
            PENETRATION * self.farthest(at.x, CoordinateKind::Length),
            workspace,
        );
        let enabled = (near.into_iter()).filter(|&i| !matches!(states[i], ContactState::Disabled | ContactState::Away));
        let bounds = [PENETRATION, PENETRATION];
        let found = self.touching(at, enabled, bounds, workspace).map_err(|(i, gap)| {
            let name = &self.model.contacts[i].name;
            Error::new(
                ErrorKind::Assembly,
                format!("\"{name}\" starts with a penetration of {:.3e}", -gap),
            )
            .named(name.clone())
            .with_value(gap)
            .advise("start on the allowed side, or turn the normal round")
        })?;
        let rates = |belongs: &dyn Fn(f64, f64) -> bool| {
            let those = found.iter().filter(|(i, rate)| belongs(*rate, noise(*i)));
            those.map(|(i, _)| *i).collect()
        };
        let lies = |rate: f64, noise: f64| rate.abs() <= noise;
        let approaches = |rate: f64, noise: f64| rate < -noise;
        Ok([rates(&lies), rates(&approaches)])
    }
}
