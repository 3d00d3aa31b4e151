//! Reactions of constraints and contacts, read off the multipliers.

use super::{Motion, ReactionPart};
use crate::model::constraint::{Constraint, ConstraintKind, MAX_ROWS};
use crate::model::contact::PlaneGap;
use crate::model::marker::{Marker, difference, divided, dot, norm, scaled};
use crate::model::quaternion::turned;
use crate::model::{AttachedFrame, ContactState, Mode, Model};
use crate::scalar::{Scalar, each};

/// What a joint does to the second attachment and its body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reaction<S, const D: usize> {
    /// Force at the attachment, in the ground frame.
    pub(super) force: [S; D],
    /// In space: torque on the body, in the ground frame.
    moment: [S; D],
    /// Torque about the axis of an angle, or the multiplier of a coupling.
    torque: S,
    /// Positive when the ends are pulled together.
    pub(super) tension: S,
}

impl<S: Scalar, const D: usize> Default for Reaction<S, D> {
    fn default() -> Self {
        let zero = S::from(0.0);
        Self {
            force: [zero; D],
            moment: [zero; D],
            torque: zero,
            tension: zero,
        }
    }
}

impl<S: Scalar, const D: usize> Reaction<S, D> {
    fn force(force: [S; D]) -> Self {
        Self {
            force,
            ..Self::default()
        }
    }

    fn torque(torque: S) -> Self {
        Self {
            torque,
            ..Self::default()
        }
    }
}

impl Model {
    pub(super) fn reaction<S: Scalar, const D: usize>(
        &self,
        group: usize,
        part: ReactionPart,
        mode: &Mode,
        motion: &Motion<S>,
    ) -> S {
        match part {
            ReactionPart::Power => return self.reaction_power::<S, D>(group, mode, motion),
            ReactionPart::Signed { of_moment } => {
                return self.signed_reaction::<S, D>((group, of_moment), mode, motion);
            }
            _ => {}
        }
        let mut sum = Reaction::<S, D>::default();
        for &index in &self.groups[group].constraints {
            let Some(row) = mode.row_of(index) else { continue };
            let constraint = &self.constraints[index];
            let one: Reaction<S, D> = constraint.reaction(&constraint.own_rows(row, motion.lambda), motion);
            sum = Reaction {
                force: each(|k| sum.force[k] + one.force[k]),
                moment: each(|k| sum.moment[k] + one.moment[k]),
                torque: sum.torque + one.torque,
                tension: sum.tension + one.tension,
            };
        }
        match part {
            ReactionPart::Component(axis) => sum.force[axis],
            ReactionPart::Magnitude => norm(sum.force),
            ReactionPart::Moment(axis) => sum.moment[axis],
            ReactionPart::MomentMagnitude => norm(sum.moment),
            ReactionPart::InFrame { end, of_moment, axis } => {
                let vector = if of_moment { sum.moment } else { sum.force };
                self.groups[group].frames[end]
                    .as_ref()
                    .map_or(S::from(f64::NAN), |frame| dot(frame.axis::<S, D>(axis, motion), vector))
            }
            ReactionPart::Tension => sum.tension,
            ReactionPart::Torque | ReactionPart::Power | ReactionPart::Signed { .. } => sum.torque,
        }
    }

    /// What a part of a reaction is the magnitude of, where that is of one row: it has a sign, and its magnitude a kink where it
    /// changes that.
    pub fn signed_part(&self, group: usize, part: ReactionPart) -> Option<ReactionPart> {
        let of_moment = match part {
            ReactionPart::Magnitude => false,
            ReactionPart::MomentMagnitude => true,
            _ => return None,
        };
        let rows: usize = self
            .carrying(group, of_moment)
            .map(|index| self.constraints[index].rows)
            .sum();
        (rows == 1).then_some(ReactionPart::Signed { of_moment })
    }

