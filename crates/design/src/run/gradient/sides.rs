//! Derivatives from both sides where events at one instant have none in common: each direction selects an order of them, and
//! the order has a derivative (theory, 3).

use super::super::difference::parameter_size;
use super::super::experiment::Experiment;
use super::super::probe::RunMode;
use super::super::recording::EventMark;
use super::super::undetermined::{add, beside};
use super::{GradientReport, Method, ObjectiveGradient};
use crate::assembly::Undetermined;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, Finish, HybridSystem, JumpView, Observer};
use crate::linear::max_abs;
use crate::mechanism::{Mechanism, Started};
use crate::model::Mode;
use crate::scalar::shortest;
use crate::sensitivity::{ForwardMode, ForwardSystem};

/// Difference of two derivatives, over their size, up to which they are one.
const SAME: f64 = 1e-6;

/// The same over the largest effect of any parameter on the quantity.
const SAME_EFFECT: f64 = 1e-8;

/// Difference of two motions at an instant, over their sizes, that is rounding; and over the relative tolerance.
const SAME_MOTION: [f64; 2] = [1e-7, 1e3];

/// Derivatives by one parameter, towards smaller and towards greater values of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sides {
    /// Index of the parameter.
    pub parameter: usize,
    /// Its name.
    pub name: String,
    /// Below and above its value; why there is none where there is none.
    pub sides: [std::result::Result<Side, String>; 2],
}

/// Derivatives by one parameter on one side of its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// Values of the objectives.
    pub values: Vec<f64>,
    /// One derivative per objective.
    pub slopes: Vec<f64>,
    /// The events in the order of this side, with the derivatives of their times.
    pub events: Vec<(EventMark, f64)>,
}

impl Sides {
    /// The derivatives of an objective on both sides; not numbers where there are none.
    pub fn of(&self, objective: usize) -> [f64; 2] {
        let of = |side: &std::result::Result<Side, String>| {
            let slope = side.as_ref().ok().and_then(|side| side.slopes.get(objective));
            slope.copied().unwrap_or(f64::NAN)
        };
        [of(&self.sides[0]), of(&self.sides[1])]
    }

    /// The derivative of an objective that both sides have in common, if they have one: `effect` is the largest change of the
    /// objective by the size of a parameter, over the size of this parameter.
    fn in_common(&self, objective: usize, effect: f64) -> Option<f64> {
        let [below, above] = self.of(objective);
        let same = (below - above).abs() <= SAME * below.abs().max(above.abs()) + SAME_EFFECT * effect;
        same.then_some(0.5 * (below + above))
    }

    /// What an objective has in the place of a derivative by the parameter.
    pub fn reason(&self, objective: usize) -> String {
        let side = |k: usize| match &self.sides[k] {
            Ok(_) => shortest(self.of(objective)[k]),
            Err(reason) => format!("none ({reason})"),
        };
        match &self.sides {
            [Err(below), Err(above)] if below == above => below.clone(),
            _ => format!("{} below its value, {} above", side(0), side(1)),
        }
    }
}

impl Experiment {
    /// Gradients of all objectives by an exact method; where events at one instant are refused for want of a common derivative,
    /// the derivatives from both sides, and a gradient by the parameters whose sides agree.
    ///
    /// # Errors
    /// As [`Experiment::gradient`], where no side has a derivative.
    pub fn gradient_or_sides(&self, method: Method) -> Result<GradientReport> {
        match self.gradient(method) {
            Err(error) if error.kind() == ErrorKind::Event => self.by_sides(method, error),
            found => found,
        }
    }

    /// The derivatives from both sides by every parameter, where the gradient is refused with this error.
    fn by_sides(&self, method: Method, refused: Error) -> Result<GradientReport> {
        let mut workspace = self.mechanism.workspace();
        let started = self.mechanism.start(self.start, &mut workspace)?;
        let mut own = Course::default();
        let finish = self.observe(&mut own)?;
        own.end(At::new(finish.t, &finish.mode, &finish.x));
        let mut undetermined = self.undetermined_at_start(&started);
        let mut sides = Vec::new();
        for (parameter, found) in self.mechanism.model.parameters.iter().enumerate() {
            let mut side = |sign: f64| -> std::result::Result<Side, String> {
                let (side, later) = self
                    .side(&started, (parameter, sign), &own)
                    .map_err(|error| error.to_string())?;
                add(&mut undetermined, later);
                Ok(side)
            };
            let found_sides = [side(-1.0), side(1.0)];
            sides.push(Sides {
                parameter,
                name: found.name.clone(),
                sides: found_sides,
            });
        }
        let Some(any) = sides
            .iter()
            .flat_map(|sides| &sides.sides)
            .find_map(|side| side.as_ref().ok())
        else {
            return Err(beside(refused, &undetermined));
        };
        let mut report = self.report_of_sides(method, any.clone(), sides);
        report.refused = Some(refused);
        report.leave_out(undetermined);
        Ok(report)
    }

