//! Reactions of constraints and contacts, read off the multipliers.

use super::{Motion, ReactionPart};
use crate::model::constraint::{ConstraintKind, MAX_ROWS};
use crate::model::contact::PlaneGap;
use crate::model::marker::{Marker, difference, divided, dot, norm, scaled};
use crate::model::{ContactState, Mode, Model};
use crate::scalar::{Scalar, each};

impl Model {
    pub(super) fn reaction<S: Scalar, const D: usize>(
        &self,
        group: usize,
        part: ReactionPart,
        mode: &Mode,
        motion: &Motion<S>,
    ) -> S {
        if part == ReactionPart::Power {
            return self.reaction_power::<S, D>(group, mode, motion);
        }
        let zero = S::from(0.0);
        let (mut force, mut torque, mut tension) = ([zero; D], zero, zero);
        for &index in &self.groups[group].constraints {
            let Some(row) = mode.row_of(index) else { continue };
            let constraint = &self.constraints[index];
            let lambda = constraint.own_rows(row, motion.lambda);
            let one: ([S; D], S, S) = match constraint.kind.has_turning_reaction() {
                true => {
                    let (q, numbers) = (
                        constraint.local.pick(motion.q),
                        constraint.local.pick_numbers(motion.numbers),
                    );
                    constraint.kind.reaction(&q, &numbers, &lambda)
                }
                false => constraint.kind.reaction(&[], &[], &lambda),
            };
            force = each(|k| force[k] + one.0[k]);
            torque += one.1;
            tension += one.2;
        }
        match part {
            ReactionPart::Component(axis) => force[axis],
            ReactionPart::Magnitude => norm(force),
            ReactionPart::Tension => tension,
            ReactionPart::Torque | ReactionPart::Power => torque,
        }
    }

    /// Normal force of a contact, positive when it pushes.
    pub fn contact_force<S: Scalar, const D: usize>(&self, contact: usize, mode: &Mode, motion: &Motion<S>) -> S {
        let zero = S::from(0.0);
        let element = &self.contacts[contact];
        match (mode.contacts[contact], &element.pin) {
            (ContactState::Sliding, _) | (ContactState::Stuck, None) => {
                mode.row_of(element.gap).map_or(zero, |row| motion.lambda[row])
            }
            (ContactState::Stuck, Some(pin)) => {
                let Some(row) = mode.row_of(pin.constraint) else {
                    return zero;
                };
                let gap = &self.constraints[element.gap];
                let normal: [S; D] = gap
                    .kind
                    .contact_normal(&gap.local.pick(motion.q), &gap.local.pick_numbers(motion.numbers));
                dot(normal, each(|k| motion.lambda[row + k]))
            }
            _ => zero,
        }
    }
}

impl ConstraintKind {
    /// Force and torque on the second attachment, and tension, for multipliers of the own rows (M a = f + C^T lambda).
    pub(super) fn reaction<S: Scalar, const D: usize>(
        &self,
        q: &[S],
        numbers: &[S],
        lambda: &[S; MAX_ROWS],
    ) -> ([S; D], S, S) {
        let zero = S::from(0.0);
        let vector: [S; D] = each(|k| lambda[k]);
        match self {
            Self::Distance(kind) => {
                let d: [S; D] = difference(kind.a.position(q, numbers), kind.b.position(q, numbers));
                let twice = lambda[0] * 2.0;
                (scaled(d, twice), zero, -norm(d) * twice)
            }
            Self::Coincidence(_) => (vector, zero, zero),
            Self::PointAlongLine(_) => (vector.map(|x| -x), zero, zero),
            Self::PointOnLine(kind) => {
                let d: [S; D] = difference(kind.a.position(q, numbers), kind.b.position(q, numbers));
                let factor = lambda[0] / norm(d);
                let normal = each(|k| if k == 0 { -d[1] * factor } else { d[0] * factor });
                (normal, zero, zero)
            }
            Self::Slide(kind) => (scaled(kind.normal::<S, D>(q, numbers), lambda[0]), zero, zero),
            Self::RelativeAngle(_) | Self::Coupling(_) => ([zero; D], lambda[0], zero),
            Self::BarAngle(_) | Self::Unit(_) => ([zero; D], zero, zero),
            Self::PlaneGap(_) | Self::CircleGap(_) | Self::EdgeGap(_) => {
                (self.contact_normal(q, numbers).map(|x: S| x * lambda[0]), zero, zero)
            }
            Self::DistanceLimit(_) | Self::CoordinateLimit(_) => ([zero; D], lambda[0], zero),
        }
    }

    /// Whether the reaction depends on more than the multipliers.
    pub fn has_turning_reaction(&self) -> bool {
        match self {
            Self::Distance(_) | Self::PointOnLine(_) | Self::Slide(_) => true,
            Self::PlaneGap(_) | Self::CircleGap(_) | Self::EdgeGap(_) => true,
            Self::Coincidence(_) | Self::PointAlongLine(_) | Self::BarAngle(_) | Self::Unit(_) => false,
            Self::RelativeAngle(_) | Self::Coupling(_) | Self::DistanceLimit(_) | Self::CoordinateLimit(_) => false,
        }
    }

    /// Direction in which a contact pushes: the point of a plane contact, the second circle of a circle contact.
    pub fn contact_normal<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> [S; D] {
        match self {
            Self::PlaneGap(kind) => PlaneGap::unit_normal(kind, q, numbers),
            Self::EdgeGap(kind) => kind.unit_normal(q, numbers),
            Self::CircleGap(kind) => {
                let d: [S; D] = difference(kind.a.position(q, numbers), kind.b.position(q, numbers));
                let length = if kind.inside { -norm(d) } else { norm(d) };
                divided(d, length)
            }
            _ => [S::from(f64::NAN); D],
        }
    }

    /// Where a contact touches, or would if it were closed; none for limits, which have no such place.
    pub fn touching_place<S: Scalar, const D: usize>(&self, q: &[S], numbers: &[S]) -> Option<[S; D]> {
        let below = |point: Marker, radius: usize| {
            let normal: [S; D] = self.contact_normal(q, numbers);
            let centre: [S; D] = point.position(q, numbers);
            Some(each(|k| centre[k] - normal[k] * numbers[radius]))
        };
        match self {
            Self::PlaneGap(gap) => below(gap.point, gap.radius),
            Self::EdgeGap(gap) => below(gap.point, gap.radius),
            Self::CircleGap(gap) => {
                let a: [S; D] = gap.a.position(q, numbers);
                let outward = difference(a, gap.b.position(q, numbers));
                let length = norm(outward);
                let reach = if gap.inside {
                    -numbers[gap.radii[0]]
                } else {
                    numbers[gap.radii[0]]
                };
                Some(each(|k| a[k] + outward[k] * (reach / length)))
            }
            _ => None,
        }
    }
}
