//! Vectors of a motion with the places where they act, for pictures.

use super::Motion;
use super::Rubbing;
use super::reaction::Reaction;
use crate::model::constraint::ConstraintKind;
use crate::model::force::ForceKind;
use crate::model::joint::Path;
use crate::model::marker::{Marker, difference, norm};
use crate::model::{ContactState, Mode, Model};
use crate::scalar::{Dual2, each};

/// What a vector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VectorKind {
    /// Velocity of a place.
    Velocity,
    /// Acceleration of a place.
    Acceleration,
    /// Force of a spring or damper on what it is attached to.
    Spring,
    /// Force of a bar or joint on what it holds.
    Reaction,
    /// Force of a contact on the point, or on the second circle.
    Contact,
}

impl VectorKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::Velocity,
        Self::Acceleration,
        Self::Spring,
        Self::Reaction,
        Self::Contact,
    ];

    /// Its name for users, in the plural.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Velocity => "velocities",
            Self::Acceleration => "accelerations",
            Self::Spring => "springs",
            Self::Reaction => "reactions",
            Self::Contact => "contacts",
        }
    }

    /// Its unit.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Velocity => "m/s",
            Self::Acceleration => "m/s²",
            Self::Spring | Self::Reaction | Self::Contact => "N",
        }
    }
}

/// A vector in the ground frame; components beyond the dimension are zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedVector {
    /// What it is.
    pub kind: VectorKind,
    /// Where it acts, in metres.
    pub at: [f64; 3],
    /// The vector, in its unit.
    pub vector: [f64; 3],
}

/// A force in newtons after the place that it acts at.
type Acting<const D: usize> = ([f64; D], [f64; D]);

impl Model {
    /// Position, velocity and acceleration of a marker with the model's indices; zeros beyond the dimension.
    pub fn rates(&self, marker: &Marker, motion: &Motion<f64>) -> [[f64; 3]; 3] {
        in_dimension!(self.dimension, D => rates::<D>(marker, motion))
    }

    /// The force of a spring or damper on both things that it is attached to, with the places; none of other forces, and
    /// of those that do not act.
    pub fn spring_vectors(&self, force: usize, mode: &Mode, motion: &Motion<f64>) -> Vec<PlacedVector> {
        in_dimension!(self.dimension, D => placed(VectorKind::Spring, self.spring_ends::<D>(force, mode, motion)))
    }

    /// The forces of a group of constraints on what it holds: on both ends of a distance, on the second attachment of other
    /// constraints.
    pub fn reaction_vectors(&self, group: usize, mode: &Mode, motion: &Motion<f64>) -> Vec<PlacedVector> {
        in_dimension!(self.dimension, D => placed(VectorKind::Reaction, self.reaction_ends::<D>(group, mode, motion)))
    }

    /// The force of a contact where it touches, or on both ends of a limit of a distance; none while it is open.
    pub fn contact_vectors(&self, contact: usize, mode: &Mode, motion: &Motion<f64>) -> Vec<PlacedVector> {
        in_dimension!(self.dimension, D => placed(VectorKind::Contact, self.contact_ends::<D>(contact, mode, motion)))
    }

    fn spring_ends<const D: usize>(&self, force: usize, mode: &Mode, motion: &Motion<f64>) -> Vec<Acting<D>> {
        let element = &self.forces[force];
        let ForceKind::Line(line) = &element.kind else {
            return Vec::new();
        };
        let (q, numbers) = (element.local.pick(motion.q), element.local.pick_numbers(motion.numbers));
        let tension = self.spring_force::<f64, D>(force, mode, motion);
        pulled(line.a.position(&q, &numbers), line.b.position(&q, &numbers), tension)
    }

    fn reaction_ends<const D: usize>(&self, group: usize, mode: &Mode, motion: &Motion<f64>) -> Vec<Acting<D>> {
        let mut found: Vec<Acting<D>> = Vec::new();
        for &index in &self.groups[group].constraints {
            let Some(row) = mode.row_of(index) else { continue };
            let constraint = &self.constraints[index];
            let q = constraint.local.pick(motion.q);
            let numbers = constraint.local.pick_numbers(motion.numbers);
            let lambda = constraint.own_rows(row, motion.lambda);
            let Reaction { force, tension, .. } = constraint.kind.reaction::<f64, D>(&q, &numbers, &lambda);
            let place = |marker: &Marker| marker.position::<f64, D>(&q, &numbers);
            match &constraint.kind {
                ConstraintKind::Distance(link) => found.extend(pulled(place(&link.a), place(&link.b), tension)),
                ConstraintKind::Cable(cable) => found.extend(pulling(&cable.path, tension, &q, &numbers)),
                kind => {
                    // Torques and generalized forces have no place.
                    let Some(at) = kind.held().last().map(|last| place(last)) else {
                        continue;
                    };
                    // A joint in space has a row for each direction across its axis, and one force.
                    match found.iter_mut().find(|(known, _)| *known == at) {
                        Some((_, sum)) => *sum = each(|k| sum[k] + force[k]),
                        None => found.push((at, force)),
                    }
                }
            }
        }
        found
    }

