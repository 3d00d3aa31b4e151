//! Contacts that touch without a force while what sticks keeps them from moving.

use super::super::jump::{Next, Request};
use super::super::resolve::TOUCHING;
use super::super::{Mechanism, Workspace};
use crate::error::Result;
use crate::hybrid::At;
use crate::linear::Entries;
use crate::mechanism::impact_problem::{ImpactRow, Origin, Side};
use crate::mechanism::impact_system::ImpactSystem;
use crate::model::{ContactState, CoordinateKind, Footing, Grip, Hold, Mode};

/// Acceleration of a gap, over the terms that it is the sum of and over what forces would make of them without friction, that is
/// rounding: slip begins without one.
const BEGINS: f64 = 1e-9;

impl Mechanism {
    /// Open contacts that touch and whose rows of velocities are combinations of those that hold, of joints, gaps and what sticks: none
    /// of them closes or opens before something slips. The constraints of the mode are assembled.
    pub(in crate::mechanism) fn blocked(&self, at: At<Mode>, workspace: &Workspace) -> Vec<usize> {
        let sticks = |hold: Hold| hold == Hold::Stick;
        if !at.mode.grips.iter().any(|grip| sticks(grip.hold)) {
            return Vec::new();
        }
        let reach = TOUCHING * self.farthest(at.x, CoordinateKind::Length);
        let near = self.near_contacts(at.x, reach, workspace).into_iter();
        let open = near.filter(|&contact| at.mode.contacts[contact] == ContactState::Open);
        let found = self.touching(at, open, [TOUCHING, f64::INFINITY], workspace);
        let still = |(contact, rate): &(usize, f64)| rate.abs() <= self.noise_of(at.x, self.gap_kind(*contact));
        let mut touching = found.unwrap_or_default();
        touching.retain(still);
        if touching.is_empty() {
            return Vec::new();
        }
        let (nv, units) = (self.model.nv(), workspace.terms.jacobian.units());
        let mut rows = self.holding_rows(at.mode, workspace);
        for grip in at.mode.grips.iter().filter(|grip| sticks(grip.hold)) {
            for row in self.dense_slip_rows(grip.friction, at, workspace) {
                self.adds(&mut rows, &row, units);
            }
        }
        let is_held = |&(contact, _): &(usize, f64)| {
            let row = self.gap_row(contact, at, workspace).row.dense(nv);
            !self.adds(&mut rows.clone(), &row, units)
        };
        touching
            .into_iter()
            .filter(is_held)
            .map(|(contact, _)| contact)
            .collect()
    }

    /// Closes the gaps of contacts that were blocked to rounding: what sticks holds velocities alone, and has let them drift.
    ///
    /// # Errors
    /// Kind `Singular` where they do not close.
    pub(in crate::mechanism) fn close_blocked(
        &self,
        next: &mut Next,
        blocked: &[usize],
        workspace: &mut Workspace,
    ) -> Result<()> {
        if blocked.is_empty() || !self.needs_independent_rows() {
            return Ok(());
        }
        let mut closed = next.mode.clone();
        for &contact in blocked {
            closed.contacts[contact] = ContactState::Sliding;
        }
        // Velocities tell what slips.
        let v = next.x[self.velocities()].to_vec();
        let trial = &mut Next {
            t: next.t,
            mode: &mut closed,
            x: next.x,
        };
        self.settle(trial, workspace)?;
        next.x[self.velocities()].copy_from_slice(&v);
        Ok(())
    }