    /// The constraints of a group that have a force, or a torque.
    fn carrying(&self, group: usize, of_moment: bool) -> impl Iterator<Item = usize> {
        let constraints = self.groups[group].constraints.iter().copied();
        constraints.filter(move |&index| self.constraints[index].kind.carries(of_moment))
    }

    /// The only row's multiplier times the magnitude of what it does when it is one, which has no kink.
    fn signed_reaction<S: Scalar, const D: usize>(
        &self,
        (group, of_moment): (usize, bool),
        mode: &Mode,
        motion: &Motion<S>,
    ) -> S {
        let unit = each(|k| S::from(if k == 0 { 1.0 } else { 0.0 }));
        let signed = |index: usize| {
            let row = mode.row_of(index)?;
            let one: Reaction<S, D> = self.constraints[index].reaction(&unit, motion);
            Some(norm(if of_moment { one.moment } else { one.force }) * motion.lambda[row])
        };
        self.carrying(group, of_moment).find_map(signed).unwrap_or(S::from(0.0))
    }

    /// The frame that a part of a reaction is read in, if it is one of an attachment.
    pub(in crate::model) fn frame_read(&self, group: usize, part: ReactionPart) -> Option<&AttachedFrame> {
        match part {
            ReactionPart::InFrame { end, .. } => self.groups[group].frames[end].as_ref(),
            _ => None,
        }
    }

