//! Derivatives from both sides where events at one instant have none in common: each direction selects an order of them, and
//! the order has a derivative (theory, 3).

use super::super::collect::jumps;
use super::super::experiment::Experiment;
use super::super::fit::FitData;
use super::super::recording::EventMark;
use super::super::undetermined::{add, beside};
use super::course::{Beside, Course};
use super::{GradientReport, Method, ObjectiveGradient};
use crate::assembly::Undetermined;
use crate::error::{Error, ErrorKind, Result};
use crate::hybrid::{At, HybridSystem, Observer};
use crate::linear::add_scaled;
use crate::mechanism::Started;
use crate::model::Mode;
use crate::scalar::shortest;
use crate::sensitivity::{ForwardMode, ForwardSystem};

/// Difference of two derivatives, over their size, up to which they are one.
const SAME: f64 = 1e-6;

/// The same over the largest effect of any parameter on the quantity.
const SAME_EFFECT: f64 = 1e-8;

/// Multiples of it lie apart from each other, over whole numbers.
const GOLDEN: f64 = 0.618;

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
    /// One derivative per objective; not a number for one whose value jumps to this side.
    pub slopes: Vec<f64>,
    /// Measured data with what the motion gives, each with one derivative.
    pub fits: Vec<FitData>,
    /// The events in the order of this side, with the derivatives of their times.
    pub events: Vec<(EventMark, f64)>,
}

impl Sides {
    /// The derivatives of an objective on both sides; not numbers where there are none.
    pub fn of(&self, objective: usize) -> [f64; 2] {
        self.both(|side| side.slopes[objective])
    }

    fn both(&self, derivative: impl Fn(&Side) -> f64) -> [f64; 2] {
        let of = |side: &std::result::Result<Side, String>| side.as_ref().map_or(f64::NAN, &derivative);
        self.sides.each_ref().map(of)
    }

    /// What an objective has in the place of a derivative by the parameter.
    pub fn reason(&self, objective: usize) -> String {
        let side = |k: usize| match &self.sides[k] {
            Ok(side) if side.slopes[objective].is_nan() => "none (the value jumps)".to_string(),
            Ok(side) => shortest(side.slopes[objective]),
            Err(reason) => format!("none ({reason})"),
        };
        match &self.sides {
            [Err(below), Err(above)] if below == above => below.clone(),
            _ => format!("{} below its value, {} above", side(0), side(1)),
        }
    }
}

/// The direction in the numbers of changes along these directions.
pub(in crate::run) fn combined(directions: &[Vec<f64>], changes: &[f64]) -> [Vec<f64>; 1] {
    let mut combined = vec![0.0; directions.first().map_or(0, Vec::len)];
    for (direction, change) in directions.iter().zip(changes) {
        add_scaled(&mut combined, *change, direction);
    }
    [combined]
}

/// The derivative that both sides have in common, if they have one, but for a difference that is nothing.
fn in_common([below, above]: [f64; 2], nothing: f64) -> Option<f64> {
    let same = (below - above).abs() <= SAME * below.abs().max(above.abs()) + nothing;
    same.then_some(0.5 * (below + above))
}

