//! Dry friction of contacts and joints (theory, 4.9).
//!
//! The friction force T is a number of the model that a force reads ([`super::force::Tangential`]). Its value follows from the
//! motion: `mechanism/friction` finds the values of all of them for which every [`super::quantity::Rubbing::Balance`] is zero.

use super::Model;
use super::force::{ForceKind, SurfaceMotion};
use super::function::Signal;
use super::joint::Direction;
use super::local::Local;
use super::tangential::{Parts, inner, size};
use crate::expression::tanh;
use crate::scalar::{Scalar, each};

/// Square of |u|/v below which its hyperbolic tangent over it is a series, exact to rounding.
const SMALL: f64 = 1e-5;

/// What rubs.
#[derive(Clone, Debug)]
pub enum Rubbed {
    /// A contact, while it is closed: pressed by its normal force.
    Contact(usize),
    /// A joint (group of constraints), while it holds.
    Joint(usize, Press),
}

/// What presses the two sides of a joint against each other.
#[derive(Clone, Debug)]
pub enum Press {
    /// The normal force of a guide or of a thread, of either sign.
    Guide {
        /// Constraint whose multiplier it is.
        constraint: usize,
        /// Number (local): what presses over the multiplier; one when left out.
        arm: Option<usize>,
    },
    /// Normal force and moment of a sleeve, carried by the two ends of its length.
    Sleeve {
        /// Constraint whose multiplier is the normal force.
        slide: usize,
        /// Constraint whose multiplier is the moment.
        angle: usize,
        /// Number (local): the length.
        length: usize,
    },
    /// The magnitude of a reaction, of a pin at its radius.
    Pin {
        /// Constraint whose multipliers are the components of the reaction.
        constraint: usize,
        /// Number (local): the radius; none where the force itself presses.
        radius: Option<usize>,
    },
    /// Force and moment of a joint about an axis in space, carried by the two ends of its length.
    Bearing(Box<Bearing>),
    /// Something else: the friction while it sticks at most, and while it slips, is given.
    Given(Box<[Signal; 2]>),
}

/// What carries the reaction of a joint about an axis in space: two ends, half a length before and behind the second attachment.
#[derive(Clone, Debug)]
pub struct Bearing {
    /// What carries the force.
    pub force: Carrying,
    /// Constraints that keep directions across the axis, one or two: their multipliers are the moment across it, turned by a quarter.
    pub tilt: Vec<usize>,
    /// Constraint whose multiplier is the moment about the axis.
    pub twist: Option<usize>,
    /// Number (local): the length.
    pub length: usize,
    /// Number (local): the radius, at which a pin rubs and a sleeve is kept from turning.
    pub radius: usize,
}

/// The force that a bearing carries.
#[derive(Clone, Debug)]
pub enum Carrying {
    /// That of a pin in all directions: the multipliers of a constraint, in the ground frame, with the directions across the axis that are
    /// kept.
    Pin(usize, Vec<Direction>),
    /// That of a sleeve across the axis: the multipliers of two constraints.
    Sleeve([usize; 2]),
}

/// Bristles between two sides that rub, in the place of sticking: they bend by z while the sides slip by u, with
/// z' = u - s |u| z / g(|u|), and the friction over what presses is s z + d z' (LuGre; theory, (4.18)).
#[derive(Clone, Debug)]
pub struct Bristles {
    /// Number (local): the stiffness s.
    pub stiffness: usize,
    /// Number (local): the damping d.
    pub damping: usize,
    /// Numbers (local): memory that is z, along each direction in which it slips.
    pub bend: Vec<usize>,
    /// Slip speed that the tolerance does not tell from rest; zero until it is known.
    pub still: f64,
}

/// How an impact with friction ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hypothesis {
    /// The impulse of the expansion is a share of that of the compression (Poisson).
    #[default]
    Poisson,
    /// A share of the normal velocity comes back (Newton).
    Newton,
}

