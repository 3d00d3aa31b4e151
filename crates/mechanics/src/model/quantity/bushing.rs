//! What a bushing sees and does.

use super::Motion;
use crate::model::force::ForceKind;
use crate::model::{Mode, Model};
use crate::scalar::Scalar;

/// Quantity of a bushing; components in the frame of its first end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BushingPart {
    /// Angle of the rotation of its second end relative to the first, rad, from 0 to pi.
    Angle,
    /// Component of the force on the second body, N; zero while switched off.
    Force(usize),
    /// Component of the torque on the second body, N m; zero while switched off.
    Torque(usize),
    /// Stored energy, J; zero while switched off.
    Energy,
}

impl Model {
    pub(super) fn bushing<S: Scalar>(&self, force: usize, part: BushingPart, mode: &Mode, motion: &Motion<S>) -> S {
        let element = &self.forces[force];
        let ForceKind::Bushing(bushing) = &element.kind else {
            return S::from(f64::NAN);
        };
        if part != BushingPart::Angle && !mode.force_acts(force) {
            return S::from(0.0);
        }
        let (q, v) = (element.local.pick(motion.q), motion.rates(&element.local));
        let found = bushing.bushed(&q, &v, &element.local.pick_numbers(motion.numbers));
        match part {
            BushingPart::Angle => found.angle,
            BushingPart::Force(k) => found.force[k],
            BushingPart::Torque(k) => found.torque[k],
            BushingPart::Energy => found.energy,
        }
    }

    /// Quaternion of the second end of a bushing relative to the first; none for other forces.
    pub fn bushing_turn(&self, force: usize, q: &[f64], numbers: &[f64]) -> Option<[f64; 4]> {
        let element = &self.forces[force];
        match &element.kind {
            ForceKind::Bushing(bushing) => Some(bushing.relative(&element.local, q, numbers)),
            _ => None,
        }
    }
}
