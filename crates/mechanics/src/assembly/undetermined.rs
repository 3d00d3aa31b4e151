//! Parameters that cannot change alone: joints that depend on others, or on held values, open along every change of them, so
//! that no derivative by them exists (theory, 5.4).

use nalgebra::DVector;

use super::AssemblyTangent;
use super::change::{Change, OPENS};
use super::dependence::{Dependence, Rows};
use super::persistence::Persistence;
use super::redundancy::{BENDS, NEAR, Over, Redundancy, exceeds, sums};
use super::tangent::by_positions;
use crate::formulation::INDEPENDENCE;
use crate::model::{ContactState, FixedKink, Mode, Model, Parameter, Shared, Start};

/// Part of a row outside the others at a singular position that a motion passes: its time is known to the accuracy of the motion.
const PASSED: f64 = 1e-5;

/// Opening there, over the sizes of what it is the sum of, that the distance from the position explains.
const OPENS_PASSED: f64 = 1e-3;

/// What something does for other values of a parameter, on one side only, though not for this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verge {
    /// Friction slips.
    Slips(String),
    /// A contact lifts off.
    LiftsOff(String),
    /// A one-sided spring acts.
    Acts(String),
    /// An event fires at the start.
    Fires(String),
}

impl Verge {
    fn reason(&self) -> String {
        match self {
            Self::Slips(name) => {
                format!("\"{name}\" sticks by the most that it can hold, or by nothing, and slips for other values")
            }
            Self::LiftsOff(name) => {
                format!("\"{name}\" touches with no force to spare, and lifts off for other values")
            }
            Self::Acts(name) => format!("\"{name}\" is at the length where it begins to act, on one side only"),
            Self::Fires(name) => {
                format!(
                    "the condition of \"{name}\" is zero at the start: it fires for values on one side, and does not for this one"
                )
            }
        }
    }
}

/// A parameter by which nothing has a derivative, since it cannot change alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Undetermined {
    /// Index of the parameter.
    pub parameter: usize,
    /// Its name.
    pub name: String,
    /// Time at which the joints meet it.
    pub t: f64,
    /// The joints and bars that fit together for its value only.
    pub joints: Vec<String>,
    /// Coordinates that are held as well.
    pub held: Vec<String>,
    /// Coordinates whose velocities are held as well.
    pub held_velocities: Vec<String>,
    /// What the joints do for its value only, where they do not fit but are in a singular position.
    pub singular: Option<&'static str>,
    /// Whether the motion passes a singular position of the joints then, for its value only.
    pub passed: bool,
    /// The kink that an expression has at its value.
    pub kink: Option<FixedKink>,
    /// What begins to slip from rest, to which it gives a velocity.
    pub from_rest: Option<String>,
    /// What takes the velocity that it gives away at once at the start, and the objective that integrates what does so.
    pub taken: Option<[String; 2]>,
    /// What is struck where friction cannot take part, and rubs as soon as it grows from zero.
    pub struck: Option<String>,
    /// What the motion is on the verge of, which other values of it lead over.
    pub verge: Option<Verge>,
}

impl Undetermined {
    /// A parameter, without a reason.
    fn of(model: &Model, parameter: usize, t: f64) -> Self {
        Self {
            parameter,
            name: model.parameters[parameter].name.clone(),
            t,
            joints: Vec::new(),
            held: Vec::new(),
            held_velocities: Vec::new(),
            singular: None,
            passed: false,
            kink: None,
            from_rest: None,
            taken: None,
            struck: None,
            verge: None,
        }
    }

    /// A parameter that gives a velocity to what begins to slip from rest at this time.
    pub fn from_rest(model: &Model, parameter: usize, t: f64, name: &str) -> Self {
        Self {
            from_rest: Some(name.to_string()),
            ..Self::of(model, parameter, t)
        }
    }

