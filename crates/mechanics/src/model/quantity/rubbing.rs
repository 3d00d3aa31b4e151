//! What is read of the friction at contacts and in joints: forces, slip velocities, and what must hold while a contact sticks or slips.

use super::Motion;
use crate::model::force::{ForceKind, Tangential};
use crate::model::local::{Local, MAX_LOCAL};
use crate::model::quaternion::cross;
use crate::model::tangential::{Parts, direction, flat, inner, raised, size};
use crate::model::{Friction, Grip, Hold, Mode, Model};
use crate::scalar::{Dual, Scalar, each};

/// What can be read of the friction at a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rubbing {
    /// Force on the point along the surface: in the plane to the right where the normal points up, in space its magnitude; of a joint with one
    /// freedom along that.
    Force,
    /// In space: a component of it in the ground frame.
    ForceComponent(usize),
    /// Velocity of the point against the surface, likewise.
    Slip,
    /// In space: a component of it in the ground frame.
    SlipComponent(usize),
    /// Power that turns to heat.
    Heat,
    /// What is zero at the friction force that acts, by its components.
    Balance(usize),
    /// What the force that sticking takes is below the most that sticks.
    Cone,
    /// Along one freedom: slip velocity in the direction of slip.
    Onward,
    /// In space: slip velocity against the force.
    OnwardByForce,
    /// In space: slip velocity in the direction that is held.
    OnwardHeld,
    /// A normal force of a joint on the side on which it acts.
    Side(usize),
    /// How fast bristles bend along a direction.
    BendRate(usize),
    /// Slip speed above this.
    Above(f64),
    /// In space: the same of feet on one face, as the root of the mean square.
    AboveTogether(f64),
    /// Slip speed below this.
    Below(f64),
}

impl Rubbing {
    /// Whether it reads accelerations or multipliers.
    pub fn needs_dynamics(self) -> bool {
        !matches!(
            self,
            Self::Slip
                | Self::SlipComponent(_)
                | Self::Onward
                | Self::OnwardHeld
                | Self::BendRate(_)
                | Self::Above(_)
                | Self::AboveTogether(_)
                | Self::Below(_)
        )
    }
}

impl Model {
    /// The friction of those contacts that one sticks and slips together with, its own first.
    pub(in crate::model) fn frictions_with(&self, friction: usize, mode: &Mode) -> impl Iterator<Item = usize> {
        let leader = mode.grip(friction).map(|grip| grip.leader);
        let others = mode
            .grips
            .iter()
            .filter(move |grip| Some(grip.leader) == leader && grip.friction != friction);
        std::iter::once(friction).chain(others.map(|grip| grip.friction))
    }

    /// Visits what the friction at a contact reads, that of all contacts that it may stick together with.
    pub(in crate::model) fn each_friction_local<'a>(&'a self, friction: usize, visit: &mut impl FnMut(&'a Local)) {
        let own = &self.frictions[friction];
        let coordinates = &self.forces[own.force].local.coordinates;
        if let Some(contact) = own.contact() {
            self.mates(contact)
                .for_each(|mate| visit(&self.constraints[self.contacts[mate].gap].local));
        }
        for other in &self.frictions {
            let force = &self.forces[other.force].local;
            if &force.coordinates == coordinates {
                visit(force);
            }
            if &force.coordinates == coordinates || own.press().is_some() && other.press().is_some() {
                visit(&other.local);
            }
        }
    }

