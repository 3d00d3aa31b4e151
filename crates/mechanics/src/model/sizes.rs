//! Characteristic sizes of a mechanism, by which tolerances and rounding are measured: the same mechanism in other units has
//! the same digits.

mod memory;

use std::ops::Range;

use super::body::BodyKind;
use super::constraint::ConstraintKind;
use super::local::Local;
use super::marker::{Marker, difference, norm};
use super::quantity::{Motion, Output};
use super::{CoordinateKind, Mode, Model, Start, Term, Terms};

/// States at which the size of an expression is looked for.
const SAMPLES: usize = 4;

/// Halvings of a length over which forces are said to push; between any two that are worth asking for.
const HALVINGS: usize = 200;

/// Changes of the largest number by itself that a direction in the numbers is at most.
const MOST_ALONG: f64 = 10.0;

/// Arm over the radius of gyration below which a body turns about itself, and over the extent below which it is rounding.
const SHORT_ARM: f64 = 1e-3;
const ROUNDED_ARM: f64 = 1e-12;

/// Extent of what is so large that squares of lengths overflow.
const LARGEST: f64 = 1e300;

/// A length and a speed; angles and fractions are of size one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizes {
    /// Metres.
    pub length: f64,
    /// Metres per second.
    pub speed: f64,
}

impl Sizes {
    /// A mechanism of one metre that moves at one metre per second.
    pub const UNIT: Self = Self {
        length: 1.0,
        speed: 1.0,
    };

    /// Sizes of a model where its assembly starts: the extent of what it joins and the widest gap, or what it moves by or turns about
    /// where these are at one place, and the speed that it has
    /// or that its forces give it over this length or within this duration.
    pub fn of(model: &Model, t: f64, duration: f64) -> Self {
        let (mode, mut terms) = (Mode::initial(model), Terms::new(model));
        let q = model.guesses(&terms.numbers);
        let held = |speed: super::Speed| speed.held.map_or(0.0, |number| terms.numbers[number]);
        let v: Vec<f64> = model.speeds().map(held).collect();
        model.assemble(t, &q, &v, &mode, &mut terms);
        let reached = |length: f64| {
            let speed = model.largest(&v, length).max(terms.driven(&mode, model, length));
            (speed, terms.push(model, length))
        };
        let (speed, pushed) = reached(0.0);
        let places = largest(&q, model.position_kinds(), 0.0);
        // Places that differ by rounding are one.
        let extent = model.extent(&q, &terms.numbers);
        let length = if extent > 64.0 * f64::EPSILON * places && extent.is_finite() {
            Some(extent)
        } else {
            let free = model.free_length((t, &q, &v), [speed, pushed], duration);
            [free.max(model.gyration(&terms)), places]
                .into_iter()
                .find(|length| *length > 0.0 && length.is_finite())
        };
        let length = length.unwrap_or(1.0);
        let (speed, pushed) = reached(length);
        let fallen = (pushed * length).sqrt().min(pushed * duration);
        let speed = [speed.max(fallen), length / duration, length];
        let speed = speed.into_iter().find(|speed| *speed > 0.0 && speed.is_finite());
        Self {
            length,
            speed: speed.unwrap_or(1.0),
        }
    }

    /// Size of a coordinate.
    pub fn position(&self, kind: CoordinateKind) -> f64 {
        match kind {
            CoordinateKind::Length => self.length,
            CoordinateKind::Angle | CoordinateKind::Fraction | CoordinateKind::Quaternion => 1.0,
        }
    }

    /// Size of the velocity of a coordinate.
    pub fn velocity(&self, kind: CoordinateKind) -> f64 {
        self.position(kind) * self.speed / self.length
    }

    /// Sizes of the integrals of a model: of the integrands, at states of these sizes, times the time of this motion.
    pub fn integrals(&self, model: &Model, t: f64, duration: f64) -> Vec<f64> {
        let time = duration.min(self.length / self.speed);
        let sizes = self.values(model, (t, duration), &model.integrands.iter().collect::<Vec<_>>());
        let sizes = sizes.into_iter().map(|size| size * time);
        sizes.map(|size| if size > 0.0 { size } else { 1.0 }).collect()
    }

