//! Events: when they fire, what they switch and what they put into memory.

use super::Build;
use super::names::Element;
use super::site::Site;
use crate::error::Result;
use crate::expression::suggest;
use crate::model::{Assignment, Event, Reset, Switch, Trigger};
use crate::scene::schema::{self, Action, Joint, Number};

impl Build<'_> {
    pub(super) fn events(&mut self) -> Result<()> {
        for (name, event) in self.scene.events.iter() {
            let site = Site::new(self.file, "events").at(name);
            let trigger = self.trigger(&event.when, &site)?;
            let (mut actions, mut assignments, mut resets) = (Vec::new(), Vec::new(), Vec::new());
            for (k, action) in event.then.iter().enumerate() {
                let (target, on) = match action {
                    Action::Enable(target) => (target, true),
                    Action::Disable(target) => (target, false),
                    Action::Set(name, value) => {
                        assignments.push(self.assignment(name, value, &site.at("then").at(k))?);
                        continue;
                    }
                    Action::Reset(name, value) => {
                        let (reset, assignment) = self.reset(name, value, &resets, &site.at("then").at(k))?;
                        resets.push(reset);
                        assignments.push(assignment);
                        continue;
                    }
                };
                let switches = self.switches(target, &site.at("then").at(k).at(0))?;
                actions.extend(switches.into_iter().map(|switch| (switch, on)));
            }
            self.model.events.push(Event {
                name: name.to_string(),
                trigger,
                actions,
                assignments,
                resets,
                once: event.once,
            });
        }
        Ok(())
    }

    /// A coordinate or velocity that an event sets, with what goes into the memory of its value.
    fn reset(&mut self, name: &str, value: &Number, others: &[Reset], site: &Site) -> Result<(Reset, Assignment)> {
        let of = self.settable(name, &site.at(0))?;
        if others.iter().any(|other| other.of == of) {
            let message = format!("`{name}` is set twice by one event");
            return site.at(0).refuse(message, "set it once");
        }
        let slot = self.memory_slots(&[0.0]);
        let reset = Reset {
            name: name.to_string(),
            event: self.model.events.len(),
            of,
            slot,
        };
        let value = self.remembered(value, &site.at(1))?;
        Ok((reset, Assignment { slot, value }))
    }

    fn trigger(&mut self, when: &schema::Trigger, site: &Site) -> Result<Trigger> {
        let inner = site.at("when").at(0);
        let (text, direction) = match when {
            schema::Trigger::At(time) => {
                let name = format!("{}.time", site.element());
                return Ok(Trigger::At(self.numbers.read(time, name, &inner)?));
            }
            schema::Trigger::Rising(text) => (text, 1),
            schema::Trigger::Falling(text) => (text, -1),
            schema::Trigger::Crossing(text) => (text, 0),
        };
        let guard = self.output(text, &inner)?;
        if !self.varies(&guard) {
            let message = format!("`{text}` never changes between events, so it cannot cross zero");
            return inner.refuse(message, "use a quantity of the motion or the time `t`");
        }
        Ok(Trigger::Crossing { guard, direction })
    }

    /// What an action on the named element switches.
    fn switches(&self, name: &str, site: &Site) -> Result<Vec<Switch>> {
        match self.names.get(name) {
            Some(Element::Joint(index)) => {
                let joint = self.scene.joints.0.get(index);
                if let (false, Some((_, Joint::PointOnLine(_)))) = (self.is_planar(), joint) {
                    return site.refuse(
                        "a `PointOnLine` in space cannot be switched: nothing would determine the place along its line \
                         while it is off",
                        "use two `PointOnPlane` joints in its place",
                    );
                }
                Ok(vec![Switch::Group(self.joints[index])])
            }
            Some(Element::Force(index)) => Ok(vec![Switch::Force(index)]),
            other => {
                let contacts = self.contacts_named(name);
                if !contacts.is_empty() {
                    return Ok(contacts.into_iter().map(Switch::Contact).collect());
                }
                let message = match other {
                    Some(element) => format!("`{name}` is {}, which cannot be switched", element.described()),
                    None => format!("there is no joint, force or contact `{name}`"),
                };
                let names = self.names.those(|element| !element.is_place());
                let names = names.chain(self.parts_of_contacts());
                site.refuse(message, suggest(name, names, "joints, forces and contacts"))
            }
        }
    }
}
