//! Forward sensitivities: S = dx/dp integrated with the motion, with the jump formulas at events (theory, 3.3).

use std::ops::Range;

use super::event_time::{EventTime, Sides};
use super::forward_algebraic::VariedHessenberg;
use super::instant::Instant;
use super::one_sided::Meetings;
use crate::error::{Error, Result};
use crate::hybrid::{At, Crossing, Differentiable, HybridSystem, Jump, Tangent, Tangents};
use crate::integrate::HessenbergWork;
use crate::linear::{Descriptor, Lane, lanes};

/// A system together with the sensitivities of its state: X = [x | S_1 | S_2 | ...], one block per parameter.
#[derive(Debug)]
pub struct ForwardSystem<'a, H> {
    pub(super) system: &'a H,
    /// Derivatives of the numbers by parameter.
    pub(super) directions: &'a [Vec<f64>],
    /// The same by [`lanes`].
    lanes: Vec<Vec<Lane>>,
    /// Whether events of one instant happen in the order in which the first direction meets them.
    one_sided: bool,
}

/// Mode of the system with the event-time derivatives so far: one list per event, one entry per parameter.
#[derive(Clone, Debug)]
pub struct ForwardMode<M> {
    /// Mode of the system.
    pub mode: M,
    /// dt_e/dp of the events so far.
    pub event_times: Vec<Vec<f64>>,
    /// Time of the latest event, or of the start, and its derivatives.
    latest: (f64, Vec<f64>),
    /// What has happened at the instant of an event, while events with times of their own come after it.
    instant: Option<Box<Instant<M>>>,
}

impl<M> ForwardMode<M> {
    /// At the start of a motion: its mode, its time and the derivatives of that by parameter.
    pub fn start(mode: M, t: f64, slopes: Vec<f64>) -> Self {
        Self {
            mode,
            event_times: Vec::new(),
            latest: (t, slopes),
            instant: None,
        }
    }

    /// Derivative of the time of the latest event, or of the start, along the first direction, if that is at this time.
    fn latest_at(&self, t: f64) -> Option<f64> {
        (t == self.latest.0).then(|| self.latest.1.first().copied()).flatten()
    }

    /// Derivatives of the time of the latest event, or of the start, by parameter.
    pub fn latest_times(&self) -> &[f64] {
        &self.latest.1
    }
}

/// Scratch.
#[derive(Debug)]
pub struct ForwardWorkspace<W> {
    pub(super) inner: W,
    direction: Vec<f64>,
    slope: Vec<f64>,
    /// Kept for [`Differentiable::flow_tangents`].
    tangents: Vec<f64>,
}

impl<'a, H: Differentiable> ForwardSystem<'a, H> {
    /// Sensitivities of a system along directions in its numbers.
    pub fn new(system: &'a H, directions: &'a [Vec<f64>]) -> Self {
        Self {
            system,
            directions,
            lanes: lanes(directions),
            one_sided: false,
        }
    }

    /// The one-sided sensitivity towards a direction, the only one: events of one instant happen in the order in which motions
    /// a little further that way meet them (theory, 3).
    pub fn towards(system: &'a H, direction: &'a [Vec<f64>; 1]) -> Self {
        Self {
            one_sided: true,
            ..Self::new(system, direction)
        }
    }

    /// Derivatives of the numbers by parameter.
    pub fn directions(&self) -> &[Vec<f64>] {
        self.directions
    }

    /// Whether events of one instant happen in the order in which the first direction meets them.
    pub fn is_one_sided(&self) -> bool {
        self.one_sided
    }

    fn n(&self) -> usize {
        self.system.dimension()
    }

    /// The same place without the sensitivities.
    pub(super) fn of_state<'b>(&self, at: At<'b, ForwardMode<H::Mode>>) -> At<'b, H::Mode> {
        At::new(at.t, &at.mode.mode, &at.x[..self.n()])
    }

    /// Projects the sensitivities of a projected state; false where nothing is projected.
    fn project_sensitivities(&self, at: At<H::Mode>, sensitivities: &mut [f64], workspace: &mut H::Workspace) -> bool {
        let projects = self.system.projects(at.mode) && !self.system.departs(at.mode, at.t);
        if projects {
            self.system.linearize_projection(at, workspace);
            let numbers = (self.directions, &self.lanes[..]);
            self.system.project_tangents(at, sensitivities, numbers, workspace);
        }
        projects
    }

    /// Range of a parameter's block in X.
    pub fn block(&self, parameter: usize) -> Range<usize> {
        let n = self.n();
        (parameter + 1) * n..(parameter + 2) * n
    }
}

