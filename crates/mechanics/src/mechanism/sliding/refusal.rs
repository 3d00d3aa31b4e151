//! What is said where a motion cannot slide.

use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, HybridSystem};
use crate::mechanism::jump::Request;
use crate::mechanism::{Mechanism, Workspace};
use crate::model::{Mode, Slide};

const HYSTERESIS: &str = "leave a gap between the sides (hysteresis): two events that set a memory, such as Rising(\"u - 1e-3\") \
                          and Falling(\"u + 1e-3\")";

/// Time over which the end of a slide is looked for, over the time.
const A_LITTLE: f64 = 1e-6;

impl Mechanism {
    /// Names of what changes on a guard, in quotes.
    fn names_on(&self, slide: &Slide) -> String {
        let kinks = slide.kinks.iter().map(|(kink, _)| &self.model.kinks[*kink].name);
        let events = slide.events.as_flattened().iter().map(|&i| &self.model.events[i].name);
        let mut names: Vec<String> = kinks.chain(events).map(|name| format!("\"{name}\"")).collect();
        names.dedup();
        names.join(" and ")
    }

    fn refusal(&self, slide: &Slide, t: f64, message: String) -> Error {
        self.refuse_slide(ErrorKind::Event, slide, t, message)
    }

    fn refuse_slide(&self, kind: ErrorKind, slide: &Slide, t: f64, message: String) -> Error {
        let name = slide.name(&self.model);
        Error::new(kind, message).named(name).at_time(t).advise(HYSTERESIS)
    }

    /// The least change decides whether the motion stays on the guard.
    #[cold]
    pub(super) fn verges(&self, slide: &Slide, t: f64) -> Error {
        let (name, names) = (slide.name(&self.model), self.names_on(slide));
        let message = format!(
            "the motion starts on the verge of leaving {names}, where both of its sides meet: it has no derivative"
        );
        let error = Error::new(ErrorKind::Event, message).named(name).at_time(t);
        error.advise("change a parameter a little, so that the motion either stays there or leaves")
    }

    /// Both sides lead away.
    #[cold]
    pub(super) fn parts(&self, slide: &Slide, t: f64) -> Error {
        let names = self.names_on(slide);
        let message = format!("both sides of {names} lead away from where it changes: the motion is not unique");
        self.refusal(slide, t, message)
    }

    /// Something is not linear in what is mixed.
    #[cold]
    pub(super) fn bends(&self, slide: &Slide, t: f64, what: &str) -> Error {
        let names = self.names_on(slide);
        let message = format!(
            "both sides of {names} lead back to it, and {what} is not linear in what changes there: the motion between them has \
             no one value of it"
        );
        self.refusal(slide, t, message)
    }

    /// The guard itself moves with memory that has a rate.
    #[cold]
    pub(super) fn slides_with_memory(&self, slide: &Slide, t: f64) -> Error {
        let names = self.names_on(slide);
        let message = format!(
            "both sides of {names} lead back to it, and it reads memory that has a rate: the motion cannot slide along it yet"
        );
        self.refusal(slide, t, message)
    }

    /// Another guard would be slid along, and the motion along both is not the only one.
    #[cold]
    pub(super) fn second(&self, first: &Slide, second: &Slide, t: f64) -> Error {
        let (one, other) = (self.names_on(first), self.names_on(second));
        let message = format!(
            "the motion would slide along {other} while it slides along {one}: along both at once it is not unique"
        );
        self.refusal(second, t, message)
    }

    /// The error for a motion that ends where it cannot slide on.
    pub(in crate::mechanism) fn end_of_slide(&self, at: At<Mode>, workspace: &mut Workspace) -> Option<Error> {
        let slide = at.mode.slides.first()?;
        let mut dx = vec![0.0; at.x.len()];
        let later = A_LITTLE * at.t.abs().max(1.0);
        let goes_on = self.flow(at, workspace, &mut dx).is_ok() && {
            let x: Vec<f64> = at.x.iter().zip(&dx).map(|(x, dx)| x + later * dx).collect();
            let there = At::new(at.t + later, at.mode, &x);
            self.evaluate_motion(there, false, workspace).is_ok()
        };
        (!goes_on).then(|| self.slides_no_more(slide, at.t))
    }