    /// What of the friction at a contact a quantity reads.
    pub(super) fn rubbing<S: Scalar, const D: usize>(
        &self,
        friction: usize,
        part: Rubbing,
        mode: &Mode,
        motion: &Motion<S>,
    ) -> S {
        let grip = mode.grip(friction);
        let zero = S::from(0.0);
        let slip = || self.slip::<S, D>(friction, motion);
        match (part, grip) {
            (Rubbing::Slip, _) if self.frictions[friction].is_single() => slip()[0],
            (Rubbing::Slip, _) => size(slip()),
            (Rubbing::SlipComponent(axis), _) => self.in_ground::<S, D>(friction, slip(), motion)[axis],
            (Rubbing::AboveTogether(speed), Some(grip)) => {
                self.standing_speed::<S, D>(grip.leader, mode, motion) - speed
            }
            (Rubbing::Below(speed), Some(grip)) if self.is_foot(grip, mode) => {
                S::from(speed) - self.standing_speed::<S, D>(grip.leader, mode, motion)
            }
            (Rubbing::Above(speed), _) => size(slip()) - S::from(speed),
            (Rubbing::Below(speed), _) => S::from(speed) - size(slip()),
            (Rubbing::BendRate(k), grip) => self.bend_rate::<S, D>(friction, k, grip.is_some(), motion),
            (_, None) => zero,
            (Rubbing::Onward, Some(grip)) => slip()[0] * grip.hold.sign(),
            (Rubbing::OnwardHeld, Some(grip)) if self.is_foot(grip, mode) => {
                self.standing_onward_held::<S, D>(grip.leader, mode, motion)
            }
            (Rubbing::OnwardHeld, Some(grip)) => {
                inner(slip(), self.held_direction::<S, D>(friction, grip.ends, motion))
            }
            (Rubbing::OnwardByForce, Some(grip)) if self.stands(grip, mode) => {
                self.standing_onward::<S, D>(grip.leader, mode, motion, false)
            }
            (Rubbing::OnwardByForce, Some(_)) => -inner(slip(), direction(self.friction_numbers(friction, motion))),
            (Rubbing::Force, Some(grip)) if self.frictions[friction].is_single() => {
                self.friction_force::<S, D>(grip, mode, motion)[0]
            }
            (Rubbing::Force, Some(grip)) => size(self.friction_force::<S, D>(grip, mode, motion)),
            (Rubbing::ForceComponent(axis), Some(grip)) => {
                let force = self.friction_force::<S, D>(grip, mode, motion);
                self.in_ground::<S, D>(friction, force, motion)[axis]
            }
            (Rubbing::Heat, Some(grip)) if matches!(grip.hold, Hold::Stick | Hold::Spare) => zero,
            (Rubbing::Heat, Some(grip)) => -inner(slip(), self.friction_force::<S, D>(grip, mode, motion)),
            (Rubbing::Side(k), Some(grip)) => {
                self.normal_forces(&self.frictions[friction], mode, motion)[k] * f64::from(grip.sides[k])
            }
            (Rubbing::Cone, Some(grip)) if self.stands(grip, mode) => {
                self.standing_margin::<S, D>(grip.leader, mode, motion)
            }
            (Rubbing::Cone, Some(_)) => {
                let most = self.together::<S, D>(friction, mode, motion, |of, own| of.bounds(motion.t, own)[0]);
                most - size(self.friction_numbers(friction, motion))
            }
            (Rubbing::Balance(k), Some(grip)) => self.balance::<S, D>(grip, mode, motion)[0][k],
        }
    }

    /// How fast bristles bend along a direction while they are pressed, or spring back.
    fn bend_rate<S: Scalar, const D: usize>(&self, friction: usize, k: usize, pressed: bool, motion: &Motion<S>) -> S {
        let law = &self.frictions[friction];
        let own = law.local.pick_numbers(motion.numbers);
        match &law.bristles {
            None => S::from(0.0),
            Some(bristles) if !pressed => bristles.free_rate(k, &own),
            Some(bristles) => law.bend_rates(bristles, motion.t, self.slip::<S, D>(friction, motion), &own)[k],
        }
    }

    /// Components of the number that the friction force is; zero beyond those that there are.
    pub fn friction_numbers<S: Scalar>(&self, friction: usize, motion: &Motion<S>) -> Parts<S> {
        let own = &self.frictions[friction].numbers;
        each(|k| own.get(k).map_or(S::from(0.0), |&number| motion.numbers[number]))
    }

    /// Normal forces of a contact and those that it sticks with, each times a factor.
    fn together<S: Scalar, const D: usize>(
        &self,
        leader: usize,
        mode: &Mode,
        motion: &Motion<S>,
        factor: impl Fn(&Friction, &[S]) -> S,
    ) -> S {
        let grips = mode.grips.iter().filter(|grip| grip.leader == leader && !grip.shares());
        grips.fold(S::from(0.0), |sum, grip| {
            let friction = &self.frictions[grip.friction];
            let own = friction.local.pick_numbers(motion.numbers);
            sum + self.pressed::<S, D>(grip, mode, motion) * factor(friction, &own)
        })
    }

    /// The force of one contact: of those that stick together each has the share of its normal force.
    fn friction_force<S: Scalar, const D: usize>(&self, grip: &Grip, mode: &Mode, motion: &Motion<S>) -> Parts<S> {
        if self.stands(grip, mode) {
            return raised(self.standing_force::<S, D>(grip, mode, motion));
        }
        let with = |other: &&Grip| other.leader == grip.leader && !other.shares();
        let shared = mode.grips.iter().filter(with).count() > 1;
        if grip.hold != Hold::Stick || !shared || grip.shares() {
            return self.friction_numbers(grip.friction, motion);
        }
        let force = self.friction_numbers(grip.leader, motion);
        let own = self.pressed::<S, D>(grip, mode, motion);
        let all = self.together::<S, D>(grip.leader, mode, motion, |_, _| S::from(1.0));
        force.map(|force| force * own / all)
    }