impl<H: Differentiable> HybridSystem for ForwardSystem<'_, H> {
    type Mode = ForwardMode<H::Mode>;
    type Workspace = ForwardWorkspace<H::Workspace>;

    fn dimension(&self) -> usize {
        self.n() * (self.directions.len() + 1)
    }

    fn memory(&self) -> Range<usize> {
        self.system.memory()
    }

    fn workspace(&self) -> Self::Workspace {
        let n = self.n();
        let zero = vec![0.0; n];
        ForwardWorkspace {
            inner: self.system.workspace(),
            direction: zero.clone(),
            slope: zero,
            tangents: Vec::new(),
        }
    }

    fn flow(&self, at: At<Self::Mode>, workspace: &mut Self::Workspace, dx: &mut [f64]) -> Result<()> {
        let n = self.n();
        let (place, sensitivities) = (self.of_state(at), &at.x[n..]);
        let (flow, slopes) = dx.split_at_mut(n);
        if self.departs(at.mode, at.t) {
            // No step reads derivatives there.
            slopes.fill(0.0);
            return self.system.flow(place, &mut workspace.inner, flow);
        }
        let tangents = Tangents {
            x: sensitivities,
            numbers: self.directions,
            lanes: &self.lanes,
        };
        let ForwardWorkspace {
            inner,
            tangents: scratch,
            ..
        } = workspace;
        self.system
            .flow_tangents(place, &tangents, inner, (flow, slopes), scratch)
    }

    fn blocks(&self) -> usize {
        self.directions.len() + 1
    }

    /// F_x, the same for the state and each of its sensitivities. How the sensitivities depend on the state is left out.
    fn flow_jacobian(&self, at: At<Self::Mode>, workspace: &mut Self::Workspace, jacobian: &mut [f64]) -> Result<()> {
        let inner = &mut workspace.inner;
        self.system.flow_jacobian(self.of_state(at), inner, jacobian)
    }

    fn has_descriptor(&self, mode: &Self::Mode, workspace: &Self::Workspace) -> bool {
        self.system.has_descriptor(&mode.mode, &workspace.inner)
    }

    fn flow_descriptor(
        &self,
        at: At<Self::Mode>,
        workspace: &mut Self::Workspace,
        out: &mut Descriptor,
    ) -> Result<bool> {
        self.system
            .flow_descriptor(self.of_state(at), &mut workspace.inner, out)
    }

    fn hessenberg(&self, mode: &Self::Mode, workspace: &mut Self::Workspace, work: HessenbergWork) -> Result<()> {
        // Whether there are equations.
        self.system
            .hessenberg(&mode.mode, &mut workspace.inner, &mut |_| Ok(()))?;
        work(&mut VariedHessenberg {
            system: self.system,
            variations: self.directions.len(),
            mode: &mode.mode,
            workspace: &mut workspace.inner,
        })
    }

    fn project(&self, t: f64, mode: &Self::Mode, x: &mut [f64], workspace: &mut Self::Workspace) -> Result<bool> {
        let (state, sensitivities) = x.split_at_mut(self.n());
        let workspace = &mut workspace.inner;
        let moved = self.system.project(t, &mode.mode, state, workspace)?;
        let projects = self.project_sensitivities(At::new(t, &mode.mode, state), sensitivities, workspace);
        Ok(moved || projects)
    }

    fn projects(&self, mode: &Self::Mode) -> bool {
        self.system.projects(&mode.mode)
    }

    fn begins_stiff(&self, mode: &Self::Mode) -> bool {
        self.system.begins_stiff(&mode.mode)
    }

    fn regularity(&self, workspace: &Self::Workspace) -> Option<(f64, f64)> {
        self.system.regularity(&workspace.inner)
    }

    fn departure(&self, mode: &Self::Mode) -> Option<(f64, f64)> {
        self.system.departure(&mode.mode)
    }

    fn departs(&self, mode: &Self::Mode, t: f64) -> bool {
        self.system.departs(&mode.mode, t)
    }

    fn explain(&self, error: Error, at: At<Self::Mode>, workspace: &mut Self::Workspace) -> Error {
        self.system.explain(error, self.of_state(at), &mut workspace.inner)
    }

    fn pole(&self, guard: usize, t: f64) -> Error {
        self.system.pole(guard, t)
    }

    fn guards(&self) -> usize {
        self.system.guards()
    }

    fn crossing(&self, guard: usize, mode: &Self::Mode) -> Option<Crossing> {
        self.system.crossing(guard, &mode.mode)
    }

    fn guard(&self, guard: usize, at: At<Self::Mode>, workspace: &mut Self::Workspace) -> Result<f64> {
        self.system.guard(guard, self.of_state(at), &mut workspace.inner)
    }

    fn is_side(&self, guard: usize) -> bool {
        self.system.is_side(guard)
    }

    fn rounding(&self, guard: usize, by_tolerance: f64, at: At<Self::Mode>, workspace: &mut Self::Workspace) -> f64 {
        self.system
            .rounding(guard, by_tolerance, self.of_state(at), &mut workspace.inner)
    }

    fn error_within(&self, guard: usize, at: At<Self::Mode>, workspace: &mut Self::Workspace) -> f64 {
        self.system.error_within(guard, self.of_state(at), &mut workspace.inner)
    }

    fn take_due(
        &self,
        at: At<Self::Mode>,
        due: &mut Vec<usize>,
        workspace: &mut Self::Workspace,
    ) -> Result<Vec<usize>> {
        let place = self.of_state(at);
        if !self.one_sided {
            return self.system.take_due(place, due, &mut workspace.inner);
        }
        let along = Tangent::new(0.0, &at.x[self.block(0)], &self.directions[0]);
        Meetings::new(self.system, place, along, at.mode.latest_at(at.t)).take_first(due, &mut workspace.inner)
    }

    fn hold_back(&self, mode: &mut Self::Mode, due: &[usize], held: bool) {
        self.system.hold_back(&mut mode.mode, due, held);
    }

    fn begin_own_time(&self, mode: &mut Self::Mode) {
        self.system.begin_own_time(&mut mode.mode);
        if let Some(instant) = &mut mode.instant {
            instant.goes_on = true;
        }
    }

    fn jump(
        &self,
        t: f64,
        mode: &Self::Mode,
        x: &mut [f64],
        fired: &[usize],
        workspace: &mut Self::Workspace,
    ) -> Result<Jump<Self::Mode>> {
        let n = self.n();
        let (state, sensitivities) = x.split_at_mut(n);
        let ForwardWorkspace {
            inner,
            direction,
            slope,
            ..
        } = workspace;
        let before = state.to_vec();
        let goes_on = mode.instant.as_ref().is_some_and(|instant| instant.goes_on);
        let mut instant = match &mode.instant {
            Some(instant) if goes_on => instant.clone(),
            _ => Box::new(Instant::new(At::new(t, &mode.mode, &before))),
        };
        let place = At::new(t, &mode.mode, &before);
        // What follows at once on an event, or on the start, keeps its time.
        let follows = match self.one_sided {
            false => {
                instant.take(self.system, || self.directions, fired, inner)?;
                t == mode.latest.0 && !goes_on
            }
            true => {
                let along = Tangent::new(0.0, &sensitivities[..n], &self.directions[0]);
                Meetings::new(self.system, place, along, mode.latest_at(t)).are_set_off(fired, inner)?
            }
        };
        let jump = self.system.jump(t, &mode.mode, state, fired, inner)?;
        let sides = Sides {
            before: place,
            after: At::new(t, &jump.mode, state),
            fired,
            follows,
            happenings: &jump.happenings,
        };
        let event = EventTime::new(self.system, &sides, inner)?;
        let mut times = Vec::with_capacity(self.directions.len());
        for (s, numbers) in sensitivities.chunks_exact_mut(n).zip(self.directions) {
            // -(h_x S + h_p) / (h_x F + h_t).
            let own = event.time(self.system, sides.before, &Tangent::new(0.0, s, numbers), inner)?;
            let tau = own.unwrap_or_else(|| mode.latest.1[times.len()]);
            event.check_one_time(self.system, &sides, &Tangent::new(0.0, s, numbers), tau, inner)?;
            event.carry(self.system, tau, (s, numbers), [direction, slope], inner);
            times.push(tau);
        }
        // A gap that is struck within the tolerance has a time of its own; the difference leaves it a derivative, which the projection takes.
        self.project_sensitivities(At::new(t, &jump.mode, state), sensitivities, inner);
        let mut event_times = mode.event_times.clone();
        event_times.push(times.clone());
        Ok(Jump {
            mode: ForwardMode {
                mode: jump.mode,
                event_times,
                latest: (t, times),
                instant: Some(instant),
            },
            happenings: jump.happenings,
            remarks: jump.remarks,
        })
    }
}
