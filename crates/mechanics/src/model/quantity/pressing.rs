//! What presses together the two sides that rub: normal forces of contacts, reactions of joints.

use super::Motion;
use crate::model::marker::norm;
use crate::model::{Friction, Grip, Mode, Model, Press, Rubbed};
use crate::scalar::{Scalar, each};

impl Model {
    /// What friction is in proportion to: never negative where a joint rubs, one where the friction itself is given.
    pub(super) fn pressed<S: Scalar, const D: usize>(&self, grip: &Grip, mode: &Mode, motion: &Motion<S>) -> S {
        let friction = &self.frictions[grip.friction];
        let press = match &friction.rubbed {
            Rubbed::Contact(contact) => return self.contact_force::<S, D>(*contact, mode, motion),
            Rubbed::Joint(_, press) => press,
        };
        match press {
            Press::Given(_) => S::from(1.0),
            Press::Pin { constraint, radius } => {
                let reaction: [S; 2] =
                    pin_rows(mode, *constraint).map_or([S::from(0.0); 2], |rows| rows.map(|row| motion.lambda[row]));
                // The magnitude has no derivative where nothing presses.
                if reaction.iter().all(|part| part.re() == 0.0) {
                    return S::from(0.0);
                }
                norm(reaction) * friction.local.pick_numbers(motion.numbers)[*radius]
            }
            Press::Guide(_) | Press::Sleeve { .. } => {
                let forces = self.normal_forces(friction, mode, motion);
                let on_side = |k: usize| match grip.sides[k] {
                    0 => forces[k].abs(),
                    side => forces[k] * f64::from(side),
                };
                on_side(0) + on_side(1)
            }
        }
    }

    /// Normal forces of a guide, or of the two ends of a sleeve, of either sign; the second of a guide is zero, as others are.
    pub(super) fn normal_forces<S: Scalar>(&self, friction: &Friction, mode: &Mode, motion: &Motion<S>) -> [S; 2] {
        let zero = S::from(0.0);
        let multiplier = |constraint: usize| mode.row_of(constraint).map_or(zero, |row| motion.lambda[row]);
        match friction.press() {
            Some(Press::Guide(constraint)) => [multiplier(*constraint), zero],
            Some(Press::Sleeve { slide, angle, length }) => {
                let (half, length) = (
                    multiplier(*slide) * 0.5,
                    friction.local.pick_numbers(motion.numbers)[*length],
                );
                let couple = multiplier(*angle) / length;
                [half + couple, half - couple]
            }
            _ => [zero; 2],
        }
    }

    /// Rows whose multipliers press, with the derivatives by them of what friction is in proportion to.
    pub fn press_slopes(&self, grip: &Grip, mode: &Mode, motion: &Motion<f64>) -> [Option<(usize, f64)>; 2] {
        let friction = &self.frictions[grip.friction];
        let press = match &friction.rubbed {
            Rubbed::Contact(contact) => {
                return [mode.row_of(self.contacts[*contact].gap).map(|row| (row, 1.0)), None];
            }
            Rubbed::Joint(_, press) => press,
        };
        let own = |number: usize| motion.numbers[friction.local.numbers[number]];
        let forces = self.normal_forces(friction, mode, motion);
        let sides: [f64; 2] = each(|k| match grip.sides[k] {
            0 if forces[k] < 0.0 => -1.0,
            0 => 1.0,
            side => f64::from(side),
        });
        match press {
            Press::Given(_) => [None; 2],
            Press::Guide(constraint) => [mode.row_of(*constraint).map(|row| (row, sides[0])), None],
            Press::Sleeve { slide, angle, length } => {
                let [sum, difference] = [0.5 * (sides[0] + sides[1]), (sides[0] - sides[1]) / own(*length)];
                [(*slide, sum), (*angle, difference)]
                    .map(|(constraint, slope)| mode.row_of(constraint).map(|row| (row, slope)))
            }
            Press::Pin { constraint, radius } => pin_rows(mode, *constraint).map_or([None; 2], |rows| {
                let reaction = rows.map(|row| motion.lambda[row]);
                let size = norm(reaction);
                let slope = |part: f64| if size > 0.0 { own(*radius) * part / size } else { 0.0 };
                each(|k| Some((rows[k], slope(reaction[k]))))
            }),
        }
    }

    /// The most that what presses a joint can change with multipliers that change by these, whatever the signs of its normal forces.
    pub fn press_response(&self, friction: usize, mode: &Mode, lambda: &[f64], numbers: &[f64]) -> f64 {
        let friction = &self.frictions[friction];
        let own = |number: usize| numbers[friction.local.numbers[number]];
        let multiplier = |constraint: usize| mode.row_of(constraint).map_or(0.0, |row| lambda[row]);
        match friction.press() {
            None | Some(Press::Given(_)) => 0.0,
            Some(Press::Guide(constraint)) => multiplier(*constraint).abs(),
            Some(Press::Sleeve { slide, angle, length }) => multiplier(*slide)
                .abs()
                .max(2.0 * multiplier(*angle).abs() / own(*length)),
            Some(Press::Pin { constraint, radius }) => {
                pin_rows(mode, *constraint).map_or(0.0, |rows| own(*radius) * norm(rows.map(|row| lambda[row])))
            }
        }
    }

    /// Constraints whose multipliers press.
    pub fn pressing_constraints(&self, friction: usize) -> [Option<usize>; 2] {
        match &self.frictions[friction].rubbed {
            Rubbed::Contact(contact) => [Some(self.contacts[*contact].gap), None],
            Rubbed::Joint(_, Press::Guide(constraint) | Press::Pin { constraint, .. }) => [Some(*constraint), None],
            Rubbed::Joint(_, Press::Sleeve { slide, angle, .. }) => [Some(*slide), Some(*angle)],
            Rubbed::Joint(_, Press::Given(_)) => [None; 2],
        }
    }
}

/// The rows of the constraint of a pin.
fn pin_rows(mode: &Mode, constraint: usize) -> Option<[usize; 2]> {
    mode.row_of(constraint).map(|row| [row, row + 1])
}
