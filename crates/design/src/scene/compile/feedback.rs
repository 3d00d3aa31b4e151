//! Numbers of forces that follow the motion. What their expressions name may stand further down in the scene: they are read
//! when everything has its quantities.

use super::Build;
use super::draft::Draft;
use super::signals::TIME;
use super::site::Site;
use crate::error::Result;
use crate::expression::{Expression, Variable};
use crate::model::Feedback;
use crate::model::function::Signal;
use crate::model::quantity::{Output, Quantity};
use crate::scene::schema::Number;

/// A number of a force that follows the motion, as written.
pub(super) struct Followed<'s> {
    number: usize,
    force: usize,
    /// Its name.
    label: String,
    text: &'s str,
    /// What some names mean that the force supplies.
    supplied: Vec<(&'static str, Quantity)>,
    site: Site<'s>,
    /// Whether the force acts from the start.
    active: bool,
}

/// What is known of a number that follows the motion while the others are put before it.
#[derive(Clone, Copy, PartialEq)]
enum Progress {
    Waiting,
    Begun,
    Done,
}

impl<'s> Build<'s> {
    /// A component of a load or a torque: a number, a function of time and memory, or a number that follows the motion.
    pub(super) fn applied(
        &mut self,
        number: &'s Number,
        label: String,
        site: &Site<'s>,
        draft: &mut Draft,
    ) -> Result<Signal> {
        let varies = |build: &Self, name: &str| build.is_read_off(name);
        match self.followed(number, varies, label.clone(), site, draft.active)? {
            Some(number) => Ok(Signal::Number(draft.number(number))),
            None => self.finite_signal(number, label, site, draft),
        }
    }

    /// The number of a field of a force that may follow the motion, or its default.
    pub(super) fn followed_or(
        &mut self,
        site: &Site<'s>,
        field: &str,
        number: Option<&'s Number>,
        draft: &mut Draft,
    ) -> Result<usize> {
        let Some(number) = number else {
            return Ok(draft.number(self.default(site, field, 0.0)));
        };
        let varies =
            |build: &Self, name: &str| name == TIME || build.memory_named(name).is_some() || build.is_read_off(name);
        let inner = site.at(field);
        let number = match self.followed(number, varies, inner.label(), &inner, draft.active)? {
            Some(number) => number,
            None => self.field(site, field, number)?,
        };
        Ok(draft.number(number))
    }

    /// Whether a name in an expression means an output or a quantity of the motion.
    fn is_read_off(&self, name: &str) -> bool {
        name.contains('.') || self.scene.outputs.get(name).is_some()
    }

    /// The number of an expression with a variable that varies; none for other values.
    fn followed(
        &mut self,
        number: &'s Number,
        varies: impl Fn(&Self, &str) -> bool,
        label: String,
        site: &Site<'s>,
        active: bool,
    ) -> Result<Option<usize>> {
        let Number::Text(text) = number else { return Ok(None) };
        let expression = site.expression(text)?;
        if !expression
            .variables()
            .iter()
            .any(|variable| varies(self, &variable.name))
        {
            return Ok(None);
        }
        Ok(Some(self.follower(text, label, Vec::new(), site, active)))
    }

