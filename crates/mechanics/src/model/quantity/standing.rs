//! Feet of one body on one flat face in space that stick or begin to slip together (theory, 4.19): what holds them is known by its three
//! parts along the face, which the first of them and one other carry.

use super::Motion;
use crate::model::limit_surface::{Feet, MOST_FEET, Yielding, dot};
use crate::model::tangential::{flat, inner, size};
use crate::model::{Grip, Hold, Mode, Model};
use crate::scalar::{Scalar, each};

/// Feet that hold together, and what they hold.
struct Standing<S> {
    feet: Feet<S>,
    /// The frictions of the first foot and of the one that keeps the body from turning.
    first: usize,
    turning: usize,
    /// The load against the friction, by parts.
    load: [S; 3],
}

impl Model {
    /// Grips of the contacts that one sticks, or begins to slip, together with on one face in space.
    fn standing_grips<'a>(&'a self, leader: usize, mode: &'a Mode) -> impl Iterator<Item = &'a Grip> {
        mode.grips.iter().filter(move |grip| grip.leader == leader)
    }

    /// Whether a contact in space does the same as others on one face.
    pub fn is_foot(&self, grip: &Grip, mode: &Mode) -> bool {
        let law = &self.frictions[grip.friction];
        !law.is_single() && law.contact().is_some() && self.standing_grips(grip.leader, mode).nth(1).is_some()
    }

    /// Whether it sticks, or begins to slip, together with them.
    pub fn stands(&self, grip: &Grip, mode: &Mode) -> bool {
        matches!(grip.hold, Hold::Stick | Hold::SlipBegins) && self.is_foot(grip, mode)
    }

    fn standing<S: Scalar, const D: usize>(
        &self,
        leader: usize,
        mode: &Mode,
        motion: &Motion<S>,
    ) -> Option<Standing<S>> {
        let contact = |grip: &Grip| self.frictions[grip.friction].contact();
        let feet = || self.standing_grips(leader, mode).take(MOST_FEET);
        let places = self.feet::<S, D>(feet().filter_map(contact), (motion.q, motion.numbers));
        let footing = contact(feet().next()?).and_then(|contact| mode.footing_of(contact));
        let sharing = footing.map(|footing| self.sharing::<S, D>(footing, motion));
        let mut most = [S::from(0.0); MOST_FEET];
        let (mut count, mut turning, mut viscous) = (0, None, [[S::from(0.0); 2]; MOST_FEET]);
        for grip in feet() {
            let law = &self.frictions[grip.friction];
            let own = law.local.pick_numbers(motion.numbers);
            let coefficient = if grip.hold == Hold::Stick {
                law.bounds(motion.t, &own)[0]
            } else {
                let slip = self.slip::<S, D>(grip.friction, motion);
                viscous[count] = self.viscous_of::<S, D>(grip, motion);
                law.coefficient(motion.t, size(slip), &own)
            };
            let pressed = match &sharing {
                Some(sharing) => self.pressed_in(law.contact()?, sharing, mode, motion),
                None => self.pressed::<S, D>(grip, mode, motion),
            };
            most[count] = pressed * coefficient;
            if grip.turns {
                turning = Some((count, grip.friction));
            }
            count += 1;
        }
        let (place, other) = turning?;
        let feet = Feet::new(&places[..count], &most[..count], place);
        let [x, y] = flat(self.friction_numbers(leader, motion));
        let mut load = [
            -x,
            -y,
            -inner(feet.across(), flat(self.friction_numbers(other, motion))),
        ];
        for (i, force) in viscous.iter().enumerate().take(count) {
            feet.add_force(i, force.map(|x| -x), &mut load);
        }
        Some(Standing {
            feet,
            first: leader,
            turning: other,
            load,
        })
    }

    /// The friction force of one of those that stand.
    pub(super) fn standing_force<S: Scalar, const D: usize>(
        &self,
        grip: &Grip,
        mode: &Mode,
        motion: &Motion<S>,
    ) -> [S; 2] {
        let place = self
            .standing_grips(grip.leader, mode)
            .position(|other| other.friction == grip.friction);
        let (Some(standing), Some(place)) = (self.standing::<S, D>(grip.leader, mode, motion), place) else {
            return [S::from(0.0); 2];
        };
        let shares = match standing.feet.yielding(standing.load) {
            Some(yielding) => standing.feet.shares(standing.load, &yielding),
            None => standing.feet.least_squares(standing.load),
        };
        let viscous = self.viscous_of::<S, D>(grip, motion);
        each(|k| -shares[place][k] - viscous[k])
    }

    fn viscous_of<S: Scalar, const D: usize>(&self, grip: &Grip, motion: &Motion<S>) -> [S; 2] {
        let law = &self.frictions[grip.friction];
        match law.viscous.filter(|_| grip.hold == Hold::SlipBegins) {
            Some(number) => {
                let viscous = law.local.pick_numbers(motion.numbers)[number];
                flat(self.slip::<S, D>(grip.friction, motion)).map(|slip| slip * viscous)
            }
            None => [S::from(0.0); 2],
        }
    }

    /// How much more they can hold than they do, as a force.
    pub(super) fn standing_margin<S: Scalar, const D: usize>(
        &self,
        leader: usize,
        mode: &Mode,
        motion: &Motion<S>,
    ) -> S {
        let Some(Standing { feet, load, .. }) = self.standing::<S, D>(leader, mode, motion) else {
            return S::from(0.0);
        };
        match feet.yielding(load) {
            Some(yielding) => feet.most() * (-yielding.used + 1.0),
            None => feet.most() - size([load[0], load[1]]) - size([load[2], S::from(0.0)]),
        }
    }

