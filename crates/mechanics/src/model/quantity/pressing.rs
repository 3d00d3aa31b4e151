//! What presses together the two sides that rub: normal forces of contacts, reactions of joints.

use super::Motion;
use crate::model::local::MAX_LOCAL;
use crate::model::marker::{dot, norm};
use crate::model::{Bearing, Carrying, ContactState, Friction, Grip, Mode, Model, Press, Rubbed};
use crate::scalar::{Scalar, each};

/// Most constraints, and most rows, whose multipliers press.
const MOST: usize = 5;

/// What presses at the two ends of a joint.
type Loads<S> = [[S; 3]; 2];

impl Model {
    /// What friction is in proportion to: never negative where a joint rubs, one where the friction itself is given.
    pub(super) fn pressed<S: Scalar, const D: usize>(&self, grip: &Grip, mode: &Mode, motion: &Motion<S>) -> S {
        let friction = &self.frictions[grip.friction];
        match &friction.rubbed {
            Rubbed::Contact(contact) => self.contact_force::<S, D>(*contact, mode, motion),
            Rubbed::Joint(_, Press::Given(_)) => S::from(1.0),
            Rubbed::Joint(..) => {
                let loads = self.loads(friction, mode, motion);
                let on_side = |k: usize| match grip.sides[k] {
                    0 => length(loads[k]),
                    side => loads[k][0] * f64::from(side),
                };
                on_side(0) + on_side(1)
            }
        }
    }

    /// Normal forces of a guide, or of the two ends of a sleeve, of either sign; the second of a guide is zero.
    pub(super) fn normal_forces<S: Scalar>(&self, friction: &Friction, mode: &Mode, motion: &Motion<S>) -> [S; 2] {
        self.loads(friction, mode, motion).map(|load| load[0])
    }

    /// Writes the rows whose multipliers the balances of friction read, each once; false where they read others too.
    pub fn pressing_rows(&self, mode: &Mode, rows: &mut Vec<usize>) -> bool {
        rows.clear();
        for grip in &mode.grips {
            let friction = &self.frictions[grip.friction];
            let slides = |contact: usize| mode.contacts[contact] == ContactState::Sliding;
            if !friction.is_single() || grip.shares() || !friction.contact().is_none_or(slides) {
                return false;
            }
            if !grip.hold.slips() {
                continue;
            }
            for constraint in self.pressing_constraints(grip.friction).into_iter().flatten() {
                let Some(first) = mode.row_of(constraint) else { continue };
                for row in first..first + self.constraints[constraint].rows {
                    if !rows.contains(&row) {
                        rows.push(row);
                    }
                }
            }
        }
        true
    }

    fn loads<S: Scalar>(&self, friction: &Friction, mode: &Mode, motion: &Motion<S>) -> Loads<S> {
        let (q, numbers) = (
            friction.local.pick(motion.q),
            friction.local.pick_numbers(motion.numbers),
        );
        friction.loads(&q, &numbers, self.dimension, |constraint, k| {
            mode.row_of(constraint)
                .map_or(S::from(0.0), |row| motion.lambda[row + k])
        })
    }

    /// Rows whose multipliers press, with the derivatives by them of what friction is in proportion to.
    pub fn press_slopes(&self, grip: &Grip, mode: &Mode, motion: &Motion<f64>) -> [Option<(usize, f64)>; MOST] {
        let friction = &self.frictions[grip.friction];
        let mut found = [None; MOST];
        if let Rubbed::Contact(contact) = friction.rubbed {
            if let Some(footing) = mode.footing_of(contact) {
                let sharing = in_dimension!(self.dimension, D => self.sharing::<f64, D>(footing, motion));
                let shares = self.shares(contact, &sharing, mode);
                let taken = shares.filter(|_| footing.presses(contact));
                found.iter_mut().zip(taken).for_each(|(slot, own)| *slot = Some(own));
                return found;
            }
            found[0] = mode.row_of(self.contacts[contact].gap).map(|row| (row, 1.0));
            return found;
        }
        let place = (
            friction.local.pick(motion.q),
            friction.local.pick_numbers(motion.numbers),
        );
        let multiplier = |constraint, k| mode.row_of(constraint).map_or(0.0, |row| motion.lambda[row + k]);
        for (slot, own) in found
            .iter_mut()
            .zip(self.slopes(grip.friction, grip.sides, &place, &multiplier))
        {
            *slot = own.and_then(|(constraint, k, slope)| Some((mode.row_of(constraint)? + k, slope)));
        }
        found
    }

    /// Constraints and rows whose impulses press a joint, with the derivatives by them; as these are those of lengths, the sum of the products is
    /// what presses.
    pub fn impulse_slopes<S: Scalar>(
        &self,
        friction: usize,
        q: &[S],
        numbers: &[S],
        impulse: &dyn Fn(usize, usize) -> S,
    ) -> [Option<(usize, usize, S)>; MOST] {
        let local = &self.frictions[friction].local;
        self.slopes(friction, [0; 2], &(local.pick(q), local.pick_numbers(numbers)), impulse)
    }