    /// The sides of a guard that is slid along lead back to it no longer, and the motion has left it to neither.
    #[cold]
    pub(super) fn slides_no_more(&self, slide: &Slide, t: f64) -> Error {
        let names = self.names_on(slide);
        let message = format!(
            "the motion slides along {names} up to here, where no side leads back any longer: it is not unique"
        );
        self.refuse_slide(ErrorKind::Singular, slide, t, message)
    }

    /// What is mixed may be set by nothing else.
    ///
    /// # Errors
    /// Kind `Event` where it is.
    pub(super) fn check_unset(&self, slide: &Slide, t: f64, request: &Request) -> Result<()> {
        let mixed = self.slots_of(slide);
        if !request.assignments.iter().any(|set| mixed.contains(&set.slot)) {
            return Ok(());
        }
        let names = self.names_on(slide);
        Err(self.refusal(
            slide,
            t,
            format!("an event sets the memory of {names} while the motion slides along them"),
        ))
    }

    /// Memory slots that are mixed.
    pub(super) fn slots_of(&self, slide: &Slide) -> Vec<usize> {
        let numbers = self.model.number_values();
        let mode = Mode::initial(&self.model);
        (0..slide.count(&self.model))
            .map(|k| slide.mixed(k, &self.model, &mode, &numbers).0)
            .collect()
    }

    /// Only forces and what is integrated may read what is mixed: a joint or a guard that did would have rates of its own.
    ///
    /// # Errors
    /// Kind `Event` where others do.
    pub(super) fn check_reading(&self, slide: &Slide, t: f64) -> Result<()> {
        let model = &self.model;
        let slots = self.slots_of(slide);
        let mut mixed: Vec<usize> = slots.iter().map(|&slot| model.memory_number(slot)).collect();
        for feedback in &model.feedback {
            if feedback.value.reads(model, &mixed) {
                mixed.push(feedback.number);
            }
        }
        let reads = |numbers: &[usize]| numbers.iter().any(|number| mixed.contains(number));
        let constraint =
            || (model.constraints.iter()).find_map(|other| reads(&other.local.numbers).then_some(&other.name));
        let body = || (model.bodies.iter()).find_map(|body| reads(&body.local.numbers).then_some(&body.name));
        let force = || {
            let switched = |&(i, _): &(usize, _)| self.is_one_sided(i) || model.hysteretic(i).is_some();
            let mut forces = model.forces.iter().enumerate().filter(switched);
            forces.find_map(|(_, force)| reads(&force.local.numbers).then_some(&force.name))
        };
        let kink = || {
            let others = |number: usize, own: usize| {
                if slide.has_kink(own) {
                    number != model.memory_number(model.kinks[own].slot)
                } else {
                    true
                }
            };
            (model.kinks.iter().enumerate()).find_map(|(i, kink)| {
                let numbers: Vec<usize> = mixed.iter().copied().filter(|&number| others(number, i)).collect();
                kink.guard.reads(model, &numbers).then_some(&kink.name)
            })
        };
        let event = || {
            (0..model.events.len()).find_map(|i| {
                let (condition, _) = model.condition(i)?;
                condition.reads(model, &mixed).then_some(&model.events[i].name)
            })
        };
        let reader = constraint().or_else(body).or_else(force).or_else(kink).or_else(event);
        let Some(reader) = reader else { return Ok(()) };
        let names = self.names_on(slide);
        let message = format!(
            "both sides of {names} lead back to it, and \"{reader}\" reads what changes there: the motion cannot slide"
        );
        Err(self.refusal(slide, t, message))
    }
}