/// The derivatives of a quantity by each parameter, of this size, that both sides have in common; not numbers where they differ.
/// Effects on the quantity up to the floor are none.
fn common_gradient(sides: &[Sides], sizes: &[f64], floor: f64, derivative: impl Fn(&Side) -> f64) -> Vec<f64> {
    let both: Vec<[f64; 2]> = sides.iter().map(|sides| sides.both(&derivative)).collect();
    let effects = both
        .iter()
        .zip(sizes)
        .flat_map(|(both, size)| both.map(|slope| (slope * size).abs()));
    let effect = effects.filter(|effect| effect.is_finite()).fold(0.0, f64::max);
    let nothing = SAME_EFFECT * effect + floor;
    let slopes = both.into_iter().zip(sizes);
    slopes
        .map(|(both, size)| in_common(both, nothing / size).unwrap_or(f64::NAN))
        .collect()
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

    /// Gradients that hold in every direction of the parameters that are asked for: where events at one instant have none in
    /// common, those that both sides agree on.
    ///
    /// # Errors
    /// As [`Experiment::gradient`]; kind `Event`, with the names of the events, where the sides differ; kind `Assembly` for a
    /// parameter that cannot change alone.
    pub fn gradient_in_common(&self, method: Method, asked: impl Fn(&str) -> bool) -> Result<GradientReport> {
        let report = self.gradient_or_sides(method)?;
        report.refuse_undetermined(&asked)?;
        if let Some(refused) = &report.refused {
            self.refuse_parting(&report, refused, &asked)?;
            self.refuse_bent(&report, refused, &asked)?;
        }
        Ok(report)
    }

    /// Refuses parameters by which an objective that is wanted has another derivative on each side.
    fn refuse_parting(&self, report: &GradientReport, refused: &Error, asked: impl Fn(&str) -> bool) -> Result<()> {
        for (k, objective) in self.wanted_objectives() {
            for (p, parameter) in report.parameters.iter().enumerate().filter(|(_, name)| asked(name)) {
                if let Some(reason) = report.no_derivative(k, p) {
                    let name = &objective.name;
                    return Err(beyond(refused, &format!("\"{name}\" by `{parameter}`: {reason}")).named(parameter));
                }
            }
        }
        let points = report.fits.iter().flat_map(|fit| &fit.points);
        for (p, parameter) in report.parameters.iter().enumerate().filter(|(_, name)| asked(name)) {
            if let Some(point) = points.clone().find(|point| point.gradient[p].is_nan()) {
                let said = format!("\"{}\" by `{parameter}` differs from side to side", point.column);
                return Err(beyond(refused, &said).named(parameter));
            }
        }
        Ok(())
    }

    /// Derivatives along every parameter may be those of no plane: a direction between them tells.
    fn refuse_bent(&self, report: &GradientReport, refused: &Error, asked: impl Fn(&str) -> bool) -> Result<()> {
        let sizes = self.parameter_sizes();
        let mut change = vec![0.0; sizes.len()];
        for (k, _) in report.parameters.iter().enumerate().filter(|(_, name)| asked(name)) {
            let part = (GOLDEN * (k + 1) as f64).fract();
            change[k] = sizes[k] * if part < 0.5 { part - 1.0 } else { part };
        }
        if change.iter().filter(|change| **change != 0.0).count() < 2 {
            return Ok(());
        }
        let mut workspace = self.mechanism.workspace();
        let started = self.mechanism.start(self.start, &mut workspace)?;
        let own = self.own_course()?;
        for sign in [-1.0, 1.0] {
            let direction = combined(
                &self.directions(),
                &change.iter().map(|change| sign * change).collect::<Vec<_>>(),
            );
            let (side, _) = self.side(&started, (&direction, sign), &own, &mut ())?;
            for (k, objective) in self.wanted_objectives() {
                let shares = report.objectives[k].gradient.iter().zip(&change);
                let shares: Vec<f64> = shares
                    .filter(|(_, change)| **change != 0.0)
                    .map(|(a, b)| a * b)
                    .collect();
                let effect: f64 = shares.iter().map(|share| share.abs()).sum();
                let nothing = SAME_EFFECT * effect + self.floors()[k];
                if in_common([side.slopes[k], shares.iter().sum()], nothing).is_none() {
                    let said = format!("\"{}\" when several parameters change at once", objective.name);
                    return Err(beyond(refused, &said));
                }
            }
        }
        Ok(())
    }

    /// The derivatives from both sides by every parameter, where the gradient is refused with this error.
    fn by_sides(&self, method: Method, refused: Error) -> Result<GradientReport> {
        let mut workspace = self.mechanism.workspace();
        let started = self.mechanism.start(self.start, &mut workspace)?;
        let own = self.own_course()?;
        let mut undetermined = self.undetermined_at_start(&started);
        let mut sides = Vec::new();
        for (parameter, found) in self.mechanism.model.parameters.iter().enumerate() {
            let mut side = |sign: f64| -> Result<std::result::Result<Side, String>> {
                let direction = self.towards(parameter, sign);
                match self.side(&started, (&direction, sign), &own, &mut ()) {
                    Ok((side, later)) => {
                        add(&mut undetermined, later);
                        Ok(Ok(side))
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
                    Err(error) => Ok(Err(error.to_string())),
                }
            };
            sides.push(Sides {
                parameter,
                name: found.name.clone(),
                sides: [side(-1.0)?, side(1.0)?],
            });
        }
        let found = sides.iter().flat_map(|sides| &sides.sides).flatten();
        // Where the end is first on a side, that side has less.
        let Some(any) = found.max_by_key(|side| side.events.len()) else {
            return Err(beside(refused, &undetermined));
        };
        let any = Side {
            values: own.values.clone(),
            ..any.clone()
        };
        let mut report = self.report_of_sides(method, any, sides);
        report.refused = Some(refused);
        report.leave_out(undetermined);
        Ok(report)
    }

    fn report_of_sides(&self, method: Method, any: Side, sides: Vec<Sides>) -> GradientReport {
        let sizes = self.parameter_sizes();
        let names = self.mechanism.model.objectives.iter();
        let values = names
            .map(|objective| objective.name.clone())
            .zip(any.values.iter().copied())
            .collect();
        let floors = self.floors();
        let gradients =
            (0..any.values.len()).map(|k| common_gradient(&sides, &sizes, floors[k], |side| side.slopes[k]));
        let mut fits = any.fits;
        for (i, fit) in fits.iter_mut().enumerate() {
            for (j, point) in fit.points.iter_mut().enumerate() {
                let slope = |side: &Side| side.fits[i].points[j].gradient[0];
                let floor = self.mechanism.choices.atol * point.measured.abs();
                point.gradient = common_gradient(&sides, &sizes, floor, slope);
            }
        }
        GradientReport {
            objectives: ObjectiveGradient::of(values, gradients.collect()),
            events: any.events.into_iter().map(|(event, _)| (event, None)).collect(),
            fits,
            sides,
            ..self.report(method)
        }
    }

    /// The direction in the numbers towards smaller or greater values of a parameter.
    pub(in crate::run) fn towards(&self, parameter: usize, sign: f64) -> [Vec<f64>; 1] {
        combined(&self.directions()[parameter..=parameter], &[sign])
    }

    /// Derivatives along a direction, by a change of which it is this sign, with parameters that cannot change alone on the way;
    /// `own` is the motion without any change. An observer sees the motion with its sensitivity.
    ///
    /// # Errors
    /// Kind `Event` where the order of this side leads elsewhere than the motion without a change; else as the forward method.
    pub(in crate::run) fn side(
        &self,
        started: &Started,
        (direction, sign): (&[Vec<f64>; 1], f64),
        own: &Course,
        observer: &mut impl Observer<ForwardMode<Mode>>,
    ) -> Result<(Side, Vec<Undetermined>)> {
        let mut workspace = self.mechanism.workspace();
        let system = ForwardSystem::towards(&self.mechanism, direction);
        let mut beside = Beside::new(self, own);
        let watching = &mut (&mut beside, observer);
        let (report, finish) = self.forward_along(started, (&system, direction, false), &mut workspace, watching)?;
        beside.end(At::new(finish.t, &finish.mode.mode, &finish.x))?;
        let slope = |slopes: &[f64]| sign * slopes.first().copied().unwrap_or(f64::NAN) + 0.0;
        let mut fits = report.fits;
        for point in fits.iter_mut().flat_map(|fit| &mut fit.points) {
            point.gradient = vec![slope(&point.gradient)];
        }
        let (rtol, floors) = (self.options.tolerance.rtol(), self.floors());
        let slopes = report.objectives.iter().zip(&own.values).zip(floors);
        let side = Side {
            values: report.objectives.iter().map(|objective| objective.value).collect(),
            slopes: slopes
                .map(
                    |((objective, value), floor)| match jumps([objective.value, *value], (rtol, floor)) {
                        true => f64::NAN,
                        false => slope(&objective.gradient),
                    },
                )
                .collect(),
            fits,
            events: (report.events.into_iter())
                .map(|(event, slopes)| (event, slope(&slopes.unwrap_or_default())))
                .collect(),
        };
        Ok((side, report.undetermined))
    }
}

/// The error for derivatives that are asked for beyond what both sides have in common.
fn beyond(refused: &Error, said: &str) -> Error {
    let error = Error::new(ErrorKind::Event, format!("{}; {said}", refused.message()));
    let error = error.advise(refused.advice().unwrap_or("change a parameter a little"));
    match refused.time() {
        Some(t) => error.at_time(t),
        None => error,
    }
}
