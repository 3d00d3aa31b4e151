//! Guards of a mechanism: gaps, contact forces, one-sided springs, scene events, and the watch on dropped rows.

use super::{FormulationChoice, Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::{At, Crossing};
use crate::linear::max_abs;
use crate::model::contact::Law;
use crate::model::force::ForceKind;
use crate::model::quantity::{Hysteresis, Latching, Quantity};
use crate::model::{ContactState, Event, Mode, Switch, Trigger};
use crate::scalar::Scalar;

/// Residual, over the length of its row, at which a row taken for redundant is found to be needed.
const NEEDED: f64 = 1e-9;

/// Rounding of the values of guards, over the size of what they consist of: a few hundred units in the last place.
const ROUNDING: f64 = 1e-13;

/// What a guard watches; indices into the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Gap of an open contact.
    Gap(usize),
    /// Normal force of a lasting contact.
    Release(usize),
    /// Engagement of a one-sided spring.
    Spring(usize),
    /// Direction of the elongation of a hysteretic spring.
    Reversal(usize),
    /// Next tooth of a ratchet.
    Tooth(usize),
    /// A scene event.
    Event(usize),
    /// Residual of the rows that are not among the independent ones.
    Dependent,
}

/// Whether all that an event does is to switch joints on which hold already: what they hold is rounding to its condition.
fn only_holds(event: &Event, mode: &Mode) -> bool {
    let holds = |&(switch, on): &(Switch, bool)| matches!(switch, Switch::Group(i) if on && mode.groups[i]);
    !event.actions.is_empty() && event.assignments.is_empty() && event.actions.iter().all(holds)
}

impl Mechanism {
    pub(super) fn guard_count(&self) -> usize {
        3 * self.model.contacts.len() + self.model.forces.len() + self.model.events.len() + 1
    }

    /// What the guard of an index watches.
    pub fn watch(&self, guard: usize) -> Watch {
        let (contacts, forces, events) = (
            self.model.contacts.len(),
            self.model.forces.len(),
            self.model.events.len(),
        );
        match guard {
            i if i < contacts => Watch::Gap(i),
            i if i < 2 * contacts => Watch::Release(i - contacts),
            i if i < 3 * contacts => Watch::Tooth(i - 2 * contacts),
            i if i < 3 * contacts + forces => {
                let force = i - 3 * contacts;
                match self.model.hysteretic(force) {
                    Some(_) => Watch::Reversal(force),
                    None => Watch::Spring(force),
                }
            }
            i if i < 3 * contacts + forces + events => Watch::Event(i - 3 * contacts - forces),
            _ => Watch::Dependent,
        }
    }

    /// The guard that watches the gap of a contact.
    pub fn gap_guard(&self, contact: usize) -> usize {
        contact
    }

    pub(super) fn guard_crossing(&self, guard: usize, mode: &Mode) -> Option<Crossing> {
        match self.watch(guard) {
            Watch::Gap(i) => {
                {
                    // Under a penalty a carried contact gives way as much as those that carry it.
                    let watched = match mode.contacts[i] {
                        ContactState::Carried => self.needs_independent_rows(),
                        state => state == ContactState::Open,
                    };
                    watched.then_some(Crossing::Unilateral)
                }
            }
            Watch::Release(i) => {
                matches!(mode.contacts[i], ContactState::Sliding | ContactState::Stuck).then_some(Crossing::Unilateral)
            }
            Watch::Spring(i) => (mode.forces[i] && self.is_one_sided(i)).then_some(Crossing::Unilateral),
            Watch::Reversal(i) => mode.forces[i].then_some(Crossing::Unilateral),
            Watch::Tooth(i) => {
                let has_teeth = self.model.ratchet(i).is_some_and(|ratchet| ratchet.teeth.is_some());
                let open = matches!(mode.contacts[i], ContactState::Open | ContactState::Carried);
                (has_teeth && open).then_some(Crossing::Unilateral)
            }
            Watch::Event(i) => {
                let event = &self.model.events[i];
                let over = mode.fired[i] && (event.once || matches!(event.trigger, Trigger::At(_)));
                let asleep = over || only_holds(event, mode);
                (!asleep).then_some(match event.trigger {
                    Trigger::At(_) | Trigger::Crossing { direction: 1, .. } => Crossing::Rising,
                    Trigger::Crossing { direction: -1, .. } => Crossing::Falling,
                    Trigger::Crossing { .. } => Crossing::Either,
                })
            }
            Watch::Dependent => {
                let watched = mode.independent.len() < mode.rows && self.needs_independent_rows();
                watched.then_some(Crossing::Unilateral)
            }
        }
    }

    /// The quantity that a guard is, where it is one that reads no accelerations and multipliers.
    pub(super) fn read_guard(&self, guard: usize, mode: &Mode) -> Option<Quantity> {
        match self.watch(guard) {
            Watch::Gap(i) if self.model.slips_along(i, mode) => Some(Quantity::Ratchet(i, Latching::Advance)),
            Watch::Tooth(i) => Some(Quantity::Ratchet(i, Latching::Ahead)),
            Watch::Reversal(i) => Some(Quantity::Hysteretic(i, Hysteresis::Loading)),
            _ => None,
        }
    }

    pub(super) fn is_one_sided(&self, force: usize) -> bool {
        matches!(&self.model.forces[force].kind, ForceKind::Line(line) if line.side != 0.0)
    }

