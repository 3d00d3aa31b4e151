//! Start from a singular position, along the branch that the velocities are along (theory, 5.6).
//!
//! At the start itself the rows determine neither accelerations nor multipliers. The accelerations there have further rows that
//! follow from the branch; multipliers, and derivatives, are not evaluated there. The first step goes past the place without
//! them ([`PassingStepper`](crate::integrate::PassingStepper)).

use std::sync::Arc;

use super::watch::Watch;
use super::{Mechanism, Workspace};
use crate::assembly::singular_joints;
use crate::error::{Error, ErrorKind, Result};
use crate::formulation::saddle_mut;
use crate::hybrid::At;
use crate::linear::Lu;
use crate::model::{ContactState, Departure, Measured, MeasuredAt, Mode, Remembered, Trigger};
use crate::scalar::Dual64;

impl Mechanism {
    /// The mode at the start.
    ///
    /// # Errors
    /// Kind `Assembly` where the mechanism leaves a singular position under penalties, which do not hold it to its branch, or with
    /// something that reads forces of joints there.
    pub(super) fn first_mode(&self, departure: Option<Departure>) -> Result<Mode> {
        let (model, mut mode) = (&self.model, Mode::initial(&self.model));
        let Some(departure) = departure else {
            return Ok(mode);
        };
        let first = &departure.joint[..];
        let driver = mode.constraints.iter().map(|&i| &model.constraints[i]);
        let driver = driver
            .filter(|joint| joint.driven_by().is_some())
            .map(|joint| &joint.name[..])
            .next();
        let (name, why, advice) = match (self.reads_at_start(departure.t), driver) {
            _ if !self.needs_independent_rows() => (
                first,
                "and others are held by penalties, which do not keep to one motion there",
                "use another formulation",
            ),
            (Some(name), _) => (
                name,
                "reads forces of joints, which are not determined there",
                "leave it out, read it later",
            ),
            (None, Some(driver)) if self.integrands_need_multipliers => (
                driver,
                "works with a force that is not determined there",
                "let a force move it",
            ),
            _ if self.integrands_need_multipliers => (
                first,
                "and others have forces that are not determined there",
                "integrate nothing that reads forces of joints",
            ),
            _ => {
                mode.departure = Some(Arc::new(departure));
                return Ok(mode);
            }
        };
        Err(refused(&departure, name, why, advice))
    }

    /// Accelerations at a singular position: the rows that are independent there, and those along the branch.
    ///
    /// # Errors
    /// Kind `Singular` where they are not determined.
    pub(super) fn accelerate_away(&self, at: At<Mode>, departure: &Departure, workspace: &mut Workspace) -> Result<()> {
        let Workspace { terms, a, lambda, .. } = workspace;
        self.assemble(at, terms);
        let own = departure
            .independent
            .iter()
            .map(|&row| terms.jacobian.row(row).entries().collect());
        let beside = departure
            .along
            .iter()
            .map(|(row, _)| row.iter().copied().enumerate().collect());
        let rows: Vec<Vec<(usize, f64)>> = own.chain(beside).collect();
        let nv = self.model.nv();
        let mut lu = Lu::new(nv + rows.len());
        saddle_mut(&mut lu, &terms.mass, rows.iter().map(|row| row.iter().copied()));
        lu.balance(nv);
        if lu.factor().is_err() {
            let message = "the accelerations at the singular position of the start are not determined";
            return Err(Error::new(ErrorKind::Singular, message)
                .at_time(at.t)
                .advise("give every point and body that moves a mass, or start beside the position"));
        }
        let mut unknowns = terms.force.clone();
        unknowns.truncate(nv);
        unknowns.extend(departure.independent.iter().map(|&row| -terms.gamma[row]));
        unknowns.extend(departure.along.iter().map(|(_, value)| value));
        lu.solve(&mut unknowns);
        a.copy_from_slice(&unknowns[..nv]);
        // What would be read off them has no value.
        lambda.fill(f64::NAN);
        Ok(())
    }

    /// Leaves accelerations and multipliers without derivatives that are known.
    pub(super) fn forget_derivatives(&self, workspace: &mut Workspace) {
        let Workspace {
            a, a_dual, lambda_dual, ..
        } = workspace;
        for (dual, a) in a_dual.iter_mut().zip(a) {
            *dual = Dual64::new(*a, f64::NAN);
        }
        lambda_dual.fill(Dual64::new(f64::NAN, f64::NAN));
    }

    /// Refuses an event at the singular position that a motion starts from.
    ///
    /// # Errors
    /// Kind `Event`.
    pub(super) fn check_departed(&self, t: f64, mode: &Mode, fired: &[usize]) -> Result<()> {
        if mode.departure_at(t).is_none() {
            return Ok(());
        }
        let message = "an event happens at the singular position of the start, where forces are not determined";
        let error = Error::new(ErrorKind::Event, message).at_time(t);
        let error = error.advise("let it happen a moment later, or start beside the position");
        Err(self.named_by(error, fired))
    }

