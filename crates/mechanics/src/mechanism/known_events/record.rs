//! The events of a motion, recorded while it is simulated.

use super::{Exit, KnownEvents, KnownJump, KnownPhase};
use crate::assembly::AssemblyTangent;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Differentiable, HybridSystem, JumpView};
use crate::mechanism::{FormulationChoice, Mechanism, Started, Workspace};
use crate::model::{FitDatum, Mode, Model, Objective, Term};

/// Why an objective is not a cost along known events; none if it is.
pub fn not_along_events(objective: &Objective) -> Option<&'static str> {
    objective.terms.iter().find_map(|term| match term {
        Term::Peak { .. } => Some("extreme values over the motion have no second derivatives here"),
        Term::Final { .. } | Term::Integral { .. } | Term::AtEvents { .. } | Term::Fit { .. } => None,
    })
}

/// Records the events of a simulation.
pub struct EventRecorder<'a> {
    mechanism: &'a Mechanism,
    workspace: Workspace,
    /// What strikes at the very start.
    opening: Vec<KnownJump>,
    at_start: Vec<FitDatum>,
    phases: Vec<KnownPhase>,
    /// Time at which the phase begins that is being followed.
    since: f64,
}

impl<'a> EventRecorder<'a> {
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
            at_start: Vec::new(),
            phases: Vec::new(),
            since: f64::NEG_INFINITY,
        })
    }

    /// The known events, from what the simulation began with and when and in what mode it ended; it ends at a constant plus
    /// the sum of numbers.
    ///
    /// # Errors
    /// Kind `Request` for what has no second derivatives here; kind `Assembly` where the assembled state does not depend
    /// smoothly on the numbers.
    pub fn finish(
        mut self,
        (t, started): (f64, &'a Started),
        (over, mode): (f64, Mode),
        end: (f64, Vec<usize>),
    ) -> Result<KnownEvents<'a>> {
        let model = &self.mechanism.model;
        check_curvature(model)?;
        let needs_dynamics = started
            .written
            .iter()
            .flatten()
            .any(|written| written.assigned.needs_dynamics(model));
        if needs_dynamics
            || self
                .opening
                .iter()
                .any(|known| !known.sums.is_empty() || !known.measured.is_empty())
        {
            let message = "an event at the very start reads accelerations or counts for an objective: there are no second \
                           derivatives of that";
            return Err(Error::new(ErrorKind::Request, message)
                .at_time(t)
                .advise("let it happen a moment later"));
        }
        let (positions, velocities) = (self.mechanism.positions(), self.mechanism.velocities());
        let (q, v) = (&started.assembled[positions], &started.assembled[velocities]);
        let assembly = AssemblyTangent::new(model, t, q, v)?;
        let impacts = started.impacts.iter().map(|linearized| KnownJump {
            before: started.mode.clone(),
            after: started.mode.clone(),
            linearized: linearized.clone(),
            memory: started.x[self.mechanism.memory()].to_vec(),
            sums: Vec::new(),
            measured: Vec::new(),
        });
        self.opening.splice(0..0, impacts);
        let moves = |&number: &usize| !model.numbers[number].gradient.is_empty();
        let data = match self.phases.last() {
            Some(KnownPhase {
                exit: Exit::Measured { t, data },
                ..
            }) if *t == over => {
                if end.1.iter().any(moves) {
                    return Err(at_once(over).advise("measure before the end, or let the duration be constant"));
                }
                data.clone()
            }
            _ => Vec::new(),
        };
        if !data.is_empty() {
            self.phases.pop();
        }
        self.phases.push(KnownPhase {
            mode,
            exit: Exit::End { data },
        });
        Ok(KnownEvents {
            mechanism: self.mechanism,
            started,
            assembly,
            opening: self.opening,
            at_start: self.at_start,
            phases: self.phases,
            parameters: model.parameters.iter().map(|parameter| parameter.value).collect(),
            over,
            end,
        })
    }

    /// Values were measured at a time that the motion has just passed in a mode.
    ///
    /// # Errors
    /// Kind `Event` where they were measured at the very time of an event.
    pub fn measured(&mut self, t: f64, mode: &Mode, data: Vec<FitDatum>) -> Result<()> {
        if t <= self.since {
            return Err(at_once(t).advise("leave the row out, or measure a moment later"));
        }
        self.since = t;
        self.phases.push(KnownPhase {
            mode: mode.clone(),
            exit: Exit::Measured { t, data },
        });
        Ok(())
    }

    /// Values were measured at the very start.
    pub fn measured_at_start(&mut self, data: Vec<FitDatum>) {
        self.at_start = data;
    }

    /// An event happened, whose time was measured in these data.
    ///
    /// # Errors
    /// Kind `Event` where values were measured at that very time; whatever the derivatives of the jump report.
    pub fn jump(&mut self, jump: &JumpView<Mode>, measured: Vec<FitDatum>) -> Result<()> {
        let known = self.known_jump(jump, measured)?;
        match (jump.follows, self.phases.last_mut().map(|phase| &mut phase.exit)) {
            (true, Some(Exit::Event { jumps, .. })) => jumps.push(known),
            (true, _) => self.opening.push(known),
            (false, Some(Exit::Measured { t, .. })) if *t == jump.t => {
                return Err(at_once(jump.t).advise("leave the row out, or measure a moment later"));
            }
            (false, _) => self.phases.push(KnownPhase {
                mode: jump.mode_before.clone(),
                exit: Exit::Event {
                    guard: jump.fired.first().copied().unwrap_or_default(),
                    t: jump.t,
                    jumps: vec![known],
                },
            }),
        }
        self.since = jump.t;
        Ok(())
    }

    fn known_jump(&mut self, jump: &JumpView<Mode>, measured: Vec<FitDatum>) -> Result<KnownJump> {
        let mechanism = self.mechanism;
        let linearized = mechanism.linearize_jump(
            At::new(jump.t, jump.mode_before, jump.before),
            jump.fired,
            &mut self.workspace,
        )?;
        let names = || jump.happenings.iter().map(|happening| happening.name.as_str());
        let sums = mechanism
            .model
            .event_sums
            .iter()
            .map(|sum| sum.count(names()))
            .enumerate();
        Ok(KnownJump {
            before: jump.mode_before.clone(),
            after: jump.mode_after.clone(),
            linearized,
            memory: jump.after[mechanism.memory()].to_vec(),
            sums: sums.filter(|(_, count)| *count > 0.0).collect(),
            measured,
        })
    }
}

/// Numbers must have second derivatives.
fn check_curvature(model: &Model) -> Result<()> {
    for number in &model.numbers {
        let Some(&(i, j, bend)) = number.curvature.iter().find(|(.., bend)| !bend.is_finite()) else {
            continue;
        };
        let [first, second] = [i, j].map(|k| &model.parameters[k].name);
        let message = format!(
            "\"{}\" has no finite second derivative by `{first}` and `{second}`",
            number.name
        );
        return Err(Error::new(ErrorKind::NotFinite, message)
            .named(number.name.clone())
            .with_value(bend)
            .advise("move the parameter away from this value, or write the expression without the singular point"));
    }
    Ok(())
}

/// The error for values that were measured where the motion has a kink.
fn at_once(t: f64) -> Error {
    Error::new(
        ErrorKind::Event,
        "values were measured at the very time of an event: there are no second derivatives of them",
    )
    .at_time(t)
}