    /// Normal force of a contact, positive when it pushes.
    pub fn contact_force<S: Scalar, const D: usize>(&self, contact: usize, mode: &Mode, motion: &Motion<S>) -> S {
        let zero = S::from(0.0);
        let element = &self.contacts[contact];
        if let Some(footing) = mode.footing_of(contact) {
            return self.pressed_in(contact, &self.sharing::<S, D>(footing, motion), mode, motion);
        }
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

impl AttachedFrame {
    /// Unit vector along an axis, in the ground frame.
    fn axis<S: Scalar, const D: usize>(&self, axis: usize, motion: &Motion<S>) -> [S; D] {
        let (q, numbers) = (self.local.pick(motion.q), self.local.pick_numbers(motion.numbers));
        let own: [S; 3] = each(|k| S::from(if k == axis { 1.0 } else { 0.0 }));
        let on_carrier = match self.turn {
            Some(turn) => turned(turn.map(|number| numbers[number]), own),
            None => own,
        };
        self.carrier.turn(&q, each(|k| on_carrier[k]))
    }
}

impl Constraint {
    /// The reaction for multipliers of the own rows.
    fn reaction<S: Scalar, const D: usize>(&self, lambda: &[S; MAX_ROWS], motion: &Motion<S>) -> Reaction<S, D> {
        if !self.kind.has_turning_reaction() {
            return self.kind.reaction(&[], &[], lambda);
        }
        let (q, numbers) = (self.local.pick(motion.q), self.local.pick_numbers(motion.numbers));
        self.kind.reaction(&q, &numbers, lambda)
    }
}

impl ConstraintKind {
    /// The reaction for multipliers of the own rows (M a = f + C^T lambda).
    pub(super) fn reaction<S: Scalar, const D: usize>(
        &self,
        q: &[S],
        numbers: &[S],
        lambda: &[S; MAX_ROWS],
    ) -> Reaction<S, D> {
        let vector: [S; D] = each(|k| lambda[k]);
        match self {
            Self::Distance(kind) => {
                let d: [S; D] = difference(kind.a.position(q, numbers), kind.b.position(q, numbers));
                let twice = lambda[0] * 2.0;
                Reaction {
                    tension: -norm(d) * twice,
                    ..Reaction::force(scaled(d, twice))
                }
            }
            Self::Coincidence(_) => Reaction::force(vector),
            Self::PointAlongLine(_) => Reaction::force(vector.map(|x| -x)),
            Self::PointOnLine(kind) => {
                let d: [S; D] = difference(kind.a.position(q, numbers), kind.b.position(q, numbers));
                let factor = lambda[0] / norm(d);
                let normal = each(|k| if k == 0 { -d[1] * factor } else { d[0] * factor });
                Reaction::force(normal)
            }
            Self::Slide(kind) => Reaction::force(scaled(kind.normal::<S, D>(q, numbers), lambda[0])),
            Self::Across(kind) => Reaction {
                moment: scaled(kind.torque::<S, D>(q, numbers), lambda[0]),
                ..Reaction::default()
            },
            Self::RelativeAngle(_) | Self::Coupling(_) => Reaction::torque(lambda[0]),
            Self::BarAngle(_) | Self::Turned(_) | Self::Unit(_) => Reaction::default(),
            Self::PlaneGap(_) | Self::CircleGap(_) | Self::EdgeGap(_) => {
                Reaction::force(self.contact_normal(q, numbers).map(|x: S| x * lambda[0]))
            }
            Self::Cable(kind) => {
                let tension = -lambda[0] * kind.sign;
                let along: [S; D] = kind.path.last_direction(q, numbers);
                Reaction {
                    tension,
                    ..Reaction::force(scaled(along, -tension))
                }
            }
            Self::DistanceLimit(_) | Self::CoordinateLimit(_) => Reaction::torque(lambda[0]),
        }
    }

    /// Whether the reaction depends on more than the multipliers.
    pub fn has_turning_reaction(&self) -> bool {
        match self {
            Self::Distance(_) | Self::PointOnLine(_) | Self::Slide(_) | Self::Across(_) | Self::Cable(_) => true,
            Self::PlaneGap(_) | Self::CircleGap(_) | Self::EdgeGap(_) => true,
            Self::Coincidence(_) | Self::PointAlongLine(_) | Self::BarAngle(_) | Self::Unit(_) => false,
            Self::Turned(_) => false,
            Self::RelativeAngle(_) | Self::Coupling(_) | Self::DistanceLimit(_) | Self::CoordinateLimit(_) => false,
        }
    }

    /// Whether its reaction has a force, or a torque that is a vector.
    pub fn carries(&self, of_moment: bool) -> bool {
        match self {
            Self::Distance(_) | Self::Coincidence(_) | Self::PointAlongLine(_) | Self::PointOnLine(_) => !of_moment,
            Self::Slide(_) | Self::Cable(_) | Self::PlaneGap(_) | Self::CircleGap(_) | Self::EdgeGap(_) => !of_moment,
            Self::Across(_) => of_moment,
            Self::RelativeAngle(_) | Self::Coupling(_) | Self::BarAngle(_) | Self::Turned(_) | Self::Unit(_) => false,
            Self::DistanceLimit(_) | Self::CoordinateLimit(_) => false,
        }
    }

    /// Whether its reaction is a torque about the axis of an angle, or the multiplier of a coupling.
    pub fn has_torque(&self) -> bool {
        match self {
            Self::RelativeAngle(_) | Self::Coupling(_) | Self::DistanceLimit(_) | Self::CoordinateLimit(_) => true,
            Self::Distance(_) | Self::Coincidence(_) | Self::PointAlongLine(_) | Self::PointOnLine(_) => false,
            Self::Slide(_) | Self::Cable(_) | Self::PlaneGap(_) | Self::CircleGap(_) | Self::EdgeGap(_) => false,
            Self::Across(_) | Self::BarAngle(_) | Self::Turned(_) | Self::Unit(_) => false,
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
            Self::PlaneGap(gap) => Some(gap.lowest(q, numbers)),
            Self::EdgeGap(gap) => below(gap.point, gap.radius),
            Self::CircleGap(gap) => {
                let a: [S; D] = gap.a.position(q, numbers);
                let outward = difference(a, gap.b.position(q, numbers));
                let reach = numbers[gap.radii[0]] / norm(outward);
                Some(each(|k| a[k] + outward[k] * reach))
            }
            _ => None,
        }
    }
}
