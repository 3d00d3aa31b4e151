//! Names the element behind a value that is not finite.

use super::watch::Watch;
use super::{Mechanism, Workspace};
use crate::error::{Error, ErrorKind};
use crate::hybrid::At;
use crate::in_dimension;
use crate::model::Mode;
use crate::model::expressions::{Evaluated, ExpressionOwner};
use crate::model::quantity::Output;

impl Mechanism {
    /// Error for a derivative that is not finite: names the force, constraint or integrand it comes from, else the
    /// coordinate, and gives the time.
    #[cold]
    pub(super) fn not_finite(&self, at: At<Mode>, dx: &[f64], workspace: &Workspace) -> Error {
        let At { t, mode, x } = at;
        let expressions = self.model.expressions(mode, &self.motion(at, workspace));
        let without_value = |drives: bool| {
            let broken = |found: &&Evaluated| found.drives() == drives && !found.value.is_finite();
            expressions.iter().find(broken).map(|found| found.without_value(t))
        };
        if let Some(error) = without_value(true) {
            return error;
        }
        let element = self
            .offending_force(at, workspace)
            .or_else(|| self.offending_constraint(mode, workspace));
        // What only reads the motion is not to blame for a motion that is not finite itself.
        let reading =
            || without_value(false).filter(|_| dx[..self.velocities().end].iter().all(|value| value.is_finite()));
        if let (None, Some(error)) = (&element, reading()) {
            return error;
        }
        let (name, what) = element.unwrap_or_else(|| self.offending_coordinate(x, dx));
        let value = dx.iter().copied().find(|value| !value.is_finite()).unwrap_or(f64::NAN);
        Error::new(ErrorKind::NotFinite, format!("{what} of \"{name}\" is not finite"))
            .named(name)
            .at_time(t)
            .with_value(value)
            .advise(
                "look for two attachments that meet, a division by zero or a root of a negative number in its numbers",
            )
    }

    /// Error for positions that the projection cannot close after a step: names the driver without a value, if any.
    #[cold]
    pub(super) fn not_closed(&self, at: At<Mode>, workspace: &Workspace) -> Error {
        let At { t, mode, .. } = at;
        let expressions = self.model.expressions(mode, &self.motion(at, workspace));
        let broken = expressions
            .iter()
            .find(|found| found.drives() && !found.value.is_finite());
        broken.map_or_else(
            || Error::new(ErrorKind::Singular, "the constraints cannot be closed after a step").at_time(t),
            |found| found.without_value(t),
        )
    }

    /// Error for an expression that decides on an event and has no value.
    #[cold]
    pub(super) fn condition_without_value(&self, watch: Watch, condition: &Output, t: f64, value: f64) -> Error {
        let (owner, name) = match watch {
            Watch::Event(i) => (ExpressionOwner::Event, &self.model.events[i].name),
            Watch::Kink(i) => (self.model.kinks[i].owner, &self.model.kinks[i].of),
            _ => return Error::new(ErrorKind::NotFinite, "a condition for an event has no value").at_time(t),
        };
        let text = condition.expression.text();
        Evaluated {
            owner,
            name,
            text,
            value,
        }
        .without_value(t)
    }

    /// Error for an expression that decides on an event and changes its sign through infinity.
    #[cold]
    pub(super) fn condition_with_pole(&self, guard: usize, t: f64) -> Error {
        let (name, condition) = match self.watch(guard) {
            Watch::Event(i) => (
                &self.model.events[i].name,
                self.model.condition(i).map(|(guard, _)| guard),
            ),
            Watch::Kink(i) => (&self.model.kinks[i].of, Some(&self.model.kinks[i].guard)),
            _ => return Error::new(ErrorKind::Event, "a guard changes its sign through infinity").at_time(t),
        };
        let text = condition.map_or("", |condition| condition.expression.text());
        let message = format!("`{text}` of \"{name}\" changes its sign through infinity: that is no zero");
        Error::new(ErrorKind::Event, message)
            .named(name.clone())
            .at_time(t)
            .advise("write the condition without a division by what becomes zero there: `a - b*c` instead of `a/b - c`")
    }

    fn offending_force(&self, at: At<Mode>, workspace: &Workspace) -> Option<(String, &'static str)> {
        let At { t, mode, x } = at;
        let (q, numbers) = (&x[self.positions()], &workspace.terms.numbers);
        let rates = self.model.coordinate_rates(q, &x[self.velocities()]);
        let mut scratch = crate::model::local::Scratch::default();
        let found = self.model.forces.iter().enumerate().find(|(index, force)| {
            let mut f = vec![0.0; q.len()];
            in_dimension!(self.model.dimension, D => force.add::<D>(t, q, &rates, numbers, &mut f, &mut scratch));
            mode.force_acts(*index) && f.iter().any(|value| !value.is_finite())
        });
        found.map(|(_, force)| (force.name.clone(), "the force"))
    }

    fn offending_constraint(&self, mode: &Mode, workspace: &Workspace) -> Option<(String, &'static str)> {
        let terms = &workspace.terms;
        let broken = |row: usize| {
            (terms.jacobian.row(row).values.iter())
                .chain([&terms.gamma[row], &terms.rate[row], &terms.c[row]])
                .any(|value| !value.is_finite())
        };
        let row = (0..mode.rows).find(|&row| broken(row))?;
        let owner = mode.offsets.partition_point(|&first| first <= row).checked_sub(1)?;
        Some((
            self.model.constraints[mode.constraints[owner]].name.clone(),
            "the constraint",
        ))
    }

    fn offending_coordinate(&self, x: &[f64], dx: &[f64]) -> (String, &'static str) {
        let index = x
            .iter()
            .zip(dx)
            .position(|(x, dx)| !x.is_finite() || !dx.is_finite())
            .unwrap_or(0);
        let (nq, nv) = (self.model.nq(), self.model.nv());
        let name = match index {
            i if i < nq => self.model.coordinates[i].name.as_str(),
            i if i < nq + nv => self.model.speed(i - nq).name,
            _ => "",
        };
        (name.to_string(), "the motion")
    }
}