    /// Refuses an event at a singular position in mid-course: the rows that depend on others there only would be missing after it.
    ///
    /// # Errors
    /// Kind `Event`.
    pub(super) fn check_regular(
        &self,
        before: &Mode,
        after: At<Mode>,
        fired: &[usize],
        workspace: &mut Workspace,
    ) -> Result<()> {
        let At { t, mode, x } = after;
        let all_kept = mode.constraints == before.constraints && mode.independent.len() >= before.independent.len();
        if all_kept || mode.independent.len() == mode.rows || !self.needs_independent_rows() {
            return Ok(());
        }
        let (q, v) = (&x[self.positions()], &x[self.velocities()]);
        let rates = self.model.coordinate_rates(q, v);
        self.assemble_constraints(after, &mut workspace.terms);
        let joints = singular_joints((&self.model, mode), t, [q, &rates], &workspace.terms);
        if joints.is_empty() {
            return Ok(());
        }
        let joints: Vec<String> = joints.iter().map(|name| format!("\"{name}\"")).collect();
        let message = format!(
            "an event happens at a singular position of {}, where forces are not determined",
            joints.join(", ")
        );
        let error = Error::new(ErrorKind::Event, message).at_time(t);
        Err(self.named_by(error.advise("let it happen before or after that position"), fired))
    }

    /// The error with the name of what fired first.
    fn named_by(&self, error: Error, fired: &[usize]) -> Error {
        match fired.first().map(|&guard| self.watch(guard)) {
            Some(Watch::Gap(i)) => error.named(self.model.contacts[i].name.clone()),
            Some(Watch::Event(i)) => error.named(self.model.events[i].name.clone()),
            _ => error,
        }
    }

    /// Refuses what acts at the start from a singular position and has forces that are not determined there.
    ///
    /// # Errors
    /// Kind `Assembly`, naming the first of them.
    pub(super) fn check_departure(&self, mode: &Mode, struck: &[usize]) -> Result<()> {
        let Some(departure) = mode.departure.as_deref() else {
            return Ok(());
        };
        let model = &self.model;
        let lasts = mode.having(|state| {
            matches!(
                state,
                ContactState::Sliding | ContactState::Stuck | ContactState::Carried
            )
        });
        let contact = struck.iter().copied().chain(lasts).next();
        let (name, why, advice) = if let Some(contact) = contact {
            (
                &model.contacts[contact].name[..],
                "touches there, and its force is not determined",
                "start with the contact open",
            )
        } else if let Some(grip) = mode.grips.first() {
            (
                model.rubbed_name(grip.friction),
                "rubs with a force that is not determined there",
                "leave out the friction",
            )
        } else if mode.constraints != Mode::initial(model).constraints || !mode.slides.is_empty() {
            (
                &departure.joint[..],
                "and others would be switched there",
                "let events fire a moment later",
            )
        } else {
            return Ok(());
        };
        Err(refused(departure, name, why, advice))
    }

    /// Name of something that reads forces of joints at the start.
    fn reads_at_start(&self, t: f64) -> Option<&str> {
        let model = &self.model;
        let outputs = model.outputs.iter().map(|(name, output)| (name, output));
        let peaks = model.peaks.iter().map(|peak| (&peak.objective, &peak.value));
        let at_start = |number: usize| model.numbers[number].value == t;
        let readings = model.readings.iter().filter(|reading| at_start(reading.time));
        let readings = readings.map(|reading| (&reading.objective, &reading.value));
        let of_events = model.events.iter().flat_map(|event| {
            let (guard, sets) = match &event.trigger {
                Trigger::Crossing { guard, .. } => (Some(guard), &[][..]),
                Trigger::At(number) if at_start(*number) => (None, &event.assignments[..]),
                Trigger::At(_) => (None, &[][..]),
            };
            let set = sets.iter().filter_map(|assignment| match &assignment.value {
                Remembered::Expression(value) => Some(value),
                _ => None,
            });
            guard.into_iter().chain(set).map(|value| (&event.name, value))
        });
        let measured = model.fits.iter().flat_map(|fit| {
            let data = fit.data.iter().filter(|datum| datum.at == MeasuredAt::Time(t));
            data.filter_map(|datum| match &fit.channels[datum.channel].of {
                Measured::Value(value) => Some((&fit.objective, value)),
                Measured::EventTimes(_) => None,
            })
        });
        let mut all = outputs.chain(peaks).chain(readings).chain(of_events).chain(measured);
        let found = all.find(|(_, value)| value.needs_multipliers(model));
        found.map(|(name, _)| &name[..])
    }
}

/// Error for what a start from a singular position cannot have.
fn refused(departure: &Departure, name: &str, why: &str, advice: &str) -> Error {
    let message = format!("the mechanism starts in a singular position, and \"{name}\" {why}");
    Error::new(ErrorKind::Assembly, message)
        .named(name)
        .at_time(departure.t)
        .advise(format!("{advice}, or start beside the singular position"))
}