    pub(super) fn guard_value(&self, guard: usize, at: At<Mode>, workspace: &mut Workspace) -> Result<f64> {
        let At { t, mode, x } = at;
        self.load_memory(x, &mut workspace.terms);
        if let Some(quantity) = self.read_guard(guard, mode) {
            return Ok(self.read(&quantity, at, workspace));
        }
        match self.watch(guard) {
            Watch::Gap(i) => Ok(self.gap(i, t, x, workspace)),
            Watch::Release(i) => {
                self.evaluate_motion(at, true, workspace)?;
                let force = Quantity::ContactForce(i);
                Ok(force.evaluate(&self.model, mode, &self.motion(at, workspace)) + self.pull_off(i, workspace))
            }
            Watch::Spring(i) => {
                let engagement = self.engagement(i, x, workspace);
                Ok(if mode.slack[i] { -engagement } else { engagement })
            }
            // Those that are read, above.
            Watch::Reversal(_) | Watch::Tooth(_) => Ok(f64::NAN),
            Watch::Event(i) => match &self.model.events[i].trigger {
                Trigger::At(number) => Ok(t - workspace.terms.numbers[*number]),
                Trigger::Crossing { guard, .. } => {
                    if guard.needs_dynamics(&self.model) {
                        self.evaluate_motion(at, true, workspace)?;
                    }
                    let value = guard.evaluate(&self.model, mode, &self.motion(at, workspace));
                    if value.is_nan() {
                        return Err(self.condition_without_value(i, guard, t, value));
                    }
                    Ok(value)
                }
            },
            Watch::Dependent => Ok(NEEDED - self.dependent_residual(at, workspace)),
        }
    }

    /// Rounding of a guard: of lengths by the size of the mechanism, of forces by the forces that balance.
    pub(super) fn guard_rounding(&self, guard: usize, at: At<Mode>, workspace: &Workspace) -> f64 {
        let At { mode, x, .. } = at;
        match self.watch(guard) {
            Watch::Gap(i) if self.model.slips_along(i, mode) => self.noise(&x[self.velocities()]),
            // The smallest bounces are hardly higher than the tolerance.
            Watch::Gap(i) if mode.contacts[i] == ContactState::Open => 0.0,
            Watch::Gap(_) | Watch::Tooth(_) | Watch::Spring(_) => ROUNDING * self.size(x),
            Watch::Reversal(_) => self.noise(&x[self.velocities()]),
            Watch::Release(_) => self.force_noise(workspace),
            Watch::Event(_) | Watch::Dependent => 0.0,
        }
    }

    /// Contact forces below this are rounding, at the motion evaluated last.
    pub(super) fn force_noise(&self, workspace: &Workspace) -> f64 {
        let terms = &workspace.terms;
        let inertia = terms.mass.max_abs() * max_abs(&workspace.a);
        let exact = 10.0 * ROUNDING * inertia.max(max_abs(&terms.force));
        match self.choices.formulation {
            FormulationChoice::Penalty(factors) => {
                // What the integration leaves of gaps decays with this acceleration.
                let decay = (1.0 + 2.0 * factors.xi) * factors.omega * factors.omega * self.choices.atol;
                exact.max(terms.mass.max_abs() * decay)
            }
            _ => exact,
        }
    }

    pub(super) fn needs_independent_rows(&self) -> bool {
        !matches!(self.choices.formulation, FormulationChoice::Penalty(_))
    }

    /// Gap of a contact at a state, with the memory loaded.
    pub(super) fn gap(&self, contact: usize, t: f64, x: &[f64], workspace: &Workspace) -> f64 {
        let constraint = &self.model.constraints[self.model.contacts[contact].gap];
        let (q, numbers) = (&x[self.positions()], &workspace.terms.numbers);
        match self.model.dimension {
            2 => constraint.evaluate_value::<2>(t, q, numbers)[0],
            _ => constraint.evaluate_value::<3>(t, q, numbers)[0],
        }
    }

    fn pull_off(&self, contact: usize, workspace: &Workspace) -> f64 {
        match self.model.contacts[contact].law {
            Law::Stick { pull_off } => workspace.terms.numbers[pull_off],
            _ => 0.0,
        }
    }

    /// How far a one-sided spring is on its acting side.
    pub(super) fn engagement(&self, force: usize, x: &[f64], workspace: &Workspace) -> f64 {
        let local = &self.model.forces[force].local;
        let q = local.gather::<f64>(&x[self.positions()]);
        self.engagement_of(force, &q, &local.gather_numbers::<f64>(&workspace.terms.numbers))
    }

    /// The same from local arguments of any scalar.
    pub(super) fn engagement_of<S: Scalar>(&self, force: usize, q: &[S], numbers: &[S]) -> S {
        let ForceKind::Line(line) = &self.model.forces[force].kind else {
            return S::from(f64::NAN);
        };
        match self.model.dimension {
            2 => line.engagement::<S, 2>(q, numbers),
            _ => line.engagement::<S, 3>(q, numbers),
        }
    }

    fn dependent_residual(&self, at: At<Mode>, workspace: &mut Workspace) -> f64 {
        let At { t, mode, x } = at;
        let terms = &mut workspace.terms;
        let (q, v) = (&x[self.positions()], &x[self.velocities()]);
        self.model.assemble_constraints(t, q, v, mode, terms);
        (0..mode.rows)
            .filter(|row| mode.independent.binary_search(row).is_err())
            .fold(0.0, |most, row| {
                f64::max(most, terms.c[row].abs() / terms.jacobian.row_size(row))
            })
    }
}