    /// The components of what vanishes at what rubs, and of what slips their derivatives by what presses; where slip begins these depend on
    /// the force itself.
    pub fn balances<S: Scalar>(&self, grip: &Grip, mode: &Mode, motion: &Motion<S>) -> [Parts<S>; 2] {
        in_dimension!(self.dimension, D => self.balance::<S, D>(grip, mode, motion))
    }

    fn balance<S: Scalar, const D: usize>(&self, grip: &Grip, mode: &Mode, motion: &Motion<S>) -> [Parts<S>; 2] {
        let still = |balance| [balance, [S::from(0.0); 3]];
        if self.stands(grip, mode) {
            return still(raised(self.standing_balance::<S, D>(grip, mode, motion)));
        }
        let force = self.friction_numbers(grip.friction, motion);
        match grip.hold {
            Hold::Stick if grip.leads() => still(self.slip_rate::<S, D>(grip.friction, motion)),
            Hold::Stick if grip.shares() => {
                let of_leader = self.friction_numbers(grip.leader, motion);
                let [own, all] = self.most_of_both::<S, D>(grip, mode, motion);
                // Nothing where nothing presses.
                let both = own + all;
                let [own, all] = match both.re() == 0.0 {
                    true => [S::from(0.0), S::from(1.0)],
                    false => [own / both, all / both],
                };
                let sign = f64::from(grip.sides[0]);
                still(each(|k| force[k] * all - of_leader[k] * own * sign))
            }
            hold if hold.slips() => self.sliding_balance::<S, D>(grip, mode, motion),
            _ => still(force),
        }
    }

    /// The balance of what slips.
    fn sliding_balance<S: Scalar, const D: usize>(
        &self,
        grip: &Grip,
        mode: &Mode,
        motion: &Motion<S>,
    ) -> [Parts<S>; 2] {
        let friction = &self.frictions[grip.friction];
        let force = self.friction_numbers(grip.friction, motion);
        let own = friction.local.pick_numbers(motion.numbers);
        let viscous = friction.viscous.map_or(S::from(0.0), |number| own[number]);
        let pressed = self.pressed::<S, D>(grip, mode, motion);
        let (t, zero) = (motion.t, S::from(0.0));
        let reads_slip = friction.reads_slip() || !friction.is_single();
        let slip = if reads_slip {
            self.slip::<S, D>(grip.friction, motion)
        } else {
            [zero; 3]
        };
        let others: Parts<S> = each(|k| force[k] + viscous * slip[k]);
        let along = |direction: Parts<S>| {
            let coefficient = friction.coefficient(t, size(slip), &own);
            direction.map(|part| part * coefficient)
        };
        let by_load = match grip.hold {
            Hold::Slip(sign) => [friction.factor(t, slip[0], f64::from(sign), &own), zero, zero],
            _ if friction.is_smooth() => friction.factor_in_space(t, slip, &own),
            Hold::SlipBegins => {
                let most = pressed * friction.coefficient(t, size(slip), &own);
                return [
                    begun(others, most, self.slip_rate::<S, D>(grip.friction, motion)),
                    [zero; 3],
                ];
            }
            Hold::SlipEnds => along(self.held_direction::<S, D>(grip.friction, grip.held, motion)),
            _ => along(direction(slip)),
        };
        [each(|k| others[k] + by_load[k] * pressed), by_load]
    }

    /// The most that a joint can hold that sticks together with its leader, and the most that this can.
    fn most_of_both<S: Scalar, const D: usize>(&self, grip: &Grip, mode: &Mode, motion: &Motion<S>) -> [S; 2] {
        [grip.friction, grip.leader].map(|friction| {
            let own = &self.frictions[friction];
            let bound = own.bounds(motion.t, &own.local.pick_numbers(motion.numbers))[0];
            bound * self.pressed::<S, D>(&Grip::new(friction, friction, Hold::Stick), mode, motion)
        })
    }

