//! Elements with the indices of velocities in place of those of coordinates: as they are written by hand where there are rigid bodies in
//! space ([`Attitudes`](super::attitude::Attitudes)).

use super::Model;
use super::body::{Bar, Body, BodyKind, Particle};
use super::by_hand::ByHand;
use super::constraint::{Constraint, ConstraintKind};
use super::contact::{CoordinateLimit, PlaneGap};
use super::force::{Force, ForceKind, LineForce, LinearSpring};
use super::joint::{Across, Coincidence, Coupling, Distance, RelativeAngle, Slide, Turned};
use super::local::{List, Local};

/// From an element's index of a coordinate to the one of its velocity; of a quaternion, to the first angular velocity.
type Index<'a> = &'a mut dyn FnMut(List, usize) -> usize;

impl Model {
    /// The lists of an element with its velocities, and its indices into these.
    fn lists_by_velocities(&self, local: &Local) -> (Local, impl FnMut(List, usize) -> usize) {
        let columns = self.velocities_of(&local.coordinates);
        let firsts = local.coordinates.iter().map(|&i| self.velocities_behind(i).start);
        let own: Vec<usize> = firsts
            .map(|first| columns.iter().position(|&column| column == first).unwrap_or(0))
            .collect();
        let lists = Local {
            coordinates: columns,
            numbers: local.numbers.clone(),
        };
        let index = move |list, i: usize| match list {
            List::Coordinates => own[i],
            List::Numbers => i,
        };
        (lists, index)
    }

    /// A constraint by hand, if its kind is written so.
    pub(super) fn constraint_by_hand(&self, constraint: &Constraint) -> Option<ByHand> {
        if self.frames.is_empty() {
            return ByHand::of(constraint, self.dimension);
        }
        let (local, mut index) = self.lists_by_velocities(&constraint.local);
        let kind = constraint.kind.mapped(self.dimension, &mut index)?;
        ByHand::of(
            &Constraint {
                kind,
                local,
                ..constraint.clone()
            },
            self.dimension,
        )
    }

    /// A spring by hand, if it is linear.
    pub(super) fn spring_by_hand(&self, force: &Force) -> Option<LinearSpring> {
        let ForceKind::Line(line) = &force.kind else {
            return None;
        };
        if self.frames.is_empty() {
            return LinearSpring::of(line, &force.local, self.dimension);
        }
        let (local, mut index) = self.lists_by_velocities(&force.local);
        let line = LineForce {
            a: line.a.map(self.dimension, &mut index),
            b: line.b.map(self.dimension, &mut index),
            ..line.clone()
        };
        LinearSpring::of(&line, &local, self.dimension)
    }

    /// A force with the indices of its velocities, if it turns no body in space.
    pub(super) fn force_by_velocities(&self, force: &Force) -> Option<Force> {
        if self.is_turning(&force.local.coordinates) {
            return None;
        }
        let mut by_velocities = force.clone();
        for i in &mut by_velocities.local.coordinates {
            *i = self.velocities_behind(*i).start;
        }
        Some(by_velocities)
    }

    /// A body with the indices of its velocities; that of a body in space is not needed.
    pub(super) fn body_by_velocities(&self, body: &Body) -> Body {
        let (local, mut index) = self.lists_by_velocities(&body.local);
        let mut base = |base: super::marker::Base| in_dimension!(self.dimension, D => base.map(D, &mut index));
        let kind = match &body.kind {
            BodyKind::Bar(bar) => BodyKind::Bar(Bar {
                from: base(bar.from),
                to: base(bar.to),
                ..bar.clone()
            }),
            BodyKind::Particle(particle) => BodyKind::Particle(Particle {
                point: particle.point.map(|i| index(List::Coordinates, i)),
                ..particle.clone()
            }),
            other => other.clone(),
        };
        Body {
            kind,
            local,
            ..body.clone()
        }
    }
}

impl ConstraintKind {
    /// The same with other indices of coordinates; none for kinds that are not written by hand.
    fn mapped(&self, dimension: usize, index: Index) -> Option<Self> {
        let mut index = index;
        Some(match self {
            Self::Distance(Distance { a, b, length }) => Self::Distance(Distance {
                a: a.map(dimension, &mut index),
                b: b.map(dimension, &mut index),
                length: length.clone(),
            }),
            Self::Coincidence(Coincidence { a, b }) => Self::Coincidence(Coincidence {
                a: a.map(dimension, &mut index),
                b: b.map(dimension, &mut index),
            }),
            Self::Slide(slide) => Self::Slide(Slide {
                a: slide.a.map(dimension, &mut index),
                b: slide.b.map(dimension, &mut index),
                frame: slide.frame.map(&mut index),
                position: slide.position.map(|i| index(List::Coordinates, i)),
                ..slide.clone()
            }),
            Self::PlaneGap(gap) if gap.rim.is_none() => Self::PlaneGap(PlaneGap {
                point: gap.point.map(dimension, &mut index),
                through: gap.through.map(dimension, &mut index),
                frame: gap.frame.map(&mut index),
                ..gap.clone()
            }),
            Self::RelativeAngle(RelativeAngle { a, b, value }) => Self::RelativeAngle(RelativeAngle {
                a: a.map(&mut index),
                b: b.map(&mut index),
                value: value.clone(),
            }),
            Self::Coupling(Coupling { terms, value }) => Self::Coupling(Coupling {
                terms: terms
                    .iter()
                    .map(|&(i, factor)| (index(List::Coordinates, i), factor))
                    .collect(),
                value: value.clone(),
            }),
            Self::CoordinateLimit(limit) => Self::CoordinateLimit(CoordinateLimit {
                a: limit.a.map(|i| index(List::Coordinates, i)),
                b: index(List::Coordinates, limit.b),
                ..limit.clone()
            }),
            Self::Across(Across { pair, less }) => Self::Across(Across {
                pair: pair.map(|direction| direction.map(&mut index)),
                less: less.map(|pair| pair.map(|direction| direction.map(&mut index))),
            }),
            Self::Turned(Turned { across, mark, angle }) => Self::Turned(Turned {
                across: across.map(|direction| direction.map(&mut index)),
                mark: mark.map(&mut index),
                angle: index(List::Coordinates, *angle),
            }),
            Self::PointOnLine(_) | Self::PointAlongLine(_) | Self::BarAngle(_) | Self::Unit(_) => return None,
            Self::PlaneGap(_) | Self::CircleGap(_) | Self::EdgeGap(_) => return None,
            Self::DistanceLimit(_) | Self::Cable(_) => return None,
        })
    }
}