    /// A parameter that gives a velocity, at this time, to what sticks, while an objective integrates forces or accelerations.
    pub fn taken(model: &Model, parameter: usize, t: f64, [name, objective]: [&str; 2]) -> Self {
        Self {
            taken: Some([name, objective].map(str::to_string)),
            ..Self::of(model, parameter, t)
        }
    }

    /// A parameter by which derivatives of this order are others on either side of its value.
    pub fn at_value(model: &Model, parameter: usize, t: f64, order: usize) -> Self {
        let kink = FixedKink {
            expression: model.parameters[parameter].name.clone(),
            order,
            objective: None,
        };
        Self::at_kink(model, parameter, t, kink)
    }

    /// A parameter that is a coefficient of friction of what is struck at this time without friction.
    pub fn struck(model: &Model, parameter: usize, t: f64, name: &str) -> Self {
        Self {
            struck: Some(name.to_string()),
            ..Self::of(model, parameter, t)
        }
    }

    /// A parameter that leads a motion over a verge that it is on until this time.
    pub fn on_verge(model: &Model, parameter: usize, t: f64, verge: Verge) -> Self {
        Self {
            verge: Some(verge),
            ..Self::of(model, parameter, t)
        }
    }

    /// A parameter that moves a motion off a kink that it stays on until this time.
    pub fn at_kink(model: &Model, parameter: usize, t: f64, kink: FixedKink) -> Self {
        Self {
            kink: Some(kink),
            ..Self::of(model, parameter, t)
        }
    }

    /// The parameters that an expression has a kink at where derivatives up to this order differ, at this time.
    pub fn at_kinks(model: &Model, t: f64, order: usize) -> Vec<Self> {
        // Objectives that were left out do not matter.
        let is_kept = |name: &String| model.objectives.iter().any(|objective| objective.name == *name);
        let counts = |kink: &&FixedKink| kink.order <= order && kink.objective.as_ref().is_none_or(is_kept);
        let lowest = |parameter: &Parameter| {
            let kinks = parameter.kinks.iter().filter(counts);
            kinks.min_by_key(|kink| kink.order).cloned()
        };
        let entry = |(index, parameter): (usize, &Parameter)| {
            Some(Self {
                kink: Some(lowest(parameter)?),
                ..Self::of(model, index, t)
            })
        };
        model.parameters.iter().enumerate().filter_map(entry).collect()
    }

    /// What to do about it.
    pub fn advice(&self) -> &'static str {
        match (&self.kink, &self.from_rest) {
            (Some(_), _) => "give it another value, or write the expression without a kink there",
            _ if self.passed => {
                "let all lengths and positions that keep the position singular follow from one parameter by expressions, or end the \
                 motion before it"
            }
            _ if self.struck.is_some() => {
                "write the friction of joints by `Preload`, or let what strikes follow `Restitution` or `Friction`"
            }
            _ if self.verge.is_some() => "give it another value, which takes the motion off there",
            _ if self.taken.is_some() => "write the velocity there as a number, or leave that objective out",
            (_, Some(_)) => "let it slip already at the start, or stick there until a load that grows lets it slip",
            _ => {
                "let all lengths and positions that have to fit follow from one parameter by expressions, or hold less at the start: \
                 `guess` instead of `at`, and no velocity that the joints determine"
            }
        }
    }

    /// What there is none of.
    pub fn what(&self) -> &'static str {
        match &self.kink {
            Some(kink) if kink.order > 1 => "a second derivative",
            _ => "a derivative",
        }
    }

    /// Why there is none.
    pub fn reason(&self) -> String {
        if let Some(FixedKink { expression, order, .. }) = &self.kink {
            return match order {
                1 => format!("`{expression}` has a kink at its value"),
                _ => format!("`{expression}` has other second derivatives on either side of its value"),
            };
        }
        if let Some(name) = &self.from_rest {
            return format!(
                "\"{name}\" begins to slip from rest at the start, and any velocity there decides its direction"
            );
        }
        if let Some([name, objective]) = &self.taken {
            return format!(
                "\"{name}\" sticks at the start and takes any velocity away at once, and what \"{objective}\" integrates may \
                 grow without bound there"
            );
        }
        if let Some(name) = &self.struck {
            return format!(
                "an impact acts on \"{name}\" at t = {:.6} s, which is possible only as long as its coefficient of friction is zero",
                self.t
            );
        }
        if let Some(verge) = &self.verge {
            return verge.reason();
        }
        let joints: Vec<String> = self.joints.iter().map(|name| format!("\"{name}\"")).collect();
        if self.passed {
            return format!(
                "the motion passes a singular position of {} at t = {:.6} s for this value only: a changed mechanism goes on there by \
                 another branch or not at all",
                joints.join(", "),
                self.t
            );
        }
        if let Some(what) = self.singular {
            return format!("at the start, in a singular position of {}, {what}", joints.join(", "));
        }
        let mut parts = vec![joints.join(", ")];
        if !self.held.is_empty() {
            parts.push(format!("the held {}", self.held.join(", ")));
        }
        if !self.held_velocities.is_empty() {
            parts.push(format!("the held velocities of {}", self.held_velocities.join(", ")));
        }
        let fit = if joints.len() + parts.len() > 2 { "fit" } else { "fits" };
        format!(
            "it cannot change alone: {} {fit} for this value only",
            parts.join(" with ")
        )
    }
}

