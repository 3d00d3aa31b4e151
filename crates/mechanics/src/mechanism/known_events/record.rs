//! The events of a motion, recorded while it is simulated.

use super::{Exit, KnownEvents, KnownJump, KnownPhase};
use crate::assembly::AssemblyTangent;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Differentiable, Happening, HybridSystem, JumpView};
use crate::mechanism::{FormulationChoice, Mechanism, Started, Workspace};
use crate::model::{Due, FitDatum, Matrix, Mode, Model, Occurrence, Term};

/// Why each objective is not a cost along known events, with those that its formulas name; none if it is.
pub fn not_along_events(model: &Model) -> Vec<Option<&'static str>> {
    let mut found = vec![None; model.objectives.len()];
    for objective in model.objective_order() {
        let of_term = |term: &Term| match term {
            Term::Peak { .. } => Some("extreme values over the motion have no second derivatives here"),
            _ => None,
        };
        let own = model.objectives[objective].terms.iter().find_map(of_term);
        found[objective] = own.or_else(|| model.named_by(objective).find_map(|named| found[named]));
    }
    found
}

/// Records the events of a simulation.
pub struct EventRecorder<'a> {
    mechanism: &'a Mechanism,
    workspace: Workspace,
    /// What strikes at the very start.
    opening: Vec<KnownJump>,
    at_start: Vec<Due>,
    phases: Vec<KnownPhase>,
    /// Events so far, by sum over events.
    counted: Vec<usize>,
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
            counted: vec![0; mechanism.model.event_sums.len()],
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
        check_slide(model, t, &started.mode)?;
        check_departure(&started.mode)?;
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
        let at = At::new(t, &started.mode, &started.x);
        let arrest = match self.mechanism.sticking(&started.mode).is_empty() {
            true => None,
            false => self.mechanism.arrest(at, &mut self.mechanism.workspace()).ok(),
        };
        let impacts = started.impacts.iter().chain(&arrest).map(|linearized| KnownJump {
            before: started.mode.clone(),
            after: started.mode.clone(),
            linearized: linearized.clone(),
            memory: started.x[self.mechanism.memory()].to_vec(),
            sums: Vec::new(),
            measured: Vec::new(),
        });
        self.opening.splice(0..0, impacts);
        let moves = |&number: &usize| !model.numbers[number].gradient.is_empty();
        let values = match self.phases.last() {
            // Values whose time follows parameters end a phase of their own, which no time passes after.
            Some(KnownPhase {
                exit:
                    Exit::Due {
                        t,
                        number: None,
                        values,
                    },
                ..
            }) if *t == over => {
                if end.1.iter().any(moves) {
                    return Err(at_once(over).advise("measure before the end, or let the duration be constant"));
                }
                values.clone()
            }
            _ => Vec::new(),
        };
        if !values.is_empty() {
            self.phases.pop();
        }
        self.phases.push(KnownPhase {
            mode,
            exit: Exit::End { values },
        });
        Ok(KnownEvents {
            mechanism: self.mechanism,
            started,
            assembly,
            metric: Matrix::metric(&model.units(&model.number_values())),
            opening: self.opening,
            at_start: self.at_start,
            phases: self.phases,
            parameters: model.parameters.iter().map(|parameter| parameter.value).collect(),
            over,
            end,
        })
    }

    /// Values are due at a time that the motion has just passed in a mode.
    ///
    /// # Errors
    /// Kind `Event` where they are due at the very time of an event.
    pub fn due(&mut self, t: f64, mode: &Mode, values: Vec<Due>) -> Result<()> {
        if t <= self.since {
            return Err(at_once(t).advise("leave it out, or take it a moment later"));
        }
        self.since = t;
        for (number, values) in self.by_number(values) {
            self.phases.push(KnownPhase {
                mode: mode.clone(),
                exit: Exit::Due { t, number, values },
            });
        }
        Ok(())
    }

    /// Values by the number that their time follows, those at constant times last.
    fn by_number(&self, values: Vec<Due>) -> Vec<(Option<usize>, Vec<Due>)> {
        let model = &self.mechanism.model;
        let number = |due: &Due| match *due {
            Due::Reading(reading) => Some(model.readings[reading].time).filter(|number| model.is_fed(*number)),
            Due::Datum(_) => None,
        };
        let (moving, fixed): (Vec<Due>, Vec<Due>) = values.into_iter().partition(|due| number(due).is_some());
        let mut found: Vec<_> = moving.into_iter().map(|due| (number(&due), vec![due])).collect();
        if !fixed.is_empty() {
            found.push((None, fixed));
        }
        found
    }

    /// Values are due at the very start.
    ///
    /// # Errors
    /// Kind `Event` where their time follows a parameter.
    pub fn due_at_start(&mut self, t: f64, values: Vec<Due>) -> Result<()> {
        if self
            .by_number(values.clone())
            .iter()
            .any(|(number, _)| number.is_some())
        {
            let message = "a value at the very start whose time follows a parameter has no second derivatives";
            return Err(Error::new(ErrorKind::Event, message)
                .at_time(t)
                .advise("take it at a constant time, or a moment later"));
        }
        self.at_start = values;
        Ok(())
    }

    /// An event happened, whose time was measured in these data.
    ///
    /// # Errors
    /// Kind `Event` where values were measured at that very time; whatever the derivatives of the jump report.
    pub fn jump(&mut self, jump: &JumpView<Mode>, measured: Vec<FitDatum>) -> Result<()> {
        check_slide(&self.mechanism.model, jump.t, jump.mode_after)?;
        let known = self.known_jump(jump, measured)?;
        match (jump.follows, self.phases.last_mut().map(|phase| &mut phase.exit)) {
            (true, Some(Exit::Event { jumps, .. })) => jumps.push(known),
            (true, _) => self.opening.push(known),
            (false, Some(Exit::Due { t, .. })) if *t == jump.t => {
                return Err(at_once(jump.t).advise("leave it out, or take it a moment later"));
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
        let sums = self.count(jump.happenings);
        Ok(KnownJump {
            before: jump.mode_before.clone(),
            after: jump.mode_after.clone(),
            linearized,
            memory: jump.after[mechanism.memory()].to_vec(),
            sums,
            measured,
        })
    }

    /// The sums over events that are taken at a jump, and how often; none before may be the last.
    fn count(&mut self, happenings: &[Happening]) -> Vec<(usize, usize)> {
        let mut sums = Vec::new();
        for (index, sum) in self.mechanism.model.event_sums.iter().enumerate() {
            let here = sum.count(happenings.iter().map(Happening::named));
            let share = sum.share(self.counted[index], here);
            self.counted[index] += here;
            if share == 0 {
                continue;
            }
            sums.push((index, share));
            if sum.occurrence == Some(Occurrence::Last) {
                let phases = self.phases.iter_mut().filter_map(|phase| match &mut phase.exit {
                    Exit::Event { jumps, .. } => Some(jumps),
                    Exit::Due { .. } | Exit::End { .. } => None,
                });
                let jumps = phases.flatten().chain(&mut self.opening);
                jumps.for_each(|known| known.sums.retain(|(other, _)| *other != index));
            }
        }
        sums
    }
}

/// A motion along a guard has no second derivatives here.
fn check_slide(model: &Model, t: f64, mode: &Mode) -> Result<()> {
    let Some(slide) = mode.slides.first() else {
        return Ok(());
    };
    let name = slide.name(model);
    let message = format!("\"{name}\" slides: there are no second derivatives of a motion along a guard");
    Err(Error::new(ErrorKind::Request, message)
        .named(name)
        .at_time(t)
        .advise("end before it, or use first derivatives"))
}

/// A start from a singular position has no second derivatives here.
fn check_departure(mode: &Mode) -> Result<()> {
    let Some(departure) = &mode.departure else {
        return Ok(());
    };
    let message = "the mechanism starts in a singular position: there are no second derivatives of that";
    Err(Error::new(ErrorKind::Request, message)
        .named(departure.joint.clone())
        .at_time(departure.t)
        .advise("start beside it, or use first derivatives"))
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

/// The error for values that are due where the motion has a kink.
fn at_once(t: f64) -> Error {
    Error::new(
        ErrorKind::Event,
        "values are taken at the very time of an event: there are no second derivatives of them",
    )
    .at_time(t)
}