    fn contact_ends<const D: usize>(&self, contact: usize, mode: &Mode, motion: &Motion<f64>) -> Vec<Acting<D>> {
        let element = &self.contacts[contact];
        let gap = &self.constraints[element.gap];
        let (q, numbers) = (gap.local.pick(motion.q), gap.local.pick_numbers(motion.numbers));
        let normal_force = self.contact_force::<f64, D>(contact, mode, motion);
        if let ConstraintKind::DistanceLimit(limit) = &gap.kind {
            let [a, b] = [&limit.a, &limit.b].map(|end| end.position::<f64, D>(&q, &numbers));
            // The gap grows with the distance times the sign, and the force pushes it open.
            return pulled(a, b, -limit.sign * normal_force);
        }
        if let ConstraintKind::Cable(cable) = &gap.kind {
            return pulling(&cable.path, -cable.sign * normal_force, &q, &numbers);
        }
        let Some(place) = gap.kind.touching_place::<f64, D>(&q, &numbers) else {
            return Vec::new();
        };
        let force = match (mode.contacts[contact], &element.pin) {
            (ContactState::Stuck, Some(pin)) => match mode.row_of(pin.constraint) {
                Some(row) => each(|k| motion.lambda[row + k]),
                None => return Vec::new(),
            },
            (ContactState::Sliding | ContactState::Stuck, _) => gap
                .kind
                .contact_normal::<f64, D>(&q, &numbers)
                .map(|x| x * normal_force),
            _ => return Vec::new(),
        };
        let force = match self.friction_of(contact) {
            Some(friction) => each(|k| {
                let along = Rubbing::ForceComponent(k);
                force[k] + self.rubbing::<f64, D>(friction, along, mode, motion)
            }),
            None => force,
        };
        vec![(place, force)]
    }
}

/// A tension between two places pulls each towards the other.
fn pulled<const D: usize>(a: [f64; D], b: [f64; D], tension: f64) -> Vec<Acting<D>> {
    let along: [f64; D] = difference(a, b);
    let length = norm(along);
    if length == 0.0 || tension == 0.0 {
        return Vec::new();
    }
    let force = each(|k| along[k] * tension / length);
    vec![(a, force), (b, force.map(|x| -x))]
}

/// A tension of a cable on each of its places.
fn pulling<const D: usize>(path: &Path, tension: f64, q: &[f64], numbers: &[f64]) -> Vec<Acting<D>> {
    if tension == 0.0 {
        return Vec::new();
    }
    let along: Vec<[f64; D]> = path.directions(q, numbers);
    let of = |span: Option<usize>, k: usize| span.and_then(|i| along.get(i)).map_or(0.0, |along| along[k]);
    let stops = path.stops.iter().enumerate();
    let force = |i: usize| each(|k| (of(Some(i), k) - of(i.checked_sub(1), k)) * tension);
    stops
        .map(|(i, stop)| (stop.at.position(q, numbers), force(i)))
        .collect()
}

fn placed<const D: usize>(kind: VectorKind, found: Vec<Acting<D>>) -> Vec<PlacedVector> {
    let found = found.into_iter().map(|(at, vector)| PlacedVector {
        kind,
        at: in_space(at),
        vector: in_space(vector),
    });
    found.collect()
}

fn rates<const D: usize>(marker: &Marker, motion: &Motion<f64>) -> [[f64; 3]; 3] {
    let row = |(i, &q): (usize, &f64)| Dual2::new(q, motion.rate(i), motion.acceleration(i));
    let path: Vec<Dual2<f64>> = motion.q.iter().enumerate().map(row).collect();
    let numbers: Vec<Dual2<f64>> = motion.numbers.iter().map(|&x| Dual2::from_re(x)).collect();
    let position: [Dual2<f64>; D] = marker.position(&path, &numbers);
    [
        in_space(position.map(|x| x.re)),
        in_space(position.map(|x| x.v1)),
        in_space(position.map(|x| x.v2)),
    ]
}

fn in_space<const D: usize>(vector: [f64; D]) -> [f64; 3] {
    each(|k| if k < D { vector[k] } else { 0.0 })
}