    /// Derivatives of the balance of a joint that sticks together with its leader: by its own force, by that of the leader, and by
    /// multipliers that change by those of a motion.
    pub fn share_slopes(&self, grip: &Grip, mode: &Mode, motion: &Motion<f64>, lambda: &[f64]) -> [f64; 3] {
        let [own, all] = in_dimension!(self.dimension, D => self.most_of_both::<f64, D>(grip, mode, motion));
        let (both, sign) = (own + all, f64::from(grip.sides[0]));
        if both == 0.0 {
            return [1.0, 0.0, 0.0];
        }
        let [by_own, by_all] = [grip.friction, grip.leader].map(|friction| {
            let law = &self.frictions[friction];
            let bound = law.bounds(motion.t, &law.local.pick_numbers(motion.numbers))[0];
            let slopes = self.press_slopes(&Grip::new(friction, friction, Hold::Stick), mode, motion);
            let changes = slopes.iter().flatten().map(|&(row, slope)| slope * lambda[row]);
            bound * changes.sum::<f64>()
        });
        let [force, of_leader] = [grip.friction, grip.leader].map(|other| self.friction_numbers(other, motion)[0]);
        let change = (by_all * own - all * by_own) / (both * both);
        [all / both, -sign * own / both, (force + sign * of_leader) * change]
    }

    /// By how much a friction force is to be multiplied, so that it is as large as that of a contact that slips.
    pub fn fullness(&self, grip: &Grip, mode: &Mode, motion: &Motion<f64>) -> f64 {
        if self.stands(grip, mode) {
            return in_dimension!(self.dimension, D => self.standing_fullness::<D>(grip.leader, mode, motion));
        }
        let pressed = in_dimension!(self.dimension, D => self.pressed::<f64, D>(grip, mode, motion));
        let force = size(self.friction_numbers(grip.friction, motion));
        if force == 0.0 {
            return 1.0;
        }
        self.slip_coefficient(grip, motion).1 * pressed / force
    }

    /// Slip velocity in space and the coefficient at it.
    fn slip_coefficient(&self, grip: &Grip, motion: &Motion<f64>) -> (Parts<f64>, f64) {
        let friction = &self.frictions[grip.friction];
        let slip = in_dimension!(self.dimension, D => self.slip::<f64, D>(grip.friction, motion));
        let own = friction.local.pick_numbers(motion.numbers);
        (slip, friction.coefficient(motion.t, size(slip), &own))
    }

    /// Rate of the slip velocity, by the tangents.
    pub fn slip_acceleration(&self, friction: usize, motion: &Motion<f64>) -> Parts<f64> {
        in_dimension!(self.dimension, D => self.slip_rate::<f64, D>(friction, motion))
    }

    /// Rate of the slip velocity of a contact that begins to slip, in the direction of slip.
    pub fn onward_acceleration(&self, friction: usize, mode: &Mode, motion: &Motion<f64>) -> f64 {
        if let Some(grip) = mode.grip(friction).filter(|grip| self.stands(grip, mode)) {
            return in_dimension!(self.dimension, D => self.standing_onward::<f64, D>(grip.leader, mode, motion, true));
        }
        let rate = in_dimension!(self.dimension, D => self.slip_rate::<f64, D>(friction, motion));
        match mode.grip(friction).map(|grip| grip.hold) {
            Some(Hold::SlipBegins) => -inner(rate, direction(self.friction_numbers(friction, motion))),
            Some(hold) => rate[0] * hold.sign(),
            None => 0.0,
        }
    }

    /// A direction that is held, by the tangents.
    pub(super) fn held_direction<S: Scalar, const D: usize>(
        &self,
        friction: usize,
        held: [f64; 3],
        motion: &Motion<S>,
    ) -> Parts<S> {
        let Some((tangential, local)) = self.tangential(friction) else {
            // A joint holds it by its own freedoms.
            return each(|k| S::from(held[k]));
        };
        let numbers = local.pick_numbers(motion.numbers);
        raised(tangential.by_tangents::<S, D>(&local.pick(motion.q), numbers, (local.numbers.len(), held)))
    }

    /// Direction of the slip velocity of a contact in the ground frame, zeros beyond the dimension; of a joint by its freedoms.
    pub fn slip_direction(&self, friction: usize, motion: &Motion<f64>) -> [f64; 3] {
        self.direction_along(friction, self.slip_velocity(friction, motion), motion)
    }

    /// The same of what is given by the tangents.
    pub fn direction_along(&self, friction: usize, along: Parts<f64>, motion: &Motion<f64>) -> [f64; 3] {
        in_dimension!(self.dimension, D => self.lasting_direction::<D>(friction, along, motion))
    }

    /// The same of the rate of the slip velocity, turned by an angle.
    pub fn onward_direction(&self, friction: usize, turn: f64, motion: &Motion<f64>) -> [f64; 3] {
        let (sin, cos) = turn.sin_cos();
        in_dimension!(self.dimension, D => {
            let [x, y, z] = self.slip_rate::<f64, D>(friction, motion);
            self.lasting_direction::<D>(friction, [cos * x - sin * y, sin * x + cos * y, z], motion)
        })
    }