    /// Sizes of the objectives of a model: of what they are read off, at states of these sizes.
    pub fn objectives(&self, model: &Model, t: f64, duration: f64) -> Vec<f64> {
        let integrals = self.integrals(model, t, duration);
        let of = |output: &Output| self.values(model, (t, duration), &[output])[0];
        let term = |term: &Term| match term {
            Term::Final { value, .. } => of(value),
            Term::Integral { integrand, .. } => integrals[*integrand],
            Term::AtEvents { sum, .. } => of(&model.event_sums[*sum].value),
            Term::Peak { peak, .. } => of(&model.peaks[*peak].value),
            Term::At { reading, .. } => of(&model.readings[*reading].value),
            Term::Fit { fit, .. } => {
                let data = model.fits[*fit].data.iter();
                data.map(|datum| datum.weight * datum.measured.powi(2)).sum()
            }
            Term::Formula { .. } => 0.0,
        };
        let sizes = model.objective_values(&model.number_values(), |found| term(found));
        let size = |size: f64| if size.is_finite() { size.abs() } else { 0.0 };
        sizes.into_iter().map(size).collect()
    }

    /// The largest values of expressions at states of these sizes, at times from a start on.
    fn values(&self, model: &Model, span: (f64, f64), outputs: &[&Output]) -> Vec<f64> {
        let mut sizes = vec![0.0; outputs.len()];
        self.sample(
            model,
            span,
            |_, _| {},
            |motion, mode| {
                for (size, output) in sizes.iter_mut().zip(outputs) {
                    let value = output.evaluate(model, mode, motion).abs();
                    if value.is_finite() {
                        *size = f64::max(*size, value);
                    }
                }
            },
        );
        sizes
    }

    /// Takes what there is to see at states of these sizes, at times from a start on, with the numbers changed for each.
    fn sample(
        &self,
        model: &Model,
        (start, duration): (f64, f64),
        change: impl Fn(usize, &mut [f64]),
        mut take: impl FnMut(&Motion<f64>, &Mode),
    ) {
        let (mode, mut terms) = (Mode::initial(model), Terms::new(model));
        let units = model.leverage(&mut terms);
        for sample in 0..SAMPLES {
            change(sample, &mut terms.numbers);
            let t = start + duration * sample as f64 / SAMPLES as f64;
            let share = |k: usize| (((sample + 1) * (3 * k + 2)) as f64).sin();
            let size = |power: i32, k: usize, kind: CoordinateKind| {
                let rate = (self.speed / self.length).powi(power);
                share(k + power as usize) * self.position(kind) * rate
            };
            let mut q = model.guesses(&terms.numbers);
            for (k, (slot, kind)) in q.iter_mut().zip(model.position_kinds()).enumerate() {
                *slot += size(0, k, kind);
            }
            let rates = |power: i32| -> Vec<f64> {
                let kinds = model.velocity_kinds().enumerate();
                kinds.map(|(k, kind)| size(power, k, kind)).collect()
            };
            let (v, a) = (rates(1), rates(2));
            model.assemble(t, &q, &v, &mode, &mut terms);
            // Of rows over angles alone they are torques.
            let forces = terms.force.iter().zip(&units).map(|(force, unit)| (force * unit).abs());
            let force = forces.fold(0.0, f64::max);
            let row = |row: usize| {
                let moved = terms.jacobian.row(row).entries();
                let moved = moved.map(|(j, entry)| (entry * units[j]).abs());
                force / moved.fold(f64::MIN_POSITIVE, f64::max)
            };
            let motion = Motion {
                t,
                q: &q,
                v: &v,
                a: &a,
                lambda: &(0..mode.rows).map(row).collect::<Vec<f64>>(),
                numbers: &terms.numbers,
                frames: &model.frames,
            };
            take(&motion, &mode);
        }
    }
}

impl Model {
    /// How far a speed and an acceleration by forces lead within a duration where nothing holds the mechanism. A force that the
    /// motion feeds back does not push over all of it: where its work is more than twice that of the push at the start and the
    /// energy there, the motion has turned round.
    fn free_length(&self, start: (f64, &[f64], &[f64]), [speed, pushed]: [f64; 2], duration: f64) -> f64 {
        let mut free = f64::max(speed * duration, 0.5 * pushed * duration * duration);
        let turns = |free: f64| {
            let push = self.push_after([free, speed.hypot((2.0 * pushed * free).sqrt())], start);
            push * free > 2.0 * pushed * free + speed * speed
        };
        for _ in 0..HALVINGS {
            free *= if turns(free) { 0.5 } else { break };
        }
        free
    }