/// Which numbers the constraints, and the positions and velocities at the start, read; memory among them.
fn read_by_assembly(model: &Model) -> Vec<bool> {
    let mut read = vec![false; model.numbers.len() + model.memory.len()];
    let constraints = model.constraints.iter();
    constraints.for_each(|constraint| constraint.local.numbers.iter().for_each(|&number| read[number] = true));
    for coordinate in &model.coordinates {
        if let Start::Number(number) = coordinate.start {
            read[number] = true;
        }
    }
    for number in model.speeds().filter_map(|speed| speed.held) {
        read[number] = true;
    }
    read
}

/// Combinations of rows that open along a change: to first order, and to second only.
#[derive(Default)]
struct Opening<'a> {
    first: Vec<&'a Dependence>,
    second: Vec<&'a Dependence>,
}

impl<'a> Opening<'a> {
    fn is_empty(&self) -> bool {
        self.first.is_empty() && self.second.is_empty()
    }

    fn all(&self) -> impl Iterator<Item = &'a Dependence> {
        self.first.iter().chain(&self.second).copied()
    }
}

impl Redundancy<'_> {
    /// Combinations of positions that open along a change by more than this share, to first order, or to second where the position is
    /// regular.
    fn opening(&self, change: &Change, opens: f64) -> Opening<'_> {
        if self.found.is_empty() {
            return Opening::default();
        }
        let rest = vec![0.0; self.rows.q.len()];
        let [held, bent] = [0, 1].map(|order| self.held(change, order));
        let (given, _) = self.rows.along(&change.direction(0, &held, &rest));
        let values = DVector::from_iterator(given.len(), given.iter().map(|row| -row.value));
        let q = self.placed(&self.least(&values), &held);
        let first = change.direction(0, &q, &rest);
        let (moved, _) = self.rows.along(&first);
        let second = self.rows.second(&first, &change.direction(1, &bent, &rest));
        let second = sums(&second, &moved, 1.0 / change.size);
        let mut opening = Opening::default();
        for (dependence, regular) in &self.found {
            if exceeds(dependence.of(&given), opens) {
                opening.first.push(dependence);
            } else if *regular && exceeds(dependence.of(&second), BENDS) {
                opening.second.push(dependence);
            }
        }
        opening
    }

    /// Derivative of the coordinates that are held at numbers; zero for the free ones.
    fn held(&self, change: &Change, order: usize) -> Vec<f64> {
        let coordinates = self.rows.model.coordinates.iter().enumerate();
        let slope = |(i, coordinate): (usize, &crate::model::Coordinate)| match coordinate.start {
            Start::Number(number) if self.free.binary_search(&i).is_err() => change.numbers[order][number],
            _ => 0.0,
        };
        coordinates.map(slope).collect()
    }

    /// Whether a combination that opens is about what the mechanism itself does, and not about what the start holds.
    fn is_own(&self, dependence: &Dependence) -> bool {
        dependence.coordinates(self.rows.terms).is_empty()
    }

    /// Parameters that open combinations by more than this share.
    fn judged(&self, opens: f64) -> Vec<Undetermined> {
        if self.found.is_empty() {
            return Vec::new();
        }
        let model = self.rows.model;
        let read = read_by_assembly(model);
        let judge = |parameter: usize| {
            let change = Change::of(model, parameter, None);
            if !change.reaches(&read) {
                return None;
            }
            let opening = self.opening(&change, opens);
            (!opening.is_empty()).then(|| self.blame(parameter, &change, &opening, |i| &model.coordinates[i].name))
        };
        (0..model.parameters.len()).filter_map(judge).collect()
    }

    /// The parameter with the joints to blame: those of the combinations, and where these open to second order only, those
    /// that it changes.
    fn blame<'n>(
        &self,
        parameter: usize,
        change: &Change,
        opening: &Opening,
        name: impl Fn(usize) -> &'n str,
    ) -> Undetermined {
        let Rows { model, mode, terms, .. } = self.rows;
        let uses = |&&index: &&usize| {
            let mut numbers = model.constraints[index].local.numbers.iter();
            !opening.second.is_empty() && numbers.any(|&i| change.numbers[0][i] != 0.0)
        };
        let taking_part = opening.all().flat_map(|dependence| dependence.joints(model, mode));
        let changed = mode.constraints.iter().filter(uses).copied();
        let mut joints = Vec::new();
        for index in taking_part.chain(changed) {
            push(&mut joints, &model.constraints[index].name);
        }
        let mut held = Vec::new();
        for i in opening.all().flat_map(|dependence| dependence.coordinates(terms)) {
            push(&mut held, name(i));
        }
        Undetermined {
            joints,
            held,
            ..Undetermined::of(model, parameter, self.rows.t)
        }
    }
}