    /// Those of the contacts that were blocked whose gaps close once what held them slips.
    ///
    /// # Errors
    /// As [`Mechanism::grip`].
    pub(in crate::mechanism) fn pressed_by_slip(
        &self,
        held: (&[Grip], &[Footing]),
        next: &Next,
        request: &Request,
        (candidates, blocked): (&[usize], &[usize]),
        workspace: &mut Workspace,
    ) -> Result<Vec<usize>> {
        if blocked.is_empty() {
            return Ok(Vec::new());
        }
        let rubbing = self.rubbing(held, next.at(), request, candidates, workspace)?;
        let trial = &mut Next {
            t: next.t,
            mode: &mut rubbing.unwrap_or_else(|| next.mode.clone()),
            x: &mut next.x.to_vec(),
        };
        self.settle(trial, workspace)?;
        self.evaluate_motion(trial.at(), false, workspace)?;
        let a = self.motion(trial.at(), workspace).a.to_vec();
        let strongest = self.unbalanced(trial.at(), workspace);
        let units = workspace.terms.jacobian.units().to_vec();
        let mut begins = None;
        let mut freed = Vec::new();
        for &contact in blocked {
            let gap = self.gap_row(contact, trial.at(), workspace);
            let could = gap.row.iter().map(|(i, entry)| entry.abs() * units[i] * strongest);
            let terms = gap.row.iter().map(|(i, entry)| (entry * a[i]).abs()).zip(could);
            let terms = terms.map(|(is, could)| is.max(could)).sum::<f64>();
            let rounding = BEGINS * (gap.gamma.abs() + terms);
            let acceleration = gap.row.dot(&a) + gap.gamma;
            let closes = match acceleration.abs() <= rounding {
                true => {
                    if begins.is_none() {
                        begins = Some(self.begun_slip(trial.at(), workspace)?);
                    }
                    let v = begins.as_deref().unwrap_or_default();
                    let moves = gap.row.iter().map(|(i, entry)| entry.abs() * units[i]).sum::<f64>();
                    gap.row.dot(v) < -BEGINS * moves * fastest(v, &units)
                }
                false => acceleration < 0.0,
            };
            freed.extend(closes.then_some(contact));
        }
        Ok(freed)
    }

    /// The largest acceleration, over the sizes of the coordinates, that forces would give a mass without friction and joints.
    fn unbalanced(&self, at: At<Mode>, workspace: &mut Workspace) -> f64 {
        self.take_friction(&mut workspace.terms);
        self.assemble(at, &mut workspace.terms);
        let terms = &workspace.terms;
        let of = |(i, unit): (usize, &f64)| match terms.mass.row(i).entry(i) {
            inertia if inertia > 0.0 => terms.force[i].abs() / (inertia * unit),
            _ => 0.0,
        };
        terms.jacobian.units().iter().enumerate().map(of).fold(0.0, f64::max)
    }

    /// Velocities, up to a factor, with which slip goes on that has begun without an acceleration: in its direction, as all that holds
    /// lets it. Zero in space, where the direction is not known before there is an acceleration.
    ///
    /// # Errors
    /// Kind `Singular` where the rows that hold have no factors.
    fn begun_slip(&self, at: At<Mode>, workspace: &Workspace) -> Result<Vec<f64>> {
        let mut push = vec![0.0; self.model.nv()];
        let mut rows = self.bilateral_rows(at, workspace, |_| 0.0);
        let mut hold = |row: Entries<f64>, constraint: usize| {
            rows.push(ImpactRow::new(
                row,
                0.0,
                Side::Bilateral,
                Origin::held(constraint, 0),
                "",
            ));
        };
        for contact in at.mode.having(|state| state == ContactState::Sliding) {
            hold(
                self.gap_row(contact, at, workspace).row,
                self.model.contacts[contact].gap,
            );
        }
        for grip in at.mode.grips.iter() {
            let slip = self.slip_rows(grip.friction, &at.x[self.positions()], &workspace.terms.numbers);
            match grip.hold {
                Hold::Stick => slip.into_iter().for_each(|row| hold(row, 0)),
                Hold::Slip(sign) => slip.iter().for_each(|row| row.add_to(f64::from(sign), &mut push)),
                _ => {}
            }
        }
        let system = ImpactSystem::new(at.t, &workspace.terms.mass, &rows, self.choices.by);
        let chosen = system.choose(&vec![true; rows.len()])?;
        Ok(system.solve(&chosen, &push, |_| 0.0).0)
    }
}

/// The largest velocity, over the sizes of the coordinates.
fn fastest(v: &[f64], units: &[f64]) -> f64 {
    v.iter()
        .zip(units)
        .fold(0.0, |most, (v, unit)| most.max(v.abs() / unit))
}