/// Friction at a contact or in a joint; numbers of the law are local indices into [`Friction::local`].
#[derive(Clone, Debug)]
pub struct Friction {
    /// What rubs.
    pub rubbed: Rubbed,
    /// Its name: that of the contact or joint, of a joint with two axes with the axis.
    pub name: String,
    /// The force that acts along the surface, or the torque of a pin.
    pub force: usize,
    /// Numbers of the model: the friction force on the point, by the tangents of the surface; or that on the second body of a joint, along
    /// each of its freedoms.
    pub numbers: Vec<usize>,
    /// Global indices of the numbers of the law, and of what turns the directions of a bearing.
    pub local: Local,
    /// Coefficients while it sticks and while it slips; one where the friction itself is given.
    pub coefficients: [usize; 2],
    /// Speed over which the coefficient falls from the first to the second; at once where there is none.
    pub stribeck: Option<usize>,
    /// Slip velocity over which the friction builds up, in the place of sticking.
    pub regularized: Option<usize>,
    /// Bristles, in the place of sticking.
    pub bristles: Option<Bristles>,
    /// Viscous force over slip velocity.
    pub viscous: Option<usize>,
    /// How the surface moves over its own material: in the plane a speed to the right where its normal points up, in space a velocity in
    /// the frame of the normal, empty where it does not.
    pub moves: Vec<Signal>,
    /// The first friction whose surface moves as this one's does, by what is written; none where it does not move.
    pub moves_as: Option<usize>,
    /// How impacts end.
    pub hypothesis: Hypothesis,
    /// Share of the slip velocity that comes back in impacts within the cone.
    pub tangential: Option<usize>,
}

impl Friction {
    /// How its surface moves, from the numbers of the law.
    pub(crate) fn surface_motion<S: Scalar>(&self, t: S, own: &[S]) -> SurfaceMotion<S> {
        match &self.moves[..] {
            [] => SurfaceMotion::Still,
            [speed] => SurfaceMotion::Speed(speed.evaluate(t, own)),
            all => SurfaceMotion::Velocity(each(|k| all[k].evaluate(t, own))),
        }
    }

    /// The contact that rubs, if it is one.
    pub fn contact(&self) -> Option<usize> {
        match self.rubbed {
            Rubbed::Contact(contact) => Some(contact),
            Rubbed::Joint(..) => None,
        }
    }

    /// What presses the joint that rubs, if it is one.
    pub fn press(&self) -> Option<&Press> {
        match &self.rubbed {
            Rubbed::Contact(_) => None,
            Rubbed::Joint(_, press) => Some(press),
        }
    }

    /// Whether it slips to one of two sides: along one freedom, or a line.
    pub fn is_single(&self) -> bool {
        self.numbers.len() == 1
    }

    /// How many normal forces of either sign press it.
    pub fn ends(&self) -> usize {
        match self.press() {
            Some(Press::Guide { .. }) => 1,
            Some(Press::Sleeve { .. }) => 2,
            _ => 0,
        }
    }

    /// Coefficients while it sticks and while it slips.
    pub fn bounds<S: Scalar>(&self, t: S, own: &[S]) -> [S; 2] {
        match self.press() {
            Some(Press::Given(friction)) => [0, 1].map(|k: usize| friction[k].evaluate(t, own)),
            _ => self.coefficients.map(|number| own[number]),
        }
    }

    /// Whether the friction depends on how fast it slips.
    pub(super) fn reads_slip(&self) -> bool {
        self.stribeck.is_some() || self.viscous.is_some() || self.is_smooth()
    }

    /// Whether it never sticks: its force is a function of the slip velocity, or of bristles.
    pub fn is_smooth(&self) -> bool {
        self.regularized.is_some() || self.bristles.is_some()
    }

    /// Friction over what presses, at a slip velocity, against slip in a direction.
    pub(super) fn factor<S: Scalar>(&self, t: S, slip: S, sign: f64, own: &[S]) -> S {
        match (self.regularized, &self.bristles) {
            (Some(over), _) => self.bounds(t, own)[1] * tanh(slip / own[over]),
            (_, Some(bristles)) => self.held_by(bristles, t, [slip, S::from(0.0), S::from(0.0)], own)[0],
            _ => self.coefficient(t, slip * sign, own) * sign,
        }
    }