fn push(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_string());
    }
}

impl AssemblyTangent<'_> {
    /// Parameters that cannot change alone at the start; `start` is the number that holds its time.
    pub fn undetermined(&self, start: usize) -> Vec<Undetermined> {
        let rates = self.model.coordinate_rates(&self.q, &self.v);
        let rows = |mode, terms| Rows {
            model: self.model,
            mode,
            t: self.t,
            q: &self.q,
            v: &rates,
            terms,
        };
        let (closing, terms) = &self.closing;
        let positions = Redundancy::new(
            rows(closing, terms),
            Over::Coordinates,
            self.positions.free.clone(),
            NEAR,
        );
        let velocities = Redundancy::new(
            rows(&self.mode, &self.terms),
            Over::Velocities,
            self.velocities.free.clone(),
            INDEPENDENCE,
        );
        if positions.found.is_empty() && velocities.found.is_empty() {
            return Vec::new();
        }
        let read = read_by_assembly(self.model);
        let singular = Persistence::new(self, &rates);
        let judge = |parameter: usize| {
            let change = Change::of(self.model, parameter, Some(start));
            if !change.reaches(&read) {
                return None;
            }
            let opening = positions.opening(&change, OPENS);
            if !opening.is_empty() {
                return Some(positions.blame(parameter, &change, &opening, |i| &self.model.coordinates[i].name));
            }
            let contradicted = self.contradicted(&velocities, parameter, &change);
            contradicted.or_else(|| self.ended(singular.as_ref()?, parameter, &change))
        };
        (0..self.model.parameters.len()).filter_map(judge).collect()
    }

    /// The parameter if the start by other values is not of the same kind.
    fn ended(&self, singular: &Persistence, parameter: usize, change: &Change) -> Option<Undetermined> {
        Some(Undetermined {
            singular: Some(singular.ends(change)?),
            joints: singular.joints(),
            ..Undetermined::of(self.model, parameter, self.t)
        })
    }

    /// The parameter if the velocities cannot follow it.
    fn contradicted(&self, velocities: &Redundancy, parameter: usize, change: &Change) -> Option<Undetermined> {
        let (dq, _) = self.along(change.t[0], &change.numbers[0]);
        let held = self.model.speeds();
        let dv: Vec<f64> = held
            .map(|speed| speed.held.map_or(0.0, |number| change.numbers[0][number]))
            .collect();
        let mut dv = self.model.coordinate_rates(&self.q, &dv);
        self.model.add_turned_rates(&dq, &self.v, &mut dv);
        let (_, rates) = velocities.rows.along(&change.direction(0, &dq, &dv));
        let opens = |(dependence, regular): &&(Dependence, bool)| {
            (*regular || !velocities.is_own(dependence)) && exceeds(dependence.of(&rates), OPENS)
        };
        let opening = Opening {
            first: velocities.found.iter().filter(opens).map(|(found, _)| found).collect(),
            second: Vec::new(),
        };
        if opening.is_empty() {
            return None;
        }
        let name = |j: usize| self.model.speed(j).name;
        let mut found = velocities.blame(parameter, change, &opening, name);
        found.held_velocities = std::mem::take(&mut found.held);
        Some(found)
    }
}