    /// What vanishes where they stick, or begin to slip.
    pub(super) fn standing_balance<S: Scalar, const D: usize>(
        &self,
        grip: &Grip,
        mode: &Mode,
        motion: &Motion<S>,
    ) -> [S; 2] {
        let force = flat(self.friction_numbers(grip.friction, motion));
        if !grip.carries() {
            return force;
        }
        if grip.hold == Hold::Stick && grip.leads() {
            return flat(self.slip_rate::<S, D>(grip.friction, motion));
        }
        let Some(standing) = self.standing::<S, D>(grip.leader, mode, motion) else {
            return force;
        };
        let across = standing.feet.across();
        let turning = match grip.hold {
            Hold::Stick => inner(across, flat(self.slip_rate::<S, D>(grip.friction, motion))),
            _ => {
                let [x, y, turning] = self.begun_together::<S, D>(&standing, motion);
                if grip.leads() {
                    return [x, y];
                }
                turning
            }
        };
        // Along the line to the first foot it takes nothing.
        [across[1] * force[0] - across[0] * force[1], turning]
    }

    /// The direction across the line from the leader of feet that stand to the one that keeps them from turning.
    pub fn turning_direction(&self, grip: &Grip, mode: &Mode, motion: &Motion<f64>) -> [f64; 2] {
        let standing = in_dimension!(self.dimension, D => self.standing::<f64, D>(grip.leader, mode, motion));
        standing.map_or([0.0; 2], |standing| standing.feet.across())
    }

    /// Whether all are on one line and at their bounds across it, whatever motion they yield to.
    pub fn is_pulled_across(&self, grip: &Grip, mode: &Mode, motion: &Motion<f64>) -> bool {
        let standing = in_dimension!(self.dimension, D => self.standing::<f64, D>(grip.leader, mode, motion));
        standing.is_some_and(|standing| standing.feet.are_pulled_across(standing.load))
    }

    /// Where they begin to slip, the load is as large as it can be, and the acceleration that which it yields to.
    fn begun_together<S: Scalar, const D: usize>(&self, standing: &Standing<S>, motion: &Motion<S>) -> [S; 3] {
        let Standing { feet, load, .. } = standing;
        let Some(Yielding { motion: y, used, .. }) = feet.yielding(*load) else {
            return load.map(|part| -part);
        };
        let rate = self.parts_of(standing, |friction| flat(self.slip_rate::<S, D>(friction, motion)));
        let length = dot(y, y).sqrt();
        let along = y.map(|part| part / length);
        let onward = dot(rate, along);
        let margin = feet.most() * (-used + 1.0);
        each(|k| rate[k] + along[k] * (margin - onward))
    }

    /// Three velocities, or their rates, from those of the contacts that carry.
    fn parts_of<S: Scalar>(&self, standing: &Standing<S>, of: impl Fn(usize) -> [S; 2]) -> [S; 3] {
        let [x, y] = of(standing.first);
        [x, y, inner(standing.feet.across(), of(standing.turning))]
    }

    /// Slip of those that stand, or its rate, against what holds them.
    pub(super) fn standing_onward<S: Scalar, const D: usize>(
        &self,
        leader: usize,
        mode: &Mode,
        motion: &Motion<S>,
        rate: bool,
    ) -> S {
        let Some(standing) = self.standing::<S, D>(leader, mode, motion) else {
            return S::from(0.0);
        };
        let length = dot(standing.load, standing.load).sqrt();
        if length.re() == 0.0 {
            return S::from(0.0);
        }
        let parts = self.parts_of(&standing, |friction| match rate {
            true => flat(self.slip_rate::<S, D>(friction, motion)),
            false => flat(self.slip::<S, D>(friction, motion)),
        });
        dot(standing.load, parts) / length
    }

    /// Slip of feet on one face in the directions that are held, in sum.
    pub(super) fn standing_onward_held<S: Scalar, const D: usize>(
        &self,
        leader: usize,
        mode: &Mode,
        motion: &Motion<S>,
    ) -> S {
        self.standing_grips(leader, mode).fold(S::from(0.0), |sum, grip| {
            let slip = self.slip::<S, D>(grip.friction, motion);
            sum + inner(slip, self.held_direction::<S, D>(grip.friction, grip.held, motion))
        })
    }

    /// Slip speed of those that stand: the root of the mean square.
    pub(super) fn standing_speed<S: Scalar, const D: usize>(
        &self,
        leader: usize,
        mode: &Mode,
        motion: &Motion<S>,
    ) -> S {
        let (mut sum, mut count) = (S::from(0.0), 0.0);
        for grip in self.standing_grips(leader, mode) {
            let slip = self.slip::<S, D>(grip.friction, motion);
            sum += inner(slip, slip);
            count += 1.0;
        }
        if sum.re() == 0.0 {
            return S::from(0.0);
        }
        (sum / count).sqrt()
    }

    /// By how much the forces of one of those that stand are to be multiplied, so that they are as large as they can be.
    pub(super) fn standing_fullness<const D: usize>(&self, leader: usize, mode: &Mode, motion: &Motion<f64>) -> f64 {
        let standing = self.standing::<f64, D>(leader, mode, motion);
        let yielding = standing.and_then(|standing| standing.feet.yielding(standing.load));
        yielding.map_or(1.0, |yielding| yielding.used.recip())
    }
}