    /// The radius at which the largest mass has the largest moment of inertia; zero without either.
    fn gyration(&self, terms: &Terms) -> f64 {
        let [mut mass, mut inertia] = [0.0, 0.0];
        for (i, kind) in self.velocity_kinds().enumerate() {
            let largest = match kind {
                CoordinateKind::Length => &mut mass,
                _ => &mut inertia,
            };
            *largest = f64::max(*largest, terms.mass.row(i).entry(i));
        }
        if mass > 0.0 { (inertia / mass).sqrt() } else { 0.0 }
    }

    /// What forces accelerate the whole by after a motion over a length, to either side, at a speed.
    fn push_after(&self, [length, speed]: [f64; 2], (t, q, v): (f64, &[f64], &[f64])) -> f64 {
        let moved = |(value, kind): (&f64, CoordinateKind), by: f64| match kind {
            CoordinateKind::Length => value + by,
            _ => *value,
        };
        let (mode, mut terms) = (Mode::initial(self), Terms::new(self));
        let mut push = 0.0;
        for side in [1.0, -1.0] {
            let q = q.iter().zip(self.position_kinds());
            let q: Vec<f64> = q.map(|at| moved(at, side * length)).collect();
            let v = v.iter().zip(self.velocity_kinds());
            let v: Vec<f64> = v.map(|at| moved(at, side * speed)).collect();
            self.assemble(t, &q, &v, &mode, &mut terms);
            push = f64::max(push, terms.push(self, 0.0));
        }
        push
    }

    /// The change along a direction in the numbers that changes the numbers by what they are: the largest for those that are not
    /// zero, one where all are. A number whose slope is next to nothing, as sin(x) at pi/2, asks for no more than some times what
    /// changes the largest number by itself at the largest slope.
    pub fn direction_size(&self, direction: impl Iterator<Item = (usize, f64)>) -> f64 {
        let (mut largest, mut greatest, mut fastest) = (0.0, 0.0, 0.0);
        for (number, slope) in direction.filter(|(_, slope)| *slope != 0.0) {
            let value = self.numbers[number].value;
            largest = f64::max(largest, (value / slope).abs());
            greatest = f64::max(greatest, value.abs());
            fastest = f64::max(fastest, slope.abs());
        }
        let size = f64::min(largest, MOST_ALONG * greatest / fastest);
        if size > 0.0 { size } else { 1.0 }
    }

    /// Positions where sizes are measured: those where the assembly starts, zero for those that follow from others; or those that it
    /// leads to, where these are far off.
    pub(crate) fn guesses(&self, numbers: &[f64]) -> Vec<f64> {
        let start = |coordinate: &super::Coordinate| match coordinate.start {
            Start::Number(number) => numbers[number],
            _ => 0.0,
        };
        let guess = |coordinate: &super::Coordinate| coordinate.measured.unwrap_or_else(|| start(coordinate));
        self.coordinates.iter().map(guess).collect()
    }

    /// Measures sizes at these positions, which guesses are far from.
    pub fn measure_at(&mut self, q: &[f64]) {
        for (coordinate, &value) in self.coordinates.iter_mut().zip(q) {
            coordinate.measured = Some(value);
        }
    }

    /// Sizes of what the velocities are rates of where the assembly starts, to powers of two so that scaling by them rounds
    /// nothing: about the extent of the mechanism for lengths, one for angles.
    pub fn units(&self, numbers: &[f64]) -> Vec<f64> {
        let extent = self.extent(&self.guesses(numbers), numbers);
        let sizes = Sizes {
            length: if extent > 0.0 {
                extent.log2().round().exp2()
            } else {
                1.0
            },
            speed: 1.0,
        };
        self.velocity_kinds().map(|kind| sizes.position(kind)).collect()
    }

    /// Angular velocities by body: the three of each one in space, and each of all others.
    fn turns_together(&self, is_length: &[bool]) -> Vec<Range<usize>> {
        let spins = self.bodies.iter().filter_map(|body| match &body.kind {
            BodyKind::Solid(solid) => Some(solid.velocity + 3..solid.velocity + 6),
            _ => None,
        });
        let spins: Vec<_> = spins.collect();
        let alone = (0..self.nv()).filter(|&j| !is_length[j] && !spins.iter().any(|spin| spin.contains(&j)));
        let alone: Vec<_> = alone.map(|j| j..j + 1).collect();
        spins.into_iter().chain(alone).collect()
    }