    fn report_of_sides(&self, method: Method, any: Side, sides: Vec<Sides>) -> GradientReport {
        let parameters = &self.mechanism.model.parameters;
        let sizes: Vec<f64> = (parameters.iter())
            .map(|parameter| parameter_size(parameter.value, parameter.bounds))
            .collect();
        let gradient = |objective: usize| -> Vec<f64> {
            let effects = (sides.iter().zip(&sizes))
                .map(|(sides, size)| sides.of(objective).map(|slope| (slope * size).abs()))
                .flat_map(|effects| effects.into_iter().filter(|effect| effect.is_finite()));
            let effect = effects.fold(0.0, f64::max);
            let slopes = sides.iter().zip(&sizes);
            slopes
                .map(|(sides, size)| sides.in_common(objective, effect / size).unwrap_or(f64::NAN))
                .collect()
        };
        let names = self.mechanism.model.objectives.iter();
        let values = names
            .map(|objective| objective.name.clone())
            .zip(any.values.iter().copied())
            .collect();
        GradientReport {
            objectives: ObjectiveGradient::of(values, (0..any.values.len()).map(gradient).collect()),
            events: any.events.into_iter().map(|(event, _)| (event, None)).collect(),
            sides,
            ..self.report(method)
        }
    }

    /// Derivatives by a parameter on one side of its value, with parameters that cannot change alone on the way; `own` is the
    /// motion without any change.
    ///
    /// # Errors
    /// Kind `Event` where the order of this side leads elsewhere than the motion without a change; else as the forward method.
    fn side(
        &self,
        started: &Started,
        (parameter, sign): (usize, f64),
        own: &Course,
    ) -> Result<(Side, Vec<Undetermined>)> {
        let mut workspace = self.mechanism.workspace();
        let direction = [self
            .directions()
            .swap_remove(parameter)
            .iter()
            .map(|slope| sign * slope)
            .collect()];
        let system = ForwardSystem::towards(&self.mechanism, &direction);
        let mut course = Course::default();
        let (report, finish) = self.forward_along(started, (&system, &direction), &mut workspace, &mut course)?;
        course.end(self.of_state(&finish));
        self.refuse_other_course(own, &course)?;
        let slope = |slopes: &[f64]| sign * slopes.first().copied().unwrap_or(f64::NAN) + 0.0;
        let side = Side {
            values: report.objectives.iter().map(|objective| objective.value).collect(),
            slopes: report
                .objectives
                .iter()
                .map(|objective| slope(&objective.gradient))
                .collect(),
            events: (report.events.into_iter())
                .map(|(event, slopes)| (event, slope(&slopes.unwrap_or_default())))
                .collect(),
        };
        Ok((side, report.undetermined))
    }

    /// Where a run with sensitivities ended, without these.
    fn of_state<'a>(&self, finish: &'a Finish<ForwardMode<Mode>>) -> At<'a, Mode> {
        At::new(finish.t, &finish.mode.mode, &finish.x[..self.mechanism.dimension()])
    }

    /// The motions in the order of a side must lead to where the motion itself goes: else it jumps there.
    fn refuse_other_course(&self, own: &Course, side: &Course) -> Result<()> {
        let mechanism: &Mechanism = &self.mechanism;
        let most = SAME_MOTION[0].max(SAME_MOTION[1] * self.options.tolerance.rtol());
        let states = mechanism.dynamic();
        for ((t, x), (_, other)) in own.places.iter().zip(&side.places) {
            let reach = |of: std::ops::Range<usize>| max_abs(&x[of]);
            let (q, v) = (reach(mechanism.positions()), reach(mechanism.velocities()));
            let size = |i: usize| {
                mechanism
                    .size(i)
                    .max(if mechanism.positions().contains(&i) { q } else { v })
            };
            if states.clone().any(|i| (x[i] - other[i]).abs() > most * size(i)) {
                return Err(leads_elsewhere(*t));
            }
        }
        match own.places.len() == side.places.len() {
            true => Ok(()),
            false => Err(leads_elsewhere(self.options.end)),
        }
    }
}

fn leads_elsewhere(t: f64) -> Error {
    Error::new(
        ErrorKind::Event,
        "one after the other these events lead elsewhere than at once: the motion jumps here",
    )
    .at_time(t)
}

/// Where a motion is after each instant with events, and at its end.
#[derive(Debug, Default)]
struct Course {
    places: Vec<(f64, Vec<f64>)>,
}

impl Course {
    fn end(&mut self, at: At<Mode>) {
        self.places.push((at.t, at.x.to_vec()));
    }
}

impl<M: RunMode> Observer<M> for Course {
    fn jump(&mut self, jump: &JumpView<M>) -> Result<()> {
        match self.places.last_mut() {
            Some((t, x)) if *t == jump.t => x.copy_from_slice(jump.after),
            _ => self.places.push((jump.t, jump.after.to_vec())),
        }
        Ok(())
    }
}