    fn slopes<S: Scalar>(
        &self,
        friction: usize,
        sides: [i8; 2],
        (q, numbers): &([S; MAX_LOCAL], [S; MAX_LOCAL]),
        multiplier: &dyn Fn(usize, usize) -> S,
    ) -> [Option<(usize, usize, S)>; MOST] {
        let law = &self.frictions[friction];
        let at = |multiplier: &dyn Fn(usize, usize) -> S| law.loads(q, numbers, self.dimension, multiplier);
        let loads = at(multiplier);
        let along: Loads<S> = each(|end| match sides[end] {
            0 => {
                let size = length(loads[end]);
                loads[end].map(|part| if size.re() == 0.0 { S::from(0.0) } else { part / size })
            }
            side => each(|k| S::from(if k == 0 { f64::from(side) } else { 0.0 })),
        });
        let constraints = self.pressing_constraints(friction).into_iter().flatten();
        let mut rows =
            constraints.flat_map(|constraint| (0..self.constraints[constraint].rows).map(move |k| (constraint, k)));
        each(|_| {
            let (constraint, k) = rows.next()?;
            let unit = at(&|other, j| S::from(f64::from(u8::from(other == constraint && j == k))));
            Some((constraint, k, dot(along[0], unit[0]) + dot(along[1], unit[1])))
        })
    }

    /// The most that what presses a joint can change with multipliers that change by those of this motion, whatever the signs of its normal
    /// forces.
    pub fn press_response(&self, friction: usize, mode: &Mode, motion: &Motion<f64>) -> f64 {
        let friction = &self.frictions[friction];
        match friction.press() {
            None | Some(Press::Given(_)) => 0.0,
            Some(_) => self.loads(friction, mode, motion).map(length).iter().sum(),
        }
    }

    /// Constraints whose multipliers press.
    pub fn pressing_constraints(&self, friction: usize) -> [Option<usize>; MOST] {
        let listed = |all: &[usize]| each(|k| all.get(k).copied());
        match &self.frictions[friction].rubbed {
            Rubbed::Contact(contact) => listed(&[self.contacts[*contact].gap]),
            Rubbed::Joint(_, Press::Guide { constraint, .. } | Press::Pin { constraint, .. }) => listed(&[*constraint]),
            Rubbed::Joint(_, Press::Sleeve { slide, angle, .. }) => listed(&[*slide, *angle]),
            Rubbed::Joint(_, Press::Given(_)) => [None; MOST],
            Rubbed::Joint(_, Press::Bearing(bearing)) => {
                let force = match &bearing.force {
                    Carrying::Pin(force, _) => std::slice::from_ref(force),
                    Carrying::Sleeve(across) => across,
                };
                let mut all = force.iter().chain(&bearing.tilt).chain(&bearing.twist);
                each(|_| all.next().copied())
            }
        }
    }
}

impl Friction {
    /// What presses at the two ends of a joint, linear in the multipliers (constraint and row): along the normal first where there is one.
    fn loads<S: Scalar>(
        &self,
        q: &[S; MAX_LOCAL],
        numbers: &[S; MAX_LOCAL],
        dimension: usize,
        multiplier: impl Fn(usize, usize) -> S,
    ) -> Loads<S> {
        let zero = S::from(0.0);
        match self.press() {
            None | Some(Press::Given(_)) => [[zero; 3]; 2],
            Some(Press::Guide { constraint, arm }) => {
                let force = multiplier(*constraint, 0);
                let pressed = arm.map_or(force, |arm| force * numbers[arm]);
                [[pressed, zero, zero], [zero; 3]]
            }
            Some(Press::Sleeve { slide, angle, length }) => {
                let half = multiplier(*slide, 0) * 0.5;
                let couple = multiplier(*angle, 0) / numbers[*length];
                [half + couple, half - couple].map(|force| [force, zero, zero])
            }
            Some(Press::Pin { constraint, radius }) => {
                let at = radius.map_or(S::from(1.0), |radius| numbers[radius]);
                let part = |k: usize| {
                    if k < dimension {
                        multiplier(*constraint, k) * at
                    } else {
                        zero
                    }
                };
                [each(part), [zero; 3]]
            }
            Some(Press::Bearing(bearing)) => bearing.loads(q, numbers, multiplier),
        }
    }
}

impl Bearing {
    fn loads<S: Scalar>(&self, q: &[S], numbers: &[S], multiplier: impl Fn(usize, usize) -> S) -> Loads<S> {
        let radius = numbers[self.radius];
        let tilt = |k: usize| match self.tilt.get(k) {
            Some(&constraint) => multiplier(constraint, 0) / numbers[self.length],
            None => S::from(0.0),
        };
        let (half, couple): ([S; 3], [S; 3]) = match &self.force {
            Carrying::Pin(constraint, across) => {
                let mut couple = [S::from(0.0); 3];
                for (k, direction) in across.iter().enumerate() {
                    let own: [S; 3] = direction.of(q, numbers);
                    couple = each(|i| couple[i] + own[i] * tilt(k) * radius);
                }
                (each(|k| multiplier(*constraint, k) * radius * 0.5), couple)
            }
            Carrying::Sleeve([x, y]) => {
                let twist = (self.twist).map_or(S::from(0.0), |twist| multiplier(twist, 0) / radius);
                let force = [multiplier(*x, 0), multiplier(*y, 0), twist];
                (force.map(|part| part * 0.5), [tilt(0), tilt(1), S::from(0.0)])
            }
        };
        [each(|k| half[k] + couple[k]), each(|k| half[k] - couple[k])]
    }
}

/// Length of a load. It has no derivative where nothing presses: zero is taken there.
fn length<S: Scalar>(load: [S; 3]) -> S {
    match load.map(|part| part.re()) {
        [0.0, 0.0, 0.0] => S::from(0.0),
        [along, 0.0, 0.0] if load[1].vanishes() && load[2].vanishes() => load[0] * along.signum(),
        _ => norm(load),
    }
}