    /// Sizes of velocities that move the same places as far, to powers of two: one for lengths, and for an angle one over its arm where
    /// the assembly starts. That is the arm with which rows turn it, or the radius of gyration of its body; where it has neither, the
    /// mean of the others. A body in space has one arm, the longest, whichever way it lies. Assembles the constraints.
    pub fn leverage(&self, terms: &mut Terms) -> Vec<f64> {
        let (mode, rest) = (Mode::initial(self), vec![0.0; self.nv()]);
        let q = self.guesses(&terms.numbers);
        self.assemble_constraints(0.0, &q, &rest, &mode, terms);
        let mass = self.mass(&q, &terms.numbers);
        let is_length: Vec<bool> = self
            .velocity_kinds()
            .map(|kind| kind == CoordinateKind::Length)
            .collect();
        let rounding = (ROUNDED_ARM * self.extent(&q, &terms.numbers)).powi(2);
        let known = |square: &f64| *square > rounding && square.is_finite();
        let mut squares = rest;
        for row in (0..mode.rows).map(|row| terms.jacobian.row(row)) {
            let lengths = row.entries().filter(|&(j, _)| is_length[j]);
            let moved: f64 = lengths.map(|(_, entry)| entry * entry).sum();
            let turned = row.entries().filter(|&(j, _)| moved > 0.0 && !is_length[j]);
            turned.for_each(|(j, entry)| squares[j] += entry * entry / moved);
        }
        let gyration = |j: usize| {
            let lengths = mass.row(j).columns.iter().filter(|&&l| is_length[l]);
            let heaviest = lengths.map(|&l| mass.row(l).entry(l)).fold(0.0, f64::max);
            mass.row(j).entry(j) / heaviest
        };
        for turns in self.turns_together(&is_length) {
            let most = |square: &dyn Fn(usize) -> f64| turns.clone().map(square).fold(0.0, f64::max);
            let [arm, gyration] = [most(&|j| squares[j]), most(&gyration)];
            let is_short = !known(&arm) || arm < SHORT_ARM * SHORT_ARM * gyration;
            squares[turns].fill(if is_short && gyration.is_finite() {
                gyration
            } else {
                arm
            });
        }
        let turns = || {
            squares
                .iter()
                .zip(&is_length)
                .filter(|(square, is_length)| !**is_length && known(square))
        };
        let count = turns().count();
        let others = match count {
            0 => self.extent_at_guesses().powi(2),
            _ => turns().map(|(square, _)| square).sum::<f64>() / count as f64,
        };
        let size = |(square, is_length): (&f64, &bool)| {
            let square = if known(square) { *square } else { others };
            if *is_length {
                1.0
            } else {
                (-0.5 * square.log2()).round().exp2()
            }
        };
        squares.iter().zip(&is_length).map(size).collect()
    }

    /// The largest of values that belong to velocities, an angle as the length that it moves at this radius.
    pub fn largest(&self, values: &[f64], radius: f64) -> f64 {
        largest(values, self.velocity_kinds(), radius)
    }

    /// The largest of values that belong to coordinates: of lengths, and of angles and fractions; at least these.
    pub fn spread(&self, values: &[f64], least: [f64; 2]) -> [f64; 2] {
        spread(values, self.position_kinds(), least)
    }

    /// The same of values that belong to velocities.
    pub fn spread_of_rates(&self, values: &[f64], least: [f64; 2]) -> [f64; 2] {
        spread(values, self.velocity_kinds(), least)
    }

    /// The largest change that changes of lengths, and of angles and fractions, by this much give to a row over the
    /// coordinates.
    pub fn reach(&self, row: impl Iterator<Item = (usize, f64)>, sizes: [f64; 2]) -> f64 {
        reach(row, |i| self.coordinates[i].kind, sizes)
    }

    /// The same of a row over the velocities.
    pub fn reach_of_rates(&self, row: impl Iterator<Item = (usize, f64)>, sizes: [f64; 2]) -> f64 {
        reach(row, |j| self.speed(j).kind, sizes)
    }

    /// Extent where the assembly starts; one where the model has none.
    pub fn extent_at_guesses(&self) -> f64 {
        let numbers = self.number_values();
        let extent = self.extent(&self.guesses(&numbers), &numbers);
        if extent > 0.0 { extent } else { 1.0 }
    }