/// Parameters that cannot change alone in a mode during the motion. Nothing is claimed of joints that use memory or belong to
/// contacts, which follow what happened before.
pub fn undetermined_in(model: &Model, mode: &Mode, t: f64, q: &[f64], v: &[f64]) -> Vec<Undetermined> {
    with_redundancy(model, mode, (t, q, v), INDEPENDENCE, |positions| {
        positions.judged(OPENS)
    })
}

/// Parameters that take a motion off its branch at a singular position on its way (theory, 8.1): the rows that depend on each other
/// there, and not at a state of the motion beside it, do not close in a changed mechanism, which passes the place on another branch or
/// not at all. Both states have their time, positions and velocities.
pub fn lost_in_passing(
    model: &Model,
    mode: &Mode,
    there: (f64, &[f64], &[f64]),
    beside: (f64, &[f64], &[f64]),
) -> Vec<Undetermined> {
    let rank = with_redundancy(model, mode, beside, PASSED, |positions| positions.independent.len());
    let mut found = with_redundancy(model, mode, there, PASSED, |positions| {
        match positions.independent.len() < rank {
            true => positions.judged(OPENS_PASSED),
            false => Vec::new(),
        }
    });
    found.iter_mut().for_each(|found| found.passed = true);
    found
}

/// What the rows over all coordinates tell at a state, where those that depend on others are the ones up to a part of a unit row.
fn with_redundancy<T>(
    model: &Model,
    mode: &Mode,
    (t, q, v): (f64, &[f64], &[f64]),
    tolerance: f64,
    tell: impl FnOnce(&Redundancy) -> T,
) -> T {
    let mut own = mode.clone();
    own.contacts = Shared::new(ContactState::Open, own.contacts.len());
    let remembers = |group: usize| {
        let mut constraints = model.groups[group].constraints.iter();
        constraints.any(|&i| {
            model.constraints[i]
                .local
                .numbers
                .iter()
                .any(|&number| number >= model.memory_start())
        })
    };
    for (group, acts) in own.groups.iter_mut().enumerate() {
        *acts &= !remembers(group);
    }
    own.refresh(model);
    let (terms, closing, rates) = (
        by_positions(model, &own, t, [q, v]),
        own.closing(model),
        model.coordinate_rates(q, v),
    );
    let rows = Rows {
        model,
        mode: &closing,
        t,
        q,
        v: &rates,
        terms: &terms,
    };
    tell(&Redundancy::new(
        rows,
        Over::Coordinates,
        (0..q.len()).collect(),
        tolerance,
    ))
}
