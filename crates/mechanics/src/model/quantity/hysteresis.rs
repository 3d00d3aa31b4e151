//! What a hysteretic spring does: elongation, tension, work.

use super::Motion;
use crate::model::force::{ForceKind, HystereticSpring};
use crate::model::{Mode, Model};
use crate::scalar::Scalar;

/// Quantity of a hysteretic spring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hysteresis {
    /// Elongation u, m or rad.
    Elongation,
    /// Tension z, N or N m; zero while switched off.
    Tension,
    /// Rate of the elongation in the direction since the last reversal.
    Loading,
    /// Tension that a spring without history would have.
    Virgin,
    /// Work taken up since the start, J.
    Work,
    /// Work taken up between the last reversal and the one two before it, J.
    Loss,
}

impl Model {
    /// The hysteretic spring of an index.
    pub fn hysteretic(&self, force: usize) -> Option<&HystereticSpring> {
        match &self.forces.get(force)?.kind {
            ForceKind::Hysteretic(spring) => Some(spring),
            _ => None,
        }
    }

    /// The memory slots of energies that a quantity reads, with their signs.
    pub(in crate::model) fn energies_read(&self, force: usize, part: Hysteresis) -> [Option<(usize, f64)>; 2] {
        let Some(spring) = self.hysteretic(force) else {
            return [None; 2];
        };
        let [_, _, _, last, _, first] = spring.slots;
        match part {
            Hysteresis::Work => [Some((last, 1.0)), None],
            Hysteresis::Loss => [Some((last, 1.0)), Some((first, -1.0))],
            _ => [None; 2],
        }
    }

    pub(super) fn hysteresis<S: Scalar, const D: usize>(
        &self,
        force: usize,
        part: Hysteresis,
        mode: &Mode,
        motion: &Motion<S>,
    ) -> S {
        let Some(spring) = self.hysteretic(force) else {
            return S::from(f64::NAN);
        };
        let local = &self.forces[force].local;
        let (q, numbers) = (local.pick(motion.q), local.pick_numbers(motion.numbers));
        let elongation = || spring.elongation::<S, D>(&q, &numbers);
        let mut remembered = S::from(0.0);
        for (slot, sign) in self.energies_read(force, part).into_iter().flatten() {
            remembered += motion.numbers[self.memory_number(slot)] * sign;
        }
        match part {
            Hysteresis::Elongation => elongation(),
            Hysteresis::Tension if mode.force_acts(force) => spring.tension(elongation(), &numbers),
            Hysteresis::Tension => S::from(0.0),
            Hysteresis::Loading => spring.loading::<S, D>(&q, &motion.rates(local), &numbers),
            Hysteresis::Virgin => spring.virgin(elongation(), &numbers),
            Hysteresis::Work if mode.force_acts(force) => remembered + spring.work(elongation(), &numbers),
            Hysteresis::Work | Hysteresis::Loss => remembered,
        }
    }
}