    /// Diagonal of the box around all points and bodies and what is joined with them, and the widest gap.
    pub fn extent(&self, q: &[f64], numbers: &[f64]) -> f64 {
        let extent = in_dimension!(self.dimension, D => self.extent_in::<D>(q, numbers));
        // Places that differ by rounding are one.
        let rounding = 64.0 * f64::EPSILON * largest(q, self.position_kinds(), 0.0);
        if extent > rounding { extent } else { 0.0 }
    }

    fn extent_in<const D: usize>(&self, q: &[f64], numbers: &[f64]) -> f64 {
        let (mut least, mut most, mut widest) = ([f64::INFINITY; D], [f64::NEG_INFINITY; D], 0.0);
        let mut place = |marker: &Marker, local: &Local| {
            let (q, numbers) = (local.gather::<f64>(q), local.gather_numbers::<f64>(numbers));
            let at: [f64; D] = marker.position(&q, &numbers);
            for k in 0..D {
                (least[k], most[k]) = (least[k].min(at[k]), most[k].max(at[k]));
            }
        };
        for constraint in &self.constraints {
            for marker in constraint.kind.held() {
                place(marker, &constraint.local);
            }
            if matches!(
                constraint.kind,
                ConstraintKind::PlaneGap(_) | ConstraintKind::CircleGap(_) | ConstraintKind::EdgeGap(_)
            ) {
                widest = constraint.value_at::<f64, D>(0.0, |i| q[i], |i| numbers[i])[0]
                    .abs()
                    .max(widest);
            }
        }
        for force in &self.forces {
            for end in force.kind.ends().iter().flatten() {
                place(end, &force.local);
            }
        }
        let box_of: [[f64; D]; 2] = [least, most];
        // Without any place there is no box.
        match least[0] <= most[0] {
            true => norm(difference(box_of[1], box_of[0])).min(LARGEST).max(widest),
            false => widest,
        }
    }
}

fn largest(values: &[f64], kinds: impl Iterator<Item = CoordinateKind>, radius: f64) -> f64 {
    let length = |(value, kind): (&f64, CoordinateKind)| match kind {
        CoordinateKind::Length => value.abs(),
        CoordinateKind::Angle | CoordinateKind::Fraction | CoordinateKind::Quaternion => value.abs() * radius,
    };
    values.iter().zip(kinds).map(length).fold(0.0, f64::max)
}

fn spread(values: &[f64], kinds: impl Iterator<Item = CoordinateKind>, least: [f64; 2]) -> [f64; 2] {
    let mut most = least;
    for (value, kind) in values.iter().zip(kinds) {
        let slot = &mut most[usize::from(kind != CoordinateKind::Length)];
        *slot = slot.max(value.abs());
    }
    most
}

fn reach(
    row: impl Iterator<Item = (usize, f64)>,
    kind: impl Fn(usize) -> CoordinateKind,
    [length, angle]: [f64; 2],
) -> f64 {
    let mut most = f64::MIN_POSITIVE;
    for (j, entry) in row {
        let change = match kind(j) {
            CoordinateKind::Length => length,
            CoordinateKind::Angle | CoordinateKind::Fraction | CoordinateKind::Quaternion => angle,
        };
        most = most.max(entry.abs() * change);
    }
    most
}

impl Terms {
    /// The largest force over the largest mass, of angles as they act at this radius: what the forces accelerate the whole by,
    /// though parts of it may be light.
    fn push(&self, model: &Model, radius: f64) -> f64 {
        let (mut force, mut mass) = (0.0, 0.0);
        for (i, kind) in model.velocity_kinds().enumerate() {
            let arm = match kind {
                CoordinateKind::Length => 1.0,
                CoordinateKind::Angle | CoordinateKind::Fraction | CoordinateKind::Quaternion => radius,
            };
            if arm > 0.0 {
                force = f64::max(force, self.force[i].abs() / arm);
                mass = f64::max(mass, self.mass.row(i).entry(i) / (arm * arm));
            }
        }
        if mass > 0.0 { force / mass } else { 0.0 }
    }

    /// The largest speed that drivers prescribe, an angle as the length that it moves at this radius.
    fn driven(&self, mode: &Mode, model: &Model, radius: f64) -> f64 {
        let speed = |row: usize| {
            let reach = model.reach_of_rates(self.jacobian.row(row).entries(), [radius, 1.0]);
            let speed = self.c_t[row].abs() * radius / reach;
            if speed.is_finite() { speed } else { 0.0 }
        };
        (0..mode.rows).map(speed).fold(0.0, f64::max)
    }
}