    /// The tension of a nonlinear spring that reads more of the motion than what the spring supplies; none if it does not.
    pub(super) fn tension(
        &mut self,
        text: &'s str,
        expression: &Expression,
        supplied: &[(&'static str, Quantity)],
        site: &Site<'s>,
        draft: &mut Draft,
    ) -> Option<usize> {
        let own = |name: &str| supplied.iter().any(|(known, _)| *known == name);
        let mut names = expression.variables().iter().map(|variable| variable.name.as_str());
        let number = names
            .any(|name| !own(name) && self.is_read_off(name))
            .then(|| self.follower(text, site.label(), supplied.to_vec(), site, draft.active));
        number.map(|number| draft.number(number))
    }

    /// A number that follows the motion from now on.
    fn follower(
        &mut self,
        text: &'s str,
        label: String,
        supplied: Vec<(&'static str, Quantity)>,
        site: &Site<'s>,
        active: bool,
    ) -> usize {
        // Whoever reads it without giving it a value is found out.
        let number = self.numbers.constant(f64::NAN, label.clone());
        self.followed.push(Followed {
            number,
            force: self.model.forces.len(),
            label,
            text,
            supplied,
            site: site.clone(),
            active,
        });
        number
    }

    /// Reads what numbers of forces follow, once all quantities have names.
    pub(super) fn feedback(&mut self) -> Result<()> {
        let followed = std::mem::take(&mut self.followed);
        let mut values = Vec::new();
        for one in &followed {
            let value = self.output_with(one.text, &one.supplied, &one.site)?;
            self.refuse_dynamics(&value, one)?;
            values.push(value);
        }
        let mut order = Vec::new();
        let mut progress = vec![Progress::Waiting; followed.len()];
        for index in 0..followed.len() {
            self.put_after(index, &followed, &values, &mut progress, &mut order)?;
        }
        for index in order {
            let Followed {
                number,
                force,
                label,
                site,
                active,
                ..
            } = &followed[index];
            if let Some(value) = self
                .value_at_start(&values[index])
                .filter(|value| *active && !value.is_finite())
            {
                return Err(site
                    .error(format!("`{label}` is {value} at the start, but must be finite"))
                    .with_value(value)
                    .advise("give a value that is finite"));
            }
            let value = self.all_kinks_held(values[index].clone(), site)?;
            self.model.feedback.push(Feedback {
                number: *number,
                force: *force,
                value,
            });
        }
        Ok(())
    }

    /// Refuses accelerations and reactions, which follow from the forces themselves.
    fn refuse_dynamics(&self, value: &Output, Followed { label, site, .. }: &Followed) -> Result<()> {
        let found = value.arguments.iter().position(|quantity| match quantity {
            Quantity::Output(output) => self.model.outputs[*output].1.needs_dynamics(&self.model),
            quantity => quantity.needs_dynamics(),
        });
        let Some(found) = found else { return Ok(()) };
        let Variable { name, span } = &value.expression.variables()[found];
        let what = match &value.arguments[found] {
            Quantity::Output(_) => "reads an acceleration or a reaction, which",
            Quantity::Reaction(..) | Quantity::ContactForce(_) => "is a reaction, which",
            _ => "is an acceleration, which",
        };
        let message = format!("`{name}` {what} follows from the forces: `{label}` cannot follow it in turn");
        Err(site.error_inside(span.clone(), message).advise(
            "use positions, velocities, gaps, energies or forces of springs; for an acceleration or a reaction at an event, \
             let the event set a memory to it, or let a memory follow it with a `rate`",
        ))
    }

    /// Puts a number into the order, after those that it reads through the forces of springs.
    fn put_after(
        &self,
        index: usize,
        followed: &[Followed],
        values: &[Output],
        progress: &mut [Progress],
        order: &mut Vec<usize>,
    ) -> Result<()> {
        if progress[index] == Progress::Done {
            return Ok(());
        }
        let Followed { label, site, .. } = &followed[index];
        if std::mem::replace(&mut progress[index], Progress::Begun) == Progress::Begun {
            return site.refuse(
                format!("`{label}` follows a force that follows `{label}` in turn"),
                "let one of them use positions and velocities in the place of the force of the other",
            );
        }
        let forces: Vec<usize> = (values[index].quantities(&self.model))
            .filter_map(Quantity::force_read)
            .collect();
        for other in (0..followed.len()).filter(|&other| forces.contains(&followed[other].force)) {
            self.put_after(other, followed, values, progress, order)?;
        }
        progress[index] = Progress::Done;
        order.push(index);
        Ok(())
    }
}