    fn lasting_direction<const D: usize>(&self, friction: usize, slip: Parts<f64>, motion: &Motion<f64>) -> [f64; 3] {
        if self.tangential(friction).is_none() {
            return direction(slip);
        }
        let found = self.in_ground::<f64, D>(friction, direction(slip), motion);
        each(|k| if k < D { found[k] } else { 0.0 })
    }

    /// Slip velocity of a contact while nothing moves but its surface over its own material.
    pub fn slip_at_rest<S: Scalar>(&self, friction: usize, t: S, q: &[S], numbers: &[S]) -> Parts<S> {
        let (local, still) = (
            &self.forces[self.frictions[friction].force].local,
            [S::from(0.0); MAX_LOCAL],
        );
        in_dimension!(self.dimension, D => {
            self.slip_at::<S, D>(friction, t, &local.pick(q), &still, |i| numbers[i])
        })
    }

    fn tangential(&self, friction: usize) -> Option<(&Tangential, &Local)> {
        let element = &self.forces[self.frictions[friction].force];
        match &element.kind {
            ForceKind::Tangential(tangential) => Some((tangential, &element.local)),
            _ => None,
        }
    }

    /// What is given by the tangents of a contact in the ground frame.
    fn in_ground<S: Scalar, const D: usize>(&self, friction: usize, along: Parts<S>, motion: &Motion<S>) -> [S; D] {
        let Some((tangential, local)) = self.tangential(friction) else {
            return [S::from(f64::NAN); D];
        };
        let numbers = local.pick_numbers(motion.numbers);
        tangential.in_ground::<S, D>(&local.pick(motion.q), numbers, (local.numbers.len(), flat(along)))
    }

    /// Slip velocity of a contact by its tangents, of a joint by its freedoms.
    pub fn slip_velocity<S: Scalar>(&self, friction: usize, motion: &Motion<S>) -> Parts<S> {
        in_dimension!(self.dimension, D => self.slip::<S, D>(friction, motion))
    }

    /// Slip velocity of a contact, open or closed.
    pub(super) fn slip<S: Scalar, const D: usize>(&self, friction: usize, motion: &Motion<S>) -> Parts<S> {
        let local = &self.forces[self.frictions[friction].force].local;
        let number = |i: usize| motion.numbers[i];
        self.slip_at::<S, D>(friction, motion.t, &local.pick(motion.q), &motion.rates(local), number)
    }

    /// Its rate.
    pub(super) fn slip_rate<S: Scalar, const D: usize>(&self, friction: usize, motion: &Motion<S>) -> Parts<S> {
        let local = &self.forces[self.frictions[friction].force].local;
        let q = local.coordinates_by(|i| Dual::new(motion.q[i], motion.rate(i)));
        let v = local.coordinates_by(|i| Dual::new(motion.rate(i), motion.acceleration(i)));
        let t = Dual::new(motion.t, S::from(1.0));
        let number = |i: usize| Dual::from_re(motion.numbers[i]);
        self.slip_at::<Dual<S>, D>(friction, t, &q, &v, number)
            .map(|slip| slip.eps)
    }

    fn slip_at<S: Scalar, const D: usize>(
        &self,
        friction: usize,
        t: S,
        q: &[S; MAX_LOCAL],
        v: &[S; MAX_LOCAL],
        number: impl Fn(usize) -> S,
    ) -> Parts<S> {
        let law = &self.frictions[friction];
        let element = &self.forces[law.force];
        let (numbers, count) = (element.local.numbers_by(&number), element.local.numbers.len());
        match &element.kind {
            ForceKind::Tangential(tangential) => {
                let moves = law.surface_motion(t, &law.local.numbers_by(&number));
                raised(tangential.velocity::<S, D>(q, v, numbers, (count, moves)))
            }
            ForceKind::Sliding(sliding) => sliding.velocity::<S, D>(q, v, &numbers),
            _ => [S::from(f64::NAN); 3],
        }
    }
}

/// What vanishes where slip begins: the force is as large as it can be, and against the acceleration, by components.
fn begun<S: Scalar>(dry: Parts<S>, most: S, rate: Parts<S>) -> Parts<S> {
    if most.re() == 0.0 {
        return dry;
    }
    let (own, along) = (direction(dry), size(dry) - most);
    let across = cross(cross(dry, rate), own);
    each(|k| own[k] * along + across[k])
}
