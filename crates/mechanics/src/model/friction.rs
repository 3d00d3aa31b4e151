//! Dry friction of contacts (theory, 4.9).
//!
//! The friction force T is a number of the model that a force reads ([`super::force::Tangential`]). Its value follows from the
//! motion: `mechanism/friction` finds the values of all of them for which every [`super::quantity::Rubbing::Balance`] is zero.

use super::Model;
use super::function::Signal;
use super::local::Local;
use crate::scalar::Scalar;

/// How an impact with friction ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hypothesis {
    /// The impulse of the expansion is a share of that of the compression (Poisson).
    #[default]
    Poisson,
    /// A share of the normal velocity comes back (Newton).
    Newton,
}

/// Friction at a contact; numbers of the law are local indices into [`Friction::local`].
#[derive(Clone, Debug)]
pub struct Friction {
    /// The contact.
    pub contact: usize,
    /// The force that acts along the surface.
    pub force: usize,
    /// Number of the model: the friction force on the point, along the surface.
    pub number: usize,
    /// Global indices of the numbers of the law; no coordinates.
    pub local: Local,
    /// Coefficients while it sticks and while it slips.
    pub coefficients: [usize; 2],
    /// Speed over which the coefficient falls from the first to the second; at once where there is none.
    pub stribeck: Option<usize>,
    /// Viscous force over slip velocity.
    pub viscous: Option<usize>,
    /// Speed at which the surface moves along itself, to the right where its normal points up.
    pub speed: Option<Signal>,
    /// How impacts end.
    pub hypothesis: Hypothesis,
    /// Share of the slip velocity that comes back in impacts within the cone.
    pub tangential: Option<usize>,
}

impl Friction {
    /// Coefficient at a slip speed.
    pub(super) fn coefficient<S: Scalar>(&self, speed: S, own: &[S]) -> S {
        let [at_rest, slipping] = self.coefficients.map(|number| own[number]);
        match self.stribeck {
            Some(over) => slipping + (at_rest - slipping) * (-speed / own[over]).exp(),
            None => slipping,
        }
    }
}

impl Model {
    /// The friction of a contact.
    pub fn friction_of(&self, contact: usize) -> Option<usize> {
        let mut all = self.frictions.iter();
        all.position(|friction| friction.contact == contact)
    }
}
