//! The course of a motion, recorded while it is simulated.

use super::{Course, Exit, Hop, Leg};
use crate::assembly::AssemblyTangent;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{HybridSystem, JumpView, Observer};
use crate::mechanism::{FormulationChoice, Mechanism, Started, Workspace};
use crate::model::{Mode, Objective, Term};

/// Why an objective is not the cost of a course; none if it is.
pub fn not_along_events(objective: &Objective) -> Option<&'static str> {
    objective.terms.iter().find_map(|term| match term {
        Term::Peak { .. } => Some("extreme values over the motion have no second derivatives here"),
        Term::Fit { .. } => Some("differences from measured data have no second derivatives here"),
        Term::Final { .. } | Term::Integral { .. } | Term::AtEvents { .. } => None,
    })
}

/// Records the events of a simulation.
pub struct CourseRecorder<'a> {
    mechanism: &'a Mechanism,
    workspace: Workspace,
    /// What strikes at the very start.
    opening: Vec<Hop>,
    legs: Vec<Leg>,
}

impl<'a> CourseRecorder<'a> {
    /// For a mechanism with exact constraints.
    ///
    /// # Errors
    /// Kind `Request` for a penalty.
    pub fn new(mechanism: &'a Mechanism) -> Result<Self> {
        if let FormulationChoice::Penalty(_) = mechanism.choices.formulation {
            let message = "second derivatives are those of exact constraints, not of a penalty";
            return Err(
                Error::new(ErrorKind::Request, message).advise("choose another formulation: `--formulation nullspace`")
            );
        }
        Ok(Self {
            mechanism,
            workspace: mechanism.workspace(),
            opening: Vec::new(),
            legs: Vec::new(),
        })
    }

    /// The course, from what the simulation began with and the mode in which it ended; it ends at a constant plus the sum of
    /// numbers.
    ///
    /// # Errors
    /// Kind `Request` for what has no second derivatives here; kind `Assembly` where the assembled state does not depend
    /// smoothly on the numbers.
    pub fn finish(mut self, t: f64, started: &'a Started, mode: Mode, end: (f64, Vec<usize>)) -> Result<Course<'a>> {
        let model = &self.mechanism.model;
        let needs_dynamics = started
            .written
            .iter()
            .flatten()
            .any(|written| written.assigned.needs_dynamics(model));
        if needs_dynamics || self.opening.iter().any(|hop| !hop.sums.is_empty()) {
            let message = "an event at the very start reads accelerations or counts for an objective: there are no second \
                           derivatives of that";
            return Err(Error::new(ErrorKind::Request, message)
                .at_time(t)
                .advise("let it happen a moment later"));
        }
        let (positions, velocities) = (self.mechanism.positions(), self.mechanism.velocities());
        let (q, v) = (&started.assembled[positions], &started.assembled[velocities]);
        let assembly = AssemblyTangent::new(model, t, q, v)?;
        if let Some(tangent) = &started.impact {
            let hop = Hop {
                before: started.mode.clone(),
                after: started.mode.clone(),
                tangent: tangent.clone(),
                memory: started.x[self.mechanism.memory()].to_vec(),
                sums: Vec::new(),
            };
            self.opening.insert(0, hop);
        }
        self.legs.push(Leg { mode, exit: Exit::End });
        Ok(Course {
            mechanism: self.mechanism,
            started,
            assembly,
            opening: self.opening,
            legs: self.legs,
            parameters: model.parameters.iter().map(|parameter| parameter.value).collect(),
            end,
        })
    }

    fn hop(&mut self, jump: &JumpView<Mode>) -> Result<Hop> {
        let mechanism = self.mechanism;
        let tangent = mechanism.prepare_jump(jump.t, jump.mode_before, jump.before, jump.fired, &mut self.workspace)?;
        let names = || jump.happenings.iter().map(|happening| happening.name.as_str());
        let sums = mechanism
            .model
            .event_sums
            .iter()
            .map(|sum| sum.count(names()))
            .enumerate();
        Ok(Hop {
            before: jump.mode_before.clone(),
            after: jump.mode_after.clone(),
            tangent,
            memory: jump.after[mechanism.memory()].to_vec(),
            sums: sums.filter(|(_, count)| *count > 0.0).collect(),
        })
    }
}

impl Observer<Mode> for CourseRecorder<'_> {
    fn jump(&mut self, jump: &JumpView<Mode>) -> Result<()> {
        let hop = self.hop(jump)?;
        match (jump.follows, self.legs.last_mut().map(|leg| &mut leg.exit)) {
            (true, Some(Exit::Event { hops, .. })) => hops.push(hop),
            (true, _) => self.opening.push(hop),
            (false, _) => self.legs.push(Leg {
                mode: jump.mode_before.clone(),
                exit: Exit::Event {
                    guard: jump.fired.first().copied().unwrap_or_default(),
                    t: jump.t,
                    hops: vec![hop],
                },
            }),
        }
        Ok(())
    }
}