    /// The same of bristles.
    fn held_by<S: Scalar>(&self, bristles: &Bristles, t: S, slip: Parts<S>, own: &[S]) -> Parts<S> {
        let rates = self.bend_rates(bristles, t, slip, own);
        let held = |k: usize| bristles.bend(k, own) * own[bristles.stiffness] + rates[k] * own[bristles.damping];
        each(held)
    }

    /// How fast bristles bend at a slip velocity.
    pub(super) fn bend_rates<S: Scalar>(&self, bristles: &Bristles, t: S, slip: Parts<S>, own: &[S]) -> Parts<S> {
        let speed = bristles.speed(slip);
        let back = own[bristles.stiffness] * speed / self.coefficient(t, speed, own);
        each(|k| slip[k] - bristles.bend(k, own) * back)
    }

    /// The same for a slip velocity along a surface in space, where it builds up with it: tanh(|u|/v) u/|u|.
    pub(super) fn factor_in_space<S: Scalar>(&self, t: S, slip: Parts<S>, own: &[S]) -> Parts<S> {
        if let Some(bristles) = &self.bristles {
            return self.held_by(bristles, t, slip, own);
        }
        let over = self.regularized.map_or(S::from(0.0), |over| own[over]);
        let along: Parts<S> = each(|k| slip[k] / over);
        let square = inner(along, along);
        let ratio = if square.re() < SMALL {
            (square * (2.0 / 15.0) - 1.0 / 3.0) * square + 1.0
        } else {
            let size = square.sqrt();
            tanh(size) / size
        };
        let most = self.bounds(t, own)[1];
        along.map(|x| x * ratio * most)
    }

    /// Coefficient at a slip speed.
    pub(super) fn coefficient<S: Scalar>(&self, t: S, speed: S, own: &[S]) -> S {
        let [at_rest, slipping] = self.bounds(t, own);
        match self.stribeck {
            Some(over) => slipping + (at_rest - slipping) * (-speed / own[over]).exp(),
            None => slipping,
        }
    }
}

impl Bristles {
    /// How far they bend along a direction; zero beyond those that there are.
    pub(super) fn bend<S: Scalar>(&self, k: usize, own: &[S]) -> S {
        self.bend.get(k).map_or(S::from(0.0), |&number| own[number])
    }

    /// The slip speed, smooth about rest: where slip has died away, its sign is rounding.
    fn speed<S: Scalar>(&self, slip: Parts<S>) -> S {
        let square = inner(slip, slip);
        if square.re() >= self.still * self.still {
            return size(slip);
        }
        let share = square / (self.still * self.still);
        share * (S::from(1.5) - share * 0.5) * self.still
    }

    /// How fast they spring back where nothing touches them: s z + d z' is zero.
    pub(super) fn free_rate<S: Scalar>(&self, k: usize, own: &[S]) -> S {
        -self.bend(k, own) * own[self.stiffness] / own[self.damping]
    }
}

impl Model {
    /// Directions along the surface of a contact.
    pub fn rubbing_directions(&self) -> usize {
        self.dimension - 1
    }

    /// The friction of a contact.
    pub fn friction_of(&self, contact: usize) -> Option<usize> {
        let mut all = self.frictions.iter();
        all.position(|friction| friction.contact() == Some(contact))
    }

    /// The frictions of a joint, by its group: one for each axis of a cross joint.
    pub fn frictions_of_joint(&self, group: usize) -> impl Iterator<Item = usize> {
        let all = self.frictions.iter().enumerate();
        let own = all.filter(move |(_, friction)| matches!(friction.rubbed, Rubbed::Joint(own, _) if own == group));
        own.map(|(index, _)| index)
    }

    /// Whether a friction is a torque against an angular velocity.
    pub fn turns(&self, friction: usize) -> bool {
        let force = &self.forces[self.frictions[friction].force].kind;
        matches!(force, ForceKind::Sliding(sliding) if sliding.freedom.turns())
    }

    /// The name of what rubs.
    pub fn rubbed_name(&self, friction: usize) -> &str {
        &self.frictions[friction].name
    }
}
