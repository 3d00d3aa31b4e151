//! What is read of the friction at contacts: forces, slip velocities, and what must hold while a contact sticks or slips.

use super::Motion;
use crate::model::force::ForceKind;
use crate::model::local::{Local, MAX_LOCAL};
use crate::model::{Friction, Grip, Hold, Mode, Model};
use crate::scalar::{Dual, Scalar};

/// What can be read of the friction at a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rubbing {
    /// Force on the point along the surface, to the right where the normal points up.
    Force,
    /// Velocity of the point against the surface, likewise.
    Slip,
    /// Power that turns to heat.
    Heat,
    /// What is zero at the friction force that acts.
    Balance,
    /// What the force that sticking takes is below the most that sticks.
    Cone,
    /// Slip velocity in the direction of slip.
    Onward,
}

impl Rubbing {
    /// Whether it reads accelerations or multipliers.
    pub fn needs_dynamics(self) -> bool {
        !matches!(self, Self::Slip | Self::Onward)
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
        for other in &self.frictions {
            let force = &self.forces[other.force].local;
            if &force.coordinates == coordinates {
                visit(force);
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
        match (part, grip) {
            (Rubbing::Slip, _) => self.slip::<S, D>(friction, motion),
            (Rubbing::Onward, Some(grip)) => self.slip::<S, D>(friction, motion) * grip.hold.sign(),
            (_, None) => zero,
            (Rubbing::Force, Some(grip)) => self.friction_force::<S, D>(grip, mode, motion),
            (
                Rubbing::Heat,
                Some(Grip {
                    hold: Hold::Slip(_), ..
                }),
            ) => -self.slip::<S, D>(friction, motion) * motion.numbers[self.frictions[friction].number],
            (Rubbing::Heat, Some(_)) => zero,
            (Rubbing::Cone, Some(_)) => {
                let most = self.together::<S, D>(friction, mode, motion, |of, own| own[of.coefficients[0]]);
                most - motion.numbers[self.frictions[friction].number].abs()
            }
            (Rubbing::Balance, Some(grip)) => self.balance::<S, D>(grip, mode, motion),
        }
    }

    /// Normal forces of a contact and those that it sticks with, each times a factor.
    fn together<S: Scalar, const D: usize>(
        &self,
        leader: usize,
        mode: &Mode,
        motion: &Motion<S>,
        factor: impl Fn(&Friction, &[S]) -> S,
    ) -> S {
        let grips = mode.grips.iter().filter(|grip| grip.leader == leader);
        grips.fold(S::from(0.0), |sum, grip| {
            let friction = &self.frictions[grip.friction];
            let own = friction.local.pick_numbers(motion.numbers);
            sum + self.contact_force::<S, D>(friction.contact, mode, motion) * factor(friction, &own)
        })
    }

    /// The force of one contact: of those that stick together each has the share of its normal force.
    fn friction_force<S: Scalar, const D: usize>(&self, grip: &Grip, mode: &Mode, motion: &Motion<S>) -> S {
        let shared = mode.grips.iter().filter(|other| other.leader == grip.leader).count() > 1;
        let force = motion.numbers[self.frictions[grip.leader].number];
        if grip.hold != Hold::Stick || !shared {
            return motion.numbers[self.frictions[grip.friction].number];
        }
        let own = self.contact_force::<S, D>(self.frictions[grip.friction].contact, mode, motion);
        let all = self.together::<S, D>(grip.leader, mode, motion, |_, _| S::from(1.0));
        force * own / all
    }

    fn balance<S: Scalar, const D: usize>(&self, grip: &Grip, mode: &Mode, motion: &Motion<S>) -> S {
        let friction = &self.frictions[grip.friction];
        let force = motion.numbers[friction.number];
        match grip.hold {
            Hold::Stick if grip.leads() => self.slip_rate::<S, D>(grip.friction, motion),
            Hold::Stick | Hold::Spare => force,
            Hold::Slip(_) => {
                let (slip, sign) = (self.slip::<S, D>(grip.friction, motion), grip.hold.sign());
                let own = friction.local.pick_numbers(motion.numbers);
                let pressed = self.contact_force::<S, D>(friction.contact, mode, motion) * sign;
                let viscous = friction.viscous.map_or(S::from(0.0), |number| own[number] * slip);
                force + pressed * friction.coefficient(slip * sign, &own) + viscous
            }
        }
    }

    /// How much the balance of a contact that slips changes with its normal force.
    pub fn friction_by_normal_force(&self, grip: &Grip, motion: &Motion<f64>) -> f64 {
        let friction = &self.frictions[grip.friction];
        let slip = in_dimension!(self.dimension, D => self.slip::<f64, D>(grip.friction, motion));
        let own = friction.local.pick_numbers(motion.numbers);
        grip.hold.sign() * friction.coefficient(slip * grip.hold.sign(), &own)
    }

    /// Rate of the slip velocity of a contact.
    pub fn slip_acceleration(&self, friction: usize, motion: &Motion<f64>) -> f64 {
        in_dimension!(self.dimension, D => self.slip_rate::<f64, D>(friction, motion))
    }

    /// Slip velocity of a contact, open or closed.
    fn slip<S: Scalar, const D: usize>(&self, friction: usize, motion: &Motion<S>) -> S {
        let local = &self.forces[self.frictions[friction].force].local;
        let number = |i: usize| motion.numbers[i];
        self.slip_at::<S, D>(friction, motion.t, &local.pick(motion.q), &motion.rates(local), number)
    }

    /// Its rate.
    fn slip_rate<S: Scalar, const D: usize>(&self, friction: usize, motion: &Motion<S>) -> S {
        let local = &self.forces[self.frictions[friction].force].local;
        let q = local.coordinates_by(|i| Dual::new(motion.q[i], motion.rate(i)));
        let v = local.coordinates_by(|i| Dual::new(motion.rate(i), motion.acceleration(i)));
        let t = Dual::new(motion.t, S::from(1.0));
        let number = |i: usize| Dual::from_re(motion.numbers[i]);
        self.slip_at::<Dual<S>, D>(friction, t, &q, &v, number).eps
    }

    fn slip_at<S: Scalar, const D: usize>(
        &self,
        friction: usize,
        t: S,
        q: &[S; MAX_LOCAL],
        v: &[S; MAX_LOCAL],
        number: impl Fn(usize) -> S,
    ) -> S {
        let Friction {
            force, local, speed, ..
        } = &self.frictions[friction];
        let element = &self.forces[*force];
        let ForceKind::Tangential(tangential) = &element.kind else {
            return S::from(f64::NAN);
        };
        let count = element.local.numbers.len();
        let slip = tangential.velocity::<S, D>(q, v, element.local.numbers_by(&number), count);
        match speed {
            Some(speed) => slip - speed.evaluate(t, &local.numbers_by(&number)),
            None => slip,
        }
    }
}
